#!/usr/bin/env bats
# The house rules that a machine can check.

setup() {
	load helpers
	cd "$ROOT" || exit
}

# includes FOLDER: quoted headers its files include, one per line
includes() { sed -n 's/^#include "\(.*\)"/\1/p' "$1"/*.[ch] "$1"/*/*.[ch] 2>/dev/null | sort -u; }

generated='vmlinux/|cupti/api_table.h|flamegraph/script.c|user/gpu/nvidia_table.c|user/driver_table.c'

# allowed FOLDER PATTERN DIR...: every header that FOLDER includes exists in DIRs or matches PATTERN
allowed() {
	local room="$1" pattern="$2" header dir found bad=
	shift 2
	for header in $(includes "$room"); do
		[[ "$header" =~ $pattern ]] && continue
		found=
		for dir; do [ -e "$dir/$header" ] && found=1; done
		[ -n "$found" ] || bad="$bad $header"
	done
	[ -z "$bad" ] || { echo "$room includes$bad"; return 1; }
}

@test "no function is longer than 60 lines" {
	requires ctags
	run -0 ctags -L <(sources '*.c' '*.h' | grep -vE "$generated") -x --kinds-C=f --_xformat='%{end} %n %F:%N'
	[ "${#lines[@]}" -gt 500 ]
	long="$(awk '$1 - $2 >= 60 { print $3, $1 - $2 + 1 }' <<< "$output")"
	[ -z "$long" ] || { echo "$long"; false; }
}

@test "no file of ours is longer than 500 lines" {
	long="$(sources '*.c' '*.h' | grep -vE "$generated" | xargs wc -l | awk '$2 != "total" && $1 > 500')"
	[ -z "$long" ] || { echo "$long"; false; }
}

# A string is never split, so that it can be searched for: a line with a long one may be longer.
@test "no line is longer than 96 columns, but for the string in it" {
	sources '*.c' '*.h' | grep -vE "$generated" | while read -r f; do
		expand -t 8 "$f" | awk -v f="$f" 'length > 96 { print f ":" FNR ": " $0 }'
	done | grep -vE '"([^"\\]|\\.){48,}"' > "$BATS_TEST_TMPDIR/long" || :
	[ ! -s "$BATS_TEST_TMPDIR/long" ] || { cat "$BATS_TEST_TMPDIR/long"; false; }
}

@test "bpf/ includes nothing from user/, tools/ or cupti/" {
	allowed bpf '^vmlinux\.h$' bpf vmlinux
}

@test "user/ knows no tool: it includes only bpf/, flamegraph/ and itself; skeletons in user/sets/ alone" {
	allowed user '\.skel\.h$' user user/model user/import user/record user/gpu user/sets user/flame flamegraph bpf vmlinux
	run ! grep -ln '\.skel\.h"' $(sources 'user/*.[ch]' | grep -v '^user/sets/')
}

@test "cupti/ includes only record headers and itself" {
	allowed cupti '\.bpf\.h$|^$' cupti bpf
	run ! grep -n '\.bpf\.h"' cupti/*.[ch]
}

@test "flamegraph/ stands alone" {
	allowed flamegraph '^$' flamegraph
}

@test "every header compiles on its own" {
	for h in bpf/*.h user/*.h user/*/*.h flamegraph/*.h cupti/*.h; do
		case "$h" in *.bpf.h) continue ;; esac
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Wall -Werror -Ibpf -Ivmlinux -Iuser -Iuser/model -Iuser/import -Iuser/record -Iuser/sets -Iuser/flame -Iflamegraph -Icupti \
			-fsyntax-only -fmax-errors=3 -x c "$h" || { echo "$h"; false; }
	done
}

@test "records use fixed-width types only" {
	run ! grep -nE '^[[:space:]]+(int|long|short|unsigned|size_t|pid_t|bool|char[[:space:]]*\*|enum [a-z_]+ [a-z_]+;)' \
		bpf/event.h bpf/cuda.h bpf/host.h bpf/culaunch.h bpf/handover.h
}

@test "data is printed by user/out and sinks only, talk by user/log only" {
	run ! grep -nE '[^a-z_](printf|puts|putchar)\(' $(sources 'user/*.c' 'tools/*.c' | grep -vE 'user/(out|log|sink|options|help)[a-z_]*\.c')
}

@test "the library for other processes never exits, aborts or prints" {
	run ! grep -nE '[^a-z_](exit|_exit|abort|printf|fprintf|puts|perror)\(' cupti/*.c
}

@test "every tool has a test, a man page, an example and a line in the README" {
	for t in tools/*.c; do
		t="$(basename "$t" .c)"
		for f in "tests/$t.bats" "tools/$t.8" "tools/${t}_example.txt"; do
			[ -e "$f" ] || { echo "$t: no $f"; false; }
		done
		grep -q "| \`$t\` |" README.md || { echo "$t: not in README.md"; false; }
	done
}

@test "each tool's --help names every option of its man page and the other way round" {
	for t in tools/*.c; do
		t="$(basename "$t" .c)"
		help="$("$BIN/$t" --help | sed '/^[Ee]xamples/,$d' | grep -oE -- '(^|[ ,[])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)"
		man="$(sed -E 's/Fl \\?-/--/g; s/\\-/-/g' "tools/$t.8" | grep -oE -- '--[a-z][a-z-]+' | sort -u)"
		[ -n "$help" ] && [ "$help" = "$man" ] || { echo "$t:"; diff <(echo "$help") <(echo "$man"); false; }
	done
}

@test "each tool says what it is for in the same words in its help, its man page and the README" {
	for t in tools/*.c; do
		t="$(basename "$t" .c)"
		about="$("$BIN/$t" --help | sed -n "1s/^$t - //p")"
		[ -n "$about" ]
		grep -qxF "| \`$t\` | $about |" README.md || { echo "README.md, $t: $about"; false; }
		sed -E '1,/^\.S[Hh] NAME/d; /^\.S[Hh] /,$d' "tools/$t.8" | grep -qxE "(\.Nd |$t \\\\- )$(sed 's/[()]/\\&/g' <<< "$about")" ||
			{ echo "tools/$t.8: $about"; false; }
	done
}

@test "each man page has its sections" {
	for page in tools/*.8; do
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS"; do
			grep -qixE "\.sh $section" "$page" || { echo "$page: no $section"; false; }
		done
		grep -qiE '^\.sh (OVERHEAD|CAVEATS)$' "$page" || { echo "$page: neither OVERHEAD nor CAVEATS"; false; }
	done
}

@test "README, man pages and examples name only tools that exist" {
	run -0 bash -c "ls tools/*.8 | sed 's|tools/||; s|\.8||'"
	for t in $output; do [ -e "tools/$t.c" ] || { echo "$t"; false; }; done
}

@test "no host names of registries and no binary files in the tree but the golden ones" {
	run ! grep -nIE '(deb|security|archive|ftp)\.debian\.org|registry\.npmjs|pypi\.org|archive\.ubuntu\.com' \
		$(sources '*' | grep -v '^tests/layout.bats$')
	binary="$(sources '*' | grep -v '^tests/golden/' | while read -r f; do [ -s "$f" ] && ! grep -qI . "$f" && echo "$f"; done || true)"
	[ -z "$binary" ] || { echo "$binary"; false; }
}

@test "sources carry their licence" {
	[ "$(sources '*.c' | wc -l)" -gt 50 ]
	for f in $(sources '*.c'); do
		head -n 1 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' || { echo "$f"; false; }
	done
}
