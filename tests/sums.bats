# One number, nine ways: the sum of kernel time is the same nanosecond in the report, Perfetto, Chrome, folded lines, SVG, the
# page, pprof, speedscope and SQLite, of recordings made by hand, on the simulated GPU, and by other tools.

setup() {
	load helpers
	load flamelines
	cd "$BATS_TEST_TMPDIR" || exit
}

# sums FILE: "NAME NANOSECONDS" a line
sums() {
	"$BIN/gpureport" -j "$1" | jq -r '"report \(.kernels.total_ns)"'
	"$BIN/gputimeline" "$1" -o s.pftrace 2> /dev/null
	protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < s.pftrace | awk '
		/gpu_render_stage_event \{/ { on = 1; ns = kernel = 0 }
		on && /^    duration: / { ns = $2 }
		on && /^    kernel_iid: / { kernel = 1 }
		on && /^  \}/ { if (kernel) sum += ns; on = 0 }
		END { printf "perfetto %.0f\n", sum }'
	"$BIN/gputimeline" "$1" --json -o s.json 2> /dev/null
	"$BIN/gpuflame" "$1" --folded | awk '{ n += $NF } END { printf "folded %.0f\n", n }'
	"$BIN/gpuflame" "$1" -o s.svg
	"$BIN/gpuflame" "$1" --html -o s.html
	"$BIN/gpuflame" "$1" --pprof -o s.pb.gz
	"$BIN/gpuflame" "$1" --speedscope -o s.ss.json
	python3 "$ROOT/tests/pprof/read.py" s.pb.gz "$ROOT/tests/pprof/profile.proto" |
		awk -F' [|] ' '/^sample/ { split($2, v, " "); n += v[1] } END { printf "pprof %.0f\n", n }'
	"$BIN/gpureport" --sqlite s.db "$1" > /dev/null 2>&1
	python3 - <<-'END'
		import json, re, sqlite3
		page = open("s.html").read()
		d = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
		print("html", sum(map(int, d["views"][0]["self"])))
		ns = lambda s: int(s.replace(".", ""))
		j = json.load(open("s.json"), parse_float=str)
		print("chrome", sum(ns(e["dur"]) for e in j["traceEvents"] if e.get("cat") == "kernel"))
		s = json.load(open("s.ss.json"))["profiles"][0]
		assert s["name"] == "gpu_kernel_time"
		print("speedscope", sum(s["weights"]))
		print("svg", re.search(r'data-x="0" data-w="(\d+)" data-d="0"', open("s.svg").read()).group(1))
		db = sqlite3.connect("s.db")
		print("sqlite", db.execute("select sum(end - start) from CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0])
	END
}

# equal FILE: all nine, and not nothing
equal() {
	sums "$1" > said
	[ "$(wc -l < said)" -eq 9 ] && [ "$(cut -d' ' -f2 said | sort -u | wc -l)" -eq 1 ] && [ "$(head -1 said | cut -d' ' -f2)" -gt 0 ] ||
		{ echo "$1"; cat said; return 1; }
}

@test "of traces by hand: missing stacks, missing launches, overlapping kernels" {
	requires protoc python3 jq
	random 2000 4> truth | gst r.gst
	equal r.gst
	[ "report $(awk '$1 == "total" { print $2 }' truth)" = "$(head -1 said)" ]
	train | gst t.gst
	equal t.gst
}

@test "of a recording on the simulated GPU" {
	requires nogpu protoc python3 jq
	record live.gst "$PROG/threads" > /dev/null
	equal live.gst
	GPUREC=--graph=node record nodes.gst "$PROG/graphs" > /dev/null
	equal nodes.gst
}

@test "of traces that other tools made" {
	requires data protoc python3 jq
	local f n=0
	for f in "$DATA"/traces/kineto/{mi300x_resnet18,h100_qwen,resnet50}*.json.gz "$DATA"/traces/nsys/*.sqlite; do
		[ -e "$f" ] && [ "$(stat -c %s "$f")" -lt 20000000 ] || continue
		"$BIN/gpuimport" "$f" -o r.gst 2> /dev/null || continue
		[ "$("$BIN/gpureport" -j r.gst | jq .kernels.count)" -gt 0 ] || continue
		equal r.gst
		n=$((n + 1))
	done
	[ "$n" -ge 2 ]
}
