#!/usr/bin/env bats
# What gputimeline and gpuflame make of imported traces: small files of our own, where every
# nanosecond is known, and real ones against what the file itself says.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

# kineto RANK: two threads of a step of training. Python, annotation and operator nest around
# the launches; two kernels of one stream overlap; one has no launch, one launch no stack.
kineto() {
	cat <<-END
	{"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
	 "distributedInfo": {"backend": "nccl", "rank": $1, "world_size": 2},
	 "deviceProperties": [{"id": 0, "name": "a GPU", "totalGlobalMem": 1024}],
	 "traceEvents": [
	 {"ph": "M", "name": "process_name", "pid": 500, "tid": 0, "ts": 0, "args": {"name": "python3"}},
	 {"ph": "X", "cat": "python_function", "name": "/home/me/train.py(12): <module>", "pid": 500, "tid": 500, "ts": 1000.000, "dur": 900.000, "args": {"Python id": 1}},
	 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 500, "tid": 500, "ts": 1010.000, "dur": 800.000, "args": {}},
	 {"ph": "X", "cat": "python_function", "name": "/home/me/net.py(34): forward; eval", "pid": 500, "tid": 500, "ts": 1020.000, "dur": 300.000, "args": {"Python id": 2}},
	 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 500, "tid": 500, "ts": 1030.500, "dur": 100.250, "args": {"External id": 11}},
	 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 500, "tid": 500, "ts": 1040.000, "dur": 5.000, "args": {"correlation": 21}},
	 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 500, "tid": 500, "ts": 1200.000, "dur": 4.000, "args": {"correlation": 22}},
	 {"ph": "X", "cat": "cpu_op", "name": "MmBackward0", "pid": 500, "tid": 501, "ts": 1400.000, "dur": 90.000, "args": {"External id": 12}},
	 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 500, "tid": 501, "ts": 1500.000, "dur": 4.000, "args": {"correlation": 23}},
	 {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1050.001, "dur": 100.003, "args": {"device": 0, "stream": 7, "correlation": 21}},
	 {"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 1100.000, "dur": $((10 + $1)).500, "args": {"device": 0, "stream": 7, "correlation": 22}},
	 {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 9, "ts": 1600.000, "dur": 40.000, "args": {"device": 0, "stream": 9, "correlation": 23, "Collective name": "allreduce", "dtype": "Float", "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1]", "Group size": 2, "In msg nelems": 4096, "Out msg nelems": 4096}},
	 {"ph": "X", "cat": "kernel", "name": "lonely", "pid": 0, "tid": 7, "ts": 1300.000, "dur": 7.007, "args": {"device": 0, "stream": 7, "correlation": 99}},
	 {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#7", "pid": 0, "tid": 7, "ts": 1050.001, "dur": 300.000, "args": {}},
	 {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 5, "pid": 500, "tid": 500, "ts": 1030.500},
	 {"ph": "f", "cat": "fwdbwd", "name": "fwdbwd", "id": 5, "pid": 500, "tid": 501, "ts": 1400.000, "bp": "e"},
	 {"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 6, "pid": 500, "tid": 501, "ts": 1900.000},
	 {"ph": "C", "name": "power", "pid": 500, "tid": 0, "ts": 1100.000, "args": {"watts": 312.5}},
	 {"ph": "C", "name": "queue", "pid": 500, "tid": 0, "ts": 1100.000, "args": {"n": -3}},
	 {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "s": "t", "pid": 500, "tid": 500, "ts": 1045.000, "args": {"Total Reserved": 4096, "Total Allocated": 1024, "Bytes": 512, "Addr": 1, "Device Id": 0, "Device Type": 1}},
	 {"ph": "i", "cat": "cpu_op", "name": "here", "s": "t", "pid": 500, "tid": 500, "ts": 1046.000}
	 ]}
	END
}
# import NAME < JSON -> NAME.gst
import() { cat > "$1.json" && "$BIN/gpuimport" "$1.json" -o "$1.gst"; }
timeline() { "$BIN/gputimeline" "$@" -o t.pftrace 2> err && "$O/test/pfcheck" t.pftrace > counts; }
count() { awk -v k="$1" '$1 == k { print $2 }' counts; }
decode() { protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < t.pftrace > text; }

@test "timeline: spans, calls, kernels, counters, instants and arrows of a step are all there" {
	kineto 0 | import a
	timeline a.gst
	[ "$(count slices)" -eq $((3 + 2 + 3 + 1 + 1)) ]	# python and step, op, calls, GPU step, a loose arrow
	[ "$(count ops)" -eq 4 ]
	[ "$(count kernel_ns)" -eq $((100003 + 10500 + 40000 + 7007)) ]
	[ "$(count flows)" -eq 3 ]
	[ "$(count arrows)" -eq 3 ]
	[ "$(count instants)" -eq 1 ]
	grep -q "1 GPU operations have no API call" err
}

@test "timeline: an operator holds its call, the arrow leaves it and ends at its other half" {
	requires protoc
	kineto 0 | import a
	timeline a.gst
	decode
	run ! grep -nE '^[[:space:]]*[0-9]+[:{ ]' text
	# in order of the packets: what begins, and the arrows it carries
	python3 - > begun <<-'END'
	import re
	names, arrows = {}, {}
	for p in re.split(r"^packet \{", open("text").read(), flags=re.M):
	    block = re.findall(r"event_names \{\s+iid: (\d+)\s+name: \"(.*)\"", p)
	    names.update(block)
	    if "type: SLICE_BEGIN" not in p:
	        continue
	    name = names[re.search(r"^    name_iid: (\d+)", p, re.M)[1]]
	    out = re.findall(r"^    flow_ids: (\d+)", p, re.M)
	    into = re.findall(r"^    terminating_flow_ids: (\d+)", p, re.M)
	    print(name, *["out%d" % arrows.setdefault(i, len(arrows)) for i in out],
	          *["in%d" % arrows.setdefault(i, len(arrows)) for i in into])
	END
	sort begun > got
	diff got - <<-'END'
	/home/me/net.py(34): forward; eval
	/home/me/train.py(12): <module>
	MmBackward0 in0
	ProfilerStep#7
	ProfilerStep#7
	aten::mm out0
	cudaLaunchKernel
	cudaLaunchKernel
	cudaLaunchKernel
	fwdbwd out1
	END
}

@test "timeline: whose a GPU is goes by its name, and is not said of one without" {
	requires protoc
	for name in "NVIDIA H100" "Tesla V100" "AMD Instinct MI300X" "AMD Radeon Graphics" ""; do
		printf '{"deviceProperties":[{"id":0,"name":"%s"}],"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}]}' "$name" > a.json
		"$BIN/gpuimport" a.json -o a.gst
		timeline a.gst 2> /dev/null
		decode
		echo "$name:$(sed -n 's/^ *vendor: //p' text)"
	done > got
	diff got - <<-'END'
	NVIDIA H100:"NVIDIA"
	Tesla V100:"NVIDIA"
	AMD Instinct MI300X:"AMD"
	AMD Radeon Graphics:"AMD"
	:
	END
}

@test "timeline: counters keep their values, a collective says which, how much and between whom" {
	requires protoc
	kineto 1 | import a
	timeline a.gst
	decode
	grep -q 'double_counter_value: 312.5$' text
	grep -q 'counter_value: -3$' text
	grep -q 'counter_value: 4096$' text
	grep -q 'process_name: "rank 1: python3"' text
	for word in allreduce Float default_pg '\[0, 1\]'; do grep -q "string_value: \"$word\"" text; done
	for name in collective element_type group ranks group_size in_elements; do grep -q "name: \"$name\"" text; done
	grep -q 'name: "GPU 0 annotations, stream 7"' text
}

@test "timeline: two ranks as one: everything of both, processes by rank, kernel time to the nanosecond" {
	requires protoc
	kineto 0 | import a
	kineto 1 | import b
	timeline a.gst b.gst
	decode
	[ "$(count slices)" -eq 20 ]
	[ "$(count ops)" -eq 8 ]
	[ "$(count kernel_ns)" -eq $((2 * (100003 + 40000 + 7007) + 10500 + 11500)) ]
	[ "$(count gpus)" -eq 2 ]
	[ "$(grep process_name text | sort -u | wc -l)" -eq 2 ]
	run ! grep -E '^ +pid: -' text
	[ "$(grep -cE '^ +pid: 500$' text)" -gt 0 ]
}

# truth FILE: slices, GPU operations and kernel time as the file itself has them
truth() {
	python3 - "$1" <<-'END'
	import decimal, gzip, json, sys
	ops = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
	events = json.load(gzip.open(sys.argv[1]), parse_float=decimal.Decimal)["traceEvents"]
	x = [e for e in events if e["ph"] == "X"]
	kernels = [e for e in x if e.get("cat", "").lower() == "kernel"]
	gpu = [e for e in x if e.get("cat") in ops]
	print("slices", len(x) - len(gpu))
	print("ops", len(gpu))
	print("kernels", len(kernels))
	print("kernel_ns", sum(int((decimal.Decimal(e["dur"]) * 1000).to_integral_value(
	    decimal.ROUND_HALF_UP)) for e in kernels))
	END
}

@test "timeline: real files: slices in are slices out, kernels and their nanoseconds too" {
	requires data
	requires python3
	for f in h100_qwen05b nccl_rank0of2_a100 resnet50_w0_runA_v100 resnet50_oldfmt_w0 linear_rtx2080ti; do
		"$BIN/gpuimport" "$DATA/traces/kineto/$f.json.gz" -o r.gst
		timeline r.gst
		truth "$DATA/traces/kineto/$f.json.gz" > want
		grep -wE 'slices|ops|kernels|kernel_ns' counts | sort > got
		diff got <(sort want)
	done
}

# folded [ARG...]: gpuflame's lines of run.gst
folded() { "$BIN/gpuflame" "$@" --folded run.gst; }

@test "gpuflame: each kernel under the code that launched it, to the nanosecond, those without a launch too" {
	kineto 0 > run.json
	"$BIN/gpuimport" run.json -o run.gst
	run -0 folded --by=none
	diff - <(echo "$output" | LC_ALL=C sort) <<- 'END'
		/home/me/train.py(12): <module>;ProfilerStep#N;/home/me/net.py(34): forward, eval;aten::mm;cudaLaunchKernel;[gpu] gemm 100003
		/home/me/train.py(12): <module>;ProfilerStep#N;/home/me/net.py(34): forward, eval;cudaLaunchKernel;[gpu] relu 10500
		[no launch];[gpu] lonely 7007
		[no stack];cudaLaunchKernel;[gpu] ncclDevKernel_AllReduce_Sum_f32_RING_LL 40000
	END
	"$BIN/gpuflame" run.gst > run.svg
	grep -qi python run.svg
	xmllint --noout run.svg
}

@test "gpuflame --diff: both columns are whole, what is on one side alone too; turned round it is mirrored" {
	kineto 0 > run.json
	"$BIN/gpuimport" run.json -o a.gst
	kineto 9 | sed 's/"name": "gemm"/"name": "gemm2"/' > b.json
	"$BIN/gpuimport" b.json -o run.gst
	folded --diff a.gst --per=run > ab
	[ "$(awk '{ a += $(NF - 1); b += $NF } END { print a, b }' ab)" = "157510 166510" ]
	grep -q '\[gpu\] gemm 100003 0$' ab
	grep -q '\[gpu\] gemm2 0 100003$' ab
	grep -q '\[gpu\] relu 10500 19500$' ab
	"$BIN/gpuflame" --diff run.gst --folded --per=run a.gst > ba
	diff <(awk '{ t = $NF; $NF = $(NF - 1); $(NF - 1) = t; print }' ab | LC_ALL=C sort) <(LC_ALL=C sort ba)
	"$BIN/flamegraph" --diff ab > ab.svg
	xmllint --noout ab.svg
	grep -q 'gemm2' ab.svg
	"$BIN/gpuflame" --diff a.gst run.gst > tool.svg
	xmllint --noout tool.svg
}

@test "gpuflame --per=step: the time of one of several steps; gpudiff's folded lines can be drawn" {
	kineto 0 | sed '/"user_annotation"/ { p; s/ProfilerStep#7/ProfilerStep#8/; s/"ts": 1010.000, "dur": 800.000/"ts": 1820.000, "dur": 70.000/ }' > run.json
	"$BIN/gpuimport" run.json -o run.gst
	[ "$(folded --per=step --by=none | awk '{ print $NF }' | sort -n | paste -sd' ')" = "3504 5250 20000 50002" ]
	"$BIN/gpudiff" --folded lines run.gst run.gst > /dev/null
	"$BIN/flamegraph" --diff lines > lines.svg
	xmllint --noout lines.svg
}

@test "gpuflame: the kernel time of real traces is preserved to the nanosecond" {
	requires data jq
	local f
	for f in h100_qwen05b nccl_rank0of2_a100 resnet50_oldfmt_w0; do
		"$BIN/gpuimport" "$DATA/traces/kineto/$f.json.gz" -o run.gst 2> /dev/null
		[ "$(folded | awk '{ n += $NF } END { printf "%d\n", n }')" -eq \
			"$(jq -r --arg f "kineto/$f.json.gz" '.[$f].kernel.total_us * 1000 | round' "$DATA/traces/expected.json")" ]
	done
}

@test "gpureport says which files a recording was imported from, and not of which machine" {
	kineto 0 > run.json
	"$BIN/gpuimport" run.json -o run.gst
	run -0 "$BIN/gpureport" run.gst
	[ "${lines[0]}" = "imported   run.json (kineto)" ]
	run ! grep -q '^host ' <<< "$output"
}
