#!/usr/bin/env bats
# gpureport's unified memory, driver calls, errors and findings: traces by hand; each rule speaks and is silent.

setup() {
	load helpers
	requires jq
	T="$BATS_TEST_TMPDIR"
}

# report: the JSON of the lines of stdin, in $T/json
report() { "$O/test/mktrace" > "$T/t.gst" && "$BIN/gpureport" -j "$T/t.gst" > "$T/json"; }
# is JQ VALUE: one value of it
is() {
	local got
	got="$(jq -c "$1" "$T/json")"
	[ "$got" = "$2" ] || { echo "$1 is $got, not $2"; return 1; }
}
# found RULE...: these rules have findings, no others
found() {
	local got
	got="$(jq -r '[.findings[].rule] | unique | join(" ")' "$T/json")"
	[ "$got" = "$*" ] || { echo "found: $got, not: $*"; jq -c '.findings[]' "$T/json"; return 1; }
}
proof() { is ".findings[] | select(.rule == \"$1\") | .evidence | [$2]" "$3"; }

# app [MANAGED-BYTES]: a process on one GPU with one managed allocation at 0x1000000, whose kernel runs for a second
app() {
	cat <<-END
	name producer=1 id=1 what=api text=cudaMallocManaged
	name producer=1 id=2 what=kernel text=_Z4workPf
	name producer=1 id=4 what=api text=cudaDeviceSynchronize
	device producer=1 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f pci_bus=0x10 name=A mem_bytes=0x4000000
	uvm_gpu gpu=1 uuid=000102030405060708090a0b0c0d0e0f pci_bus=0x10
	task ts=1 pid=10 tid=10 start_ns=1 process=1 comm=app
	map id=1 text=/usr/bin/app
	symbol frame=0x1000000001000 text=_Z6make_av
	stack id=0x55 user_frames=1 frames=0x1000000001000
	api_stack ts=1000 pid=10 tid=11 process=1 correlation=1 stack=0x55
	alloc ts=1100 producer=1 pid=10 tid=11 addr=0x1000000 bytes=${1:-0x1000000} correlation=1 kind=managed
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=1 name=1 class=alloc
	kernel ts=2000 producer=1 pid=10 dur_ns=1000000000 name=2
	END
}

# storm SERVICES NS [CAUSE [STEP]]: a batch, a service of that length, 4 faults and a migration of 2 MiB each, STEP MiB apart
storm() {
	awk -v n="$1" -v ns="$2" -v cause="${3:-prefetch}" -v step="${4:-2}" 'BEGIN { for (i = 0; i < n; i++) {
		t = 10000 + i * (ns + 10000); a = 16777216 + (i * step * 1048576) % 16777216
		printf "uvm_batch ts=%d dur_ns=%d gpu=1 batch=%d cached=4 coalesced=4 blocks=1\n", t, ns + 200, i + 1
		printf "uvm_service ts=%d dur_ns=%d gpu=1 batch=%d id=%d pid=10 addr=%d bytes_in=2097152 faults=4 what=replayable\n", t + 100, ns, i + 1, i + 1, a
		for (k = 0; k < 4; k++) printf "uvm_fault ts=%d gpu=1 batch=%d service=%d pid=10 addr=%d access=read\n", t + 110 + k, i + 1, i + 1, a + k * 65536
		printf "uvm_migration ts=%d pid=10 service=%d src=0 dst=1 addr=%d bytes=2097152 cause=%s\n", t + 120, i + 1, a, cause } }'
}

# swap TIMES [CAUSE]: one block goes to the GPU and back TIMES times
swap() {
	awk -v n="$1" -v cause="${2:-replayable_fault}" 'BEGIN { for (i = 0; i < n; i++) {
		printf "uvm_migration ts=%d pid=10 src=0 dst=1 addr=0x1000000 bytes=65536 cause=%s\n", 10000 + i * 2000, cause
		printf "uvm_migration ts=%d pid=10 src=1 dst=0 addr=0x1000000 bytes=65536 cause=%s\n", 11000 + i * 2000, cause } }'
}

@test "the sums of unified memory: by allocation, by GPU, by kernel, by cause" {
	{
		app
		cat <<-END
		uvm_batch ts=10000 dur_ns=5000 fetch_ns=500 service_ns=4000 gpu=1 batch=1 cached=9 coalesced=6 duplicates=4 replays=1 bytes=70000
		uvm_service ts=10600 dur_ns=1000 gpu=1 batch=1 id=1 pid=10 addr=0x1000000 bytes_in=65536 faults=3 what=replayable
		uvm_service ts=12000 dur_ns=3000 gpu=1 batch=1 id=2 pid=10 addr=0x1200000 bytes_in=4096 faults=1 what=replayable
		uvm_fault ts=10700 gpu=1 batch=1 service=1 pid=10 addr=0x1000000 access=read instances=3
		uvm_fault ts=10701 gpu=1 batch=1 service=1 pid=10 addr=0x1001000 access=write
		uvm_fault ts=10702 gpu=1 batch=1 service=1 pid=10 addr=0x1002000 access=atomic flags=1
		uvm_fault ts=12100 gpu=1 batch=1 service=2 pid=10 addr=0x1200000 access=read
		uvm_migration ts=10800 pid=10 service=1 src=0 dst=1 addr=0x1000000 bytes=61440 cause=prefetch
		uvm_migration ts=10810 pid=10 service=1 src=0 dst=1 addr=0x1000000 bytes=4096 cause=replayable_fault
		uvm_migration ts=12200 pid=10 service=2 src=0 dst=1 addr=0x1200000 bytes=4096 cause=replayable_fault
		uvm_service ts=20000 dur_ns=700 pid=10 tid=11 gpu=0 id=3 addr=0x1000000 bytes_in=4096 faults=1 what=cpu
		uvm_fault ts=20100 pid=10 tid=11 gpu=0 service=3 type=cpu access=write addr=0x1000000
		uvm_migration ts=20200 pid=10 tid=11 service=3 src=1 dst=0 addr=0x1000000 bytes=4096 cause=replayable_fault
		uvm_evict ts=30000 dur_ns=900 pid=10 gpu=1 addr=0x1200000 bytes=4096
		uvm_migration ts=30100 pid=10 src=1 dst=0 addr=0x1200000 bytes=4096 cause=eviction
		uvm_mark ts=40000 pid=10 addr=0x1000000 what=thrashing
		uvm_mark ts=40001 pid=10 addr=0x1000000 what=map_remote processor=1
		uvm_fault ts=41000 gpu=1 pid=10 addr=0x9000000 range=0x8000000 range_bytes=0x2000000
		uvm_fault ts=42000 gpu=1 pid=99 addr=0x9000000
		END
	} | report
	is '[.uvm | .gpu_faults, .cpu_faults, .instances, .duplicates, .fatal]' '[6,1,2,1,0]'
	is '[.uvm.by_allocation[] | [.pid, .name, .link, .gpu_faults, .cpu_faults]]' \
		'[[10,"make_a() cudaMallocManaged","exact",4,1],[10,"0x8000000 (as the driver knows it)","range",1,0],[99,"(in no allocation that is known)","none",1,0]]'
	is '.uvm.by_allocation[0] | [.gpu_faults_by_access.read, .gpu_faults_by_access.write, .gpu_faults_by_access.atomic, .cpu_faults_by_access.write]' '[2,1,1,1]'
	is '.uvm.by_allocation[0] | [.bytes, .batches, .to_gpu_bytes, .to_cpu_bytes, .evictions, .evicted_bytes]' '[16777216,1,69632,8192,1,4096]'
	is '.uvm.by_allocation[0].migrated_bytes' '{"to_gpu":{"replayable_fault":8192,"prefetch":61440},"to_cpu":{"replayable_fault":4096,"eviction":4096},"gpu_to_gpu":{}}'
	is '.uvm.by_allocation[0].gpu_service' '{"count":2,"total_ns":4000,"p50_ns":1000,"p99_ns":3000,"max_ns":3000}'
	is '.uvm.by_allocation[0].cpu_service | [.count, .total_ns]' '[1,700]'
	is '.uvm.by_allocation[0].marks | [.thrashing, .map_remote, .revocation]' '[1,1,0]'
	is '.uvm.by_gpu[0] | [.name, .batches.count, .batches.total_ns, .fetch_ns, .service_ns, .fetched, .needless, .replays, .in_bytes, .out_bytes, .evict_ns]' \
		'["GPU 0",1,5000,500,4000,9,4,1,69632,8192,900]'
	is '.uvm.by_kernel' '[{"name":"work(float*)","stalled_ns":5000,"batches_exact":1,"batches_overlap":0,"faults_exact":4,"faults_overlap":0,"bytes_exact":69632,"bytes_overlap":0}]'
	is '.uvm.links.uvm_fault | [.events, .process_exact, .memory_exact, .memory_range, .memory_none, .kernel_exact]' '[7,7,5,1,1,5]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	for text in "unified memory: 6 faults of GPUs, 1 of CPUs" "make_a() cudaMallocManaged" "(as the driver knows it)" \
		"kernels that ran while faults of their GPU were served" "why unified memory was moved" "71.4% to a traced allocation" \
		"100.0% to the one kernel that ran"; do
		[[ "$output" == *"$text"* ]] || { echo "nowhere: $text"; echo "$output"; false; }
	done
}

@test "driver calls by process and call, and the errors of GPUs with the calls before them" {
	{
		app
		cat <<-END
		driver ts=5000 pid=10 tid=11 dur_ns=500 cmd=0xc020462a rm=0x20800a01 escape=42 op=ioctl device=0x0c300ff
		driver ts=6000 pid=10 tid=11 dur_ns=300 cmd=0xc020462a rm=0x20800a01 escape=42 op=ioctl device=0x0c300ff status=0x1f
		driver ts=7000 pid=10 tid=11 dur_ns=100 cmd=0xc020462a rm=0x20800a02 escape=42 op=ioctl device=0x0c300ff
		driver ts=8000 pid=10 tid=11 dur_ns=50 op=open device=0x0c300ff
		xid ts=50000 pid=10 id=7 code=31 pci_bus=0x10 comm=app text="MMU Fault: ENGINE GRAPHICS"
		xid_call ts=49000 pid=10 xid=7 what=cuda op=2 rm=206 age=0
		xid_call ts=48000 pid=10 xid=7 what=driver op=2 cmd=0xc020462a rm=0x20800a01 age=1
		xid ts=60000 pid=10 id=8 code=31 pci_bus=0x10 comm=app text="MMU Fault: ENGINE GRAPHICS"
		xid ts=70000 id=9 code=79 pci_bus=0x11 text="GPU has fallen off the bus."
		name producer=1 id=4318 what=api text=cudaMallocManaged
		END
	} | report
	is '[.driver_calls[] | [.pid, .rm, .time.count, .time.total_ns, .failed]]' '[[10,"0x20800a01",2,800,1],[10,"0x20800a02",1,100,0],[10,"0x0",1,50,0]]'
	is '.host.all | [.ioctls, .ioctl_ns]' '[3,900]'
	is '[.xids[] | [.code, .pid, .device, (.last_calls | length)]]' '[[31,10,0,2],[31,10,0,0],[79,0,null,0]]'
	is '.xids[0].text' '"MMU Fault: ENGINE GRAPHICS"'
	found xid
	is '[.findings[] | [.evidence.code, .evidence.times, .evidence.calls_known_before_it]]' '[[31,2,2],[79,1,0]]'
}

@test "every rule is in the manual, with each of its thresholds" {
	rules="$(sed -nE 's/^\t\{ "([a-z_]+)", [a-z_]+_look,.*/\1/p' "$ROOT"/user/model/finding*.c)"
	[ "$(wc -w <<< "$rules")" -ge 12 ]
	for rule in $rules; do
		sed '/^\.SH FINDINGS/,/^\.SH JSON/!d' "$ROOT/tools/gpureport.8" | grep -qxF ".B $rule" || { echo "gpureport.8: no $rule"; false; }
	done
	# a threshold of finding_parts.h that changes must change in the manual too
	[ "$(sed -n 's/^#define [A-Z_]* *\([0-9][0-9]*\).*/\1/p' "$ROOT/user/model/finding_parts.h" | tr '\n' ' ')" = \
		"4 25 10 8 50 50 10 1 256 50 10 30 10 10 20 8 50 5 5 50 100 1000 10 " ]
}

@test "no finding without evidence, and none about an ordinary program" {
	{ app; storm 1 1000; } | report
	found
	{ app; storm 8 2000000; storm 30 1000; } | report
	is '[.findings[] | select((.evidence | length) == 0 or (.about | length) == 0 or (.text | length) == 0 or (.try | length) == 0)] | length' 0
	is '[.. | numbers | select(. != floor)] | length' 0
}

@test "prefetch_missing: most of an allocation comes by faults in sequence, in a good part of the time" {
	{ app; storm 8 2000000; } | report
	found prefetch_missing
	proof prefetch_missing '.gpu_faults, .batches, .to_gpu_bytes, .allocated_bytes, .service_ns' '[32,8,16777216,16777216,16000000]'
	is '.findings[0].about' '"make_a() cudaMallocManaged of app (10)"'
	{ app; storm 7 2000000; } | report			# too few
	found
	{ app; storm 8 1000; } | report				# in no time
	found
	{ app 0x4000000; storm 8 2000000; } | report		# of a quarter
	found
	{ app; storm 8 2000000 api_migrate; } | report		# the program asked for it
	found
	{ app; storm 8 2000000 prefetch 10; } | report		# here and there
	found prefetch_missing
	{ app; storm 8 2000000 prefetch 10 | awk '!/^uvm_fault/ || !seen[$4]++'; } | report
	found
}

@test "ping_pong: faults move the same blocks to and fro" {
	{ app; swap 3; } | report
	found ping_pong
	proof ping_pong '.blocks, .changes, .share_of_moved_pct, .to_gpu_bytes, .to_cpu_bytes' '[1,5,100,196608,196608]'
	{ app; swap 2; } | report				# there and back and there
	found
	{ app; swap 9 api_migrate; } | report			# the program asked for it
	found
	{ app; swap 3; storm 8 1000; } | report			# a small part: 14%
	found
}

@test "eviction_pressure: what was moved in had to leave again" {
	evictions() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
		printf "uvm_evict ts=%d dur_ns=1000 pid=10 gpu=1 addr=%d bytes=1048576\n", 500000 + i * 2000, 16777216 + i * 2097152
		printf "uvm_migration ts=%d pid=10 src=1 dst=0 addr=%d bytes=1048576 cause=eviction\n", 500001 + i * 2000, 16777216 + i * 2097152
		printf "uvm_migration ts=%d pid=10 src=0 dst=1 addr=%d bytes=1000 cause=replayable_fault\n", 600000 + i * 2000, 16777216 + i * 2097152 } }'; }
	{ app; storm 8 1000; evictions 2; } | report
	found eviction_pressure
	proof eviction_pressure '.evictions, .evicted_bytes, .moved_in_bytes, .back_again_bytes, .eviction_ns, .managed_bytes, .video_memory_bytes' \
		'[2,2097152,16779216,2000,2000,16777216,67108864]'
	{ app; storm 8 1000; evictions 1; } | report		# 6%
	found
}

@test "duplicate_faults: half of what was fetched was needless" {
	{ app; echo "uvm_batch ts=5000 dur_ns=900 gpu=1 batch=1 cached=300 coalesced=200 duplicates=150"; } | report
	found duplicate_faults
	proof duplicate_faults '.fetched, .needless, .batches' '[300,150,1]'
	{ app; echo "uvm_batch ts=5000 dur_ns=900 gpu=1 batch=1 cached=300 coalesced=200 duplicates=149"; } | report
	found
	{ app; echo "uvm_batch ts=5000 dur_ns=900 gpu=1 batch=1 cached=250 coalesced=20 duplicates=230"; } | report
	found
}

@test "cpu_faults: a thread takes back what the GPU has, for a tenth of its time" {
	back() { cat <<-END
		uvm_service ts=5000 dur_ns=$1 pid=10 tid=11 gpu=0 id=3 addr=0x1000000 bytes_in=$2 faults=1 what=cpu
		uvm_fault ts=5100 pid=10 tid=11 gpu=0 service=3 type=cpu access=write addr=0x1000000
		api ts=100900 producer=1 pid=10 tid=11 dur_ns=100 correlation=5 name=4 class=sync
		END
	}
	{ app; back 10001 4096; } | report
	found cpu_faults
	proof cpu_faults '.cpu_faults, .service_ns, .wall_ns, .to_cpu_bytes' '[1,10001,100000,4096]'
	{ app; back 9000 4096; } | report
	found
	{ app; back 10001 0; } | report				# populated, not taken back
	found
	{ app; back 9000 4096
		echo "uvm_service ts=20000 dur_ns=5000 pid=10 tid=11 gpu=0 id=4 addr=0x1001000 what=cpu"; } | report
	found
}

@test "fatal_fault: an address that nobody can serve" {
	{ app; echo "uvm_fault ts=5000 gpu=1 pid=10 addr=0x1000000 flags=4"; } | report
	found fatal_fault
	{ app; echo "uvm_mark ts=5000 pid=10 addr=0x5 what=fatal_fault"; } | report
	found fatal_fault
	{ app; echo "uvm_fault ts=5000 gpu=1 pid=10 addr=0x1000000"; } | report
	found
}

@test "driver_bound: a third of a thread's time in the driver" {
	calls() { seq "$1" | awk -v ns="$2" '{ printf "driver ts=%d pid=10 tid=11 dur_ns=%d op=ioctl cmd=0xc020462a rm=0x201 escape=42\n", $1 * 10000, ns }'; }
	{ app; calls 10 4000; } | report
	found driver_bound
	proof driver_bound '.driver_ns, .wall_ns, .driver_calls' '[40000,103000,10]'
	{ app; calls 10 2900; } | report
	found
	{ app; calls 9 4000; } | report
	found
}

# launches N KERNEL-NS EVERY-NS LAUNCH-NS [NAMES]
launches() {
	seq "$1" | awk -v k="$2" -v every="$3" -v l="$4" -v names="${5:-1}" '
		$1 <= names { printf "name producer=1 id=%d what=kernel text=k%d\n", 100 + $1, $1 }
		{ t = 2000000000 + $1 * every
		printf "api ts=%d producer=1 pid=10 tid=11 dur_ns=%d correlation=%d name=1 class=launch\n", t, l, $1 + 10
		printf "kernel ts=%d producer=1 pid=10 dur_ns=%d correlation=%d name=%d\n", t + l, k, $1 + 10, 101 + $1 % names }'
}

@test "launch_bound: the GPU waits for launches" {
	app | grep -v ^kernel > "$T/app"
	{ cat "$T/app"; launches 100 3000 10000 1000; } | report
	found launch_bound
	proof launch_bound '.idle_unlaunched_ns, .busy_ns, .operations' '[594000,300000,100]'
	{ cat "$T/app"; launches 100 5000 10000 1000; } | report
	found
	{ cat "$T/app"; launches 99 3000 10000 1000; } | report
	found
}

@test "graph_absent: many tiny launches of few kernels" {
	app | grep -v ^kernel > "$T/app"
	{ cat "$T/app"; launches 1000 1000 1500 1000 100; } | report
	found graph_absent
	proof graph_absent '.kernels, .different_kernels, .kernel_median_ns, .launch_call_mean_ns' '[1000,100,1000,1000]'
	{ cat "$T/app"; launches 999 1000 1500 1000 99; } | report
	found
	{ cat "$T/app"; launches 1000 1100 1500 1000 100; } | report
	found
	{ cat "$T/app"; launches 1000 1000 1500 1000 200; } | report
	found
	{ cat "$T/app"; launches 1000 1000 1500 1000 100; echo "graph ts=5000 producer=1 pid=10 dur_ns=10"; } | report
	run ! jq -e '.findings[] | select(.rule == "graph_absent")' "$T/json"
}

@test "losses and clock: what makes the report itself doubtful" {
	{ app; echo "lost ts=9000 count=3 where=bpf_ring"; } | report
	found losses
	proof losses .lost '[3]'
	{ app; echo "api ts=9000 producer=1 pid=10 tid=11 dur_ns=5 correlation=77 name=1 class=launch"
		echo "kernel ts=8000 producer=1 pid=10 dur_ns=5 correlation=77 name=2"; } | report
	found clock
	proof clock .early '[1]'
	app | report
	found
}

@test "memory of a process that nobody knows is a row as others, in order" {
	{
		app
		echo "uvm_fault ts=5000 gpu=1 addr=0x5000"
		for pid in 12 10 11; do echo "uvm_fault ts=500$pid gpu=1 pid=$pid addr=0x5000"; done
		echo "uvm_mark ts=5900 addr=0x5 what=fatal_fault"
	} | report
	is '[.uvm.by_allocation[] | [.pid, .gpu_faults]]' '[[0,1],[10,1],[11,1],[12,1]]'
	found fatal_fault
	run -0 "$BIN/gpureport" "$T/t.gst"
}

@test "errors are counted beyond those that are listed; each kind is listed" {
	{
		app
		seq 1500 | sed 's/.*/xid ts=&000 pid=10 id=& code=13 pci_bus=0x10 comm=app text=x/'
		echo "xid ts=2000000 pid=10 id=1501 code=13 pci_bus=0x10 pci_device=1 comm=app"
		echo "xid ts=2000001 id=1502 code=79 pci_bus=0x10"
		echo "xid ts=2000002 id=1503 code=8 pci_domain=0xffffffff simulated=written"
	} | report
	is '[.findings[] | [.about, .evidence.code, .evidence.times]]' \
		'[["0000:10:00.0",13,1500],["0000:10:01.0",13,1],["0000:10:00.0",79,1],["-",8,1]]'
	is '[.xids | length, (.[-1] | .pci)]' '[1003,"-"]'
	is '.findings[-1].text | startswith("(written to the log by a process) Xid 8 of no known process")' true
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"errors that the driver reported"*"(20 of 1503)"* ]]
}

@test "what stands by a thread or a GPU is of that thread and that GPU alone" {
	{
		app
		echo "device producer=1 ordinal=1 uuid=100102030405060708090a0b0c0d0e0f pci_bus=0x20 name=B mem_bytes=0x4000000"
		echo "uvm_gpu gpu=2 uuid=100102030405060708090a0b0c0d0e0f pci_bus=0x20"
		# the block leaves GPU 1 and comes back; another leaves GPU 2 and does not
		echo "uvm_migration ts=5000 pid=10 src=0 dst=1 addr=0x1000000 bytes=4096 cause=api_migrate"
		echo "uvm_evict ts=6000 dur_ns=10 pid=10 gpu=1 addr=0x1000000 bytes=4096"
		echo "uvm_migration ts=6001 pid=10 src=1 dst=0 addr=0x1000000 bytes=4096 cause=eviction"
		echo "uvm_migration ts=7000 pid=10 src=0 dst=1 addr=0x1000000 bytes=4096 cause=api_migrate"
		echo "uvm_migration ts=7001 pid=10 src=0 dst=2 addr=0x1200000 bytes=8192 cause=api_migrate"
		echo "uvm_evict ts=8000 dur_ns=10 pid=10 gpu=2 addr=0x1200000 bytes=8192"
		echo "uvm_migration ts=8001 pid=10 src=2 dst=0 addr=0x1200000 bytes=8192 cause=eviction"
		# thread 11 faults outside of calls, thread 12 inside of one
		echo "uvm_service ts=50000 dur_ns=50000 pid=10 tid=11 gpu=0 id=3 addr=0x1000000 bytes_in=4096 faults=1 what=cpu"
		echo "api ts=60000 producer=1 pid=10 tid=12 dur_ns=40000 correlation=9 name=4 class=sync"
		echo "uvm_service ts=65000 dur_ns=30000 pid=10 tid=12 gpu=0 id=4 addr=0x1000000 bytes_in=4096 faults=1 what=cpu"
	} | report
	is '[.findings[] | select(.rule == "eviction_pressure") | [.about, .evidence.evicted_bytes, .evidence.back_again_bytes]]' \
		'[["GPU 0",4096,4096],["GPU 1",8192,0]]'
	is '[.findings[] | select(.rule == "cpu_faults") | [.about, .evidence.cpu_faults, .evidence.inside_api_calls]]' \
		'[["thread 11 of process 10",1,0],["thread 12 of process 10",1,1]]'
}

# many WHAT N: N allocations that come and go with a fault in each; N kernels in one batch and N faults behind it;
# N processes of 12 driver calls
many() {
	app
	seq "$2" | awk -v what="$1" -v n="$2" '
		what == "allocations" { a = 16777216 + ($1 * 7919 % n) * 8192; t = 5000 + $1
			printf "alloc ts=%d producer=1 pid=10 tid=11 addr=%d bytes=8192 kind=managed\n", t, a
			printf "uvm_fault ts=%d gpu=1 pid=10 addr=%d\n", t + n, a
			printf "alloc ts=%d producer=1 pid=10 tid=11 addr=%d kind=managed freed=1\n", t + 2 * n, a }
		what == "kernels" && $1 == 1 { printf "uvm_batch ts=5000 dur_ns=%d gpu=1 batch=1\n", n * 10 }
		what == "kernels" { printf "kernel ts=%d producer=1 pid=10 dur_ns=9 name=2\n", 5000 + $1 * 10
			printf "uvm_mark ts=%d pid=10 addr=0x1000000 processor=1 what=map_remote\n", 6000 + (n + $1) * 10 }
		what == "processes" { for (i = 0; i < 12; i++)
			printf "driver ts=%d pid=%d tid=%d dur_ns=%d op=ioctl cmd=%d\n", 5000 + $1 * 20 + i, 100 + $1, 100 + $1, 1 + $1 % 9, 0xc0204600 + i }
		what == "processes" { printf "uvm_service ts=%d dur_ns=9 pid=%d tid=%d id=%d addr=%d bytes_in=4096 what=cpu\n", 5000 + $1 * 20 + 15, 100 + $1, 100 + $1, $1, $1 * 4096 }'
}

@test "four times the allocations, kernels or processes need not much more than four times the instructions" {
	requires valgrind
	cost() { many "$1" "$2" | "$O/test/mktrace" > "$T/t.gst"
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BIN/gpureport" -j "$T/t.gst" 2>&1 > /dev/null |
			sed -nE 's/.*Collected : ([0-9]+).*/\1/p'; }
	for what in allocations kernels processes; do
		one="$(cost $what 1500)"
		four="$(cost $what 6000)"
		echo "$what: $one, $four"
		[ "$four" -lt $((one * 5)) ]
	done
}
