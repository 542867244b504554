#!/usr/bin/env bats
# setup on systems that are not here: its package line per distribution, who may install, who builds,
# and what it says when that fails. The package managers, id and make are stand-ins that write down
# their words; what they are told comes from each system's own os-release.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p clone fake
	cp "$ROOT/setup" clone
	calls="$BATS_TEST_TMPDIR/calls"
	: > calls
	fake dpkg-query 'for last; do :; done; case " $HAVE " in *" $last "*|*" all "*) printf installed ;; *) exit 1 ;; esac'
	fake rpm 'for last; do :; done; case " $HAVE " in *" $last "*|*" all "*) ;; *) exit 1 ;; esac'
	fake apt-get 'echo "apt-get $*" >> "$CALLS"; case $1 in update) [ -z "$APT_OLD" ] || { echo "W: Failed to fetch x"; exit 100; } ;; *) [ -z "$APT_BAD" ] || { echo "E: Unable to locate package jq"; exit 100; } ;; esac'
	fake dnf 'echo "dnf $*" >> "$CALLS"'
	fake id 'echo "${FAKE_UID:-0}"'
	fake make 'echo "make $* (O=$O)" >> "$CALLS"; [ -z "$MAKE_BAD" ] || { echo "x.c:1: error: seeded"; exit 2; }'
	fake bpftool true
	fake pkg-config 'case $1 in --modversion) echo 0.5.0 ;; *) [ -z "$BPF_OLD" ] ;; esac'
	fake nproc 'echo 3'
	export CALLS="$calls" HAVE='' PATH="$BATS_TEST_TMPDIR/fake:$PATH" SETUP_OS_RELEASE="$BATS_TEST_TMPDIR/os"
	unset O V LIBBPF BPFTOOL SUDO_USER
	system ID=debian VERSION_ID=12
}

fake() { printf '#!/bin/sh\n%s\n' "$2" > "fake/$1"; chmod +x "fake/$1"; }
system() { printf '%s\n' "$@" > os; }

debian='make gcc libc6-dev clang pkg-config libbpf-dev libelf-dev zlib1g-dev libzstd-dev libsqlite3-dev libstdc++6'
debian_tests='bats jq protobuf-compiler universal-ctags shellcheck procps python3 libxml2-utils zstd dwarves strace golang-go'
debian_guests='qemu-system-x86 busybox-static cpio kmod xz-utils'
fedora='make gcc clang pkgconf-pkg-config libbpf-devel elfutils-libelf-devel zlib-devel libzstd-devel sqlite-devel libstdc++ bpftool findutils gawk'

# names PACKAGES OS-RELEASE-LINE...: setup names PACKAGES on that system
names() {
	local packages="$1"
	shift
	system "$@"
	run -0 clone/setup -n demo
	[ "$output" = "setup: $packages" ] || { echo "$*: $output"; false; }
}

@test "the package line of each distribution" {
	apt='apt-get install -y --no-install-recommends'
	names "$apt $debian bpftool" ID=debian VERSION_ID=12
	names "$apt $debian bpftool" ID=debian VERSION_ID=13
	names "$apt $debian bpftool" ID=raspbian ID_LIKE=debian
	names "$apt $debian linux-tools-common linux-tools-generic" ID=ubuntu ID_LIKE=debian UBUNTU_CODENAME=jammy
	names "$apt $debian linux-tools-common linux-tools-generic" ID=ubuntu ID_LIKE=debian UBUNTU_CODENAME=noble
	names "$apt $debian linux-tools-common linux-tools-generic" ID=linuxmint 'ID_LIKE="ubuntu debian"' UBUNTU_CODENAME=noble
	names "$apt $debian bpftool" ID=ubuntu ID_LIKE=debian UBUNTU_CODENAME=plucky
	names "dnf install -y $fedora" ID=fedora VERSION_ID=42
	names "dnf install -y $fedora" ID=rocky 'ID_LIKE="rhel centos fedora"'
}

@test "tests need their packages, a demo does not" {
	for word in check check-vm lint bench check-gpu; do
		case "$word" in check|check-vm) guests=" $debian_guests" ;; *) guests= ;; esac
		run -0 clone/setup -n "$word"
		[ "$output" = "setup: apt-get install -y --no-install-recommends $debian bpftool $debian_tests$guests" ]
	done
}

@test "only what is missing is installed, and nothing the second time" {
	HAVE="make gcc libc6-dev pkg-config libbpf-dev libelf-dev zlib1g-dev libzstd-dev libsqlite3-dev libstdc++6" run -0 clone/setup demo
	[ "${lines[0]}" = "setup: installing clang bpftool" ]
	[ "$(head -n 2 calls)" = "apt-get update -q
apt-get install -y --no-install-recommends clang bpftool" ]
	: > calls
	HAVE=all run -0 clone/setup demo
	[ "$output" = "setup: building" ]
	run ! grep -q apt-get calls
	HAVE=all run -0 clone/setup -n
	[ "$output" = "setup: nothing is missing" ]
}

@test "without root it says what to install and stops" {
	FAKE_UID=1000 run -1 clone/setup demo
	[ "$output" = "setup: cannot install packages: not root (run this through sudo, or as root: apt-get install -y --no-install-recommends $debian bpftool)" ]
	[ ! -s calls ]
	HAVE=all FAKE_UID=1000 run -0 clone/setup demo
	[ "$output" = "setup: building" ]
}

@test "an unknown system, a failed install, an old libbpf, a failed build: said, with the way out" {
	system ID=arch
	run -1 clone/setup demo
	[[ "$output" == "setup: cannot name the packages of this system (arch): known are Debian, Ubuntu and Fedora (install make, "* ]]
	system ID=debian
	APT_BAD=1 APT_OLD=1 run -1 clone/setup demo
	[ "${lines[1]}" = "W: Failed to fetch x" ]
	[[ "$output" == *"E: Unable to locate package jq
setup: cannot install packages: see above (by hand: apt-get install -y --no-install-recommends $debian bpftool)" ]]
	HAVE=all BPF_OLD=1 run -1 clone/setup demo
	[ "$output" = "setup: cannot build: libbpf 0.5.0 is older than 1.0 (get a libbpf source tree and set LIBBPF=its folder)" ]
	HAVE=all BPF_OLD=1 run -1 clone/setup LIBBPF=/nowhere demo
	[ "$output" = "setup: cannot build: LIBBPF=/nowhere is no libbpf source tree (it has no src/libbpf.h)" ]
	HAVE=all MAKE_BAD=1 run -2 clone/setup demo
	[ "$output" = "setup: building
x.c:1: error: seeded
setup: cannot build: see above" ]
	run -2 clone/setup --demo
}

@test "package lists that cannot be refreshed stop nothing that is there" {
	APT_OLD=1 run -0 clone/setup demo
	[ "$output" = "setup: installing $debian bpftool
setup: building" ]
}

@test "O= counts for the build and for the run" {
	HAVE=all run -0 clone/setup O=other demo
	[ "$(cat calls)" = "make -j 3 all sim (O=other)
make O=other demo (O=other)" ]
}

@test "root builds as the owner of the folder and leaves nothing of root in it" {
	requires root setpriv
	fake id '/usr/bin/id "$@"'
	# shellcheck disable=SC2016	# make's, not ours
	fake make 'mkdir -p build && touch "build/$1" && echo "make $* $(id -u):$(id -g)" >> "$CALLS"'
	mv clone 'a clone'
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" 2> /dev/null
	chmod 666 calls
	chown -R 4711:4712 'a clone'
	mkdir 'a clone/build'		# an earlier make as root
	HAVE=all run -0 'a clone/setup' check
	[ "$(cat calls)" = "make -j 3 tests 4711:4712
make check 0:0" ]
	[ "$(find 'a clone' -printf '%U:%G\n' | sort -u)" = 4711:4712 ]
	[ -e 'a clone/build/check' ]
}
