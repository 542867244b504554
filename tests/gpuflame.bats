#!/usr/bin/env bats
# gpuflame from traces written by hand, where every nanosecond is known; live ones are in demo.bats.

setup() {
	load helpers
	load flamelines
	cd "$BATS_TEST_TMPDIR" || exit
}

gpuflame() { "$BIN/gpuflame" "$@"; }
# sum: of the folded lines on stdin
sum() { awk '{ n += $NF } END { printf "%.0f\n", n }'; }

@test "kernels fold to process, thread, the program's frames, the CUDA call, the kernel" {
	train | gst t.gst
	diff <(gpuflame -i t.gst --folded) - <<-'END'
		trainer-100;[no launch];[gpu] relu(float*, int) 3
		trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) 12000
		trainer-100;worker/101;[no stack];cudaLaunchKernel;[gpu] relu(float*, int) 2001
	END
}

@test "copies, sets and graphs have frames of their own, kernel frames end in _[k]" {
	train | gst t.gst
	diff <(gpuflame -i t.gst --folded --ops=copy,set,graph) - <<-'END'
		trainer-100;trainer/100;main;load_batch();do_syscall_64_[k];cudaMemcpyAsync;[gpu] memcpy HtoD 3000
		trainer-100;trainer/100;main;load_batch();do_syscall_64_[k];cudaMemcpyAsync;[gpu] memset 11
		trainer-100;trainer/100;main;net::forward(int);cudaGraphLaunch;[gpu] graph 500
	END
	[ "$(gpuflame -i t.gst --folded --ops=all | sum)" -eq $((12000 + 2001 + 3 + 3000 + 11 + 500)) ]
}

@test "a kernel of a graph's node pays for the stack that captured it, and says so" {
	{
		train
		cat <<-'X'
		api producer=1 pid=100 tid=100 ts=30000 dur_ns=10 correlation=20 name=1 domain=runtime class=launch
		api_stack pid=100 tid=100 ts=30000 stack=77 correlation=20 process=1
		graph_node producer=1 pid=100 ts=30000 node=500 source=0 graph=1 correlation=20
		graph_node producer=1 pid=100 ts=31000 node=900 source=500 graph=2 correlation=0
		api producer=1 pid=100 tid=101 ts=40000 dur_ns=10 correlation=21 name=5 domain=runtime class=graph_launch
		kernel producer=1 pid=100 ts=41000 dur_ns=70 correlation=21 name=3 graph_node=900 graph=2
		X
	} | gst t.gst
	gpuflame -i t.gst --folded | grep -Fx 'trainer-100;worker/101;[captured];main;net::forward(int);cudaGraphLaunch;[gpu] relu(float*, int) 70'
}

@test "--ops=api folds CPU time of outermost calls, nested calls are not counted twice" {
	train | gst t.gst
	diff <(gpuflame -i t.gst --folded --ops=api --by=process) - <<-'END'
		trainer-100;[no stack];cudaLaunchKernel 900
		trainer-100;main;load_batch();do_syscall_64_[k];cudaMemcpyAsync 2500
		trainer-100;main;net::forward(int);cudaGraphLaunch 10
		trainer-100;main;net::forward(int);cudaLaunchKernel 1000
	END
}

@test "--whole-stacks keeps what stands between the program and the call" {
	train | gst t.gst
	gpuflame -i t.gst --folded --whole-stacks | grep -Fx 'trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel;0x5000;libcupti.so.13+0x99;api_callback;cudaLaunchKernel;[gpu] gemm(float*, int) 12000'
}

@test "a program's frame is never cut out, even between frames of CUDA" {
	{
		train | sed 's/^stack .* id=77 .*/stack ts=1000 pid=100 tid=100 id=77 user_frames=4 frames=0x0003000000000040,0x0001000000000020,0x0002000000000030,0x0001000000000010/'
	} | gst t.gst
	gpuflame -i t.gst --folded | grep -Fx 'trainer-100;trainer/100;main;cudaLaunchKernel;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) 12000'
}

# rank N NS: a recording as of rank N of a job, in which every rank has the same process and thread
rank() {
	cat <<-END
	source producer=1 ts=1 rank=$1 world=3 format=kineto text="rank$1.json"
	task ts=1 pid=100 tid=100 what=exec comm=train process=1
	device producer=1 pid=100 ts=1 ordinal=0 name="a GPU" uuid=0011223344556677889900000000000$1
	name producer=1 id=1 what=api text="cudaLaunchKernel"
	name producer=1 id=2 what=kernel text="gemm"
	name producer=1 id=3 what=kernel text="only$1"
	api producer=1 pid=100 tid=100 ts=10 dur_ns=5 correlation=1 name=1 domain=runtime class=launch
	kernel producer=1 pid=100 ts=20 dur_ns=$2 correlation=1 name=2
	kernel producer=1 pid=100 ts=20 dur_ns=7 correlation=1 name=3
	END
}

@test "several recordings as one: each rank below a frame of its own, equal pids apart; --by=rank, --by=none" {
	rank 0 100 | gst 0.gst
	rank 1 1000 | gst 1.gst
	rank 2 30000 | gst 2.gst
	gpuflame --folded --by=rank 2.gst 0.gst -i 1.gst > by
	sort by | diff - <(for r in "0 100" "1 1000" "2 30000"; do
		echo "rank ${r% *};[no stack];cudaLaunchKernel;[gpu] gemm ${r#* }"
		echo "rank ${r% *};[no stack];cudaLaunchKernel;[gpu] only${r% *} 7"
	done | sort)
	gpuflame --folded --by=none 0.gst 1.gst 2.gst | grep -Fx '[no stack];cudaLaunchKernel;[gpu] gemm 31100'
	gpuflame --folded 0.gst 1.gst 2.gst > thread
	[ "$(cut -d';' -f1 thread | sort -u | paste -sd,)" = "rank 0,rank 1,rank 2" ]
	[ "$(cut -d';' -f2 thread | sort -u | wc -l)" -eq 3 ]
	[ "$(cut -d';' -f3 thread | sed 's/[0-9]*$//' | sort -u)" = "train/" ]
	[ "$(sum < thread)" -eq $((100 + 1000 + 30000 + 3 * 7)) ]
	# of one rank the frame would say nothing
	[ "$(gpuflame --folded 1.gst | cut -d';' -f1 | sort -u)" = "train-100" ]
	[ "$(gpuflame --folded --by=rank 1.gst | cut -d';' -f1 | sort -u)" = "rank 1" ]
	train | gst t.gst
	[ "$(gpuflame --folded --by=rank t.gst | cut -d';' -f1 | sort -u)" = "[no rank]" ]
	run -2 --separate-stderr gpuflame --diff 0.gst 1.gst 2.gst
	[ "$stderr" = "gpuflame: --diff compares two recordings, not 3" ]
	run -2 --separate-stderr gpuflame --per=step 0.gst -
	[ "$stderr" = "gpuflame: --diff and --per=step read a recording twice: it cannot be standard input" ]
}

@test "--by=none adds up equal stacks of all processes" {
	{
		train
		train | sed -n 's/^info.*//; s/pid=100 tid=10\([01]\)/pid=200 tid=20\1/; s/producer=1/producer=2/; s/process=1/process=2/; s/pid=100/pid=200/; s/id=7\([78]\)/id=8\1/; s/stack=7/stack=8/; p'
	} | gst t.gst
	diff <(gpuflame -i t.gst --folded --by=none) - <<-'END'
		[no launch];[gpu] relu(float*, int) 6
		[no stack];cudaLaunchKernel;[gpu] relu(float*, int) 4002
		main;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) 24000
	END
	[ "$(gpuflame -i t.gst --folded | cut -d';' -f1 | sort -u | tr '\n' ' ')" = "trainer-100 trainer-200 " ]
}

@test "the sum, by kernel, by missing stack and by missing launch, is exact to the nanosecond" {
	random 5000 4> truth | gst r.gst
	gpuflame -i r.gst --folded > folded
	[ "$(sum < folded)" -eq "$(awk '$1 == "total" { print $2 }' truth)" ]
	[ "$(grep -F ';[no launch];' folded | sum)" -eq "$(awk '$1 == "lone" { print $2 }' truth)" ]
	[ "$(grep -F ';[no stack];' folded | sum)" -eq "$(awk '$1 == "bare" { print $2 }' truth)" ]
	diff <(sed -E 's/.*\[gpu\] (kernel[0-9]+) ([0-9]+)/\1 \2/' folded | awk '{ n[$1] += $2 } END { for (i in n) printf "%s %.0f\n", i, n[i] }' | sort) <(grep ^kernel truth | sort)
	gpuflame -i r.gst --minwidth=0 | grep -qF "$(sed -nE 's/^total ([0-9]+)/\1/p' truth | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta') ns), 100.00%</title>"
}

@test "the sum is what gpureport calls total_ns" {
	[ -x "$BIN/gpureport" ] || skip "needs gpureport"
	requires jq
	random 2000 4> truth | gst r.gst
	"$BIN/gpureport" -i r.gst -j > r.json
	[ "$(gpuflame -i r.gst --folded | sum)" = "$(value r.json .kernels.total_ns)" ]
}

@test "a live program: every kernel hangs on the program's functions, all time of the report is there" {
	requires bpf nogpu jq
	[ -x "$PROG/demo" ] && [ -x "$BIN/gpurec" ] || skip "needs gpurec and the demo program"
	record live.gst "$PROG/demo" > said
	"$BIN/gpureport" -i live.gst -j > r.json
	gpuflame -i live.gst --folded > folded
	[ "$(sum < folded)" = "$(value r.json .kernels.total_ns)" ]
	kernels=$(sed -n 's/^expect kernel:\([^ ]*\) .*/\1/p' said | wc -l)
	[ "$(sed 's/.*;\[gpu\] //; s/ [0-9]*$//' folded | sort -u | wc -l)" -eq "$kernels" ]
	bad="$(grep -vE '^demo-[0-9]+;demo/[0-9]+;(.*;)?train;train_step;.*cuLaunchKernel;\[gpu\] ' folded || true)"
	[ -z "$bad" ] || { echo "$bad"; false; }
	run ! grep -E 'libcupti|libcuda\.so|api_begin|\[no ' folded
}

@test "the same recording gives the same bytes" {
	random 1000 4> /dev/null | gst r.gst
	gpuflame -i r.gst > 1.svg
	gpuflame -i - < r.gst > 2.svg
	cmp 1.svg 2.svg
	requires xmllint
	xmllint --noout 1.svg
}

@test "names of 500 characters, with ';', line ends and markup, stay one frame" {
	long="k<$(printf 'T%.0s,' $(seq 250))X>"
	train | sed "s/text=\"_Z4gemmPfi\"/text=\"$long;a\\\\nb\&<c>\\\\xff\"/" | gst t.gst
	gpuflame -i t.gst --folded | grep -qaF "cudaLaunchKernel;[gpu] $long,a b&<c>"
	gpuflame -i t.gst > t.svg
	requires xmllint
	xmllint --noout t.svg
	grep -qF "$(sed 's/</\&lt;/g; s/>/\&gt;/g' <<< "[gpu] $long,a b&amp;<c>")" t.svg
}

# stepped: a.json of 5 and b.json of 8 steps, in each 1 to 4 launches of two kernels, and one outside; lines of what
# a step of both takes, in whole nanoseconds to the nearest
stepped() {
	python3 - <<-'END'
	import json, random, sys
	def trace(seed, n, names, out):
	    rnd, events, total, c = random.Random(seed), [], {}, 0
	    def launch(ts, name, ns):
	        nonlocal c
	        c += 1
	        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": ts, "dur": 1, "args": {"correlation": c}})
	        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts + 2, "dur": ns / 1000, "args": {"device": 0, "stream": 7, "correlation": c}})
	    for i in range(n):
	        t = 1000 + 1000 * i
	        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % i, "pid": 5, "tid": 5, "ts": t, "dur": 900})
	        for k, name in enumerate(names):
	            for j in range(rnd.randint(1, 4)):
	                ns = rnd.randint(1, 9999)
	                total[name] = total.get(name, 0) + ns
	                launch(t + 10 + 100 * k + 20 * j, name, ns)
	        launch(t + 950, "outside", 5000)
	    json.dump({"schemaVersion": 1, "traceEvents": events}, open(out, "w"))
	    return {name: (ns + n // 2) // n for name, ns in total.items()}
	a = trace(1, 5, ["same", "gone"], "a.json")
	b = trace(2, 8, ["same", "new"], "b.json")
	for name in ("same", "gone", "new"):
	    print("ProfilerStep#N;cudaLaunchKernel;[gpu] %s %d %d" % (name, a.get(name, 0), b.get(name, 0)))
	END
}

@test "--diff of recordings with 5 and 8 steps: a step's values as added up from the traces themselves; so are gpudiff's lines" {
	requires python3
	stepped | LC_ALL=C sort > want
	for x in a b; do "$BIN/gpuimport" $x.json -o $x.gst; done
	diff <(gpuflame --diff a.gst --folded b.gst) want
	diff <(gpuflame --diff a.gst --folded --per=step b.gst) want
	awk '$NF { $(NF - 1) = ""; print }' want | sed 's/  */ /g' > now
	diff <(gpuflame --folded --per=step --by=none b.gst) now
	gpuflame --diff a.gst b.gst > t.svg
	grep -A1 '<title>\[gpu\] same$' t.svg | grep -F "($(awk '/same/ { print substr($NF, 1, length($NF) - 3) "," substr($NF, length($NF) - 2) }' want) ns)" |
		grep -F "before $(awk '/same/ { printf "%.2f us (%s,%s ns), %+.1f%%", $(NF - 1) / 1000, substr($(NF - 1), 1, length($(NF - 1)) - 3),
			substr($(NF - 1), length($(NF - 1)) - 2), ($NF - $(NF - 1)) * 100 / $(NF - 1) }' want)"
	# gpudiff's lines of the same two, without the call's frame, drawn: gone has no width, new all of its own
	"$BIN/gpudiff" --folded lines a.gst -- b.gst > /dev/null
	diff <(grep same\\\|gone\\\|new lines | LC_ALL=C sort) <(sed 's/cudaLaunchKernel;//' want)
	"$BIN/flamegraph" --diff lines > lines.svg
	[ "$(grep -c '<title>\[gpu\] gone$' lines.svg)" -eq 0 ]
	grep -A1 '<title>\[gpu\] new$' lines.svg | grep -F 'before 0 samples'
	grep -A1 '<title>\[gpu\] same$' lines.svg | grep -F -- "$(awk '/same/ { printf "%+.1f%%</title>", ($NF - $(NF - 1)) * 100 / $(NF - 1) }' want)"
}

# fill NAME: colour of that frame in t.svg, as red green blue
fill() { sed -nE "/<title>$1\$/ { n; s/.*fill=\"#(..)(..)(..)\".*/0x\1 0x\2 0x\3/p }" t.svg | head -1; }
# kind NAME: whose colour it has, by ranges that exclude one another
kind() {
	read -r r g b <<< "$(fill "$1")"
	if ((b > r)); then echo operator
	elif ((g > 200 && b < 130)); then echo python
	elif ((b > 155)); then echo annotation
	elif ((g < 170 && r > 220)); then echo native
	else echo "$r $g $b"; fi
}

@test "frames of imported traces have the colour of whose word they are; their names say nothing of it" {
	json() {
		cat <<-END
		{"schemaVersion": 1, "traceEvents": [
		{"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "ts": 0, "args": {"name": "plain"}},
		{"ph": "X", "cat": "$1", "name": "alpha", "pid": 5, "tid": 5, "ts": 1, "dur": 90},
		{"ph": "X", "cat": "$2", "name": "beta", "pid": 5, "tid": 5, "ts": 2, "dur": 80},
		{"ph": "X", "cat": "$3", "name": "gamma", "pid": 5, "tid": 5, "ts": 3, "dur": 70},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 10, "dur": 1, "args": {"correlation": 1}},
		{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 12, "dur": 3, "args": {"device": 0, "stream": 7, "correlation": 1}}]}
		END
	}
	json python_function cpu_op user_annotation > t.json
	"$BIN/gpuimport" t.json -o t.gst
	gpuflame t.gst > t.svg
	[ "$(kind alpha) $(kind beta) $(kind gamma)" = "python operator annotation" ]
	for word in Python operator annotation; do grep -q "class=\"sub\".*>$word</text>" t.svg; done
	json cpu_op user_annotation python_function > t.json
	"$BIN/gpuimport" t.json -o t.gst
	gpuflame t.gst > t.svg
	[ "$(kind alpha) $(kind beta) $(kind gamma)" = "operator annotation python" ]
	# the same names of a program
	gpuflame --folded t.gst | "$BIN/flamegraph" > t.svg
	[ "$(kind alpha) $(kind beta) $(kind gamma)" = "native native native" ]
	run ! grep -q 'class="sub".*>Python</text>' t.svg
}

@test "control characters and line ends in names of kernels, frames and processes: one line each, still XML" {
	train | sed -E 's/text="_Z4gemmPfi"/text="a\\rb\\nc\\td\\x01e"/; s/text="_ZN3net7forwardEi"/text="f\\ng\\x7fh"/; s/comm=trainer/comm="t\\nu;v"/' | gst t.gst
	gpuflame -i t.gst --folded > folded
	[ "$(wc -l < folded)" -eq 3 ]
	[ "$(tr -cd ';\n' < folded | awk '{ print length($0) }' | sort -n | paste -sd,)" = "2,4,5" ]
	[ "$(sum < folded)" -eq 14004 ]
	run ! grep -qP '\r' folded
	gpuflame -i t.gst > t.svg
	run ! grep -qP '[\x00-\x08\x0b\x0c\x0e-\x1f]' t.svg
	requires xmllint
	xmllint --noout t.svg
}

@test "undefined names and stacks are shown as unknown, no time is lost" {
	train | grep -vE '^(name.*id=2 |stack .*id=77)' | gst t.gst
	diff <(gpuflame -i t.gst --folded) - <<-'END'
		trainer-100;[no launch];[gpu] relu(float*, int) 3
		trainer-100;trainer/100;[no stack];cudaLaunchKernel;[gpu] ? 12000
		trainer-100;worker/101;[no stack];cudaLaunchKernel;[gpu] relu(float*, int) 2001
	END
}

@test "what was lost is said on stderr and in the picture" {
	{ train; echo "lost ts=30000 producer=1 count=41 where=cupti"; echo "lost ts=30001 producer=1 count=1 where=slot_ring"; } | gst t.gst
	run -0 --separate-stderr gpuflame -i t.gst
	[ "$stderr" = "gpuflame: t.gst: 42 records were lost" ]
	[[ "$output" == *">42 records were lost</text>"* ]]
	train | gst t.gst
	run -0 --separate-stderr gpuflame -i t.gst
	[ -z "$stderr" ]
	[[ "$output" == *">box: 14.0 us in 4 kernels; 14.3% without a CPU stack; less than 0.1% without a known launch; 500 ns of graph launches not shown (--ops=all)</text>"* ]]
}

@test "a cut recording gives a picture of what is readable, the place of the cut, and exit 1" {
	random 3000 4> truth | gst r.gst
	size=$(stat -c %s r.gst)
	head -c $((size - size / 8)) r.gst > cut.gst
	run -1 --separate-stderr gpuflame -i cut.gst -o cut.svg
	[[ "$stderr" =~ ^gpuflame:\ cut.gst\ .*\ at\ byte\ [0-9]+$ ]]
	grep -q 'Only the readable part: cut.gst ' cut.svg
	run -1 --separate-stderr gpuflame -i cut.gst --folded
	[ "$(sum <<< "$output")" -gt 0 ]
	[ "$(sum <<< "$output")" -lt "$(awk '$1 == "total" { print $2 }' truth)" ]
}

@test "a recording cut anywhere never ends in a crash or in silence" {
	train | gst t.gst
	size=$(stat -c %s t.gst)
	for n in $(seq 0 37 $((size - 1))); do
		head -c "$n" t.gst > cut.gst
		run -1 --separate-stderr gpuflame -i cut.gst --folded
		[ -n "$stderr" ]
	done
}

@test "missing, empty, foreign and irrelevant files say what is wrong and leave the output alone" {
	echo old > out.svg
	run -1 --separate-stderr gpuflame -i nosuch.gst -o out.svg
	[[ "$stderr" == "gpuflame: cannot open nosuch.gst: No such file or directory"* ]]
	: > empty.gst
	run -1 --separate-stderr gpuflame -i empty.gst -o out.svg
	[[ "$stderr" == "gpuflame: empty.gst "* ]]
	head -c 5000 /dev/urandom > garbage.gst
	run -1 --separate-stderr gpuflame -i garbage.gst -o out.svg
	[[ "$stderr" == "gpuflame: garbage.gst "* ]]
	train | grep -v '^kernel ' | gst t.gst
	run -1 --separate-stderr gpuflame -i t.gst -o out.svg
	[ "$stderr" = "gpuflame: t.gst holds no kernels (there are other GPU operations: --ops=all)" ]
	[ "$(cat out.svg)" = old ]
	[ "$(ls | grep -c 'out.svg')" -eq 1 ]
}

@test "-o appears whole under its name with ordinary rights; a full disk is an error" {
	train | gst t.gst
	gpuflame -i t.gst -o out.svg
	[ "$(stat -c %a out.svg)" = 644 ]
	cmp out.svg <(gpuflame -i t.gst)
	[ "$(ls | grep -c 'out.svg')" -eq 1 ]
	run -1 --separate-stderr gpuflame -i t.gst -o nosuch/out.svg
	[ "$stderr" = "gpuflame: cannot write nosuch/out.svg: No such file or directory" ]
	run -1 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1; "$0" -i t.gst -o out.svg' "$BIN/gpuflame"
	[ "$stderr" = "gpuflame: cannot write out.svg: File too large" ]
	cmp out.svg <(gpuflame -i t.gst)
	[ "$(ls | grep -c 'out.svg')" -eq 1 ]
	[ -e /dev/full ] || skip "needs /dev/full"
	run -1 --separate-stderr gpuflame -i t.gst -o /dev/full
	[ "$stderr" = "gpuflame: cannot write /dev/full: No space left on device" ]
	run -1 --separate-stderr bash -c '"$0" -i t.gst --folded > /dev/full' "$BIN/gpuflame"
	[ "$stderr" = "gpuflame: cannot write standard output: No space left on device" ]
}

@test "wrong options exit 2 and say what is expected" {
	run -2 --separate-stderr gpuflame
	[ "$stderr" = "gpuflame: no recording named (gpuflame -i FILE)" ]
	run -2 --separate-stderr gpuflame -i x --ops=kernels
	[ "$stderr" = 'gpuflame: --ops wants kernel, copy, set, graph, all, api or sample, not "kernels"' ]
	run -2 --separate-stderr gpuflame -i x --ops=api,copy
	[ "$stderr" = "gpuflame: --ops: api is CPU time and does not add up with GPU operations" ]
	run -2 --separate-stderr gpuflame -i x --by=core
	[ "$stderr" = 'gpuflame: --by wants thread, process, rank or none, not "core"' ]
}

@test "the example's commands do what it says" {
	train | sed 's/ kernel_frames=1 user_frames=2 frames=0xffff800000001000,/ user_frames=2 frames=/' | gst run.gst
	gpuflame -i run.gst --folded | awk '{ print $NF, $0 }' | sort -n | tail -2 > 1
	gpuflame -i run.gst --folded --ops=copy > 2
	gpuflame -i run.gst --folded --ops=api --by=process | grep -v Graph > 3
	for f in 1 2 3; do
		while IFS= read -r line; do
			grep -qFx "  $line" "$ROOT/tools/gpuflame_example.txt" || { echo "$line"; false; }
		done < $f
	done
}
