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
