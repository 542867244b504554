# libgpuscope-cuda.so inside other programs: what it records equals what they say of themselves, and
# they notice nothing. The programs: tests/inject/cuda.c (driver API) on the simulated GPU.

setup_file() {
	load helpers
	export PROGRAM="$BATS_FILE_TMPDIR/cuda"
	[ -e "$SIMLIB/libcuda.so.1" ] || return 0
	"${CC:-cc}" -O2 -g -D_GNU_SOURCE -I"$ROOT/cupti" -I"$ROOT/bpf" "$ROOT/tests/inject/cuda.c" "$SIMLIB/libcuda.so.1" \
		-Wl,-rpath,"$SIMLIB" -lpthread -o "$PROGRAM"
}

setup() {
	load helpers
	LIB="$O/lib/libgpuscope-cuda.so"
	RECV="$O/test/recv"
	DIR="$BATS_TEST_TMPDIR"
}

# recorded [RECV OPTION...] -- COMMAND...: what the recorder got is in $DIR/out, the command's output in $DIR/said
recorded() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	shift
	sim timeout 60 "$RECV" -l "$LIB" "${args[@]}" -o "$DIR/out" -- "$@" > "$DIR/said" 2> "$DIR/err"
}

show() { cat "$DIR/out" "$DIR/said" "$DIR/err" | tail -60; return 1; }
has() { grep -qxE "$1" "$DIR/out" || { echo "no line: $1"; show; }; }
hasnt() { ! grep -qE "$1" "$DIR/out" || { echo "unwanted: $1"; show; }; }
count() { sed -nE "s/^count $1 //p" "$DIR/out" | grep . || echo 0; }
lost() { sed -nE "s/^lost $1 //p" "$DIR/out" | grep . || echo 0; }
# each "expect KIND N" of the program is the number of its records
as_expected() {
	local kind n
	while read -r _ kind n; do
		[ "$(count "$kind")" -eq "$n" ] || { echo "$kind: recorded $(count "$kind"), made $n"; show; return 1; }
	done < <(grep "^expect" "$DIR/said")
	grep -q "^expect" "$DIR/said"
}

@test "kernels, copies, sets and calls are recorded one for one" {
	requires nogpu
	recorded -- "$PROGRAM" init launch=23 copy=7 set=3 bad sync
	as_expected
	hasnt "^lost"
	has "count api 39"	# 4 of init, 23 + 7 + 3 + 1 + 1
	[ "$(grep -c '^api .*result=0' "$DIR/out")" -eq 38 ]
	[ "$(grep -c '^kernel .*name="second"' "$DIR/out")" -eq 11 ]
	[ "$(grep -c '^kernel .*name="first"' "$DIR/out")" -eq 12 ]
	grep -q '^device .*simulated=1 .*name="cudasim' "$DIR/out"
}

# Programs of tests/programs: totals, each kernel and each API call by name are as the program counted them.
@test "runtime API programs: kernels, copies, sets and calls by name are as they say" {
	requires nogpu
	local p
	for p in "$PROG"/{demo,copies,threads,sync,many,exits} "$PROG"/vector.nvcc; do
		[ -e "$p" ] || [[ "$p" == *.nvcc ]] || show
		[ -e "$p" ] || continue
		recorded -- "$p"
		hasnt "^lost"
		sed -nE 's/.*\{ "[^"]*", "([^"]*)", API_OTHER.*/other \1/p' "$ROOT/cupti/api_table.h" > "$DIR/table"
		awk -v p="${p##*/}" '
			$1 == "other" { other["api:" $2] = 1; next }
			FILENAME ~ /said$/ && $1 == "expect" { want[$2] = $3; next }
			FILENAME ~ /said$/ { next }
			{ delete f; for (i = 2; i <= NF; i++) if (split($i, a, "=") == 2) f[a[1]] = a[2]; gsub(/"/, "", f["name"]) }
			$1 == "kernel" { got["kernels"]++; got["kernel:" f["name"]]++ }
			$1 == "copy" { got["copies"]++; got["bytes_" (f["copy_kind"] == 1 ? "HtoD" : f["copy_kind"] == 2 ? "DtoH" : "DtoD")] += f["bytes"] }
			$1 == "set" { got["sets"]++ }
			$1 == "api" { got["api:" f["name"]]++ }
			END { for (w in want) if (w ~ /^(kernels|copies|sets|bytes_|kernel:|api:)/ && !(w in other) && got[w] + 0 != want[w]) {
				print p ": " w ": recorded " got[w] + 0 ", made " want[w]; bad++ }
			      for (w in got) if (p !~ /nvcc$/ && w ~ /^(kernel|api):/ && w !~ /Query$/ && !(w in want)) { print p ": " w " was never made"; bad++ }
			      exit bad > 0 || length(want) < 6 }' "$DIR/table" "$DIR/said" "$DIR/out" || show
	done
}

@test "graphs made by capture and by hand, and a tree of processes" {
	requires nogpu
	recorded -q -- "$PROG/graphs"
	[ "$(count graph)" -eq "$(sed -n 's/^expect graph_launches //p' "$DIR/said")" ]
	recorded -q -w $((1 | 4 | 8 | 16 | 128)) -- "$PROG/graphs"
	[ "$(count kernel)" -eq "$(sed -n 's/^expect kernels //p' "$DIR/said")" ] || show
	[ "$(count copy)" -eq "$(sed -n 's/^expect copies //p' "$DIR/said")" ] || show
	[ "$(count set)" -eq "$(sed -n 's/^expect sets //p' "$DIR/said")" ] || show
	recorded -q -- "$PROG/forktree"
	[ "$(count kernel)" -eq "$(sed -n 's/^expect kernels //p' "$DIR/said")" ] || show
	[ "$(grep -c '^peer .*gone=1' "$DIR/out")" -eq "$(sed -n 's/^expect processes //p' "$DIR/said")" ] || show
	hasnt "^lost"
}

@test "nested calls on request: each driver call inside a runtime call, with its correlation" {
	requires nogpu
	recorded -w $((1 | 2 | 4)) -- "$PROG/exits"
	awk '{ delete f; for (i = 2; i <= NF; i++) if (split($i, a, "=") == 2) f[a[1]] = a[2] }
		$1 == "api" && f["depth"] == 0 { outer[f["correlation"]] = f["name"]; o++ }
		$1 == "api" && f["depth"] == 1 && f["name"] == "\"cuLaunchKernel\"" { inner[++n] = f["correlation"] }
		END { for (i = 1; i <= n; i++) bad += outer[inner[i]] != "\"cudaLaunchKernel\""
			exit n != 17 || o != 18 || bad }' "$DIR/out" || show
}

@test "NVTX before CUDA: one handover; a child forked before CUDA makes its own" {
	requires nogpu
	recorded -q -- "$PROGRAM" nvtx init launch=4 sync
	as_expected
	[ "$(grep -c '^peer .*gone=1' "$DIR/out")" -eq 1 ]
	recorded -q -- "$PROGRAM" nvtx forkcuda=2 init launch=4 sync
	as_expected
	[ "$(grep -c '^peer .*gone=1' "$DIR/out")" -eq 3 ] || show
	hasnt "^lost"
}

@test "a libcupti that is mapped already is taken, whatever else is asked for" {
	requires nogpu
	ln -s "$SIMLIB/libcupti.so.13" "$DIR/libcupti.so"	# LD_PRELOAD is cut at blanks
	GPUSCOPE_CUPTI=/nonexistent LD_PRELOAD="$DIR/libcupti.so" recorded -q -- "$PROGRAM" init launch=4 sync
	as_expected
}

@test "each kernel has the correlation of one launch and starts after it" {
	requires nogpu
	recorded -- "$PROGRAM" init launch=50 sync
	awk '{ c = ""; for (i = 2; i <= NF; i++) { if (split($i, a, "=") == 2) f[a[1]] = a[2] } }
		/^api .*name="cuLaunchKernel"/ { start[f["correlation"]] = f["ts"]; calls++ }
		/^kernel / { at[f["correlation"]] = f["ts"]; kernels++ }
		END { for (c in at) if (!(c in start) || at[c] < start[c]) bad++
			print kernels, calls, bad + 0; exit kernels != 50 || calls != 50 || bad }' "$DIR/out"
}

@test "names come before the records that use them" {
	requires nogpu
	recorded -- "$PROGRAM" init storm=200 copy=3 sync
	as_expected
	hasnt 'name="\?"'
}

@test "500 short threads: every launch is recorded, slots come back" {
	requires nogpu
	recorded -- "$PROGRAM" init storm=500 sync
	as_expected
	hasnt "^lost"
	[ "$(grep -o '^api .* tid=[0-9]*' "$DIR/out" | sed 's/.*tid=//' | sort -u | wc -l)" -eq 501 ]
	recorded -q -- "$O/test/nvtxtest" 1 600	# push ranges need a slot of their own
	has "count nvtx 4800"
	hasnt "^lost"
}

@test "more threads than slots: what is lost is counted, GPU records never" {
	requires nogpu
	recorded -q -- "$PROGRAM" init crowd=500 sync	# 64 threads, a slot for each
	[ "$(count kernel)" -eq 32000 ] || show
	hasnt "^lost no_slot"
	recorded -q -s 12 -- "$PROGRAM" init crowd=500 sync
	[ "$(count kernel)" -eq 32000 ] || show
	[ $(($(count api) + $(lost no_slot) + $(lost slot_ring))) -eq 32005 ] || show
}

@test "without a recorder the library has one thread that sleeps, and says nothing" {
	requires nogpu
	CUDA_INJECTION64_PATH="$LIB" run -23 "$O/test/injecttest"
	[ "$output" = $'returned 1\nthreads 2' ]
	GPUSCOPE_SOCKET=/nonexistent CUDA_INJECTION64_PATH="$LIB" run -23 "$O/test/injecttest"
	[ "$output" = $'returned 1\nthreads 2' ]
}

@test "output and exit code are the program's own, recorded or not" {
	requires nogpu
	sim "$PROGRAM" init launch=9 exit=42 > "$DIR/alone" || [ $? -eq 42 ]
	run -42 recorded -q -- "$PROGRAM" init launch=9 exit=42
	diff "$DIR/alone" "$DIR/said"
	[ ! -s "$DIR/err" ]
	has "exit 42"
	as_expected
}

@test "no libcupti: status -1, the program unharmed" {
	requires nogpu
	GPUSCOPE_CUPTI=/nonexistent recorded -q -- "$PROGRAM" init launch=5 sync
	has "peer .* state=2 status=-1 version=0"
	has "exit 0"
	hasnt "^count (api|kernel)"
}

@test "a CUPTI that hangs in its flush holds the program's exit up for two seconds, no longer" {
	requires nogpu
	"${CC:-cc}" -shared -fPIC -o "$DIR/libhang.so" "$ROOT/tests/inject/hang.c"
	local start took
	start=$(date +%s%N)
	GPUSCOPE_CUPTI="$DIR/libhang.so" run -23 recorded -q -- "$O/test/injecttest"
	took=$((($(date +%s%N) - start) / 1000000))
	has "exit 23"
	[ "$took" -ge 1900 ] && [ "$took" -lt 3500 ] || { echo "took $took ms"; false; }
}

@test "a second subscriber: status 39, nothing recorded, the program unharmed" {
	requires nogpu
	CUDASIM_SECOND_SUBSCRIBER=1 recorded -q -- "$PROGRAM" init launch=5 sync
	has "peer .* status=39 .*"
	has "exit 0"
	hasnt "^count (api|kernel)"
}

@test "no device: cuInit fails as without us and nobody is loaded" {
	requires nogpu
	CUDASIM_DEVICES=0 run -1 recorded -q -- "$PROGRAM" init launch=5
	grep -q "cuInit(0) gives 100" "$DIR/err"
	hasnt "^peer "
}

@test "the real libcupti without a driver: its refusal is reported, the program unharmed" {
	requires nogpu
	local cupti="${CUDA:-/usr/local/cuda}/lib64/libcupti.so.13"
	[ -e "$cupti" ] || skip "needs a real libcupti"
	GPUSCOPE_CUPTI="$cupti" run -23 timeout 60 "$RECV" -q -l "$LIB" -o "$DIR/out" -- "$O/test/injecttest"
	has "peer .* status=999 version=13[0-9]+"
	[[ "$output" == *"returned 1"* ]]
}

@test "forked children record nothing, exec'd ones are processes of their own" {
	requires nogpu
	local start
	start=$(date +%s%N)
	recorded -q -- "$PROGRAM" init launch=2 fork=3 exec=2 launch=1 sync
	[ $(($(date +%s%N) - start)) -lt 1900000000 ]	# nobody waited for a thread that fork did not take along
	as_expected
	[ "$(grep -c '^peer .*gone=1' "$DIR/out")" -eq 3 ]
	hasnt "^lost"
}

@test "what _exit and kill -9 cut off is reported as unfinished, what came before is there" {
	requires nogpu
	run -4 recorded -q -- "$PROGRAM" init launch=10 sync ms=600 launch=5 _exit=4
	has "count kernel 10"
	has "lost unfinished unknown"
	run -137 recorded -q -- "$PROGRAM" init launch=10 sync kill=9
	has "count api 15"
	has "lost unfinished unknown"
	run -137 recorded -q -- "$PROGRAM" init launch=10 sync ms=600 kill=9
	has "count kernel 10"
	hasnt "^lost"
}

@test "a launch of a graph is one record; captured calls leave nothing behind" {
	requires nogpu
	recorded -q -- "$PROGRAM" init launch=3 graph=5 launch=2 sync
	as_expected
	hasnt "^lost"
	run -137 recorded -q -- "$PROGRAM" init graph=5 ms=600 kill=9
	as_expected
	hasnt "^lost"
}

@test "graphs by node: each operation leads over its clone to the call that was captured" {
	requires nogpu
	recorded -w $((1 | 4 | 8 | 16 | 128)) -- "$PROGRAM" init graph=5
	[ "$(count kernel)" -eq 15 ] && [ "$(count set)" -eq 5 ] && [ "$(count graph_node)" -eq 8 ] || show
	awk '{ delete f; for (i = 2; i <= NF; i++) if (split($i, a, "=") == 2) f[a[1]] = a[2] }
		/^api / { name[f["correlation"]] = f["name"] }
		/^graph_node / { source[f["node"]] = f["source"]; call[f["node"]] = f["correlation"] }
		/^(kernel|set) / { op[++n] = $1; node[n] = f["graph_node"] }
		END { for (i = 1; i <= n; i++) seen[op[i] " " name[call[source[node[i]]]]]++
			exit seen["kernel \"cuLaunchKernel\""] != 15 || seen["set \"cuMemsetD8Async\""] != 5 }' "$DIR/out" || show
}

@test "two GPUs: operations and waits name the right one" {
	requires nogpu
	CUDASIM_DEVICES=2 recorded -- "$PROGRAM" init launch=3 sync second launch=4 sync=2
	has "count device 2"
	[ "$(grep -c '^kernel .* device=0 ' "$DIR/out")" -eq 3 ] && [ "$(grep -c '^kernel .* device=1 ' "$DIR/out")" -eq 4 ] || show
	[ "$(grep -c '^sync .* device=0 ' "$DIR/out")" -eq 1 ] && [ "$(grep -c '^sync .* device=1 ' "$DIR/out")" -eq 2 ] || show
}

@test "in another pid namespace records carry the host's process and thread ids" {
	requires root nogpu
	unshare -fp true 2> /dev/null || skip "this machine makes no pid namespaces"
	recorded -- unshare -fp --kill-child "$PROGRAM" init launch=3 storm=4 sync ms=200
	local pid
	pid=$(sed -nE 's/^peer pid=([0-9]+) .*gone=1.*/\1/p' "$DIR/out")
	[ "$pid" -gt 1 ]
	[ "$(grep -c "^api .*pid=$pid tid=$pid " "$DIR/out")" -ge 8 ] || show	# the main thread
	[ "$(grep -c '^api ' "$DIR/out")" -eq "$(grep -c "^api .*pid=$pid " "$DIR/out")" ]
}

@test "a full ring is counted and does not hold the program up" {
	requires nogpu
	local start
	start=$(date +%s%N)
	recorded -q -w 1 -s 2 -b 8192 -z 1000 -- "$PROGRAM" init launch=20000 sync
	[ $(($(date +%s%N) - start)) -lt 20000000000 ]	# a program that waited would need two minutes
	[ "$(lost slot_ring)" -gt 10000 ]
	[ $(($(count api) + $(lost slot_ring))) -eq 20005 ]
}

@test "records that CUPTI dropped, and times that cannot be, are counted to the last" {
	requires nogpu
	CUDASIM_DROP=every=10 recorded -q -w 5 -- "$PROGRAM" init launch=1000 sync
	[ "$(lost cupti)" -ge 100 ]
	[ $(($(count kernel) + $(lost cupti))) -eq 1000 ]
	CUDASIM_ZERO_TS=25 recorded -q -w 5 -- "$PROGRAM" init launch=1000 sync
	[ "$(lost clock)" -eq 250 ]
	[ "$(count kernel)" -eq 750 ]
}

@test "a CUPTI that keeps CLOCK_REALTIME is converted record by record" {
	requires nogpu
	CUDASIM_FAIL=cuptiActivityRegisterTimestampCallback:err=14 recorded -- "$PROGRAM" init launch=50 sync
	as_expected
	grep -q "^clock .*cupti_realtime=1" "$DIR/out"
	[ "$(sed -n 's/^clock_fixups //p' "$DIR/out")" -ge $((2 * $(count kernel))) ] || show
	awk '{ for (i = 2; i <= NF; i++) { if (split($i, a, "=") == 2) f[a[1]] = a[2] } }
		/^api .*name="cuLaunchKernel"/ { start[f["correlation"]] = f["ts"] }
		/^kernel / { at[f["correlation"]] = f["ts"] }
		END { for (c in at) { n++; d = at[c] - start[c]; if (d < -100000 || d > 5e9) { bad++; print d } }
			exit bad || n != 50 }' "$DIR/out"
}

@test "our clock is agreed once and before any context: no time needs converting" {
	requires nogpu
	CUDASIM_CLOCK_LATCH=1 CUDASIM_TS_CORRUPT=1 recorded -q -- "$PROGRAM" init launch=50 sync
	as_expected
	hasnt "^clock_fixups|^lost"
}

@test "records of older and newer CUPTIs are read by their own sizes" {
	requires nogpu
	local version
	for version in 18 22 130001; do
		CUDASIM_CUPTI_VERSION=$version recorded -- "$PROGRAM" init launch=50 copy=9 set=2 graph=2 sync
		has "peer .*gone=1 .* version=$version"
		as_expected
		[ "$(grep -c '^kernel .*name="second" .*grid=4,1,1 block=64,1,1' "$DIR/out")" -eq 25 ] || show
		hasnt "^lost"
	done
}

@test "the recorder dies: off within a second, the program goes on" {
	requires nogpu
	sim timeout 60 "$RECV" -q -x 100 -l "$LIB" -o "$DIR/out" -- sh -c "'$PROGRAM' init ms=50 helper launch=200 sync ms=1000 helper launch=5 sync > '$DIR/said'; echo code \$? >> '$DIR/said'" || true
	until_true grep -q "^code 0" "$DIR/said"
	[ "$(sed -n 1p "$DIR/said")" = "helper 1 rings 1" ]
	[ "$(sed -n 2p "$DIR/said")" = "helper 1 rings 0" ]
}

@test "the recorder stops: what was made until then is there, nothing after it" {
	requires nogpu
	recorded -q -t 100 -- "$PROGRAM" init launch=200 sync ms=600 launch=50 sync
	has "count kernel 200"
	has "peer .* gone=0 state=2 .*"
	hasnt "^lost"
}

@test "the recorder stops in the middle of launches: each operation recorded has its call" {
	requires nogpu
	recorded -t 3000 -- "$PROG/launchloop" 50000 20000
	[ "$(count kernel)" -gt 500 ] && [ "$(count kernel)" -lt 50000 ] || show
	hasnt "^lost"
	awk '{ c = ""; for (i = 2; i <= NF; i++) if ($i ~ /^correlation=/) c = $i }
		/^api / { call[c] = 1 }
		/^kernel / { op[++n] = c }
		END { for (i = 1; i <= n; i++) bad += !(op[i] in call); print n, bad + 0; exit bad > 0 }' "$DIR/out"
}

@test "a program that closes every descriptor is still recorded" {
	requires nogpu
	recorded -q -- "$PROGRAM" init launch=3 sync closeall launch=4 sync ms=200
	as_expected
	hasnt "^lost"
}

@test "NVTX: ranges of every sort, threads and domains, without CUDA" {
	recorded -- "$O/test/nvtxtest" 1
	has "count nvtx 8"
	[ "$(grep -c '^nvtx .* what=1 ' "$DIR/out")" -eq 4 ]
	grep -q '^nvtx .*name="inner ü€😀" nvtx_domain="" .* what=1 depth=1' "$DIR/out"
	grep -q '^nvtx .*name="registered" nvtx_domain="our domain" color=4279312947 what=1 depth=0' "$DIR/out"
	# it ends before the range of the other domain that began inside it
	awk '{ for (i = 2; i <= NF; i++) if (split($i, a, "=") == 2) f[a[1]] = a[2] }
		/name="registered" .*what=1/ { r = f["ts"] + f["dur_ns"] }
		/name="other domain"/ { o = f["ts"] + f["dur_ns"] }
		END { exit !(r && o && r < o) }' "$DIR/out" || show
	recorded -q -- "$O/test/nvtxtest" 100 20
	as_expected_nvtx
}

as_expected_nvtx() {
	[ $(($(count nvtx) + $(lost slot_ring) + $(lost no_slot))) -eq "$(sed -n 's/^expect nvtx //p' "$DIR/said")" ] || show
}

@test "NVTX: a program built with the real header, in two modules" {
	requires headers
	cat > "$DIR/a.c" <<-'C'
	#include <nvtx3/nvToolsExt.h>
	void other(void);
	int main(void)
	{
		nvtxEventAttributes_t a = { .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
			.colorType = NVTX_COLOR_ARGB, .color = 0xff00ff00, .messageType = NVTX_MESSAGE_TYPE_ASCII,
			.message.ascii = "from the first module" };
		nvtxDomainHandle_t d = nvtxDomainCreateA("library");
		nvtxRangeId_t id = nvtxRangeStartW(L"wide");
		nvtxRangePushEx(&a);
		nvtxDomainRangePushEx(d, &a);
		other();
		nvtxDomainRangePop(d);
		nvtxRangePop();
		nvtxMarkA("here");
		nvtxRangeEnd(id);
		nvtxDomainDestroy(d);
		return 0;
	}
	C
	printf '#include <nvtx3/nvToolsExt.h>\nvoid other(void) { nvtxRangePushA("second module"); nvtxRangePop(); }\n' > "$DIR/b.c"
	local cc="${CC:-cc}" inc="${CUDA:-/usr/local/cuda}/include"
	$cc -shared -fPIC -I"$inc" "$DIR/b.c" -o "$DIR/libb.so"
	$cc -I"$inc" "$DIR/a.c" "$DIR/libb.so" -Wl,-rpath,"$DIR" -ldl -o "$DIR/a"
	recorded -- "$DIR/a"
	has "count nvtx 5"
	grep -q 'name="second module" nvtx_domain="" color=0 what=1 depth=1' "$DIR/out" || show
	grep -q 'name="from the first module" nvtx_domain="library" color=4278255360 what=1 depth=0' "$DIR/out"
	grep -q 'name="wide" .* what=2' "$DIR/out"
}

@test "our NVTX declarations equal the real header's" {
	requires headers
	cat > "$DIR/t.c" <<-'C'
	#include <nvtx3/nvToolsExt.h>
	#undef NVTX_NO_PUSH_POP_TRACKING
	#include "nvtx_abi.h"
	#define SAME(a, b) _Static_assert((long)(a) == (long)(b), #a)
	#define FIELD(o, t) SAME(offsetof(struct nvtx_attributes, o), offsetof(nvtxEventAttributes_t, t))
	SAME(sizeof(struct nvtx_attributes), sizeof(nvtxEventAttributes_t));
	FIELD(size, size); FIELD(color_type, colorType); FIELD(color, color); FIELD(payload, payload);
	FIELD(text_type, messageType); FIELD(text, message);
	SAME(NVTX_TABLE_CALLBACKS, NVTX_ETID_CALLBACKS); SAME(NVTX_MODULE_CORE, NVTX_CB_MODULE_CORE);
	SAME(NVTX_MODULE_CORE2, NVTX_CB_MODULE_CORE2);
	SAME(sizeof(struct nvtx_callbacks), sizeof(NvtxExportTableCallbacks));
	SAME(NVTX_CORE_MARK_EX, NVTX_CBID_CORE_MarkEx); SAME(NVTX_CORE_MARK_W, NVTX_CBID_CORE_MarkW);
	SAME(NVTX_CORE_START_A, NVTX_CBID_CORE_RangeStartA); SAME(NVTX_CORE_END, NVTX_CBID_CORE_RangeEnd);
	SAME(NVTX_CORE_PUSH_W, NVTX_CBID_CORE_RangePushW); SAME(NVTX_CORE_POP, NVTX_CBID_CORE_RangePop);
	SAME(NVTX_CORE2_MARK_EX, NVTX_CBID_CORE2_DomainMarkEx); SAME(NVTX_CORE2_POP, NVTX_CBID_CORE2_DomainRangePop);
	SAME(NVTX_CORE2_REGISTER_A, NVTX_CBID_CORE2_DomainRegisterStringA);
	SAME(NVTX_CORE2_DOMAIN_W, NVTX_CBID_CORE2_DomainCreateW); SAME(NVTX_CORE2_DOMAIN_DESTROY, NVTX_CBID_CORE2_DomainDestroy);
	SAME(NVTX_TEXT_REGISTERED, NVTX_MESSAGE_TYPE_REGISTERED); SAME(NVTX_COLOR_IS_ARGB, NVTX_COLOR_ARGB);
	C
	"${CC:-cc}" -c -I"${CUDA:-/usr/local/cuda}/include" -I"$ROOT/cupti" "$DIR/t.c" -o "$DIR/t.o"
}

@test "USDT: one hit for each outermost call that gets a stack, with its correlation" {
	requires bpf nogpu
	local site want
	for site in api_enter api_enter5; do
		[ "$site" = api_enter ] || readelf -n "$LIB" | grep -q "Name: $site$" || continue
		sim timeout 60 "$O/test/usdtcount" "$LIB" "$site" "$RECV" -l "$LIB" -o "$DIR/out" -- \
			"$PROGRAM" init launch=23 copy=7 set=3 sync > "$DIR/said" 2> "$DIR/err"
		grep -qx "hits 35" "$DIR/said" || show	# 1 alloc, 23, 7, 3, 1
		want=$(sed -nE '/^api .* class=(1|2|3|4|5|6|8) /s/.* correlation=([0-9]+) .*/\1/p' "$DIR/out" | awk '{ n += $1 } END { printf "%d", n }')
		grep -qx "sum $want" "$DIR/said" || show
	done
	# a runtime call and the driver call inside it are one hit
	sim timeout 60 "$O/test/usdtcount" "$LIB" api_enter "$RECV" -q -l "$LIB" -o "$DIR/out" -- "$PROG/exits" > "$DIR/said" 2> "$DIR/err"
	grep -qx "hits 18" "$DIR/said" || show
	# nobody records: no hit
	CUDA_INJECTION64_PATH="$LIB" sim "$O/test/usdtcount" "$LIB" api_enter "$PROGRAM" init launch=5 sync > "$DIR/said"
	grep -qx "hits 0" "$DIR/said" || show
}

@test "USDT: locals of a leaf function survive at both sites, built without red zone as the library is" {
	requires bpf
	local site
	grep -q -- "-mno-red-zone" "$ROOT/Makefile"
	local zone=-g
	[ "$(uname -m)" != x86_64 ] || zone=-mno-red-zone
	"${CC:-cc}" -O2 $zone -I"$ROOT/bpf" -I"$ROOT/cupti" "$ROOT/tests/inject/leaf.c" -o "$DIR/leaf"
	for site in api_enter api_enter5; do
		readelf -n "$DIR/leaf" | grep -q "Name: $site$" || continue
		run -0 "$O/test/usdtcount" "$DIR/leaf" "$site" "$DIR/leaf"
		[ "$output" = $'destroyed 0\nhits 1000\nsum 500500' ]
	done
}

@test "the library exports its two entry points and needs nothing newer than glibc 2.17" {
	run -0 sh -c "nm -D --defined-only '$LIB' | awk '{ print \$3 }' | sort | paste -sd' '"
	[ "$output" = "InitializeInjection InitializeInjectionNvtx2" ]
	run -0 sh -c "objdump -T '$LIB' | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -1"
	[ "$(printf '%s\nGLIBC_2.17\n' "$output" | sort -V | tail -1)" = GLIBC_2.17 ]
	run ! sh -c "objdump -p '$LIB' | grep -E 'NEEDED.*(stdc|cupti|libcuda|libgcc)'"
	run ! sh -c "objdump -T '$LIB' | grep -E ' (printf|puts|exit|abort|malloc|free|perror|fprintf|fwrite)$'"
}
