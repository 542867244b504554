# A part of a trace (--from, --to, --last), a trace that grows (--follow), one that is to be on the disk (--sync).
bats_require_minimum_version 1.5.0

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C
	PATH="$O/test:$BIN:$PATH"
}

launches() {	# launches N FILE: N calls 1 ms apart, each of one kernel 300 us later; the recording starts at 1 s
	python3 - "$1" <<-'P' | mktrace -o "$2"
		import random, sys
		random.seed(1)
		print('info start_ns=1000000000 tool="test"')
		print('name producer=1 ts=1 id=3 what=kernel text="k"')
		print('name producer=1 ts=1 id=4 what=api text="cuLaunchKernel"')
		for i in range(int(sys.argv[1])):
		    t = 1000000000 + i * 1000000
		    print(f'api ts={t} dur_ns=5000 producer=1 pid=10 tid=10 correlation={i + 1} name=4 class=launch')
		    print(f'kernel ts={t + 300000} dur_ns={1000 + i} correlation={i + 1} producer=1 pid=10 name=3 grid={random.getrandbits(31)},{random.getrandbits(31)},1')
	P
}

sums() { gpureport -j "$@" | jq -r '[.kernels.count, .kernels.total_ns, .launch.correlated, .launch.uncorrelated, .api.count, .part] | join(" ")'; }

@test "parts of a trace add up to the whole, and a kernel keeps its call from before the part" {
	launches 50000 x.gst
	gpureport -j x.gst > whole.json
	run sums x.gst
	[ "$output" = "50000 1299975000 50000 0 50000 false" ]
	# cut between a call and its kernel, ten seconds a part
	a=$(sums --to 10000.1ms x.gst) b=$(sums --from 10000.1ms --to 30s x.gst) c=$(sums --from 30s x.gst)
	[ "$a" = "10000 $(python3 -c 'print(sum(1000 + i for i in range(10000)))') 10000 0 10001 true" ]
	[ "$b" = "20000 $(python3 -c 'print(sum(1000 + i for i in range(10000, 30000)))') 20000 0 19999 true" ]
	[ "$c" = "20000 $(python3 -c 'print(sum(1000 + i for i in range(30000, 50000)))') 20000 0 20000 true" ]
	run sums --last 1s x.gst	# the last start: of the last kernel
	[ "$output" = "1001 $(python3 -c 'print(sum(1000 + i for i in range(48999, 50000)))') 1001 0 1000 true" ]
	# a pipe and a file without its index give the same
	[ "$(sums --from 10000.1ms --to 30s - < <(cat x.gst))" = "$b" ]
	at=$(edittrace list < x.gst | awk '/type=4/ { print $1; exit }')
	head -c "$at" x.gst > cut.gst
	run -1 --separate-stderr gpureport -j --from 10000.1ms --to 30s cut.gst
	[ "$(jq -c '[.kernels.count, .kernels.total_ns]' <<< "$output")" = "$(jq -nc "[$(cut -d' ' -f1,2 --output-delimiter=, <<< "$b")]")" ]
	[ "$stderr" = "gpureport: cut.gst ends without its end mark at byte $at" ]
	run -1 bash -c 'cat x.gst | gpureport --last 1s -'
	[ "$output" = "gpureport: cannot find the end of standard input before it is read (write it to a file): Illegal seek" ]
}

@test "of a part only its own blocks are read" {
	requires strace
	launches 50000 x.gst
	strace -f -e trace=read -o calls gputimeline -v --from 45s --to 45100ms x.gst -o part.pftrace 2> said
	grep -q " 100 GPU operations" said
	# thirty seconds before it belong to it: calls may have kernels within
	part=$(awk -F'= ' '/read\(/ { n += $NF } END { print n }' calls)
	strace -f -e trace=read -o calls gputimeline x.gst -o whole.pftrace
	whole=$(awk -F'= ' '/read\(/ { n += $NF } END { print n }' calls)
	[ $((part * 100)) -lt $((whole * 75)) ]
}

@test "gputimeline writes a part as well" {
	launches 1000 x.gst
	run -0 gputimeline -v --from 100ms --to 300ms x.gst -o part.pftrace
	[[ "$output" == *" 200 GPU operations, 200 links from calls"* ]]
}

@test "--follow reads on while the file grows, and ends with its end mark" {
	launches 3000 whole.gst
	cut=$(edittrace list < whole.gst | awk '/type=1 kind=17/ { print $1 + 40; exit }')	# inside a block
	head -c "$cut" whole.gst > x.gst
	culaunch -i x.gst --follow -j > out 2> err &
	reader=$!
	until_true grep -q . <(cat "/proc/$reader/wchan" 2> /dev/null || echo gone)
	tail -c +$((cut + 1)) whole.gst >> x.gst
	wait "$reader"
	culaunch -i whole.gst -j > want 2> /dev/null || true
	cmp out want
	run -2 culaunch --follow
	[ "$output" = "culaunch: --follow reads a recording that grows: it needs --input" ]
}

@test "--follow ends at once when it is told to, with what there was" {
	launches 3000 whole.gst
	head -c "$(edittrace list < whole.gst | awk '/type=4/ { print $1; exit }')" whole.gst > x.gst
	culaunch -i x.gst --follow -j > out 2> err &
	reader=$!
	until_true grep -q '^SigCgt:.*[2-9a-f]' "/proc/$reader/status"
	kill -INT "$reader"
	wait "$reader"
}

@test "gpurec --sync: what is in the file goes to the disk, without it the kernel decides" {
	requires strace
	sim strace -f -e trace=fdatasync -o calls gpurec --sync -o x.gst -- true
	grep -q 'fdatasync(.*= 0' calls
	sim strace -f -e trace=fdatasync -o calls gpurec -o x.gst -- true
	run ! grep -q fdatasync calls
}
