#!/usr/bin/env bats
# Steps found in traces written by hand: by names, by a pattern, by repetition of kernels.

setup() {
	load helpers
	T="$BATS_TEST_TMPDIR"
}

make_trace() { "$O/test/mktrace" > "$T/${1:-t}.gst"; }
# steps LINES [ARG...]: what stepdump says of t.gst is these lines
steps() {
	local want="$1"
	shift
	run -0 "$O/test/stepdump" "$@" "$T/t.gst"
	[ "$output" = "$want" ] || { echo "$output"; return 1; }
}

# names PRODUCER TEXT...: ids from 1
names() {
	local p="$1" id=0
	shift
	for text; do echo "name producer=$p id=$((++id)) what=span text=\"$text\""; done
}

# span PRODUCER NAME START DUR [what]
span() { echo "span ts=$3 producer=$1 pid=$((10 * $1)) tid=$((10 * $1)) dur_ns=$4 name=$2 what=${5:-annotation} device=4294967295 stream=4294967295"; }

@test "ProfilerStep ranges are the steps, whatever else is called a step" {
	{
		names 1 "ProfilerStep#7" "ProfilerStep#8" "Optimizer.step#Adam.step" "step 1" "step 2" "ProfilerStep#9"
		span 1 1 1000 900
		span 1 2 2000 950
		span 1 6 3000 900
		span 1 3 1500 10
		span 1 4 100 5000
		span 1 5 6000 5000
	} | make_trace
	steps "process 1 10 profiler host 10 0 0 ProfilerStep#
step 1000 1900 7
step 2000 2950 8
step 3000 3900 9"
}

@test "what the old profiler lists among operators counts too, what it lists of the GPU only where nothing else is" {
	{
		names 1 "ProfilerStep#1" "ProfilerStep#2"
		span 1 1 1000 900 op
		span 1 2 2000 900 op
		span 1 1 5000 100 gpu_annotation
		names 2 "ProfilerStep#3" "ProfilerStep#4"
		span 2 1 1000 900 gpu_annotation
		span 2 1 1500 1000 gpu_annotation
		span 2 2 2400 300 gpu_annotation
	} | make_trace
	steps "process 1 10 profiler host 10 0 0 ProfilerStep#
step 1000 1900 1
step 2000 2900 2
process 2 20 profiler gpu 0 0 0 ProfilerStep#
step 1000 2500 3
step 2500 2700 4"
}

@test "ranges of NVTX and annotations named as steps are, the widest of them" {
	{
		names 1 "train_step" "microbatch 0" "microbatch 1" "forward" "get_batch"
		for i in 0 1 2; do
			echo "nvtx ts=$((1000 + 1000 * i)) producer=1 pid=10 tid=11 dur_ns=800 name=1 what=push_pop"
			echo "nvtx ts=$((1100 + 1000 * i)) producer=1 pid=10 tid=11 dur_ns=300 name=2 what=push_pop"
			echo "nvtx ts=$((1400 + 1000 * i)) producer=1 pid=10 tid=11 dur_ns=300 name=3 what=push_pop"
			echo "nvtx ts=$((1100 + 1000 * i)) producer=1 pid=10 tid=11 dur_ns=200 name=4 what=push_pop"
		done
	} | make_trace
	steps "process 1 10 range host 11 0 0 train_step
step 1000 1800 0
step 2000 2800 1
step 3000 3800 2"
}

@test "names that only sound like steps are none, and one range of that name is no loop" {
	{
		names 1 "Optimizer.step#SGD.step" "stepper 1" "stepper 2" "cudaIter" "iteration 3"
		for i in 1 2 3 4 5; do span 1 $i $((i * 1000)) 500; done
		span 1 1 9000 500
	} | make_trace
	steps ""
}

@test "the user's pattern decides: outermost matches of the busiest thread, the others are counted" {
	{
		names 1 "ProfilerStep#1" "decode[4]" "decode[5]" "ProfilerStep#2"
		span 1 1 1000 900
		span 1 4 2000 900
		span 1 2 1100 300
		span 1 3 1200 50
		span 1 3 1500 400 python
		echo "span ts=1200 producer=1 pid=10 tid=12 dur_ns=30 name=2 what=annotation"
	} | make_trace
	steps "process 1 10 given host 10 0 2 ^decode
step 1100 1400 4
step 1500 1900 5" -p '^decode'
	run -1 "$O/test/stepdump" -p '(' "$T/t.gst"
	[[ "$output" == 'stepdump: cannot use the pattern "(": '* ]] || { echo "$output"; false; }
}

# loop STEPS LAYERS [SKIP]: a network of LAYERS equal layers between a head and an optimizer, without the
# first SKIP kernels; the host waits before each step
loop() {
	names 1 embed attention mlp norm loss adam
	awk -v steps="$1" -v layers="$2" -v skip="${3:-0}" 'function k(name, wait) {
			t += wait
			if (n++ >= skip)
				print "kernel ts=" t " producer=1 pid=10 dur_ns=90 name=" name
			t += 100 }
		BEGIN { t = 1000
			for (s = 0; s < steps; s++) {
				k(1, 500)
				for (l = 0; l < layers; l++) { k(2, 0); k(3, 0); k(4, 0) }
				k(5, 0); k(6, 0)
			} }'
}

@test "steps that overlap by what the profiler rounded are all there" {
	{
		names 1 "ProfilerStep#1" "ProfilerStep#2" "ProfilerStep#3"
		span 1 1 1000 1001
		span 1 2 2000 1000
		span 1 3 2999 1000
	} | make_trace
	steps "process 1 10 profiler host 10 0 0 ProfilerStep#
step 1000 2001 1
step 2000 3000 2
step 2999 3999 3"
}

@test "without names the repetition of the kernels is the step, not that of the layers" {
	for layers in 1 2 7 40; do
		loop 6 $layers | make_trace
		period=$((3 * layers + 3))
		length=$((100 * period + 500))
		steps "$(
			echo "process 1 10 repeated gpu 0 $period 0 embed"
			for i in 0 1 2 3 4; do echo "step $((1500 + i * length)) $((1500 + (i + 1) * length)) $i"; done)"
	done
}

@test "a window that begins and ends in the middle of a step, and a loop whose first round differs" {
	{ loop 5 4 9; echo "kernel ts=1 producer=1 pid=10 dur_ns=1 name=6"; } | make_trace
	run -0 "$O/test/stepdump" "$T/t.gst"
	[ "${lines[0]}" = "process 1 10 repeated gpu 0 15 0 embed" ] || { echo "$output"; false; }
	[ "${#lines[@]}" -eq 4 ]
}

@test "no repetition where there is none: two steps with layers inside, random kernels" {
	loop 2 30 | make_trace
	steps ""
	{
		names 1 a b c d e f g h
		awk 'BEGIN { srand(4); for (i = 0; i < 5000; i++) print "kernel ts=" 1000 + 100 * i " producer=1 pid=10 dur_ns=90 name=" 1 + int(8 * rand()) }'
	} | make_trace
	steps ""
}

@test "a long loop is followed beyond the sample in which its repetition was found" {
	loop 40000 2 | make_trace
	run -0 "$O/test/stepdump" "$T/t.gst"
	[ "${lines[0]}" = "process 1 10 repeated gpu 0 9 0 embed" ] || { echo "${lines[0]}"; false; }
	[ "${#lines[@]}" -eq 40000 ]
	[ "${lines[39999]}" = "step $((1500 + 39998 * 1400)) $((1500 + 39999 * 1400)) 39998" ] || { echo "${lines[39999]}"; false; }
}

@test "steps of several files are told apart although their ids are the same" {
	for i in 1 2; do
		{ names 1 "ProfilerStep#$i"; span 1 1 1000 $((i * 100)); } | make_trace $i
	done
	run -0 "$O/test/stepdump" "$T/1.gst" "$T/2.gst"
	[ "$(grep -c ^process <<< "$output")" -eq 2 ]
	[ "$(awk '$1 == "step" { print $3 - $2, $4 }' <<< "$output")" = "100 1
200 2" ] || { echo "$output"; false; }
}

# is JQ VALUE: one value of gpureport's JSON of t.gst
is() {
	local got
	[ -e "$T/json" ] || "$BIN/gpureport" -j "$T/t.gst" > "$T/json"
	got="$(jq -c "$1" "$T/json")"
	[ "$got" = "$2" ] || { echo "$1 is $got, not $2"; return 1; }
}

# five steps of 1000 ns, 100 apart; each launches a GEMM, a collective and a copy that run 500 ns later; the
# fourth takes 400 longer, in its collective
five_steps() {
	names 1 "ProfilerStep#1" "ProfilerStep#2" "ProfilerStep#3" "ProfilerStep#4" "ProfilerStep#5"
	cat <<-'END'
	name producer=1 id=11 what=kernel text=some_gemm_kernel
	name producer=1 id=12 what=kernel text=ncclKernel_AllReduce
	name producer=1 id=13 what=api text=cudaLaunchKernel
	END
	awk 'BEGIN { t = 1000
		for (s = 1; s <= 5; s++) {
			more = s == 4 ? 400 : 0
			printf "span ts=%d producer=1 pid=10 tid=10 dur_ns=%d name=%d what=annotation device=4294967295 stream=4294967295\n", t, 1000 + more, s
			for (k = 0; k < 3; k++)
				printf "api ts=%d producer=1 pid=10 tid=10 dur_ns=5 correlation=%d name=13 class=launch\n", t + 10 + k, 10 * s + k
			printf "kernel ts=%d producer=1 pid=10 dur_ns=300 name=11 correlation=%d stream=1\n", t + 500, 10 * s
			printf "kernel ts=%d producer=1 pid=10 dur_ns=%d name=12 correlation=%d stream=2\n", t + 700, 250 + more, 10 * s + 1
			printf "copy ts=%d producer=1 pid=10 dur_ns=200 copy_kind=DtoH correlation=%d stream=3\n", t + 900 + more, 10 * s + 2
			t += 1100 + more
		} }'
}

@test "the time of each step is parted like the whole: what reaches into the next one counts there" {
	five_steps | make_trace
	is '.ranks[0].steps | del(.list)' \
		'{"method":"profiler","name":"ProfilerStep#","on_gpu":false,"tid":10,"count":5,"total_ns":5400,"min_ns":1000,"p50_ns":1000,"max_ns":1400,"outliers":1,"ranges_left_out":0,"kernels_in_no_step":0}'
	# the copy of a step ends 100 behind it, before the next one begins
	is '[.ranks[0].steps.list[] | [.number, .dur_ns, .compute_ns, .comm_ns, .comm_hidden_ns, .comm_exposed_ns, .copy_exposed_ns, .idle_ns, .outlier]]' \
		'[[1,1000,300,250,100,150,50,500,false],[2,1000,300,250,100,150,50,500,false],[3,1000,300,250,100,150,50,500,false],[4,1400,300,650,100,550,50,500,true],[5,1000,300,250,100,150,50,500,false]]'
	is '[.ranks[0].steps.list[] | [.kernels, .kernel_ns]] | unique' '[[2,550],[2,950]]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"step 4 of rank pid 10 took 1.40 us, not 1.00 us: 400 ns more of communication"* ]] || { echo "$output"; false; }
	[[ "$output" =~ pid\ 10\ +5\ +1.00\ us\ +1.00\ us\ +1.40\ us\ +27.8\ +21.3\ +4.6\ +46.3\ +1\ +profiler:\ ProfilerStep# ]] || { echo "$output"; false; }
}

@test "steps that take much longer than the others are a finding" {
	five_steps | make_trace
	is '[.findings[] | select(.rule == "step_outliers") | [.about, .evidence]]' \
		'[["rank pid 10",{"outliers":1,"steps":5,"median_ns":1000,"longest_ns":1400,"beyond_median_ns":400,"of_that_part_ns":400}]]'
	is '[.findings[] | select(.rule == "step_outliers") | .text]' '["1 of 5 steps take much longer than the others, most of the difference is communication"]'
	five_steps | sed '/^span/s/dur_ns=1400/dur_ns=1050/' | make_trace
	rm "$T/json"
	is '[.findings[] | select(.rule == "step_outliers")]' '[]'
}

@test "a kernel is of the step that launched it, not of the one in which it runs" {
	five_steps | sed -E '/^kernel/s/ts=([0-9]+)/ts=9\1/' | make_trace
	is '[.ranks[0].steps.list[] | [.kernels, .kernel_ns, .compute_ns]] | unique' '[[2,550,0],[2,950,0]]'
	five_steps | sed -E '/^kernel/s/correlation=[0-9]+//' | make_trace
	rm "$T/json"
	is '[.ranks[0].steps.list[] | .kernels] | add' 0
	is '.ranks[0].steps.kernels_in_no_step' 0
	is '.ranks[0].kernels.no_launch.count' 10
}

@test "--step names the steps, and standard input has none" {
	five_steps | make_trace
	"$BIN/gpureport" -j --step 'Step#[23]' "$T/t.gst" > "$T/json"
	is '.ranks[0].steps | [.method, .name, .count]' '["given","Step#[23]",2]'
	is '.ranks[0].steps.kernels_in_no_step' 6
	"$BIN/gpureport" -j - < "$T/t.gst" > "$T/json"
	is '.ranks[0].steps' null
	run -1 "$BIN/gpureport" --step x - < "$T/t.gst"
	[ "$output" = "gpureport: cannot find the steps of standard input: it is read once (write it to a file)" ] || { echo "$output"; false; }
	run -1 "$BIN/gpureport" --step '[' "$T/t.gst"
	[[ "$output" == 'gpureport: cannot use the pattern "[": '* ]] || { echo "$output"; false; }
}

@test "ranks without a GPU have their steps" {
	{ names 1 "ProfilerStep#7"; span 1 1 1000 900; } | make_trace
	is '.ranks | length' 1
	is '.ranks[0].steps.list[0] | [.number, .dur_ns, .idle_ns]' '[7,900,900]'
}

@test "repetitions whose kernels vary by a few are steps all the same" {
	{
		names 1 embed attention mlp extra
		awk 'BEGIN { t = 1000
			for (s = 0; s < 6; s++) {
				t += 900
				for (k = 0; k < 60; k++) {
					print "kernel ts=" t " producer=1 pid=10 dur_ns=90 name=" (k ? 2 + k % 2 : 1)
					t += 100
				}
				if (s == 1 || s == 2 || s == 4) { print "kernel ts=" t " producer=1 pid=10 dur_ns=90 name=4"; t += 100 }
			} }'
	} | make_trace
	run -0 "$O/test/stepdump" "$T/t.gst"
	[[ "${lines[0]}" == "process 1 10 repeated gpu 0 6"[01]" 0 embed" ]] || { echo "$output"; false; }
	[ "$(grep -c ^step <<< "$output")" -eq 5 ]
}
