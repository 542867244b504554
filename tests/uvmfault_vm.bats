#!/usr/bin/env bats
# uvmfault on the real nvidia-uvm.ko, with software GPUs below it (tests/vm/fakerm). What must come out is what
# tests/vm/exercise says that it did, fault packet by fault packet, and what the driver's own tools queue summed up.
# One guest records everything; the tests look at the recordings.

# guest DIR: runs there. Each recording NAME.gst has its NAME.truth, NAME.fast (steps without the driver's own queue,
# which would lose events at full speed) and NAME.err; `status` is what happened else.
guest() {
	local kind all rest fast round pid before
	cd "$1" || exit
	export FAKEGPU=count=2 FAKERM="count=2 vid_mb=48"
	parameters=(uvm_perf_thrashing_lapse_usec=2000000 uvm_perf_access_counter_mimc_migration_enable=1)
	oracle="$ROOT/tests/vm/exercise/oracle"
	until_true() { local n=0; until "$@" > /dev/null 2>&1; do sleep 0.1; n=$((n + 1)); [ $n -lt 1800 ] || { echo "timeout: $*"; exit 1; }; done; }
	polls() { readlink "/proc/$1/fd/"* | grep -q eventpoll; }
	loaded_again() { [ "$(grep -c "notification: " nobtf.err)" -gt "$before" ]; }
	start() { "$O/bin/uvmfault" -v "${@:2}" -o "$1.gst" 2> "$1.err" & pid=$!; }
	stop() { kill -INT "$pid"; wait "$pid"; echo "$1 $?" >> status; }
	does() { echo "$*: $("$@" > /dev/null 2>&1; echo $?)" >> status; }
	all='alloc a 8m; cpu write a 8 64k; gpu 0 read a 16; cpu read a 1; gpu 0 write a 32 128k; gpu 0 atomic a+2m 8; gpu 0 prefetch a+6m 4 64k
		gpu 0 read a+3m 16 4k dup=4; gpu 0 read a+1m 8 4k dup=3 spread; gpu 0 read a+4m 1 4k nonreplayable; thrash 0 a+5m 12
		alloc r 4m; fill r 4m 7; readdup r 4m on; gpu 0 read r 8; alloc p 4m; prefer p 4m cpu; fill p 4m 3; gpu 0 read p 4; gpu 1 write a+7m 8
		free a; free r; free p'	# which waits for what the GPUs still map: the driver tells of it when that is done
	rest='alloc b 64m; fill b 64m 1; migrate b 64m gpu0; gpu 0 write b 4 2m; fatal 0 read
		alloc c 4m; fill c 4m 1; accessed c 4m gpu1 on; notify 1 c+2m 8; cpu read c+2m 8 64k; free c'	# both wait for what the step before has begun
	fast='alloc a 8m; fill a 8m 1; gpu 0 write a 1536 run; gpu 1 read a 600 run'
	round='alloc a 32m; fill a 32m 1; gpu 0 write a 8192; cpu read a 8192; free a'	# there and back once, which is no thrashing
	work() {
		exercise -p 2 "$all" > "$1.truth" || echo "exercise $?" >> status
		exercise "$rest" >> "$1.truth" || echo "exercise $?" >> status
		exercise -T "$fast" > "$1.fast" || echo "exercise $?" >> status
	}

	# 1: a module with its BTF
	load soft "${parameters[@]}" || exit 1
	start btf
	until_true polls "$pid"
	work btf
	does rmmod nvidia_uvm
	stop btf
	start one --gpu 0000:40:00.0
	until_true polls "$pid"
	exercise -T 'alloc a 8m; fill a 8m 1; gpu 0 read a 256; gpu 0 write a+2m 128 8k; gpu 1 read a+4m 8; gpu 0 read a+6m 512' > one.truth
	stop one
	"$oracle" start service_fault_batch service_fault_batch_block_locked uvm_va_block_cpu_fault
	start clock
	until_true polls "$pid"
	taskset -c 1 exercise -T "$round; $round; $round; $round; $round" > clock.truth
	stop clock
	"$oracle" stop
	"$oracle" print > clock.spans
	echo nop > /sys/kernel/tracing/current_tracer
	does unload

	# 2: started before the driver, which has no BTF, goes and comes again
	start nobtf --wait
	until_true grep -q "nvidia_uvm is not loaded" nobtf.err
	load nobtf soft "${parameters[@]}" || exit 1
	until_true polls "$pid"
	work nobtf
	does unload
	until_true grep -q "was unloaded" nobtf.err
	before=$(grep -c "notification: " nobtf.err)
	load nobtf soft "${parameters[@]}" || exit 1
	until_true loaded_again
	exercise 'alloc a 4m; fill a 4m 1; gpu 0 read a 16' | tee again.truth >> nobtf.truth
	stop nobtf
	does unload

	# 3: the names, arguments and structs of 570, played by a stand-in for the driver
	for kind in 570 nobtf570; do
		load ${kind%570} 570 || exit 1
		start $kind
		until_true polls "$pid"
		echo "range a 0x7f0000000000 8M; faults gpu=1 range=a n=600 access=write dup=10; cpu range=a n=3; single range=a n=3; evict range=a n=2; counters range=a n=2; thrash range=a n=2; throttle range=a; remote range=a; readdup range=a n=2; fatal range=a; revoke range=a" > /proc/uvm570
		cat /proc/uvm570 > $kind.truth
		stop $kind
		does unload
	done
	echo "done" >> status
}

# sums NAME: of the truth and of the recording, side by side; of the steps without the driver's queue the faults only
sums() {
	local fast="$D/$1.fast"
	[ -e "$fast" ] || fast=/dev/null
	cat "$D/$1.truth" "$fast" | python3 "$ROOT/tests/uvmtruth.py" truth > "$BATS_TEST_TMPDIR/truth"
	"$O/test/cattrace" "$D/$1.gst" | python3 "$ROOT/tests/uvmtruth.py" trace |
		awk 'FILENAME != "-" { if ($2 == "process") { sub(/.* pid=/, ""); fast[$0] = 1 }; next } $1 == "fault" || !($2 in fast)' "$fast" - > "$BATS_TEST_TMPDIR/trace"
}
# part NAME KIND...: its sums of these kinds agree, and there are some
part() {
	local kinds kind
	sums "$1"
	shift
	kinds="^($(tr ' ' '|' <<< "$*")) "
	for kind; do grep -q "^$kind " "$BATS_TEST_TMPDIR/truth" || { echo "no $kind"; false; }; done
	diff <(grep -E "$kinds" "$BATS_TEST_TMPDIR/truth") <(grep -E "$kinds" "$BATS_TEST_TMPDIR/trace") > "$BATS_TEST_TMPDIR/diff" ||
		{ head -n 20 "$BATS_TEST_TMPDIR/diff"; false; }
}
lines_of() { "$BIN/uvmfault" -j -i "$D/$1.gst" "${@:2}"; }

setup_file() {
	load helpers
	able vm driver jq python3 || return 0
	export D="$O/vm/uvmfault-${CELL/\//-}"
	rm -rf "$D"
	mkdir -p "$D"
	VM_TIMEOUT=1500 vm "$CELL" "$(declare -f guest); ROOT='$ROOT'; guest '$D'" > "$D/said" 2>&1 || { tail -n 40 "$D/said"; echo "all of it: $D/said"; false; }
}

setup() {
	load helpers
	requires vm driver jq python3
}

@test "the exerciser ran through; trampolines hold the driver, which says so, kprobes let it go and come" {
	diff - "$D/status" <<- END
	rmmod nvidia_uvm: 1
	btf 0
	one 0
	clock 0
	unload: 0
	unload: 0
	nobtf 0
	unload: 0
	570 0
	unload: 0
	nobtf570 0
	unload: 0
	done
	END
}

@test "every fault packet of the GPUs is told: count, address, access, type, process, GPU; with BTF and without" {
	part btf fault
	part nobtf fault
}

@test "every fault of a CPU is told" {
	part btf cpu
	part nobtf cpu
}

@test "every byte that moved is told: whose, from where, to where, why; evictions too" {
	part btf migration
	part nobtf migration
	grep -q "^migration .* eviction " "$BATS_TEST_TMPDIR/truth"
	for t in btf nobtf; do
		[ "$("$O/test/cattrace" "$D/$t.gst" | sed -n 's/^uvm_evict .* bytes=\([0-9]*\) .*/\1/p' | paste -sd+ | bc)" -eq \
			"$("$O/test/cattrace" "$D/$t.gst" | sed -n 's/^uvm_migration .* bytes=\([0-9]*\) .*cause=eviction.*/\1/p' | paste -sd+ | bc)" ]
	done
}

@test "thrashing, throttling, remote maps, read duplication, access counters, fatal faults: as often as the driver says" {
	part btf thrashing throttle map_remote read_dup access_counter fatal
	part nobtf thrashing throttle map_remote read_dup access_counter fatal
}

@test "nothing is lost, and no fault is without its service or batch but fatal ones" {
	for t in btf nobtf one clock; do
		lines_of "$t" > "$BATS_TEST_TMPDIR/j"
		[ "$(tail -n 1 "$BATS_TEST_TMPDIR/j" | jq .lost)" -eq 0 ]
		[ "$(jq -r 'select(.flags // "" | contains("incomplete")) | .flags' "$BATS_TEST_TMPDIR/j" | sort -u)" = "$(grep -q fatal "$BATS_TEST_TMPDIR/j" && echo fatal,incomplete)" ]
		jq -e 'select(.schema == "gpuscope.uvm.0" and .latency_ns != null and .service_ns != null and .latency_ns < .service_ns)' "$BATS_TEST_TMPDIR/j" && false
		[ "$(jq -r 'select(.flags // "" | contains("non_replayable")) | .flags' "$BATS_TEST_TMPDIR/j" | sort -u)" = "$([[ $t != *btf ]] || echo non_replayable)" ]
	done
}

@test "what lines say that moved is what the services of faults say" {
	for t in btf nobtf; do
		[ "$(lines_of "$t" | jq -s 'map((.bytes_in // 0) + (.bytes_out // 0)) | add')" -eq \
			"$("$O/test/cattrace" "$D/$t.gst" | awk '/^uvm_service / && !/what=access_counters/ { for (i = 1; i <= NF; i++) if ($i ~ /^bytes_(in|out)=/) { split($i, v, "="); n += v[2] } } END { print n }')" ]
	done
}

@test "the bytes of each service are those of the migrations that name it" {
	for t in btf nobtf clock; do
		"$O/test/cattrace" "$D/$t.gst" | awk '
			{ delete f; for (i = 2; i <= NF; i++) { split($i, v, "="); f[v[1]] = v[2] } }
			$1 == "uvm_service" { pid[f["id"]] = f["pid"]; all[f["id"]] = f["what"] == "access_counters"; said[f["id"]] = f["bytes_in"] + f["bytes_out"] }
			$1 == "uvm_migration" && f["service"] != 0 { id[++n] = f["service"]; of[n] = f["pid"]; bytes[n] = f["bytes"] }
			END {
				for (i = 1; i <= n; i++) if (all[id[i]] || pid[id[i]] == of[i]) moved[id[i]] += bytes[i]
				for (s in said) { total += said[s]; if (said[s] != moved[s] + 0) { print "service", s, said[s], moved[s] + 0; bad = 1 } }
				exit bad || !total
			}' > "$BATS_TEST_TMPDIR/said" || { head -n 5 "$BATS_TEST_TMPDIR/said"; false; }
	done
}

@test "batches count what was fetched, and services by block" {
	"$O/test/cattrace" "$D/one.gst" > "$BATS_TEST_TMPDIR/text"
	[ "$(sed -n 's/^uvm_batch .* cached=\([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/text" | paste -sd+ | bc)" -eq 896 ]
	[ "$(sed -n 's/^uvm_batch .* replays=\([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/text" | sort -u)" = 1 ]
	[ "$(grep -c '^uvm_service .*what=replayable' "$BATS_TEST_TMPDIR/text")" -eq "$(sed -n 's/^uvm_batch .* blocks=\([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/text" | paste -sd+ | bc)" ]
}

@test "the duplicates of a batch are the further packets of its faults" {
	for t in btf nobtf; do
		"$O/test/cattrace" "$D/$t.gst" | awk '
			{ delete f; for (i = 2; i <= NF; i++) { split($i, v, "="); f[v[1]] = v[2] } }
			$1 == "uvm_batch" { batches[f["gpu"], f["batch"]] = f["duplicates"]; total += f["duplicates"] }
			$1 == "uvm_fault" { more[f["gpu"], f["batch"]] += f["instances"] - 1 }
			END {
				for (b in batches) if (batches[b] != more[b] + 0) { print batches[b], more[b] + 0; bad = 1 }
				exit bad || !total
			}' || { echo "$t"; false; }
	done
}

@test "--gpu records that GPU alone" {
	[ "$(lines_of one | jq -r 'select(.pci) | .pci' | sort -u)" = 0000:40:00.0 ]
	[ "$(lines_of one | jq -s 'map(.instances // 0) | add')" -eq 896 ]
	grep -q 'addr=0x' "$D/one.truth"
}

# By the kernel's function graph tracer, whose span has what our programs cost at the function's entry and return:
# tests/uvmclock.py says why none of this depends on how busy the machine is.
@test "the time of services, CPU faults and batches is within 5 % of the kernel's own measurement" {
	"$O/test/cattrace" "$D/clock.gst" | python3 "$ROOT/tests/uvmclock.py" "$D/clock.spans" "$D/clock.err" > "$D/clock.said" || { cat "$D/clock.said"; false; }
}

@test "-v names what the probes are on: trampolines where the module has BTF, else kprobes" {
	grep -qE "^uvmfault: notification: fentry nvidia_uvm:uvm_perf_event_notify" "$D/btf.err"
	grep -q "structs as its BTF says" "$D/btf.err"
	grep -qE "^uvmfault: notification: kprobe nvidia_uvm:uvm_perf_event_notify" "$D/nobtf.err"
	run ! grep "left out" "$D/btf.err" "$D/nobtf.err"
}

@test "a driver that comes later, goes and comes again is followed, and the recording says so" {
	[ "$(grep -c "notification: kprobe" "$D/nobtf.err")" -eq 2 ]
	"$O/test/cattrace" "$D/nobtf.gst" > "$BATS_TEST_TMPDIR/text"
	grep -q '^note .*"nvidia_uvm is not loaded: waiting' "$BATS_TEST_TMPDIR/text"
	grep -q '^note .*"nvidia_uvm was unloaded: waiting' "$BATS_TEST_TMPDIR/text"
	[ "$(grep -cE '^note .*"nvidia_uvm was loaded up to [0-9]+ ms before its functions were probed' "$BATS_TEST_TMPDIR/text")" -eq 2 ]
	pid="$(sed -n 's/^truth process .*pid=\([0-9]*\).*/\1/p' "$D/again.truth")"
	[ "$(lines_of nobtf -p "$pid" | jq -s 'map(select(.gpu == 1) | .instances) | add')" -eq 16 ]
}

# value_of KIND KEY: of its records in $BATS_TEST_TMPDIR/text
value_of() { sed -n "s/^$1 .* $2=\([^ ]*\).*/\1/p" "$BATS_TEST_TMPDIR/text"; }
total() { awk '{ n += $1 } END { printf "%d\n", n }'; }

@test "a driver of 570, whose functions, arguments and structs are others, gives the same; with BTF and without" {
	local t kind hook
	for t in 570 nobtf570; do
		"$O/test/cattrace" "$D/$t.gst" > "$BATS_TEST_TMPDIR/text"
		diff <(sed -n 's/^truth fault gpu=gpu[0-9]* \(addr=[^ ]* access=[^ ]*\) .*/\1/p' "$D/$t.truth" | sort | uniq -c | awk '{ print $2, $3, $1 }') \
			<(awk '/^uvm_fault / && !/ gpu=0 / { for (i = 1; i <= NF; i++) { split($i, v, "="); f[v[1]] = v[2] } n["addr=" f["addr"] " access=" f["access"]] += f["instances"] } END { for (k in n) print k, n[k] }' "$BATS_TEST_TMPDIR/text" | sort)
		diff <(sed -n 's/^truth fault gpu=cpu \(addr=[^ ]* access=[^ ]*\) .*/\1/p' "$D/$t.truth" | sort) \
			<(sed -n 's/^uvm_fault .* \(addr=[^ ]*\) .* gpu=0 .* \(access=[^ ]*\) .*/\1 \2/p' "$BATS_TEST_TMPDIR/text" | sort)
		[ "$(value_of uvm_fault pid | sort -u)" = "$(sed -n 's/^truth .* pid=\([0-9]*\)$/\1/p' "$D/$t.truth" | sort -u)" ]
		for kind in batch evict service migration; do
			[ "$(grep -c "^truth $kind " "$D/$t.truth")" -eq "$(grep -c "^uvm_$kind " "$BATS_TEST_TMPDIR/text")" ] || { echo "$t: $kind"; false; }
		done
		[ "$(sed -n 's/^truth migration .* bytes=\([0-9]*\) .*/\1/p' "$D/$t.truth" | total)" -eq "$(value_of uvm_migration bytes | total)" ]
		hook=fexit
		[ $t = 570 ] || hook=kretprobe
		grep -q "batches: $hook nvidia_uvm:uvm_parent_gpu_service_replayable_faults" "$D/$t.err"
	done
}
