#!/usr/bin/env bats
# gputimeline from traces written by hand, where every number is known; live ones are in demo.bats.

setup() {
	load helpers
	load timelines
	T="$BATS_TEST_TMPDIR"
	tool="$BIN/gputimeline"
}

# timeline: lines on stdin -> $T/t.pftrace
timeline() { "$O/test/mktrace" -o "$T/t.gst" && "$tool" -v -i "$T/t.gst" -o "$T/t.pftrace" 2> "$T/err"; }
# check: the semantic checker's counts in $T/counts
check() { "$O/test/pfcheck" "$T/t.pftrace" > "$T/counts" || { cat "$T/counts"; return 1; }; }
count() { awk -v k="$1" '$1 == k { print $2 }' "$T/counts"; }
decode() { protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < "$T/t.pftrace" > "$T/text"; }

@test "one step of a program becomes the slices, operations, links, states and instants it had" {
	step | timeline
	check
	[ "$(count slices)" -eq 7 ]		# NVTX, three outer calls, one nested, ioctl, block I/O
	[ "$(count ops)" -eq 3 ]
	[ "$(count kernels)" -eq 2 ]
	[ "$(count flows)" -eq 3 ]
	[ "$(count instants)" -eq 1 ]
	[ "$(count states)" -eq 4 ]
	[ "$(count gpus)" -eq 1 ]
	[ "$(count clocks)" -eq 1 ]
}

@test "protoc decodes a timeline with no unknown field, names and dimensions as recorded" {
	requires protoc
	step | timeline
	decode
	run ! grep -nE '^[[:space:]]*[0-9]+[:{ ]' "$T/text"
	grep -q 'demangled_name: "kernel(float\*, int)"' "$T/text"
	grep -q 'thread_name: "trainer"' "$T/text"
	[ "$(grep -A4 'grid_size {' "$T/text" | grep -c 'y: 2')" -eq 2 ]
	grep -q 'name: "Memcpy HtoD"' "$T/text"
	grep -q 'string_value: "195:0"' "$T/text"	# the ioctl's device
}

@test "the first packet after the head is the clock snapshot: viewers convert times as they read" {
	requires protoc
	step | timeline
	decode
	first="$(awk '/^packet {/ { n++ } n == 1' "$T/text")"
	[[ "$first" == *clock_snapshot* && "$first" == *"timestamp: 1700000000000000000"* ]]
}

@test "2,000 slices in random order stay balanced and nested, crossing ones in a lane of their own" {
	{
		echo 'name producer=1 id=1 what=api text="cudaMalloc"'
		awk 'BEGIN { srand(7); for (i = 1; i <= 2000; i++)
			printf "api producer=1 pid=5 tid=%d ts=%d dur_ns=%d correlation=%d name=1 domain=runtime\n",
				5 + i % 3, 1000 + int(rand() * 100000), int(rand() * 3000), i }'
	} | timeline
	check
	[ "$(count slices)" -eq 2000 ]
	[ "$(count ends)" -eq 2000 ]
}

@test "calls that touch (one ends where the next begins) are neighbours, not nested" {
	requires protoc
	{
		echo 'name producer=1 id=1 what=api text="cudaFree"'
		for i in 1 2 3 4 5; do
			echo "api producer=1 pid=5 tid=5 ts=$((1000 * i)) dur_ns=1000 correlation=$i name=1 domain=runtime"
		done
	} | timeline
	check
	decode
	run ! grep -q overlapping "$T/text"
}

@test "overlapping kernels on one stream are all there" {
	{
		echo 'name producer=1 id=1 what=kernel text="k"'
		for i in $(seq 100); do echo "kernel producer=1 ts=$((1000 + i)) dur_ns=5000 correlation=$i stream=7 name=1"; done
	} | timeline
	check
	[ "$(count ops)" -eq 100 ]
	[ "$(count flows)" -eq 0 ]
	grep -q "100 GPU operations have no API call" "$T/err"
}

@test "names of invalid UTF-8 do not break the file" {
	requires protoc
	{
		printf 'name producer=1 id=1 what=api text="bad\\xff\\xfename"\n'
		echo 'api producer=1 pid=5 tid=5 ts=1000 dur_ns=10 correlation=1 name=1'
	} | timeline
	decode
	grep -q 'name: "bad??name"' "$T/text"
}

@test "the checker fails on what viewers drop silently" {
	step | timeline
	size=$(stat -c %s "$T/t.pftrace")
	head -c $((size - 3)) "$T/t.pftrace" > "$T/cut"
	run -1 "$O/test/pfcheck" "$T/cut"
	[[ "$output" == *damaged* ]]
	# without its first half, nothing that the second half refers to is defined
	tail -n +1 "$T/t.pftrace" | head -c 200 > "$T/half"
	run -1 "$O/test/pfcheck" "$T/half"
}

@test "a cut recording gives the timeline of what was readable, says where, and exits 1" {
	step | "$O/test/mktrace" -o "$T/t.gst"
	size=$(stat -c %s "$T/t.gst")
	head -c $((size - 40)) "$T/t.gst" > "$T/cut.gst"
	run -1 "$tool" "$T/cut.gst" -o "$T/t.pftrace"
	[[ "${lines[-1]}" == "gputimeline: "*"at byte "* ]]
	check
}

@test "nothing is left behind when the recording cannot be read" {
	run -1 "$tool" -i "$T/none.gst"
	[ "$output" = "gputimeline: cannot open $T/none.gst: No such file or directory" ]
	echo garbage > "$T/garbage.gst"
	run -1 "$tool" -i "$T/garbage.gst"
	[[ "$output" == *"garbage.gst is not a gpuscope trace"* ]]
	[ -z "$(find "$T" -name '*.pftrace*')" ]
}

@test "a full disk and a folder without permission are said, exit 1" {
	step | "$O/test/mktrace" -o "$T/t.gst"
	run -1 bash -c "'$tool' -i '$T/t.gst' -o - > /dev/full"
	[ "$output" = "gputimeline: cannot write standard output: No space left on device" ]
	run -1 "$tool" -i "$T/t.gst" -o /dev/full
	[ "$output" = "gputimeline: cannot write /dev/full: No space left on device" ]
	run -1 "$tool" -i "$T/t.gst" -o /nowhere/x.pftrace
	[ "$output" = "gputimeline: cannot write /nowhere/x.pftrace: No such file or directory" ]
}

@test "a pipe is a file" {
	step | "$O/test/mktrace" | "$tool" -i - -o - > "$T/t.pftrace"
	check
	[ "$(count ops)" -eq 3 ]
}

@test "an empty recording gives an empty timeline" {
	timeline < /dev/null
	check
	[ "$(count ops)" -eq 0 ]
}

@test "wrong words on the command line are usage errors" {
	run -2 "$tool"
	run -2 "$tool" a -o
	run -2 "$tool" --nonsense
	run -2 "$tool" -i - < /dev/null
}

@test "a slice that comes after the horizon takes no end of what was written before it" {
	seq 0 139999 | awk '{ printf "nvtx ts=%.0f dur_ns=900000 producer=1 pid=1 tid=1 name=2 what=push_pop\n", 1e9 + $1 * 1e6 }
		END { for (i = 0; i < 20; i++)
			printf "nvtx ts=%.0f dur_ns=700000 producer=1 pid=1 tid=1 name=2 what=push_pop\n", 1e9 + i * 1e6 + 5e5 }' |
		timeline
	grep -q "20 slices came later than the horizon" "$T/err"
	check
	[ "$(count slices)" -eq 140020 ]
}

@test "memory follows the horizon, not the length, also where there are operations alone" {
	{
		echo "name producer=1 id=1 what=kernel text=k"
		seq 1 1500000 | awk '{ printf "kernel ts=%.0f producer=1 pid=1 dur_ns=500 name=1\n", $1 * 1e7 }'
	} | "$O/test/mktrace" -o "$T/t.gst"
	(ulimit -v 60000; "$tool" -i "$T/t.gst" -o "$T/t.pftrace")	# 7 MiB of it resident; was 74
	check
	[ "$(count ops)" -eq 1500000 ]
}

unified() {
	step
	cat <<-'END'
	uvm_gpu gpu=1 uuid=00112233445566778899aabbccddeeff
	uvm_gpu gpu=2 uuid=ff112233445566778899aabbccddeeff pci_bus=0x41 name="another"
	name producer=1 id=9 what=api text="cudaMallocManaged"
	alloc producer=1 pid=100 tid=100 ts=9000 addr=0x100000 bytes=0x100000 correlation=9 kind=managed
	api producer=1 pid=100 tid=100 ts=8900 dur_ns=100 correlation=9 name=9 domain=runtime class=alloc
	uvm_batch ts=15100 dur_ns=900 gpu=1 batch=7 cached=40 coalesced=20 duplicates=20 blocks=2 bytes=65536
	uvm_service pid=100 tid=900 ts=15200 dur_ns=300 id=1 gpu=1 batch=7 addr=0x100000 bytes_in=65536 faults=20 what=replayable
	uvm_service pid=100 tid=900 ts=15600 dur_ns=300 id=2 gpu=1 batch=7 addr=0x300000 bytes_in=0 faults=1 what=replayable
	uvm_fault pid=100 tid=900 ts=15250 service=1 gpu=1 batch=7 addr=0x100000
	uvm_migration pid=100 tid=900 ts=15300 service=1 src=0 dst=1 addr=0x100000 bytes=65536 cause=prefetch
	uvm_migration pid=100 tid=900 ts=15310 service=1 src=1 dst=0 addr=0x120000 bytes=4096 cause=eviction
	uvm_evict pid=100 tid=900 ts=15305 dur_ns=50 gpu=1 addr=0x120000 bytes=4096
	uvm_mark pid=100 tid=900 ts=15400 addr=0x100000 what=thrashing processor=1
	uvm_mark pid=100 tid=900 ts=15401 addr=0x100000 what=revocation processor=0
	uvm_service pid=100 tid=100 ts=12200 dur_ns=90 id=3 gpu=0 addr=0x100000 bytes_in=4096 faults=1 what=cpu
	uvm_batch ts=15100 dur_ns=900 gpu=2 batch=1 cached=1 coalesced=1
	xid ts=18000 pid=100 id=1 code=31 text="MMU Fault"
	xid ts=18001 id=2 code=79 pci_bus=0x55 text="fallen off the bus"
	driver pid=100 tid=100 ts=12400 dur_ns=100 cmd=0xc020462a rm=0x20800a01 escape=42 op=ioctl device=0xc300000
	END
}

@test "unified memory and errors have their tracks, slices and instants" {
	requires protoc
	unified | timeline
	check
	[ "$(count slices)" -eq $((7 + 1 + 2 + 2 + 1 + 1 + 1)) ]	# + the allocation, batches, services, eviction, CPU fault, ioctl
	[ "$(count instants)" -eq $((1 + 1 + 1 + 2 + 2 + 3)) ]	# + the allocation, the fault, migrations, marks, Xids, one of them at its process too
	decode
	for name in "GPU 0 unified memory" "0000:41:00.0 another unified memory" batches services evictions "migrations to the GPU" \
		"migrations to the CPU" marks "unified memory of the CPU" "GPU 0 errors" "0000:55:00.0 errors"; do
		grep -qE "name: \"$name\"" "$T/text" || { echo "no track $name"; grep 'name: "' "$T/text" | sort -u; false; }
	done
	for name in "batch" "0x100000 cudaMallocManaged" "unified memory fault" "to GPU prefetch" "to CPU eviction" thrashing "Xid 31" "Xid 79" "MMU Fault"; do
		grep -qF "\"$name\"" "$T/text" || { echo "nowhere: $name"; false; }
	done
	for name in bytes batch faults_fetched duplicates cause address memory code text pid; do
		grep -qE "name: \"$name\"" "$T/text" || { echo "no annotation $name"; false; }
	done
}
