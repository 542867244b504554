#!/usr/bin/env bats
# gpureport: sums of traces written by hand against sums made by hand.

setup() {
	load helpers
	requires jq
	T="$BATS_TEST_TMPDIR"
}

make_trace() { "$O/test/mktrace" > "$T/t.gst"; }
# report: the JSON of the lines of stdin, in $T/json
report() { make_trace && "$BIN/gpureport" -j "$T/t.gst" > "$T/json"; }
# is JQ VALUE: one value of it
is() {
	local got
	got="$(jq -c "$1" "$T/json")"
	[ "$got" = "$2" ] || { echo "$1 is $got, not $2"; return 1; }
}

names() {
	for p in "$@"; do
		cat <<-END
		device producer=$p ordinal=0 uuid=000102030405060708090a0b0c0d0e0f name="cudasim A"
		device producer=$p ordinal=1 uuid=100102030405060708090a0b0c0d0e0f name="cudasim B"
		name producer=$p id=1 what=api text=cudaLaunchKernel
		name producer=$p id=2 what=kernel text=_Z3addPf
		name producer=$p id=3 what=kernel text=_Z3mulPf
		name producer=$p id=4 what=api text=cudaMemcpyAsync
		name producer=$p id=5 what=api text=cudaStreamSynchronize
		END
	done
}

sample() {
	names 1 2
	cat <<-END
	info driver=simulated
	task ts=1 pid=10 tid=10 start_ns=1 process=1 comm=first
	task ts=1 pid=20 tid=20 start_ns=1 process=2 comm=second
	note ts=1 what=missing text="block I/O: no such tracepoint"
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=1 name=1 class=launch
	api ts=1200 producer=1 pid=10 tid=11 dur_ns=300 correlation=2 name=1 class=launch result=700
	api ts=1600 producer=1 pid=10 tid=11 dur_ns=50 correlation=3 name=4 class=copy
	api ts=1000 producer=2 pid=20 tid=21 dur_ns=20 correlation=1 name=1 class=launch
	kernel ts=2000 producer=1 pid=10 dur_ns=1000 correlation=1 name=2 stream=7
	kernel ts=2500 producer=1 pid=10 dur_ns=1000 correlation=2 name=3 stream=8
	kernel ts=3400 producer=2 pid=20 dur_ns=200 correlation=1 name=2 stream=7
	copy ts=5000 producer=1 pid=10 dur_ns=100 correlation=3 bytes=4096 copy_kind=HtoD src_kind=pinned dst_kind=device
	copy ts=6000 producer=1 pid=10 dur_ns=400 correlation=3 bytes=1000 copy_kind=DtoH src_kind=device dst_kind=pageable
	copy ts=6000 producer=1 pid=10 dur_ns=500 device=1 bytes=7 copy_kind=DtoD src_kind=device dst_kind=device
	set ts=7000 producer=1 pid=10 dur_ns=30 correlation=3 bytes=64
	sync ts=6000 producer=1 pid=10 dur_ns=600 correlation=3 type=stream
	lost ts=9000 count=3 where=bpf_ring
	lost ts=9000 producer=1 count=4 where=cupti
	END
}

@test "the JSON holds the sums of a small trace computed by hand" {
	sample | report
	is .span_ns 6030
	is '[.processes, .devices, .streams]' '[2,2,5]'
	is '[.lost.total, .lost.bpf_ring, .lost.cupti, .lost.slot_ring]' '[7,3,4,0]'
	is '.kernels | del(.by_name, .by_short_name)' '{"count":3,"unique_names":2,"total_ns":2200,"busy_ns":1600,"first_ns":2000,"last_ns":3600,"max_ns":1000}'
	is '.kernels.by_name' '[{"name":"add(float*)","mangled":"_Z3addPf","count":2,"total_ns":1200,"min_ns":200,"p50_ns":200,"p90_ns":1000,"max_ns":1000},{"name":"mul(float*)","mangled":"_Z3mulPf","count":1,"total_ns":1000,"min_ns":1000,"p50_ns":1000,"p90_ns":1000,"max_ns":1000}]'
	is '[.memcpy | .count, .bytes, .total_ns]' '[3,5103,1000]'
	is '.memcpy.by_kind | map_values([.count, .bytes, .total_ns])' '{"HtoD":[1,4096,100],"DtoH":[1,1000,400],"DtoD":[1,7,500]}'
	is '[.memcpy.by_kind[].by_memory | to_entries[] | [.key, .value.bytes]]' '[["pinned",4096],["pageable",1000],["device",7]]'
	is '[.memset | .count, .bytes, .total_ns]' '[1,64,30]'
	is '.api.by_name[0]' '{"name":"cudaLaunchKernel","count":3,"total_ns":420,"min_ns":20,"p50_ns":100,"p90_ns":300,"max_ns":300,"errors":1}'
	is '[.api.count, .api.errors]' '[4,1]'
	is '[.launch | .correlated, .uncorrelated, .early, .delay_p50_ns, .delay_p99_ns]' '[6,1,0,1300,2400]'
	is '.sync.by_type.stream' '{"count":1,"total_ns":600,"max_ns":600}'
	# device A: 2000-3600, 5000-5100, 6000-6400, 7000-7030; device B: 6000-6500
	is '[.gpu_busy_ns, .gpu_idle_ns]' '[2630,2900]'
	is '[.by_device[] | [.busy_ns, .idle_ns, .gaps]]' '[[2130,2900,3],[500,0,0]]'
	is '[.by_device[0].longest_gaps[0] | .start_ns, .dur_ns, .next, .launch_tid, .launch_ns]' '[3600,1400,"[memcpy HtoD]",11,1600]'
	is '[.by_process[] | [.comm, .kernels, .kernel_ns, .copy_bytes, .api]]' '[["first",2,2000,5103,3],["second",1,200,0,1]]'
	is '[.notes[]]' '["block I/O: no such tracepoint"]'
}

@test "every number in the JSON is an integer and no key stands twice" {
	sample | report
	is '[.. | numbers | select(. != floor)] | length' 0
	run ! grep -E '": ?-?[0-9]+[.eE]' "$T/json"
	jq -e . "$T/json" > "$T/again"
	[ "$(grep -o '":' "$T/json" | wc -l)" -eq "$(grep -o '":' "$T/again" | wc -l)" ]
	[ "$(wc -l < "$T/json")" -eq 1 ]
}

@test "the tables show the same, and losses are named" {
	sample | make_trace
	run -0 "$BIN/gpureport" "$T/t.gst"
	for text in "lost       7 records: bpf_ring 3 cupti 4" "add(float*)" "mul(float*)" "54.5" "cudaLaunchKernel" \
		"kernels: 3, 2.20 us in all, GPUs busy with them for 1.60 us" "HtoD       pinned" "41.0 GB/s" \
		"DtoH       pageable" "not recorded: block I/O: no such tracepoint" "6.03 us" "second" \
		"1 of 7 not" "stream" "launched 2.00 us before the idle time"; do
		[[ "$output" == *"$text"* ]] || { echo "nowhere: $text"; echo "$output"; false; }
	done
	sed '/^lost/d' <<< "$(sample)" | make_trace
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"lost       nothing"* ]]
}

@test "an idle time tells how long nothing was launched and what its thread did before" {
	{
		names 1
		cat <<-END
		api ts=500 producer=1 pid=10 tid=11 dur_ns=10 correlation=1 name=1 class=launch
		kernel ts=1000 producer=1 pid=10 dur_ns=1000 correlation=1 name=2
		api ts=600 producer=1 pid=10 tid=11 dur_ns=1600 correlation=2 name=5 class=sync
		api ts=4000 producer=1 pid=10 tid=11 dur_ns=10 correlation=9 name=5 class=sync
		api ts=5000 producer=1 pid=10 tid=11 dur_ns=10 correlation=3 name=1 class=launch
		kernel ts=6000 producer=1 pid=10 dur_ns=1000 correlation=3 name=3
		kernel ts=7300 producer=1 pid=10 dur_ns=1000 name=3
		END
	} | report
	is '.by_device[0] | [.idle_ns, .idle_unlaunched_ns, .idle_unknown_ns]' '[4300,3000,300]'
	is '.by_device[0].longest_gaps[0]' '{"start_ns":2000,"dur_ns":4000,"next":"mul(float*)","launch_tid":11,"launch_ns":5000,"since_launch_ns":4490,"longest_call":"cudaStreamSynchronize","longest_call_ns":1600}'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" =~ 4.00\ us\ +3.00\ us\ +1.00\ us\ +11\ +mul.float..\ +cudaStreamSynchronize,\ 1.60\ us\ of\ 4.49\ us\ since ]] || { echo "$output"; false; }
	[[ "$output" == *"GPU 0 idle: 3.00 us until the host launched what came next, 1.00 us from that launch to its start, 300 ns not known"* ]]
}

@test "busy time is the union whatever the order and overlap" {
	{
		names 1
		awk 'BEGIN { srand(3); for (i = 0; i < 3000; i++) {
			s = int(rand() * 1000000); d = int(rand() * rand() * 900); print "kernel ts=" 1000 + s " producer=1 pid=1 dur_ns=" d " name=2 stream=" i % 5 } }'
	} > "$T/lines"
	report < "$T/lines"
	truth="$(grep ^kernel "$T/lines" | sed 's/kernel ts=//; s/ .*dur_ns=/ /; s/ name.*//' | sort -n | awk '
		NR == 1 { first = $1; end = $1 }
		{ s = $1 > end ? $1 : end; e = $1 + $2; if (e > s) { busy += e - s; end = e } total += $2 }
		END { printf "[%d,%d,%d,%d]", busy, end - first - busy, total, NR }')"
	is '[.gpu_busy_ns, .gpu_idle_ns, .kernels.total_ns, .kernels.count]' "$truth"
	is .kernels.busy_ns "$(jq .gpu_busy_ns "$T/json")"
}

@test "busy time stays exact when many intervals are folded in a long trace" {
	# 210,000 kernels of 0.6 ms every 0.7 ms, in reverse within each second
	{
		names 1
		awk 'BEGIN { for (s = 0; s < 300; s++) {
			for (i = 139; i >= 0; i--)
				for (k = 4; k >= 0; k--)
					printf "kernel ts=%.0f producer=1 pid=1 dur_ns=600000 name=2\n", 1e9 + s * 1e9 + i * 7e6 + k * 7e5
			print "flush" } }'
	} | report
	is '[.kernels.count, .gpu_busy_ns, .gpu_idle_ns, .by_device[0].gaps, .by_device[0].late]' \
		'[210000,126000000000,173976400000,209999,0]'
}

@test "percentiles are exact by nearest rank while 2^20 samples are held, beyond within the error that is printed" {
	for n in 1 2 10 4096 5000 1100000; do
		awk -v n=$n 'BEGIN { srand(n); for (i = 0; i < n; i++) print int(exp(rand() * 16)) + 1 }' > "$T/values"
		{ names 1; awk '{ print "kernel ts=" 1000 + NR " producer=1 pid=1 dur_ns=" $1 " name=2" }' "$T/values"; } | report
		sort -n "$T/values" | jq -s --slurpfile r "$T/json" '
			def rank(p): .[((length * p / 100) | ceil) - 1];
			def off(a; b): ((a - b) | if . < 0 then -. else . end) * 1000000 / b;
			$r[0] as $j | $j.kernels.by_name[0] as $k |
			[off($k.p50_ns; rank(50)), off($k.p90_ns; rank(90)), off($k.min_ns; .[0]), off($k.max_ns; .[-1])] |
			max <= $j.percentile_error_ppm' > "$T/ok"
		[ "$(cat "$T/ok")" = true ] || { echo "$n: $(cat "$T/json")"; false; }
		is .percentile_error_ppm $((n > 5000 ? 7813 : 0))
	done
}

@test "names with quotes, backslashes, control characters and bytes that are no UTF-8 make valid JSON" {
	report <<-'END'
	name producer=1 id=2 what=kernel text="a\"b\\c\x01\xff\xc3\xa9"
	kernel ts=1 producer=1 pid=1 dur_ns=5 name=2
	END
	jq -e '.kernels.by_name[0].name | startswith("a\"b\\c\u0001")' "$T/json"
	iconv -f UTF-8 -t UTF-8 "$T/json" > /dev/null
	run -0 "$BIN/gpureport" "$T/t.gst"
	run ! grep -q $'\x01' <<< "$output"
}

@test "numbers above 2^53 are strings" {
	report <<-END
	kernel ts=1 producer=1 pid=1 dur_ns=9007199254740993 name=2
	END
	is .kernels.total_ns '"9007199254740993"'
}

@test "times are numbers also on a machine that has been up for a year" {
	report <<-END
	api ts=31536000000000000 producer=1 pid=1 tid=1 dur_ns=10 correlation=1 name=1 class=launch
	kernel ts=31536000000000100 producer=1 pid=1 dur_ns=50 correlation=1 name=2
	kernel ts=31536000000000300 producer=1 pid=1 dur_ns=50 name=2
	END
	is '[.. | objects | to_entries[] | select(.key | test("^(first|last|start|launch|span)_ns$")) | .value | type] | unique' '["number"]'
	grep -q '"first_ns":31536000000000100,' "$T/json"
}

@test "an empty trace is an empty report" {
	report < /dev/null
	is '[.span_ns, .kernels.count, .kernels.by_name, .gpu_busy_ns, .gpu_idle_ns, .lost.total, .launch.correlated]' '[0,0,[],0,0,0,0]'
	run -0 "$BIN/gpureport" "$T/t.gst"
	[[ "$output" == *"lost       nothing"* ]]
}

@test "a cut file gives what was readable, then says where it ends" {
	awk 'BEGIN { srand(5); for (i = 1; i <= 20000; i++) print int(rand() * 1e6) }' > "$T/values"
	{ names 1; awk '{ print "kernel ts=" NR * 100 " producer=1 pid=1 dur_ns=" $1 " name=2" }
		NR % 5000 == 0 { print "flush" }' "$T/values"; } | make_trace
	[ "$("$BIN/gpureport" -j "$T/t.gst" | jq .kernels.count)" = 20000 ]
	head -c $(($(stat -c %s "$T/t.gst") * 3 / 4)) "$T/t.gst" > "$T/cut.gst"
	run -1 --separate-stderr "$BIN/gpureport" -j "$T/cut.gst"
	n="$(jq .kernels.count <<< "$output")"
	[ "$n" -ge 10000 ] && [ "$n" -lt 20000 ]
	[ "$(jq .kernels.total_ns <<< "$output")" -eq "$(head -n "$n" "$T/values" | awk '{ n += $1 } END { printf "%.0f", n }')" ]
	[[ "$stderr" =~ ^"gpureport: $T/cut.gst ends inside a block at byte "[0-9]+$ ]] || { echo "$stderr"; false; }
}

@test "garbage and missing files are named, and there is no report" {
	head -c 4096 /dev/urandom > "$T/garbage"
	run -1 --separate-stderr "$BIN/gpureport" "$T/garbage"
	[ -z "$output" ]
	[[ "$stderr" == "gpureport: "*"$T/garbage"* ]]
	run -1 --separate-stderr "$BIN/gpureport" -i "$T/none"
	[[ "$stderr" == "gpureport: cannot open $T/none: No such file or directory"* ]] || { echo "$stderr"; false; }
}

@test "wrong usage is told and is 2" {
	run -2 "$BIN/gpureport"
	[ "$output" = "gpureport: no recording named (gpureport -i FILE)" ]
	run -2 "$BIN/gpureport" --top many x
	[ "$output" = 'gpureport: --top wants a number, not "many"' ]
	run -2 "$BIN/gpureport" --step
	run -2 "$BIN/gpureport" --nonsense
	run -0 "$BIN/gpureport" --version
	[[ "$output" == "gpureport (gpuscope) "[0-9]* ]]
}

@test "a trace from standard input, a closed pipe is quiet, a full disk is an error" {
	sample | make_trace
	run -0 bash -c "'$BIN/gpureport' -j - < '$T/t.gst' | jq .kernels.count"
	[ "$output" = 3 ]
	run -0 bash -c "set -o pipefail; '$BIN/gpureport' -j '$T/t.gst' | :"
	[ -z "$output" ]
	run -1 --separate-stderr bash -c "'$BIN/gpureport' -j '$T/t.gst' > /dev/full"
	[ "$stderr" = "gpureport: cannot write the report: No space left on device" ] || { echo "$stderr"; false; }
}

@test "--top cuts the tables, not the JSON" {
	{ for i in $(seq 30); do echo "name producer=1 id=$i what=kernel text=kernel_$i"; done
		for i in $(seq 30); do echo "kernel ts=$i producer=1 pid=1 dur_ns=$((1000 - i)) name=$i"; done; } | report
	is '.kernels.by_name | length' 30
	run -0 "$BIN/gpureport" --top 3 "$T/t.gst"
	[ "$(grep -c 'kernel_[0-9]' <<< "$output")" -eq 3 ]
	[[ "$output" == *"(3 of 30)"* ]]
	run -0 "$BIN/gpureport" --top 0 "$T/t.gst"
	[ "$(grep -c 'kernel_[0-9]' <<< "$output")" -eq 30 ]
}

@test "what the kernel did is summed inside and outside of calls" {
	{
		names 1
		cat <<-END
		api ts=1000 producer=1 pid=10 tid=11 dur_ns=1000 correlation=1 name=5 class=sync
		switch ts=900 pid=10 tid=11 on=0 state=1
		switch ts=950 pid=10 tid=11 on=1
		switch ts=1100 pid=10 tid=11 on=0 state=1
		switch ts=1300 pid=10 tid=11 on=1
		wake ts=1260 pid=10 tid=11
		wake ts=1270 pid=10 tid=11
		switch ts=1400 pid=10 tid=11 on=0 state=0
		switch ts=1430 pid=10 tid=11 on=1
		driver ts=1010 pid=10 tid=11 dur_ns=40
		driver ts=3010 pid=10 tid=11 dur_ns=50
		fault ts=1011 pid=10 tid=11
		block ts=1012 pid=10 tid=11 dur_ns=9 bytes=512
		END
	} | report
	is '.host.in_api' '{"page_faults":1,"ioctls":1,"ioctl_ns":40,"block_io":1,"block_bytes":512,"block_ns":9,"off_cpu":2,"off_cpu_ns":230,"preempted_ns":30,"runnable_ns":70}'
	is '[.host.all | .ioctls, .ioctl_ns, .off_cpu, .off_cpu_ns]' '[2,90,3,280]'
	is '[.host.by_api[] | [.name, .sums.off_cpu_ns]]' '[["cudaStreamSynchronize",230]]'
}

@test "a million records in bounded memory" {
	{
		names 1
		awk 'BEGIN { for (i = 1; i <= 500000; i++) {
			t = i * 1000000
			printf "api ts=%.0f producer=1 pid=10 tid=11 dur_ns=5000 correlation=%d name=1 class=launch\nkernel ts=%.0f producer=1 pid=10 dur_ns=50000 correlation=%d name=2\n", t, i, t + 9000, i
			if (i % 1000 == 0) print "flush" } }'
	} | make_trace
	run -0 --separate-stderr "$BIN/gpureport" -v -j "$T/t.gst"
	[ "$(jq -c '[.kernels.count, .launch.correlated, .gpu_busy_ns]' <<< "$output")" = "[500000,500000,25000000000]" ]
	kib="$(sed -n 's/.*at most \([0-9]*\) KiB.*/\1/p' <<< "$stderr")"
	echo "$stderr"
	[ "$kib" -lt 70000 ]	# the last 90 seconds wait, for the union and for the sums by rank
}

# agrees PROGRAM [gpurec option]: the report says what the program counted for itself
agrees() {
	local program="$1" what n got
	shift
	GPUREC="$*" record "$T/live.gst" "$PROG/$program" > "$T/said"
	"$BIN/gpureport" -j "$T/live.gst" > "$T/json"
	grep -q '^expect ' "$T/said"
	while read -r _ what n; do
		case "$what" in
		kernels) got="$(jq .kernels.count "$T/json")" ;;
		copies) got="$(jq .memcpy.count "$T/json")" ;;
		sets) got="$(jq .memset.count "$T/json")" ;;
		processes) got="$(jq '.by_process | length' "$T/json")" ;;
		names) got="$(jq .kernels.unique_names "$T/json")" ;;
		graph_launches) got="$(jq '.api.by_name[] | select(.name == "cudaGraphLaunch").count' "$T/json")" ;;
		bytes_*) got="$(jq ".memcpy.by_kind.${what#bytes_}.bytes // 0" "$T/json")" ;;
		kernel:*) got="$(jq --arg n "$(c++filt "${what#kernel:}")" '.kernels.by_name[] | select(.name == $n).count' "$T/json")" ;;
		api:*) got="$(jq --arg n "${what#api:}" '.api.by_name[] | select(.name == $n).count' "$T/json")" ;;
		*) continue ;;
		esac
		[ "$got" = "$n" ] || { echo "$program: $what: the program counted $n, the report ${got:-none}"; return 1; }
	done < <(grep '^expect ' "$T/said" | head -n 40)
	is '[.launch.uncorrelated, .launch.early, .lost.total, .links.sync_call_none, .simulated]' '[0,0,0,0,true]'
}

@test "copies, threads, waits and many names: the report says what the program counted" {
	requires nogpu c++filt
	agrees copies
	agrees threads
	agrees sync
	agrees many
}

@test "programs that nvcc built: the report says what they counted" {
	requires nogpu c++filt nvcc
	for p in vector graphs copies threads sync forktree; do
		agrees "$p.nvcc" --graph=node
	done
}

@test "each process of a tree of forks is one in the report" {
	requires nogpu c++filt
	agrees forktree
}

@test "graphs node by node: kernels, copies and sets are those that the nodes did, with the capturing call's stack" {
	requires nogpu c++filt bpf
	agrees graphs --graph=node
	captured="$(awk '$2 ~ /^graph_nodes_/ { n += $3 } END { print n }' "$T/said")"
	# two graphs, one captured, one built by hand, are launched turn and turn about
	[ "$(jq .links.operation_stack_captured "$T/json")" -eq $((captured * $(jq '.api.by_name[] | select(.name == "cudaGraphLaunch").count' "$T/json") / 2)) ]
	is .links.operation_stack_none 0
}

# the table of a report on a terminal of $1 columns
on_terminal() { script -qec "stty cols $1; '$BIN/gpureport' '$T/t.gst'" /dev/null < /dev/null | tr -d '\r'; }

@test "a narrow terminal keeps names: columns go before they are cut to nothing" {
	requires script
	report <<-END
	name producer=1 id=1 what=api text="cuEventSynchronize"
	name producer=1 id=2 what=kernel text="a_kernel_with_a_name_of_quite_some_length_that_is_long"
	api ts=100 producer=1 pid=1 tid=1 dur_ns=10 correlation=1 name=1 class=sync
	kernel ts=200 producer=1 pid=1 dur_ns=50 name=2
	END
	on_terminal 80 > "$T/80"
	on_terminal 200 > "$T/200"
	grep -qx '  SHARE%  TOTAL  COUNT    AVG    MIN    P50    P90    MAX  KERNEL' "$T/200"
	grep -q '  a_kernel_with_a_name_of_quite_some_length_that_is_long$' "$T/200"
	grep -qx '  SHARE%  TOTAL  COUNT    AVG    MAX  KERNEL' "$T/80"
	grep -q '  50 ns  a_kernel_with_a_name_of_quite_some_leng\.\.\.$' "$T/80"
	grep -q '  cuEventSynchronize$' "$T/80"
}

@test "a report of a damaged recording says in itself that it is one of a part" {
	report <<-END
	kernel ts=200 producer=1 pid=1 dur_ns=50 name=2
	flush
	kernel ts=300 producer=1 pid=1 dur_ns=50 name=2
	END
	is .damage null
	run ! grep -q damaged <<< "$("$BIN/gpureport" "$T/t.gst")"
	last=$("$O/test/edittrace" list < "$T/t.gst" | awk '/type=1 kind=17/ { at = $1 } END { print at }')
	head -c $((last + 70)) "$T/t.gst" > "$T/cut.gst"
	run -1 --separate-stderr "$BIN/gpureport" "$T/cut.gst"
	[[ "$output" == *"damaged    $T/cut.gst ends inside a block at byte "*": all below is about the part before"* ]]
	run -1 --separate-stderr "$BIN/gpureport" -j "$T/cut.gst"
	jq -e '(.damage | endswith("ends inside a block at byte '"${stderr##* }"'")) and .kernels.count == 1' <<< "$output"
}
