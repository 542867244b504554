# Shared by the scripts of this folder: where things are, how they fail.
# shellcheck shell=bash disable=SC2034	# the scripts use what this defines
VM="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
ROOT="${VM%/tests/vm}"
O="$(realpath -m "${O:-$ROOT/build}")"
# kernels and drivers, which several checkouts may share; what is made from this one's sources is below $O/vm
VM_CACHE="$(realpath -m "${VM_CACHE:-$O/vm}")"
PATH="$PATH:/usr/sbin:/sbin"

fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() { echo "vm: $*" >&2; }

# cell_split CELL: sets KERNEL and DRIVER of a name such as 6.1/535 or sid/none, or fails
cell_split() {
	KERNEL="${1%/*}" DRIVER="${1#*/}"
	case "$KERNEL" in
	6.1|6.12) case "$DRIVER" in 535|550|none) return ;; esac ;;
	sid) [ "$DRIVER" != none ] || return 0 ;;
	esac
	fail "cannot run '$1': no such cell (6.1/535 6.1/550 6.1/none 6.12/535 6.12/550 6.12/none sid/none)"
}

# cell_dir: of what is made from this checkout for the cell that cell_split has split
cell_dir() { echo "$O/vm/$KERNEL-$DRIVER"; }

# kernel_dir KERNEL, driver_dir KERNEL DRIVER: where they are made. The number is raised by who changes how: what is
# made otherwise has another folder, so that checkouts of different age share one cache.
kernel_dir() { echo "$VM_CACHE/kernel-$1-1"; }
driver_dir() { echo "$VM_CACHE/driver-$1-$2-1"; }
