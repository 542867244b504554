# gputimeline's other forms: Chrome's JSON, less of it, samples, clocks; and that nothing of a trace is without a place.

setup() {
	load helpers
	load timelines
	cd "$BATS_TEST_TMPDIR" || exit
	tool="$BIN/gputimeline"
}

gst() { "$O/test/mktrace" -o "$1"; }
decode() { protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < "$1"; }
# rules FILE: what viewers of the format want of it; counts on stdout
rules() {
	python3 - "$1" <<-'END'
		import collections, gzip, json, sys
		name = sys.argv[1]
		d = json.load(gzip.open(name) if name.endswith(".gz") else open(name), parse_float=str)
		assert d["displayTimeUnit"] == "ns"
		ns = lambda s: int(s.replace(".", "")) if "." in s and len(s.split(".")[1]) == 3 else sys.exit("time " + s)
		open_, flows, busy, counts, names = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list), collections.Counter(), set()
		events = d["traceEvents"]
		for e in events:
		    counts[e["ph"]] += 1
		    where = (e["pid"], e.get("tid"))
		    if e["ph"] == "M":
		        names.add((e["name"], e["pid"], e["tid"]))
		        continue
		    t = ns(e["ts"])
		    if e["ph"] == "B":
		        assert not open_[where] or open_[where][-1] <= t
		        open_[where].append(t)
		    elif e["ph"] == "E":
		        assert open_[where].pop() <= t
		    elif e["ph"] == "X":
		        busy[where].append((t, t + ns(e["dur"])))
		        counts[e["cat"]] += 1
		        counts[e["cat"] + "_ns"] += ns(e["dur"])
		    elif e["ph"] in "sf":
		        flows[e["name"], e["id"]].append(e["ph"])
		    if e["ph"] in "BX" and e["pid"] != 0:
		        assert ("thread_name",) + where in names, where
		    for n in where:
		        assert n is None or type(n) is int and 0 <= n < 2**31, where
		assert not any(open_.values()) and not set(k for k, v in open_.items()) & set(busy)
		for where, list_ in busy.items():
		    list_.sort()
		    for a, b in zip(list_, list_[1:]):
		        assert a[1] <= b[0], ("two at a time on one track", where, a, b)
		for arrow, both in flows.items():
		    assert sorted(both) == ["f", "s"], ("an arrow with one end", arrow, both)
		for k, v in sorted(counts.items()):
		    print(k, v)
		print("flows", len(flows))
		print("queues", len({w for w in busy if w[0] >= 0x7f000000}))
	END
}

@test "JSON: times to the nanosecond, balanced, each operation, both ends of its arrow" {
	step | gst t.gst
	"$tool" t.gst --json	# t.json
	rules t.json > said
	grep -qx 'B 7' said && grep -qx 'E 7' said
	grep -qx 'kernel 2' said && grep -qx 'kernel_ns 4000' said
	grep -qx 'gpu_memcpy_ns 3000' said
	grep -qx 'flows 3' said
	jq -e '.traceEvents[] | select(.cat == "kernel" and .ts == 15) | .dur == 2 and .args.grid == [4,2,1] and .args.stream == 7 and .args.correlation == 1' t.json
	jq -e '[.traceEvents[] | select(.cat == "kernel") | .tid] | unique | length == 2' t.json	# they overlap
	jq -e '.traceEvents[] | select(.cat == "cuda_runtime" and .name == "cudaMemcpyAsync") | .args.correlation == 3' t.json
	jq -e '.traceEvents[] | select(.ph == "X" and .name == "running" and .ts == 9.5 and .dur == 3.5)' t.json
	jq -e '.otherData.realtime_ahead_ns == "1699999999999999000"' t.json
	"$tool" t.gst --json -o t.json.gz
	[ "$(rules t.json.gz)" = "$(cat said)" ]
	"$tool" t.gst --json -o - < /dev/null | cat > pipe.json
	cmp t.json pipe.json
}

@test "JSON goes back through gpuimport: the same kernels, the same nanoseconds, the same links" {
	step | gst t.gst
	"$tool" t.gst --json -o t.json
	"$BIN/gpuimport" t.json -o back.gst
	numbers='[.kernels.count, .kernels.total_ns, .memcpy.count, .memcpy.total_ns, .memcpy.bytes, .links.operation_call_exact]'
	[ "$("$BIN/gpureport" -j back.gst | jq -c "$numbers")" = "$("$BIN/gpureport" -j t.gst | jq -c "$numbers")" ]
	requires data
	local f n=0
	for f in "$DATA"/traces/kineto/{mi300x_resnet18,h100_qwen}*.json.gz; do
		[ -e "$f" ] || continue
		"$BIN/gpuimport" "$f" -o r.gst 2> /dev/null || continue
		"$tool" r.gst --json -o r.json.gz 2> /dev/null
		"$BIN/gpuimport" r.json.gz -o back.gst 2> /dev/null
		[ "$("$BIN/gpureport" -j back.gst | jq -c "$numbers")" = "$("$BIN/gpureport" -j r.gst | jq -c "$numbers")" ] || { echo "$f"; false; }
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test "JSON: hostile names, large numbers" {
	{ step | grep -v 'id=3 '; echo 'name producer=1 id=3 what=nvtx text="a\"b\\\\c</script>\xff\x01"'; } | gst t.gst
	"$tool" t.gst --json -o t.json
	rules t.json > /dev/null
	jq -e '.traceEvents[] | select(.cat == "nvtx") | .name | startswith("a\"b\\")' t.json
}

@test "--min-dur leaves out what is shorter, says how much, and keeps the rest balanced" {
	step | gst t.gst
	"$tool" t.gst --min-dur=2500ns -o t.pftrace 2> err
	grep -q "4 slices and 2 GPU operations are shorter than --min-dur and left out" err || { cat err; false; }
	"$O/test/pfcheck" t.pftrace > counts
	[ "$(awk '$1 == "slices" { print $2 }' counts)" = 3 ]
	"$tool" t.gst --json --min-dur=2500ns -o t.json 2> err
	rules t.json | grep -qx 'gpu_memcpy 1'
}

@test "--lean: the same slices, operations and arrows in fewer bytes, no arguments" {
	requires protoc
	launches() {
		step | sed -n 1,8p
		awk 'BEGIN { for (i = 1; i <= 20000; i++) {
			printf "api producer=1 pid=100 tid=100 ts=%d dur_ns=1000 correlation=%d name=1 domain=runtime class=launch\n", 10000 + i * 3000, i
			printf "kernel producer=1 ts=%d dur_ns=2000 correlation=%d stream=7 context=1 name=2 grid=4,2,1 block=32,1,1 registers=12\n", 11500 + i * 3000, i } }'
	}
	launches | gst l.gst
	"$tool" l.gst -o full.pftrace
	"$tool" l.gst --lean -o lean.pftrace
	diff <("$O/test/pfcheck" full.pftrace | grep -E '^(slices|ops|flows)') <("$O/test/pfcheck" lean.pftrace | grep -E '^(slices|ops|flows)')
	echo "$(($(stat -c %s full.pftrace) / 20000)) and $(($(stat -c %s lean.pftrace) / 20000)) bytes a launch"
	[ "$(stat -c %s lean.pftrace)" -lt $(($(stat -c %s full.pftrace) * 6 / 10)) ]
	decode lean.pftrace > lean.text
	run ! grep -qE 'debug_annotations|launch \{' lean.text
}

@test "--max-size: the beginning that fits, whole, and what is missing is said" {
	{
		step | sed -n 1,8p
		awk 'BEGIN { for (i = 1; i <= 20000; i++) {
			printf "api producer=1 pid=100 tid=100 ts=%d dur_ns=1000 correlation=%d name=1 domain=runtime class=launch\n", 10000 + i * 100000, i
			printf "kernel producer=1 ts=%d dur_ns=2000 correlation=%d stream=7 context=1 name=2\n", 11500 + i * 100000, i } }'
	} | gst l.gst
	for form in "" --json; do
		"$tool" l.gst $form -o all
		"$tool" l.gst $form --max-size=1M -o part 2> err
		[ "$(stat -c %s part)" -le 1048576 ]
		[ "$(stat -c %s part)" -gt 700000 ]
		grep -qE 'only the first [0-9.]+ m?s of 2(\.[0-9]*)? s fit into 1.00 MiB' err || { cat err; false; }
		"$tool" l.gst $form --max-size=1G -o whole 2> err
		cmp all whole
		[ ! -s err ]
	done
	rules part > /dev/null
	"$tool" l.gst --max-size=1M -o part.pftrace 2> /dev/null
	"$O/test/pfcheck" part.pftrace > /dev/null
	run -1 "$tool" l.gst --max-size=200 -o none
	[[ "$output" == *"not even its first moments"* ]]
	run -2 "$tool" - --max-size=1M -o none
	run -2 "$tool" l.gst --max-size=1M --json -o none.gz
	run -2 "$tool" l.gst --max-size=many -o none
}

@test "samples are perf samples with their stacks, outermost frame first" {
	requires protoc
	{
		step
		cat <<-'END'
			name producer=1 id=9 what=counter text="cycles"
			map ts=1000 pid=100 id=1 text="/opt/train"
			symbol frame=0x0001000000000010 text="main"
			symbol frame=0x0001000000000020 text="_ZN3net7forwardEi"
			stack ts=1000 pid=100 tid=100 id=77 user_frames=2 frames=0x0001000000000020,0x0001000000000010
			sample producer=1 pid=100 tid=100 ts=15500 stack=77 weight=1000 name=9 cpu=3
			sample producer=1 pid=100 tid=100 ts=15600 stack=77 weight=1000 name=9
			sample producer=1 pid=100 tid=100 ts=15700 weight=1000 name=9
		END
	} | gst s.gst
	"$tool" s.gst -o s.pftrace
	decode s.pftrace > text
	run ! grep -qE '^ *[0-9]+[:{ ]' text
	[ "$(grep -c 'perf_sample {' text)" -eq 3 ]
	[ "$(grep -c 'callstack_iid: 1' text)" -eq 2 ]
	[ "$(grep -c 'callstacks {' text)" -eq 1 ]
	# frame 1 is main: it was named first, and stands first
	tr -d '\n' < text | grep -qE 'function_names \{ *iid: 1 *name: "main" *\}'
	tr -d '\n' < text | grep -qE 'callstacks \{ *iid: 1 *frame_ids: 1 *frame_ids: 2 *\}'
	"$tool" s.gst --json -o s.json
	[ "$(jq -c '[.traceEvents[] | select(.ph == "P") | .args.stack] | unique' s.json)" = '[[],["main","net::forward(int)"]]' ]
}

@test "clock snapshots: the first one, where the clocks moved, and now and then" {
	requires protoc
	{
		step
		for i in $(seq 30); do
			ahead=$((1700000000000000000 + (i >= 15 ? 5000000 : 0)))
			echo "clock ts=$((i * 1000000000)) realtime_ns=$((ahead + i * 1000000000))"
		done
	} | gst c.gst
	"$tool" c.gst -o c.pftrace
	decode c.pftrace > text
	[ "$(grep -c 'clock_snapshot {' text)" -eq 5 ] || { grep -A8 'clock_snapshot {' text; false; }	# start, 1 s, 11 s, 15 s, 25 s
	"$O/test/pfcheck" c.pftrace > /dev/null
}

@test "JSON: operations that come in any order share a track, those that overlap do not" {
	{
		step | sed -n 1,8p
		for s in 7 8; do
			seq 3000 -1 1 | awk -v s=$s '{ printf "kernel producer=1 pid=100 ts=%d dur_ns=900 correlation=%d stream=%d name=2\n", 10000 + $1 * 1000 + s, $1 + s * 10000, s }'
		done
	} | gst o.gst
	"$tool" o.gst --json -o o.json 2> /dev/null
	rules o.json > said
	grep -qx 'kernel 6000' said && grep -qx 'queues 2' said || { cat said; false; }
	{
		step | sed -n 1,8p
		awk 'BEGIN { srand(11); for (i = 1; i <= 3000; i++)
			printf "kernel producer=1 pid=100 ts=%d dur_ns=%d correlation=%d stream=7 name=2\n", 10000 + int(rand() * 300000), int(rand() * 3000), i }'
	} | gst x.gst
	"$tool" x.gst --json -o x.json 2> /dev/null
	rules x.json > said
	grep -qx 'kernel 3000' said
	[ "$(jq -n '[inputs | .traceEvents[] | select(.cat == "kernel") | .args.correlation] | unique | length' x.json)" -eq 3000 ]
	"$BIN/gpuimport" x.json -o back.gst 2> /dev/null
	[ "$("$BIN/gpureport" -j back.gst | jq -c '[.kernels.count, .kernels.total_ns]')" = "$("$BIN/gpureport" -j x.gst | jq -c '[.kernels.count, .kernels.total_ns]')" ]
}

@test "JSON: an arrow of which one end is left out or missing is not there, and is counted" {
	{
		step
		echo 'flow producer=1 pid=100 tid=100 ts=9600 id=5 begin=1 name=3'
		echo 'flow producer=1 pid=100 tid=100 ts=12500 id=5 begin=0 name=3'
		echo 'flow producer=1 pid=100 tid=100 ts=12600 id=6 begin=0 name=3'
	} | gst f.gst
	"$tool" -v f.gst --json -o f.json 2> err
	rules f.json > said
	grep -qx 'flows 4' said
	grep -q '1 arrows have one end in the recording and are left out' err
	"$tool" f.gst --json --min-dur=1500ns -o f.json 2> err		# two launches of 1 us go, their kernels stay
	rules f.json > said
	grep -qx 'kernel 2' said && grep -qx 'flows 2' said || { cat said; false; }
	step | grep -v '^api' | gst n.gst
	"$tool" n.gst --json -o n.json 2> /dev/null
	rules n.json | grep -qx 'flows 0'
}

@test "JSON: operations whose calls are left out do not wait for them for ever" {
	{
		step | sed -n 1,8p
		awk 'BEGIN { for (i = 1; i <= 500000; i++) {
			printf "api producer=1 pid=100 tid=100 ts=%.0f dur_ns=1000 correlation=%d name=1 domain=runtime class=launch\n", i * 1e7, i
			printf "kernel producer=1 pid=100 ts=%.0f dur_ns=2000 correlation=%d stream=7 name=2\n", i * 1e7 + 2000, i } }'
	} | gst l.gst
	(ulimit -v 40000; "$tool" l.gst --json --min-dur=1500ns -o l.json 2> /dev/null)
	[ "$(grep -c '"cat":"kernel"' l.json)" -eq 500000 ]
}

@test "JSON: counters have all their digits" {
	{
		step
		echo 'counter producer=1 pid=100 tid=100 ts=5000 value=123456789012345 name=3'
		echo 'counter producer=1 pid=100 tid=100 ts=6000 value=9223372036854775807 name=3'
		echo 'counter producer=1 pid=100 tid=100 ts=7000 value=-12345678901234 exponent=-3 name=3'
		echo 'counter producer=1 pid=100 tid=100 ts=8000 value=1 exponent=-1 name=3'
	} | gst c.gst
	"$tool" c.gst --json -o c.json
	[ "$(grep '"ph":"C"' c.json | grep step | sed -E 's/.*"value":([^}]*).*/\1/' | xargs)" = "123456789012345 9223372036854775807 -12345678901.234 0.1" ]
}

@test "JSON: states of threads of two recordings with the same ids, each to its end" {
	{
		step | grep -v '^wake'
		echo 'switch pid=100 tid=101 ts=9000 on=1'
		echo 'switch pid=100 tid=101 ts=9100 on=0 state=1'
	} | gst a.gst
	cp a.gst b.gst
	"$tool" a.gst b.gst --json -o t.json 2> /dev/null
	rules t.json > said
	jq -c '[.traceEvents[] | select(.cat == "sched")] | group_by([.pid, .tid]) | map([.[] | [.name, .ts, .dur]]) | sort' t.json > states
	# running 9.5 to 13, then from 14 on to the end of all, which is that of the block I/O at 26
	[ "$(cat states)" = '[[["running",9,0.1]],[["running",9,0.1]],[["running",9.5,3.5],["running",14,12]],[["running",9.5,3.5],["running",14,12]]]' ] || { cat states; false; }
}

@test "--max-size leaves an older file alone until there is one that fits" {
	step | gst t.gst
	echo old > t.pftrace
	run -1 "$tool" t.gst --max-size=200
	[ "$(cat t.pftrace)" = old ]
}

@test "a kind that only its schema describes has a track of its name, all fields, its length" {
	requires protoc
	{
		echo 'task ts=1000 pid=100 tid=100 what=exec comm=trainer process=1'
		echo 'name id=1 what=kernel text="k"'
		echo 'launch pid=100 tid=100 ts=5000 dur_ns=300 func=0x1234 name=1 grid=2,3,4 block=32,1,1 result=-5 api=cuLaunchKernel'
		echo 'launch pid=100 tid=101 ts=5100 dur_ns=500 name=1'	# crosses: a track beside it
	} | gst o.gst
	"$tool" o.gst -o o.pftrace
	"$O/test/pfcheck" o.pftrace > counts
	grep -qx 'slices 2' counts && grep -qx 'ends 2' counts
	decode o.pftrace > text
	run ! grep -qE '^ *[0-9]+[:{ ]' text
	[ "$(tr -d '\n' < text | grep -oE 'track_descriptor \{ *uuid: [0-9]+ *name: "launch"' | wc -l)" -eq 2 ]
	"$tool" o.gst --json -o o.json
	jq -e '.traceEvents[] | select(.cat == "launch" and .ts == 5) | .name == "k" and
		.args == {func: "0x1234", stream: "0x0", name: "k", grid: "2,3,4", block: "32,1,1", shared_bytes: 0, result: "-5", api: "cuLaunchKernel"}' o.json
	"$tool" o.gst --min-dur=400ns -o o.pftrace 2> err
	grep -q '1 slices' err
	"$tool" o.gst --lean -o lean.pftrace
	decode lean.pftrace > text
	run ! grep -q debug_annotations text
}

# A kind of record that is added must be given a place, or a word here why it has none.
@test "every kind of record with a time is on the timeline" {
	kinds="$(sed -nE 's/^\tEVENT_([A-Z_]+) = ([0-9]+),.*/\2 \1/p' "$ROOT/bpf/event.h" | awk '$1 >= 16 && $2 !~ /END$|MAX$/ { print tolower($2) }')"
	for kind in $kinds; do		# each has a schema: else nothing knows its fields
		grep -q "{ EVENT_${kind^^}, " "$ROOT/user/schema.c" || { echo "$kind has no schema"; false; }
	done
	[ "$(wc -w <<< "$kinds")" -ge 28 ]
	step | sed -n 1,8p > head
	base="$(gst b.gst < head; "$tool" b.gst -o b.pftrace; stat -c %s b.pftrace)"
	for kind in $kinds; do
		case "$kind" in
		api_stack) continue ;;		# the stack of a call; the call is there
		kernel|copy|set|graph) line="$kind producer=1 pid=100 ts=50000 dur_ns=100 correlation=9" ;;
		api) line="api producer=1 pid=100 tid=100 ts=50000 dur_ns=100 correlation=1 name=1 domain=runtime class=launch" ;;
		sync) line=$'api producer=1 pid=100 tid=100 ts=50000 dur_ns=900 correlation=1 name=1 domain=runtime class=sync\nsync producer=1 pid=100 ts=50100 dur_ns=100 correlation=1 type=3' ;;
		overhead|nvtx|span) line="$kind producer=1 pid=100 tid=100 ts=50000 dur_ns=100 name=3" ;;
		counter|flow|sample) line="$kind producer=1 pid=100 tid=100 ts=50000 name=3" ;;
		switch|wake) line="$kind pid=100 tid=100 ts=50000"$'\n'"switch pid=100 tid=100 ts=60000 on=1" ;;	# a state ends with the next
		fault) line="fault pid=100 tid=100 ts=50000" ;;
		driver|block) line="$kind pid=100 tid=100 ts=50000 dur_ns=100" ;;
		uvm_mark) line="uvm_mark pid=100 ts=50000" ;;
		uvm_migration) line="uvm_migration pid=100 ts=50000 src=1 dst=2" ;;
		uvm_*) line="uvm_gpu ts=1 gpu=1"$'\n'"$kind pid=100 tid=100 ts=50000 gpu=1" ;;
		xid) line="xid pid=100 tid=100 ts=50000 code=79" ;;
		*) line="$kind pid=100 tid=100 ts=50000" ;;	# by its schema alone
		esac
		[ "$kind" != overhead ] || line="overhead producer=1 pid=100 tid=100 ts=50000 dur_ns=100"
		{ cat head; echo "$line"; } | gst k.gst || { echo "$kind: $line"; false; }
		for form in pftrace json; do
			"$tool" k.gst $([ $form != json ] || echo --json) -o k.$form || { echo "$kind"; false; }
		done
		[ "$(stat -c %s k.pftrace)" -gt "$((base + 10))" ] || { echo "$kind leaves no trace"; false; }
		jq -e '[.traceEvents[] | select(.ph != "M")] | length > 0' k.json > /dev/null || { echo "$kind leaves nothing in JSON"; false; }
	done
}
