# The recorder's end of the handover: rings that another process writes are believed in nothing.

setup() {
	load helpers
	RECV="$O/test/recv"
	RING="$O/test/ringtest"
	DIR="$BATS_TEST_TMPDIR"
}

# recorded OPTION... -- ACT...: ringtest plays the library; what the recorder got is in $DIR/out
recorded() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	shift
	timeout 30 "$RECV" "${args[@]}" -o "$DIR/out" -- "$RING" "$@"
}

has() { grep -qxE "$1" "$DIR/out" || { cat "$DIR/out"; return 1; }; }
hasnt() { ! grep -qE "$1" "$DIR/out" || { cat "$DIR/out"; return 1; }; }

@test "the memfd is sealed and correct records arrive, with the peer's own pid and producer" {
	recorded -- hello sealed good=23
	has "count api 23"
	hasnt "^lost"
	hasnt "pid=4242"
	hasnt "producer=999"
}

@test "a ring smaller than the records written wraps without losing or inventing one" {
	recorded -q -b 8192 -s 3 -- hello good=5000
	has "count api 5000"
	hasnt "^lost"
}

@test "each kind of false record head is counted as hostile, and what follows is read" {
	recorded -q -- hello pastend good=5 small good=5 odd good=5 wait filler good=3 wait pastname good=1
	has "count api 19"
	has "lost hostile 5"
	hasnt "^count name"
}

@test "a library may send only its own kinds" {
	recorded -q -- hello kind=1 kind=4 kind=8 kind=9 kind=24 kind=32 kind=48 kind=255 kind=65535 good=2
	has "count api 2"
	has "lost hostile 9"
	hasnt "count task|count stack|count switch|count api_stack"
}

@test "heads that move back, jump or are odd cost that ring its contents, nothing else" {
	recorded -q -- hello good=1 wait jump good=1 wait back good=1 wait unaligned good=7
	has "count api 10"
	has "lost hostile [0-9]+"
	recorded -q -b 8192 -- hello good=500 wait jump good=3	# old records lie all over the ring
	has "count api 503"
}

@test "rings full of noise give hostile counts and no records" {
	recorded -q -- hello garbage=50 good=7
	has "count api 7"
	has "lost hostile [0-9]+"
}

@test "a peer that rewrites the tail or the ring file's head changes nothing for the recorder" {
	recorded -q -- hello good=3 tail header wait
	has "count api 3"
	hasnt "^lost"
}

@test "memory is used for the rings that threads take, not for all there could be" {
	recorded -q -- hello rss=5000 good=3 wait taken=40 rss=25000
	has "count api 3"
}

@test "a name without an end is cut, not read past" {
	recorded -- hello name good=1
	has 'name .* text="abcdefg"'
}

@test "counters become LOST records once" {
	recorded -- hello counters=5 good=1 wait rss=5000
	has "lost no_slot 5"
	has "lost cupti 6"
	has "lost slot_ring 7"
	has "lost clock 8"
	has "count lost 4"
}

@test "operations begun and not delivered before death are reported, number unknown" {
	run ! recorded -q -- hello good=3 begun=5 delivered=3 abort
	has "exit 134"
	has "count api 3"
	has "lost unfinished unknown"
}

@test "a library that said it is done has nothing unfinished" {
	recorded -q -- hello begun=5 delivered=3 state=2
	hasnt "^lost"
}

@test "wrong greetings and silent connections are refused or ignored while others go on" {
	recorded -q -- badhello silent silent hello good=9
	has "count api 9"
	has "refused 1"
}

@test "more processes than allowed are refused and counted" {
	recorded -q -p 5 -- hello fds=30 good=4
	has "count api 4"
	has "refused 2[0-9]"
}

@test "out of descriptors the recorder refuses, says so once and serves on" {
	(ulimit -Sn 20; recorded -q -- hello fds=30 good=4 2> "$DIR/err") || { cat "$DIR/err" "$DIR/out"; false; }
	has "count api 4"
	has "refused [1-9][0-9]*"
	[ "$(grep -c "too many open files" "$DIR/err")" -eq 1 ]
}

@test "nobody is let in whom the recorder does not follow" {
	run -8 recorded -r -- hello good=1
	has "refused 1"
	hasnt "count api"
}

@test "the socket's directory cannot be listed by others and is gone afterwards" {
	TMPDIR="$DIR" timeout 30 "$RECV" -o "$DIR/out" -- sh -c 'stat -c "%a %n" "${GPUSCOPE_SOCKET%/*}"; stat -c %a "$GPUSCOPE_SOCKET"; echo "${GPUSCOPE_SOCKET##*/}"' > "$DIR/stat"
	grep -q "^711 $DIR/gpuscope-" "$DIR/stat"
	grep -q "^666$" "$DIR/stat"
	grep -qE "^[0-9a-f]{32}$" "$DIR/stat"
	[ -z "$(ls -d "$DIR"/gpuscope-* 2>/dev/null)" ]
}

@test "a device gets the minor and the NUMA node that the machine knows of its PCI slot" {
	mkdir -p "$DIR/sys/bus/pci/devices/0001:41:00.0" "$DIR/proc/driver/nvidia/gpus/0001:41:00.0"
	echo 3 > "$DIR/sys/bus/pci/devices/0001:41:00.0/numa_node"
	printf 'Model: \t\t NVIDIA H200\nIRQ:   \t\t 120\nDevice Minor: \t 5\n' > "$DIR/proc/driver/nvidia/gpus/0001:41:00.0/information"
	run -0 "$O/test/devicetest" "$DIR" 1 41 0
	[ "$output" = "minor 5 numa 3" ]
	run -0 "$O/test/devicetest" "$DIR" 0 41 0
	[ "$output" = "minor -1 numa -1" ]
}

@test "the reader is clean under address and undefined-behaviour sanitizers" {
	local cc="${CC:-cc}"
	echo 'int main(void){return 0;}' | $cc -fsanitize=address,undefined -x c - -o "$DIR/can" 2>/dev/null || skip "no sanitizers here"
	$cc -std=gnu11 -g -O1 -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all -I"$ROOT/bpf" -I"$ROOT/user" \
		"$ROOT"/tests/bin/recv.c "$ROOT"/user/handover_*.c "$ROOT"/user/schema*.c "$ROOT"/user/log.c -o "$DIR/recv"
	RECV="$DIR/recv"
	recorded -- hello name pastend small odd filler kind=3 kind=255 jump back unaligned garbage=200 tail header counters=3 good=11
	has "count api 11"
	recorded -b 4096 -s 2 -- hello good=500 garbage=20
	has "count api 500"
}
