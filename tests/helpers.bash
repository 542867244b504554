# Shared by all tests: where the build is, what the machine can do, how to run on the simulated GPU.
# shellcheck disable=SC2034	# the tests use what this defines
bats_require_minimum_version 1.5.0
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
O="$(realpath -m "${O:-$ROOT/build}")"
BIN="$O/bin"
PROG="$O/cudasim/bin"		# tests/programs, linked to the simulated libraries
SIMLIB="$O/cudasim/lib13"
DATA="$ROOT/../shared/data"
CELL="${VM_CELL:-6.1/535}"	# the kernel and driver of this run's guests (tests/vm/vm); make check-vm gives each in turn
export PATH="$PATH:/usr/sbin:/sbin"
umask 022

# requires WHAT...: skip, with the reason, what this machine cannot do
requires() {
	local what
	for what in "$@"; do
		case "$what" in
		root) [ "$EUID" -eq 0 ] || skip "needs root" ;;
		bpf) requires root
			[ -e /sys/kernel/btf/vmlinux ] || skip "needs kernel BTF (/sys/kernel/btf/vmlinux)"
			"$O/test/canbpf" 2>/dev/null || skip "this machine may not load BPF programs" ;;
		nobody) requires root setpriv
			setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$BIN/gpureport" ||
				skip "nobody may not reach what was built ($BIN)" ;;
		mounts) requires root unshare
			unshare -m true 2> /dev/null || skip "this machine makes no mount namespaces (in a chroot whose root is no mount point)" ;;
		gpu) [ -e /dev/nvidiactl ] || skip "needs an NVIDIA GPU" ;;
		nogpu) [ ! -e /dev/nvidiactl ] || skip "a real GPU is here: the simulated one stays off" ;;
		nvcc) [ -n "$(compgen -G "$PROG/*.nvcc")" ] || skip "needs nvcc" ;;
		headers) [ -e "${CUDA:-/usr/local/cuda}/include/cupti.h" ] || skip "needs the CUDA toolkit's headers" ;;
		vm) [ "$(uname -m)" = x86_64 ] || skip "the cells are of x86_64"
			requires root qemu-system-x86_64 busybox cpio depmod pahole xz zstd objcopy apt-get setpriv
			[ -n "$(compgen -G "${VM_CACHE:-$O/vm}/kernel-${CELL%/*}-*/done")" ] || "$ROOT/tests/vm/apt" bookworm true 2> /dev/null ||
				skip "no mirror of Debian's packages can be reached" ;;
		modules) O="$O" "$ROOT/tests/vm/cell" "$CELL" && [ ! -e "$O/vm/${CELL/\//-}/left-out" ] ||
				skip "the cell $CELL has no modules of ours: the compiler of its kernel is not here" ;;
		driver) [ "${CELL#*/}" != none ] || skip "the cell $CELL has no driver" ;;
		data) [ -d "$DATA/traces" ] || skip "needs ../shared/data" ;;
		*) command -v "$what" > /dev/null || skip "needs $what" ;;
		esac
	done
}

# able WHAT...: would requires not skip? For setup_file, where a skip fails the file: setup() says the reason
able() {
	local status=0
	(requires "$@"; exit 3) > /dev/null 2>&1 || status=$?
	[ "$status" -eq 3 ]
}

# fuzzer OUT SOURCE...: built at OUT, from files and patterns below $ROOT and options. Skips where the compiler has no
# fuzzer; what it has to build and does not fails
fuzzer() {
	local out="$1" clang flags=(-std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE)
	shift
	clang="$(command -v clang-14 clang | head -1)"
	[ -n "$clang" ] || skip "needs clang"
	echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return 0; }' > "$out.c"
	"$clang" "${flags[@]}" "$out.c" -o "$out" 2> "$out.err" || skip "needs clang's fuzzer: $(head -1 "$out.err")"
	# shellcheck disable=SC2048,SC2086	# patterns
	(cd "$ROOT" && "$clang" "${flags[@]}" -Ibpf -Ivmlinux -Iuser -Iuser/model -Iuser/import $* -o "$out")
}

# sources PATTERN...: our own files whose path matches, in a checkout and in an unpacked archive
sources() {
	if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
		git ls-files "$@"
	else
		local pattern paths=()
		for pattern; do paths+=(-o -path "./$pattern"); done
		find . -path "./${O#"$ROOT"/}" -prune -o -type f \( "${paths[@]:1}" \) -print | sed 's|^\./||' | sort
	fi
}

# sim COMMAND...: run COMMAND on the simulated GPU
sim() { LD_LIBRARY_PATH="$SIMLIB${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"; }

# vm CELL COMMAND: run COMMAND as root in a guest, with its exit status; see tests/vm/vm
vm() { O="$O" "$ROOT/tests/vm/vm" "$@" 3>&-; }

# record FILE COMMAND...: gpurec COMMAND on the simulated GPU into FILE; gpurec options in $GPUREC
record() {
	local file="$1"
	shift
	# shellcheck disable=SC2086	# $GPUREC is words
	sim "$BIN/gpurec" $GPUREC -o "$file" -- "$@"
}

# value FILE JQ: one value of a JSON file
value() { jq -r "$2" "$1"; }

# unprivileged COMMAND...: without capabilities; as nobody, where nobody may reach what was built (not below /root)
unprivileged() {
	[ "$EUID" -eq 0 ] || { "$@"; return; }
	local who=(--reuid 65534 --regid 65534 --clear-groups)
	setpriv "${who[@]}" test -x "$BIN/gpureport" || who=()
	setpriv "${who[@]}" --inh-caps=-all --bounding-set=-all "$@"
}

# alone NAME=VALUE... COMMAND...: with nothing of this test in the environment, as a bats within a bats needs it
alone() { env -i PATH="$(tr : '\n' <<< "$PATH" | grep -v /bats-core | paste -sd:)" "$@"; }

# until COMMAND...: try for ten seconds, so that no test sleeps a guess
until_true() {
	local _
	for _ in $(seq 100); do
		"$@" && return
		sleep 0.1
	done
	echo "never true: $*"
	return 1
}

# trace TOOL ARG... -- COMMAND...: run COMMAND under a stream tool; its output is in $out, its talk in $err
trace() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	shift
	out="$BATS_TEST_TMPDIR/out"
	err="$BATS_TEST_TMPDIR/err"
	"${args[@]}" > "$out" 2> "$err" 3>&- &
	local pid=$!
	until_true attached "$pid" || { cat "$err"; return 1; }
	"$@"
	kill -INT "$pid"
	wait "$pid"
}

# attached PID: a stream tool opens its ring (and epoll for it) when the last probe is attached
attached() { kill -0 "$1" 2>/dev/null && readlink "/proc/$1/fd/"* 2>/dev/null | grep -q eventpoll; }
