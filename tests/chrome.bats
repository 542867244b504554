#!/usr/bin/env bats
# Traces in the Chrome format by any program: its phases, its shapes, and what is wrong with them.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
	import="$BIN/gpuimport"
}

# imported STATUS FILE [OPTION...]: its records are in ./records, what was odd in ./odd
imported() {
	run --separate-stderr -"$1" "$import" "${@:2}" -o out.gst -j
	said="$output"
	[ ! -e out.gst ] || "$O/test/cattrace" out.gst > records
	jq -r '.inputs[].odd[] | "\(.count) \(.what)\(if .which == "" then "" else " " + .which end)"' <<< "$output" > odd
}

# same TEXT <<< WANTED
same() { diff <(printf '%s\n' "$1") -; }

# fields KIND FIELD...: their values, a line a record in order of the trace; names as texts
fields() {
	python3 - "$@" <<-'END'
		import re, sys
		kind, wanted = sys.argv[1], sys.argv[2:]
		rows = [(l.split(" ", 1)[0], dict(re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', l))) for l in open("records")]
		names = {(r["producer"], r["id"]): r["text"].strip('"') for k, r in rows if k == "name"}
		comms = {(r["producer"], r["tid"]): r["comm"].strip('"') for k, r in rows if k == "task"}
		for k, r in rows:
		    if k == kind:
		        r["thread"] = comms.get((r["producer"], r["tid"]), "?")
		        for f in ("name", "category"):
		            r[f] = names.get((r["producer"], r.get(f, "0")), "-")
		        print(*(r[w] for w in wanted))
	END
}

@test "times are numbers or texts, with exponents, to the nanosecond; what is finer is rounded and said" {
	cat > a.json <<-'END'
		[{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1712195495519689.063","dur":"0.001"},
		 {"ph":"X","name":"b","pid":1,"tid":1,"ts":1712195495519690,"dur":1e1},
		 {"ph":"X","name":"c","pid":1,"tid":1,"ts":1712195495519710.1234,"dur":0.0015},
		 {"ph":"X","name":"d","pid":1,"tid":1,"ts":1712195495519720.5,"dur":2.50}]
	END
	imported 0 a.json
	same "$(fields span name ts dur_ns)" <<-'END'
		a 1712195495519689063 1
		b 1712195495519690000 10000
		c 1712195495519710123 2
		d 1712195495519720500 2500
	END
	[ "$(cat odd)" = "2 time finer than 1 ns" ]
}

@test "an array without its end, commas at the end, events one after the other, a byte order mark" {
	event='{"ph":"X","name":"a","pid":1,"tid":1,"ts":5,"dur":1}'
	late='{"ph":"X","name":"b","pid":1,"tid":1,"ts":9,"dur":1}'
	n=0
	for text in "[$event,$late]" "[$event,$late," "[$event,$late" "$event $late" "$event"$'\n'"$late"$'\n' "$event,$late" \
		$'\xef\xbb\xbf'"[$event,$late]" "{\"traceEvents\":[$event,$late,],}" "[$event][$late]" "[$event]"$'\n'"$late" \
		"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[$event],\"x\":{}}{\"traceEvents\":[$late]}" " [$event  $late ] "; do
		printf '%s' "$text" > a.json
		imported 0 a.json
		[ "$(fields span name ts)" = $'a 5000\nb 9000' ]
		[ "$(jq -c '.inputs[0] | [.records, .damage, .odd]' <<< "$said")" = '[2,null,[]]' ]
		n=$((n + 1))
	done
	[ "$n" -eq 12 ]
}

@test "keys in any order, texts with escapes, pids and tids that are texts" {
	cat > a.json <<-'END'
		{"traceEvents": [
		 {"args": {"name": "Gui \u00fc"}, "name": "process_name", "ph": "M", "pid": "gui"},
		 {"args": {"name": "painter"}, "ph": "M", "name": "thread_name", "tid": "t1", "pid": "gui"},
		 {"args": {"deep": {"ph": "B", "name": ["no"]}}, "ts": 3, "tid": "t1", "pid": "gui", "name": "a \"quoted\" \u0416 \ud83d\ude00 \\ \/", "dur": 4, "ph": "X"},
		 {"ts": 8, "dur": 1, "ph": "X", "name": "same thread", "pid": "gui", "tid": "t1"},
		 {"ts": 8, "dur": 1, "ph": "X", "name": "a number", "pid": "44", "tid": "45"},
		 {"ts": 9, "dur": 1, "ph": "X", "name": "the same", "pid": 44, "tid": 45, "cat": null},
		 {"ts": 10, "dur": 1, "ph": "X", "name": "no tid", "pid": 44}]}
	END
	imported 0 a.json
	same "$(fields span ts thread pid tid name | sed -E 's/2147483[0-9]+/own/g')" <<-'END'
		3000 painter own own a \"quoted\" \xd0\x96 \xf0\x9f\x98\x80 \\ /
		8000 painter own own same thread
		8000  44 45 a number
		9000  44 45 the same
		10000  44 44 no tid
	END
	grep -q '^task .*comm="Gui \\xc3\\xbc"' records
	[ ! -s odd ]
}

@test "the same keys in events and in their arguments, in any order and spacing, and hundreds of others" {
	python3 - > a.json 2> wanted <<-'END'
		import json, random, sys
		random.seed(5)
		events, spans, counters = [], [], []
		for i in range(1500):
		    ts, dur, name = 10 * i, random.randrange(1, 10), "n%d" % random.randrange(9)
		    args = {k: random.choice([7, "x", 1.5, [1, {"ts": 2}]]) for k in random.sample("ph name cat pid tid ts dur id args".split(), 3)}
		    args["key %d" % random.randrange(900)] = 5
		    long = {"k" * 70: 1} if random.random() < .2 else {}
		    event = {"ph": "X", "name": name, "pid": 1, "tid": 2, "ts": ts} | long | {"dur": dur, "args": long | {"dur": 3} | args}
		    if random.random() < .2:
		        event |= {"ph": "C", "args": {random.choice(["device", "dur", "bytes"]): 40 + i}}
		        counters.append((ts * 1000, 40 + i, name))
		    else:
		        spans.append((ts * 1000, dur * 1000, name))
		    if random.random() < .3:
		        event["cat"] = random.choice("abc")
		    if random.random() < .2:
		        event["key %d" % random.randrange(900)] = {"dur": 1, "ts": 1}
		    keys = list(event)
		    random.shuffle(keys) if event["ph"] == "X" and random.random() < .3 else None
		    events.append(json.dumps({k: event[k] for k in keys}, indent=random.choice([None, None, 2]),
		                             separators=random.choice([(",", ":"), (", ", ": ")])))
		print("[" + ",\n".join(events) + "]")
		print("\n".join(" ".join(map(str, x)) for x in spans + counters), file=sys.stderr)
	END
	imported 0 a.json
	{ fields span ts dur_ns name; fields counter ts value name; } | cmp wanted
	[ "$(jq '.inputs[0].records' <<< "$said")" -eq 1500 ]
}

@test "an object or list where a value is due costs itself alone, however deep it is" {
	python3 - > a.json <<-'END'
		deep = '{"a":' * 1000000 + "1" + "}" * 1000000
		event = '{"ph":"X","name":"%s","pid":1,"tid":1,"ts":%d,"dur":1,"%s":%s}'
		print("[" + ",\n".join([event % ("a", 5, "id", deep), event % ("b", 7, "args", deep), event % ("c", 9, "args", '{"name":[1,{}]}'),
		                        event % ("d", 11, "id", '{"local":"0x5"}')]) + "]")
	END
	imported 0 a.json
	[ "$(fields span name ts | tr '\n' ' ')" = "a 5000 b 7000 c 9000 d 11000 " ]
	[ "$(cat odd)" = "2 object or list in place of a value" ]
}

@test "hundreds of threads by turns: each event is its thread's" {
	python3 - > a.json 2> wanted <<-'END'
		import sys
		events = []
		for i in range(900):
		    pid, tid = 1 + i % 2, 100 + 64 * (i % 300)
		    events.append('{"ph":"X","name":"%d","pid":%d,"tid":%d,"ts":%d,"dur":1}' % (tid, pid, tid, 5 * i))
		    print(5000 * i, pid, tid, file=sys.stderr)
		print("[" + ",\n".join(events) + "]")
	END
	imported 0 a.json
	fields span ts pid name | sort -n | cmp wanted
	[ "$(fields span tid | sort -u | wc -l)" -eq 300 ]
	[ "$(fields span tid name | awk '$1 == $2' | wc -l)" -eq 900 ]
}

@test "begin and end nest within a thread; without a partner they are kept or counted, and said" {
	cat > a.json <<-'END'
		[{"ph":"E","pid":1,"tid":1,"ts":1},
		 {"ph":"B","name":"outer","cat":"c","pid":1,"tid":1,"ts":2},{"ph":"B","name":"other thread","pid":1,"tid":2,"ts":3},
		 {"ph":"B","name":"inner","pid":1,"tid":1,"ts":4},{"ph":"E","pid":1,"tid":1,"ts":6.5},
		 {"ph":"E","pid":1,"tid":2,"ts":7},{"ph":"E","name":"outer","pid":1,"tid":1,"ts":10},
		 {"ph":"B","name":"open","pid":1,"tid":1,"ts":11},{"ph":"i","name":"last","pid":1,"tid":2,"ts":20}]
	END
	imported 0 a.json
	same "$(fields span name ts dur_ns tid depth category what)" <<-'END'
		outer 2000 8000 1 0 c other
		other thread 3000 4000 2 0 - other
		inner 4000 2500 1 1 - other
		open 11000 9000 1 0 - other
		last 20000 0 2 0 - mark
	END
	[ "$(sort odd)" = $'1 begin without an end\n1 end without a begin' ]
}

@test "async events pair by category and id, new and old style, and do not sit among a thread's calls" {
	cat > a.json <<-'END'
		[{"ph":"b","cat":"net","id":"0x1","name":"get","pid":1,"tid":1,"ts":1},
		 {"ph":"b","cat":"net","id":2,"name":"get","pid":1,"tid":1,"ts":2},
		 {"ph":"b","cat":"disk","id":1,"name":"get","pid":1,"tid":1,"ts":3},
		 {"ph":"n","cat":"net","id":1,"name":"header","pid":1,"tid":1,"ts":4},
		 {"ph":"e","cat":"net","id":1,"name":"get","pid":1,"tid":1,"ts":5},
		 {"ph":"e","cat":"net","id2":{"local":"0x2"},"name":"get","pid":1,"tid":1,"ts":7},
		 {"ph":"e","cat":"disk","id":"1","name":"get","pid":1,"tid":1,"ts":10},
		 {"ph":"S","cat":"old","id":"abc","name":"o","pid":1,"tid":1,"ts":11},{"ph":"T","cat":"old","id":"abc","name":"o","pid":1,"tid":1,"ts":12},
		 {"ph":"F","cat":"old","id":"abc","name":"o","pid":1,"tid":1,"ts":13},
		 {"ph":"e","cat":"net","id":1,"name":"get","pid":1,"tid":1,"ts":14},{"ph":"b","cat":"net","name":"no id","pid":1,"tid":1,"ts":15}]
	END
	imported 0 a.json
	same "$(fields span name ts dur_ns thread what)" <<-'END'
		get 1000 4000 async net other
		get 2000 5000 async net other
		get 3000 7000 async disk other
		header 4000 0  mark
		o 11000 2000 async old other
		o 12000 0  mark
	END
	[ "$(grep -v 'span ends' odd | sort)" = $'1 async event without an id\n1 end without a begin' ]
}

@test "counters keep every digit; several values of one event have names of their own" {
	cat > a.json <<-'END'
		[{"ph":"C","name":"mem","pid":1,"ts":1,"args":{"bytes":9007199254740993}},
		 {"ph":"C","name":"cpu","pid":1,"ts":2,"args":{"user":0.125,"sys":-3e-2}},
		 {"args":{"v":1.50},"ph":"C","name":"first","pid":1,"ts":3},
		 {"ph":"C","name":"none","pid":1,"ts":4,"args":{}},
		 {"ph":"C","cat":"hardware_counters","name":"sm","pid":"GPU 3 Counters","tid":0,"ts":5,"args":{"":12.5}}]
	END
	imported 0 a.json
	same "$(fields counter name value exponent device | sed s/4294967295/none/)" <<-'END'
		mem 9007199254740993 0 none
		cpu user 125 -3 none
		cpu sys -3 -2 none
		first 15 -1 none
		sm 125 -1 3
	END
	[ "$(cat odd)" = "1 counter without a value" ]
}

@test "flows of both forms, and not the arrows from a launch to its kernel" {
	cat > a.json <<-'END'
		[{"ph":"s","id":7,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":1},
		 {"ph":"f","id":7,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":4,"bp":"e"},
		 {"ph":"s","id":9,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":1},{"ph":"f","id":9,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":5},
		 {"ph":"X","name":"a","pid":1,"tid":1,"ts":6,"dur":1,"bind_id":"0x20","flow_out":true},
		 {"ph":"X","name":"b","pid":1,"tid":2,"ts":9,"dur":1,"bind_id":"0x20","flow_in":true}]
	END
	imported 0 a.json
	same "$(fields flow name id begin ts tid)" <<-'END'
		fwdbwd 7 1 1000 1
		fwdbwd 7 0 4000 2
		bound 32 1 6000 1
		bound 32 0 9000 2
	END
	[ "$(jq -c '.inputs[0].facts.cat' <<< "$said")" = '{"None":2,"ac2g":2,"fwdbwd":2}' ]
}

@test "what is not understood is counted by what it is, and the rest is imported" {
	cat > a.json <<-'END'
		{"traceEvents":[17,"text",[{"ph":"X"}],null,
		 {"ph":"X","name":"no time","pid":1,"tid":1},{"name":"no phase","ts":1},{"ph":"Complete","ts":1},
		 {"ph":"O","id":1,"name":"snapshot","pid":1,"tid":1,"ts":1},{"ph":"v","name":"dump","pid":1,"tid":1,"ts":1},
		 {"ph":"X","name":"when","pid":1,"tid":1,"ts":"noon","dur":2},
		 {"ph":"X","name":"early","pid":1,"tid":1,"ts":-3,"dur":5},{"ph":"X","name":"back","pid":1,"tid":1,"ts":4,"dur":-1},
		 {"ph":"X","name":"open","pid":1,"tid":1,"ts":6},{"ph":"X","name":"good","pid":1,"tid":1,"ts":8,"dur":1}]}
	END
	imported 0 a.json
	same "$(fields span name ts dur_ns)" <<-'END'
		early 0 5000
		back 7000 0
		open 9000 0
		good 11000 1000
	END
	[ "$(fields source shift_ns)" = 3000 ]
	same "$(LC_ALL=C sort -k2 odd)" <<-'END'
		1 complete event without a duration
		2 event without a phase
		2 event without a time
		4 item that is no event
		1 negative duration
		1 phase that is not imported O
		1 phase that is not imported v
		1 time that is no number
		1 unknown phase
	END
}

@test "a broken event costs itself alone, also one with quotes in its name" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		  {
		    "ph": "X", "cat": "cpu_op", "name": "one", "pid": 1, "tid": 1, "ts": 1.000, "dur": 1.000
		  },
		  {
		    "ph": "X", "cat": "python_function", "name": "<eval {"device": "cpu"}>(1): f", "pid": 1, "tid": 1, "ts": 2.000, "dur": 1.000
		  },
		  {
		    "ph": "X", "cat": "cpu_op", "name": "two", "pid": 1, "tid": 1, "ts": 3.000, "dur": 1.000, "args": { "External id": 5,, }
		  }
		 ], "baseTimeNanoseconds": 1000000000000000000}
	END
	imported 0 a.json
	[ "$(fields span name ts)" = $'one 1000\ntwo 3000' ]
	[ "$(cat odd)" = "1 event that is not JSON" ]
	[ "$(jq -r '.inputs[0].origin_ns' <<< "$said")" = 1000000000000000000 ]
}

@test "a file that ends early: what was whole is there, where it ended is said, exit 1" {
	requires python3
	python3 "$ROOT/tests/kineto_make.py" 2025 1 > whole.json
	size=$(stat -c %s whole.json)
	total=$(grep -c '"ph": "X"' whole.json)
	last=0
	for n in 300 $((size / 5)) $((size / 2)) $((size * 4 / 5)) $((size - 30)); do
		head -c "$n" whole.json > part.json
		imported 1 part.json
		[ "$(jq -c '.inputs[0].damage' <<< "$said")" != null ]
		count=$(grep -cE '^(span|kernel|copy|set|api) ' records || :)
		[ "$count" -ge "$last" ]
		last=$count
	done
	[ "$last" -gt $((total * 9 / 10)) ]
}

@test "what is no trace is said to be none, and leaves nothing behind" {
	printf "{'traceEvents': [{'ph': 'X'}]}" > a.json
	run -1 "$import" a.json -o out.gst
	[ "$output" = "gpuimport: cannot import a.json: it is no JSON from byte 1 on" ]
	printf '{"results": [1, 2, {"a": null}]}' > a.json
	run -1 "$import" a.json -o out.gst
	[ "$output" = "gpuimport: cannot import a.json: it is JSON, but no trace: 32 bytes without traceEvents" ]
	[ ! -e out.gst ]
}

@test "a document without events is a trace with nothing in it" {
	printf '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Made Up 9000"}], "traceEvents": [], "traceName": "x"}' > a.json
	imported 0 a.json
	[ "$(jq -c '.inputs[0] | [.records, .damage, .facts.gpu]' <<< "$said")" = '[0,null,{"Made Up 9000":1}]' ]
}
