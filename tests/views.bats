#!/usr/bin/env bats
# Random well-formed recordings (tests/fuzz/model.c) through every view, built with ASan and UBSan:
# nothing crashes, outputs are what their formats say, and all views tell the same of one recording.

setup_file() {
	load helpers
	cd "$ROOT"
	export W="$BATS_FILE_TMPDIR/w"
	mkdir -p "$W"
	export FLAGS="-std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE
		-Ibpf -Ivmlinux -Iuser -Iuser/model -Iuser/import -Iflamegraph -DGPUSCOPE_VERSION=\"x\""
	parts=(user/trace*.c user/model/*.c flamegraph/*.c tests/fuzz/model.c user/schema*.c user/log.c
		user/arena.c user/hash.c user/histogram.c user/out.c user/out_table.c user/outfile.c user/pb.c
		user/perfetto.c user/perfetto_tracks.c user/chromejson.c user/chromejson_ops.c user/gzip.c user/demangle.c user/xid_catalog.c user/sxid_names.c
		user/driver_names.c user/driver_table.c user/uvm_gpus.c user/import/api_class.c)
	# shellcheck disable=SC2016	# for the inner shell
	printf '%s\n' "${parts[@]}" | grep -v -e /sqlite_ -e /diff |	# no views
		xargs -P 2 -I{} sh -c 'cc $FLAGS -c {} -o "$W/$(echo {} | tr / _).o"'
	# shellcheck disable=SC2086	# words
	cc $FLAGS "$W"/*.o -lzstd -lz -l:libstdc++.so.6 -o "$W/model"
	"$W/model" "$W" 0 8 4000
}

setup() {
	load helpers
	cd "$W"
}

# each COMMAND SEED...: run it for each seed
each() {
	local what="$1" seed
	shift
	for seed in "$@"; do
		"$what" "$seed" || { echo "seed $seed: $what fails ($W/model DIR $seed 1 4000)"; return 1; }
	done
}

put_in() {
	[ "$(jq -r '[.kernels.count, .kernels.total_ns, .memcpy.count, .memcpy.bytes, .memset.count, .graphs.count,
		.api.count] | map(tostring) | join(" ")' "$1.json")" = "$(cut -d' ' -f 1-7 "$1.truth")" ]
}

@test "every sum of a report is what was put into the recording, whatever its records hold" {
	each put_in 0 1 2 3 4 5 6 7
}

lost() {
	jq -e --argjson lost "$(cut -d' ' -f 8 "$1.truth")" '(.lost.total == $lost) and
		([.lost | to_entries[] | select(.key != "total" and .key != "of_unknown_count") | .value] | add) == $lost' \
		"$1.json"
}

@test "losses of places this program does not know are shown too: the parts add up" {
	each lost 0 1 4 5
}

adds_up() {
	jq -e 'def ops: map(.kernels + .copies + .sets + .graphs) | add;
	def all: .kernels.count + .memcpy.count + .memset.count + .graphs.count;
	(.kernels.by_name | map(.total_ns) | add) == .kernels.total_ns and
	(.kernels.by_name | map(.count) | add) == .kernels.count and
	(.api.by_name | map(.count) | add) == .api.count and
	(.memcpy.by_kind | map(.count) | add) == .memcpy.count and
	(.memcpy.by_kind | map(.by_memory | map(.bytes) | add) | add) == .memcpy.bytes and
	.launch.correlated + .launch.uncorrelated == all and
	(.by_stream | ops) == all and (.by_process | ops) == all and (.by_device | map(.operations) | add) == all and
	(.by_process | map(.api) | add) == .api.count and (.by_device | length) == .devices and
	.kernels.busy_ns <= .kernels.total_ns and .kernels.busy_ns <= .gpu_busy_ns and
	(.kernels.by_name + .api.by_name + .nvtx.by_name |
		all(.min_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .max_ns))' "$1.json"
}

@test "the parts of a report add up, also hours long and out of order" {
	each adds_up 0 1 4 5
}

# where times are anything, or minutes late (3 of 4 seeds), a thread may be RUNNING twice: they are no order
timeline() {
	local others='^problem:'
	[ $(($1 % 4)) -eq 0 ] || others='^problem: (?!thread RUNNING twice)'
	pfcheck "$1.pftrace" > "$1.pf" || ! grep -P "$others" "$1.pf" || return 1
	# no arrow to an operation that came after its call had been written: hours late (1 of 4 seeds)
	local arrows=-eq
	[ $(($1 % 4)) -ne 1 ] || arrows=-le
	[ "$(grep -c '^problem:' "$1.pf")" = "$(awk '/^problems/ { print $2 }' "$1.pf")" ] &&
		[ "$(awk '/^kernels/ { print $2 }' "$1.pf")" = "$(cut -d' ' -f 1 "$1.truth")" ] &&
		[ "$(awk '/^ops/ { print $2 }' "$1.pf")" = "$(awk '{ print $1 + $3 + $5 + $6 }' "$1.truth")" ] &&
		[ "$(awk '/^flows/ { print $2 }' "$1.pf")" $arrows "$(jq .launch.correlated "$1.json")" ]
}
pfcheck() { "$O/test/pfcheck" "$@"; }

@test "a timeline holds each operation and its launch, and nothing a viewer would drop" {
	each timeline 0 1 2 4 5 6
}

decodes() {
	protoc -I "$ROOT/tests/perfetto" --decode=timeline.Trace trace.proto < "$1.pftrace" > "$1.text" &&
		! grep -E '^ *[0-9]+: ' "$1.text"
}

@test "protoc decodes a timeline of anything with no unknown field" {
	requires protoc
	each decodes 0 1 2 3
}

folded() {
	[ "$(awk '{ n += $NF } END { printf "%d\n", n }' "$1.folded")" = "$(cut -d' ' -f 2 "$1.truth")" ] &&
		! LC_ALL=C grep -avE '[^;]( [0-9]+)$' "$1.folded"
}

@test "the folded lines of a flame graph add up to the kernels' time" {
	each folded 0 1 4 5
}

picture() { [ ! -s "$1.svg" ] || python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1.svg"; }

@test "the picture is XML whatever the names hold" {
	each picture 0 1 2 3 4 5 6 7
}

@test "nothing a recording holds steers the terminal" {
	run ! env LC_ALL=C grep -alP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' [0-7].txt
	cat [0-7].txt | iconv -f UTF-8 -t UTF-8 > /dev/null
}
