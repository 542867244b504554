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

@test "help lists the rows with their arguments" {
	run -0 "$o" --help
	[[ "$output" == *"  -l, --level N              a signed number"* ]]
	[[ "$output" == *"      --cpus LIST            numbers"* ]]
	[[ "$output" == *"  -f, --flag                 a switch"* ]]
}
