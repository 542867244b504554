# The field tables of user/schema.c against the structs of bpf/*.h, as their text says and as compilers
# laid them out. What a table lacks would be missing in every trace.
bats_require_minimum_version 1.5.0

setup() {
	load helpers
	D="$BATS_TEST_TMPDIR"
	cd "$ROOT"
}

# kind and struct of each record: "clock clock_pair", from the table in schema.c
kinds() { sed -nE 's/^\t\{ EVENT_[A-Z_]+, sizeof\(struct ([a-z_]+)\), [A-Z_0-9]+, "([a-z_]+)".*/\2 \1/p' user/schema.c; }

# members STRUCT: its members by the text of the headers, without "struct event e"
members() {
	cat bpf/*.h | sed 's,/\*.*\*/,,; s,/\*.*,,' | awk -v s="$1" '
		$0 ~ "^struct " s " \\{" { on = 1; next }
		/^\}/ { on = 0 }
		on && /;/ {
			sub(/^[ \t]*(struct )?[a-z0-9_]+[ \t]+/, ""); sub(/;.*/, ""); gsub(/\[[^]]*\]/, "")
			n = split($0, m, /,[ \t]*/)
			for (i = 1; i <= n; i++) if (m[i] != "e") print m[i]
		}'
}

# laid_out: "KIND MEMBER OFFSET SIZE" of every member, by the compiler
laid_out() {
	{
		printf '#include <stddef.h>\n#include <stdio.h>\n'
		for h in bpf/*.h; do [[ "$h" == *.bpf.h ]] || echo "#include \"$(basename "$h")\""; done
		echo 'int main(void) {'
		kinds | while read -r kind struct; do
			for m in $(members "$struct"); do
				if [ "$m" = g ]; then
					for n in $(members gpu_head); do line "$kind" "$struct" "g.$n" "$n"; done
				else
					line "$kind" "$struct" "$m" "$m"
				fi
			done
		done
		echo 'return 0; }'
	} > "$D/layout.c"
	"${1:-cc}" -w -Ibpf -Ivmlinux -o "$D/layout" "$D/layout.c" && "$D/layout"
}

line() {
	printf 'printf("%s %s %%zu %%zu\\n", offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));\n' \
		"$1" "$4" "$2" "$3" "$2" "$3"
}

# adjoining padding is one hole
join_pads() {
	sort -k1,1 -k3,3n | awk '
		$2 == "pad" && k == $1 && $3 == end { size += $4; end += $4; next }
		k != "" { print k, "pad", off, size; k = "" }
		$2 == "pad" { k = $1; off = $3; size = $4; end = $3 + $4; next }
		{ print }
		END { if (k != "") print k, "pad", off, size }' | sort
}

@test "the tables list every member of every record where the compilers put it, padding alone is left out" {
	"$O/test/schemacheck" | join_pads > "$D/schema"
	[ "$(wc -l < "$D/schema")" -gt 150 ]
	laid_out | join_pads > "$D/structs"
	diff "$D/structs" "$D/schema"
	if command -v clang > /dev/null; then
		laid_out clang | join_pads | diff - "$D/schema"
	fi
}

@test "the structs have no padding that is not written out, by the debug information" {
	requires pahole
	[ "$(kinds | wc -l)" -ge 25 ]
	kinds | while read -r kind struct; do
		[ "$struct" != graph ] || continue	# struct gpu_head and nothing else: not in what schema.o names
		pahole -C "$struct" "$O/test/schemacheck" > "$D/p" || :	# 1.30 fails at the end for want of BTF
		grep -q "^struct $struct {" "$D/p"
		if grep -E 'holes|padding|XXX' "$D/p"; then
			echo "struct $struct has holes"
			exit 1
		fi
	done
}

# debug_layout STRUCT OBJECT: "MEMBER OFFSET SIZE" by the debug information; nothing where it has no such struct
debug_layout() {
	pahole -C "$1" "$2" 2> /dev/null |
		sed -nE 's|^\t[a-z0-9_ ]+ +([a-z0-9_]+)(\[[0-9]+\])*; +/\* +([0-9]+) +([0-9]+) \*/$|\1 \3 \4|p'
}

@test "probes and programs lay the records out alike, by the debug information" {
	requires pahole
	compared=0
	for object in "$O"/bpf/*.bpf.o; do
		for struct in $(kinds | cut -d' ' -f2); do
			debug_layout "$struct" "$object" > "$D/bpf"
			[ -s "$D/bpf" ] || continue
			debug_layout "$struct" "$O/test/schemacheck" > "$D/host"
			diff "$D/bpf" "$D/host" || { echo "struct $struct of $object"; false; }
			compared=$((compared + 1))
		done
	done
	[ "$compared" -gt 0 ] || skip "this pahole finds no struct of ours in BPF objects"
	[ "$compared" -ge 8 ] || { echo "only $compared structs compared"; false; }
}

@test "every kind in the register of bpf/event.h has a record type, and no other has one" {
	sed -nE 's/^\t(EVENT_[A-Z_]+) = ([0-9]+),.*/\1 \2/p' bpf/event.h |
		grep -vE 'EVENT_(DEFINITIONS_END|KIND_MAX) ' | sort > "$D/register"
	sed -nE 's/^\t\{ (EVENT_[A-Z_]+), sizeof.*/\1/p' user/schema.c | sort > "$D/types"
	[ "$(wc -l < "$D/register")" -ge 25 ]
	cut -d' ' -f1 "$D/register" | diff - "$D/types"
	[ -z "$(cut -d' ' -f2 "$D/register" | sort | uniq -d)" ]
}

@test "records hold only numbers of fixed width and character arrays, begin with the head and assert their size" {
	kinds | while read -r kind struct; do
		body=$(cat bpf/*.h | awk -v s="$struct" '$0 ~ "^struct " s " \\{" { on = 1; next } /^\}/ { on = 0 } on')
		first=$(sed -nE '/;/{s,^[ \t]*(.*);.*,\1,p;q}' <<< "$body")
		[[ "$first" =~ ^struct\ (event\ e|gpu_head\ g)$ ]]
		! sed 's,/\*.*,,' <<< "$body" | grep ';' | tail -n +2 | grep -vE '^\s*(u8|u16|u32|u64|s8|s16|s32|s64|char)\s' | grep -v '^[ \t]*$'
		grep -rqE "_Static_assert\(sizeof\(struct $struct\)" bpf/*.h || [ "$struct" = graph ]
	done
}

@test "a trace describes itself: its text lists kind, size, fields and enum names" {
	"$O/test/mktrace" -o "$D/t" <<< "copy ts=1"
	"$O/test/edittrace" version 1 < "$D/t" > "$D/plain"
	grep -aq 'record copy 88 -$' "$D/plain"
	grep -aq '^field src_kind 82 2 enum' "$D/plain"
	grep -aq '^enum src_kind 2 pinned$' "$D/plain"
}

# members_of STRUCT: of the file itself, from user/trace_read.h; several to a line, too
members_of() {
	sed -n "/^struct $1 {/,/^}/p" user/trace_read.h | sed 's,/\*.*\*/,,; s,/\*.*,,' | grep ';' | grep -v '^}' |
		sed -E 's/^[[:space:]]*[a-z0-9_]+[[:space:]]+//; s/\[[^]]*\]//g; s/;//; s/,[[:space:]]*/\n/g' | tr -d ' \t' | grep .
}

@test "gpuscope-trace(5) has the file's own structs, member for member" {
	local pair title struct
	for pair in "File header=file_head" "Block header=block_head" "Column header=column_head" "Index entry=trace_index_entry"; do
		title="${pair%=*}" struct="${pair#*=}"
		members_of "$struct" > "$D/have"
		[ "$(wc -l < "$D/have")" -ge 7 ]
		sed -n "/^\.Ss $title/,/^\.El/s/^\.It Sy \([a-z_]*\) .*/\1/p" tools/gpuscope-trace.5 > "$D/said"
		diff "$D/have" "$D/said" || { echo "$title"; false; }
	done
}

@test "gpuscope-trace(5) has every kind and field as the schema does" {
	diff <(sed -n '/^\.\\" tests\/manpage-update/,/^\.\\" to here/p' tools/gpuscope-trace.5 | sed '1d;$d') <("$O/test/schemaman") ||
		{ echo "run tests/manpage-update"; false; }
	# the program that wrote it has them all
	[ "$("$O/test/schemaman" | grep -c '^\.Ss ')" -eq $(($(kinds | wc -l) + 1)) ]
	local said
	said="$("$O/test/schemacheck" | grep -cv ' pad ')"
	[ "$("$O/test/schemaman" | sed '1,/^\.El/d' | grep -c '^\.It Sy ')" -eq "$said" ]
}
