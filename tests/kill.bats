# The recorder dies, is told to stop, or has nowhere to write, at moments and sizes drawn by chance: what is in the file is a
# prefix of what the program did, and the file and the exit code say the rest. One thread launches, so that its calls and
# its kernels count up by one.

setup() {
	load helpers
	requires nogpu python3
	cd "$BATS_TEST_TMPDIR" || exit
	loop="$PROG/launchloop"
	RANDOM=$((SEED = ${SEED:-$$}))
	echo "SEED=$SEED"
}

# wait_for PID FILE: the program ended by itself
ended() { ! kill -0 "$1" 2> /dev/null; }

# prefix FILE: nothing of it is there twice, and of a whole one nothing is missing without a word; prints how many kernels.
# (Of a cut one the word may be what was cut off: losses are written once a second and at the end.)
prefix() {
	local whole=1
	"$BIN/gpureport" --check "$1" > /dev/null 2>&1 || whole=0
	"$O/test/cattrace" "$1" 2> cat.err > cat.out || [ $? -eq 1 ] || { echo "cattrace: $?"; return 1; }
	python3 - "$whole" <<-'END'
		import re, sys
		calls, kernels, lost, names = [], [], 0, {}
		for line in open("cat.out", errors="replace"):
		    kind, _, rest = line.partition(" ")
		    f = dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', rest))
		    if kind == "name":
		        names[f["id"]] = f["text"]
		    elif kind == "api" and names.get(f["name"]) == '"cudaLaunchKernel"':
		        calls.append(int(f["correlation"]))
		    elif kind == "kernel":
		        kernels.append(int(f["correlation"]))
		    elif kind == "lost":
		        lost += 1
		for what, ids in (("calls", calls), ("kernels", kernels)):
		    if len(set(ids)) != len(ids):
		        sys.exit(what + " twice")
		    # the first few ids are of calls that are not recorded; our library asks for the devices by a dozen of its own
		    missing = sum(b - a - 1 for a, b in zip(sorted(ids), sorted(ids)[1:]) if a > 40)
		    if missing > 30 and not lost and sys.argv[1] == "1":
		        sys.exit("%s: %d missing and no loss is said" % (what, missing))
		print(len(kernels))
	END
}

# look FILE: it is a trace, cut or whole, and says which
look() {
	run "$BIN/gpureport" --check "$1"
	[ "$status" -eq 0 ] || [[ "$output" == *"at byte "* ]] || { echo "$output"; return 1; }
}

@test "kill -9 at 200 random moments: the file is readable up to its last block, the program goes on" {
	local i ms some=0 files=0 kernels
	for i in $(seq 200); do
		ms=$((RANDOM % 250))
		rm -f k.gst out
		timeout --foreground -s KILL "0.$(printf %03d "$ms")" "$BIN/gpurec" --probes none -o k.gst -- \
			env LD_LIBRARY_PATH="$SIMLIB" "$loop" 8000 60000 > out 2> err || true
		[ -s k.gst ] || continue
		files=$((files + 1))
		look k.gst || { echo "killed after $ms ms"; false; }
		kernels="$(prefix k.gst)" || { echo "killed after $ms ms: $kernels"; false; }
		some=$((some + (kernels > 0)))
	done
	echo "200 killed, $files files, $some with kernels"
	[ "$files" -gt 100 ] && [ "$some" -gt 5 ]
	done_all() { ! pgrep -f "$loop 8000 60000" > /dev/null; }
	until_true done_all
}

@test "kill -9 with the kernel's side on, at 12 random moments" {
	requires bpf
	local i ms
	for i in $(seq 12); do
		ms=$((300 + RANDOM % 900))
		rm -f k.gst
		timeout --foreground -s KILL "$((ms / 1000)).$(printf %03d $((ms % 1000)))" "$BIN/gpurec" -o k.gst -- \
			env LD_LIBRARY_PATH="$SIMLIB" "$loop" 20000 30000 > out 2> err || true
		[ -s k.gst ] || continue
		look k.gst
		prefix k.gst > /dev/null || { echo "killed after $ms ms"; false; }
	done
}

@test "SIGTERM and SIGINT at 30 random moments: a whole file, and the program ends by itself" {
	local i ms signal code
	for i in $(seq 30); do
		ms=$((RANDOM % 250)) signal=$((i % 2)) code=0
		rm -f k.gst
		[ "$signal" -eq 1 ] && signal=TERM || signal=INT
		timeout --foreground -s "$signal" "0.$(printf %03d "$ms")" "$BIN/gpurec" --probes none -o k.gst -- \
			env LD_LIBRARY_PATH="$SIMLIB" "$loop" 8000 60000 > out 2> err || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 124 ] || { echo "$signal after $ms ms: $code"; cat err; false; }
		[ -s k.gst ] || continue	# before it began
		run "$BIN/gpureport" --check k.gst
		[ "$status" -eq 0 ] || { echo "$signal after $ms ms: $output"; cat err; false; }
		prefix k.gst > /dev/null || { echo "$signal after $ms ms"; false; }
	done
}

@test "a disk of any size that is too small: said, 125, and what fits is a prefix" {
	requires mounts
	cat > full <<-'END'
		mount -t tmpfs -o size=$1k none small || exit 99
		shift
		"$@"
		code=$?
		cp small/x.gst . 2> /dev/null
		exit $code
	END
	mkdir small
	local kb
	for kb in 4 8 12 16 24 40 64 100; do
		rm -f x.gst
		run -125 unshare -m bash full "$kb" "$BIN/gpurec" --probes none -o small/x.gst -- env LD_LIBRARY_PATH="$SIMLIB" "$loop" 60000
		[[ "$output" == *"No space left on device"* ]] || { echo "$kb: $output"; false; }
		[ ! -s x.gst ] || { look x.gst && prefix x.gst; } || { echo "$kb"; false; }
	done
}

@test "a limit of file size that the rings exceed: said, and the program runs as ever" {
	run bash -c 'ulimit -f 40; exec "$@"' sh "$BIN/gpurec" --probes none -o x.gst -- env LD_LIBRARY_PATH="$SIMLIB" "$loop" 600
	[ "$status" -eq 0 ]
	[[ "$output" == *"expect kernels 601"* ]]
	[[ "$output" == *"cannot make rings of "*" File too large"* ]] || { echo "$output"; false; }
	look x.gst
}

@test "a reader that leaves: what it has is a prefix" {
	local n
	for n in 1 300 5000 60000 150000; do
		{ "$BIN/gpurec" --probes none -o - -- env LD_LIBRARY_PATH="$SIMLIB" "$loop" 60000 2> err || echo $? > code; } | head -c "$n" > p.gst
		[ "$(stat -c %s p.gst)" -eq "$n" ]
		look p.gst
		[ "$n" -lt 1000 ] || prefix p.gst > /dev/null
	done
}
