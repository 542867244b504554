#!/usr/bin/env bats
# The option parser: every kind of row, through tests/bin/options.c.

setup() {
	load helpers
	o="$O/test/options"
}

says() {
	local want="$1"
	shift
	run "$o" "$@"
	echo "$output"
	[ "$output" = "$want" ]
}

@test "values go where their rows say" {
	says "level=-5 port=65535 after=1500000000 name=x y flag=1 cpus=0;7;255; ports=1;255; pid=12 count=3 duration=250000000" \
		-l -5 --port 0xffff --after 1.5s --name "x y" -f --cpus 0,7 --cpus 255 --ports 1,255 -p 12 -n 3 -d 250ms
	says "level=-1 port=0 after=0 name=- flag=0 cpus= ports= pid=0 count=0 duration=0"
}

@test "times have units, and a number alone is seconds" {
	for pair in 2=2000000000 100us=100000 5ns=5 0.5ms=500000 2m=120000000000 1h=3600000000000 0=0; do
		[[ "$("$o" --after "${pair%=*}")" == *" after=${pair#*=} "* ]]
	done
	for bad in x 5q -1s 1e400 0x10s nan ""; do
		run -2 "$o" --after="$bad"
		[ "$output" = "options: --after wants a time such as 10s or 500ms, not \"$bad\"" ]
	done
}

@test "what does not fit is refused, not cut" {
	run -2 "$o" --port 65536
	[ "$output" = "options: --port 65536 is too large" ]
	run -2 "$o" -l 2147483648
	[ "$output" = "options: --level 2147483648 is too large" ]
	says "level=-2147483648 port=0 after=0 name=- flag=0 cpus= ports= pid=0 count=0 duration=0" -l -2147483648
	run -2 "$o" --ports 1,256
	[ "$output" = "options: --ports 256 is too large" ]
	run -2 "$o" --cpus 1,2,3,4,5
	[ "$output" = "options: --cpus takes at most 4 numbers" ]
	run -2 "$o" --cpus 1,,2
	[ "$output" = 'options: --cpus wants a number, not ""' ]
	run -2 "$o" --cpus 1,x
	[ "$output" = 'options: --cpus wants a number, not "x"' ]
}

@test "words, ranges and sizes are checked against their rows" {
	run -0 "$o" --mode exact --kinds read,write --share 12.5 --ring 64K
	[ "${lines[1]}" = "mode=4 kinds=3 share=12.5 ring=65536" ]
	run -0 "$o" --mode exact --none --kinds=write --share=0 --ring=4096
	[ "${lines[1]}" = "mode=9 kinds=2 share=0 ring=4096" ]
	run -2 "$o" --mode quick
	[ "$output" = 'options: --mode wants fast or exact, not "quick"' ]
	for bad in read,rite= rite= =; do
		run -2 "$o" --kinds "${bad%=}"
		word="${bad%=}"
		[ "$output" = "options: --kinds wants read, write or both, not \"${word#read,}\"" ]
	done
	run -2 "$o" --share 100.5
	[ "$output" = 'options: --share wants a number from 0 to 100, not "100.5"' ]
	for bad in 2048 4097 2M 1Kx 1G K; do
		run -2 "$o" --ring $bad
		[ "$output" = "options: --ring wants a power of two from 4096 to 1M, not \"$bad\"" ]
	done
	run -2 "$o" --none=1
	[ "$output" = "options: --none takes no value" ]
}

@test "help lists the rows with their arguments" {
	run -0 "$o" --help
	[[ "$output" == *"  -l, --level N              a signed number"* ]]
	[[ "$output" == *"      --cpus LIST            numbers"* ]]
	[[ "$output" == *"  -f, --flag                 a switch"* ]]
	[[ "$output" == *$'      --kinds LIST           some words,\n                             on two lines\n'* ]]
}

@test "every program speaks of its options in one form" {
	for t in "$ROOT"/tools/*.c; do
		t="$(basename "$t" .c)"
		run -0 "$BIN/$t" --version
		[[ "$output" =~ ^"$t (gpuscope) "[0-9.]+$ ]]
		run -0 "$BIN/$t" --help
		[[ "${lines[0]}" == "$t - "* && "${lines[1]}" == "usage: $t "* ]]
		[ -z "$(awk 'length > 96' <<< "$output")" ] || { echo "$output"; false; }
		run -2 "$BIN/$t" --frobnicate
		[ "$output" = "$t: unknown option \"--frobnicate\" (--help lists them)" ]
		run -2 "$BIN/$t" -Z
		[ "$output" = "$t: unknown option \"-Z\" (--help lists them)" ]
		run -2 "$BIN/$t" --help=x
		[ "$output" = "$t: --help takes no value" ]
	done
}
