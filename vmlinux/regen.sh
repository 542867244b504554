#!/bin/sh
# Makes vmlinux/ARCH/vmlinux.h again from a kernel's BTF and the list in roots.
#   regen.sh                       this machine's kernel, for its architecture
#   regen.sh ARCH FILE [WHENCE]    FILE: BTF, an ELF vmlinux with BTF, or an uncompressed Image (arm64)
# bpftool is $BPFTOOL or the one in PATH.
set -eu
cd "$(dirname "$0")"
BPFTOOL=${BPFTOOL:-$(command -v bpftool || echo /usr/sbin/bpftool)}
case "$(uname -m)" in aarch64) here=arm64 ;; *) here=x86 ;; esac
arch=${1:-$here} file=${2:-/sys/kernel/btf/vmlinux} whence=${3:-$(uname -r)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if ! "$BPFTOOL" -j btf dump file "$file" > "$tmp/json" 2> /dev/null; then
	./findbtf.py "$file" "$tmp/btf"
	"$BPFTOOL" -j btf dump file "$tmp/btf" > "$tmp/json"
fi
{
	cat <<-EOF
	/*
	 * Kernel types, trimmed to what vmlinux/roots lists. Made by vmlinux/regen.sh from the
	 * BTF of Linux $whence ($arch): do not edit. Offsets are found by CO-RE at load.
	 */
	#ifndef __VMLINUX_H__
	#define __VMLINUX_H__

	#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)

	EOF
	./trim.py "$tmp/json" roots
	cat older.h
	cat <<-EOF

	#pragma clang attribute pop

	#endif
	EOF
} > "$tmp/vmlinux.h"
mkdir -p "$arch"
mv "$tmp/vmlinux.h" "$arch/vmlinux.h"
echo "vmlinux/$arch/vmlinux.h: $(wc -l < "$arch/vmlinux.h") lines, from Linux $whence"
