#!/usr/bin/env bats
# Unified memory in the model: faults to processes, allocations, kernels and calls; traces and truths by hand.

setup() {
	load helpers
	T="$BATS_TEST_TMPDIR"
}

# deliver [quiet]: the lines of stdin as a trace through the model
deliver() {
	"$O/test/mktrace" > "$T/t.gst" || return
	"$O/test/modeldump" "$T/t.gst" "$@"
}

# a process with two GPUs, of which UVM knows the second as its 1, and two allocations with stacks
program() {
	cat <<-END
	name producer=1 id=1 what=api text=cudaMallocManaged
	name producer=1 id=2 what=kernel text=k1
	name producer=1 id=3 what=kernel text=k2
	name producer=1 id=4 what=api text=cudaDeviceSynchronize
	device producer=1 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f pci_bus=0x10 name=A
	device producer=1 ordinal=1 uuid=100102030405060708090a0b0c0d0e0f pci_bus=0x20 name=B
	uvm_gpu gpu=1 uuid=100102030405060708090a0b0c0d0e0f pci_bus=0x20
	uvm_gpu gpu=2 uuid=200102030405060708090a0b0c0d0e0f pci_bus=0x30
	map id=1 text=/usr/bin/app
	symbol frame=0x1000000001000 text=make_a
	symbol frame=0x1000000002000 text=make_b
	stack id=0x55 user_frames=1 frames=0x1000000001000
	stack id=0x66 user_frames=1 frames=0x1000000002000
	api_stack ts=1000 pid=10 tid=11 process=1 correlation=1 stack=0x55
	api_stack ts=2000 pid=10 tid=11 process=1 correlation=2 stack=0x66
	alloc ts=1100 producer=1 pid=10 tid=11 addr=0x100000 bytes=0x10000 correlation=1 kind=managed
	alloc ts=2100 producer=1 pid=10 tid=11 addr=0x110000 bytes=0x10000 correlation=2 kind=managed
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=1 name=1 class=alloc
	api ts=2000 producer=1 pid=10 tid=11 dur_ns=100 correlation=2 name=1 class=alloc
	END
}

has() { grep -qxF -- "$1" <<< "$output" || { echo "no line: $1"; echo "$output"; return 1; }; }
shows() { for x; do [[ "$output" == *"$x"* ]] || { echo "nowhere: $x"; echo "$output"; return 1; }; done; }

@test "a fault finds the allocation its address was in at that time, and the place that made it" {
	run -0 deliver <<-END
	uvm_fault ts=5000 pid=10 gpu=1 addr=0x10ffff access=read
	uvm_fault ts=5001 pid=10 gpu=1 addr=0x110000 access=read
	uvm_fault ts=5002 pid=10 gpu=1 addr=0x120000 access=read
	uvm_fault ts=1050 pid=10 gpu=1 addr=0x100000 access=read
	uvm_fault ts=5003 pid=20 gpu=1 addr=0x110000 access=read
	uvm_fault ts=5004 pid=10 gpu=1 addr=0x990000 range=0x980000 range_bytes=0x20000
	flush
	$(program)
	END
	shows "uvm_fault ts=5000 pid=10 gpu=1 device=1 memory=0x100000+65536:1:cudaMallocManaged:make_a call=- link=0" \
		"uvm_fault ts=5001 pid=10 gpu=1 device=1 memory=0x110000+65536:1:cudaMallocManaged:make_b" \
		"uvm_fault ts=5002 pid=10 gpu=1 device=1 memory=- " "uvm_fault ts=1050 pid=10 gpu=1 device=1 memory=- " \
		"uvm_fault ts=5003 pid=20 gpu=1 device=1 memory=- " \
		"uvm_fault ts=5004 pid=10 gpu=1 device=1 memory=0x980000+131072:3:-:- " \
		"uvm uvm_fault=6 owned=6 memory=2/1/3" "managed allocs=2 frees=0 no_stack=0 unknown=0"
}

@test "an address that was freed and allocated again belongs to who had it at that time" {
	run -0 deliver <<-END
	$(program)
	name producer=1 id=7 what=api text=cudaFree
	alloc ts=3100 producer=1 pid=10 tid=11 addr=0x100000 correlation=3 kind=managed freed=1
	api ts=3000 producer=1 pid=10 tid=11 dur_ns=100 correlation=3 name=7 class=free
	uvm_fault ts=2900 pid=10 gpu=1 addr=0x100010
	uvm_fault ts=3500 pid=10 gpu=1 addr=0x100010
	api_stack ts=4000 pid=10 tid=11 process=1 correlation=4 stack=0x66
	alloc ts=4100 producer=1 pid=10 tid=11 addr=0x100000 bytes=0x1000 correlation=4 kind=managed
	api ts=4000 producer=1 pid=10 tid=11 dur_ns=100 correlation=4 name=1 class=alloc
	uvm_fault ts=4500 pid=10 gpu=1 addr=0x100010
	uvm_fault ts=4501 pid=10 gpu=1 addr=0x101000
	# freed by another thread before, but told later: the new one lives
	alloc ts=5100 producer=1 pid=10 tid=12 addr=0x100000 correlation=5 kind=managed freed=1
	api ts=4050 producer=1 pid=10 tid=12 dur_ns=1050 correlation=5 name=7 class=free
	uvm_fault ts=5200 pid=10 gpu=1 addr=0x100010
	alloc ts=5300 producer=1 pid=10 tid=12 addr=0x777000 kind=managed freed=1
	END
	shows "uvm_fault ts=2900 pid=10 gpu=1 device=1 memory=0x100000+65536:1:cudaMallocManaged:make_a" \
		"uvm_fault ts=3500 pid=10 gpu=1 device=1 memory=- " \
		"uvm_fault ts=4500 pid=10 gpu=1 device=1 memory=0x100000+4096:1:cudaMallocManaged:make_b" \
		"uvm_fault ts=4501 pid=10 gpu=1 device=1 memory=- " \
		"uvm_fault ts=5200 pid=10 gpu=1 device=1 memory=0x100000+4096:1:cudaMallocManaged:make_b" \
		"managed allocs=3 frees=3 no_stack=0 unknown=1"
}

@test "a service, whose record has its block's address alone, is about what its faults are about" {
	run -0 deliver <<-END
	$(program)
	uvm_service ts=5000 pid=10 dur_ns=50 id=9 gpu=1 addr=0x100000 what=replayable
	uvm_fault ts=5010 pid=10 gpu=1 addr=0x110010 service=9
	uvm_service ts=6000 pid=10 dur_ns=50 id=10 gpu=1 addr=0x100000 what=replayable
	END
	shows "uvm_service ts=5000 pid=10 gpu=1 device=1 memory=0x110000+65536:1:cudaMallocManaged:make_b" \
		"uvm_service ts=6000 pid=10 gpu=1 device=1 memory=0x100000+65536:1:cudaMallocManaged:make_a"
}

@test "a GPU is the device of its UUID, else of its PCI address; another one is none that was recorded" {
	run -0 deliver <<-END
	$(program)
	uvm_gpu gpu=3 pci_bus=0x10
	uvm_fault ts=5000 pid=10 gpu=1 addr=0x100000
	uvm_fault ts=5001 pid=10 gpu=2 addr=0x100000
	uvm_fault ts=5002 pid=10 gpu=3 addr=0x100000
	uvm_fault ts=5003 pid=10 gpu=4 addr=0x100000
	uvm_fault ts=5004 pid=10 gpu=0 addr=0x100000 type=cpu
	END
	shows "ts=5000 pid=10 gpu=1 device=1 " "ts=5001 pid=10 gpu=2 device=-1 " "ts=5002 pid=10 gpu=3 device=0 " \
		"ts=5003 pid=10 gpu=4 device=-1 " "ts=5004 pid=10 gpu=0 device=-1 " "no_device=2"
}

@test "a device that is defined behind its first kernel is still known by its name" {
	run -0 deliver <<-END
	kernel ts=5000 producer=1 pid=10 dur_ns=100 device=0 correlation=7
	flush
	device producer=1 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f name=A
	task ts=1 pid=10 tid=10 start_ns=1 process=1 comm=app
	uvm_gpu gpu=1 uuid=000102030405060708090a0b0c0d0e0f
	uvm_batch ts=5050 dur_ns=10 gpu=1 batch=1
	END
	shows "device producer=1 ordinal=0 gpu=0 name=A" "uvm_batch ts=5050 pid=0 gpu=1 device=0 memory=- call=- link=1 kernels=?:10:10"
}

@test "a batch meets the kernels that ran on its GPU meanwhile: one is exact, several are an overlap" {
	run -0 deliver <<-END
	$(program)
	uvm_batch ts=5000 dur_ns=100 gpu=1 batch=1
	uvm_batch ts=6000 dur_ns=100 gpu=1 batch=2
	uvm_batch ts=7000 dur_ns=100 gpu=1 batch=3
	uvm_batch ts=7500 dur_ns=100 gpu=2 batch=4
	flush
	kernel ts=6050 producer=1 pid=10 dur_ns=5000 name=3 device=1
	kernel ts=4000 producer=1 pid=10 dur_ns=2080 name=2 device=1
	kernel ts=4000 producer=1 pid=10 dur_ns=9000 name=2 device=0
	END
	shows "uvm_batch ts=5000 pid=0 gpu=1 device=1 memory=- call=- link=1 kernels=k1:10:100" \
		"uvm_batch ts=6000 pid=0 gpu=1 device=1 memory=- call=- link=2 kernels=k1:10:80,k2:10:50" \
		"uvm_batch ts=7000 pid=0 gpu=1 device=1 memory=- call=- link=1 kernels=k2:10:100" \
		"uvm_batch ts=7500 pid=0 gpu=2 device=-1 memory=- call=- link=0 kernels=-" \
		"kernels=2/1/0 no_device=1"
}

@test "faults, services and migrations meet the kernels of their process alone, batches and evictions of any" {
	run -0 deliver <<-END
	$(program)
	name producer=2 id=2 what=kernel text=other
	device producer=2 ordinal=0 uuid=100102030405060708090a0b0c0d0e0f name=B
	kernel ts=4000 producer=1 pid=10 dur_ns=9000 name=2 device=1
	kernel ts=4000 producer=2 pid=20 dur_ns=9000 name=2 device=0
	uvm_fault ts=5000 pid=10 gpu=1 addr=0x100000
	uvm_service ts=5001 pid=20 dur_ns=10 gpu=1 addr=0x100000
	uvm_migration ts=5002 pid=20 src=1 dst=0 addr=0x100000 bytes=4096
	uvm_batch ts=5003 dur_ns=10 gpu=1
	uvm_evict ts=5004 pid=10 dur_ns=10 gpu=1 addr=0x100000
	END
	shows "uvm_fault ts=5000 pid=10 gpu=1 device=1 memory=0x100000+65536:1:cudaMallocManaged:make_a call=- link=1 kernels=k1:10:0" \
		"uvm_service ts=5001 pid=20 gpu=1 device=1 memory=- call=- link=1 kernels=other:20:10" \
		"uvm_migration ts=5002 pid=20 gpu=1 device=1 memory=- call=- link=1 kernels=other:20:0" \
		"uvm_batch ts=5003 pid=0 gpu=1 device=1 memory=- call=- link=2 kernels=k1:10:10,other:20:10" \
		"link=2 kernels=k1:10:10,other:20:10"
}

@test "a CPU fault finds the API call of its thread that it fell into" {
	run -0 deliver <<-END
	$(program)
	uvm_fault ts=5500 pid=10 tid=11 gpu=0 type=cpu addr=0x100000
	uvm_fault ts=5500 pid=10 tid=12 gpu=0 type=cpu addr=0x100000
	uvm_fault ts=7000 pid=10 tid=11 gpu=0 type=cpu addr=0x100000
	api ts=5000 producer=1 pid=10 tid=11 dur_ns=1000 correlation=9 name=4 class=sync
	END
	[ "$(grep -c 'uvm_fault ts=5500 .*call=cudaDeviceSynchronize' <<< "$output")" -eq 1 ]
	shows "uvm_fault ts=7000 pid=10 gpu=0 device=-1 memory=0x100000+65536:1:cudaMallocManaged:make_a call=- link=0" "in_call=1"
}

@test "an Xid knows its process and device, and a CUDA call before it its name" {
	run -0 deliver <<-END
	task ts=1 pid=10 tid=10 start_ns=1 process=1 comm=victim
	name producer=1 id=18 what=api text=cuMemAlloc
	device producer=1 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f pci_bus=0x10 name=A
	xid ts=5000 pid=10 id=1 code=31 pci_bus=0x10 text="MMU Fault"
	xid ts=6000 id=2 code=79 pci_bus=0x11
	xid_call ts=4900 pid=10 xid=1 what=cuda op=1 rm=2 age=0
	xid_call ts=4800 pid=10 xid=1 what=driver op=2 rm=0x201 age=1
	END
	has "xid ts=5000 code=31 pid=10 comm=victim device=0"
	has "xid ts=6000 code=79 pid=0 comm=- device=-1"
	has "xid_call ts=4900 xid=1 age=0 name=cuMemAlloc"
	has "xid_call ts=4800 xid=1 age=1 name=-"
}

# storm N: N batches 10 ms apart, each inside a kernel of its own that is told a second later
storm() {
	program
	awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) {
		t = 10000000 * i; late = 10000000 * (i - 100)
		printf "uvm_batch ts=%.0f dur_ns=1000 gpu=1 batch=%d\n", t, i
		printf "uvm_service ts=%.0f dur_ns=800 gpu=1 batch=%d id=%d pid=10 addr=0x100000\n", t + 100, i, i
		printf "uvm_fault ts=%.0f gpu=1 batch=%d service=%d pid=10 addr=0x%x\n", t + 200, i, i, 1048576 + i % 16 * 4096
		if (late > 0) printf "kernel ts=%.0f producer=1 pid=10 dur_ns=2000000 name=%d device=1\n", late - 1000, 2 + i % 2
		printf "switch ts=%.0f pid=10 tid=11\n", t
		if (i % 100 == 0) print "flush" }
		for (i = n + 1; i <= n + 100; i++) printf "kernel ts=%.0f producer=1 pid=10 dur_ns=2000000 name=2 device=1\n", 10000000 * (i - 100) - 1000 }'
}

@test "a long storm of faults is joined exactly in memory that does not grow with it" {
	storm 20000 | deliver quiet > "$T/short"
	storm 100000 | deliver quiet > "$T/long"
	for kind in uvm_batch uvm_service uvm_fault; do
		grep -qE "^uvm $kind=100000 owned=[0-9]+ memory=[0-9/]+ kernels=100000/0/0 " "$T/long" || { cat "$T/long"; false; }
	done
	grep -q "^uvm uvm_service=100000 owned=100000 memory=100000/0/0 " "$T/long"
	short="$(sed -n 's/memory max_kb=//p' "$T/short")" long="$(sed -n 's/memory max_kb=//p' "$T/long")"
	echo "200 s: $short KiB, 1000 s: $long KiB"
	[ "$long" -lt $((short * 5 / 4)) ]
}

@test "kernels by the million with unified memory in between are no search each" {
	{
		program
		awk 'BEGIN { for (i = 1; i <= 300000; i++) printf "kernel ts=%.0f producer=1 pid=10 dur_ns=500 name=2 device=1\n", 1e9 + i * 1000
			print "kernel ts=1000000000 producer=1 pid=10 dur_ns=900000000 name=3 device=1"
			for (i = 1; i <= 100000; i++) printf "uvm_fault ts=%.0f gpu=1 pid=10 addr=0x100000\n", 1e9 + i * 3000 + 100 }'
	} | "$O/test/mktrace" > "$T/t.gst"
	run -0 timeout 20 "$O/test/modeldump" "$T/t.gst" quiet
	shows "uvm uvm_fault=100000 owned=100000 memory=100000/0/0 kernels=0/100000/0"
}

# facts KIND FIELD...: of each record of that kind that recv printed, the values of the fields
facts() {
	awk -v kind="$1" -v want="${*:2}" '$1 == kind { delete f
		for (i = 2; i <= NF; i++) if (split($i, a, "=") == 2) f[a[1]] = a[2]
		n = split(want, w, " "); line = ""
		for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") f[w[i]]
		print line }' "$T/out"
}

@test "each managed allocation and each of their frees is told once, other memory never" {
	requires nogpu
	sim timeout 60 "$O/test/recv" -l "$O/lib/libgpuscope-cuda.so" -o "$T/out" -- "$PROG/managed" > "$T/said"
	while read -r _ _ by addr bytes; do echo "$by $((addr)) $bytes"; done < <(grep '^truth alloc ' "$T/said") > "$T/truth"
	cut -d' ' -f 2- "$T/truth" | sort > "$T/want"
	[ "$(wc -l < "$T/want")" -eq 5 ]
	facts alloc freed addr bytes kind | awk '$1 == 0 { print $2, $3; bad += $4 != "managed" && $4 != 5 } END { exit bad }' | sort > "$T/got"
	diff "$T/want" "$T/got"
	# freed: all but make_by_driver's, of the same addresses
	awk '$1 != "make_by_driver" { print $2 }' "$T/truth" | sort > "$T/want"
	facts alloc freed addr bytes | awk '$1 == 1 { print $2; bad += $3 != 0 } END { exit bad }' | sort > "$T/got"
	diff "$T/want" "$T/got"
	# each has the correlation of an outermost call of the program
	facts api correlation name depth > "$T/api"
	facts alloc correlation freed | awk -v api="$T/api" 'BEGIN { while ((getline line < api) > 0) { split(line, a, " "); name[a[1]] = a[2] } }
		{ print $2, name[$1] }' | sort | uniq -c | awk '{ $1 = $1; print }' > "$T/got"
	printf '%s\n' '1 0 "cuMemAllocManaged"' '4 0 "cudaMallocManaged"' '4 1 "cudaFree"' | diff - "$T/got"
}

@test "calls inside of calls, when they are recorded too, tell no allocation twice" {
	requires nogpu
	sim timeout 60 "$O/test/recv" -w $((1 | 2 | 4)) -l "$O/lib/libgpuscope-cuda.so" -o "$T/out" -- "$PROG/managed" > /dev/null
	facts api name depth | grep -q '^"cuMemAllocManaged" 1$'
	[ "$(facts alloc freed | sort | uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" = "0:5 1:4 " ]
}

@test "a recording names each allocation by the function that made it" {
	requires nogpu bpf jq
	record "$T/t.gst" "$PROG/managed" > "$T/said"
	run -0 "$O/test/modeldump" "$T/t.gst"
	shows "managed allocs=5 frees=4 no_stack=0 unknown=0"
}

# of JQ NAME: the value of the allocation that this function made
of() { jq -r --arg name "$2" "[.uvm.by_allocation[] | select(.name | startswith(\$name + \" \"))] | if length == 1 then .[0] | $1 else \"\(length) rows\" end" "$T/json"; }
# is WHAT GOT WANT
is() { [ "$2" = "$3" ] || { echo "$1: $2, not $3"; return 1; }; }

@test "the real driver in a guest: what a recording says of unified memory is what the program and the GPU did" {
	requires vm driver jq
	local out="$O/vm-managed" rounds=6 by addr bytes faults total=0
	rm -rf "$out"
	mkdir -p "$out"
	vm "$CELL" "load soft && cd $out && export CUDASIM_FORCE=1 CUDASIM_UVM=$out/truth LD_LIBRARY_PATH=$SIMLIB &&
		$BIN/gpurec -o m.gst -- $PROG/managed $rounds > said 2> err"
	grep -q ' 0 lost$' "$out/err" || { cat "$out/err"; false; }
	"$BIN/gpureport" -j "$out/m.gst" > "$T/json"
	while read -r _ _ by addr bytes; do
		# one that was freed may have had the same address, but not the same size
		faults="$(awk -v p="$addr" -v b="$bytes" '$1 == "kernel" && $3 == p && $5 == b { n += $7 } END { print n + 0 }' "$out/truth")"
		total=$((total + faults))
		is "faults of $by" "$(of .gpu_faults "$by" | sed 's/^0 rows$/0/')" "$faults"
		[ "$faults" -eq 0 ] || is "bytes of $by" "$(of .bytes "$by")" "$bytes"
	done < <(grep '^truth alloc ' "$out/said")
	[ "$total" -gt 2000 ]
	is "all faults" "$(jq .uvm.gpu_faults "$T/json")" "$total"
	# each to a traced allocation with its stack, and to the one kernel that ran, of a GPU that is the CUDA device
	is links "$(jq -c '.uvm.links | [.uvm_service.memory_none, .uvm_service.memory_range, .uvm_service.device_none, .allocations_without_stack, .allocations]' "$T/json")" "[0,0,0,0,5]"
	is "kernels of batches" "$(jq -c '.uvm.links.uvm_batch | [.kernel_exact == .events, .kernel_overlap, .device_none]' "$T/json")" "[true,0,0]"
	is "faults by kernel" "$(jq -c '[.uvm.by_kernel[].faults_exact] | add' "$T/json")" "$total"
	# bytes by way and cause: read by the GPU, read back by the CPU, to and fro, on request
	is "to the GPU" "$(of .to_gpu_bytes make_input)" $((8 << 20))
	is "to the CPU" "$(of .to_cpu_bytes make_output)" $((2 << 20))
	is "there" "$(of .to_gpu_bytes make_shared)" $((rounds << 20))
	is "and back" "$(of .to_cpu_bytes make_shared)" $(((rounds - 1) << 20))
	is "on request" "$(of .migrated_bytes.to_gpu.api_migrate make_asked)" $((4 << 20))
	jq -e '.findings[] | select(.rule == "ping_pong" and (.about | startswith("make_shared")))' "$T/json" > "$T/found"
	# the other views
	"$BIN/gputimeline" -i "$out/m.gst" -o "$T/t.pf"
	"$O/test/pfcheck" "$T/t.pf"
	grep -aq "GPU 0 unified memory" "$T/t.pf"
	"$BIN/gpuflame" --folded -i "$out/m.gst" > "$T/folded"
	is "GPU time in the flame graph" "$(awk '{ n += $NF } END { printf "%d", n }' "$T/folded")" "$(jq .kernels.total_ns "$T/json")"
}
