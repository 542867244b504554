#!/usr/bin/env bats
# gpudiff: runs of a made-up training loop (tests/mkrun.py) whose every difference is known.

setup() {
	load helpers
	requires jq python3
	T="$BATS_TEST_TMPDIR"
	cd "$T" || exit
}

# one FILE [NAME=VALUE...]: a run
one() { python3 "$ROOT/tests/mkrun.py" "${@:2}" | "$O/test/mktrace" -o "$1"; }
# runs LETTER N SEED [NAME=VALUE...]: N of them, LETTER1.gst ...
runs() {
	local i
	for i in $(seq "$2"); do one "$1$i.gst" seed="$3$i" "${@:4}"; done
}
diff_json() { "$BIN/gpudiff" -j "$@" > j; }
# is JQ VALUE
is() {
	local got
	got="$(jq -c "$1" j)"
	[ "$got" = "$2" ] || { echo "$1 is $got, not $2"; jq -c '[.verdict, .why]' j; return 1; }
}
# gate ID KEY: of the gate whose id it is
gate() { jq -c --arg id "$1" "[.gates[] | select(.id == \$id) | $2]" j; }
# near FILE: lines "function|expected" against what diffstats says, to 1e-11 of each
near() {
	cut -d'|' -f1 "$1" | "$O/test/diffstats" | paste -d'|' "$1" - | python3 -c '
import sys
for line in sys.stdin:
    what, want, got = line.strip().split("|")
    for w, g in zip(want.split(), got.split(), strict=True):
        assert abs(float(g) - float(w)) <= 1e-11 * abs(float(w)), f"{what}: {g}, not {w}"'
}

# ---- the statistics ----

@test "Student's t, the incomplete beta function and what they rest on are scipy's to 11 digits" {
	cat > t <<-END
	t_tail 2.306004135204166 8|0.025000000000000012
	t_tail 5 3|0.007696219036651148
	t_tail -1.5 12.5|0.9207787065051751
	t_tail 12 60|6.893161320908854e-18
	t_tail 0.01 1|0.49681700723509176
	t_quantile 0.025 8|2.3060041352041662
	t_quantile 0.0001 5|9.67756630088259
	t_quantile 1e-6 30|5.871117120418885
	t_quantile 0.9 2|-1.8856180831641265
	t_quantile 0.005 inf|2.575829303548901
	beta 2 3 0.5|0.6875
	beta 0.5 0.5 0.1|0.2048327646991335
	beta 30 0.5 0.97|0.1782175449702411
	beta 5 200 0.01|0.05540973034281851
	digamma 0.1|-10.423754940411076
	digamma 4|1.2561176684318003
	trigamma 0.5|4.93480220054468
	trigamma 25|0.04081066325722558
	f_tail 2.5 8 30|0.03278129712463871
	f_tail 0.7 4 12.5|0.6061059558425872
	trigamma_inverse 0.05|20.49583523915461
	trigamma_inverse 1.2|1.2479926573831073
	trigamma_inverse 30|0.18662253008393503
	END
	near t
}

@test "variances that borrow from each other and Holm's correction are limma's and R's" {
	cat > t <<-END
	prior 1e-4:8 2.5e-4:8 0.5e-4:8 9e-4:8 1.5e-4:8 30e-4:8|1.7534889861677951 0.0001647125217891903 0.0007678095093419152
	holm 0.01 0.04 0.03 0.005|0.03 0.06 0.06 0.02
	END
	near t
}

@test "the median of a million durations is exact while they are few, else to 1 of 8192, and stays when they are closed" {
	run -0 "$O/test/diffstats" <<< $'squares 1000000 9973\nsquares 300000 100000007'
	read -r before after count few <<< "${lines[0]}"
	python3 -c "
v = sorted(i * i * 7919 % 9973 + 1 for i in range(1000000))
assert [v[499999]] * 2 + [1000000, 1] == [$before, $after, $count, $few], v[499999]
v = sorted(i * i * 7919 % 100000007 + 1 for i in range(300000))
a, b, n, few = map(int, '${lines[1]}'.split())
assert a == b and n == 300000 and few and abs(a - v[149999]) <= v[149999] / 8192, (a, v[149999])"
}

# ---- verdicts ----

@test "two runs of one program: unchanged by every count; that times were not tested is said" {
	one a.gst seed=1
	one b.gst seed=2
	run -0 "$BIN/gpudiff" a.gst b.gst
	[[ "${lines[0]}" == "unchanged      counts alone were compared; times need 3 runs a side, these are 1 and 1" ]]
	diff_json a.gst b.gst
	is '[.verdict, .counts_verdict, .time_verdict]' '["unchanged","unchanged","inconclusive"]'
	is '[.gates[] | select(.verdict == "regressed" or .verdict == "improved")]' '[]'
	is '[.gates[] | select(.id | startswith("kernel.kernel0 ")) | select(.what == "time") | [.verdict, .more_runs]]' '[["inconclusive",2]]'
	run -11 "$BIN/gpudiff" --strict a.gst b.gst
}

@test "five runs a side of one program: unchanged, and nothing is left open" {
	runs a 5 1
	runs b 5 7
	diff_json a?.gst -- b?.gst
	is '[.verdict, .counts_verdict, .time_verdict]' '["unchanged","unchanged","unchanged"]'
	is '.gates_by_verdict | [.regressed, .improved, .inconclusive]' '[0,0,0]'
	run -0 "$BIN/gpudiff" --strict a?.gst -- b?.gst
}

@test "windows of 12 and 13 steps, of which totals differ by 8 %: unchanged, by step" {
	one a.gst seed=1 steps=12
	one b.gst seed=2 steps=13
	diff_json a.gst b.gst
	is '.verdict' '"unchanged"'
	is '.runs[1].kernel_ns / .runs[0].kernel_ns > 1.075' true
	is '[.per_step, (.runs | map(.steps))]' '[true,[12,13]]'
	[ "$(gate "step.kernels.launches" '[.before, .after, .verdict]')" = '[[192,192,"unchanged"]]' ]
	[ "$(gate "copy.HtoD.bytes" '[.before, .after, .verdict]')" = '[[1048576,1048576,"unchanged"]]' ]
}

@test "the same without annotations: the steps are found by their repetition" {
	one a.gst seed=1 steps=24 names=0 new=once
	one b.gst seed=2 steps=26 names=0 new=once
	diff_json a.gst b.gst
	is '[.verdict, .per_step, (.runs | map(.step_method))]' '["unchanged",true,["repeated","repeated"]]'
}

@test "where no steps are known and windows differ, counts are compared by proportion; what is not of it is told" {
	one a.gst seed=1 steps=2 names=0
	one b.gst seed=2 steps=3 names=0
	diff_json a.gst b.gst
	is '[.per_step, .same_windows, .gates_by_verdict.regressed, .gates_by_verdict.improved]' '[false,false,0,0]'
	run -0 "$BIN/gpudiff" a.gst b.gst
	grep -q 'hold different amounts of work: counts are compared by proportion, roughly' <<< "$output"
	one c.gst seed=3 steps=3 names=0 more=1:3
	diff_json a.gst c.gst
	is '.verdict' '"unchanged"'
	[ "$(gate 'kernel.kernel1 grid 128,1,1 block 256,1,1.launches' '[.before, .after, .verdict]')" = '[[16,33,"told"]]' ]
}

@test "a kernel that got 3 % slower, with five runs a side: regressed, that kernel alone" {
	runs a 5 1
	runs b 5 7 kernel=5:1.03
	run -10 "$BIN/gpudiff" -j a?.gst -- b?.gst
	echo "$output" > j
	is '.verdict' '"regressed"'
	is '[.gates[] | select(.verdict == "regressed") | [.name, .what, .change > 0.02, .change < 0.05, .p_adjusted < 0.01]]' \
		'[["kernel5","time",true,true,true]]'
}

@test "the same kernel 3 % faster: improved, exit 0" {
	runs a 5 1 kernel=5:1.03
	runs b 5 7
	diff_json a?.gst -- b?.gst
	is '[.verdict, [.gates[] | select(.verdict == "improved") | .name]]' '["improved",["kernel5"]]'
}

@test "all kernels 2 % slower: the machine's factor is told, and no kernel is blamed; 7 % is above its budget" {
	runs a 5 1
	runs b 5 7 all=1.02
	diff_json a?.gst -- b?.gst
	is '[.verdict, .gates_by_verdict.regressed]' '["unchanged",0]'
	is '.machine | [.taken_out, .time_change > 0.017, .time_change < 0.023, .speed_factor < 0.99]' '[true,true,true,true]'
	run -0 "$BIN/gpudiff" a?.gst -- b?.gst
	grep -qE 'machine speed factor 0\.98. after: kernels took [12]\.[0-9]*% longer in common' <<< "$output"
	runs c 5 3 all=1.07
	run -10 "$BIN/gpudiff" -j a?.gst -- c?.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | .dimension] | unique' '["speed","step"]'
}

@test "a kernel 3 % slower is seen through a machine that is 2 % slower" {
	runs a 5 1
	runs b 5 7 all=1.02 kernel=2:1.03
	run -10 "$BIN/gpudiff" -j a?.gst -- b?.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | .name]' '["kernel2"]'
}

@test "noise that could hide a change is no verdict: so many more runs are asked for" {
	runs a 3 1 run=0.06
	runs b 3 7 run=0.06
	diff_json a?.gst -- b?.gst
	is '[.verdict, (.why | test("needs [0-9]+ more runs a side"))]' '["inconclusive",true]'
	is '[.gates[] | select(.verdict == "inconclusive") | .more_runs > 0] | unique' '[true]'
	run -11 "$BIN/gpudiff" --strict a?.gst -- b?.gst
}

# ---- what one run a side shows ----

@test "one launch more a step: regressed, by one run a side" {
	one a.gst seed=1
	one b.gst seed=2 more=3:1
	run -10 "$BIN/gpudiff" -j a.gst b.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | [.id, .before, .after, .test]] | sort' \
		'[["api.cudaLaunchKernel.calls",192,193,"exact"],["kernel.kernel3 grid 128,1,1 block 256,1,1.launches",8,9,"exact"],["step.kernels.launches",192,193,"exact"]]'
	run -0 "$BIN/gpudiff" b.gst a.gst
	[[ "${lines[0]}" == improved* ]]
}

@test "what runs in front of the first step is not of a step" {
	one a.gst seed=1
	one b.gst seed=2 extra=50
	diff_json a.gst b.gst
	is '.verdict' '"unchanged"'
}

@test "more bytes in as many copies, more copies of as many bytes: each by its own number" {
	one a.gst seed=1
	one b.gst seed=2 copy=1048580
	run -10 "$BIN/gpudiff" -j a.gst b.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | [.id, .before, .after]]' '[["copy.HtoD.bytes",1048576,1048580]]'
	one c.gst seed=3 calls=2
	run -10 "$BIN/gpudiff" -j a.gst c.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | .id] | sort' '["api.cudaMemcpyAsync.calls","copy.HtoD.count"]'
}

@test "faults have a tolerance of 10 %" {
	one a.gst seed=1 faults=40
	one b.gst seed=2 faults=42
	one c.gst seed=3 faults=60
	diff_json a.gst b.gst
	is '.verdict' '"unchanged"'
	run -10 "$BIN/gpudiff" -j a.gst c.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | [.id, .before, .after]]' '[["fault.gpu.count",40,60]]'
}

@test "new and vanished kernels are named; a budget makes new ones fail" {
	one a.gst seed=1
	one b.gst seed=2 new=_Z5freshPf drop=4
	diff_json a.gst b.gst || [ $? -eq 10 ]
	is '[[.new[] | .name], [.vanished[] | .name]]' '[["fresh(float*)"],["kernel4"]]'
	run -0 "$BIN/gpudiff" a.gst b.gst
	grep -q '^new kernels (1)$' <<< "$output"
	grep -q '^vanished kernels (1)$' <<< "$output"
	echo '[metric "kernel.new"] max=0' > budgets
	run -10 "$BIN/gpudiff" --budgets budgets a.gst b.gst
}

@test "a kernel of many call paths that is 3 % slower in all of them is seen as a whole; its time is not counted twice" {
	runs a 5 1 paths=1 call=0.03 run=0.003
	runs b 5 7 paths=1 call=0.03 run=0.003 kernel=0:1.03
	diff_json a?.gst -- b?.gst || [ $? -eq 10 ]
	is '[.gates[] | select(.name == "kernel0" and .what == "time" and .path == null) | [.id, .matched, .verdict]]' \
		'[["kernel.kernel0.time","as a whole","regressed"]]'
	is '[.gates[] | select(.name == "kernel0" and .what == "time")] | length' 3
}

@test "libraries that choose other kernels by measuring are told, not judged; one more kernel beside them is judged" {
	one a.gst seed=1 rename=2:_Z9cudnn_oldPf rename=3:_Z10cudnn_bothPf
	one b.gst seed=2 rename=2:_Z9cudnn_newPf rename=3:_Z10cudnn_bothPf more=3:2
	diff_json a.gst b.gst
	is '[.verdict, .selection, .gates_by_verdict.regressed]' '["unchanged","libraries chose other kernels by measuring: 1 launched less, 2 more",0]'
	run -0 "$BIN/gpudiff" a.gst b.gst
	grep -q '^kernels        libraries chose other kernels by measuring' <<< "$output"
	# the other way round too
	diff_json b.gst a.gst
	is '[.verdict, .selection]' '["unchanged","libraries chose other kernels by measuring: 2 launched less, 1 more"]'
	# one way only is more work, and so is a kernel of somebody else
	one c.gst seed=2 rename=2:_Z9cudnn_oldPf rename=3:_Z10cudnn_bothPf more=3:2
	run -10 "$BIN/gpudiff" a.gst c.gst
	one d.gst seed=2 rename=2:_Z9cudnn_newPf rename=3:_Z10cudnn_bothPf more=3:2 more=5:1
	run -10 "$BIN/gpudiff" a.gst d.gst
}

@test "counts of a recording with losses are not compared" {
	one a.gst seed=1
	one b.gst seed=2 more=3:1 lost=5
	diff_json a.gst b.gst
	is '[.counts_void, .gates_by_verdict.regressed, .verdict, .why]' '["b.gst is not whole (5 records lost)",0,"inconclusive","b.gst is not whole (5 records lost)"]'
}

# ---- matching ----

@test "another launch configuration of a kernel is the same kernel, and said" {
	runs a 5 1
	runs b 5 7 grid=2:64
	diff_json a?.gst -- b?.gst
	is '[.gates[] | select(.name == "kernel2" and .what == "time") | [.launch, .matched, .verdict]]' \
		'[[null,"launch configurations differ","unchanged"]]'
}

@test "call paths tell launches of one kernel apart" {
	runs a 3 1 paths=1
	runs b 3 7 paths=1
	diff_json a?.gst -- b?.gst
	is '[.gates[] | select(.name == "kernel0" and .what == "launches") | [.path, .before]] | sort' \
		'[["train;backward",4],["train;forward",4]]'
	runs c 3 3
	diff_json a?.gst -- c?.gst
	is '[.gates[] | select(.name == "kernel0" and .what == "time") | [.path, .matched]]' '[[null,"call paths differ"]]'
}

# ---- not comparable ----

@test "where other kernels do most of the work, counts of those that stayed are told; nothing else to go by is no verdict" {
	one a.gst seed=1
	one b.gst seed=2 more=9:1 $(for k in $(seq 0 5); do echo "rename=$k:other$k"; done)
	diff_json a.gst b.gst
	is '[.matched.before < 0.5, .gates_by_verdict.regressed, .gates_by_verdict.improved]' '[true,0,0]'
	run -0 "$BIN/gpudiff" a.gst b.gst
	grep -qE '^kernels +6 new, 6 vanished: counts of kernels and calls are told, not judged' <<< "$output"
}

@test "runs of different GPUs, of different programs, without kernels: not comparable, and why" {
	one a.gst seed=1
	one b.gst seed=2 gpu="Other GPU"
	run -1 "$BIN/gpudiff" a.gst b.gst
	grep -qxF 'gpudiff: cannot compare: a.gst ran on 1 x Test GPU, b.gst on 1 x Other GPU (--any-machine compares all the same)' <<< "$output"
	run -0 "$BIN/gpudiff" --any-machine a.gst b.gst
	one c.gst seed=3 $(for k in $(seq 0 23); do echo "rename=$k:other$k"; done)
	run -1 "$BIN/gpudiff" a.gst c.gst
	grep -qxF 'gpudiff: cannot compare: kernels of the same name have 0.0% of the GPU time before, 0.0% after: these are different programs' <<< "$output"
	"$O/test/mktrace" -o d.gst <<< 'task pid=1 tid=1 ts=1 start_ns=1 comm=sh'
	run -1 "$BIN/gpudiff" a.gst d.gst
	grep -qxF 'gpudiff: cannot compare: no kernel ran in d.gst' <<< "$output"
}

# ---- outputs ----

@test "JUnit is valid XML: a failure a regression, skipped what is inconclusive" {
	requires xmllint
	one a.gst seed=1 rename='0:a<b>&"c'
	one b.gst seed=2 rename='0:a<b>&"c' more=0:1
	run -10 "$BIN/gpudiff" --junit j.xml a.gst b.gst
	xmllint --noout j.xml
	[ "$(xmllint --xpath 'count(//failure)' j.xml)" = 3 ]
	[ "$(xmllint --xpath 'string(/testsuites/@failures)' j.xml)" = 3 ]
	[ "$(xmllint --xpath 'string(/testsuites/@tests)' j.xml)" = "$(xmllint --xpath 'count(//testcase)' j.xml)" ]
	[ "$(xmllint --xpath 'string(/testsuites/@skipped)' j.xml)" = "$(xmllint --xpath 'count(//skipped)' j.xml)" ]
	[ "$(xmllint --xpath 'string(//testcase[contains(@name, "a<b>&")]/failure/@type)' j.xml)" = regressed ]
	one c.gst seed=2 gpu=Other
	run -1 "$BIN/gpudiff" --junit j.xml a.gst c.gst
	[ "$(xmllint --xpath 'count(//error)' j.xml)" = 1 ]
}

@test "Markdown is a table whose names cannot break it, and is added to GitHub's summary" {
	one a.gst seed=1 rename='0:a|b`<i>'
	one b.gst seed=2 rename='0:a|b`<i>' more=0:1
	run -10 "$BIN/gpudiff" --markdown m.md a.gst b.gst
	[ "$(head -1 m.md)" = "### gpudiff: regressed" ]
	grep -qF '| **regressed** | +12.50% | 8 | 9 | - | exact | ' m.md
	grep -qF 'a&#124;b&#96;&#60;i&#62;' m.md
	run ! grep -vE '^(\|([^|]*\|){9}|#.*|- .*|</?details>.*|[^|]*)$' m.md
	echo before > summary
	GITHUB_STEP_SUMMARY="$T/summary" run -10 "$BIN/gpudiff" --markdown "$T/summary" a.gst b.gst
	[ "$(head -2 summary)" = $'before\n### gpudiff: regressed' ]
}

@test "annotations for GitHub: one that sums up, at most nine more, one line each" {
	one a.gst seed=1
	one b.gst seed=2 $(for k in $(seq 0 15); do echo "more=$k:1"; done)
	run -10 "$BIN/gpudiff" --github --top 1 a.gst b.gst
	[ "$(grep -c '^::error title=gpudiff::' <<< "$output")" = 10 ]
	grep -qxF '::error title=gpudiff::regressed: 18 gates regressed, 0 improved' <<< "$output"
	grep -qF '+12.50%25 (8 to 9)' <<< "$output"
	run -2 "$BIN/gpudiff" --github -j a.gst b.gst
}

@test "folded stacks have a number a side, by step" {
	one a.gst seed=1 steps=10 paths=1
	one b.gst seed=2 steps=20 paths=1 kernel=0:2
	run -0 "$BIN/gpudiff" --folded f a.gst b.gst
	grep -qE '^train;forward;\[gpu\] kernel0 [0-9]+ [0-9]+$' f
	awk '/kernel0/ { a += $(NF - 1); b += $NF } END { exit !(b / a > 1.9 && b / a < 2.1 && a > 2.8e6 && a < 3.6e6) }' f
	awk '/kernel1 / { exit !($NF / $(NF - 1) > 0.9 && $NF / $(NF - 1) < 1.1) }' f
}

# ---- budgets ----

@test "budgets: an absolute limit, a tolerance, a gate that is off, one that is on" {
	one a.gst seed=1
	one b.gst seed=2 copy=1048580
	echo '[metric "copy.HtoD.bytes"] max_increase=16' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets a.gst b.gst
	printf '# a comment\n[metric "copy.*.bytes"]\nmax_increase = 0.0001%%\n' > budgets
	run -10 "$BIN/gpudiff" --budgets budgets a.gst b.gst
	echo '[metric "copy.*.bytes"] gate=off' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets a.gst b.gst
	echo '[kernel "kernel0"] max_median=300us' > budgets
	run -10 "$BIN/gpudiff" -j --budgets budgets a.gst a.gst
	echo "$output" > j
	is '[.gates[] | select(.verdict == "regressed") | [.name, .reason]]' '[["kernel0","above its budget (line 1 of the budgets)"]]'
	echo '[kernel "kernel0"] max_median=500us max_launches=8' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets a.gst a.gst
	runs c 3 1
	runs d 3 7 kernel=5:1.06
	echo '[defaults] floor=8%' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets c?.gst -- d?.gst
	echo '[defaults] min_runs=4' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets c?.gst -- d?.gst
	run -10 "$BIN/gpudiff" c?.gst -- d?.gst
}

@test "what is ignored is ignored until its day, with the reason; then it counts again, and that is said" {
	one a.gst seed=1
	one b.gst seed=2 copy=1048580
	echo '[ignore] metric="copy.*" until=2999-12-31 reason="loader #12"' > budgets
	run -0 "$BIN/gpudiff" --budgets budgets --top 0 a.gst b.gst
	grep -qF 'ignored until 2999-12-31: loader #12' <<< "$output"
	grep -qF 'HtoD a step (ignored)' <<< "$output"
	echo '[ignore] metric="copy.*" until=2001-02-03 reason="loader #12"' > budgets
	run -10 "$BIN/gpudiff" --budgets budgets a.gst b.gst
	grep -qxF 'gpudiff: budgets, line 1: what was to be ignored until 2001-02-03 counts again' <<< "$output"
}

@test "a budgets file that is wrong says where" {
	one a.gst
	while IFS='|' read -r text message; do
		printf '\n%b\n' "$text" > budgets
		run -1 "$BIN/gpudiff" --budgets budgets a.gst a.gst
		[ "$output" = "gpudiff: cannot read budgets, line $message" ] || { echo "$output, not $message"; false; }
	done <<-'END'
	[metric]|2: a name is missing behind "metric"
	[defaults "x"]|2: no name belongs behind "defaults"
	[nope]|2: unknown section "nope"
	[metric "x"|2: a section does not end: "[metric "x""
	floor=1%|2: no section before "floor"
	[defaults]\nfloor=much|3: no number: "much"
	[defaults] florr=1|2: unknown setting "florr"
	[defaults] floor|2: no value for "floor"
	[ignore] until=2026-02-31|2: no date: "2026-02-31"
	[ignore] floor=1|2: [ignore] has no setting "floor"
	[metric "x"] min_runs=3|2: unknown setting "min_runs"
	[defaults] min_runs=1|2: min_runs is a number from 2 to 1000, not "1"
	[kernel "a] x=1|2: a section does not end: "[kernel "a] x=1"
	END
}

# ---- baselines ----

@test "a baseline says the same as the recordings it was made of" {
	runs a 5 1 paths=1
	runs b 5 7 paths=1 kernel=5:1.03
	run -0 "$BIN/gpudiff" --baseline base --update a?.gst
	[ "$(ls base | wc -l)" -eq 6 ]
	diff_json a?.gst -- b?.gst || [ $? -eq 10 ]
	jq 'del(.runs) | del(.gates[] | .floor, .verdict)' j > direct
	run -10 "$BIN/gpudiff" -j --baseline base b?.gst
	jq 'del(.runs) | del(.gates[] | .floor, .verdict)' <<< "$output" > kept
	cmp direct kept
}

@test "a baseline keeps so many runs; what left has taught its noise; another level begins anew" {
	runs a 5 1
	runs b 5 7
	runs c 5 3 kernel=5:1.05
	"$BIN/gpudiff" --baseline base --update a?.gst
	run -0 "$BIN/gpudiff" --baseline base --update --keep 7 b?.gst
	[ "$(ls base/*.run | wc -l)" -eq 7 ]
	[ "$(ls base | sed -n 1p)" = 000003-a4.gst.run ]
	grep -qP '^3 [0-9.e-]+\tkernel\.kernel5 grid 128,1,1 block 256,1,1\.time$' base/noise
	run -0 "$BIN/gpudiff" --baseline base --update c?.gst
	grep -qxF 'gpudiff: base: these runs are of another level; the 7 before went' <<< "$output"
	[ "$(ls base/*.run | wc -l)" -eq 5 ]
	run -0 "$BIN/gpudiff" --baseline base c?.gst
}

@test "a baseline that is not there, is empty or damaged says so" {
	one a.gst
	run -1 "$BIN/gpudiff" --baseline base a.gst
	[ "$output" = "gpudiff: cannot read baseline base (--update makes it): No such file or directory" ]
	mkdir base
	run -1 "$BIN/gpudiff" --baseline base a.gst
	[ "$output" = "gpudiff: cannot compare with base: it holds no runs (--update adds some)" ]
	"$BIN/gpudiff" --baseline base --update a.gst
	sed -i '$d' base/*.run
	run -1 "$BIN/gpudiff" --baseline base a.gst
	[[ "$output" == "gpudiff: cannot read base/000000-a.gst.run: damaged at line "* ]]
	rm -r base
	"$BIN/gpudiff" --baseline base --update a.gst
	sed -i '/^cell kernel/p' base/*.run	# a key twice
	run -1 "$BIN/gpudiff" --baseline base a.gst
	[[ "$output" == "gpudiff: cannot read base/000000-a.gst.run: damaged at line "* ]]
	echo nonsense > base/000000-a.gst.run
	run -1 "$BIN/gpudiff" --baseline base a.gst
	[ "$output" = "gpudiff: cannot read base/000000-a.gst.run: not a run of a baseline" ]
}

@test "any bytes as a run, the noise of a baseline or budgets: the fuzzer finds nothing in ten seconds" {
	local f
	fuzzer "$T/fuzz" tests/fuzz/diff.c \
		user/model/{diff*,model,joins,heap,host,interval,kernel_class,frame_name,steps*,tasks,tables,titles}.c \
		user/model/{collectives,sweep,uvm*,overlap,managed}.c user/{hash,arena,out,out_table,outfile,histogram,demangle}.c \
		user/{trace,schema}*.c user/{driver_names,driver_table,uvm_gpus,xid_catalog,sxid_names}.c user/import/api_class.c \
		-lz -lzstd -l:libstdc++.so.6 -lm
	for f in 1 2 3; do one "$f.gst" seed="$f" steps=2 kernels=4 launches=2 faults=1 paths=1; done
	"$BIN/gpudiff" --baseline base --update 1.gst 2.gst 3.gst
	"$BIN/gpudiff" --baseline base --update --keep 3 1.gst > out
	mkdir corpus
	f=(base/*.run)
	cp "${f[0]}" corpus/one
	{ cat "${f[0]}"; echo --; cat "${f[1]}"; } > corpus/two
	{ echo noise; cat base/noise; echo --; cat corpus/two; } > corpus/noise
	printf 'budgets\n[defaults] floor=1%%\n[metric "copy.*"] max=3KiB\n[kernel "k*"] max_median=2us\n[ignore] until=2027-01-31 reason="#1"\n' \
		> corpus/budgets
	run -0 ./fuzz -max_total_time=10 -rss_limit_mb=1000 -timeout=20 -max_len=8000 -artifact_prefix=./ corpus
}

# ---- the command line ----

@test "both sides have to be named; options may stand between the files" {
	one a.gst
	for words in "a.gst" "" "a.gst --" "-- a.gst" "a.gst a.gst a.gst"; do
		# shellcheck disable=SC2086
		run -2 "$BIN/gpudiff" $words
		[ "$output" = "gpudiff: name the recordings of both sides (gpudiff A... -- B...)" ]
	done
	run -2 "$BIN/gpudiff" --update a.gst a.gst
	[ "$output" = "gpudiff: --update wants --baseline DIR" ]
	run -0 "$BIN/gpudiff" a.gst --top 3 -- a.gst -j
	[ "$(jq -r .schema <<< "$output")" = gpuscope.diff.0 ]
	run -1 "$BIN/gpudiff" a.gst none.gst
	grep -q '^gpudiff: cannot open none.gst' <<< "$output"
}
