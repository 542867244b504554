#!/usr/bin/env bats
# What the offline tools do with the places they read from and write to, all in one manner: full disks,
# closed and broken pipes, outputs that are the input, links, folders where nothing can be created.

setup() {
	load helpers
	export PATH="$BIN:$O/test:$PATH"
	cd "$BATS_TEST_TMPDIR"
	{
		printf 'name producer=1 id=1 what=kernel text="k"\n'
		seq 0 20000 | awk '{ printf "kernel ts=%d producer=1 pid=1 dur_ns=500 correlation=%d name=1\n", 1000 + $1 * 1000, $1 + 1
			printf "nvtx ts=%d producer=1 pid=1 tid=1 dur_ns=500 name=%d what=push_pop\n", 1000 + $1 * 1000, $1 % 7000 + 10 }'
		seq 10 7009 | awk '{ printf "name producer=1 id=%d what=nvtx text=\"range %d of a name that is not short at all\"\n", $1, $1 }'
		seq 1 5000 | awk '{ printf "name producer=1 id=%d what=kernel text=\"kernel_%d\"\n", $1 + 9000, $1
			printf "kernel ts=%d producer=1 pid=%d dur_ns=500 name=%d\n", 1000 + $1 * 1000, $1 % 50, $1 + 9000 }'
	} | mktrace -o t.gst
	gpuflame --folded t.gst > t.folded
	commands=("gpureport t.gst --top 0" "gpureport -j t.gst" "gputimeline t.gst -o -" "gpuflame t.gst"
		"gpuflame --folded t.gst" "flamegraph t.folded" "culaunch -i t.gst")
	for tool in gpureport gputimeline gpuflame flamegraph culaunch gpucheck gpurec; do
		commands+=("$tool --help" "$tool --version")
	done
}

@test "a full disk and a closed output are errors that every tool names" {
	for c in "${commands[@]}"; do
		run -1 bash -c "$c 2>&1 > /dev/full"
		[[ "$output" == *"cannot write "*": No space left on device"* ]] || { echo "$c: $output"; false; }
		run -1 bash -c "{ $c; } 2>&1 >&-"
		[[ "$output" == *"cannot write "*": Bad file descriptor"* ]] || { echo "$c: $output"; false; }
	done
}

@test "a reader that has enough is no failure of any tool" {
	for c in "${commands[@]}"; do
		run -0 bash -o pipefail -c "$c | head -c 5 > /dev/null" || { echo "$c: $output"; false; }
		[[ "$output" != *cannot* ]] || { echo "$c: $output"; false; }
	done
}

@test "a recording is never overwritten by what is made of it" {
	ln -s t.gst symbolic
	ln t.gst hard
	cp t.gst before
	for c in "gputimeline -i t.gst" "gputimeline -i symbolic" "gpuflame -i t.gst" "culaunch -i t.gst"; do
		for out in t.gst symbolic hard ./t.gst; do
			run -2 bash -c "$c -o $out"
			[[ "$output" == *"cannot write $out: it is the recording that is to be read" ]] || { echo "$output"; false; }
		done
	done
	run -2 bash -c 'gpuflame -i - -o t.gst < t.gst'
	cmp t.gst before
}

@test "an output named by a symbolic link goes where the link leads" {
	mkdir there
	echo old > there/file
	ln -s there/file link
	for c in "gputimeline t.gst" "gpuflame t.gst"; do
		$c -o link
		[ -L link ]
		[ "$(head -c 3 there/file)" != old ]
		[ "$(ls there)" = file ]
	done
}

@test "an existing output is written where nothing can be created beside it" {
	requires nobody
	mkdir folder
	touch folder/out
	chown 65534 folder/out
	chmod 755 . ..
	for c in "gputimeline -i - -o folder/out" "gpuflame -i - -o folder/out"; do
		: > folder/out
		unprivileged "$BIN"/$c < t.gst
		[ -s folder/out ]
		run -1 unprivileged "$BIN"/${c/out/new} < t.gst
		[[ "$output" == *"cannot write folder/new: Permission denied" ]]
	done
}

@test "a name that leaves no room for a temporary one beside it can be written" {
	name=$(printf '%0253d' 0)
	gpuflame t.gst -o "$name"
	[ -s "$name" ]
	run -1 gpuflame t.gst -o "${name}000"
	[[ "$output" == *": File name too long" ]]
}

@test "a line without an end does not take all memory" {
	run -1 bash -c "ulimit -v 500000; flamegraph /dev/zero"
	[ "$output" = "flamegraph: /dev/zero: line 1: is longer than 64 MiB" ]
	for f in "gpureport" "gputimeline -o x -i" "gpuflame" "culaunch -i"; do
		run -1 bash -c "$f /dev/zero"
		[[ "$output" == *"/dev/zero is not a gpuscope trace" ]]
	done
}

@test "a message about a name that is too long still says why" {
	long=$(printf 'x%.0s' {1..3000})
	for c in "gpureport $long" "gputimeline -i $long -o x" "gputimeline t.gst -o $long" "gpuflame $long" "flamegraph $long"; do
		run -1 $c
		[[ "$output" == *"xxx...: File name too long" ]]
	done
}

@test "nothing is left beside an output whose writer was killed or ran out of memory" {
	mkdir out
	mkfifo fifo
	for c in "gputimeline -i fifo" "gpuflame -i t.gst --folded"; do
		run bash -c "ulimit -v 24000; ${c/fifo/t.gst} -o out/x"
		[ "$status" -eq 0 ] || [[ "$output" == *"Cannot allocate memory" ]]
		rm -f out/x
		[ -z "$(ls -A out)" ]
	done
	exec 8<> fifo
	gputimeline -i fifo -o out/x 8>&- 3>&- &
	pid=$!
	head -c 20000 t.gst > fifo
	until_true writes_to_out "$pid"
	kill -KILL "$pid"
	wait "$pid" || true
	exec 8>&-
	[ -z "$(ls -A out)" ]
}

writes_to_out() { find "/proc/$1/fd" -lname '*/out/*' | grep -q .; }
