# What is known of NVIDIA's releases (user/gpu, vmlinux/nvidia*): against itself, against the modules that were
# built, and what is done where nothing is known.
bats_require_minimum_version 1.5.0

setup() {
	load helpers
	cd "$ROOT"
	LAYOUT="$O/test/uvmlayout"
	D="$BATS_TEST_TMPDIR"
}

@test "the table has the public releases of every branch from 515 to 595" {
	"$LAYOUT" releases > "$D/releases"
	[ "$(wc -l < "$D/releases")" -ge 100 ]
	for branch in 515 520 525 530 535 545 550 555 560 565 570 575 580 590 595; do
		grep -q "^$branch\." "$D/releases" || { echo "no release of $branch"; false; }
	done
	grep -qx 535.261.03 "$D/releases"
	grep -qx 570.133.20 "$D/releases"
}

@test "each field and argument is in the first release that nvidia_uvm.h names, and not before" {
	"$LAYOUT" since > "$D/since"
	[ "$(wc -l < "$D/since")" -ge 140 ]
	awk '$2 != $3' "$D/since" > "$D/wrong"
	[ ! -s "$D/wrong" ] || { cat "$D/wrong"; false; }
}

@test "fields behind a kernel's type of another size are not read, those before it are" {
	cat > "$D/kernel.c" <<-END
		struct mutex { char bytes[48]; } mutex;
		struct list_head { void *next, *prev; } list_head;
	END
	clang -g -target bpf -c "$D/kernel.c" -o "$D/kernel.o"
	"$LAYOUT" table 535.261.03 > "$D/table"
	run -0 --separate-stderr "$LAYOUT" fit 535.261.03 "$D/kernel.o"
	[ "$stderr" = "uvmlayout: struct mutex has 48 bytes" ]
	diff <(diff "$D/table" <(echo "$output") | grep '^>') - <<-END
		> block_start -
		> block_end -
		> block_range -
		> block_hmm_space -
		> space_mm -
		> space_mapping -
		> gpu_pmm -
		> gpu_swizzle -
	END
}
