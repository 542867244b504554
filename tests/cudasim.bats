# The simulated GPU by itself: what programs see, without CUPTI and without our tools.
setup() {
	load helpers
	requires nogpu
	export CUDASIM_LOG=
	unset CUDA_INJECTION64_PATH
}

# run one program to its end; its output is in $out
program() {
	out="$BATS_TEST_TMPDIR/out"
	sim timeout 60 "$PROG/$@" > "$out" 2> "$BATS_TEST_TMPDIR/err"
}

expected() { sed -nE "s/^expect $1 //p" "$out"; }

@test "every program runs to its end and says which device it ran on" {
	local p
	for p in demo threads graphs childgraphs forktree copies sync exits many pools ipc devices launchex hostfuncs streams "launchloop 20000"; do
		program $p || { echo "$p: exit $?"; cat "$BATS_TEST_TMPDIR/err"; false; }
		head -1 "$out" | grep -q "runs on cudasim virtual GPU 0"
		[ "$(expected kernels | head -1)" -ge 0 ]
	done
}

@test "programs built by nvcc run unchanged" {
	requires nvcc
	program vector.nvcc
	[ "$(expected kernels)" = 38 ]
	program graphs.nvcc 7
	[ "$(expected kernels)" = 21 ]
}

@test "the same source as nvcc builds it does and counts the same" {
	requires nvcc
	for p in threads forktree copies sync childgraphs pools ipc devices hostfuncs streams; do
		program $p
		ours="$(expected kernels) $(expected copies) $(expected sets) $(expected api:cudaLaunchKernel)"
		program $p.nvcc || { echo "$p.nvcc: exit $?"; cat "$BATS_TEST_TMPDIR/err"; false; }
		theirs="$(expected kernels) $(expected copies) $(expected sets) $(expected api:cudaLaunchKernel)"
		[ "$ours" = "$theirs" ] || { echo "$p: $ours, by nvcc $theirs"; false; }
	done
}

@test "what is copied to the device comes back, by every direction and kind of memory" {
	program copies
	[ "$(expected copies)" = 99 ]
	[ "$(expected api:cudaMemcpyAsync)" = 61 ]
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "a call that fails returns the error that CUDA documents, and the program goes on" {
	program errors
	[ "$(expected errors)" = 10 ]
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "streams keep order, events carry it across, the legacy stream is a barrier" {
	program sync
	run ! grep FALSE "$out"
	[ "$(grep -c ^ok "$out")" = 24 ]
}

@test "a graph does its copies and sets each time it is launched" {
	program graphs 5 3
	[ "$(expected graph_launches)" = 12 ]
	[ "$(expected kernels)" = $((6 * (3 + 1 + 1))) ]
}

@test "without a device programs get CUDA_ERROR_NO_DEVICE and the injected library is not loaded" {
	export CUDASIM_DEVICES=0 CUDA_INJECTION64_PATH=/nowhere.so CUDASIM_LOG=1
	run -1 sim "$PROG/demo"
	[ "$output" = "demo: cannot go on: cuInit returned 100" ]
	run -1 sim "$PROG/copies"
	[ "$output" = "copies: cannot go on: cudaGetDeviceProperties returned 100" ]
}

@test "an injected library that cannot be loaded does no harm" {
	export CUDA_INJECTION64_PATH=/nowhere.so CUDASIM_LOG=1
	program exits
	grep -q "cudasim: cannot load /nowhere.so" "$BATS_TEST_TMPDIR/err"
	[ "$(expected kernels)" = 17 ]
}

@test "kernels of different streams run at once" {
	local start took
	echo 'ops duration=4ms' > "$BATS_TEST_TMPDIR/model"
	start="$(date +%s%N)"
	CUDASIM_MODEL="$BATS_TEST_TMPDIR/model" program threads 4 4 20
	took=$((($(date +%s%N) - start) / 1000000))
	[ "$(expected kernels)" = 640 ]
	# one after the other: 2,560 ms; 16 at once: 160 ms
	[ "$took" -ge 160 ] && [ "$took" -lt 1500 ]
}

@test "several devices are apart" {
	CUDASIM_DEVICES=3 program threads 4
	[ "$(expected devices)" = 3 ]
	[ "$(expected kernels)" = 696 ]
}

@test "a device that falls off the bus fails every call on it, and what it had to do never ends" {
	CUDASIM_LOST=0:40 run -1 --separate-stderr sim timeout 60 "$PROG/launchex"
	[ "$stderr" = "launchex: cannot go on: cuLaunchKernelEx returned 999" ]
	CUDASIM_LOST=0:40 run -1 --separate-stderr sim timeout 60 "$PROG/hostfuncs"
	[[ "$stderr" == *" returned 999" ]]
	# the others work on
	CUDASIM_DEVICES=3 CUDASIM_LOST=2:5 run -1 --separate-stderr sim timeout 60 "$PROG/devices"
	[[ "$stderr" == *" returned 999" ]]
	CUDASIM_DEVICES=3 CUDASIM_LOST=2:500 run -0 sim timeout 60 "$PROG/devices"
	CUDASIM_DEVICES=3 CUDASIM_LOST=3:5 run -0 sim timeout 60 "$PROG/devices"
}

@test "of a divided GPU a program sees one instance, with its own name, memory and UUID" {
	CUDASIM_DEVICES=2 CUDASIM_MIG=1:0,2:0 program demo
	head -1 "$out" | grep -q "runs on cudasim virtual GPU 0 MIG 1g.11gb"
	CUDASIM_DEVICES=2 CUDASIM_MIG=3:1 program devices
	[ "$(expected devices)" = 1 ]
	if [ -x "$BIN/gpurec" ]; then
		CUDASIM_MIG=3:1 record "$BATS_TEST_TMPDIR/x.gst" "$PROG/demo" > /dev/null 2>&1
		"$O/test/cattrace" "$BATS_TEST_TMPDIR/x.gst" | grep '^device ' |
			grep -q " sm_count=16 .* uuid=$(printf cudasim-mig-3-1 | od -An -tx1 | tr -d ' \n')00 "
	fi
}

@test "a fault is injected at the call that is asked for" {
	CUDASIM_FAIL="cuMemAlloc:nth=3:err=2" run -1 sim "$PROG/demo"
	[[ "$output" == *"demo: cannot go on: cuMemAlloc_v2 returned 2"* ]]
	# the runtime passes on what the driver says, and has faults of its own
	CUDASIM_FAIL="cuMemAlloc:nth=4:err=2" run -1 sim "$PROG/copies"
	[[ "$output" == *"copies: cannot go on: cudaMalloc returned 2"* ]]
	CUDASIM_FAIL="cudaMemcpy:nth=4:err=719" run -1 sim "$PROG/copies"
	[[ "$output" == *"copies: cannot go on: cudaMemcpy returned 719"* ]]
	CUDASIM_FAIL="cuMemAlloc:nth=5:err=2" run -0 sim "$PROG/copies"	# it allocates 4 times
}

@test "a process leaves as it would without the simulator" {
	run -0 sim "$PROG/exits" return
	run -3 sim "$PROG/exits" exit 3
	run -4 sim "$PROG/exits" _exit 4
	run -5 sim "$PROG/exits" thread 5
	run -6 timeout 20 "$PROG/exits" callback 6
	[[ "$output" == *"exits: callback got 800"* ]]
	run -134 sim "$PROG/exits" abort
	run -139 sim "$PROG/exits" segv
	run -0 sim "$PROG/exits" reset
	run -0 sim "$PROG/exits" pending
}

@test "a tree of processes by fork and exec has its own GPU contexts" {
	program forktree 2 3 7
	[ "$(grep -c '^forktree: pid=.* kernels=14$' "$out")" = 13 ]
	[ "$(expected kernels)" = 182 ]
}

@test "a forked child that does not exec gets CUDA_ERROR_NOT_INITIALIZED and can exit" {
	program exits fork
	grep -q "child got 3 and 3" "$out"
}

@test "a model file says how long kernels take" {
	echo 'scale duration=200us regs=40' > "$BATS_TEST_TMPDIR/model"
	CUDASIM_QUEUE=10 CUDASIM_MODEL="$BATS_TEST_TMPDIR/model" program launchloop 2000
	[ "$(expected kernels)" = 2001 ]
	# 2,000 x 200 us on 4 streams, of which the last 10 of each may still be queued
	[ "$(sed -nE 's/.* seconds=([0-9]+)\.([0-9]{3})/\1\2/p' "$out" | sed 's/^0*//')" -ge 97 ]
}

@test "CUDASIM_IOCTL=1 makes one ioctl a submission, without it there is none" {
	requires strace
	local log="$BATS_TEST_TMPDIR/strace"
	sim strace -f -e trace=ioctl -o "$log" "$PROG/exits" > "$BATS_TEST_TMPDIR/out" ||
		skip "strace may not trace here"
	[ "$(grep -c TCGETS "$log")" -eq 0 ]
	CUDASIM_IOCTL=1 sim strace -f -e trace=ioctl -o "$log" "$PROG/exits"
	[ "$(grep -c 'TCGETS.*ENOTTY' "$log")" -eq 17 ]
}

@test "a launch costs the host little (the number is only printed)" {
	program launchloop 100000
	grep ns_per_launch= "$out" >&3
}

@test "the libraries export what a program links to, cudart under the version of its name" {
	readelf -V "$SIMLIB/libcudart.so.13" | grep -q "libcudart.so.13"
	run ! grep -q "Name: libcuda" <(readelf -V "$SIMLIB/libcuda.so.1")
	nm -D "$SIMLIB/libcuda.so.1" | grep -q " T cuLaunchKernel$"
	nm -D "$SIMLIB/libcudart.so.13" | grep -q " T cudaLaunchKernel@@libcudart.so.13$"
}

@test "the device refuses to start beside a real driver" {
	requires mounts
	run -1 unshare -m sh -c 'mount -t tmpfs none /dev && : > /dev/nvidiactl &&
		LD_LIBRARY_PATH="'"$SIMLIB"'" "'"$PROG"'/demo"'
	[ "${lines[0]}" = "cudasim: cannot start: a real NVIDIA driver is here (CUDASIM_FORCE=1 starts anyway)" ]
	[ "${lines[1]}" = "demo: cannot go on: cuInit returned 803" ]
}
