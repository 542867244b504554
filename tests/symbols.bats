# Names of code addresses: the symbol tables against nm, readelf, objdump and the programs themselves.
bats_require_minimum_version 1.5.0

setup() {
	load helpers
	T="$O/test/symtest"
	D="$BATS_TEST_TMPDIR"
}

# offset_of FILE SYMBOL: its file offset, by nm and readelf alone
offset_of() {
	local addr
	addr=$((16#$(nm "$1" | awk -v s="$2" '$3 == s { print $1; exit }')))
	readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $5 }' | while read -r off vaddr size; do
		if ((addr >= vaddr && addr < vaddr + size)); then
			printf '0x%x\n' $((addr - vaddr + off))
		fi
	done
}

program() {	# program OUT FLAGS...: a small program of known functions
	local out="$1"
	shift
	cat > "$D/p.c" <<-'C'
		#include <stdio.h>
		__attribute__((noinline)) static int hidden(int x) { return x * 7 + printf("x"); }
		__attribute__((noinline)) int shown(int x) { return hidden(x) + puts("y"); }
		int second_name(int x) __attribute__((alias("shown")));
		static int third_name(int x) __attribute__((alias("shown"), used));
		static int one(int x) { return x + 1; }
		static void *choose(void) { return one; }
		int chosen(int x) __attribute__((ifunc("choose")));
		__asm__(".text\n.globl label\nlabel: nop; nop; ret\n");
		int main(int argc, char **argv) { return shown(argc) + chosen(argc) == -1; }
	C
	cc -O1 -g "$@" -o "$out" "$D/p.c"
}

@test "a program finds its own functions, static ones too, and one of libc, by address" {
	run -0 "$T" self
	[ "$output" = $'global_function+1\nstatic_function+1' ]
	run -0 "$T" libc
	[ "$output" = qsort+0 ]
}

@test "every function that nm lists in a PIE and in a non-PIE has its offset and its name" {
	requires nm readelf
	for flags in "-pie -fPIE" "-no-pie -fno-pie"; do
		program "$D/p" $flags
		checked=0
		for name in $(nm "$D/p" | awk '$2 ~ /^[Tti]$/ && $3 !~ /^(_init|_fini|.*@.*|__.*|completed.*)$/ { print $3 }'); do
			want="$(offset_of "$D/p" "$name")"
			[ -n "$want" ]
			run -0 "$T" offset "$D/p" "$name"
			[ "$output" = "$want" ]
			run -0 "$T" find "$D/p" "$want"
			[[ "$output" == *+0 ]]
			[ "$(offset_of "$D/p" "${output%+0}")" = "$want" ]
			checked=$((checked + 1))
		done
		[ "$checked" -ge 8 ]
	done
}

@test "of several names for one address a global one is chosen; IFUNC and untyped labels have names" {
	requires nm readelf
	program "$D/p"
	run -0 "$T" find "$D/p" "$(offset_of "$D/p" third_name)" "$(offset_of "$D/p" label)" \
		"$(offset_of "$D/p" choose)"
	[[ "${lines[0]}" == shown+0 || "${lines[0]}" == second_name+0 ]]
	[ "${lines[1]}" = label+0 ]
	[[ "${lines[2]}" == choose+0 || "${lines[2]}" == chosen+0 ]]
}

@test "between functions there is no name, and none before the first or behind the last" {
	requires nm readelf
	program "$D/p" -falign-functions=64
	gap=$(nm -nS "$D/p" | awk '/ [tT] / && NF == 4 { if (seen && $1 >= end + 0) exit; seen = $4 == "shown"; if (seen) print $2 }')
	[ $((16#$gap % 64)) -ne 0 ]
	run -0 "$T" find "$D/p" $(($(offset_of "$D/p" shown) + 16#$gap))
	[ "$output" = "?" ]
	size=$((16#$(nm -S "$D/p" | awk '$4 == "main" { print $2 }')))
	main=$(offset_of "$D/p" main)
	run -0 "$T" find "$D/p" $((main + size - 1)) 0 0xffffffffffff
	[ "${lines[0]}" = "main+$((size - 1))" ]
	[ "${lines[1]}" = "?" ]
	[ "${lines[2]}" = "?" ]
}

@test "a stub of the procedure linkage table is called name@plt" {
	requires objdump
	program "$D/p"
	stub=$(objdump -d "$D/p" | awk '/<puts@plt>:$/ { print $1; exit }')
	[ -n "$stub" ]
	read -r vaddr off < <(readelf -lW "$D/p" | awk '$1 == "LOAD" && /R E/ { print $3, $2 }')
	run -0 "$T" find "$D/p" $((16#$stub - vaddr + off))
	[ "$output" = "puts@plt+0" ]
}

@test "a stripped library keeps its exported names and shows no wrong ones" {
	requires nm readelf strip
	program "$D/lib.so" -shared -fPIC
	hidden=$(offset_of "$D/lib.so" hidden)
	main=$(offset_of "$D/lib.so" main)
	strip -o "$D/stripped.so" "$D/lib.so"
	run -0 "$T" find "$D/stripped.so" "$main" "$hidden"
	[ "${lines[0]}" = main+0 ]
	[ "${lines[1]}" = "?" ]
}

@test "a separate debug file is found by build id below another root and by debuglink, and only the right one" {
	requires nm readelf objcopy strip
	program "$D/p" -Wl,--build-id
	hidden=$(offset_of "$D/p" hidden)
	id=$("$T" id "$D/p")
	[ "$id" = "$(readelf -n "$D/p" | awk '/Build ID/ { print $3 }')" ]
	objcopy --only-keep-debug "$D/p" "$D/p.debug"
	strip -o "$D/s" "$D/p"
	run -0 "$T" find "$D/s" "$hidden"
	[ "$output" = "?" ]
	dir="$D/root/usr/lib/debug/.build-id/${id:0:2}"
	mkdir -p "$dir"
	cp "$D/p.debug" "$dir/${id:2}.debug"
	run -0 "$T" below "$D/root" "$D/s" "$hidden"
	[ "$output" = hidden+0 ]
	(cd "$D" && objcopy --add-gnu-debuglink=p.debug s linked)
	run -0 "$T" find "$D/linked" "$hidden"
	[ "$output" = hidden+0 ]
	printf x >> "$D/p.debug"
	run -0 "$T" find "$D/linked" "$hidden"
	[ "$output" = "?" ]
	cp "$T" "$dir/${id:2}.debug"
	run -0 "$T" below "$D/root" "$D/s" "$hidden"
	[ "$output" = "?" ]
}

@test "a debug file is never taken from outside the root: links and FIFOs there lead nowhere" {
	requires nm readelf objcopy strip
	program "$D/p" -Wl,--build-id
	hidden=$(offset_of "$D/p" hidden)
	id=$("$T" id "$D/p")
	objcopy --only-keep-debug "$D/p" "$D/p.debug"
	strip -o "$D/s" "$D/p"
	dir="$D/root/usr/lib/debug/.build-id/${id:0:2}"
	mkdir -p "$dir"
	ln -s "$D/p.debug" "$dir/${id:2}.debug"
	run -0 "$T" below "$D/root" "$D/s" "$hidden"
	[ "$output" = "?" ]
	rm "$dir/${id:2}.debug"
	mkfifo "$dir/${id:2}.debug"
	run -0 timeout 10 "$T" below "$D/root" "$D/s" "$hidden"
	[ "$output" = "?" ]
}

@test "kernel functions have names, and addresses of nobody have none" {
	run "$T" kernel schedule
	[ "$status" -ne 3 ] || skip "kernel addresses are hidden (kptr_restrict)"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "schedule+1 kernel" ]
	[ "${lines[1]}" = "?" ]
}

@test "C++ and legacy Rust names are made readable, others stay, one name is one pointer" {
	run -0 "$T" demangle _ZN2at6native4fillIfEEvPT_i main _ZN4core3fmt17h0123456789abcdefE _Z _Zbad ""
	[ "${lines[0]}" = "void at::native::fill<float>(float*, int) 1" ]
	[ "${lines[1]}" = "main 1" ]
	[ "${lines[2]}" = "core::fmt 1" ]
	[ "${lines[3]}" = "_Z 1" ]
	[ "${lines[4]}" = "_Zbad 1" ]
	[ "${lines[5]}" = " 1" ]
}

@test "names too long for libstdc++ keep their qualified name and stay different" {
	args=$(printf '9abcdefgh%d' {0..9} {0..9} {0..9} {0..9} {0..9} {0..9} {0..9} {0..9} {0..9} {0..9} {0..9})
	run -0 "$T" demangle "_ZN7cutlass6KernelI${args}EEvv" "_ZN7cutlass6KernelI${args}1xEEvv" "_Z3fooI${args}Evv"
	[[ "${lines[0]}" =~ ^cutlass::Kernel\<#[0-9a-f]{8}\>\ 1$ ]]
	[[ "${lines[1]}" =~ ^cutlass::Kernel\<#[0-9a-f]{8}\>\ 1$ ]]
	[ "${lines[0]}" != "${lines[1]}" ]
	[[ "${lines[2]}" =~ ^foo\<#[0-9a-f]{8}\>\ 1$ ]]
}

@test "3,000 damaged ELF files do no harm (address and undefined-behaviour sanitizers)" {
	cc -fsanitize=address,undefined -fno-sanitize-recover=all -x c - -o "$D/canary" <<< 'int main(void) { return 0; }' ||
		skip "this compiler has no sanitizers"
	cd "$ROOT"
	cc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE -Ibpf -Iuser \
		tests/bin/symtest.c user/symbols*.c user/elf_*.c user/demangle.c -lz -l:libstdc++.so.6 -o "$D/symtest"
	program "$D/p"
	run -0 "$D/symtest" mutate "$D/p" 3000
	[ "$output" = survived ]
}

@test "what is no ELF file has no symbols" {
	echo garbage > "$D/text"
	: > "$D/empty"
	for f in "$D/text" "$D/empty" /dev/null "$D"; do
		run -1 "$T" find "$f" 0
		[ "$output" = "symtest: no symbols in $f" ]
	done
}
