# What we say of NVIDIA's binary interfaces is what NVIDIA's headers say.
# The headers are read where they are installed; nothing of them is in this tree.
setup() {
	load helpers
	requires headers
	INC="${CUDA:-/usr/local/cuda}/include"
	grep -qE 'CUPTI_API_VERSION +1300' "$INC/cupti_version.h" || skip "needs the headers of CUDA 13.0"
	D="$BATS_TEST_TMPDIR"
	ABI="$ROOT/tests/abi"
}

# declares HEADER DIR...: the facts names.awk finds in our own headers of that inclusion
declares() {
	local header="$1"
	shift
	"${CC:-cc}" -E "${@/#/-I}" "$header" |
		awk '/^# [0-9]+ "/ { ours = /_abi/; next } ours' | awk -f "$ABI/names.awk"
}

cupti_constants() {
	local name
	declares "$ROOT/cupti/cupti_abi.h" | sed -n 's/^const //p' | while read -r name; do
		echo "C($name, $(echo "$name" | sed -E -f "$ABI/cupti_names.sed"))"
	done
}

compile_cupti() {	# [FLAG...]: with our header where $OURS says
	"${CC:-cc}" -std=gnu11 -fsyntax-only -iquote "${OURS:-$ROOT/cupti}" -I "$D" -I "$INC" "$@" "$ABI/cupti.c"
}

@test "CUPTI: every constant and every field of ours is where the real header has it" {
	cupti_constants > "$D/constants.h"
	[ "$(wc -l < "$D/constants.h")" -gt 120 ]
	compile_cupti
}

@test "CUPTI: a field moved, a constant changed: the comparison fails" {
	cupti_constants > "$D/constants.h"
	mkdir "$D/a" "$D/b"
	sed 's/^\tuint32_t shmem_limit;/\tuint64_t shmem_limit;/' "$ROOT/cupti/cupti_abi.h" > "$D/a/cupti_abi.h"
	run ! cmp -s "$D/a/cupti_abi.h" "$ROOT/cupti/cupti_abi.h"
	OURS="$D/a" run compile_cupti
	[ "$status" -ne 0 ]
	[[ "$output" == *"offsetof(OURS, graph)"* ]]
	sed 's/CUPTI_KIND_OVERHEAD = 17/CUPTI_KIND_OVERHEAD = 18/' "$ROOT/cupti/cupti_abi.h" > "$D/b/cupti_abi.h"
	OURS="$D/b" run compile_cupti
	[ "$status" -ne 0 ]
	[[ "$output" == *CUPTI_ACTIVITY_KIND_OVERHEAD* ]]
}

@test "CUPTI: no field of ours is left out of the comparison" {
	declares "$ROOT/cupti/cupti_abi.h" | sed -nE 's/^field struct (cupti_[a-z_]+) /\1 /p' |
		grep -vE '^cupti_(functions|symbol|size) | (pad[0-9]?|reserved)$' > "$D/fields"
	[ "$(wc -l < "$D/fields")" -gt 170 ]
	local type field missing=
	while read -r type field; do
		awk -v s="#define OURS struct $type" '/^#define OURS/ { on = $0 == s } on' "$ABI/cupti.c" |
			grep -qE "F\($field[,[]" || missing="$missing $type.$field"
	done < "$D/fields"
	echo "not compared:$missing"
	[ -z "$missing" ]
}

@test "CUPTI: record sizes of 11.8, 12.4 and 13.0 are those of their structs" {
	"${CC:-cc}" -std=gnu11 -iquote "$ROOT/cupti" -I "$INC" "$ABI/sizes.c" -o "$D/sizes"
	"$D/sizes"
}

@test "CUPTI: every function takes what the real one takes" {
	requires g++
	g++ -std=c++14 -fsyntax-only -iquote "$ROOT/cupti" -I "$INC" "$ABI/calls.cc"
	sed 's/(void \*context, uint32_t stream, size_t \*dropped)/(void *context, uint64_t stream, size_t *dropped)/' \
		"$ROOT/cupti/cupti_abi.h" > "$D/cupti_abi.h"
	run g++ -std=c++14 -fsyntax-only -iquote "$D" -I "$INC" "$ABI/calls.cc"
	[ "$status" -ne 0 ]
	[[ "$output" == *cuptiActivityGetNumDroppedRecords* ]]
}

# What the real headers do not declare: twins for per-thread default streams (macros rename
# to them), what nvcc's output and cuobjdump's files tell only, and
# superseded calls.
undeclared() { grep -E ' (.*_pt[ds][sz]|__cuda.*|cuCtxCreate_v2|cuGetProcAddress|(struct )?fatbin_.*|FATBIN_.*|cuda_abi_.*)( |$)'; }

facts() {		# SIDE [FLAG...]
	g++ -std=c++14 -Wno-deprecated-declarations -I "$D" "${@:2}" "$ABI/facts.cc" -o "$D/$1" && "$D/$1" > "$D/$1.out"
}

cuda_list() {		# what both sides can be asked for
	declares "$ROOT/tests/cudasim/cudart_abi.h" "$ROOT/cupti" "$ROOT/tests/cudasim" | sort -u > "$D/declared"
	undeclared < "$D/declared" > "$D/undeclared"
	sort "$D/undeclared" | comm -23 "$D/declared" - | awk '
		$1 == "const" { print "CONST(" $2 ")" }
		$1 == "function" { print "FUNCTION(" $2 ")" }
		$1 == "field" { t = $2 (NF > 3 ? " " $3 : ""); if ($NF !~ /^(pad|reserved)[0-9]*$/)
			print "FIELD(" t ", " $NF ")"; if (!seen[t]++) print "TYPE(" t ")" }' > "$D/list.h"
	echo 'CONST(CU_STREAM_LEGACY) CONST(CU_STREAM_PER_THREAD)' >> "$D/list.h"
}

@test "CUDA: constants, fields and functions of driver and runtime are the real ones" {
	requires g++
	cuda_list
	[ "$(grep -c '^CONST' "$D/list.h")" -gt 250 ]
	[ "$(grep -c '^FIELD' "$D/list.h")" -gt 150 ]
	[ "$(grep -c '^FUNCTION' "$D/list.h")" -gt 150 ]
	facts ours -DOURS -iquote "$ROOT/cupti" -iquote "$ROOT/tests/cudasim"
	facts real -I "$INC"
	diff "$D/real.out" "$D/ours.out"
}

@test "CUDA: a changed argument, field or constant is found" {
	requires g++
	cuda_list
	mkdir "$D/c"
	cp "$ROOT"/cupti/cuda_abi*.h "$ROOT"/tests/cudasim/cudart_abi*.h "$D/c"
	sed -i 's/CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10/CU_DEVICE_ATTRIBUTE_WARP_SIZE = 11/' "$D/c/cuda_abi.h"
	sed -i 's/^CUresult cuDriverGetVersion(int \*version)/CUresult cuDriverGetVersion(int version)/' "$D/c/cuda_abi_calls.h"
	sed -i 's/^\tint memoryType;/\tlong memoryType;/; s/^\tint major, minor;/\tint minor, major;/' "$D/c/cudart_abi.h"
	facts ours -DOURS -iquote "$D/c"
	facts real -I "$INC"
	run diff "$D/real.out" "$D/ours.out"
	[ "$status" -eq 1 ]
	[[ "$output" == *CU_DEVICE_ATTRIBUTE_WARP_SIZE* ]]
	[[ "$output" == *cuDriverGetVersion* ]]
	[[ "$output" == *cudaDeviceProp.major* ]]
}

@test "the table of API calls is what its script makes of the installed headers" {
	"$ROOT/cupti/api_table.sh" > "$D/api_table.h"
	diff "$ROOT/cupti/api_table.h" "$D/api_table.h"
}

# Names by plain patterns, made without the script: DOMAIN CBID NAME CLASS
expected_calls() {
	local domain
	for domain in driver runtime; do
		grep -oE 'TRACE_CBID_[A-Za-z0-9_]+ *= *[0-9]+' "$INC/cupti_${domain}_cbid.h" |
			sed -E "s/TRACE_CBID_([A-Za-z0-9_]+) *= *([0-9]+)/$domain \2 \1/"
	done | awk '
		$3 ~ /GraphLaunch/ { print $0, "GRAPH_LAUNCH"; next }
		$3 ~ /LaunchHostFunc/ { print $0, "STREAM"; next }
		$3 ~ /Launch/ { print $0, "LAUNCH"; next }
		$3 ~ /Graph(Add|Instantiate|Create|Destroy|Exec)|Capturing|(Begin|End)Capture/ { print $0, "GRAPH"; next }
		$3 ~ /Graph/ { next }
		$3 ~ /Memcpy/ { print $0, "COPY"; next }
		$3 ~ /Memset/ { print $0, "SET"; next }
		$3 ~ /Synchronize/ { print $0, "SYNC"; next }
		$3 ~ /^cuda(Malloc|HostAlloc)|^cu(64)?MemAlloc|^cu(64)?MemHostAlloc/ { print $0, "ALLOC"; next }
		$3 ~ /^cudaFree|^cu(64)?MemFree/ { print $0, "FREE"; next }
		$3 ~ /Event(Record|Create|Query|Destroy)/ { print $0, "EVENT"; next }
		$3 ~ /(cu|cuda)Stream(Create|Destroy)/ { print $0, "STREAM"; next }
		$3 ~ /^cu(Module|Library)/ { print $0, "MODULE" }'
}

check_calls() {		# DIR-OF-TABLE: says what of stdin the table does not have
	"${CC:-cc}" -std=gnu11 -I "$1" -I "$ROOT/bpf" "$ABI/calls.c" -o "$D/calls" && "$D/calls"
}

@test "every launch, copy, set, sync, alloc, free, event, stream, graph and module call is in the table" {
	expected_calls > "$D/expected"
	[ "$(grep -c ' LAUNCH$' "$D/expected")" -ge 21 ]
	[ "$(wc -l < "$D/expected")" -gt 420 ]
	check_calls "$ROOT/cupti" < "$D/expected"
}

@test "a launch call missing from the table is found" {
	expected_calls > "$D/expected"
	sed '/"cudaLaunchKernelExC_v11060"/d' "$ROOT/cupti/api_table.h" > "$D/api_table.h"
	run check_calls "$D" < "$D/expected"
	[ "$status" -ne 0 ]
	[ "$output" = "runtime 430 cudaLaunchKernelExC_v11060 LAUNCH: not in the table" ]
}

real_cupti() {
	compgen -G "${CUDA:-/usr/local/cuda}/lib*/libcupti.so.13" ||
		compgen -G "${CUDA:-/usr/local/cuda}/extras/CUPTI/lib64/libcupti.so.13"
}

@test "the installed CUPTI has each call under the id and the name that the table has" {
	real_cupti > "$D/lib" || skip "needs libcupti.so.13"
	"${CC:-cc}" -std=gnu11 -I "$ROOT/cupti" -I "$ROOT/bpf" "$ABI/names.c" -ldl -o "$D/names"
	"$D/names" "$(head -1 "$D/lib")"
	mkdir "$D/t"
	sed 's/"cuLaunchKernel", "cuLaunchKernel"/"cuLaunchKernal", "cuLaunchKernel"/' "$ROOT/cupti/api_table.h" > "$D/t/api_table.h"
	"${CC:-cc}" -std=gnu11 -I "$D/t" -I "$ROOT/bpf" "$ABI/names.c" -ldl -o "$D/names"
	run "$D/names" "$(head -1 "$D/lib")"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "1/307: cuLaunchKernel, here cuLaunchKernal" ]
}
