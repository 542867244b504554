#!/usr/bin/env bats
# The model: what is joined with what, from traces written by hand and truths computed by hand.

setup() {
	load helpers
	T="$BATS_TEST_TMPDIR"
}

# deliver [quiet]: the lines of stdin as a trace through the model
deliver() {
	"$O/test/mktrace" > "$T/t.gst" || return
	"$O/test/modeldump" "$T/t.gst" "$@"
}

# the names of a process with a launch function and a kernel
names() {
	cat <<-END
	name producer=${1:-1} id=1 what=api text=cudaLaunchKernel
	name producer=${1:-1} id=2 what=kernel text=k${1:-1}
	name producer=${1:-1} id=3 what=api text=cuLaunchKernel
	END
}

has() { grep -qxF -- "$1" <<< "$output" || { echo "no line: $1"; echo "$output"; return 1; }; }
# shows PATTERN...: some line holds it
shows() { for x; do [[ "$output" == *"$x"* ]] || { echo "nowhere: $x"; echo "$output"; return 1; }; done; }

@test "an operation that comes before its call, in another block, finds it" {
	run -0 deliver <<-END
	$(names)
	kernel ts=5000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	flush
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	END
	shows "op ts=5000 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1 early=0"
	shows "ops=1" "links correlated=1 uncorrelated=0"
}

@test "operations before the first CPU record do not set the clock, however wrong theirs is" {
	for gpu in 5000 1700000000000000000; do
		run -0 deliver <<-END
		$(names)
		kernel ts=$gpu producer=1 pid=10 dur_ns=10 correlation=7 name=2
		kernel ts=$gpu producer=1 pid=10 dur_ns=10 correlation=8 name=2
		flush
		api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
		api ts=1200 producer=1 pid=10 tid=11 dur_ns=100 correlation=8 name=1 class=launch
		END
		shows "links correlated=2 uncorrelated=0"
	done
}

@test "a call 29 seconds later is awaited, one 31 seconds later is not" {
	for late in 29 31; do
		run -0 deliver <<-END
		$(names)
		kernel ts=500 producer=1 pid=10 dur_ns=10 correlation=7 name=2
		flush
		api ts=1000 producer=1 pid=10 tid=11 dur_ns=0 correlation=1 name=1 class=launch
		flush
		api ts=2000 producer=1 pid=10 tid=11 dur_ns=0 correlation=2 name=1 class=launch
		kernel ts=3000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
		flush
		api ts=${late}000003000 producer=1 pid=10 tid=11 dur_ns=0 correlation=3 name=1 class=launch
		flush
		api ts=4000 producer=1 pid=10 tid=11 dur_ns=0 correlation=7 name=1 class=launch
		END
		[ "$late" = 29 ] && shows "correlated=2 uncorrelated=0"
		[ "$late" = 31 ] && shows "correlated=0 uncorrelated=2"
	done
}

@test "equal correlation ids of two processes are two calls" {
	run -0 deliver <<-END
	$(names 1)
	$(names 2)
	name producer=2 id=4 what=api text=cudaMemcpyAsync
	device producer=1 pid=10
	device producer=2 pid=20
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	api ts=1100 producer=2 pid=20 tid=21 dur_ns=100 correlation=7 name=4 class=copy
	copy ts=1500 producer=2 pid=20 dur_ns=10 correlation=7 copy_kind=HtoD
	kernel ts=1400 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	END
	shows "name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1" \
		"name=[memcpy HtoD] gpu=1 producer=2 pid=20 call=cudaMemcpyAsync link=1"
}

@test "a nested driver call claims no operation of its runtime call" {
	run -0 deliver <<-END
	$(names)
	api ts=1010 producer=1 pid=10 tid=11 dur_ns=50 correlation=7 name=3 class=launch depth=1 domain=driver
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch domain=runtime
	kernel ts=2000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	END
	shows "call=cudaLaunchKernel link=1" "name=cudaLaunchKernel depth=0 ops=1" "name=cuLaunchKernel depth=1 ops=0"
	shows "calls api=2 nested=1"
}

@test "a graph's operations all belong to its launch; their stacks are those of the capturing calls" {
	run -0 deliver <<-END
	$(names)
	name producer=1 id=5 what=api text=cudaGraphLaunch
	map id=1 text=/usr/bin/app
	symbol frame=0x1000000001000 text=capture
	symbol frame=0x1000000002000 text=replay
	stack id=0x55 user_frames=1 frames=0x1000000001000
	stack id=0x66 user_frames=1 frames=0x1000000002000
	graph_node producer=1 pid=10 node=100 correlation=3 graph=1
	graph_node producer=1 pid=10 node=200 source=100 graph=2
	graph_node producer=1 pid=10 node=201 graph=2
	kernel ts=9000 producer=1 pid=10 dur_ns=10 correlation=9 name=2 graph=2 graph_node=200
	flush
	api ts=8000 producer=1 pid=10 tid=11 dur_ns=100 correlation=9 name=5 class=graph_launch
	flush
	api_stack ts=8000 pid=10 tid=11 process=1 correlation=9 stack=0x66
	flush
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=3 name=1 class=launch
	api_stack ts=1000 pid=10 tid=11 process=1 correlation=3 stack=0x55
	kernel ts=9010 producer=1 pid=10 dur_ns=10 correlation=9 name=2 graph=2 graph_node=201
	END
	shows "op ts=9000 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaGraphLaunch link=1 early=0 captured=1 stack=capture"
	shows "op ts=9010 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaGraphLaunch link=1 early=0 captured=0 stack=replay"
	shows "name=cudaGraphLaunch depth=0 ops=2 stack=replay"
}

@test "graph nodes that come before any record with a time keep their capturing call, hours after boot" {
	run -0 deliver <<-END
	$(names)
	name producer=1 id=5 what=api text=cudaGraphLaunch
	map id=1 text=/usr/bin/app
	symbol frame=0x1000000001000 text=capture
	stack id=0x55 user_frames=1 frames=0x1000000001000
	graph_node producer=1 pid=10 node=100 correlation=3 graph=1
	flush
	kernel ts=7200000000000 producer=1 pid=10 dur_ns=10 correlation=99 name=2
	flush
	api ts=7200000001000 producer=1 pid=10 tid=11 dur_ns=100 correlation=3 name=1 class=launch
	api_stack ts=7200000001000 pid=10 tid=11 process=1 correlation=3 stack=0x55
	api ts=7200000008000 producer=1 pid=10 tid=11 dur_ns=100 correlation=9 name=5 class=graph_launch
	kernel ts=7200000009000 producer=1 pid=10 dur_ns=10 correlation=9 name=2 graph=1 graph_node=100
	END
	shows "captured=1 stack=capture"
}

@test "an operation waits for the stack of its call; when none comes it goes without and is counted" {
	run -0 deliver <<-END
	$(names)
	stack id=0x55 user_frames=1 frames=0x1234
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	api ts=1200 producer=1 pid=10 tid=11 dur_ns=100 correlation=8 name=1 class=launch
	kernel ts=2000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	kernel ts=3000 producer=1 pid=10 dur_ns=10 correlation=8 name=2
	flush
	api_stack ts=1000 pid=10 tid=11 process=1 correlation=7 stack=0x55
	END
	shows "op ts=2000 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1 early=0 captured=0 stack=0x1234"
	shows "op ts=3000 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1 early=0 captured=0 stack=-" "no_stack=1"
}

@test "an operation that starts before its launch call is flagged and keeps its time" {
	run -0 deliver <<-END
	$(names)
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	kernel ts=999 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	kernel ts=1000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	END
	shows "op ts=999 dur=10 name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1 early=1"
	shows "early=1 no_stack" "op ts=1000"
}

@test "a kernel event belongs to the innermost call of its thread, whatever comes first" {
	calls="api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	api ts=1010 producer=1 pid=10 tid=11 dur_ns=50 correlation=8 name=3 class=launch depth=1
	api ts=1000 producer=1 pid=10 tid=12 dur_ns=1000 correlation=9 name=1 class=launch"
	events="fault ts=999 pid=10 tid=11
	fault ts=1000 pid=10 tid=11
	fault ts=1020 pid=10 tid=11
	fault ts=1061 pid=10 tid=11
	fault ts=1100 pid=10 tid=11
	fault ts=1101 pid=10 tid=11
	driver ts=1050 dur_ns=5 pid=10 tid=12
	wake ts=1055 pid=10 tid=11
	switch ts=1012 pid=10 tid=13"
	for order in "$calls|$events" "$events|$calls"; do
		run -0 deliver <<< "$(names)
		${order%|*}
		flush
		${order#*|}"
		has "fault ts=999 tid=11 call=-:0"
		has "fault ts=1000 tid=11 call=cudaLaunchKernel:7"
		has "fault ts=1020 tid=11 call=cuLaunchKernel:8"
		has "fault ts=1061 tid=11 call=cudaLaunchKernel:7"
		has "fault ts=1100 tid=11 call=cudaLaunchKernel:7"
		has "fault ts=1101 tid=11 call=-:0"
		has "driver ts=1050 tid=12 call=cudaLaunchKernel:9"
		has "wake ts=1055 tid=11 call=cuLaunchKernel:8"
		has "switch ts=1012 tid=13 call=-:0"
		shows "host=6/3"
	done
}

@test "events and calls in any order join as a plain search over all of them says" {
	awk 'BEGIN { srand(7); t = 1000
		for (i = 1; i <= 300; i++) {
			s = t + int(rand() * 50); d = int(rand() * 100)
			print rand(), "api ts=" s " producer=1 pid=1 tid=" 5 + i % 3 " dur_ns=" d " correlation=" i " name=1"
			if (d > 10)
				print rand(), "api ts=" s + 3 " producer=1 pid=1 tid=" 5 + i % 3 " dur_ns=" d - 6 " correlation=" 1000 + i " name=1 depth=1"
			if (i % 3 == 0) t += 160
		}
		for (i = 1; i <= 1000; i++)
			print rand(), "fault ts=" 1000 + int(rand() * 16500) " tid=" 5 + int(rand() * 3) " pid=1"
	}' | sort -n | cut -d' ' -f2- > "$T/lines"
	# flush now and then: blocks of few records, so that the order of the lines is the order of arrival
	awk '1; NR % 5 == 0 { print "flush" }' "$T/lines" | deliver | grep ^fault | sort > "$T/got"
	awk '{ delete v; for (i = 2; i <= NF; i++) { split($i, a, "="); v[a[1]] = a[2] } }
		$1 == "api" { n++; s[n] = v["ts"]; e[n] = s[n] + v["dur_ns"]; t[n] = v["tid"]; c[n] = v["correlation"] }
		$1 == "fault" { m++; ft[m] = v["tid"]; f[m] = v["ts"] }
		END { for (j = 1; j <= m; j++) { b = 0
			for (i = 1; i <= n; i++)
				if (t[i] == ft[j] && s[i] <= f[j] && f[j] <= e[i] && (!b || s[i] > s[b])) b = i
			print "fault ts=" f[j] " tid=" ft[j] " call=" (b ? "?:" c[b] : "-:0") } }' "$T/lines" | sort > "$T/want"
	[ "$(grep -c 'call=?' "$T/want")" -gt 100 ]
	diff "$T/want" "$T/got"
}

@test "the kernel events of a thread come in order of time, whatever the blocks" {
	run -0 deliver <<-END
	switch ts=10 pid=10 tid=11
	switch ts=30 pid=10 tid=11
	switch ts=15 pid=10 tid=12
	switch ts=50 pid=10 tid=11
	flush
	wake ts=20 pid=10 tid=11
	wake ts=40 pid=10 tid=11
	flush
	api ts=32000000000 producer=1 pid=10 tid=13 dur_ns=1 correlation=1
	switch ts=32000000000 pid=10 tid=11
	END
	[ "$(sed -nE 's/^(switch|wake) ts=([0-9]+) tid=11 .*/\2/p' <<< "$output" | xargs)" = "10 20 30 40 50 32000000000" ]
}

@test "exec with the same pid is a new process where there is CUDA on both sides" {
	run -0 deliver <<-END
	task ts=100 pid=10 tid=10 start_ns=100 ppid=1 what=fork comm=sh
	task ts=200 pid=10 tid=10 start_ns=100 what=exec comm=first
	task ts=300 pid=10 tid=10 start_ns=100 what=found process=1 comm=first
	task ts=400 pid=10 tid=10 start_ns=100 what=exec comm=second
	task ts=500 pid=10 tid=10 start_ns=100 what=found process=2 comm=second
	task ts=200 pid=10 tid=10 start_ns=100 what=exec comm=first cgroup=5
	task ts=600 pid=10 tid=10 start_ns=100 what=exit
	task ts=700 pid=10 tid=10 start_ns=700 what=fork comm=third
	kernel ts=350 producer=1 pid=10 dur_ns=10
	kernel ts=550 producer=2 pid=10 dur_ns=10
	END
	has "process pid=10 ppid=1 producer=1 comm=first start=100 end=400"
	has "process pid=10 ppid=1 producer=2 comm=second start=100 end=600"
	has "process pid=10 ppid=0 producer=0 comm=third start=700 end=0"
	[ "$(grep -c '^process' <<< "$output")" -eq 3 ]
}

@test "devices are one device where their UUIDs are equal" {
	run -0 deliver <<-END
	device producer=1 ordinal=0 uuid=000102030405060708090a0b0c0d0e0f name=A
	device producer=1 ordinal=1 uuid=100102030405060708090a0b0c0d0e0f name=B
	device producer=2 ordinal=0 uuid=100102030405060708090a0b0c0d0e0f name=B
	kernel ts=350 producer=2 pid=10 dur_ns=10 device=0
	kernel ts=360 producer=3 pid=11 dur_ns=10 device=5
	END
	has "device producer=1 ordinal=0 gpu=0 name=A"
	has "device producer=2 ordinal=0 gpu=1 name=B"
	shows "op ts=350 dur=10 name=? gpu=1" "op ts=360 dur=10 name=? gpu=2"
}

@test "names and stacks that are used but not defined are ? and counted once" {
	run -0 deliver <<-END
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=1 correlation=7 name=77 class=launch
	api ts=1002 producer=1 pid=10 tid=11 dur_ns=1 correlation=8 name=77 class=launch
	api_stack ts=1000 pid=10 tid=11 process=1 correlation=7 stack=0x55
	api_stack ts=1002 pid=10 tid=11 process=1 correlation=8 stack=0x55
	END
	shows "name=? depth=0" "undefined_names=1 undefined_stacks=1"
}

@test "losses are added up by layer, unknown numbers apart" {
	run -0 deliver <<-END
	lost ts=1 producer=1 count=5 where=cupti
	lost ts=2 producer=2 count=6 where=cupti
	lost ts=3 producer=1 count=0xffffffffffffffff where=unfinished
	END
	shows "lost_unknown=1 cupti=11"
}

@test "GPU times in CLOCK_REALTIME are converted by the nearest clock pair" {
	run -0 deliver <<-END
	$(names)
	clock ts=1000 producer=1 realtime_ns=1700000000000001000 cupti_realtime=1
	clock ts=900000 producer=1 realtime_ns=1700000000000900500 cupti_realtime=1
	api ts=2000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	kernel ts=1700000000000003000 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	kernel ts=1700000000000900700 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	kernel ts=900300 producer=1 pid=10 dur_ns=10 correlation=7 name=2
	END
	# the last one was converted by the library
	shows "op ts=3000 dur=10" "op ts=900200 dur=10" "op ts=900300 dur=10" "early=0"
}

@test "memory does not grow with the length of the trace" {
	lines() {
		names
		awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) {
			t = i * 10000000
			printf "api ts=%.0f producer=1 pid=10 tid=11 dur_ns=5000 correlation=%d name=1 class=launch\n", t, i
			printf "switch ts=%.0f pid=10 tid=11\n", t + 100
			printf "kernel ts=%.0f producer=1 pid=10 dur_ns=50 correlation=%d name=2\n", t + 9000, i
			if (i % 200 == 0) print "flush" } }'
	}
	lines 20000 | deliver quiet > "$T/short"
	lines 100000 | deliver quiet > "$T/long"
	grep -q "links correlated=100000 uncorrelated=0 .* host=100000/0" "$T/long"
	short="$(sed -n 's/memory max_kb=//p' "$T/short")" long="$(sed -n 's/memory max_kb=//p' "$T/long")"
	echo "200 s: $short KiB, 1000 s: $long KiB"
	[ "$long" -lt $((short * 5 / 4)) ]
}

@test "random records in random order: each is delivered once" {
	for seed in 1 2 3 4 5 6; do
		awk -v seed=$seed '
		function r(n) { return int(rand() * n) }
		BEGIN { srand(seed); step = 10 ^ (3 + 2 * (seed % 4))
		for (i = 0; i < 3000; i++) {
			t = sprintf("%.0f", i * step + rand() * 100 * step); p = r(3); d = sprintf("%.0f", rand() * 60 * step)
			k = r(14)
			head = " ts=" t " producer=" p " pid=" 10 + r(3) " tid=" 10 + r(4)
			if (k < 3) print "api" head " dur_ns=" d " correlation=" r(400) " name=" r(5) " depth=" (r(4) == 0) " class=" r(12)
			else if (k < 5) print "kernel" head " dur_ns=" d " correlation=" r(400) " name=" r(5) " device=" r(3) " graph_node=" (r(2) ? r(30) : 0)
			else if (k == 5) print "copy" head " dur_ns=" d " correlation=" r(400) " copy_kind=" r(20) " src_kind=" r(20) " bytes=" d
			else if (k == 6) print "graph_node" head " node=" r(30) " source=" r(30) " correlation=" r(400)
			else if (k == 7) print "api_stack" head " process=" p " correlation=" r(400) " stack=" r(9)
			else if (k == 8) print "sync" head " dur_ns=" d " correlation=" r(400) " type=" r(9)
			else if (k == 9) print "switch" head " on=" r(2) " state=" r(2)
			else if (k == 10) print "fault" head
			else if (k == 11) print "driver" head " dur_ns=" d
			else if (k == 12) print "task" head " what=" r(5) " process=" r(4) " start_ns=" r(3) " comm=c" r(3)
			else print "flush"
		} }' > "$T/lines"
		"$O/test/mktrace" < "$T/lines" > "$T/t.gst"
		"$O/test/modeldump" "$T/t.gst" > "$T/out"
		"$BIN/gpureport" -j "$T/t.gst" > "$T/json"
		for kind in api kernel:op copy sync switch fault driver; do
			want="$(grep -c "^${kind%:*} " "$T/lines")"
			case "$kind" in
			kernel:op) got="$(grep '^op ' "$T/out" | grep -vc memcpy)" ;;
			copy) got="$(grep '^op ' "$T/out" | grep -c memcpy)" ;;
			*) got="$(grep -c "^$kind " "$T/out")" ;;
			esac
			[ "$got" -eq "$want" ] || { echo "seed $seed: $want $kind, $got delivered"; false; }
		done
		[ "$(jq '.launch.correlated + .launch.uncorrelated' "$T/json")" -eq "$(grep -cE '^(kernel|copy) ' "$T/lines")" ]
		[ "$(jq '.launch.correlated' "$T/json")" -gt 0 ]
	done
}

@test "calls that all lie before the waiting events of their thread are no search each" {
	{
		names
		seq 1 60000 | awk '{ printf "fault ts=%.0f pid=1 tid=1\n", 1e12 + $1 * 1000 }'
		seq 1 300000 | awk '{ printf "api ts=%.0f dur_ns=500 producer=1 pid=1 tid=1 name=1 correlation=%d class=launch\n", 1e9 + $1 * 1000, $1 }'
	} | "$O/test/mktrace" > "$T/t.gst"
	run -0 timeout 20 "$O/test/modeldump" "$T/t.gst" quiet		# 0.2 s; was 100
	shows "calls api=300000" "host=0/60000"
}

@test "a call comes after its operations, also after those that wait for the call of their graph node" {
	run -0 deliver <<-END
	$(names)
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=graph_launch
	flush
	graph_node producer=1 node=5 correlation=3
	flush
	kernel ts=5000 producer=1 pid=10 dur_ns=10 correlation=7 name=2 graph_node=5
	kernel ts=6000 producer=1 pid=10 dur_ns=10 correlation=7 name=2 graph_node=5
	END
	[ "$(grep -oE '^(op|api) ts=[0-9]+' <<< "$output" | tr '\n' ,)" = "op ts=5000,op ts=6000,api ts=1000," ] || { echo "$output"; false; }
	shows "correlation=7 name=cudaLaunchKernel depth=0 ops=2"
}

@test "a call that was delivered is not delivered again with an operation that waited elsewhere" {
	run -0 deliver <<-END
	$(names)
	api ts=1000 producer=1 pid=10 tid=11 dur_ns=100 correlation=7 name=1 class=launch
	flush
	api ts=40000000000 producer=1 pid=10 tid=11 dur_ns=100 correlation=8 name=3 class=sync
	flush
	graph_node producer=1 node=5 correlation=3
	flush
	kernel ts=40000005000 producer=1 pid=10 dur_ns=10 correlation=7 name=2 graph_node=5
	END
	[ "$(grep -c '^api .*correlation=7' <<< "$output")" -eq 1 ] || { echo "$output"; false; }
}

@test "a kernel that runs longer than the horizon finds the call that launched it, many or one" {
	run -0 deliver <<-END
	$(names)
	api ts=1000000000 producer=1 pid=10 tid=11 dur_ns=100 correlation=1 name=1 class=launch
	api ts=1000001000 producer=1 pid=10 tid=11 dur_ns=100 correlation=2 name=1 class=launch result=2
	flush
	api ts=2000000000 producer=1 pid=10 tid=11 dur_ns=245000000000 correlation=3 name=3 class=sync
	flush
	kernel ts=1000005000 producer=1 pid=10 dur_ns=245990000000 correlation=1 name=2
	END
	shows "op ts=1000005000 dur=245990000000 name=k1 gpu=0 producer=1 pid=10 call=cudaLaunchKernel link=1"
	shows "links correlated=1 uncorrelated=0" "calls api=3"
	[ "$(grep -c '^api' <<< "$output")" -eq 3 ]
	"$BIN/gputimeline" -i "$T/t.gst" -o "$T/t.pf"
	"$O/test/pfcheck" "$T/t.pf"
}

@test "a span as long as the trace does not stop its time: calls are delivered after the horizon" {
	for long in "span ts=1 pid=10 tid=11 dur_ns=900000000000 producer=1 name=3 what=python" \
		"nvtx ts=1 pid=10 tid=11 dur_ns=900000000000 producer=1 name=3 what=push_pop"; do
		run -0 deliver <<-END
		$(names)
		$long
		flush
		api ts=1000000000 producer=1 pid=10 tid=11 dur_ns=100 correlation=1 name=1 class=launch
		flush
		api ts=90000000000 producer=1 pid=10 tid=11 dur_ns=100 correlation=2 name=1 class=launch
		flush
		kernel ts=90000005000 producer=1 pid=10 dur_ns=100 correlation=2 name=2
		END
		grep -E '^(api|op) ' <<< "$output" | head -n 2 | cut -d' ' -f1,2 > "$T/first"
		[ "$(cat "$T/first")" = "$(printf '%s\n' "api ts=1000000000" "op ts=90000005000")" ]
	done
}

@test "calls whose operations never come are held in bounded memory" {
	{
		names
		seq 1 1500000 | awk '{ printf "api ts=%.0f dur_ns=500 producer=1 pid=1 tid=1 name=1 correlation=%d class=launch\n", $1 * 1e7, $1 }'
	} | "$O/test/mktrace" > "$T/t.gst"
	run -0 "$O/test/modeldump" "$T/t.gst" quiet
	shows "calls api=1500000"
	[ "$(sed -n 's/.*max_kb=//p' <<< "$output")" -lt 100000 ]
}
