#!/usr/bin/env bats
# The Makefile for who changes, packs and installs: in a copy, in a folder with a blank in its name,
# outside of git, with what was built here (so that only what must be built again is).

setup_file() {
	load helpers
	export COPY="$BATS_FILE_TMPDIR/a copy"
	mkdir "$COPY"
	cd "$ROOT" || return
	cp -a --parents $(sources '*' | cut -d/ -f1 | sort -u) "$COPY"
	mkdir "$COPY/build"
	for part in bin lib gen bpf obj cudasim test host; do cp -a "$O/$part" "$COPY/build"; done
}

setup() {
	load helpers
	unset O MAKEFLAGS MAKELEVEL MFLAGS
	cd "$COPY" || return
}

@test "a copy in a folder with a blank in its name has nothing to build" {
	run -0 make all
	[[ "$output" == *"Nothing to be done"* ]] || { echo "$output"; false; }
}

@test "a changed header builds again what includes it, and nothing else" {
	touch user/gzip.h
	users="$(grep -l '"gzip.h"' user/*.c user/*/*.c tools/*.c | sed 's|\.c$|.o|; s|^|obj/|' | sort)"
	[ -n "$users" ]
	run -0 bash -c "make all | sed -nE 's|^  CC +build/||p' | sort"
	[ "$output" = "$users" ]
	touch bpf/ioctl.bpf.c
	run -0 bash -c "make all | sed -nE 's|^  [A-Z]+ +build/||p' | sort"
	rebuilt="$(grep -l '"ioctl.skel.h"' user/*/*.c tools/*.c | sed 's|\.c$|.o|; s|^|obj/|')"
	[ -n "$rebuilt" ]
	tools="$(for t in tools/*.c; do basename "$t" .c; done | sed 's|^|bin/|')"	# the library holds the set
	[ "$output" = "$(sort <<< "$tools
bpf/ioctl.bpf.o
gen/ioctl.skel.h
lib/libgpuscope.a
$rebuilt")" ]
}

@test "a header that is gone is no error" {
	echo '/* soon gone */' > user/gone.h
	cp user/log.c log.c
	sed -i '1a #include "gone.h"' user/log.c
	make -s all
	rm user/gone.h
	cp log.c user/log.c
	run -0 make -s all
}

@test "a probe that does not compile leaves no half file, and the next make is whole" {
	cp bpf/sched.bpf.c good.c
	echo 'int x(void) { return nothing; }' >> bpf/sched.bpf.c
	run -2 make all
	[ ! -e build/bpf/sched.bpf.o ]
	cp good.c bpf/sched.bpf.c
	# a skeleton that is cut in the middle: bpftool fails after its first words
	printf '#!/bin/sh\necho half; exit 1\n' > bpftool
	chmod +x bpftool
	run -2 make BPFTOOL=./bpftool all
	[ ! -e build/gen/sched.skel.h ]
	run -0 make -s all
}

@test "what is installed below any prefix finds its library and records" {
	requires nogpu
	run -0 make install DESTDIR="$BATS_TEST_TMPDIR/d" PREFIX=/usr
	usr="$BATS_TEST_TMPDIR/d/usr"
	[ "$(ls "$usr/bin")" = "$(ls tools/*.c | sed 's|tools/||; s|\.c$||')" ]
	[ "$(ls "$usr/share/man/man8")" = "$(ls tools/*.8 | sed 's|tools/||')" ]
	mv build/lib build/away
	LD_LIBRARY_PATH="$SIMLIB" run -0 "$usr/bin/gpurec" -o "$BATS_TEST_TMPDIR/t.gst" -- "$PROG/demo"
	mv build/away build/lib
	told="$(awk '$1 == "expect" && $2 == "kernels" { print $3 }' <<< "$output")"
	[ "$told" -gt 0 ]
	[ "$("$usr/bin/gpureport" -j -i "$BATS_TEST_TMPDIR/t.gst" | jq .kernels.count)" -eq "$told" ]
}

@test "an archive is made of a checkout only, and what it unpacks to passes the rules of the layout" {
	requires bats
	run -2 make dist
	[[ "$output" == *"make dist: cannot make the archive: not a git checkout"* ]]
	run -0 alone bats tests/layout.bats -f 'longer|licence|names of registries'
	echo 'int main(void) { return 0; }' > user/bare.c
	run -1 alone bats tests/layout.bats -f licence
	rm user/bare.c
}

@test "clean leaves nothing that was built" {
	make clean > /dev/null
	[ ! -e build ]
}
