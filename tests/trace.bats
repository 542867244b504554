# The trace file: round trips, growth, damage of every kind, full disks, killed writers.
bats_require_minimum_version 1.5.0

setup() {
	load helpers
	D="$BATS_TEST_TMPDIR"
	PATH="$O/test:$PATH"
	export LC_ALL=C
}

small() {	# small FILE: two definitions, two uses
	mktrace -o "$1" <<-'T'
		info driver=simulated start_ns=77 tool="test 1"
		name producer=1 ts=1 id=3 what=kernel text="_Z3foov"
		task pid=10 tid=10 ts=5 what=exec comm="my \"app"
		api ts=900 dur_ns=50 producer=1 pid=10 tid=10 correlation=7 name=3 class=launch result=-3
		kernel ts=1000 dur_ns=500 correlation=7 producer=1 pid=10 name=3 grid=4,1,1
	T
}

large() {	# large FILE: every kind, random values
	gentrace 1 300 > "$D/large.txt"
	mktrace -o "$1" < "$D/large.txt"
}

@test "300 random records of each kind come back as they were put" {
	large "$D/t"
	kinds=$(cut -d' ' -f1 "$D/large.txt" | sort -u | wc -l)
	[ "$kinds" -ge 25 ]
	sort "$D/large.txt" > "$D/want"
	cattrace -r "$D/t" | sort > "$D/got"
	cmp "$D/want" "$D/got"
}

@test "40,000 records of one kind, more than a block holds, keep their order" {
	seq 40000 | awk '{ print "api ts=" $1 " correlation=" $1 " dur_ns=" $1 * $1 % 7919 " producer=1" }' |
		mktrace -o "$D/t"
	run -0 bash -c "cattrace '$D/t' | awk '{ split(\$2, a, \"=\"); if (a[2] != NR) exit 1 } END { print NR }'"
	[ "$output" = 40000 ]
	[ "$(edittrace list < "$D/t" | grep -c 'type=1 kind=16')" -eq 10 ]
}

@test "the header says where and when" {
	small "$D/t"
	run -0 cattrace -i "$D/t"
	[[ "${lines[0]}" == *"version=1 start_ns=77 "*"boot_id=\"$(cat /proc/sys/kernel/random/boot_id)\""* ]]
	[[ "${lines[0]}" == *"host=\"$(uname -n)\" kernel=\"$(uname -r)\" machine=\"$(uname -m)\""* ]]
	[[ "${lines[0]}" == *'driver="simulated" tool="test 1"' ]]
}

@test "a pipe is a file" {
	small "$D/t"
	cattrace "$D/t" > "$D/want"
	(small - | cat | cattrace - > "$D/got")
	cmp "$D/want" "$D/got"
}

@test "definitions come before what uses them, whatever the order of the blocks" {
	{
		for i in $(seq 9000); do
			echo "name producer=1 id=$i what=kernel text=\"k$i\""
			echo "kernel producer=1 name=$i ts=$i"
		done
	} | mktrace -o "$D/t"
	cattrace "$D/t" | awk '
		function value(key,   i) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2) }
		$1 == "name" { known[value("id")] = 1 }
		$1 == "kernel" { n++; if (!known[value("name")]) exit 1 }
		END { exit n != 9000 }'
}

@test "an identical definition is written once, a changed one again, a loss each time" {
	mktrace -o "$D/t" <<-'T'
		name id=1 what=kernel text=a ts=1
		name id=1 what=kernel text=a ts=2
		name id=1 what=kernel text=b ts=3
		name id=1 what=kernel text=a ts=4 producer=2
		task pid=1 tid=1 ts=1 comm=a what=comm
		task pid=1 tid=1 ts=2 comm=b what=comm
		task pid=1 tid=1 ts=3 comm=a what=comm
		lost count=5 where=cupti
		lost count=5 where=cupti
	T
	[ "$(cattrace "$D/t" | grep -c ^name)" -eq 3 ]
	[ "$(cattrace "$D/t" | grep -c ^task)" -eq 3 ]
	[ "$(cattrace "$D/t" | grep -c ^lost)" -eq 2 ]
}

@test "definitions are repeated every 64 MB, and delivered twice only when blocks are missing" {
	tracefill "$D/t" $((130 << 20))
	edittrace list < "$D/t" > "$D/list"
	[ "$(grep -c 'kind=3 .*flags=1' "$D/list")" -eq 2 ]
	[ "$(cattrace "$D/t" | grep -c ^name)" -eq 1 ]
	first=$(grep -n 'type=1 kind=3 .*flags=0' "$D/list" | cut -d: -f1)
	edittrace drop $((first - 1)) < "$D/t" > "$D/u"
	cattrace "$D/u" 2> "$D/err" | grep ^name > "$D/names"
	[ "$(wc -l < "$D/names")" -eq 2 ]
	[ "$(cat "$D/err")" = "missing 1" ]
	rm "$D/t" "$D/u"
}

@test "columns nobody knows yet are stepped over, longer headers too" {
	large "$D/t"
	cattrace -r "$D/t" > "$D/want"
	edittrace extra-columns < "$D/t" > "$D/u"
	[ "$(stat -c %s "$D/u")" -gt "$(stat -c %s "$D/t")" ]
	cattrace -r "$D/u" | cmp "$D/want"
	edittrace longer-heads < "$D/t" | cattrace -r - | cmp "$D/want"
}

@test "a field that the writer did not have is zero, a wider one is read" {
	small "$D/t"
	edittrace drop-column correlation < "$D/t" > "$D/u"
	[ "$(cattrace "$D/t" | grep -c correlation=7)" -eq 2 ]
	[ "$(cattrace "$D/u" | grep -c correlation=0)" -eq 2 ]
	edittrace drop-column correlation < "$D/t" | cattrace - > "$D/got"
	cattrace "$D/t" | sed 's/correlation=7/correlation=0/' | cmp - "$D/got"
	edittrace widen-column result < "$D/t" | cattrace - | grep -q result=-3
}

@test "a text without its column is empty, and still ends" {
	small "$D/t"
	edittrace drop-column tail < "$D/t" | cattrace - | grep -q '^name .*text=""$'
}

@test "unknown kinds are stepped over and counted" {
	small "$D/t"
	block=$(edittrace list < "$D/t" | grep -n 'type=1 kind=17' | cut -d: -f1)
	for kind in 200 255 256 65535; do
		edittrace set $((block - 1)) kind $kind < "$D/t" > "$D/u"
		run -0 --separate-stderr cattrace "$D/u"
		[ "${#lines[@]}" -eq 3 ]
		[ "$stderr" = "unknown 1" ]
	done
	edittrace set $((block - 1)) type 77 < "$D/t" > "$D/u"
	run -0 cattrace "$D/u"
	[ "${#lines[@]}" -eq 3 ]
}

@test "a newer and an older version are refused by name, a missing block is counted" {
	small "$D/t"
	edittrace version 9 < "$D/t" > "$D/u"
	run -1 cattrace "$D/u"
	[ "$output" = "cattrace: $D/u is of trace version 9, this program reads 1 (update it)" ]
	edittrace version 0 < "$D/t" > "$D/u"
	run -1 cattrace "$D/u"
	[ "$output" = "cattrace: $D/u is of trace version 0, before the format was fixed; this program reads 1 (record it again)" ]
	edittrace drop 1 < "$D/t" > "$D/u"
	run -0 --separate-stderr cattrace "$D/u"
	[ "$stderr" = "missing 1" ]
	[ "${#lines[@]}" -eq 3 ]
}

@test "a trace cut at every one of its bytes gives what is before, and says where it ends" {
	small "$D/t"
	run -0 --separate-stderr tracecheck cuts "$D/t"
	[[ "$output" == "4 records in "* ]]
}

@test "a large trace cut at 10,000 random bytes, and 5,000 flipped bits, give exactly the good blocks before" {
	large "$D/t"
	run -0 --separate-stderr tracecheck cuts "$D/t" 10000
	[[ "$output" == "$(wc -l < "$D/large.txt") records in "* ]]
	run -0 --separate-stderr tracecheck flips "$D/t" 500
	[[ "$output" == "$(wc -l < "$D/large.txt") records in "* ]]
	small "$D/s"
	run -0 --separate-stderr tracecheck flips "$D/s" 4500
}

# Every tool that reads one: what is readable, the place, exit 1; never a signal.
@test "a trace cut anywhere goes through every tool with a word of where it ends" {
	large "$D/t"
	local at size tool n=0
	size="$(stat -c %s "$D/t")"
	RANDOM=4711
	for _ in $(seq 40); do
		at=$(((RANDOM * 32768 + RANDOM) % size))
		head -c "$at" "$D/t" > "$D/c.gst"
		for tool in "gpureport -j" "gpureport --check" "gputimeline --json -o $D/x.json" "gpuflame --pprof -o $D/x.pb.gz" \
			"gpuflame --ops=all --html -o $D/x.html" "gpudiff $D/t --"; do
			# shellcheck disable=SC2086	# words
			run --separate-stderr "$BIN/"$tool "$D/c.gst"
			[ "$status" -eq 1 ] || [ "$status" -eq 0 ] || { echo "$tool cut at $at: $status: $stderr"; false; }
			[[ "$stderr$output" == *"at byte $at"* || "$stderr$output" == *"at byte "* ]] || { echo "$tool cut at $at: $stderr"; false; }
			n=$((n + 1))
		done
	done
	[ "$n" -eq 240 ]
}

@test "a cut trace says so in words, with exit 1, after all that is readable" {
	small "$D/t"
	last=$(edittrace list < "$D/t" | tail -1 | cut -d' ' -f1)
	head -c "$last" "$D/t" > "$D/u"
	run -1 --separate-stderr cattrace "$D/u"
	[ "${#lines[@]}" -eq 4 ]
	[ "$stderr" = "cattrace: $D/u ends without its end mark at byte $last" ]
	before=$(edittrace list < "$D/t" | grep type=1 | tail -1 | cut -d' ' -f1)
	head -c $((before + 70)) "$D/t" > "$D/u"
	run -1 --separate-stderr cattrace "$D/u"
	[ "${#lines[@]}" -eq 3 ]
	[ "$stderr" = "cattrace: $D/u ends inside a block at byte $before" ]
	size=$(stat -c %s "$D/t")
	(cat "$D/t"; echo) > "$D/u"
	run -1 --separate-stderr cattrace "$D/u"
	[ "${#lines[@]}" -eq 4 ]
	[ "$stderr" = "cattrace: $D/u is damaged at byte $size" ]
}

@test "what is no trace says so: empty, garbage, directory, missing, forbidden" {
	: > "$D/empty"
	head -c 100000 /dev/urandom > "$D/garbage"
	echo hello > "$D/text"
	run -1 cattrace "$D/empty"
	[ "$output" = "cattrace: $D/empty is empty, not a gpuscope trace" ]
	run -1 cattrace "$D/garbage"
	[ "$output" = "cattrace: $D/garbage is not a gpuscope trace" ]
	run -1 cattrace "$D/text"
	[ "$output" = "cattrace: $D/text is not a gpuscope trace" ]
	run -1 cattrace "$D"
	[ "$output" = "cattrace: cannot read $D: Is a directory" ]
	run -1 cattrace "$D/none"
	[ "$output" = "cattrace: cannot open $D/none: No such file or directory" ]
	small "$D/t"
	chmod 755 "$D"
	if [ "$(id -u)" -eq 0 ] && unprivileged test ! -r "$D/t"; then
		run -1 unprivileged "$O/test/cattrace" "$D/t"
		[[ "$output" == "cattrace: cannot open $D/t: Permission denied" ]]
	fi
}

@test "hostile headers and payloads are refused, without memory for what they promise" {
	small "$D/t"
	n=$(edittrace list < "$D/t" | wc -l)
	for field in size raw stored records; do
		for value in 0 1 63 65 65536 0x7fffffff 0xffffffff; do
			edittrace set 1 $field $value < "$D/t" > "$D/u"
			run bash -c "ulimit -v 60000; cattrace '$D/u'"
			[ "$status" -le 1 ]
			[ "$status" -eq 0 ] || [[ "${lines[-1]}" == *" at byte "* ]]
		done
	done
	for offset in $(seq 0 60); do
		for value in 0 1 127 255; do
			edittrace poke 1 "$offset" $value < "$D/t" > "$D/u"
			run cattrace "$D/u"
			[ "$status" -le 1 ]
		done
	done
}

@test "a small block that expands to gigabytes is refused" {
	requires zstd
	small - | edittrace version 1 > "$D/t"
	at=$(edittrace list < "$D/t" | awk '/type=1/ { print $1; exit }')
	block=$(($(edittrace list < "$D/t" | grep -n "^$at " | cut -d: -f1) - 1))
	head -c 100000000 /dev/zero | zstd -q > "$D/bomb"
	[ "$(stat -c %s "$D/bomb")" -lt 100000 ]
	edittrace bomb $block "$D/bomb" < "$D/t" > "$D/u"
	run -1 --separate-stderr bash -c "ulimit -v 60000; cattrace '$D/u'"
	[ "$stderr" = "cattrace: $D/u is damaged at byte $at" ]
}

@test "a full disk is said once, counted, and the writer goes on to the end" {
	run -1 mktrace -o /dev/full <<< "api ts=1"
	[ "$output" = "mktrace: cannot write /dev/full: No space left on device" ]
}

@test "when the disk is full for a while, all that fits is readable and the gap is known" {
	requires root
	mkdir "$D/fs"
	mount -t tmpfs -o size=1m none "$D/fs" || skip "cannot mount a tmpfs"
	head -c 900000 /dev/zero > "$D/fs/ballast"
	tracefill "$D/fs/t" 3000000 "$D/fs/ballast" > "$D/out" 2> "$D/err" || true
	cp "$D/fs/t" "$D/t"
	umount "$D/fs"
	[ "$(cat "$D/err")" = "tracefill: cannot write $D/fs/t: No space left on device" ]
	run -0 --separate-stderr cattrace "$D/t"
	[[ "$stderr" == "missing "* ]]
	lost=$(edittrace list < "$D/t" | sed 's/.*lost=//' | awk '{ n += $1 } END { print n }')
	[ "$lost" -gt 0 ]
	cattrace "$D/t" 2> /dev/null > "$D/text"
	[ $(($(grep -c ^api "$D/text") + lost)) -eq "$(cat "$D/out")" ]
	[ "$(sed -nE 's/^lost .*count=([0-9]+) where=writer$/\1/p' "$D/text" | awk '{ n += $1 } END { print n }')" -eq "$lost" ]
	grep -q ^name "$D/text"
}

@test "a writer killed by SIGKILL leaves every flushed record readable" {
	tracecheck write "$D/t" > "$D/told" &
	pid=$!
	until_true grep -q '^20000$' "$D/told"
	kill -9 $pid
	wait $pid || true
	run -1 --separate-stderr cattrace "$D/t"
	[ "${#lines[@]}" -ge "$(tail -1 "$D/told")" ]
	[[ "$stderr" == *" at byte "* ]]
	[ "${lines[-1]%% dur_ns=*}" = "api ts=$((${#lines[@]} * 1000)) pid=0 tid=0 producer=1 cpu=0" ]
}

@test "a trace is for its owner alone: mode 0600, under sudo the caller's, not to a terminal" {
	umask 0
	small "$D/t"
	[ "$(stat -c %a "$D/t")" = 600 ]
	chmod 666 "$D/t"
	small "$D/t"
	[ "$(stat -c %a "$D/t")" = 600 ]
	requires root script
	SUDO_UID=1234 SUDO_GID=2345 small "$D/u"
	[ "$(stat -c %u:%g "$D/u")" = 1234:2345 ]
	SUDO_UID=1234 SUDO_GID=2345 small "$D/t"
	[ "$(stat -c %u:%g "$D/t")" = 0:0 ]	# was there before
	run script -qec "mktrace < /dev/null" /dev/null
	[[ "$output" == *"cannot write a trace to a terminal (use a file or a pipe)"* ]]
}

@test "writer and reader are clean under the address and undefined-behaviour sanitizers" {
	asan=(-std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE -Ibpf -Iuser)
	cc "${asan[@]}" -x c - -o "$D/canary" <<< 'int main(void) { return 0; }' || skip "this compiler has no sanitizers"
	cd "$ROOT"
	for p in mktrace cattrace; do
		cc "${asan[@]}" -o "$D/$p" tests/bin/$p.c user/trace*.c user/schema*.c user/log.c \
			user/hash.c user/arena.c -lzstd
	done
	gentrace 3 100 > "$D/text"
	"$D/mktrace" < "$D/text" > "$D/t"
	"$D/cattrace" -r "$D/t" | sort > "$D/got"
	sort "$D/text" | cmp - "$D/got"
}

@test "the fuzzer finds nothing in ten seconds" {
	fuzzer "$D/fuzz" -DFUZZER tests/fuzz/trace.c user/trace*.c user/schema*.c user/log.c user/hash.c user/arena.c -lzstd
	mkdir "$D/corpus"
	small "$D/corpus/small"
	edittrace extra-columns < "$D/corpus/small" > "$D/corpus/plain"
	gentrace 2 2 | mktrace -o "$D/corpus/kinds"
	run -0 "$D/fuzz" -max_total_time=10 -rss_limit_mb=1000 -timeout=10 -max_len=65536 -artifact_prefix="$D/" "$D/corpus"
}

@test "gpureport --check: what a file holds, and where it is not whole" {
	large "$D/t"
	run -0 "$BIN/gpureport" --check "$D/t" -j
	[ "$(jq -r '[.whole, .index, .end_mark, .lost, .missing_blocks] | join(" ")' <<< "$output")" = "true true true 0 0" ]
	[ "$(jq .records <<< "$output")" -eq "$(wc -l < "$D/large.txt")" ]
	[ "$(jq '[.kinds[].records] | add' <<< "$output")" -eq "$(wc -l < "$D/large.txt")" ]
	[ "$(jq '.kinds[] | select(.name == "kernel").records' <<< "$output")" -eq "$(grep -c '^kernel ' "$D/large.txt")" ]
	run -0 "$BIN/gpureport" --check "$D/t"
	[[ "${lines[0]}" == *": trace version 1 of "*": whole" ]]
	at=$(edittrace list < "$D/t" | sed -n '100s/ .*//p')
	head -c $((at + 80)) "$D/t" > "$D/u"
	run -1 --separate-stderr "$BIN/gpureport" --check "$D/u"
	[ "$stderr" = "gpureport: $D/u ends inside a block at byte $at" ]
	block=$(($(edittrace list < "$D/t" | grep -n type=1 | tail -1 | cut -d: -f1) - 1))
	edittrace drop $block < "$D/t" > "$D/u"
	run -1 --separate-stderr "$BIN/gpureport" --check "$D/u" -j
	[ "$(jq .missing_blocks <<< "$output")" -eq 1 ]
	[[ "$stderr" == *"has an index that "* ]]
	run -1 "$BIN/gpureport" --check - < "$D/large.txt"
	[ "$output" = "gpureport: standard input is not a gpuscope trace" ]
}

@test "every bit of the header, of schemas, of the index and of the end mark that is flipped is found by --check" {
	small "$D/t"
	size=$(stat -c %s "$D/t")
	for _ in $(seq 60); do
		at=$((RANDOM * 32768 % size + RANDOM % 7))
		at=$((at % size))
		byte=$(od -An -tu1 -j $at -N1 "$D/t")
		cp "$D/t" "$D/u"
		printf "\\x$(printf %x $((byte ^ 1 << RANDOM % 8)))" | dd of="$D/u" bs=1 seek=$at conv=notrunc status=none
		run -1 "$BIN/gpureport" --check "$D/u"
	done
}

@test "the reader that others take stands alone, and sums what is there" {
	gentrace 5 5000 | grep -v '^lost' > "$D/text"
	mktrace -o "$D/t" < "$D/text"
	mkdir "$D/alone"
	cp "$ROOT"/user/trace_read.h "$ROOT"/user/trace_read*.c "$D/alone"
	cat > "$D/alone/sum.c" <<-'C'
		#include <stdio.h>
		#include <string.h>
		#include "trace_read.h"
		int main(void)
		{
			static u64 ns[TRACE_RECORDS_MAX];
			struct trace_read *t;
			struct trace_block b;
			u64 sum = 0;

			if (trace_read_open(&t, 0))
				return puts(trace_read_why(t)), 1;
			while (trace_read_block(t, &b) > 0) {
				if (b.type != TRACE_RECORDS || b.flags & TRACE_REPEAT ||
				    strcmp(trace_read_kind(t, b.kind), "kernel"))
					continue;
				if (trace_read_payload(t, &b) || trace_read_values(&b, "dur_ns", 0, ns) < 0)
					break;
				for (u32 i = 0; i < b.records; i++)
					sum += ns[i];
			}
			if (trace_read_why(t))
				return puts(trace_read_why(t)), 1;
			printf("%llu\n", sum);
			trace_read_close(t);
			return 0;
		}
	C
	(cd "$D/alone" && cc -std=gnu11 -Wall -Wextra -Werror sum.c trace_read*.c -lzstd -o sum)
	want=$(python3 -c 'import re, sys; print(sum(int(re.search(r" dur_ns=(\d+)", l)[1]) for l in sys.stdin if l.startswith("kernel ")) % 2**64)' < "$D/text")
	run -0 "$D/alone/sum" < "$D/t"
	[ "$output" = "$want" ]
	run -0 bash -c "cat '$D/t' | '$D/alone/sum'"
	[ "$output" = "$want" ]
}

@test "the golden file of version 1 is read as it was written; the last version before it is refused by name" {
	cattrace -i -r "$ROOT/tests/golden/version1.gst" > "$D/now"
	run -0 python3 - "$ROOT/tests/golden/version1.txt" "$D/now" <<-'P'
		import re, sys
		def records(path):	# (kind, fields) of each
		    for line in open(path, encoding='latin-1'):
		        yield line.split()[0], re.findall(r' (\w+)=("(?:[^"\\]|\\.)*"|\S*)', line)
		then = list(records(sys.argv[1]))
		known = {kind: {k for k, _ in fields} for kind, fields in then}
		# what was added to a kind since is not in the file: zero, or an empty text
		now = [(kind, [f for f in fields if f[0] in known[kind]]) for kind, fields in records(sys.argv[2])]
		new = {f for kind, fields in records(sys.argv[2]) for f in fields if f[0] not in known[kind]}
		assert sorted(now) == sorted(then) and len(then) > 70, 'other records'
		assert all(re.fullmatch(r'0|"0*"|0+(,0+)*', value) for _, value in new), new
	P
	run -0 "$BIN/gpureport" --check "$ROOT/tests/golden/version1.gst"
	run -1 "$BIN/gpureport" "$ROOT/tests/golden/version0.gst"
	[ "$output" = "gpureport: $ROOT/tests/golden/version0.gst is of trace version 0, before the format was fixed; this program reads 1 (record it again)" ]
}
