#!/usr/bin/env bats
# The cells: a Debian kernel in a guest with an IOMMU, two NUMA nodes and, where there is one, the real driver.

setup() {
	load helpers
	requires vm
}

@test "a cell runs a command in this folder and passes on its output, its talk and its exit status" {
	run -7 --separate-stderr vm "$CELL" 'uname -r; pwd; echo talk >&2; exit 7'
	[[ "${lines[0]}" =~ ^[0-9]+\.[0-9]+\..*-amd64$ ]]
	[ "${lines[1]}" = "$PWD" ]
	[ "${stderr_lines[-1]}" = talk ]
}

@test "a guest has two NUMA nodes, an IOMMU that is on, and boots without a warning of the kernel" {
	vm "$CELL" 'ls -d /sys/devices/system/node/node[0-9]*; ls /sys/class/iommu; dmesg -t | grep -e "cut here" -e "BUG:" -e "DMAR: IOMMU enabled"' > "$BATS_TEST_TMPDIR/out"
	diff - "$BATS_TEST_TMPDIR/out" << -
/sys/devices/system/node/node0
/sys/devices/system/node/node1
dmar0
DMAR: IOMMU enabled
-
}
