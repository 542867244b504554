# Traces by hand for the tests of gpuflame.
# shellcheck shell=bash

# gst FILE: lines on stdin -> FILE
gst() { "$O/test/mktrace" -o "$1"; }

train() {
	cat <<-'END'
	info driver=simulated host=box start_ns=1000 start_realtime_ns=1700000000000000000
	task ts=1000 pid=100 tid=100 what=exec comm=trainer process=1
	task ts=1000 pid=100 tid=101 what=fork comm=worker process=1
	device producer=1 pid=100 ts=1000 ordinal=0 name="a GPU" uuid=00112233445566778899aabbccddeeff
	name producer=1 id=1 what=api text="cudaLaunchKernel"
	name producer=1 id=2 what=kernel text="_Z4gemmPfi"
	name producer=1 id=3 what=kernel text="_Z4reluPfi"
	name producer=1 id=4 what=api text="cudaMemcpyAsync"
	name producer=1 id=5 what=api text="cudaGraphLaunch"
	map ts=1000 pid=100 id=1 text="/opt/train"
	map ts=1000 pid=100 id=2 text="/usr/lib/libcudart.so.13"
	map ts=1000 pid=100 id=3 text="/opt/gpuscope/libgpuscope-cuda.so"
	map ts=1000 pid=100 id=4 text="/usr/lib/libcupti.so.13"
	symbol frame=0x0001000000000010 text="main"
	symbol frame=0x0001000000000020 text="_ZN3net7forwardEi"
	symbol frame=0x0001000000000030 text="_Z10load_batchv"
	symbol frame=0x0002000000000030 text="cudaLaunchKernel"
	symbol frame=0x0003000000000040 text="api_callback"
	symbol frame=0xffff800000001000 text="do_syscall_64"
	stack ts=1000 pid=100 tid=100 id=77 user_frames=6 frames=0x0003000000000040,0x0004000000000099,0x5000,0x0002000000000030,0x0001000000000020,0x0001000000000010
	stack ts=1000 pid=100 tid=100 id=78 kernel_frames=1 user_frames=2 frames=0xffff800000001000,0x0001000000000030,0x0001000000000010
	api producer=1 pid=100 tid=100 ts=10000 dur_ns=1000 correlation=1 name=1 domain=runtime class=launch
	api_stack pid=100 tid=100 ts=10000 stack=77 correlation=1 process=1
	api producer=1 pid=100 tid=101 ts=11000 dur_ns=900 correlation=2 name=1 domain=runtime class=launch
	api producer=1 pid=100 tid=100 ts=12000 dur_ns=2500 correlation=3 name=4 domain=runtime class=copy
	api producer=1 pid=100 tid=100 ts=12100 dur_ns=2000 correlation=3 name=1 domain=driver class=launch depth=1
	api_stack pid=100 tid=100 ts=12000 stack=78 correlation=3 process=1
	api producer=1 pid=100 tid=100 ts=14000 dur_ns=10 correlation=4 name=5 domain=runtime class=graph_launch
	api_stack pid=100 tid=100 ts=14000 stack=77 correlation=4 process=1
	kernel producer=1 pid=100 ts=15000 dur_ns=5000 correlation=1 name=2
	kernel producer=1 pid=100 ts=20000 dur_ns=7000 correlation=1 name=2
	kernel producer=1 pid=100 ts=16000 dur_ns=2001 correlation=2 name=3
	kernel producer=1 pid=100 ts=19000 dur_ns=3 correlation=9 name=3
	copy producer=1 pid=100 ts=20000 dur_ns=3000 correlation=3 bytes=4096 copy_kind=HtoD
	set producer=1 pid=100 ts=24000 dur_ns=11 correlation=3 bytes=4096
	graph producer=1 pid=100 ts=25000 dur_ns=500 correlation=4
	END
}

# random KERNELS: a trace with that many kernels of 37 names from 53 stacks in 5 threads; truth on fd 4
random() {
	awk -v n="$1" 'BEGIN {
		srand(7)
		print "task ts=1 pid=9 tid=9 what=exec comm=app process=1"
		for (i = 1; i <= 37; i++) print "name producer=1 id=" i " what=kernel text=kernel" i
		print "name producer=1 id=100 what=api text=cuLaunchKernel"
		print "map ts=1 pid=9 id=1 text=/app"
		for (i = 0; i < 53; i++)
			printf "stack ts=1 pid=9 tid=9 id=%d user_frames=3 frames=0x1%012x,0x1%012x,0x10001\n", i + 1000, i, 100 + i % 5
		for (i = 1; i <= n; i++) {
			ns = int(rand() * 1000000) + 1; name = int(rand() * 37) + 1; t = i * 10000
			printf "api producer=1 pid=9 tid=%d ts=%d dur_ns=5 correlation=%d name=100 domain=driver class=launch\n", 9 + i % 5, t, i
			if (i % 11) printf "api_stack pid=9 tid=%d ts=%d stack=%d correlation=%d process=1\n", 9 + i % 5, t, i % 53 + 1000, i
			printf "kernel producer=1 pid=9 ts=%d dur_ns=%d correlation=%d name=%d\n", t + 100, ns, i % 13 ? i : 0, name
			total += ns; by[name] += ns
			if (i % 13 == 0) lone += ns
			else if (i % 11 == 0) bare += ns
		}
		printf "total %.0f\nlone %.0f\nbare %.0f\n", total, lone, bare > "/dev/fd/4"
		for (i in by) printf "kernel%d %.0f\n", i, by[i] > "/dev/fd/4"
	}'
}

# uvm: services of unified memory, to be put behind train
uvm() {
	cat <<-'END'
	uvm_service pid=100 tid=100 ts=10200 dur_ns=300 id=1 addr=0x7000 what=3
	uvm_service pid=100 tid=0 ts=60000 dur_ns=700 id=2 addr=0x9000 what=1 gpu=1 batch=1
	END
}

# deep: a stack that calls itself and goes through libraries
deep() {
	cat <<-'END'
	task ts=1 pid=9 tid=9 what=exec comm=app process=1
	name producer=1 id=1 what=kernel text=k
	name producer=1 id=100 what=api text=cudaLaunchKernel
	map ts=1 pid=9 id=1 text=/app
	map ts=1 pid=9 id=2 text=/opt/torch/lib/libtorch_cpu.so
	map ts=1 pid=9 id=3 text=/opt/torch/lib/libc10.so
	symbol frame=0x0001000000000010 text=main
	symbol frame=0x0001000000000020 text=walk
	symbol frame=0x0002000000000030 text=_ZN2at6launchEv
	symbol frame=0x0003000000000040 text=_ZN3c104callEv
	symbol frame=0x0001000000000050 text=step
	stack ts=1 pid=9 tid=9 id=5 user_frames=7 frames=0x0001000000000050,0x0003000000000040,0x0002000000000030,0x0001000000000020,0x0001000000000020,0x0001000000000020,0x0001000000000010
	api producer=1 pid=9 tid=9 ts=100 dur_ns=5 correlation=1 name=100 domain=runtime class=launch
	api_stack pid=9 tid=9 ts=100 stack=5 correlation=1 process=1
	kernel producer=1 pid=9 ts=200 dur_ns=40 correlation=1 name=1
	END
}
