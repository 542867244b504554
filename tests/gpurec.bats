#!/usr/bin/env bats
# gpurec: what a program says it did is what stands in the file, and nobody is harmed on the way.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
	requires nogpu
}

# recorded FILE: all its records as text, in dump
recorded() { "$O/test/cattrace" "$1" > dump; }

# count KIND [WORD]: records of that kind (with that word in them)
count() { grep -E "^$1 " dump | grep -c -- "${2:-}" || true; }

# told WHAT: what the program itself counted ("expect WHAT N" lines of its output, in out)
told() { awk -v k="$1" '$1 == "expect" && $2 == k { n += $3; seen = 1 } END { print seen ? n : "never" }' out; }

# agrees KIND WHAT: the file holds as many as the program counted
agrees() {
	local seen told
	seen="$(count "$1")"
	told="$(told "$2")"
	[ "$seen" = "$told" ] || { echo "$1: the program counted $told, the file holds $seen"; cat err; return 1; }
}

# program NAME [ARG...]: record a program of tests/programs into x.gst; its words in out, ours in err
program() {
	local name="$1"
	shift
	record x.gst "$PROG/$name" "$@" > out 2> err || { cat out err; return 1; }
	recorded x.gst
}

# uncorrelated: GPU operations whose API call is not in the file
uncorrelated() {
	awk '{ p = c = "" ; for (i = 2; i <= NF; i++) { if ($i ~ /^producer=/) p = $i; if ($i ~ /^correlation=/) c = $i } }
		$1 == "api" { call[p c] = 1 }
		$1 ~ /^(kernel|copy|set|graph)$/ { op[++n] = p c }
		END { for (i = 1; i <= n; i++) if (!(op[i] in call)) bad++; print bad + 0 }' dump
}

whole() {
	[ "$(uncorrelated)" -eq 0 ] || { echo "$(uncorrelated) uncorrelated"; return 1; }
	grep -q ' 0 lost$' err || { cat err; return 1; }
	[ "$(count lost)" -eq 0 ]
}

@test "the demo's kernels, copies and sets are all in the file, each with its call" {
	program demo
	agrees kernel kernels
	agrees copy copies
	agrees set sets
	whole
	grep -qE '^gpurec: x\.gst: [0-9]+ records, [0-9.]+ MB, 0 lost$' err
}

@test "threads: each launch is in the file, with the thread that made it" {
	program threads
	agrees kernel kernels
	whole
	# every thread allocates once
	run -0 bash -c "grep '^api .*class=launch' dump | grep -o ' tid=[0-9]*' | sort | uniq -c | sort -u -k1,1"
	[ "${#lines[@]}" -eq 1 ]
	run -0 bash -c "grep '^api .*class=launch' dump | grep -o ' tid=[0-9]*' | sort -u | wc -l"
	[ "$output" -eq "$(told api:cudaMalloc)" ]
}

@test "copies of all directions are in the file" {
	program copies
	agrees copy copies
	whole
}

@test "graphs: --graph=launch records a launch as one, --graph=node records what is in it" {
	program graphs
	agrees graph graph_launches
	agrees copy api:cudaMemcpy
	[ "$(count kernel)" -eq 0 ]
	whole
	GPUREC="--graph node" program graphs
	agrees kernel kernels
	agrees copy copies
	agrees set sets
	[ "$(count graph_node)" -gt 0 ]
	grep -q 'what=setting text="graph=node"' dump
	whole
}

@test "--api=nested adds the driver calls inside runtime calls" {
	program threads
	run ! grep -qE '^api .* depth=[1-9]' dump
	outer="$(count api)"
	GPUREC="--api nested" program threads
	agrees kernel kernels
	[ "$(count api depth=0)" -eq "$outer" ]
	[ "$(count api 'class=launch depth=1')" -ge "$(told kernels)" ]
	whole
}

@test "inside a pid namespace all ids are the host's, and every link holds" {
	requires bpf mounts
	sim unshare -p -f --mount-proc "$BIN/gpurec" -o x.gst -- "$PROG/forktree" > out 2> err
	recorded x.gst
	agrees kernel kernels
	whole
	# ids of the library's records and of the kernel's: each API call's thread was seen to switch
	run -0 bash -c "comm -23 <(grep '^api ' dump | grep -oE ' pid=[0-9]+ tid=[0-9]+' | sort -u) \
		<(grep '^switch ' dump | grep -oE ' pid=[0-9]+ tid=[0-9]+' | sort -u)"
	[ -z "$output" ]
	"$BIN/gpureport" -j -i x.gst > report.json
	[ "$(value report.json .launch.uncorrelated)" -eq 0 ]
}

@test "kernels with long names, and threads that wait in all the ways there are" {
	program many
	agrees kernel kernels
	[ "$(count name what=kernel)" -eq "$(told names)" ]
	whole
	program sync
	agrees kernel kernels
	[ "$(count sync)" -gt 0 ]
	whole
}

@test "however a program ends, what it ran is in the file, or the file says that it is not" {
	local way
	for way in return exit thread reset; do
		program exits $way
		agrees kernel kernels
		whole
	done
	for way in _exit abort segv; do
		sim "$PROG/exits" $way > alone 2>&1 || code=$?
		record x.gst "$PROG/exits" $way > out 2> err || seen=$?
		[ "${seen:-0}" -eq "${code:-0}" ] || { echo "$way: $seen for $code"; false; }
		recorded x.gst
		[ "$(count kernel)" -eq "$(told kernels)" ] || grep -q '^lost .*where=unfinished' dump
	done
}

@test "forktree: children and what they execute are recorded too" {
	program forktree
	agrees kernel kernels
	whole
	run -0 bash -c "grep '^kernel ' dump | grep -o ' producer=[0-9]*' | sort -u | wc -l"
	[ "$output" -gt 1 ]
}

@test "the stacks hold the program's functions, not ours" {
	requires bpf
	program demo
	[ "$(count stack)" -gt 0 ]
	grep '^symbol ' dump | grep -q 'text="main"'
	[ "$(count api_stack)" -gt 0 ]
	run ! grep -E '^api_stack .* stack=0 ' dump
	run ! grep -E '^map .*(libgpuscope-cuda|libcupti)' dump
}

@test "--no-stacks takes none" {
	requires bpf
	GPUREC=--no-stacks program demo
	[ "$(count stack)" -eq 0 ]
	[ "$(count api_stack)" -eq 0 ]
	agrees kernel kernels
}

@test "the kernel side: threads that run and wait, faults, names of tasks" {
	requires bpf
	program demo
	for kind in task switch wake fault; do
		[ "$(count $kind)" -gt 0 ] || { echo "no $kind"; false; }
	done
	grep '^task ' dump | grep -q 'what=exec .*comm="demo"'
	run -0 bash -c "grep '^task ' dump | grep 'process=1 '"
	run ! grep -vE '^(clock|note|map|symbol|lost|name|device|kernel|copy|set|sync|graph) | pid=[1-9]' dump
}

@test "--probes takes only the sets it names, and knows their names" {
	requires bpf
	GPUREC="--probes sched" program demo
	[ "$(count switch)" -gt 0 ]
	[ "$(count fault)" -eq 0 ]
	[ "$(count api_stack)" -eq 0 ]
	run -0 "$BIN/gpurec" --probes list
	for set in follow stack sched fault ioctl block uvm xid; do [[ "$output" == *$set* ]]; done
	run -2 "$BIN/gpurec" --probes sched,nonsense true
	[[ "$output" == *'no probe set is called "nonsense"'* ]]
}

@test "a program without CUDA leaves its host side" {
	requires bpf
	record x.gst sh -c 'ls / > /dev/null; exit 0' 2> err
	recorded x.gst
	grep '^task ' dump | grep 'what=exec' | grep -q 'comm="ls"'
	[ "$(count fault)" -gt 0 ]
	grep -q ' 0 lost$' err
}

@test "ioctls carry the device behind the descriptor, terminals are left out" {
	requires bpf perl
	# perl itself asks each file whether it is a terminal: 0x54fe is nobody else's
	record x.gst perl -e 'open(F, "</dev/null"); ioctl(F, 0x54fe, $b) for 1..7' 2> err
	recorded x.gst
	[ "$(grep '^driver' dump | grep 'cmd=0x54fe' | grep -cE "device=$((1 << 20 | 3)) fd=[0-9]+ result=-25")" -eq 7 ]
	requires script
	cat > both.pl <<-'END'
		ioctl(STDIN, 0x54fe, $b) for 1..5; open(F, "</dev/null"); ioctl(F, 0x54fe, $b);
	END
	record x.gst script -qc "perl both.pl" /dev/null > out 2> err < /dev/null
	recorded x.gst
	[ "$(grep '^driver' dump | grep -c 'cmd=0x54fe')" -eq 1 ]
}

@test "block I/O names device, bytes and the thread that issued it" {
	requires bpf dd
	dev="$(stat -c %d .)"
	grep -qE "^ +$((dev >> 8 & 4095)) +$((dev & 255)) " /proc/partitions || skip "the temporary folder is on no disk"
	record x.gst dd if=/dev/zero of=data bs=65536 count=23 oflag=direct,dsync status=none 2> err ||
		skip "no direct I/O here"
	recorded x.gst
	bytes="$(grep '^block' dump | grep 'op=write ' | sed -E 's/.* bytes=([0-9]+).*/\1/' | awk '{ n += $1 } END { print n + 0 }')"
	[ "$bytes" -ge $((23 * 65536)) ]
	run ! grep -E '^block.* pid=0 ' dump
}

@test "many short processes: each is there from fork to exit" {
	requires bpf
	record x.gst sh -c 'i=0; while [ $i -lt 211 ]; do /bin/true; i=$((i + 1)); done' 2> err
	recorded x.gst
	grep -q ' 0 lost$' err
	[ "$(grep '^task ' dump | grep 'what=exec' | grep -c 'comm="true"')" -eq 211 ]
	[ "$(grep '^task ' dump | grep 'what=exit' | grep -c 'comm="true"')" -eq 211 ]
	run ! grep 'still run' err
}

@test "the command's own exit code is passed on, and 128+n when a signal killed it" {
	run -37 record x.gst sh -c 'exit 37'
	run -143 record x.gst sh -c 'kill -TERM $$'
	run -139 record x.gst sh -c 'kill -SEGV $$'
	recorded x.gst
}

@test "a command that is not there is 127, one that cannot be executed 126, and no file is left" {
	run -127 "$BIN/gpurec" -o x.gst -- ./nothing-here
	[[ "$output" == "gpurec: cannot run ./nothing-here: No such file or directory" ]]
	run -127 "$BIN/gpurec" -o x.gst -- nothing-in-the-path
	touch plain
	run -126 unprivileged "$BIN/gpurec" -o x.gst -- ./plain
	[[ "$output" == "gpurec: cannot run ./plain: Permission denied" ]]
	run -126 "$BIN/gpurec" -o x.gst -- .
	[ ! -e x.gst ]
	run -2 "$BIN/gpurec"
	[[ "$output" == *"no command to record"* ]]
	run -2 "$BIN/gpurec" --graph nonsense true
	[ "$output" = 'gpurec: --graph wants launch or node, not "nonsense"' ]
	for bad in 3000 4097 2048M 1T x -4096; do
		run -2 "$BIN/gpurec" --ring=$bad true
		[ "$output" = "gpurec: --ring wants a power of two from 4096 to 1024M, not \"$bad\"" ]
	done
	run -2 "$BIN/gpurec" --nonsense true
}

@test "standard input and output pass through bit by bit" {
	head -c 3000000 /dev/urandom > in
	record x.gst cat < in > through 2> err
	cmp in through
	record x.gst sh -c 'cat >&2' < in 2> both
	LC_ALL=C sed -i '1{/^gpurec: cannot record the kernel side/d}' both	# said before the command starts
	cmp -n 3000000 in both
}

# same COMMAND...: prints the same under gpurec, but for what gpurec sets in the environment
same() {
	env -u _ "$@" > plain 2> /dev/null < /dev/null
	env -u _ "$BIN/gpurec" -o x.gst -- "$@" > seen 2> /dev/null < /dev/null
	diff plain <(grep -vE '^(CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH|GPUSCOPE_SOCKET)=' seen)
}

@test "the command gets our descriptors, signal mask, limits and environment, not more" {
	same ls /proc/self/fd
	same grep -E '^Sig(Blk|Ign)' /proc/self/status	# no shell: dash clears the mask
	same sh -c 'ulimit -n'
	same env
}

@test "neither environment nor arguments are in the file" {
	SECRET=tok3n-in-environment record x.gst sh -c 'true tok3n-in-arguments' 2> err
	recorded x.gst
	run ! grep -a tok3n dump
	run ! grep -a tok3n x.gst
}

@test "an old recording is kept as FILE.old, the default file is gpuscope.gst" {
	echo first > gpuscope.gst
	"$BIN/gpurec" true 2> err
	[ "$(cat gpuscope.gst.old)" = first ]
	recorded gpuscope.gst
}

@test "-o -: the trace goes to standard output, the command's output to standard error" {
	"$BIN/gpurec" -o - -- echo hello > x.gst 2> err
	grep -qx hello err
	recorded x.gst
	[ "$(count clock)" -ge 2 ]
}

@test "without privileges CUDA alone is recorded, and the missing capabilities are named" {
	requires root setpriv
	chmod 777 .
	GPUREC= ; run -0 sim unprivileged "$BIN/gpurec" -o x.gst -- "$PROG/demo"
	echo "$output" > out
	[ "$(grep -c 'CAP_BPF, CAP_PERFMON' out)" -eq 1 ]
	recorded x.gst
	agrees kernel kernels
	[ "$(uncorrelated)" -eq 0 ]
	[ "$(count note CAP_BPF)" -eq 1 ]
	[ "$(count switch)" -eq 0 ]
}

@test "a probe set that cannot be attached is named once, and the rest recorded" {
	requires bpf nobody mounts
	chmod 777 .
	# with these two capabilities a user may trace, but tracefs stays shut: no syscall tracepoints
	caps="-all,+bpf,+perfmon"
	sim unshare -m bash -c 'mount -t tmpfs none /sys/kernel/tracing; [ ! -d /sys/kernel/debug/tracing ] || mount -t tmpfs none /sys/kernel/debug; exec "$@"' sh \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=$caps --ambient-caps=$caps --bounding-set=$caps \
		"$BIN/gpurec" -o x.gst -- "$PROG/threads" > out 2> err
	recorded x.gst
	agrees kernel kernels
	[ "$(grep -c 'cannot attach calls on devices: ' err)" -eq 1 ]
	[ "$(count note 'what=missing.*probe set ioctl')" -eq 1 ]
	run ! grep -E '^note .*probes=[a-z,]*ioctl' dump
	[ "$(count switch)" -gt 0 ]
	[ "$(count fault)" -gt 0 ]
}

@test "CUDA_INJECTION64_PATH of the user is kept, said, and the rest recorded" {
	run -0 env CUDA_INJECTION64_PATH=/some/other.so "$BIN/gpurec" -o x.gst -- sh -c 'echo "has $CUDA_INJECTION64_PATH"'
	[[ "$output" == *"has /some/other.so"* ]]
	[[ "$output" == *"CUDA_INJECTION64_PATH is set to /some/other.so and is kept: CUDA is not recorded"* ]]
	recorded x.gst
	[ "$(count note 'what=missing')" -ge 1 ]
}

@test "no device: the program fails as it does alone, and is recorded" {
	sim env CUDASIM_DEVICES=0 "$PROG/demo" > alone 2>&1 || code=$?
	CUDASIM_DEVICES=0 run record x.gst "$PROG/demo"
	[ "$status" -eq "${code:-0}" ]
	recorded x.gst
	[ "$(count kernel)" -eq 0 ]
}

@test "no libcupti: the program is unharmed, and why CUDA is missing is said" {
	requires mounts
	mkdir lib
	cp -a "$SIMLIB"/libcuda.so* "$SIMLIB"/libcudart.so* lib/
	# a toolkit of this machine is hidden: its CUPTI would be found
	cat > hidden <<-'END'
		[ ! -d /usr/local/cuda/. ] || mount -t tmpfs none "$(realpath /usr/local/cuda)" || exit 99
		exec "$@"
	END
	LD_LIBRARY_PATH="$PWD/lib" run -0 unshare -m bash hidden "$BIN/gpurec" -o x.gst -- "$PROG/demo"
	[[ "$output" == *"no libcupti was found"* ]]
	recorded x.gst
	[ "$(count note 'libcupti')" -ge 1 ]
	[ "$(count kernel)" -eq 0 ]
}

@test "a second subscriber of CUPTI: the program is unharmed, and it is said" {
	CUDASIM_FAIL="cuptiSubscribe:err=39" run -0 record x.gst "$PROG/demo"
	[[ "$output" == *"another tool has taken CUPTI"* ]]
}

@test "kill -9 of gpurec leaves the program unharmed and a file readable up to its last block" {
	requires bpf
	record x.gst sh -c 'echo $PPID > recorder; cat; echo finished > finished' 2> err < <(until [ -e go ]; do sleep 0.1; done) &
	until_true test -s recorder
	until_true test -s x.gst
	kill -9 "$(cat recorder)"
	touch go
	until_true test -s finished
	run "$O/test/cattrace" x.gst
	[[ "$output" != *"damaged"* ]]
}

@test "a full disk ends the recording, not the command" {
	requires bpf mounts
	mkdir small
	cat > full <<-'END'
		mount -t tmpfs -o size=16k none small || exit 99
		. "$HELPERS"
		record small/x.gst sh -c 'i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done; echo here'
		code=$?
		cp small/x.gst .
		exit $code
	END
	run -125 env HELPERS="$ROOT/tests/helpers.bash" bash -c "bats_require_minimum_version() { :; }; export -f bats_require_minimum_version; unshare -m bash full"
	[[ "$output" == *here* ]]
	[[ "$output" == *"small/x.gst: No space left on device"* ]]
	run "$O/test/cattrace" x.gst
	[ "${#lines[@]}" -gt 100 ]
	run -125 "$BIN/gpurec" -o /dev/full -- true
}

@test "--fail-on-loss: rings too small lose records, which are counted, said, and 3" {
	requires bpf
	# the recorder stands still meanwhile, or a quick one keeps up with any program
	GPUREC="--ring 4096 --fail-on-loss" run -3 record x.gst sh -c '
		kill -STOP $PPID
		i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done
		kill -CONT $PPID'
	[[ "$output" =~ ,\ [1-9][0-9]*\ lost ]]
	recorded x.gst
	[ "$(count lost where=bpf_ring)" -ge 1 ]
	GPUREC="--fail-on-loss" run -0 record x.gst true
}

@test "threads whose rings are too small lose records, which are counted" {
	GPUREC="--buffer 4096 --fail-on-loss" run -3 record x.gst "$PROG/launchloop" 20000
	[[ "$output" =~ ,\ [1-9][0-9]*\ lost ]]
	recorded x.gst
	[ "$(count lost where=slot_ring)" -ge 1 ]
	# not one launch call is missing without being counted
	lost="$(grep '^lost .*where=slot_ring' dump | sed -E 's/.* count=([0-9]+).*/\1/' | awk '{ n += $1 } END { print n }')"
	[ $(($(count api class=launch) + $(count kernel) + lost)) -ge 40000 ]
}

@test "on a terminal: a line of progress, Ctrl-C ends the command and the recording" {
	requires python3
	cat > terminal.py <<-'END'
		import os, pty, sys
		pid, fd = pty.fork()
		if not pid:
		    os.execv(sys.argv[1], sys.argv[1:])
		out = b""
		sent = False
		while True:
		    try:
		        out += os.read(fd, 65536)
		    except OSError:
		        break
		    if b" records, " in out and not sent:
		        os.write(fd, b"\x03")
		        sent = True
		os.write(1, out)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	run -7 python3 terminal.py "$BIN/gpurec" -o x.gst -- sh -c 'trap "echo interrupted; exit 7" INT; while :; do sleep 0.1; done'
	[[ "$output" == *"records, "*" MB, 0 lost"*interrupted*"gpurec: x.gst: "* ]]
	recorded x.gst
	[ "$(count clock)" -ge 2 ]
}

@test "SIGTERM is passed on, and the file is whole" {
	record x.gst sh -c 'trap "echo told > told; exit 5" TERM; echo $PPID > recorder; while :; do sleep 0.05; done' 2> err &
	until_true test -s recorder
	kill -TERM "$(cat recorder)"
	wait $! || code=$?
	[ "$code" -eq 5 ]
	[ -e told ]
	recorded x.gst
}

@test "a second interrupt ends the recording at once and leaves the command alone" {
	record x.gst sh -c 'trap "" INT; echo $PPID > recorder; until [ -e go ]; do sleep 0.05; done; echo finished > finished' 2> err &
	until_true test -s recorder
	kill -INT "$(cat recorder)"
	kill -INT "$(cat recorder)"
	wait $! || code=$?
	[ "$code" -eq 130 ]
	recorded x.gst
	touch go
	until_true test -s finished
}

@test "CUDA work that outlives the command: what it did so far is in the file, with its calls" {
	requires bpf
	record x.gst bash -c '"$0" 100000 20000 > later 2>&1 & until grep -q runs later; do sleep 0.05; done; sleep 0.5' "$PROG/launchloop" > out 2> err
	grep -q '1 process of the command still runs' err
	recorded x.gst
	[ "$(count kernel)" -gt 1000 ]
	grep -q ' 0 lost$' err
	[ "$(uncorrelated)" -le 1 ]	# the call its thread was in when the recording ended
	until_true grep -q 'expect kernels' later
	[ "$(awk '$2 == "kernels" { print $3 }' later)" -eq 100001 ]
}

@test "what outlives the command is left alone, and that is said" {
	requires bpf
	record x.gst sh -c '(until [ -e go ]; do sleep 0.05; done; echo finished > finished) > /dev/null 2>&1 & exit 0' 2> err
	grep -q 'still run' err
	touch go
	until_true test -s finished
	recorded x.gst
}
