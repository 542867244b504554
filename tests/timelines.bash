# A step of a program by hand, for the tests of gputimeline.
# shellcheck shell=bash

step() {
	cat <<-'END'
	info driver=simulated start_ns=1000 start_realtime_ns=1700000000000000000
	task ts=1000 pid=100 tid=100 what=exec comm=trainer process=1
	device producer=1 pid=100 ts=1000 ordinal=0 name="cudasim GPU" uuid=00112233445566778899aabbccddeeff cc_major=9
	name producer=1 id=1 what=api text="cudaLaunchKernel"
	name producer=1 id=2 what=kernel text="_Z6kernelPfi"
	name producer=1 id=3 what=nvtx text="step"
	name producer=1 id=4 what=api text="cudaMemcpyAsync"
	name producer=1 id=5 what=api text="cuLaunchKernel"
	nvtx producer=1 pid=100 tid=100 ts=9000 dur_ns=9000 name=3 what=push_pop
	api producer=1 pid=100 tid=100 ts=10000 dur_ns=1000 correlation=1 name=1 domain=runtime class=launch
	api producer=1 pid=100 tid=100 ts=10100 dur_ns=800 correlation=1 name=5 domain=driver class=launch depth=1
	api producer=1 pid=100 tid=100 ts=11000 dur_ns=1000 correlation=2 name=1 domain=runtime class=launch
	api producer=1 pid=100 tid=100 ts=12000 dur_ns=5000 correlation=3 name=4 domain=runtime class=copy
	driver pid=100 tid=100 ts=12100 dur_ns=300 cmd=0xc0de device=0xc300000 fd=3 result=-22
	fault pid=100 tid=100 ts=12150 addr=0x1000 ip=0x2000 code=6
	switch pid=100 tid=100 ts=9500 on=1 cpu=1
	switch pid=100 tid=100 ts=13000 on=0 state=1
	wake pid=100 tid=100 ts=13900 waker_pid=5
	switch pid=100 tid=100 ts=14000 on=1
	kernel producer=1 ts=15000 dur_ns=2000 correlation=1 stream=7 context=1 name=2 grid=4,2,1 block=32,1,1 registers=12
	kernel producer=1 ts=16000 dur_ns=2000 correlation=2 stream=7 context=1 name=2 grid=4,2,1 block=32,1,1
	copy producer=1 ts=20000 dur_ns=3000 correlation=3 stream=13 context=1 bytes=4096 copy_kind=HtoD src_kind=pageable
	block pid=100 tid=100 ts=21000 dur_ns=5000 bytes=4096 sector=8 device=0x800000 op=read
	END
}

