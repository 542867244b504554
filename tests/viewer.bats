# flamegraph --html: the page for browsers, driven in headless Chromium by what stands behind the # of its address. What
# it says is compared with sums made of the same folded lines in Python.

setup_file() {
	load helpers
	cd "$BATS_FILE_TMPDIR" || return
	python3 - > a.folded <<-'END'
		import random
		random.seed(1)
		names = ["f%d" % i for i in range(12)] + ["void k<%s>(int)" % ", ".join("long_argument_%d" % i for i in range(40))]
		lines = {}
		for _ in range(3000):
		    stack = ["app-%d" % random.randint(1, 2)] + [random.choice(names) for _ in range(random.randint(1, 9))]
		    lines[";".join(stack)] = random.randint(1, 10 ** 6)
		lines["big;f1"] = 2 ** 53 + 1		# no double holds it
		for stack, n in lines.items():
		    print(stack, n)
	END
	awk 'NR % 7 == 0 { next } { n = $NF; sub(/ [0-9]+$/, ""); print $0, (NR % 3 ? n : int(n / 2)), n }' a.folded > pairs.folded
}

setup() {
	load helpers
	cd "$BATS_FILE_TMPDIR" || return
}

# browser ARG... URL: the page as it stands once it is drawn
browser() {
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$BATS_TEST_TMPDIR/chromium" "$@" 2> "$BATS_TEST_TMPDIR/chromium.err"
}

# page FILE [STATE]: what it says is in ./dom: drawn, details, matched, rows of the table, frames
page() {
	browser --dump-dom "file://$PWD/$1${2:+#$2}" > dom.html
	python3 - dom.html > "$BATS_TEST_TMPDIR/dom" <<-'END'
		import html.parser, sys
		class P(html.parser.HTMLParser):
		    def __init__(self):
		        super().__init__()
		        self.stack, self.row, self.text = [], [], ""
		    def handle_starttag(self, tag, attrs):
		        a = dict(attrs)
		        if tag == "body":
		            print("drawn", a.get("data-drawn"))
		        if tag in ("span", "li", "td", "tr"):
		            self.text, self.id = "", a.get("id")
		        if tag == "tr":
		            self.row = []
		    def handle_data(self, data):
		        self.text += data
		    def handle_endtag(self, tag):
		        if tag == "span" and self.id in ("details", "matched"):
		            print(self.id, self.text)
		        if tag == "li":
		            print("frame", self.text)
		        if tag == "td":
		            self.row.append(self.text)
		        if tag == "tr" and self.row:
		            print("row", "|".join(self.row))
		P().feed(open(sys.argv[1]).read())
	END
	cat "$BATS_TEST_TMPDIR/dom"
}

# sums WHAT [NAME]: the same from the folded lines of ./$folded; frames as the page's list has them
sums() {
	python3 - "${folded:-a.folded}" "$@" <<-'END'
		import re, sys
		stacks = []
		for line in open(sys.argv[1]):
		    stack, n = line.rstrip("\n").rsplit(" ", 1)
		    stacks.append((stack.split(";"), int(n)))
		what, name = sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
		def put(paths, sign):
		    total = {}
		    for path, n in paths:
		        for i in range(len(path)):
		            key = tuple(path[:i + 1])
		            total[key] = total.get(key, 0) + n
		    for key, n in total.items():
		        print("frame %s%d %s: %d" % (sign, len(key) - 1, key[-1], n))
		if what == "total":
		    print("{:,}".format(sum(n for s, n in stacks)))
		elif what == "matched":
		    print("{:,}".format(sum(n for s, n in stacks if any(re.search(name, f) for f in s))))
		elif what == "reverse":
		    put([(["all"] + s[::-1], n) for s, n in stacks], "+")
		elif what == "callers":
		    put([(s[:s.index(name) + 1][::-1], n) for s, n in stacks if name in s], "+")
		elif what == "callees":
		    put([(s[s.index(name):], n) for s, n in stacks if name in s], "-")
	END
}

# first_frames N: of the page's list; all of them must be among those of stdin
among() { grep "^frame" "$BATS_TEST_TMPDIR/dom" | grep "^frame $1" | sort > have; sort > want; [ -s have ] && [ -z "$(comm -23 have want)" ] || { comm -23 have want | head; return 1; }; }

@test "the total and the share that a search finds are exact, beyond 2^53 too" {
	requires chromium
	"$BIN/flamegraph" --html --countname=ns --base=1 a.folded > a.html
	page a.html
	grep -q "^drawn [1-9]" "$BATS_TEST_TMPDIR/dom"
	grep -qF "($(sums total) ns)" "$BATS_TEST_TMPDIR/dom"
	page a.html 'q=f1%240%7Cf3%24'
	grep -qF "($(sums matched 'f1$0|f3$') ns)" "$BATS_TEST_TMPDIR/dom"
	page a.html 'q=K%3CLONG&fold=1'
	grep -qF "($(sums matched 'k<long') ns)" "$BATS_TEST_TMPDIR/dom"
	page a.html 'q=k%3Clong_argument_0%2C('	# no regular expression: searched as it stands
	grep -q "^matched found 0 names" "$BATS_TEST_TMPDIR/dom"
}

@test "reversed, and one function with its callers and callees: each number is right" {
	requires chromium
	"$BIN/flamegraph" --html a.folded > a.html
	page a.html 'reverse=1'
	sums reverse | among +
	page a.html 'fn=f4'
	sums callers f4 | among +
	sums callees f4 | among -
	grep -q "^details callers above, callees below: f4" "$BATS_TEST_TMPDIR/dom"
}

@test "zoom shows a subtree; the table has self and total of each function" {
	requires chromium
	"$BIN/flamegraph" --html --countname=bytes a.folded > a.html
	page a.html
	frame="$(sed -n 's/^frame //p' "$BATS_TEST_TMPDIR/dom" | sed -n 5p)"
	page a.html 'zoom=4'
	[ "$(sed -n 's/^frame //p' "$BATS_TEST_TMPDIR/dom" | head -1)" = "$frame" ]
	page a.html 'table=1'
	python3 - a.folded > want <<-'END'
		import sys
		self, total, every = {}, {}, 0
		for line in open(sys.argv[1]):
		    stack, n = line.rstrip("\n").rsplit(" ", 1)
		    s, n = stack.split(";"), int(n)
		    every += n
		    self[s[-1]] = self.get(s[-1], 0) + n
		    for f in set(s):
		        total[f] = total.get(f, 0) + n
		for f in total:
		    print("%s|%.2f%%|%.2f%%" % (f, self.get(f, 0) / every * 100, total[f] / every * 100))
	END
	sed -n 's/^row //p' "$BATS_TEST_TMPDIR/dom" | awk -F'|' '{ print $1 "|" $3 "|" $5 }' | sort > have
	diff have <(sort want)
}

@test "before and after: both sums, the change, and what is only in one" {
	requires chromium
	"$BIN/flamegraph" --html --diff --countname=ns pairs.folded > d.html
	page d.html
	before="$(awk '{ s += $(NF - 1) } END { printf "%.0f", s }' <(grep -v "^big" pairs.folded))"
	[ -n "$before" ]
	python3 - pairs.folded > want <<-'END'
		import sys
		b = a = 0
		for line in open(sys.argv[1]):
		    _, x, y = line.rsplit(" ", 2)
		    b, a = b + int(x), a + int(y)
		print("frame +0 all: %d before %d" % (a, b))
	END
	grep -qxF -f want "$BATS_TEST_TMPDIR/dom"
	page d.html 'side=before&q=f2'
	python3 - pairs.folded > want <<-'END'
		import sys
		print("{:,}".format(sum(int(l.rsplit(" ", 2)[1]) for l in open(sys.argv[1]) if ";f2;" in l.rsplit(" ", 2)[0] + ";")))
	END
	grep -qF "($(cat want) ns)" "$BATS_TEST_TMPDIR/dom"
}

@test "names that are markup, scripts or no UTF-8 are text" {
	requires chromium
	printf '%s\n' '</script><script>document.title="broken"</script>;<img src=x onerror=alert(1)>;"a\b" & @DATA@ 5' \
		$'bad \xff\xfe bytes;\xe2\x80\xa8 line;\x01 7' > hostile.folded
	"$BIN/flamegraph" --html --title='</title><b>' hostile.folded > h.html
	[ "$(grep -c '</script>' h.html)" -eq "$(grep -c '</script>' "$ROOT/flamegraph/viewer.html")" ]
	run ! grep -q 'onerror=alert' <(sed '/id="data"/,/<\/script>/d' h.html)
	page h.html
	grep -qF 'frame +1 </script><script>document.title="broken"</script>: 5' "$BATS_TEST_TMPDIR/dom"
	grep -qF 'frame +3 "a\b" & @DATA@: 5' "$BATS_TEST_TMPDIR/dom"
	grep -q '<title>&lt;/title&gt;&lt;b&gt;</title>' dom.html
	grep -q "default-src 'none'" h.html
	run ! grep -qE 'https?://' h.html
}

@test "the page has no errors in the browser's console" {
	requires chromium
	"$BIN/flamegraph" --html --diff pairs.folded > d.html
	for state in '' 'reverse=1' 'fn=f1&table=1' 'side=normal&icicle=1' 'view=99&zoom=999999999&fn=nobody&q=%5B'; do
		browser --enable-logging=stderr --v=0 --dump-dom "file://$PWD/d.html#$state" > dom.html
		run ! grep -E 'CONSOLE.*(Error|Uncaught|Refused)' "$BATS_TEST_TMPDIR/chromium.err"
		grep -q 'data-drawn="[1-9]' dom.html
	done
}

@test "nothing to draw, a full disk, a reader that has gone" {
	run -1 "$BIN/flamegraph" --html /dev/null
	[[ "$output" == *"holds no stacks"* ]]
	run -1 bash -c '"$0" --html a.folded > /dev/full' "$BIN/flamegraph"
	[[ "$output" == *"cannot write standard output"* ]]
	"$BIN/flamegraph" --html a.folded | head -c 100 > /dev/null
}
