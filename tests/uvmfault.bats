#!/usr/bin/env bats
# uvmfault: recordings of which every number is known, through its three views; and the real driver in a guest,
# against what tests/vm/exercise says happened (and the driver's own tools queue).

setup_file() { load helpers; }

setup() {
	load helpers
	tool="$BIN/uvmfault"
	gst="$BATS_TEST_TMPDIR/t.gst"
}

# make_trace [FILTER...]: $gst of the lines below, through a filter
make_trace() {
	"${@:-cat}" <<- 'END' | "$O/test/mktrace" -o "$gst"
	task pid=500 tid=500 ts=1 start_ns=1 comm=train
	task pid=600 tid=600 ts=1 start_ns=1 comm=serve
	uvm_gpu ts=2 gpu=1 pci_bus=0x40 uuid=8a2b0000000000000000000000000001 name="NVIDIA H100"
	uvm_gpu ts=2 gpu=9 pci_bus=0xc1 pci_device=3 uuid=8a2b0000000000000000000000000002 name="NVIDIA H100"
	uvm_batch ts=1000000000 dur_ns=100000 fetch_ns=5000 service_ns=80000 bytes=20480 gpu=1 batch=7 cached=5 coalesced=4 duplicates=2 blocks=2 replays=1
	uvm_fault pid=500 tid=9 ts=1000010000 addr=0x201000 service=11 range=0x200000 range_bytes=0x400000 gpu=1 batch=7 instances=2 access=write type=invalid_pte
	uvm_fault pid=500 tid=9 ts=1000011000 addr=0x201000 service=11 range=0x200000 range_bytes=0x400000 gpu=1 batch=7 instances=1 access=read type=invalid_pte flags=1
	uvm_fault pid=500 tid=9 ts=1000012000 addr=0x203000 service=11 range=0x200000 range_bytes=0x400000 gpu=1 batch=7 instances=1 access=read type=invalid_pte
	uvm_migration pid=500 tid=9 ts=1000013000 addr=0x201000 bytes=12288 service=11 range=0x200000 range_bytes=0x400000 src=0 dst=1 cause=replayable_fault
	uvm_migration pid=500 tid=9 ts=1000014000 addr=0x210000 bytes=4096 service=11 range=0x200000 range_bytes=0x400000 src=0 dst=1 cause=prefetch
	uvm_migration pid=600 tid=9 ts=1000015000 addr=0x901000 bytes=65536 service=11 range=0x900000 range_bytes=0x100000 src=1 dst=0 cause=eviction
	uvm_evict pid=600 tid=9 ts=1000014500 dur_ns=2000 addr=0x900000 bytes=65536 range=0x900000 range_bytes=0x100000 service=11 gpu=1
	uvm_service pid=500 tid=9 ts=1000009000 dur_ns=40000 id=11 addr=0x200000 bytes_in=16384 gpu=1 batch=7 faults=3 what=replayable
	uvm_fault pid=600 tid=9 ts=1000050000 addr=0x905000 gpu=1 batch=7 instances=1 access=read type=invalid_pde flags=4
	uvm_mark pid=500 tid=9 ts=1000060000 addr=0x201000 bytes=4096 range=0x200000 range_bytes=0x400000 processors=3 what=thrashing
	uvm_fault pid=600 tid=601 ts=1000200000 addr=0x902000 service=12 range=0x900000 range_bytes=0x100000 pc=0x401000 gpu=0 instances=1 access=write type=cpu
	uvm_migration pid=600 tid=601 ts=1000201000 addr=0x902000 bytes=4096 service=12 range=0x900000 range_bytes=0x100000 src=9 dst=0 cause=replayable_fault
	uvm_service pid=600 tid=601 ts=1000199000 dur_ns=9000 id=12 addr=0x902000 bytes_in=4096 gpu=0 faults=1 what=cpu
	uvm_fault pid=500 tid=9 ts=1000300000 addr=0x204000 service=13 range=0x200000 range_bytes=0x400000 gpu=9 instances=1 access=read type=invalid_pte flags=2
	uvm_service pid=500 tid=9 ts=1000299000 dur_ns=7000 id=13 addr=0x204000 gpu=9 faults=1 what=non_replayable
	END
}

# rows JQ: of the last output
rows() { jq -c "$1" <<< "$output"; }

@test "a fault has the batch's latency, its block's service time, its share of what moved" {
	requires jq
	make_trace
	run -0 unprivileged "$tool" -j -i - < "$gst"
	[ "$(rows 'select(.schema == "gpuscope.uvm.0") | [.ts, .pid, .comm, .gpu, .pci, .addr, .access, .type, .batch, .duplicate, .instances, .latency_ns, .service_ns, .bytes_in, .bytes_out, .range, .cause, .flags]' | sort)" = \
'[1000010000,500,"train",1,"0000:40:00.0","0x201000","write","invalid_pte",7,0,2,100000,40000,6144,0,"0x200000","replayable_fault",""]
[1000011000,500,"train",1,"0000:40:00.0","0x201000","read","invalid_pte",7,1,1,100000,40000,0,0,"0x200000","-",""]
[1000012000,500,"train",1,"0000:40:00.0","0x203000","read","invalid_pte",7,0,1,100000,40000,10240,0,"0x200000","replayable_fault",""]
[1000050000,600,"serve",1,"0000:40:00.0","0x905000","read","invalid_pde",7,0,1,100000,null,null,null,"0x0","-","fatal,incomplete"]
[1000200000,600,"serve",0,"cpu","0x902000","write","cpu",0,0,1,9000,9000,4096,0,"0x900000","replayable_fault",""]
[1000300000,500,"train",9,"0000:c1:03.0","0x204000","read","invalid_pte",0,0,1,7000,7000,0,0,"0x200000","-","non_replayable"]' ]
	[ "$(rows 'select(.schema == "gpuscope.end.0")')" = '{"schema":"gpuscope.end.0","records":6,"lost":0}' ]
}

@test "as a table; what is not known is a dash" {
	make_trace
	run -0 unprivileged "$tool" -i - < "$gst"
	[ "${lines[0]}" = "       TIME(s)     PID COMM            GPU OF                ADDRESS ACCESS   TYPE          BATCH DUP INST    LAT(us)   SERV(us)        IN       OUT   ALLOCATION CAUSE            FLAGS" ]
	grep -qxF "      1.000010     500 train             1 0000:40:00.0       201000 write    invalid_pte       7   0    2      100.0       40.0  6.00 KiB       0 B       200000 replayable_fault " <<< "$output"
	grep -qxF "      1.000050     600 serve             1 0000:40:00.0       905000 read     invalid_pde       7   0    1      100.0          -         -         -            0 -                fatal,incomplete" <<< "$output"
	[ "${#lines[@]}" -eq 7 ]
}

@test "the order of the records does not matter" {
	requires jq
	make_trace
	"$tool" -j -i "$gst" | sort > "$BATS_TEST_TMPDIR/one"
	for order in tac "sort -k 4" "sort -r" "shuf --random-source=$ROOT/Makefile"; do
		# shellcheck disable=SC2086	# the command is words
		make_trace $order
		"$tool" -j -i "$gst" | sort | diff - "$BATS_TEST_TMPDIR/one"
	done
}

@test "a fault whose service or batch is missing is told, and marked" {
	requires jq
	make_trace grep -v "^uvm_service.*id=11"
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.flags == "incomplete" and .pid == 500) | [.latency_ns, .service_ns, .bytes_in]' | sort -u)" = '[100000,null,null]' ]
	[ "$(rows 'select(.schema == "gpuscope.uvm.0") | 1' | wc -l)" -eq 6 ]
	make_trace grep -v "^uvm_batch"
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.batch == 7 and .pid == 500) | [.latency_ns, .service_ns, .flags]' | sort -u)" = '[null,40000,"incomplete"]' ]
	make_trace grep -v "^uvm_migration.*prefetch"
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.batch == 7 and .pid == 500) | [.latency_ns, .service_ns, .flags]' | sort -u)" = '[100000,40000,"incomplete"]' ]
	make_trace sed 's/replays=1/replays=0/'
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.batch == 7) | .flags' | sort -u)" = '"fatal,incomplete"
"incomplete"' ]
}

@test "batch numbers that come again when the driver is loaded anew are told apart" {
	requires jq
	make_trace sed -n 'p; /uvm_batch/ { s/ts=1/ts=5/; s/dur_ns=100000/dur_ns=300000/; p }
		/ service=11 / { s/ts=1/ts=5/; s/service=11/service=21/; p }; /id=11 / { s/ts=1/ts=5/; s/id=11/id=21/; p }'
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.batch == 7 and .pid == 500) | [.ts > 4000000000, .latency_ns]' | sort | uniq -c | tr -s ' ')" = \
' 3 [false,100000]
 3 [true,300000]' ]
	# and a batch that is missing is not taken for the one that had its number before
	make_trace sed -n 'p; / service=11 / { s/ts=1/ts=5/; s/service=11/service=21/; p }; /id=11 / { s/ts=1/ts=5/; s/id=11/id=21/; p }'
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.batch == 7 and .pid == 500) | [.ts > 4000000000, .latency_ns]' | sort | uniq -c | tr -s ' ')" = \
' 3 [false,100000]
 3 [true,null]' ]
}

@test "a batch number that comes again when its first one is about to be forgotten is a batch of today" {
	requires jq
	local first=1000000000 t
	for t in $((first + 19999999000)) $((first + 20000000100)) $((first + 20001000000)); do
		"$O/test/mktrace" > "$gst" <<- END
			uvm_batch ts=$first dur_ns=1000 gpu=1 batch=1 cached=1 blocks=1 replays=1
			uvm_fault ts=$((t + 20)) gpu_ns=$((t - 50)) gpu=1 batch=1 service=9 pid=5 tid=6 addr=0x1000 access=read
			uvm_service ts=$((t + 10)) dur_ns=800 gpu=1 batch=1 id=9 pid=5 addr=0x1000 faults=1 bytes_in=4096 what=replayable
			uvm_batch ts=$t dur_ns=1000 gpu=1 batch=1 cached=1 blocks=1 replays=1
			uvm_migration ts=$((t + 500)) pid=5 addr=0x1000 bytes=4096 service=9 src=0 dst=1
		END
		run -0 "$tool" -j -i "$gst"
		[ "$(rows 'select(.pid == 5) | [.latency_ns, .flags]' | head -n 1)" = '[1000,""]' ]
	done
}

@test "a fault of another slice of the board finds the board's batch" {
	requires jq
	make_trace sed 's/^\(uvm_fault.* gpu=\)1\( batch=7\)/\13\2/; s/^\(uvm_service.* gpu=\)1\( batch=7\)/\13\2/; s/dst=1/dst=3/'
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.gpu == 3) | [.latency_ns, .flags]' | sort | uniq -c | tr -s ' ')" = \
' 3 [100000,""]
 1 [100000,"fatal,incomplete"]' ]
}

@test "--gpu takes the driver's number, the PCI address and the UUID" {
	requires jq
	make_trace
	for gpu in 9 0000:c1:03.0 0000:c1:03 C1:03.0 GPU-8a2b0000-0000-0000-0000-000000000002 8A2B0000000000000000000000000002; do
		run -0 "$tool" -j -i "$gst" --gpu "$gpu"
		[ "$(rows 'select(.pid) | [.gpu, .addr]')" = '[9,"0x204000"]' ]
	done
	run -0 "$tool" -j -i "$gst" --gpu 2
	[ "$(rows .records)" = 0 ]
	for gpu in 0 -1 12345:6 0000:c1:20 0000:c1:03x cpu 8a2b "" 1x; do
		run -2 "$tool" -i "$gst" --gpu "$gpu"
		[ "${lines[0]}" = "uvmfault: cannot read --gpu '$gpu': give UVM's number (from 1), a PCI address or a UUID" ]
	done
}

@test "-p and -n select" {
	requires jq
	make_trace
	run -0 "$tool" -j -i "$gst" -p 500
	[ "$(rows 'select(.pid) | [.pid, .flags]' | sort | uniq -c | tr -s ' ')" = \
' 3 [500,""]
 1 [500,"non_replayable"]' ]
	run -0 "$tool" -j -i "$gst" -n 2
	[ "$(rows 'select(.pid) | .schema')" = '"gpuscope.uvm.0"
"gpuscope.uvm.0"' ]
}

@test "--top has each process and allocation once an interval, the busiest first" {
	requires jq
	make_trace
	run -0 "$tool" -j -i "$gst" --top -I 1s
	[ "$(rows 'select(.pid) | [.pid, .comm, .range, .range_bytes, .thrash, .p50_ns, .p99_ns, .error_ppm]')" = \
'[500,"train","0x200000",4194304,25,100000,100000,0]
[600,"serve","0x900000",1048576,0,9000,9000,0]
[600,"serve","0x0",0,0,100000,100000,0]' ]
	# rates: what they say over the time they say
	[ "$(rows 'select(.range == "0x200000") | [.faults_per_s, .to_gpu_per_s, .to_cpu_per_s, .evicted_per_s] | map(. * '"$(rows 'select(.range == "0x200000").interval_ns')"' / 1e9 + 0.5 | floor)')" = '[4,16384,0,0]' ]
	[ "$(rows 'select(.range == "0x900000") | [.faults_per_s, .to_gpu_per_s, .to_cpu_per_s, .evicted_per_s] | map(. * '"$(rows 'select(.range == "0x900000").interval_ns')"' / 1e9 + 0.5 | floor)')" = '[1,0,69632,65536]' ]
	run -0 "$tool" -i "$gst" --top --rows 1
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == *"ALLOCATION      SIZE  FAULTS/s  TO GPU/s  TO CPU/s   EVICT/s THRASH%   P50(us)   P99(us) +-ppm      OVER" ]]
	[[ "${lines[1]}" == *" train "* ]]
}

@test "--top of several intervals has a table for each that saw something" {
	requires jq
	make_trace sed -n 'p; / service=11 /H; /id=11 /H; /uvm_batch/H; $ { s/.*/flush/p; x; s/ts=1/ts=7/g; s/service=11/service=21/g; s/id=11 /id=21 /; p }'
	run -0 "$tool" -j -i "$gst" --top -I 1s
	[ "$(rows 'select(.range == "0x200000") | .pid' | wc -l)" -eq 2 ]
	run -0 "$tool" -i "$gst" --top -I 1s
	[ "$(grep -c ALLOCATION <<< "$output")" -eq 2 ]
}

@test "--hist counts batches by size, latencies and services by time" {
	requires jq
	make_trace
	run -0 "$tool" -j -i "$gst" --hist
	[ "$(rows 'select(.count) | [(.schema | split(".")[1]), .pid, .gpu, .from, .to, .count]')" = \
'["uvm_hist_batch",0,1,4,8,1]
["uvm_hist_latency",600,0,8192,16384,1]
["uvm_hist_latency",500,1,65536,131072,3]
["uvm_hist_latency",600,1,65536,131072,1]
["uvm_hist_latency",500,9,4096,8192,1]
["uvm_hist_service",600,0,8192,16384,1]
["uvm_hist_service",500,1,32768,65536,1]
["uvm_hist_service",500,9,4096,8192,1]' ]
	run -0 "$tool" -i "$gst" --hist
	[[ "${lines[0]}" == *"BATCH        BELOW     COUNT SHARE"* ]]
	[[ "${lines[1]}" == *"4            8         1 ########################################" ]]
}

@test "each view is valid JSON to the last line, whatever the names hold" {
	requires python3
	make_trace sed 's/comm=train/comm="\\xff\\n\\"\\x1b[2J"/'
	for view in "" --top --hist; do
		# shellcheck disable=SC2086	# no view is no word
		"$tool" -j -i "$gst" $view | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'
	done
}

@test "a recording cut anywhere is shown as far as it goes, in each view" {
	make_trace sed 'a flush'
	size="$(stat -c %s "$gst")"
	for ((n = 64; n < size; n += size / 23)); do
		for view in "" --top --hist; do
			# shellcheck disable=SC2086	# no view is no word
			run "$tool" -j $view -i - < <(head -c "$n" "$gst")
			[ "$status" -le 1 ]
			[ "$status" -eq 0 ] || [[ "$output" == *" at byte "* ]] || [[ "$output" == *"no trace"* ]] || { echo "$n: $output"; false; }
		done
	done
}

@test "what waits is bounded: a million faults whose services never come" {
	requires jq python3
	python3 -c 'for i in range(600000): print(f"uvm_fault pid=1 tid=1 ts={10**9 + i} addr={i * 4096} service={i + 1} gpu=1 batch=1 instances=1 access=read type=invalid_pte")' |
		"$O/test/mktrace" -o "$gst"
	run -0 bash -c "ulimit -v 400000; '$tool' -j -i '$gst' | grep -c incomplete"
	[ "$output" -eq 600000 ]
}

@test "without the driver it says what to do" {
	requires bpf
	[ ! -e /sys/module/nvidia_uvm ] || skip "nvidia_uvm is loaded"
	run -1 "$tool" -d 100ms
	[ "$output" = "uvmfault: cannot attach the probes \"uvm\": nvidia_uvm is not loaded (modprobe nvidia-uvm, or --wait)" ]
	"$tool" --wait 2> "$BATS_TEST_TMPDIR/err" 3>&- &
	until_true grep -q nvidia_uvm "$BATS_TEST_TMPDIR/err"
	kill -INT $!
	wait $!
	[ "$(wc -l < "$BATS_TEST_TMPDIR/err")" -eq 1 ]
}

@test "a service of a number that was there before is another: none is freed twice, none takes the other's faults" {
	requires jq
	for i in 1 2 3; do
		echo "uvm_service ts=${i}100 dur_ns=${i}0 gpu=1 batch=$i id=7 pid=1$i addr=0x${i}000 faults=1 what=replayable"
		echo "uvm_fault ts=${i}110 gpu=1 batch=$i service=7 pid=1$i addr=0x${i}000 access=read"
	done | "$O/test/mktrace" > "$gst"
	run -0 "$tool" -j -i "$gst"
	[ "$(rows 'select(.pid) | [.pid, .addr, .service_ns]' | paste -sd' ')" = '[11,"0x1000",10] [12,"0x2000",20] [13,"0x3000",30]' ]
}

@test "histograms that find no room are said" {
	seq 4100 | sed 's/.*/uvm_service ts=&000 dur_ns=10 gpu=1 id=& pid=& what=replayable/' | "$O/test/mktrace" > "$gst"
	run -0 --separate-stderr "$tool" --hist -i "$gst"
	[ "$stderr" = "uvmfault: 4 events of more than 4096 processes and GPUs are in no histogram" ]
}
