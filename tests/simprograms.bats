#!/usr/bin/env bats
# What each test program says it did, and what gpurec recorded and gpureport prints of it: the same, key by key.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
	requires nogpu
}

# told: the program's own "expect KEY N" lines, summed over its processes
told() { awk '$1 == "expect" { n[$2] += $3 } END { for (k in n) print k, n[k] }' out | sort; }

# seen: the same keys, counted in the recording's text
seen() {
	awk 'function value(key,  i) {
			for (i = 2; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
		}
		function product(dims,  d) { split(dims, d, ","); return d[1] * d[2] * d[3] }
		$1 == "name" {
			text = $0
			sub(/.* text="/, "", text)
			sub(/"$/, "", text)
			name[value("producer") " " value("id")] = text
		}
		$1 == "api" && value("depth") == 0 {
			call[value("producer") " " value("correlation")] = value("producer") " " value("name")
		}
		$1 == "kernel" {
			n["kernels"]++
			n["kernels@" value("device")]++
			n["kernels@stream" value("stream")]++
			n["blocks"] += product(value("grid"))
			n["threads"] += product(value("grid")) * product(value("block"))
			kernel[value("producer") " " value("name")]++
		}
		$1 == "copy" {
			n["copies"]++
			n["bytes_" value("copy_kind")] += value("bytes")
			if (value("copy_kind") == "PtoP")
				n["bytes@" value("src_device")] += value("bytes")
		}
		$1 == "set" { n["sets"]++ }
		END {
			for (c in call) n["api:" name[call[c]]]++
			for (k in kernel) n["kernel:" name[k]] += kernel[k]
			for (k in n) print k, n[k]
		}' dump | sort
}

# recordable: of the keys on standard input those of a recording, which leaves out calls of no class (names, questions)
recordable() {
	awk 'FNR == NR { if (match($0, /", "[^"]*", API_OTHER/)) { split($0, w, "\""); other["api:" w[4]] = 1 }; next }
		!($1 in other)' "$ROOT/cupti/api_table.h" -
}

# differ: keys of both that are not equal; a key that only the program has must be 0
differ() {
	told | grep -E '^(kernels|copies|sets|bytes|kernel:|api:|blocks|threads)' > told.all
	recordable < told.all > told
	seen > seen
	awk 'FNR == NR { seen[$1] = $2; next }
		seen[$1] + 0 != $2 { print $1 ": the program says " $2 ", the recording " seen[$1] + 0 }' seen told
	# and nothing beside what the program counts
	awk 'FNR == NR { told[$1] = 1; next }
		/^(kernel|api):/ && !($1 in told) { print $1 ": " $2 " recorded, none told" }' told seen
}

# records PROGRAM [ARG...]: recorded with what is in graphs; then all that can be compared is
records() {
	local program="$1"
	shift
	GPUREC="${GPUREC---graph node}" record x.gst "$PROG/$program" "$@" > out 2> err || { cat out err; return 1; }
	"$O/test/cattrace" x.gst > dump
	grep -q ' 0 lost$' err || { cat err; return 1; }
	differ > differences
	[ ! -s differences ] || { echo "$program:"; cat differences; return 1; }
	[ "$(wc -l < told)" -ge 8 ]
}

# reported: gpureport's totals are the program's too
reported() {
	"$BIN/gpureport" -j -i x.gst > report.json
	local key want got
	while read -r key want; do
		case "$key" in
		kernels) got="$(value report.json .kernels.count)" ;;
		copies) got="$(value report.json .memcpy.count)" ;;
		sets) got="$(value report.json .memset.count)" ;;
		bytes_*) got="$(value report.json ".memcpy.by_kind.${key#bytes_}.bytes // 0")" ;;
		kernel:*) got="$(jq --arg k "${key#kernel:}" '[.kernels.by_name[] | select(.mangled == $k) | .count] | add // 0' report.json)" ;;
		*) continue ;;
		esac
		[ "$got" = "$want" ] || { echo "$key: the program says $want, gpureport $got"; return 1; }
	done < told
	[ "$(value report.json .launch.uncorrelated)" -eq 0 ]
}

@test "streams in a chain: kernels by stream, events, waits" {
	records streams
	reported
	[ "$(grep -c '^kernels@stream' told)" -eq 7 ]
	records streams 31 3
}

@test "graphs: captured and built ones, updated" {
	records graphs
	reported
}

@test "child graphs, a graph in a graph in a graph, a clone, an exec whose kernel is exchanged" {
	records childgraphs
	reported
	[ "$(grep -c '^graph_node ' dump)" -gt 0 ]
	# a node's place is the call that made it, through every copy
	[ "$(value report.json .launch.uncorrelated)" -eq 0 ]
	GPUREC="--graph launch" record x.gst "$PROG/childgraphs" > out 2> err
	"$O/test/cattrace" x.gst > dump
	[ "$(grep -c '^graph ' dump)" = "$(told | sed -n 's/^graph_launches //p')" ]
}

@test "copies and sets of all directions" {
	records copies
	reported
}

@test "host functions, callbacks and host nodes between kernels" {
	records hostfuncs
	reported
}

@test "extended and cooperative launches of both APIs and both kinds of default stream" {
	records launchex
	reported
}

@test "memory pools: what is allocated in order is copied and freed, and the pools' books are right" {
	records pools
	reported
}

@test "managed memory" {
	records managed
	reported
}

@test "several devices: kernels and bytes by device, copies between them" {
	export CUDASIM_DEVICES=5
	records devices
	reported
	[ "$(grep -c '^kernels@' told)" -eq 5 ]
	CUDASIM_DEVICES=1 records devices
}

@test "several processes share memory and events: each one's work is recorded once" {
	records ipc
	reported
	[ "$(value report.json '.processes | length')" -eq 4 ]
	records ipc 9
}

@test "threads, and a tree of processes" {
	records threads
	reported
	record x.gst "$PROG/forktree" > out 2> err	# its processes tell how many kernels, not which
	"$O/test/cattrace" x.gst > dump
	[ "$(grep -c '^kernel ' dump)" = "$(told | sed -n 's/^kernels //p')" ]
}

@test "a recording that misses one of a hundred records is not the program's" {
	CUDASIM_DROP=every=100 GPUREC="--graph node" record x.gst "$PROG/launchex" > out 2> err
	"$O/test/cattrace" x.gst > dump
	differ > differences
	grep -q '^kernels: the program says 99, the recording 98$' differences
	run reported
	[ "$status" -eq 1 ]
	[[ "$output" == "kernel"*": the program says "*", gpureport "* ]]
}

@test "the programs as nvcc builds them say and do the same" {
	requires nvcc
	local p
	for p in streams childgraphs hostfuncs pools ipc devices; do
		[ -x "$PROG/$p.nvcc" ] || continue
		records "$p.nvcc"
	done
}
