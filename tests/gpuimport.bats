#!/usr/bin/env bats
# gpuimport without its formats: what is behind the readers (through tests/bin/importput.c), and what is said of
# files that no reader takes. Each format has tests of its own.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
	put="$O/test/importput"
	import="$BIN/gpuimport"
}

# records KIND: its lines of out.gst in the order of the file
records() { "$O/test/cattrace" out.gst | grep "^$1 "; }

# fields KIND FIELD...: their values, a line a record
fields() {
	local kind="$1" f
	shift
	records "$kind" | while read -r line; do
		for f; do sed -E "s/.* $f=(\"[^\"]*\"|[^ ]*).*/\1/" <<< "$line"; done | paste -sd' '
	done
}

@test "files that have no reader: what they are and what to do, exit 1, no output" {
	printf 'x' > run.nsys-rep
	run -1 "$import" run.nsys-rep -o out.gst
	[ "$output" = "gpuimport: cannot import run.nsys-rep: it is in Nsight Systems' own format (nsys export --type sqlite run.nsys-rep, then import the .sqlite file)" ]
	: > empty
	run -1 "$import" empty -o out.gst
	[ "$output" = "gpuimport: cannot import empty: it is empty" ]
	run -1 "$import" . -o out.gst
	[ "$output" = "gpuimport: cannot read .: Is a directory" ]
	run -1 "$import" missing.json -o out.gst
	[ "$output" = "gpuimport: cannot open missing.json: No such file or directory" ]
	head -c 5000 /dev/zero > zeros
	run -1 "$import" zeros -o out.gst
	[[ "$output" == "gpuimport: cannot import zeros: it is in no format that is known ("*"; --format names one)" ]]
	"$put" ours.gst < /dev/null
	run -1 "$import" ours.gst -o out.gst
	[ "$output" = "gpuimport: cannot import ours.gst: it is a recording of gpuscope already (gpureport reads it)" ]
	[ "$(ls)" = "$(printf '%s\n' empty ours.gst run.nsys-rep zeros)" ]
}

@test "wrong usage is exit 2" {
	printf x > a
	ln a b
	run -2 "$import" a
	[ "$output" = "gpuimport: no output named (-o OUT)" ]
	run -2 "$import" -o out.gst
	[ "$output" = "gpuimport: no trace named (gpuimport FILE... -o OUT)" ]
	run -2 "$import" a b -o out.gst
	[ "$output" = "gpuimport: b is given twice" ]
	run -2 "$import" a -i a -o out.gst
	[ "$output" = "gpuimport: a is given twice" ]
	run -2 "$import" a -o b
	[ "$output" = "gpuimport: cannot write b: it is the recording that is to be read" ]
	run -2 "$import" a --format nonsense -o out.gst
	[[ "$output" == "gpuimport: --format wants one of "*", not \"nonsense\"" ]]
	run -2 "$import" a -j -o -
	[ "$output" = "gpuimport: --json and the trace cannot both go to standard output (-o FILE)" ]
}

@test "records come out in order of time, of equal times the longer span first" {
	"$put" out.gst <<- END
		file a
		process 10
		thread 10
		api late 3 300 10
		kernel k2 2 250 10
		api inner 2 100 10
		op outer 100 100
		api early 1 50 10
		kernel k1 1 60 0
	END
	[ "$(fields api ts name)" = "$(printf '%s\n' "50 5" "100 3" "300 1")" ]
	[ "$(fields span ts dur_ns depth)" = "100 100 0" ]
	[ "$(fields kernel ts)" = "$(printf '%s\n' 60 250)" ]
	# the span was there before the call of the same time: the call is inside of it
	[ "$(fields symbol text)" = '"outer"' ]
	[ "$(fields api_stack correlation)" = "$(printf '%s\n' 2 3)" ]
}

@test "pieces in order, backwards, interleaved, at random and at one time come out in order" {
	python3 - > lines 2> wanted <<-'END'
		import random, sys
		random.seed(1)
		ops = []
		for kind in range(40):
		    n, at = random.randrange(1, 400), random.randrange(2000000)
		    ops += {0: lambda: [(at + 10 * i, 5) for i in range(n)],
		            1: lambda: [(at - 10 * i + 4000, 5) for i in range(n)],
		            2: lambda: [(at + 10 * i + 4000 * (i % 3), 5) for i in range(n)],
		            3: lambda: [(random.randrange(2000000), random.randrange(9)) for i in range(n)],
		            4: lambda: [(at, random.randrange(9)) for i in range(n)]}[kind % 5]()
		print("file a\nprocess 10\nthread 10")
		for i, (ts, dur) in enumerate(ops):
		    print("op n%d %d %d" % (i, ts, dur))
		for i in sorted(range(len(ops)), key=lambda i: (ops[i][0], -ops[i][1], i)):
		    print("span", *ops[i], i + 1, file=sys.stderr)
	END
	[ "$(wc -l < wanted)" -gt 5000 ]
	"$put" out.gst < lines
	records span | sed -E 's/.* ts=([0-9]*) .* dur_ns=([0-9]*) .*name=([0-9]*) .*/span \1 \2 \3/' | cmp wanted
}

@test "a call inside another of its thread and correlation is nested, others are not" {
	"$put" out.gst <<- END
		file a
		process 10
		thread 10
		api cudaLaunchKernel 5 100 50
		api cuLaunchKernel 5 110 20
		api cudaMemcpy 6 200 50
		api cuOther 7 210 20
		thread 11
		api cuLaunchKernel 5 120 10
	END
	[ "$(fields api ts depth | sort -n)" = "$(printf '%s\n' "100 0" "110 1" "120 0" "200 0" "210 0")" ]
}

@test "the stack of a call is the spans and ranges of its thread around it" {
	"$put" out.gst <<- END
		file a
		process 10
		thread 10
		python main 0 10000
		annotation ProfilerStep#1 100 1000
		nvtx range 150 800
		op mm 200 100
		api cudaLaunchKernel 1 210 10
		annotation ProfilerStep#2 2000 1000
		nvtx range 2010 800
		op mm 2020 100
		api cudaLaunchKernel 2 2030 10
		api cudaLaunchKernel 3 2500 10
		thread 11
		api cudaLaunchKernel 4 210 10
		gpuspan mm 0 10000
	END
	# two steps have one stack: the number of a step is no frame of its own
	[ "$(records stack | wc -l)" -eq 2 ]
	[ "$(fields symbol frame text)" = "$(printf '%s\n' '0x1000000000001 "main"' '0x3000000000002 "ProfilerStep#N"' \
		'0x4000000000003 "range"' '0x2000000000004 "mm"')" ]
	fields stack frames | grep -x 0x2000000000004,0x4000000000003,0x3000000000002,0x1000000000001
	fields stack frames | grep -x 0x4000000000003,0x3000000000002,0x1000000000001
	[ "$(fields api_stack correlation stack | sort | awk '{ print $1, $2 != 0 }')" = "$(printf '%s\n' "1 1" "2 1" "3 1" "4 0")" ]
	[ "$(fields map id text | sort)" = "$(printf '%s\n' '1 "[python]"' '2 "[op]"' '3 "[annotation]"' '4 "[nvtx]"')" ]
}

@test "a name is a frame of its kind, and each of many threads is inside of its own spans alone" {
	{
		printf '%s\n' "file a" "process 10"
		for ((i = 0; i < 200; i++)); do
			printf '%s\n' "thread $((i * 32 + 100))" "python mm $i 1000" "op mm $((i + 300)) 600" "op own$i $((i + 310)) 500" \
				"api cudaLaunchKernel $i $((i + 320)) 10"
		done
	} | "$put" out.gst
	[ "$(fields map text)" = $'"[python]"\n"[op]"' ]
	[ "$(records symbol | grep -c '"mm"')" -eq 2 ]
	[ "$(records stack | sed -E 's/.* frames=//' | tr ',' ' ' | awk '{ print $2, $3 }' | sort -u | wc -l)" -eq 1 ]
	[ "$(records stack | wc -l)" -eq 199 ]		# call 0 has no correlation
	[ "$(records span | grep -o 'depth=.*' | sort | uniq -c | tr -s ' ' | tr '\n' ' ')" = " 200 depth=0  200 depth=1  200 depth=2 " ]
}

@test "several files: one clock, their own processes, the shift is said" {
	"$put" -j out.gst > summary.json <<- END
		file a.json origin 1000000 rank 0 2 host one
		process 10 python
		thread 10
		api cudaLaunchKernel 1 500 10
		kernel k 1 600 10
		file sub/b.json origin 1000300 rank 1 2 host two
		process 10 python
		thread 10
		thread 77
		api cudaLaunchKernel 1 500 10
		kernel k 1 600 10
	END
	[ "$(fields source producer pid shift_ns rank world file host text)" = \
		"$(printf '%s\n' '1 10 0 0 2 1 "one" "a.json"' '2 2147483648 300 1 2 2 "two" "b.json"')" ]
	[ "$(fields api ts pid tid)" = "$(printf '%s\n' "500 10 10" "800 2147483648 77")" ]
	[ "$(fields clock ts realtime_ns)" = "500 1000500" ]
	[ "$(value summary.json '[.inputs[] | .path, .shift_ns, .first_ns, .last_ns]' | tr -d ' \n')" = \
		'["a.json",0,500,610,"sub/b.json",300,500,610]' ]
	[ "$(fields task pid tid ns_pid comm)" = "$(printf '%s\n' '10 10 10 "python"' '2147483648 2147483648 10 "python"' '2147483648 77 10 ""')" ]
}

@test "a file that began before the first one moves all, for no time is negative" {
	"$put" -j out.gst > summary.json <<- END
		file a origin 1000000
		process 1
		thread 1
		api a 1 500 10
		file b origin 900000
		process 2
		thread 2
		api b 1 700 10
	END
	[ "$(fields source shift_ns)" = "$(printf '%s\n' 99300 -700)" ]
	[ "$(fields api ts pid | sort -n)" = "$(printf '%s\n' "0 2" "99800 1")" ]
	[ "$(fields clock ts realtime_ns)" = "0 900700" ]
}

@test "a file alone keeps its times; one with times since 1970 is on the clock of one with an origin" {
	"$put" out.gst <<- END
		file a origin 1700000000000000000
		process 1
		thread 1
		api a 1 123456789 10
	END
	[ "$(fields api ts)" = 123456789 ]
	[ "$(fields source shift_ns)" = 0 ]
	[ "$(fields clock ts realtime_ns)" = "123456789 1700000000123456789" ]
	"$put" out.gst <<- END
		file a
		process 1
		thread 1
		api a 1 1700000000000000500 10
		file b origin 1700000000000000000
		process 2
		thread 2
		api b 1 400 10
	END
	[ "$(fields api ts | sort)" = "$(printf '%s\n' 1700000000000000400 1700000000000000500)" ]
	[ "$(fields source shift_ns)" = "$(printf '%s\n' 0 1700000000000000000)" ]
	# neither file says when its clock began: nothing moves, and no clock is claimed
	"$put" out.gst <<- END
		file a
		process 1
		thread 1
		api a 1 1000 10
		file b
		process 2
		thread 2
		api b 1 400 10
	END
	[ "$(fields api ts | sort -n)" = "$(printf '%s\n' 400 1000)" ]
	[ -z "$(records clock)" ]
}

@test "correlation ids beyond 31 bits link what they linked, and nothing else" {
	"$put" out.gst <<- END
		file a
		process 10
		thread 10
		api a 0x123456789abcdef0 100 10
		api b 0x80000000 200 10
		api c 0x7fffffff 300 10
		api d 0xffffffff9abcdef0 400 10
		kernel d 0xffffffff9abcdef0 410 10
		kernel a 0x123456789abcdef0 420 10
		kernel none 0x123456789abcdef1 430 10
		kernel c 0x7fffffff 440 10
		kernel b 0x80000000 450 10
	END
	[ "$(fields api correlation | sort -u | wc -l)" -eq 4 ]
	join -o 1.2,2.2 -e - <(fields api correlation ts | sort) <(fields kernel correlation ts | sort) | sort > links
	[ "$(cat links)" = "$(printf '%s\n' "100 420" "200 450" "300 440" "400 410")" ]
	[ "$(fields kernel ts correlation | grep -c '^430 .*[1-9]')" -eq 1 ]
}

@test "more processes than a trace can tell apart: said, and no trace" {
	{ echo file a; seq 65535 | sed 's/^/process /'; } > lines
	run -1 "$put" out.gst < lines
	[ "${lines[0]}" = "importput: cannot import a: more than 65534 processes in all (import fewer files at once)" ]
	[ ! -e out.gst ]
	head -n 65535 lines | "$put" out.gst 2> /dev/null
	[ "$(records task | wc -l)" -eq 65534 ]
}

@test "stacks that a file has itself are taken as they are" {
	"$put" out.gst <<- END
		file a
		process 10
		thread 10
		op around 0 10000
		api one 1 100 10
		stack 1 100 main;step;launch
		api two 2 200 10
		stack 2 200 main;step;launch
		process 11
		thread 11
		op around 0 10000
		api three 3 300 10
	END
	[ "$(records stack | wc -l)" -eq 2 ]
	fields stack frames user_frames | grep -x '0x1000000000001,0x1000000000002,0x1000000000003 3'
	[ "$(fields symbol text)" = "$(printf '"%s"\n' launch step main around)" ]
	[ "$(fields api_stack process correlation | sort)" = "$(printf '%s\n' "1 1" "1 2" "2 3")" ]
	run -0 "$O/test/modeldump" out.gst
	[ "$(grep -c 'stack=launch;step;main$' <<< "$output")" -eq 2 ]
}

@test "spans that cross are counted, and both are around what lies within them" {
	"$put" -j out.gst > summary.json <<- END
		file a
		process 10
		thread 10
		op first 103 101
		op second 150 500
		api both 1 160 10
		api second_only 2 300 10
		api crosses 3 195 100
		api outside 4 700 10
	END
	[ "$(value summary.json '.inputs[0].odd[] | "\(.count) \(.what)"' | sort)" = \
		"$(printf '%s\n' "1 API call ends after a span it began in" "1 span ends after the one it began in")" ]
	run -0 "$O/test/modeldump" out.gst
	for want in "both stack=second;first" "second_only stack=second" "crosses stack=second" "outside stack=-"; do
		grep -qE "^api .* name=${want% *} .*${want#* }\$" <<< "$output" || { echo "$want"; echo "$output"; false; }
	done
}

@test "in whole microseconds an inner end may be one late; in nanoseconds not" {
	for extra in 0 7; do
		"$put" -j out.gst > summary.json <<- END
			file a
			process 10
			thread 10
			python outer 1000 10000
			op inner 2000 10000
			api call 1 3000 9000
			op next $((20000 + extra)) 1000
		END
		run -0 "$O/test/modeldump" out.gst
		if [ $extra -eq 0 ]; then
			[ "$(value summary.json '.inputs[0].odd')" = "[]" ]
			[[ "$output" == *"name=call"*"stack=inner;outer"* ]]
		else
			[ "$(value summary.json '[.inputs[0].odd[].count] | add')" -eq 2 ]
			[[ "$output" == *"name=call"*"stack=inner"$'\n'* ]]
		fi
	done
}

@test "what was not understood, what was counted, where it is damaged: said, in JSON, and exit 1 for damage" {
	text="$(printf '%s\n' "file a.json" "odd phase b" "odd phase b" "odd key x" "fact ph X 5" "fact ph M 1" "fact ph X 2")"
	run -0 --separate-stderr "$put" -j out.gst <<< "$text"
	[ "$(jq -c '.inputs[0] | .facts, .odd, .damage' <<< "$output" | paste -sd' ')" = \
		'{"ph":{"M":1,"X":7}} [{"what":"phase","which":"b","count":2},{"what":"key","which":"x","count":1}] null' ]
	[ "$(grep -v max_kb <<< "$stderr")" = "$(printf 'importput: a.json: %s\n' '2 x phase "b"' '1 x key "x"')" ]
	run -1 --separate-stderr "$put" -j out.gst <<< "$text"$'\ndamage too_short 1234\ndamage later 2000'
	[ "$(jq -c '.inputs[0].damage' <<< "$output")" = '{"why":"too_short","at":1234}' ]
	[[ "$stderr" == *"importput: cannot read all of a.json: too_short at byte 1234 (what is before it was imported)"* ]]
	[ -s out.gst ]
	# many kinds of them: the most frequent are named, and their number; memory for them is bounded
	{ echo "file a"; seq 9000 | sed 's/^/odd which /'; echo odd most x; echo odd most x; } > many
	run -0 --separate-stderr "$put" -j out.gst < many
	[ "$(jq -r '.inputs[0].odd | length, (map(.count) | add)' <<< "$output" | paste -sd' ')" = "4098 9002" ]
	[ "$(grep -c "^importput: a: .* x " <<< "$stderr")" -eq 5 ]
	[[ "$stderr" == *"importput: a: and 4093 other kinds of things that were not understood (-v names them)"* ]]
}

@test "equal names, collectives and devices are one; what is said again of a device fills in" {
	printf '%s\n' "file a" "process 1" "names 3000" "names 3000" "collective allreduce 1" "collective allreduce 1" \
		"collective allreduce 2" "device 0" "device 0 5000" "device 0 6000 H100" "process 2" "names 10" > lines
	run -0 "$put" out.gst < lines
	[ "$(grep -c '^collective 1$' <<< "$output")" -eq 2 ]
	[ "$(records name | grep -c 'producer=1 .* what=span')" -eq 3000 ]
	[ "$(records name | grep -c 'producer=2 .* what=span')" -eq 10 ]
	[ "$(fields collective id sequence)" = "$(printf '%s\n' "1 1" "2 2")" ]
	[ "$(fields device ordinal mem_bytes name)" = '0 5000 "H100"' ]
}

@test "the trace goes to a pipe, or appears for its owner alone" {
	printf '%s\n' "file a" "process 1" "thread 1" "api a 1 5 5" > lines
	"$put" out.gst < lines
	[ "$(stat -c %a out.gst)" = 600 ]
	"$put" - < lines 2> /dev/null | cmp - out.gst
}

@test "more than fits into memory is sorted on disk: all there, in order, in bounded memory" {
	# 232 bytes and 3 records a launch: 464 MB
	printf '%s\n' "file a" "process 10" "thread 10" "many 2000000 12345" > lines
	mkdir tmp
	TMPDIR="$PWD/tmp" run -0 --separate-stderr "$put" -j out.gst < lines
	[ "$(jq -c .kinds <<< "$output")" = '{"api":2000000,"kernel":2000000,"span":2000000}' ]
	[ "$(jq -c .calls_with_stack <<< "$output")" = 2000000 ]
	kb="$(sed -n 's/^max_kb //p' <<< "$stderr")"
	echo "$kb"
	[ "$kb" -lt $((128 << 10)) ]
	[ -z "$(ls tmp)" ]
	# in order of time, each kind: the last call begins at 1000 + 1999999 * 110 + 10
	"$O/test/cattrace" -r out.gst | awk '$1 == "api" || $1 == "kernel" || $1 == "span" {
		ts = substr($2, 4) + 0
		n[$1]++
		bad += ts < last[$1]
		last[$1] = ts
		sum[$1] += ts % 1000003
	} END { print n["api"], n["kernel"], n["span"], bad + 0, last["api"] - 10, last["kernel"] - 60, last["span"] }' > order
	[ "$(cat order)" = "2000000 2000000 2000000 0 220000890 220000890 220000890" ]
	run -0 "$O/test/modeldump" out.gst quiet
	[[ "$output" == *"links correlated=2000000 uncorrelated=0 early=0 no_stack=0 "* ]]
}

# kb FILE COMMAND...: the memory that it took goes to FILE
kb() {
	python3 - "$@" <<-'END'
		import resource, subprocess, sys
		status = subprocess.run(sys.argv[2:]).returncode
		open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
		sys.exit(status)
	END
}

@test "a trace four times as long takes no more memory to read, and all of it is there" {
	for n in 150000 600000; do
		# few of a kind at the begin: what is read of them must not come long after the rest
		{
			printf '%s\n' "file a" "process 10" "thread 11"
			for ((i = 1; i <= 50; i++)); do printf 'nvtx r %s 100\n' $((i * 1000)); done
			printf '%s\n' "thread 10" "many $n 12345"
		} | "$put" "$n.gst" 2> /dev/null
		kb "report.$n" "$BIN/gpureport" -j "$n.gst" > report.json 2> err
		kb "timeline.$n" "$BIN/gputimeline" "$n.gst" -o t.pftrace 2>> err
		kb "flame.$n" "$BIN/gpuflame" --folded "$n.gst" > folded 2>> err
		kb "diff.$n" "$BIN/gpudiff" "$n.gst" -- "$n.gst" > diff 2>> err
		# a kernel of 40 ns every 110 ns
		[ "$(jq -c '[.gpu_busy_ns, .gpu_idle_ns, .launch.correlated, .launch.uncorrelated]' report.json)" = "[$((40 * n)),$((70 * (n - 1))),$n,0]" ]
		[ "$(awk '{ n += $NF } END { print n }' folded)" = $((40 * n)) ]
		"$O/test/pfcheck" t.pftrace > counts
		[ "$(grep -E 'slices|flows|kernel_ns|problems' counts | tr '\n' ' ')" = "slices $((2 * n + 50)) kernel_ns $((40 * n)) flows $n problems 0 " ]
		[ ! -s err ] || { cat err; false; }
	done
	head ./*.150000 ./*.600000
	for tool in report timeline flame diff; do
		[ "$(cat "$tool.600000")" -lt $(("$(cat "$tool.150000")" + 16384)) ]
	done
}

# until_spilled PID: it has written records to a nameless file
until_spilled() {
	local fd
	for fd in "/proc/$1/fd/"*; do
		[[ "$(readlink "$fd")" == *"(deleted)" ]] && [ "$(stat -Lc %s "$fd")" -gt 1000000 ] && return
	done
	return 1
}

@test "killed in the middle: nothing is left, neither of the trace nor of temporary records" {
	mkfifo lines
	mkdir tmp
	TMPDIR="$PWD/tmp" "$put" out.gst < lines 3>&- &
	exec 7> lines
	printf '%s\n' "file a" "process 10" "thread 10" "many 700000 1" >&7
	until_true until_spilled $!
	kill -9 $!
	wait $! || true
	exec 7>&-
	[ "$(ls)" = "$(printf '%s\n' lines tmp)" ]
	[ -z "$(ls tmp)" ]
}

@test "a full disk: said with the folder, and no trace" {
	requires mounts
	printf '%s\n' "file a" "process 10" "thread 10" "many 700000 1" > lines
	printf '%s\n' "file a" "process 10" "thread 10" "names 400000" > names
	mkdir small
	run -0 unshare -m bash -c '
		mount -t tmpfs -o size=8m none small
		TMPDIR=small "$1" out.gst < lines
		echo "exit $?"
		ls out.gst small
		umount small
		mount -t tmpfs -o size=256k none small
		"$1" small/out.gst < names
		echo "exit $?"
		ls small' - "$put"
	echo "$output"
	[[ "$output" == *"importput: cannot write temporary records in small (TMPDIR names another folder): No space left on device"* ]]
	[[ "$output" == *"importput: cannot write small/out.gst: No space left on device"* ]]
	[ "$(grep -c '^exit 1$' <<< "$output")" -eq 2 ]
	[[ "$output" != *small/out.gst*$'\n'*out.gst ]]
}

# ---- packed files ----

# unpacked FILE: its text is that of `plain`
unpacked() { "$O/test/unpackcat" "$1" 2> said | cmp - plain; }

@test "gzip and zstd files are unpacked: several members, padding, steps over what zstd says" {
	requires zstd
	seq 200000 > plain
	unpacked plain
	[ "$(cat said)" = "packed $(stat -c %s plain)" ]
	gzip -kc plain > one.gz
	unpacked one.gz
	[ "$(cat said)" = "packed $(stat -c %s one.gz)" ]
	{ head -n 1000 plain | gzip -c; tail -n +1001 plain | gzip -1c; gzip -c < /dev/null; } > two.gz
	unpacked two.gz
	{ cat two.gz; head -c 1000 /dev/zero; } > padded.gz
	unpacked padded.gz
	{ head -n 1000 plain | zstd -qc; printf 'P*M\030\004\0\0\0abcd'; tail -n +1001 plain | zstd -qc; } > two.zst
	unpacked two.zst
	{ printf 'P*M\030\004\0\0\0abcd'; zstd -qc plain; } > skip.zst
	unpacked skip.zst
	for f in plain one.gz two.zst; do
		"$O/test/unpackcat" -p - < $f 2> said | cmp - plain
		[ "$(head -n 1 said)" = "peek 5000" ]
		"$O/test/unpackcat" -p - < <(cat $f) 2> said | cmp - plain
	done
	printf ab > plain
	unpacked plain
	gzip -kc plain > one.gz
	unpacked one.gz
	: > plain
	unpacked plain
}

@test "packed files that are cut or damaged give what was before, and say where" {
	requires zstd
	seq 200000 > plain
	for pack in gzip zstd; do
		$pack -qkc plain > whole
		head -c 100000 whole > cut
		run -1 --separate-stderr "$O/test/unpackcat" cut
		[ "${stderr_lines[0]}" = "unpackcat: cannot read all of cut: the $pack data ends early at byte 100000 of the file" ]
		[ "${#lines[@]}" -gt 1000 ]
		[ "$(head -n 500 <<< "$output")" = "$(head -n 500 plain)" ]
		{ head -c 50000 whole; tail -c +50001 whole | head -c 8 | tr '\000-\377' '\001-\377\000'; tail -c +50009 whole; } > broken
		run -1 --separate-stderr "$O/test/unpackcat" broken
		[[ "${stderr_lines[0]}" =~ ^"unpackcat: cannot read all of broken: the $pack data is damaged at byte "[0-9]+" of the file"$ ]]
	done
	{ gzip -c plain; echo rubbish; } > behind.gz
	run -1 --separate-stderr "$O/test/unpackcat" behind.gz
	[ "$output" = "$(cat plain)" ]
	[ "${stderr_lines[0]}" = "unpackcat: cannot read all of behind.gz: what follows the gzip data at byte $(($(stat -c %s behind.gz) - 8)) of the file is none" ]
	printf '\037\213\010' > short.gz
	run -1 "$O/test/unpackcat" short.gz
	[ "${lines[0]}" = "unpackcat: cannot read all of short.gz: the gzip data ends early at byte 3 of the file" ]
}

@test "who wants no more need not wait for a packed pipe to end" {
	seq 2000000 | gzip -1 > big.gz
	mkfifo pipe
	{ head -c 60000 big.gz; until_true [ -e done ] || touch waited; } > pipe 3>&- &
	"$O/test/unpackcat" -n 100 pipe > some 2> said
	touch done
	wait
	[ ! -e waited ]
	cmp -n 100 some <(seq 2000000)
}

@test "named pipes and process substitutions: all that comes through them, packed or not, beside standard input" {
	python3 - > a.json <<- 'END'
		import json
		events = [{"ph": "X", "cat": "kernel", "name": "k%d" % i, "ts": i, "dur": 1, "pid": 0, "tid": 7,
		           "args": {"device": 0, "stream": 7}} for i in range(2000)]
		print(json.dumps({"schemaVersion": 1, "traceEvents": events}))
	END
	kernels() { "$BIN/gpureport" -j out.gst | jq -c '[.kernels.count, .kernels.total_ns]'; }
	mkfifo pipe
	cat a.json > pipe 3>&- &
	timeout 20 "$import" pipe -o out.gst
	[ "$(kernels)" = "[2000,2000000]" ]
	timeout 20 "$import" <(gzip -c a.json) -o out.gst
	[ "$(kernels)" = "[2000,2000000]" ]
	timeout 20 "$import" <(cat a.json) - <(zstd -qc a.json) -o out.gst < <(gzip -c a.json)
	[ "$(kernels)" = "[6000,6000000]" ]
	timeout 20 "$import" --format kineto <(cat a.json) -o out.gst
	[ "$(kernels)" = "[2000,2000000]" ]
}
