#!/usr/bin/env bats
# gpurec in bad company: callers, limits and places that are not as usual. The command runs as it would alone.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
	requires nogpu
}

# kernels FILE: how many are recorded
kernels() { "$O/test/cattrace" "$1" | grep -c '^kernel ' || true; }

@test "a caller that ignores SIGCHLD or SIGPIPE: the recording ends with the command, which ignores them too" {
	requires perl
	perl -e '$SIG{CHLD} = $SIG{PIPE} = "IGNORE"; exec @ARGV' grep SigIgn /proc/self/status > alone
	run -0 timeout 20 perl -e '$SIG{CHLD} = $SIG{PIPE} = "IGNORE"; exec @ARGV' "$BIN/gpurec" -o x.gst -- grep SigIgn /proc/self/status
	[[ "$output" == *"$(cat alone)"* ]]
}

@test "nohup: a hang-up ends neither the command nor the recording" {
	nohup "$BIN/gpurec" -o x.gst -- sh -c 'echo $PPID > recorder; until [ -e go ]; do sleep 0.05; done; exec "$0" 9' "$PROG/exits" > out 2> err &
	until_true test -s recorder
	kill -HUP "$(cat recorder)"
	touch go
	wait $!
	requires bpf
	"$O/test/cattrace" x.gst | grep '^task ' | grep 'what=exec' | grep -q 'comm="exits"'
}

@test "SIGUSR1 and SIGUSR2 are the command's, not the recorder's end" {
	local signal
	for signal in USR1 USR2; do
		"$BIN/gpurec" -o x.gst -- sh -c 'trap "exit 9" '$signal'; echo $PPID > recorder; while :; do sleep 0.05; done' 2> err &
		until_true test -s recorder
		kill -$signal "$(cat recorder)"
		wait $! || code=$?
		[ "${code:-0}" -eq 9 ]
		grep -q ' 0 lost$' err
		rm recorder
	done
}

@test "readers of the trace or of the messages that go away end neither the command nor its exit code" {
	(code=0; "$BIN/gpurec" -v -o x.gst -- sh -c 'sleep 0.2; echo done > ran; exit 6' || code=$?; echo $code > code) 2>&1 | true
	until_true test -s code
	[ "$(cat ran code | xargs)" = "done 6" ]
	"$O/test/cattrace" x.gst > /dev/null
	rm ran code
	(code=0; "$BIN/gpurec" -o - -- sh -c 'until [ -e go ]; do sleep 0.05; done; echo done > ran' 2> err || code=$?; echo $code > code) | { head -c 10 > /dev/null; touch go; }
	until_true test -s code
	[ "$(cat ran code | xargs)" = "done 125" ]
	grep -q 'cannot write stdout: Broken pipe' err
}

@test "a limit of file size ends the recording, not the command" {
	run -125 bash -c 'ulimit -f 1; "$@"' sh "$BIN/gpurec" -o x.gst -- "$PROG/many"
	[[ "$output" == *"cannot write x.gst: File too large"* ]]
	[[ "$output" == *"expect kernels"* ]]
}

@test "closed standard streams: they stay closed for the command, and nothing else gets into the file" {
	(sh -c 'ls /proc/self/fd > alone') <&- >&- 2>&-
	("$BIN/gpurec" -o x.gst -- sh -c 'ls /proc/self/fd > seen' || echo $? > code) <&- >&- 2>&-
	[ ! -e code ]
	diff alone seen
	run -0 "$O/test/cattrace" x.gst
	run -2 bash -c '"$1" -o - -- true >&-' sh "$BIN/gpurec"
	[[ "$output" == *"standard output is closed"* ]]
}

@test "what a killed recorder left in TMPDIR the next one removes, what lives it leaves alone" {
	mkdir tmp
	export TMPDIR="$PWD/tmp"
	record x.gst sh -c 'echo "$GPUSCOPE_SOCKET" > socket; until [ -e go ]; do sleep 0.05; done; exec "$0"' "$PROG/exits" > out 2> err &
	until_true test -s socket
	run record y.gst sh -c 'echo "$GPUSCOPE_SOCKET" > dead; kill -9 $PPID'
	[ -S "$(cat dead)" ]
	record y.gst true
	[ ! -e "$(cat dead)" ]
	[ "$(ls tmp | wc -l)" -eq 1 ]
	touch go
	wait $!
	[ "$(kernels x.gst)" -eq 17 ]
	[ -z "$(ls tmp)" ]
}

@test "a TMPDIR that is relative, full, too long or none: the program finds the recorder" {
	local long
	long="$PWD/$(printf 'a%.0s' {1..90})"
	mkdir "$long"
	for TMPDIR in . /nonexistent "$long"; do
		export TMPDIR
		record x.gst sh -c 'cd /; exec "$0"' "$PROG/exits" > out 2> err
		[ "$(kernels x.gst)" -eq 17 ] || { echo "TMPDIR=$TMPDIR"; cat err; false; }
	done
	requires mounts
	mkdir full
	cat > small <<-'END'
		mount -t tmpfs -o size=4k,nr_inodes=2 none full || exit 99	# room for the directory, none for the socket
		exec "$@"
	END
	TMPDIR="$PWD/full" sim unshare -m bash small "$BIN/gpurec" -o x.gst -- "$PROG/exits" > out 2> err
	[ "$(kernels x.gst)" -eq 17 ]
}

@test "a FIFO that nobody reads can be waited for no longer" {
	mkfifo fifo
	run -124 timeout -s INT -k 5 1 "$BIN/gpurec" -o fifo -- true
}

@test "a process that uses CUDA and is not recorded is named, with the reason, also in the file; others are not" {
	requires bpf mounts
	local loop=("$PROG/launchloop" 30000 50000)
	record x.gst env -i LD_LIBRARY_PATH="$SIMLIB" "${loop[@]}" > out 2> err
	grep -qE '^gpurec: cannot record CUDA in process [0-9]+ \(launchloop\): its environment has no CUDA_INJECTION64_PATH' err
	"$O/test/cattrace" x.gst | grep '^note ' | grep 'what=missing' | grep -q 'its environment has no'
	record x.gst env CUDA_INJECTION64_PATH=/some/other.so "${loop[@]}" > out 2> err
	grep -q 'its CUDA_INJECTION64_PATH names another library' err
	# it waits for a recorder, and is asked to come
	record x.gst env -u GPUSCOPE_SOCKET "${loop[@]}" > out 2> err
	run ! grep 'cannot record' err
	[ "$(kernels x.gst)" -gt 0 ] && [ "$(kernels x.gst)" -le 30001 ]
	record x.gst env -u CUDA_INJECTION64_PATH -u NVTX_INJECTION64_PATH "$BIN/gpurec" -o y.gst "${loop[@]}" > out 2> err
	grep -q "its GPUSCOPE_SOCKET is another recorder's" err
	[ "$(kernels y.gst)" -eq 30001 ]
	TMPDIR=/dev/shm record x.gst unshare -m sh -c 'mount -t tmpfs none /dev/shm; exec "$0" "$@"' "${loop[@]}" > out 2> err
	run ! grep 'cannot record' err
	[ "$(kernels x.gst)" -gt 0 ] && [ "$(kernels x.gst)" -le 30001 ]
	record x.gst sh -c '"$0" "$@" & "$0" "$@" & wait' "${loop[@]}" > out 2> err
	[ "$(kernels x.gst)" -eq 60002 ]
	run ! grep 'cannot record' err
}

@test "a CUPTI that takes no callbacks, or keeps its records, is said" {
	local function
	for function in cuptiEnableCallback cuptiActivityFlushAll; do
		CUDASIM_FAIL="$function:err=7" record x.gst "$PROG/exits" > out 2> err
		grep -q 'cannot record CUDA in process [0-9]*: CUPTI error 7' err || { echo "$function"; cat err; false; }
	done
}

@test "what a stopped process still holds when the recording ends counts as lost" {
	local pid
	GPUREC=--fail-on-loss record x.gst sh -c 'echo $PPID > recorder; exec "$0" 100000 50000' "$PROG/launchloop" > out 2> err &
	until_true grep -q runs out
	pid="$(pgrep -P "$(cat recorder)")"
	kill -STOP "$pid"
	kill -INT "$(cat recorder)"
	kill -INT "$(cat recorder)"
	wait $! || code=$?
	kill -9 "$pid"
	cat err
	[ "$code" -eq 3 ]
	grep -q 'its last records are missing' err
	"$O/test/cattrace" x.gst | grep -q '^lost .*where=unfinished'
}

@test "a program that may start no thread is unharmed, and it is said why CUDA is missing" {
	requires nobody prlimit
	chmod 777 .
	sim setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/gpurec" -o x.gst -- prlimit --nproc=1 "$PROG/exits" > out 2> err
	grep -q 'expect kernels 17' out
	grep -q 'it may start no thread for the library (ulimit -u)' err
}

@test "a GPUSCOPE_CUDA_LIB that is no library is said once, and the rest is recorded" {
	local lib
	for lib in /nonexistent /etc/passwd /tmp ""; do
		GPUSCOPE_CUDA_LIB="$lib" record x.gst "$PROG/exits" > out 2> err
		grep -v 'cannot record the kernel side' err | head -n -1 > said
		[ "$(cat said)" = "gpurec: GPUSCOPE_CUDA_LIB names no library: \"$lib\": CUDA is not recorded" ] || { cat err; false; }
		grep -q ' 0 lost$' err
	done
}

@test "a script whose interpreter is not there leaves no file, and the old one in its place" {
	printf '#!/nonexistent\n' > script
	chmod +x script
	run -127 "$BIN/gpurec" -o x.gst -- ./script
	[ ! -e x.gst ]
	echo first > x.gst
	run -127 "$BIN/gpurec" -o x.gst -- ./script
	[ "$(cat x.gst)" = first ]
	[ ! -e x.gst.old ]
}
