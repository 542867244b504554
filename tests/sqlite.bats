#!/usr/bin/env bats
# gpureport --sqlite: the database answers queries written for Nsight Systems', and importing it gives the same trace.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

# query FILE SQL: rows, values separated by blanks
query() {
	python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' "$1" "$2"
}

# told FILE.gst: what must survive: not the name of the file, how many definitions there were, nor mangled names
told() {
	"$BIN/gpureport" -j "$1" | jq -S 'del(.records) | walk(if type == "object" then del(.file, .mangled) else . end)'
}

# again FILE.gst: exported, imported and compared
again() {
	"$BIN/gpureport" --sqlite again.db "$1"
	"$BIN/gpuimport" -j again.db -o again.gst > again.import
	[ "$(jq -c '.inputs[0] | .odd, .damage' again.import | paste -sd' ')" = "${2:-[]} null" ] || { jq .inputs[0].odd again.import; return 1; }
	diff <(told "$1") <(told again.gst)
}

@test "import, export and import of every kind of database is the same trace" {
	for kind in nsys-3.25 rocpd-4 rpd; do
		python3 "$ROOT/tests/mkdb.py" "$kind" x.db > /dev/null
		"$BIN/gpuimport" x.db -o x.gst 2> /dev/null
		again x.gst || { echo "$kind"; false; }
	done
}

@test "spans, counters and samples come back" {
	python3 "$ROOT/tests/mkdb.py" rocpd-3 x.db > /dev/null
	"$BIN/gpuimport" -j x.db -o x.gst 2> /dev/null | jq .kinds > want
	again x.gst
	diff want <(jq '.kinds | del(.api_stack)' again.import)
	printf 'main;f;g 42\nmain;h 1\n' > a.folded
	"$BIN/gpuimport" a.folded -o a.gst
	"$BIN/gpureport" --sqlite a.db a.gst
	"$BIN/gpuimport" a.db -o b.gst
	diff <("$BIN/gpuflame" -i a.gst --by=none --ops=sample --folded) <("$BIN/gpuflame" -i b.gst --by=none --ops=sample --folded)
}

@test "a recording of our own: kernels, copies, calls with their stacks, ranges, waits" {
	record x.gst "$PROG/demo" > /dev/null 2>&1
	"$BIN/gpureport" --sqlite x.db x.gst
	"$BIN/gpureport" -j x.gst > x.json
	[ "$(query x.db 'select count(*), sum(end - start) from CUPTI_ACTIVITY_KIND_KERNEL')" = "$(jq -r '"\(.kernels.count) \(.kernels.total_ns)"' x.json)" ]
	[ "$(query x.db 'select s.value, count(*), sum(k.end - k.start) from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = k.demangledName group by 1 order by 3 desc limit 1')" = \
		"$(jq -r '.kernels.by_name[0] | "\(.name) \(.count) \(.total_ns)"' x.json)" ]
	[ "$(query x.db 'select count(*) from CUPTI_ACTIVITY_KIND_KERNEL k join CUPTI_ACTIVITY_KIND_RUNTIME r on r.correlationId = k.correlationId and r.globalTid >> 24 = k.globalPid >> 24')" -ge \
		"$(jq .launch.delay_count x.json)" ]
	[ "$(query x.db 'select coalesce(sum(bytes), 0) from CUPTI_ACTIVITY_KIND_MEMCPY')" = "$(jq .memcpy.bytes x.json)" ]
	[ "$(query x.db 'select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME')" = "$(jq '.api.count + .api.nested' x.json)" ]
	[ "$(query x.db "select count(*) > 0 from CUPTI_ACTIVITY_KIND_RUNTIME r join CUDA_CALLCHAINS c on c.id = r.callchainId join StringIds s on s.id = c.symbol where s.value like '%main%'")" = 1 ]
	[ "$(query x.db "select label, sum(bytes) from CUPTI_ACTIVITY_KIND_MEMCPY join ENUM_CUDA_MEMCPY_OPER e on e.id = copyKind where label = 'Host-to-Device'")" = \
		"Host-to-Device $(jq .memcpy.by_kind.HtoD.bytes x.json)" ]
	[ "$(query x.db 'pragma integrity_check')" = ok ]
	[ "$(stat -c %a x.db)" = 600 ]
}

@test "short names are without result, namespaces, template and parameters" {
	cat > st.csv << 'END'
Start (ns),Duration (ns),CorrId,Device,Strm,Name
1000,500,7,A (0),7,"void at::native::(anonymous namespace)::softmax_warp<float, 3>(float *, int)"
2000,500,8,A (0),7,"ampere_sgemm_128x64_tn"
3000,500,9,A (0),7,"gemm(float *)"
4000,500,10,A (0),7,"void plain<int>(int)"
END
	"$BIN/gpuimport" st.csv -o st.gst
	"$BIN/gpureport" --sqlite st.db st.gst
	[ "$(query st.db 'select s.value from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = k.shortName order by k.start' | paste -sd' ')" = "softmax_warp ampere_sgemm_128x64_tn gemm plain" ]
}

@test "a database is there when it is whole, or not at all" {
	echo nonsense > bad.gst
	run ! "$BIN/gpureport" --sqlite bad.db bad.gst
	[ "$(ls)" = bad.gst ]
	python3 "$ROOT/tests/mkdb.py" rpd x.rpd > /dev/null
	"$BIN/gpuimport" x.rpd -o x.gst 2> /dev/null
	run ! --separate-stderr "$BIN/gpureport" --sqlite /nowhere/x.db x.gst
	[[ "$stderr" = "gpureport: cannot write /nowhere/x.db: "* ]] || { echo "$stderr"; false; }
}

@test "real traces: the same report from the database made of them" {
	requires data
	for file in kineto/h100_qwen05b.json.gz kineto/nccl_rank0of2_a100.json.gz nsys/cloverleaf_a100.sqlite nsys/h100_2gpu_1s.sqlite; do
		"$BIN/gpuimport" "$DATA/traces/$file" -o x.gst 2> /dev/null
		"$BIN/gpureport" --sqlite again.db x.gst
		"$BIN/gpuimport" again.db -o again.gst 2> /dev/null
		diff <(told x.gst) <(told again.gst) || { echo "$file"; false; }
	done
}

@test "what is no regular file stays what it is, and so does a link to one" {
	python3 "$ROOT/tests/mkdb.py" nsys-3.25 x.db > /dev/null
	"$BIN/gpuimport" x.db -o x.gst 2> /dev/null
	mkfifo pipe
	run -1 "$BIN/gpureport" --sqlite pipe x.gst
	[ "$output" = "gpureport: cannot write pipe: it is no regular file (a database needs one)" ]
	[ -p pipe ]
	: > real.db
	ln -s real.db link.db
	"$BIN/gpureport" --sqlite link.db x.gst
	[ -L link.db ]
	[ "$(query real.db 'select count(*) > 0 from CUPTI_ACTIVITY_KIND_KERNEL')" = 1 ]
}

@test "killed in the middle: nothing is left" {
	python3 "$ROOT/tests/mkdb.py" nsys-3.25 x.db > /dev/null
	"$BIN/gpuimport" x.db -o x.gst 2> /dev/null
	mkdir out
	mkfifo pipe
	"$BIN/gpureport" --sqlite out/x.db - < pipe 3>&- &
	pid=$!
	exec 4> pipe
	head -c 1000 x.gst >&4
	until_true eval "ls -l /proc/$pid/fd | grep -q out/x.db"
	kill -9 "$pid"
	exec 4>&-
	wait "$pid" || true
	[ -z "$(ls -A out)" ] || { ls -A out; false; }
}
