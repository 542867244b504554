#!/usr/bin/env bats
# The filter: folded lines in, an interactive SVG out.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

flamegraph() { "$BIN/flamegraph" "$@"; }

# frames FILE.svg: "DEPTH X W NAME" of each frame
frames() {
	sed -nE 's/^<g data-x="([0-9]+)" data-w="([0-9]+)" data-d="([0-9]+)"><title>(.*)$/\3 \1 \2 \4/p' "$1"
}

# well_formed FILE: XML that a strict parser takes
well_formed() {
	if command -v xmllint > /dev/null; then xmllint --noout "$1"
	elif command -v python3 > /dev/null; then python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
	else skip "needs xmllint or python3"; fi
}

@test "each frame is as wide as its stacks and stands where its siblings before it end" {
	printf '%s\n' 'a;c 5' 'a;b 3' 'a 2' 'd;b 10' 'a;b 1' > in
	flamegraph in > out.svg
	diff <(frames out.svg) - <<-'END'
		0 0 21 all
		1 0 11 a
		2 0 4 b
		2 4 5 c
		1 11 10 d
		2 11 10 b
	END
	grep -q '^10 samples, 47.62%</title>' out.svg
	grep -q '^21 samples, 100.00%</title>' out.svg
}

@test "the order of lines changes nothing: the same stacks give the same bytes" {
	seq 1 3000 | awk '{ print "m;f" $1 % 7 ";g" $1 % 31 ";h" $1 % 11 " " $1 }' > in
	flamegraph in > 1.svg
	sort -R in | flamegraph > 2.svg
	cmp 1.svg 2.svg
	[ "$(frames 1.svg | sed -n '1s/.* \([0-9]*\) all/\1/p')" = 4501500 ]
}

@test "blanks in frames, CRLF, tabs, empty lines and a missing last line end are taken" {
	printf 'my app;f(int, long) 3\r\n\r\n\nmy app;f(int, long)\t4' > in
	flamegraph in > out.svg
	frames out.svg | grep -Fx '2 0 7 f(int, long)'
	well_formed out.svg
}

@test "names cannot break the XML: markup, control characters, invalid UTF-8, ]]>" {
	printf 'a<b>&"c";\x01\x1b[0m\xff\xc3(;]]></title><script>alert(1)</script>;\xed\xa0\x80\xef\xbf\xbe\xf4\x90\x80\x80;\xd0\xb6\xe6\xbc\xa2\xf0\x9f\x98\x80 7\n' > in
	flamegraph --title='<&">' --subtitle="$(printf '\x02<x>')" --countname='<b>' in > out.svg
	well_formed out.svg
	[ "$(grep -c '<script>' out.svg)" -eq 1 ]
	grep -q 'a&lt;b&gt;&amp;&quot;c&quot;' out.svg
	grep -q 'ж漢😀' out.svg
	printf 'over\xc0\xbclong 1\n' | flamegraph | grep -q '>over��long$'
	run ! grep -q $'[\x01\x02\x1b\x7f]' out.svg
	iconv -f UTF-8 -t UTF-8 out.svg > /dev/null
}

@test "a name of 500 characters is whole in the tooltip and cut by meaning in its frame" {
	args="$(printf 'ns::Traits<%d, float>, ' $(seq 20))"
	name="[gpu] void at::native::(anonymous namespace)::vectorized_kernel<${args}int>(char const*, ${args}int)"
	[ "${#name}" -gt 500 ]
	echo "main;$name 1" > in
	flamegraph --width=1200 in > wide.svg
	flamegraph --width=300 in > narrow.svg
	for f in wide narrow; do
		well_formed $f.svg
		frames $f.svg | grep -Fq "$(sed 's/</\&lt;/g; s/>/\&gt;/g' <<< "$name")"
	done
	grep -q '>void at::native::(…)::vectorized_kernel&lt;…&gt;(…)</text>' wide.svg
	grep -q '>at::native::(…)::vectorized_kernel&lt;…&gt;</text>' narrow.svg
}

@test "frames of 10,000 characters and stacks of 10,000 frames are drawn" {
	long="$(printf 'x%.0s' $(seq 10000))"
	{ echo "a;$long 1"; echo "$(printf 'f;%.0s' $(seq 9999))f 2"; } > in
	flamegraph in > out.svg
	well_formed out.svg
	frames out.svg | grep -qx "2 0 1 $long"
	[ "$(frames out.svg | tail -1)" = "10000 1 2 f" ]
}

@test "counts up to 2^64-1 are exact; more, in a line or in sum, is refused with the line" {
	echo 'a;b 18446744073709551615' | flamegraph > out.svg
	frames out.svg | grep -qx '2 0 18446744073709551615 b'
	grep -q '^18,446,744,073,709,551,615 samples, 100.00%' out.svg
	run -1 --separate-stderr flamegraph <<< 'a 18446744073709551616'
	[ "$stderr" = "flamegraph: standard input: line 1: count 18446744073709551616 does not fit into 64 bits" ]
	run -1 --separate-stderr flamegraph <<< 'a 40000000000000000000'
	[ "$stderr" = "flamegraph: standard input: line 1: count 40000000000000000000 does not fit into 64 bits" ]
	run -1 --separate-stderr flamegraph <<< $'a 18446744073709551615\nb 1'
	[ "$stderr" = "flamegraph: standard input: line 2: the sum of all counts does not fit into 64 bits" ]
}

@test "bad lines are refused with file and line, and no picture is written" {
	while IFS='|' read -r line why; do
		printf 'good;line 1\n\n%s\n' "$line" > in
		run -1 --separate-stderr flamegraph in
		[ "$stderr" = "flamegraph: in: line 3: $why" ] || { echo "$line: $stderr"; false; }
		[ -z "$output" ]
	done <<-'END'
		a;b 1.5|count 1.5 is not a whole number
		a;b 1e3|count 1e3 is not a whole number
		a;b -3|count -3 is negative
		a;b|no count at the end
		a;b x1|no count at the end
		123|no stack before the count
	END
	head -c 100000 /dev/urandom > in
	run -1 --separate-stderr flamegraph in
	[[ "$stderr" == "flamegraph: in: line "* ]]
}

@test "empty input, zero counts, a missing file and a directory say so and exit 1" {
	run -1 --separate-stderr flamegraph /dev/null
	[ "$stderr" = "flamegraph: /dev/null holds no stacks: nothing to draw" ]
	run -1 --separate-stderr flamegraph <<< 'a;b 0'
	[ "$stderr" = "flamegraph: standard input holds no stacks: nothing to draw" ]
	[ -z "$output" ]
	run -1 --separate-stderr flamegraph nosuch
	[ "$stderr" = "flamegraph: cannot open nosuch: No such file or directory" ]
	run -1 --separate-stderr flamegraph .
	[ "$stderr" = "flamegraph: cannot read .: Is a directory" ]
}

@test "wrong options exit 2 and say what is expected" {
	run -2 --separate-stderr flamegraph --width=10
	[ "$stderr" = "flamegraph: --width wants a number from 240 to 100000, not \"10\"" ]
	run -2 --separate-stderr flamegraph --colors=pink
	[ "$stderr" = "flamegraph: --colors wants kind, hash or grey, not \"pink\"" ]
	run -2 --separate-stderr flamegraph --base=1.5
	[ "$stderr" = 'flamegraph: --base wants a number from 0 to 1000, not "1.5"' ]
	run -2 --separate-stderr flamegraph --minwidth=nan
	[ "$stderr" = 'flamegraph: --minwidth wants a number from 0 to 100000, not "nan"' ]
	run -2 flamegraph --nosuch
	run -2 flamegraph a b
}

@test "a full disk is an error, a reader that leaves is not" {
	[ -e /dev/full ] || skip "needs /dev/full"
	seq 5000 | awk '{ print "a;f" $1 " 1" }' > in
	run -1 --separate-stderr bash -c '"$0" in > /dev/full' "$BIN/flamegraph"
	[ "$stderr" = "flamegraph: cannot write standard output: No space left on device" ]
	run -0 --separate-stderr bash -c 'trap "" PIPE; { "$0" in; echo $? > rc; } | head -c 10 > /dev/null; cat rc' "$BIN/flamegraph"
	[ "$output" = 0 ]
	[ -z "$stderr" ]
}

@test "narrow frames are left out with all above them, counted, and said" {
	{ echo "wide 100000"; seq 50 | awk '{ print "thin" $1 ";leaf 1" }'; } > in
	flamegraph --minwidth=1 in > out.svg
	[ "$(frames out.svg | wc -l)" -eq 2 ]
	grep -q '>100 frames narrower than 1 px left out</text>' out.svg
	flamegraph --minwidth=0 in > all.svg
	[ "$(frames all.svg | wc -l)" -eq 102 ]
	run ! grep -q 'left out' all.svg
}

@test "ns are shown as time and bytes as sizes, with the exact number" {
	echo 'a 1234567' > in
	flamegraph --countname=ns in | grep -q '^1.235 ms (1,234,567 ns), 100.00%'
	flamegraph --countname=bytes in | grep -q '^1.177 MiB (1,234,567 bytes), 100.00%'
}

@test "colours tell what a frame is, the legend names only the kinds that are there" {
	echo 'app-1;step (train.py:3);c10::f();do_sys_[k];cudaLaunchKernel;[gpu] k 5' > in
	flamegraph --base=1 in > out.svg
	legend="$(sed -n '/<g id="legend">/,/<\/g>/p' out.svg)"
	for kind in 'process, thread' Python native 'OS kernel' 'CUDA call' 'GPU kernel'; do
		grep -q ">$kind<" <<< "$legend" || { echo "$kind"; false; }
	done
	run ! grep -qE 'communication|GPU copy|unknown' <<< "$legend"
	color() { sed -n "/<title>$1\$/{n;s/.*fill=\"#\(..\)\(..\)\(..\)\".*/\1 \2 \3/p}" "$2"; }
	read -r r g b <<< "$(color '\[gpu\] k' out.svg)"
	[ $((0x$g)) -gt $((0x$r)) ] && [ $((0x$g)) -gt $((0x$b)) ]
	read -r r g b <<< "$(color 'c10::f()' out.svg)"
	[ $((0x$r)) -gt $((0x$g)) ] && [ $((0x$r)) -gt $((0x$b)) ]
	echo 'x;c10::f() 1' | flamegraph > other.svg
	[ "$(color 'c10::f()' other.svg)" = "$r $g $b" ]
}

@test "--inverted puts the outermost frame at the top" {
	y() { sed -n "/<title>$1\$/{n;s/.* y=\"\([0-9]*\)\" width.*/\1/p}" "$2"; }
	echo 'a;b 1' > in
	flamegraph in > up.svg
	flamegraph --inverted in > down.svg
	[ "$(y all up.svg)" -gt "$(y b up.svg)" ]
	[ "$(y all down.svg)" -lt "$(y b down.svg)" ]
}

@test "names are shortened from the outside in, and never to less than what tells them apart" {
	while IFS='|' read -r width name cut; do
		echo "$name 1" | flamegraph --width="$width" > out.svg
		grep -qF ">$(sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' <<< "$cut")</text>" out.svg || { echo "$width $name"; grep '</text></g>' out.svg; false; }
	done <<-'END'
		320|[gpu] void ns::kern<float, 4>(float*, int, long)|void ns::kern<…>(…)
		300|[gpu] sgemm_128x128_with_a_long_name_nt|sgemm_128x128_with_a_long_name_nt
		250|[gpu] sgemm_128x128_with_a_long_name_nt|sgemm_128x128_with…long_name_nt
		250|foo(std::vector<int>, std::map<int, int>)::{lambda(int)#1}::operator()(int) const|foo(…)::{…}::operator()
		250|std::ostream& std::operator<< <char>(std::ostream&, char const*)|ostream& std::operator<< <…>
		250|a::very::long::path::of::namespaces::down::to::Class::call(int)|down::to::Class::call
		250|wrap_kernel_functor_unboxed_with_long_name::call(int)|wrap_kernel_functo…g_name::call
		250|/usr/lib/python3/dist-packages/torch/nn/module.py|/usr/lib/python3/d…nn/module.py
		250|漢字漢字漢字漢字漢字漢字漢字漢字漢字|漢字漢字漢字漢字…漢字漢字漢字
		250|<module> (/usr/lib/python3/dist-packages/x/train.py:210)|<module> (…)
		250|unbalanced<<<((({{{ and more text that is long|unbalanced<…g
	END
}

# browser URL: the picture's DOM after its script ran
browser() {
	chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$BATS_TEST_TMPDIR/chromium" \
		--virtual-time-budget=2000 --window-size=1000,600 --dump-dom "$1" 2> /dev/null 3>&-
}

@test "in a browser the address zooms and searches, keys and clicks work" {
	requires chromium
	printf '%s\n' 'a;gemm 60' 'a;relu 20' 'b;Gemm 20' > in
	flamegraph in > out.svg
	browser "file://$PWD/out.svg#s=gemm" > dom
	grep -q '>Matched: 60.00%<' dom
	grep -q 'width="100%"' dom
	browser "file://$PWD/out.svg#s=gemm&i=1" | grep -q '>Matched: 80.00%<'
	browser "file://$PWD/out.svg#z=1.0&s=relu" | grep -q '>Matched: 25.00% of the zoomed frame<'
	browser "file://$PWD/out.svg#s=(" | grep -q '>Not a regular expression<'
	cat > drive.html <<-'END'
		<body><object id="o" data="out.svg" type="image/svg+xml" width="900"></object><script>
		onload = () => {
			const d = o.contentDocument, w = o.contentWindow, said = [];
			const key = (k, more) => w.dispatchEvent(new w.KeyboardEvent('keydown', Object.assign({ key: k, cancelable: true }, more)));
			const shown = () => Array.from(d.querySelectorAll('#frames > g')).filter(g => g.style.display !== 'none').length;
			said.push('all ' + shown());
			d.querySelectorAll('#frames > g')[1].dispatchEvent(new w.MouseEvent('click', { bubbles: true }));
			said.push('zoomed ' + shown(), w.location.hash);
			key('ArrowUp');
			said.push(d.getElementById('details').textContent);
			key('f', { ctrlKey: true });
			const input = d.querySelector('input');
			input.value = 'relu';
			input.dispatchEvent(new w.Event('input'));
			said.push(d.getElementById('matched').textContent, w.location.hash);
			key('Escape');
			key('Escape');
			said.push('reset ' + shown(), w.location.hash || '#');
			document.title = 'done';
			document.body.append(said.join('|'));
		};
		</script></body>
	END
	chromium() { command chromium --allow-file-access-from-files "$@"; }
	browser "file://$PWD/drive.html" > dom
	grep -qF 'all 6|zoomed 4|#z=1.0|gemm: 60 samples, 60.00%, 75.00% of the zoomed frame|Matched: 25.00% of the zoomed frame|#z=1.0&amp;s=relu|reset 6|#' dom || { cat dom; false; }
}

@test "the example's commands do what it says" {
	sed -n 's/^  \(train;.*\)/\1/p' "$ROOT/tools/flamegraph_example.txt" > stacks.folded
	flamegraph --title="One step" --countname=ns --base=1 stacks.folded > step.svg
	grep -q '^977.8 us (977,825 ns), 100.00%' step.svg
	frames step.svg | grep -q 'gemm'
	grep -q '^812.3 us (812,345 ns), 83.08%' step.svg
	grep -q '^145 us (145,000 ns), 14.83%' step.svg
}
