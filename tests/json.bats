#!/usr/bin/env bats
# The JSON scanner by itself, against Python's parser and decimals.

setup() {
	load helpers
	requires python3
	cd "$BATS_TEST_TMPDIR" || exit
}

scan() { run -"$1" "$O/test/jsontest" "${@:2}"; }

@test "every value comes out as Python reads it, however small the pieces are" {
	python3 - > in.json <<-'END'
		import json, random
		random.seed(7)
		texts = ["", "plain", 'q"uote', "back\\slash", "tab\tnew\nline", "é ü", "\U0001f600", "x" * 300,
		         "ends in backslash \\", "\u0001\u007f", "[{,:}]"]
		def value(depth):
		    kind = random.randrange(9 if depth < 6 else 6)
		    if kind < 2: return random.choice(texts)
		    if kind == 2: return random.randrange(-10**20, 10**20)
		    if kind == 3: return random.random() * 10 ** random.randrange(-5, 20)
		    if kind < 6: return random.choice([True, False, None])
		    if kind < 8: return {random.choice(texts) + str(i): value(depth + 1) for i in range(random.randrange(5))}
		    return [value(depth + 1) for _ in range(random.randrange(6))]
		for i in range(200):
		    print(json.dumps([value(0) for _ in range(9)], indent=random.choice([None, 1, 4]),
		                     ensure_ascii=random.choice([True, False])))
	END
	for bytes in 1 2 3 5 16 17 1000 300000; do
		scan 0 -c "$bytes" in.json
		echo "$output" > "out.$bytes"
		cmp out.1 "out.$bytes"
		scan 0 -c "$bytes" -g in.json
		cmp out.1 <(echo "$output")
	done
	python3 - <<-'END'
		import json
		decoder, text, at = json.JSONDecoder(), open("in.json").read(), 0
		want = []
		while at < len(text.rstrip()):
		    v, at = decoder.raw_decode(text, at)
		    want.append(v)
		    while at < len(text) and text[at].isspace(): at += 1
		have, at, text = [], 0, open("out.1").read()
		decoder = json.JSONDecoder(strict=False)
		while at < len(text.rstrip()):
		    v, at = decoder.raw_decode(text, at)
		    have.append(v)
		    while at < len(text) and text[at].isspace(): at += 1
		assert len(want) == 200 and have == want, "not what Python reads"
	END
}

@test "decimals are scaled exactly: against Python's decimals, over every form of a number" {
	python3 - > numbers <<-'END'
		import random
		random.seed(3)
		for edge in ("0 -0 0.0005 0.0004 0.00049999999999999999999999999999999999999999999 1e3 1E-3 -1.5e+2 9223372036854775.807 "
		             "9223372036854775.8075 9223372036854775.808 1712195495519689.0635 00012.5 5. .5 1e400 1e-400 "
		             "123456789012345678901234567890123456789012345678901234567890e-45 0.0000000000000000000000000000000000000000001e40").split():
		    print(edge)
		for i in range(5000):
		    s = random.choice(["", "-"]) + str(random.randrange(10 ** random.randrange(1, 18)))
		    if random.random() < .7: s += "." + "".join(random.choice("0123456789") for _ in range(random.randrange(1, 12)))
		    if random.random() < .2: s += random.choice("eE") + random.choice(["", "+", "-"]) + str(random.randrange(12))
		    print(s)
	END
	"$O/test/jsontest" -n 3 < numbers > mine
	python3 - <<-'END'
		import decimal as d
		d.getcontext().prec = 2000
		d.getcontext().Emax = 10000; d.getcontext().Emin = -10000
		most, n = 2 ** 63 - 1, 0
		for text, line in zip(open("numbers"), open("mine")):
		    fits, scaled, lost, number, value, exponent, lost2 = map(int, line.split())
		    x = d.Decimal(text.strip()); ns = x * 1000
		    want = int(ns.to_integral_value(d.ROUND_HALF_UP))
		    assert fits == (abs(want) <= most), text
		    if fits:
		        assert scaled == want and lost == (ns != ns.to_integral_value()), (text, line, want)
		    if not lost2 and abs(x) < most and abs(x) > d.Decimal("1e-300"):
		        assert number and d.Decimal(value).scaleb(exponent) == x, (text, line)
		    n += 1
		assert n > 5000
	END
}

@test "what is no number is none" {
	printf '%s\n' '' - . e5 1e 1e+ 1.2.3 12a 0x NaN -Infinity 1,5 '1 ' > numbers
	run -0 "$O/test/jsontest" -n 3 < numbers
	[ "${#lines[@]}" -eq 13 ]
	[ "$(grep -vc '^0 0 0 0 ' <<< "$output")" -eq 0 ]
}

@test "commas too many, words of other languages and half a surrogate pair are taken" {
	printf '%s' '{,"a" : [1,,2,],"n":NaN,"i":-Infinity , "s":"\ud83d!","z":"\u0000","u":"\q\u12",}' > in.json
	for bytes in 1 4 100; do
		scan 0 -c "$bytes" in.json
		[ "$output" = '{"a":[1,2],"n":NaN,"i":-Infinity,"s":"'$'\xef\xbf\xbd''!","z":"'$'\xef\xbf\xbd''","u":"\\q\\u12"!}' ]
	done
}

@test "a text longer than is kept is stepped over, and the rest of the file is there" {
	{ printf '["'; head -c 700000 /dev/zero | tr '\0' x; printf '\\"", 5, {"'; head -c 400000 /dev/zero | tr '\0' k
	  printf '" : true}, [7]]'; } > in.json
	for bytes in 1000 8192 1000000; do
		scan 0 -c "$bytes" in.json
		[ "$output" = '[""~,5,{""~:true},[7]]' ]
	done
}

@test "a key that stands where it stood before is known, but not where a comma is missing or one too many" {
	printf '%s' '{"a":1,"b":2}{"a":1,"b":2} {,"b":2}{"a":{},"b":{"a":1}}' > in.json
	scan 0 -g in.json
	[ "$(tr -d '\n' <<< "$output")" = '{"a":1,"b":2}{"a":1,"b":2}{"b":2}{"a":{},"b":{"a":1}}' ]
	printf '%s' '{"a":1,"b":2}{"b":2"a":1}' > in.json
	scan 1 -g in.json
	[ "${lines[-1]}" = "bad at byte 19" ]
}

@test "a file that ends early says where, at every byte of it" {
	printf '{"a":[1,{"b":"c\\n"},null],"d":2.5}' > whole.json
	size=$(stat -c %s whole.json)
	for ((n = 1; n < size; n++)); do
		head -c "$n" whole.json > part.json
		scan 1 -c 3 part.json
		[ "${lines[-1]}" = "the file ends at byte $n" ]
	done
}

@test "behind a broken item the next one is found, not what looks like one inside another" {
	cat > in.json <<-'END'
		{"traceEvents": [
		 {"ph": "X", "name": "whole 1"},
		 {"ph": "X", "name": "a {"device": "cpu"} b", "args": {"x": {"name": 1}}},
		 {"ph": "X", "name": "whole 2", "args": {"list": [{"name": 1}, {"name": 2}]}},
		 {"ph": "X" "name": "no comma"},
		 {"ph": "X", "name": "whole 3"}
		], "traceName": "t"}
	END
	for bytes in 1 7 4096; do
		scan 0 -c "$bytes" -k traceEvents in.json
		[ "$(grep -o 'whole .' <<< "$output" | tr '\n' ' ')" = "whole 1 whole 2 whole 3 " ]
		[ "$(grep -c '^bad at byte' <<< "$output")" -eq 2 ]
	done
}
