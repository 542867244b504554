#!/usr/bin/env bats
# gpureport on several ranks: traces written by hand against sums made by hand.

setup() {
	load helpers
	requires jq
	T="$BATS_TEST_TMPDIR"
}

# report [FILE...]: the JSON of the lines of stdin, or of the files, in $T/json
report() {
	[ $# -gt 0 ] || { "$O/test/mktrace" > "$T/t.gst"; set -- "$T/t.gst"; }
	"$BIN/gpureport" -j "$@" > "$T/json"
}
# is JQ VALUE: one value of it
is() {
	local got
	got="$(jq -c "$1" "$T/json")"
	[ "$got" = "$2" ] || { echo "$1 is $got, not $2"; return 1; }
}

# rank P R: process P of rank R, with its names
rank() {
	cat <<-END
	source ts=1 producer=$1 pid=$((10 * $1)) rank=$2 world=8 format=kineto file=$1 text=rank$2.json
	task ts=1 pid=$((10 * $1)) tid=$((10 * $1)) process=$1 comm=train
	device producer=$1 ordinal=0 name=GPU
	name producer=$1 id=1 what=api text=cudaLaunchKernel
	name producer=$1 id=2 what=kernel text="void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(int)"
	name producer=$1 id=3 what=kernel text="ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
	name producer=$1 id=4 what=kernel text="void at::native::vectorized_elementwise_kernel<4, softmax>(int)"
	name producer=$1 id=5 what=api text=cudaStreamSynchronize
	name producer=$1 id=6 what=api text=cudaGraphLaunch
	name producer=$1 id=7 what=span text=ProfilerStep#1
	name producer=$1 id=8 what=span text=ProfilerStep#2
	name producer=$1 id=9 what=collective text=allreduce
	name producer=$1 id=10 what=collective text=tensor_parallel
	END
}
# kernel P START DUR NAME [field=value...]
kernel() { echo "kernel ts=$2 producer=$1 pid=$((10 * $1)) dur_ns=$3 name=$4 ${*:5}"; }
# call P START DUR CORRELATION NAME CLASS
call() { echo "api ts=$2 producer=$1 pid=$((10 * $1)) tid=$((10 * $1)) dur_ns=$3 correlation=$4 name=$5 class=$6"; }

@test "a GPU's time is parted into computing, communication in the open, copies in the open, idle" {
	{
		rank 1 0
		kernel 1 1000 100 2 stream=1
		kernel 1 1050 200 3 stream=2		# 50 hidden, 150 in the open
		kernel 1 1200 100 4 stream=1		# hides 50 more
		echo "copy ts=1150 producer=1 pid=10 dur_ns=400 bytes=7 copy_kind=HtoD stream=3"
		kernel 1 2000 100 3 stream=2
		kernel 1 2050 100 3 stream=4		# communication beside communication
	} | report
	is '.ranks[0] | [.rank, .pid, .file, .first_ns, .last_ns, .window_ns]' '[0,10,"rank0.json",1000,2150,1150]'
	is '.ranks[0] | [.busy_ns, .compute_ns, .comm_ns, .comm_hidden_ns, .comm_exposed_ns, .copy_ns, .copy_exposed_ns, .idle_ns, .kernel_busy_ns]' \
		'[700,200,350,100,250,400,250,450,450]'
	is '.ranks[0] | .compute_ns + .comm_exposed_ns + .copy_exposed_ns + .idle_ns == .window_ns' true
	is '.comm | [.count, .total_ns, .busy_ns, .hidden_ns, .exposed_ns]' '[3,400,350,100,250]'
	is '.ranks[0].kernels.by_class' '{"comm":{"count":3,"total_ns":400},"gemm":{"count":1,"total_ns":100},"elementwise":{"count":1,"total_ns":100}}'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" =~ RANK\ .*HIDDEN ]]
	[[ "$output" =~ 0\ +1\ +1.15\ us\ +17.4\ +21.7\ +21.7\ +39.1\ .*28.6\ .*train ]] || { echo "$output"; false; }
	[[ "$output" == *"communication: 3 kernels, 350 ns; 28.6% of it hidden by computing, 250 ns not"* ]]
}

@test "the parts of random kernels on many streams agree with a count of every nanosecond" {
	{
		rank 1 0
		awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++)
			printf "%s ts=%d producer=1 pid=10 dur_ns=%d %s stream=%d\n", (k = int(4 * rand())) == 3 ? "copy" : "kernel", 1000 + int(60000 * rand()),
				int(90 * rand() * rand()), k == 3 ? "copy_kind=DtoD" : "name=" 2 + k, int(9 * rand()) }'
	} > "$T/lines"
	report < "$T/lines"
	grep -E '^(kernel|copy) ' "$T/lines" | sed -E 's/^copy /copy name=9 /; s/(kernel|copy) (name=9 )?ts=([0-9]+).*dur_ns=([0-9]+)( name=([0-9]))?.*/\3 \4 \6/' | awk '
		{ for (t = $1; t < $1 + $2; t++) { if ($3 == 3) n[t] = 1; else if ($3 == "") m[t] = 1; else c[t] = 1; any[t] = 1 }
		  if (!first || $1 < first) first = $1; if ($1 + $2 > last) last = $1 + $2 }
		END { for (t in any) { busy++; if (c[t]) compute++; if (n[t]) { comm++; if (c[t]) hidden++ }
			if (m[t]) { copy++; if (!c[t] && !n[t]) open++ } }
			printf "[%d,%d,%d,%d,%d,%d,%d]", busy, compute, comm, hidden, copy, open, last - first - busy }' > "$T/truth"
	is '.ranks[0] | [.busy_ns, .compute_ns, .comm_ns, .comm_hidden_ns, .copy_ns, .copy_exposed_ns, .idle_ns]' "$(cat "$T/truth")"
	is '.ranks[0].idle_by_cause | add' "$(jq '.ranks[0].idle_ns' "$T/json")"
	is '[.ranks[0].late]' '[0]'
}

@test "idle time has a cause, and the causes sum to it" {
	{
		rank 1 0
		call 1 900 20 1 1 launch
		kernel 1 1000 100 2 correlation=1
		call 1 950 20 2 1 launch
		kernel 1 1130 70 2 correlation=2	# 30 idle: launched before
		call 1 1000 600 9 5 sync		# 1200-1600: the host waits in a call, then 50
		call 1 1650 20 3 1 launch
		kernel 1 1700 100 2 correlation=3	# 50 from the launch
		call 1 2800 20 4 1 launch		# 1800-2800: the host does something else
		kernel 1 2810 90 2 correlation=4
		kernel 1 3000 10 2			# 100: nobody knows
	} | report
	is '.ranks[0].idle_by_cause | with_entries(select(.value > 0))' '{"unknown":100,"queued":30,"launch":60,"host":1050,"sync":400}'
	is '.ranks[0] | [.idle_ns, .launch_bound_ns, .gaps]' '[1640,1510,4]'
	is '.ranks[0].kernels | [.count, .no_launch.count, .no_launch.total_ns, .delay.count, .delay.p50_ns, .delay.max_ns]' '[5,1,10,4,50,180]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"1 kernels have no launch in the recording (20.0%, 2.7% of kernel time)"* ]] || { echo "$output"; false; }
}

@test "a copy that blocks its thread is why the GPU is idle until it returns, then what the thread does" {
	{
		rank 1 0
		echo "name producer=1 id=20 what=api text=cudaMemcpy"
		echo "name producer=1 id=21 what=api text=cudaMalloc"
		call 1 1000 1000 1 20 copy		# the copy is done at 1400, the call at 2000
		echo "copy ts=1100 producer=1 pid=10 dur_ns=300 correlation=1 copy_kind=DtoH"
		call 1 2100 500 2 21 alloc
		call 1 2700 10 3 1 launch
		kernel 1 2800 100 2 correlation=3
	} | report
	# 600 in the copy's call, 500 in cudaMalloc, 200 beside it, 100 from the launch
	is '.ranks[0].idle_by_cause | with_entries(select(.value > 0))' '{"launch":100,"host":200,"copy":600,"memory":500}'
	is '.ranks[0].idle_ns' 1400
}

@test "the queue is what was launched and has not started, over time" {
	{
		rank 1 0
		for i in 1 2 3 4; do call 1 $((1000 + 10 * i)) 5 $i 1 launch; done
		kernel 1 1100 100 2 correlation=1	# queue 3 from here
		kernel 1 1200 100 2 correlation=2	# 2
		kernel 1 1400 100 2 correlation=3	# 1
		kernel 1 1500 100 2 correlation=4	# 0
		kernel 1 1600 100 2			# launch unknown: in no queue
	} | report
	# from 1100 to 1700: 3 x 100, 2 x 200, 1 x 100, 0 x 200
	is '.ranks[0].queue' '{"operations":4,"mean_milli":1333,"max":4,"empty_ns":200}'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" =~ QUEUE.*\ 1.3\ +4\ +train ]] || { echo "$output"; false; }
}

@test "an operation that starts before its launch is early, and in no queue" {
	{
		rank 1 0
		call 1 1500 5 1 1 launch
		kernel 1 1100 100 2 correlation=1
		kernel 1 1900 100 2
	} | report
	is '.ranks[0] | [.kernels.early.count, .kernels.delay.count, .queue.operations, .queue.max, .idle_by_cause.unknown]' '[1,0,0,0,700]'
}

@test "kernels of graphs are counted by what the trace knows: nodes, or a call that launches graphs" {
	{
		rank 1 0
		call 1 900 5 1 6 graph_launch
		call 1 910 5 2 1 launch
		for i in 0 1 2; do kernel 1 $((1000 + 100 * i)) 60 2 correlation=1; done
		kernel 1 1400 20 2 correlation=2
		kernel 1 1500 10 2 graph_node=5
	} | report
	is '.ranks[0] | [.launches, .graph_launches, .kernels.graph_launched.count, .kernels.graph_launched.total_ns, .kernels.graph_nodes.count]' '[1,1,3,180,1]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"3 kernels are of graphs (60.0%, 85.7% of kernel time)"* ]] || { echo "$output"; false; }
}

# A collective of three ranks at 1000 and 3000; the first time rank 1 is last, then twice rank 2
collectives() {
	rank 1 0; rank 2 1; rank 3 2
	kernel 1 1000 510 3; kernel 2 1400 112 3; kernel 3 1100 411 3
	kernel 1 3000 310 3; kernel 2 3010 300 3; kernel 3 3200 110 3
	kernel 1 5000 310 3; kernel 2 5010 301 3; kernel 3 5200 110 3
	kernel 2 6000 10 2
}

@test "who arrives last at a collective is told, and how long the others waited for it" {
	collectives | report
	is '.comm.collectives | [.matched, .unmatched, .by_start, .clock_error_ns]' '[3,0,true,1]'
	is '[.comm.collectives.list[] | [.name, .last, .shortest, .spread_ns, .end_spread_ns]]' \
		'[["ncclDevKernel_AllReduce_Sum_f32_RING_LL","1","1",400,2],["ncclDevKernel_AllReduce_Sum_f32_RING_LL","2","2",200,0],["ncclDevKernel_AllReduce_Sum_f32_RING_LL","2","2",200,1]]'
	is '[.ranks[].collectives | [.last, .caused_ns, .waited_by_start_ns, .waited_ns]]' '[[0,0,800,800],[1,700,380,380],[2,780,300,300]]'
	is '[.ranks[].collectives.waited_by_duration_ns]' '[798,381,299]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" =~ 2\ +2\ +3\ +780\ ns\ +300\ ns ]] || { echo "$output"; false; }
}

@test "clocks that differ more than arrivals do not say who was late: durations do" {
	collectives | sed -E '/producer=2 /s/^kernel ts=/kernel ts=9/' | report	# rank 1's clock is 90000 ahead
	is '.comm.collectives | [.matched, .by_start]' '[3,false]'
	is '[.comm.collectives.list[].last]' '["1","2","2"]'
	is '[.ranks[].collectives.waited_ns]' '[798,381,299]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"by durations: in the median the ranks' ends differ by 90.0 us"* ]] || { echo "$output"; false; }
}

@test "collectives are matched by group and sequence number where the trace has them, else by their count" {
	{
		rank 1 0; rank 2 1
		for p in 1 2; do for s in 5 6 7; do
			echo "collective producer=$p id=$s name=9 group=10 sequence=$s bytes=100 group_size=2"
		done; done
		kernel 1 1000 100 3 collective=5; kernel 1 2000 100 3 collective=6
		kernel 2 2010 90 3 collective=6; kernel 2 3000 100 3 collective=7
	} > "$T/lines"
	report < "$T/lines"
	is '.comm.collectives | [.matched, .unmatched, .list[0].sequence, .list[0].name]' '[1,2,6,"allreduce, group tensor_parallel"]'
	is '.comm.by_collective' '[{"name":"allreduce","count":4,"total_ns":390,"bytes":400}]'
	# without numbers: one more on one rank, and nothing is known
	sed 's/ collective=[0-9]//; s/^kernel ts=3000.*//' "$T/lines" | report
	is '.comm.collectives | [.matched, .unmatched]' '[0,3]'
}

@test "recordings of several machines are one report: ids apart, clocks brought together" {
	for i in 1 2; do
		{
			echo "info boot_id=boot$i"
			echo "clock ts=$((i * 1000000)) realtime_ns=5000000"
			echo "task ts=1 pid=10 tid=10 process=1 comm=train$i"
			rank 1 $((i - 1)) | grep -v ^task
			call 1 $((i * 1000000 + 100)) 10 1 1 launch
			kernel 1 $((i * 1000000 + 100 + 100 * i)) $((1000 - 100 * i)) 3 correlation=1
		} | "$O/test/mktrace" > "$T/$i.gst"
	done
	report "$T/1.gst" "$T/2.gst"
	is '[.ranks[] | [.rank, .process, .comm.count, .first_ns, .kernels.delay.p50_ns]]' '[[0,"train1",1,1000200,100],[1,"train2",1,1000300,200]]'
	is '.comm.collectives | [.matched, .list[0].last, .list[0].spread_ns, .list[0].end_spread_ns]' '[1,"1",100,0]'
	is '[.processes, .kernels.count, .api.count, .launch.correlated]' '[2,2,2,2]'
	is '[.by_process[].pid] | unique | length' 2
}

# finding RULE: what it says about whom, and its evidence
finding() { jq -c --arg r "$1" '[.findings[] | select(.rule == $r) | [.about, .evidence]]' "$T/json"; }

@test "a rank that is late again and again, and communication in the open, are findings with their evidence" {
	{
		rank 1 0; rank 2 1
		for i in $(seq 10); do
			t=$((10000 * i))
			kernel 1 $t 1000 2; kernel 2 $t 3000 2
			kernel 1 $((t + 1000)) 4000 3; kernel 2 $((t + 3000)) 2000 3
		done
	} > "$T/lines"
	report < "$T/lines"
	[ "$(finding straggler)" = '[["rank 1",{"last":10,"collectives":10,"others_waited_ns":20000,"it_waited_ns":0,"first_to_last_ns":190000,"ends_differ_ns":0}]]' ] ||
		{ finding straggler; false; }
	[ "$(finding exposed_comm)" = '[["all ranks that communicate",{"exposed_ns":60000,"communication_ns":60000,"first_to_last_ns":190000,"kernels":20}]]' ] ||
		{ finding exposed_comm; false; }
	# in turns nobody is a straggler; where it is hidden, nothing is in the open
	awk '/^kernel/ && /name=[23]/ { split($2, t, "="); r = int(t[2] / 10000) % 2; if (r) { if (/producer=1/) sub(/producer=1 pid=10/, "producer=2 pid=20"); else sub(/producer=2 pid=20/, "producer=1 pid=10") } }
		{ print }' "$T/lines" | sed '/^kernel.*name=2/s/dur_ns=[0-9]*/dur_ns=9000/' | report
	[ "$(finding straggler)$(finding exposed_comm)" = "[][]" ] || { finding straggler; finding exposed_comm; false; }
}

@test "names decide the class of a kernel" {
	run -0 "$O/test/kernelclass" <<-'END'
	ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)
	void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)
	triton_red_fused_addmm_native_layer_norm_3
	void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, cutlass::half_t>, true>(Flash_fwd_params)
	sm80_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_execute_kernel_cudnn_infer
	volta_scudnn_128x64_relu_small_nn_v1
	Cijk_Alik_Bljk_BBS_BH_MT128x128x64
	void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(Params)
	void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, false, false>(float*, float const*, int)
	void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float)
	void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)
	void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}> >(int)
	void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::NormTwoOps<float>, unsigned int, float, 4> >(at::native::ReduceOp<float>)
	void cudnn::ops::convertTensor_kernel<float, float, float, (cudnnKernelDataType_t)2>(float)
	void clover::par_ranged2d_kernel<PdV_kernel(bool, int)::[lambda(int) (instance 1)]>(int)
	END
	[ "$output" = "comm ncclDevKernel_SendRecv
collective cross_device_reduce_1stage
triton triton_red_fused_addmm_native_layer_norm_3
attention flash_fwd_kernel
conv sm80_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_execute_kernel_cudnn_infer
conv volta_scudnn_128x64_relu_small_nn_v1
gemm Cijk_Alik_Bljk_BBS_BH_MT128x128x64
gemm Kernel
softmax softmax_warp_forward
norm vectorized_layer_norm_kernel
elementwise rotary_embedding_kernel
copy elementwise_kernel
reduce reduce_kernel
copy convertTensor_kernel
other par_ranged2d_kernel" ] || { echo "$output"; false; }
}

@test "the man page has the words of every class" {
	run -0 "$O/test/kernelclass" -w
	[ "${#lines[@]}" -gt 10 ]
	page="$(sed -n '/^\.SH CLASSES/,/^\.SH JSON/p' "$ROOT/tools/gpureport.8" | tr '\n' ' ' | sed 's/\\-/-/g')"
	while read -r class words; do
		[[ "$page" == *".B $class "* ]] || { echo "no class $class"; false; }
		for w in $words; do [[ "$page" == *" ${w#^}"[\ ,]* ]] || { echo "$class: no word $w"; false; }; done
	done <<< "$output"
}

@test "half a million operations in any order within a minute, in bounded memory" {
	{
		rank 1 0
		awk 'BEGIN { for (s = 0; s < 500; s++) {
			for (i = 999; i >= 0; i--)
				printf "kernel ts=%.0f producer=1 pid=10 dur_ns=600000 name=%d stream=%d\n", 1e9 + s * 1e9 + i * 1e6, 2 + i % 2, i % 2
			print "flush" } }'
	} | "$O/test/mktrace" > "$T/t.gst"
	run -0 --separate-stderr "$BIN/gpureport" -v -j "$T/t.gst"
	[ "$(jq -c '.ranks[0] | [.kernels.count, .compute_ns, .comm_ns, .comm_hidden_ns, .idle_ns, .late]' <<< "$output")" = \
		"[500000,150000000000,150000000000,0,199999600000,0]" ] || { jq -c '.ranks[0]' <<< "$output"; false; }
	kib="$(sed -n 's/.*at most \([0-9]*\) KiB.*/\1/p' <<< "$stderr")"
	echo "$stderr"
	[ "$kib" -lt 110000 ]
}
