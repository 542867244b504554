#!/usr/bin/env bats
# gpuimport on databases: Nsight Systems' exports of every schema, rocprofv3's and RPD's, and what is wrong with them.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

@test "a call has the class by its name that CUPTI's tables give it by its number" {
	run -0 "$O/test/apiclass"
	[[ "$output" =~ ^1[0-9]{3}\ names$ ]] || { head -n 5 <<< "$output"; false; }
}

@test "HIP's calls have the classes of CUDA's" {
	run -0 "$O/test/apiclass" hipLaunchKernel hipExtModuleLaunchKernel hipGraphLaunch hipMemcpyWithStream hipDeviceSynchronize hipHostMalloc hipFree hsa_init
	[ "$output" = "hipLaunchKernel 2 1
hipExtModuleLaunchKernel 2 1
hipGraphLaunch 2 8
hipMemcpyWithStream 2 2
hipDeviceSynchronize 2 4
hipHostMalloc 2 5
hipFree 2 6
hsa_init 0 0" ]
}

# found NAME: what gpuimport and gpureport say of NAME.sqlite (or .db), in the words of tests/mkdb.py
found() {
	local in
	in="$(compgen -G "$1.*" | grep -E '\.(sqlite|db|rpd)$')"
	"$BIN/gpuimport" -j "$in" -o "$1.gst" > "$1.import" 2> "$1.err" || [ -s "$1.gst" ]	# damage: 1, and a trace
	"$BIN/gpureport" -j "$1.gst" > "$1.report"
	jq -S --slurpfile i "$1.import" '
		def by: map({(.name): {count, total_ns}}) | add // {};
		{kernels: .kernels.by_name | by, kernel_count: .kernels.count, kernel_ns: .kernels.total_ns,
		 copies: .memcpy.by_kind | map_values({count, total_ns, bytes}), calls: .api.by_name | by, call_count: .api.count,
		 ranges: .nvtx.by_name | by, sets: .memset.count, graphs: .graphs.count, syncs: .sync.count,
		 correlated: .launch.delay_count, first_ns: $i[0].inputs[0].first_ns}' "$1.report"
}

# made KIND [OPTION...]: the database KIND.sqlite, and what must be found in it
made() {
	python3 "$ROOT/tests/mkdb.py" "$1" "$1.${2:-sqlite}" "${@:3}" > "$1.truth"
	jq -S 'del(.samples) | del(.kernels[].bytes, .calls[].bytes, .ranges[].bytes)' "$1.truth"
}

# same KIND [OPTION...]: what was put into the database is what is found in it
same() {
	made "$@" > want
	found "$1" > got
	diff want got || { echo "$1"; cat "$1.err"; return 1; }
}

@test "exports of every schema: all kernels, copies, calls and ranges, to the nanosecond" {
	for kind in nsys-3.25 nsys-3.13 nsys-2.7 nsys-2.2 nsys-2.1; do
		same "$kind"
	done
	[ "$(jq -c '.inputs[0].odd' nsys-3.25.import)" = '[{"what":"table not imported","which":"VULKAN_API","count":1}]' ]
	[ "$(jq '.kinds.sample' nsys-3.25.import)" = 4 ]
	[ "$(jq -r '.inputs[0].host, .inputs[0].origin_ns, .inputs[0].processes' nsys-3.25.import | paste -sd' ')" = "node7 1700000000123456789 2" ]
	run ! grep -r secret-user ./*.import ./*.gst
}

@test "a GPU is named by CUDA's ordinal where the schema gives it" {
	made nsys-3.13 > /dev/null; found nsys-3.13 > /dev/null
	made nsys-2.7 > /dev/null; found nsys-2.7 > /dev/null
	[ "$(jq -c '[.by_device[].name]' nsys-3.13.report)" = '["Test GPU B","Test GPU A"]' ]
	[ "$(jq -c '[.by_device[].name]' nsys-2.7.report)" = '["Test GPU A","Test GPU B"]' ]
}

@test "what began before the session shifts the trace's times: the report has the file's own" {
	same nsys-3.25 sqlite early=1
	[ "$(jq -c '.inputs[0] | .shift_ns, .first_ns' nsys-3.25.import)" = $'5000000\n-5000000' ]
	[ "$(jq -c '.start_ns, .kernels.first_ns' nsys-3.25.report)" = $'-5000000\n-4995000' ]
	[ "$(jq .first_ns nsys-3.25.import)" = 0 ]
}

@test "rocprofv3's databases, times in the rows or apart, two recordings in one file" {
	for kind in rocpd-3 rocpd-4; do
		same "$kind" db
		[ "$(jq -r '.inputs[0] | .format, .host, .processes, ([.facts.rows | to_entries[] | select(.key | startswith("rocpd_kernel_dispatch_")).value] | add)' "$kind.import" | paste -sd' ')" = "rocpd amdnode 2 200" ]
		[ "$(jq -c '.inputs[0].odd' "$kind.import")" = '[{"what":"table not imported","which":"rocpd_memory_allocate","count":2}]' ]
		[ "$(jq -c '[.by_device[].name]' "$kind.report")" = '["AMD Instinct MI300X","AMD Instinct MI300X"]' ]
		[ "$(jq -c '.kinds.counter, .kinds.span' "$kind.import" | paste -sd' ')" = "2 2" ]
	done
	run ! grep -r secret-user ./*.import ./*.gst
}

@test "databases packed, through standard input and through pipes: the same as from a file, and no file is left" {
	for kind in nsys-3.25 rocpd-4 rpd; do
		python3 "$ROOT/tests/mkdb.py" "$kind" "$kind.db" > /dev/null
		"$BIN/gpuimport" "$kind.db" -o want.gst 2> /dev/null
		"$BIN/gpureport" -j want.gst | jq 'del(.ranks[].file)' > want
		gzip -k "$kind.db"
		mkdir tmp
		for way in 'cat $kind.db | $import -' '$import $kind.db.gz' '$import - < $kind.db' '$import <(zcat $kind.db.gz)'; do
			import="timeout 60 env TMPDIR=$PWD/tmp $BIN/gpuimport -o got.gst" kind="$kind" bash -c "$way" 2> err || cat err
			"$BIN/gpureport" -j got.gst | jq 'del(.ranks[].file)' | diff want -
			rm got.gst
		done
		rmdir tmp
	done
	printf '{\n"rocprofiler-sdk-tool": [ {"metadata": {}} ] }' > own.json
	run -1 "$BIN/gpuimport" own.json -o out.gst
	[[ "$output" == *"rocprofv3's own JSON (rocprofv3 --output-format rocpd "* ]]
}

@test "rocmProfileData's databases" {
	same rpd rpd
	[ "$(jq -c '.inputs[0].odd' rpd.import)" = '[{"what":"operation","which":"Barrier","count":1},{"what":"operation","which":"Task","count":1}]' ]
}

# A copy of the database, refused: says LINE
refused() {
	run ! --separate-stderr "$BIN/gpuimport" "$1" -o out.gst
	[ "$stderr" = "gpuimport: cannot $2" ] || { echo "$stderr"; false; }
	[ ! -e out.gst ]
}

@test "a database that is not whole, or no such one, is refused, and it is said what to do" {
	made nsys-3.13 > /dev/null
	echo row > nsys-3.13.sqlite-wal
	refused nsys-3.13.sqlite "read nsys-3.13.sqlite: nsys-3.13.sqlite-wal beside it holds rows that are not in it (end its writer, or merge them with sqlite3 FILE vacuum): Device or resource busy"
	rm nsys-3.13.sqlite-wal
	echo row > nsys-3.13.sqlite-journal
	refused nsys-3.13.sqlite "read nsys-3.13.sqlite: nsys-3.13.sqlite-journal beside it belongs to an unfinished change (end its writer, or undo it with sqlite3 FILE vacuum): Device or resource busy"
	rm nsys-3.13.sqlite-journal
	python3 -c 'import sqlite3; sqlite3.connect("other.sqlite").executescript("create table a(b); insert into a values(1)")'
	refused other.sqlite "import other.sqlite: it has no tables of Nsight Systems (make it with nsys export --type sqlite REPORT.nsys-rep)"
	head -c 100 nsys-3.13.sqlite > head.sqlite
	run ! --separate-stderr "$BIN/gpuimport" head.sqlite -o out.gst
	[[ "$stderr" = "gpuimport: cannot read head.sqlite: "* ]] || { echo "$stderr"; false; }
}

@test "a database that is being written is refused, with whose process it is" {
	made nsys-3.13 > /dev/null
	coproc python3 -uc 'import sqlite3
c = sqlite3.connect("nsys-3.13.sqlite", isolation_level=None)
c.execute("begin immediate")
print("locked")
input()'
	read -r line <&"${COPROC[0]}"
	[ "$line" = locked ]
	writer="$COPROC_PID"
	run ! --separate-stderr "$BIN/gpuimport" nsys-3.13.sqlite -o out.gst
	[ "$stderr" = "gpuimport: cannot read nsys-3.13.sqlite: process $writer is writing it (wait for its end): Device or resource busy" ] || { echo "$stderr"; false; }
	echo >&"${COPROC[1]}"
	wait "$writer"
	"$BIN/gpuimport" nsys-3.13.sqlite -o out.gst
}

@test "a read-only folder is fine, and nothing is made in it" {
	folder="$(mktemp -d)"	# bats' own may not be reached by nobody
	made nsys-3.13 > /dev/null
	mv nsys-3.13.sqlite "$folder"
	chmod 555 "$folder"
	unprivileged "$BIN/gpuimport" "$folder/nsys-3.13.sqlite" -o - > out.gst
	left="$(ls -A "$folder")"
	rm -r "$folder"
	[ "$left" = nsys-3.13.sqlite ]
	[ "$("$BIN/gpureport" -j out.gst | jq .kernels.count)" = 200 ]
}

@test "a damaged page costs what is on it: the rest is imported, the damage said" {
	made nsys-3.13 sqlite page=512 > /dev/null
	python3 - << 'END'
import sqlite3
c = sqlite3.connect("nsys-3.13.sqlite")
page = c.execute("select rootpage from sqlite_master where name = 'CUPTI_ACTIVITY_KIND_MEMSET'").fetchone()[0]
c.close()
f = open("nsys-3.13.sqlite", "r+b")
f.seek((page - 1) * 512)
f.write(b"\xff" * 512)
END
	found nsys-3.13 > found || [ -s found ]
	[ "$(jq '.kernel_count, .sets' found | paste -sd' ')" = "200 0" ]
	[[ "$(jq -r '.inputs[0].damage.why // .inputs[0].damage' nsys-3.13.import)" = *"CUPTI_ACTIVITY_KIND_MEMSET: database disk image is malformed"* ]] || { jq '.inputs[0].damage' nsys-3.13.import; false; }
}

@test "databases with any bytes changed: the fuzzer finds nothing in ten seconds" {
	mkdir corpus bases
	i=0
	for kind in nsys-3.25 nsys-2.1 rocpd-3 rocpd-4 rpd; do
		python3 "$ROOT/tests/mkdb.py" "$kind" "bases/$i" kernels=3 page=512 processes=1 > /dev/null
		printf "\\x0$i" > "corpus/$i"
		i=$((i + 1))
	done
	fuzzer "$PWD/fuzz" tests/fuzz/db.c user/import/{db,nsys*,rocpd*,rpd,api_class}.c user/hash.c user/arena.c -lsqlite3
	FUZZ_DB=bases run -0 ./fuzz -max_total_time=10 -rss_limit_mb=1500 -timeout=20 -max_len=65 -artifact_prefix=./ corpus
}

@test "times beyond any clock are counted, and mended" {
	made nsys-3.25 > /dev/null
	python3 - << 'END'
import sqlite3
c = sqlite3.connect("nsys-3.25.sqlite")
c.execute("update CUPTI_ACTIVITY_KIND_MEMSET set start = -9223372036854775807, end = 9223372036854775807")
c.execute("update CUPTI_ACTIVITY_KIND_GRAPH_TRACE set end = start - 1")
c.commit()
END
	found nsys-3.25 > /dev/null
	[ "$(jq -c '[.inputs[0].odd[] | select(.which != "VULKAN_API") | [.what, .which, .count]]' nsys-3.25.import)" = \
		'[["time out of range","CUPTI_ACTIVITY_KIND_MEMSET",4],["ends before it starts","CUPTI_ACTIVITY_KIND_GRAPH_TRACE",1]]' ] || { jq -c .inputs[0].odd nsys-3.25.import; false; }
}

@test "a start or an end that is missing is counted, and makes up no time" {
	made nsys-3.25 > /dev/null
	"$BIN/gpuimport" nsys-3.25.sqlite -o whole.gst 2> whole.said
	"$BIN/gpureport" -j whole.gst > whole.report
	cut="$(python3 - << 'END'
import sqlite3
c = sqlite3.connect("nsys-3.25.sqlite")
k = "CUPTI_ACTIVITY_KIND_KERNEL"
print(sum(c.execute(f"select end - start from {k} where rowid = {n}").fetchone()[0] for n in (3, 5)))
c.execute(f"create table k as select * from {k}")
c.execute(f"drop table {k}")
c.execute(f"alter table k rename to {k}")
c.execute(f"update {k} set start = null where rowid = 3")
c.execute(f"update {k} set end = null where rowid = 5")
c.commit()
END
	)"
	"$BIN/gpuimport" -j nsys-3.25.sqlite -o cut.gst 2> cut.said > cut.import
	"$BIN/gpureport" -j cut.gst > cut.report
	[ "$(jq -c '[.kernels.count, .kernels.total_ns]' cut.report)" = "$(jq -c --argjson cut "$cut" '[.kernels.count, .kernels.total_ns - $cut]' whole.report)" ]
	[ "$(jq -c '[.inputs[0].odd[] | select(.which == "CUPTI_ACTIVITY_KIND_KERNEL") | [.what, .count]] | sort' cut.import)" = \
		'[["ends before it starts",1],["without a start",1]]' ] || { jq -c .inputs[0].odd cut.import; false; }
}

# ---- real exports ----

@test "real exports: every number of expected.json" {
	requires data
	for file in "$DATA"/traces/nsys/*.sqlite; do
		name="$(basename "$file" .sqlite)"
		cp "$file" "$name.sqlite"
		found "$name" > /dev/null
		python3 "$ROOT/tests/expected_nsys.py" "$DATA/traces/expected.json" "nsys/$name.sqlite" "$name.import" "$name.report"
	done
}

@test "a database without one of its tables, whichever it is, is read without it or refused in words" {
	for kind in nsys-3.25 rocpd-4 rpd; do
		python3 "$ROOT/tests/mkdb.py" "$kind" "$kind.db" > /dev/null
		python3 - "$kind.db" > names <<-'P'
			import sqlite3, sys
			names = sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
			print('\n'.join(n for n, in names))
		P
		[ "$(wc -l < names)" -gt 5 ]
		while read -r table; do
			cp "$kind.db" less.db
			# of rocpd both recordings of the file, and the views over them
			python3 - less.db "${table%_0000000[01]_*}" <<-'P'
				import sqlite3, sys
				db = sqlite3.connect(sys.argv[1])
				for what, name in db.execute("SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table')").fetchall():
				    if what == 'view' or name == sys.argv[2] or name.startswith(sys.argv[2] + '_0000000'):
				        db.execute(f'DROP {what} "{name}"')
			P
			run --separate-stderr "$BIN/gpuimport" -j less.db -o less.gst
			[ "$status" -le 1 ] || { echo "$kind without $table: exit status $status"; false; }
			[ "$status" -eq 0 ] || [ -n "$stderr" ]
		done < names
	done
}
