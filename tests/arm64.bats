#!/usr/bin/env bats
# Everything compiles for arm64: probes with the arm64 kernel's types, tools, the CUDA library, the
# simulated GPU. Nothing is run here.

setup() { load helpers; }

@test "every probe, tool and library compiles for arm64 without a warning" {
	requires aarch64-linux-gnu-gcc readelf
	cd "$ROOT" || return
	run make -s O="${O#"$ROOT"/}" NVCC= arm64	# relative: make knows no blanks in names
	[ "$status" -eq 0 ] || { tail -n 20 <<< "$output"; false; }
	run ! grep -E ' (warning|error): ' <<< "$output"
	for f in "$O"/arm64/lib/libgpuscope-cuda.so "$O"/arm64/cudasim/lib13/lib*.so.* "$O"/arm64/obj/tools/*.o; do
		readelf -h "$f" | grep -q 'Machine: *AArch64' || { echo "$f"; false; }
	done
	[ "$(find "$O/arm64/obj" -name '*.o' | wc -l)" -ge "$(sources 'user/*.c' 'tools/*.c' 'cupti/*.c' | wc -l)" ]
}

@test "the USDT arguments of the arm64 library are registers that libbpf can read" {
	requires aarch64-linux-gnu-gcc readelf
	lib="$O/arm64/lib/libgpuscope-cuda.so"
	[ -e "$lib" ]
	run -0 bash -c "readelf -n '$lib' | sed -n 's/^ *Arguments: //p'"
	[ "${#lines[@]}" -ge 1 ]
	# libbpf knows SIZE@xN, SIZE@[xN], SIZE@[xN, OFFSET], SIZE@[sp, OFFSET] and SIZE@NUMBER
	run ! grep -vE '^(-?[1248]@(x[0-9]+|[0-9]+|\[(x[0-9]+|sp)(, -?[0-9]+)?\])( |$))+$' <<< "$output"
}
