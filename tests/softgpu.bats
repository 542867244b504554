#!/usr/bin/env bats
# The software GPUs below the real nvidia-uvm.ko, and the exerciser: what it says is what the driver says. All steps
# run in one guest; each section of its output is judged by itself.

setup_file() {
	load helpers
	able vm driver || return 0
	cat > "$BATS_FILE_TMPDIR/script" << '-'
section() { echo "== $1"; }
oracle=tests/vm/exercise/oracle
export FAKEGPU=count=2 FAKERM='count=2 xids=1'
load soft uvm_perf_access_counter_mimc_migration_enable=1 || exit 1
section kinds
exercise -q -s 'alloc a 8m; fill a 8m 0x11; gpu 0 read a 300; gpu 0 write a+4m 16 64k spread; gpu 1 atomic a+2m 9
	gpu 1 prefetch a+3m 7; gpu 0 read a 8 dup=4; gpu 0 write a 8 mix=3 spread; gpu 0 read a+1m 8 chan=2 mix=2
	gpu 0 write a 600 run; gpu 1 write a 5 nonreplayable'
section peers
exercise -q 'alloc a 4m; fill a 4m 0x11; gfill 0 a 64k 0x22; gcheck 1 a 64k 0x22; where a; migrate a+2m 2m gpu1
	migrate a+2m 2m gpu0; check a+2m 2m 0x11; prefer a 2m gpu0; access 0 write a 64k; accessed a 2m gpu1 on; where a
	gfill 1 a 64k 0x33; check a 64k 0x33'
section counters
exercise -q 'alloc a 8m; fill a 8m 0x11; accessed a 8m gpu0 on; where a+4m; notify 0 a+4m 8; where a+4m; gcheck 0 a+4m 64k 0x11'
section batch
exercise -q -p 2 'alloc a 4m; gpu 0 write a 100 gather=2 spread; @2 gpu 1 read a+1m 64'
section evict
exercise -q 'alloc a 80m; fill a 80m 0x12; access 0 write a 80m; check a 80m 0x12'
section duplicated
exercise -q 'alloc a 4m; fill a 4m 0x12; readdup a 4m on; access 0 read a 64k; where a; cpu write a 1; where a'
section thrash
exercise -q 'alloc a 4m; thrash 0 a 8'
section fatal
exercise -q 'alloc a 4m; fatal 0 write; fatal 1 read nonreplayable; xid 0 79 GPU has fallen off the bus.'
echo '1 119 0 - Timeout after 6s of waiting for RPC response' > /sys/module/fakerm/parameters/xid
dmesg -t | grep Xid
section oracle
$oracle start service_fault_batch
exercise -q -T 'alloc a 8m; gpu 0 write a 100; gpu 0 write a+1m 600'
$oracle stop
$oracle print
echo nop > /sys/kernel/tracing/current_tracer
section storm
exercise -q -s -p 2 'alloc a 8m; storm a 7 12'
section unload
exec 5<> /dev/nvidia-uvm
rmmod nvidia_uvm 2> /dev/null && echo gone
exec 5<&-
for i in 1 2; do
	unload && load soft && exercise -q 'alloc a 4m; gfill 1 a 64k 1; gcheck 0 a 64k 1' | grep -c 'ok=1'
done
unload && echo unloaded
lsmod | grep -c -e nvidia -e fakerm
dmesg -t | grep -e 'cut here' -e 'BUG:' -e 'fakerm: the driver'
section end
-
	vm "$CELL" "$(cat "$BATS_FILE_TMPDIR/script")" > "$BATS_FILE_TMPDIR/out" 2> "$BATS_FILE_TMPDIR/err" ||
		{ tail -n 5 "$BATS_FILE_TMPDIR/out" "$BATS_FILE_TMPDIR/err"; false; }
}

setup() {
	load helpers
	requires vm driver
}

# section NAME: its lines
section() { awk -v s="$1" '/^== / { on = $2 == s; next } on' "$BATS_FILE_TMPDIR/out"; }

# sum KEY WORD...: of the values of KEY in the lines that have all the words
sum() {
	local key="$1"
	shift
	awk -v key="$key" -v words="$*" '{
		n = split(words, want, " ")
		for (i = 1; i <= n; i++)
			if (index(" " $0 " ", " " want[i] " ") == 0)
				next
		for (i = 1; i <= NF; i++)
			if (index($i, key "=") == 1)
				total += substr($i, length(key) + 2)
	}
	END { printf "%d\n", total }'
}

@test "each fault of each kind is in the driver's events and statistics, by step and access, and no other" {
	section kinds > "$BATS_TEST_TMPDIR/t"
	for step in 3 4 5 6 7 8 9 10 11; do
		n="$(sum n 'truth faults' "step=$step" < "$BATS_TEST_TMPDIR/t")"
		[ "$n" -gt 0 ]
		[ "$(sum n 'truth tools kind=gpu_fault' "step=$step" < "$BATS_TEST_TMPDIR/t")" = "$n" ]
		[ "$(($(sum faults 'truth stats' "step=$step" < "$BATS_TEST_TMPDIR/t") +
			$(sum nonreplayable 'truth stats' "step=$step" < "$BATS_TEST_TMPDIR/t")))" = "$n" ]
	done
	[ "$(sum n 'truth faults' < "$BATS_TEST_TMPDIR/t")" = 1009 ]
	for access in read write atomic prefetch; do
		[ "$(sum n 'truth tools kind=gpu_fault' "cause=$access" < "$BATS_TEST_TMPDIR/t")" = \
			"$(sum n 'truth faults' "access=$access" < "$BATS_TEST_TMPDIR/t")" ]
	done
}

@test "pages move between two GPUs, one maps the other's memory, and the data stay right" {
	section peers > "$BATS_TEST_TMPDIR/t"
	[ "$(sum bytes 'kind=migration src=gpu0 dst=gpu1 cause=coherence' < "$BATS_TEST_TMPDIR/t")" = 65536 ]
	[ "$(sum bytes 'kind=migration src=gpu1 dst=gpu0 cause=user' < "$BATS_TEST_TMPDIR/t")" = 2097152 ]
	[ "$(sum bytes 'kind=map_remote src=gpu1 dst=gpu0' < "$BATS_TEST_TMPDIR/t")" -gt 0 ]
	grep -q 'resident=gpu0 mapped=gpu0,gpu1' "$BATS_TEST_TMPDIR/t"
	[ "$(sum ok 'truth check' < "$BATS_TEST_TMPDIR/t")" = 3 ]
}

@test "access counter notifications make the driver migrate" {
	section counters > "$BATS_TEST_TMPDIR/t"
	[ "$(sum n 'truth notify' < "$BATS_TEST_TMPDIR/t")" = 8 ]
	[ "$(sum n 'kind=access_counter' < "$BATS_TEST_TMPDIR/t")" = 8 ]
	[ "$(sum bytes 'kind=migration dst=gpu0 cause=access_counters' < "$BATS_TEST_TMPDIR/t")" -gt 0 ]
	[ "$(grep -c 'truth where .*resident=cpu ' "$BATS_TEST_TMPDIR/t")" = 1 ]
	[ "$(grep -c 'truth where .*resident=gpu0 ' "$BATS_TEST_TMPDIR/t")" = 1 ]
}

@test "faults of two processes go into one batch and each is its own process's" {
	section batch > "$BATS_TEST_TMPDIR/t"
	# shellcheck disable=SC2013	# one word a line
	for pid in $(grep 'truth process' "$BATS_TEST_TMPDIR/t" | grep -o 'pid=.*'); do
		[ "$(sum n 'truth tools kind=gpu_fault src=gpu0' "$pid" < "$BATS_TEST_TMPDIR/t")" = 100 ]
		[ "$(sum n 'truth tools kind=replay src=gpu0 step=2' "$pid" < "$BATS_TEST_TMPDIR/t")" = 1 ]
		[ "$(sum n 'truth tools kind=gpu_fault src=gpu1' "$pid" < "$BATS_TEST_TMPDIR/t")" = \
			"$(sum n 'truth faults gpu=gpu1' "$pid" < "$BATS_TEST_TMPDIR/t")" ]
	done
	[ "$(sum n 'truth faults' < "$BATS_TEST_TMPDIR/t")" = 264 ]
}

@test "more memory than the GPU has is evicted and comes back right" {
	section evict > "$BATS_TEST_TMPDIR/t"
	evicted="$(sum bytes 'kind=migration src=gpu0 dst=cpu cause=eviction' < "$BATS_TEST_TMPDIR/t")"
	[ "$evicted" -ge $((16 << 20)) ]
	[ "$(sum bytes 'kind=migration src=cpu dst=gpu0' < "$BATS_TEST_TMPDIR/t")" = $((80 << 20)) ]
	[ "$(sum bytes 'kind=migration src=gpu0 dst=cpu' < "$BATS_TEST_TMPDIR/t")" = $((80 << 20)) ]
	[ "$(sum ok 'truth check' < "$BATS_TEST_TMPDIR/t")" = 1 ]
}

@test "a page is duplicated for reading, and a write ends that" {
	section duplicated > "$BATS_TEST_TMPDIR/t"
	[ "$(sum bytes 'kind=read_dup' < "$BATS_TEST_TMPDIR/t")" = 65536 ]
	[ "$(sum n 'kind=read_dup_over' < "$BATS_TEST_TMPDIR/t")" = 1 ]
	grep -q 'resident=cpu,gpu0 mapped=cpu,gpu0' "$BATS_TEST_TMPDIR/t"
	tail -n 3 "$BATS_TEST_TMPDIR/t" | grep -q 'resident=cpu mapped=cpu'
}

@test "the GPU and the CPU take a page in turn" {
	section thrash > "$BATS_TEST_TMPDIR/t"
	[ "$(sum n 'kind=gpu_fault cause=write' < "$BATS_TEST_TMPDIR/t")" = 8 ]
	[ "$(sum n 'kind=cpu_fault cause=write' < "$BATS_TEST_TMPDIR/t")" -gt 0 ]
	[ "$(sum n 'kind=migration src=gpu0 dst=cpu cause=coherence' < "$BATS_TEST_TMPDIR/t")" -gt 0 ]
}

@test "a fault where nothing is comes twice, is cancelled, and says Xid 31 with its process" {
	section fatal > "$BATS_TEST_TMPDIR/t"
	grep -qE 'truth faults gpu=gpu0 .*n=1 replayable=1 groups=1 refaults=1 .*cancels=1 ' "$BATS_TEST_TMPDIR/t"
	grep -qE 'truth faults gpu=gpu1 .*n=1 replayable=0 .*stopped=1 ' "$BATS_TEST_TMPDIR/t"
	[ "$(sum n 'kind=fatal src=gpu0' < "$BATS_TEST_TMPDIR/t")" = 1 ]
	[ "$(sum n 'kind=fatal src=gpu1' < "$BATS_TEST_TMPDIR/t")" = 1 ]
	[ "$(sum n 'kind=gpu_fault src=gpu0' < "$BATS_TEST_TMPDIR/t")" = 2 ]
	pid="$(grep 'truth process' "$BATS_TEST_TMPDIR/t" | grep -o 'pid=.*')"
	grep -q "^NVRM: Xid (PCI:0000:40:00): 31, $pid, name=exercise, .*VIRT_WRITE (simulated by fakerm)" "$BATS_TEST_TMPDIR/t"
	grep -q "^NVRM: Xid (PCI:0000:41:00): 31, $pid, name=exercise, .*CE0.*VIRT_READ" "$BATS_TEST_TMPDIR/t"
	grep -q "^NVRM: Xid (PCI:0000:40:00): 79, $pid, name=exercise, GPU has fallen off the bus. (sim" "$BATS_TEST_TMPDIR/t"
	grep -q '^NVRM: Xid (PCI:0000:41:00): 119, Timeout after 6s' "$BATS_TEST_TMPDIR/t"
}

@test "the oracle has each batch once, within the time of the injection that made it" {
	section oracle > "$BATS_TEST_TMPDIR/t"
	[ "$(sum groups 'truth faults' < "$BATS_TEST_TMPDIR/t")" = 4 ]
	[ "$(grep -c '^oracle service_fault_batch ' "$BATS_TEST_TMPDIR/t")" = 4 ]
	awk -v OFS= 'function value(key,   i) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2) }
		/^truth faults/ { begin[n] = value("begin_ns"); end[n++] = value("end_ns") }
		/^oracle/ { ok = 0; b = value("begin_ns"); d = value("dur_ns")
			for (i = 0; i < n; i++) ok = ok || (b + 1000 >= begin[i] && b + d <= end[i] && d > 0)
			if (!ok) { print "outside: ", $0; bad = 1 } }
		END { exit bad }' "$BATS_TEST_TMPDIR/t"
}

@test "a storm of two processes with one seed is the driver's count too" {
	section storm > "$BATS_TEST_TMPDIR/t"
	# shellcheck disable=SC2013	# one word a line
	for pid in $(grep 'truth process' "$BATS_TEST_TMPDIR/t" | grep -o 'pid=.*'); do
		n="$(sum faults 'truth storm' "$pid" < "$BATS_TEST_TMPDIR/t")"
		[ "$n" -gt 50 ]
		[ "$(sum n 'truth tools kind=gpu_fault' "$pid" < "$BATS_TEST_TMPDIR/t")" = "$n" ]
	done
	[ "$(sum faults 'truth stats step=2' < "$BATS_TEST_TMPDIR/t")" = "$(sum faults 'truth storm' < "$BATS_TEST_TMPDIR/t")" ]
}

@test "the modules stay while a process has them open, and go and come without a trace" {
	diff <(section unload) - << -
1
1
unloaded
0
-
}
