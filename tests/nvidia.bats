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

@test "a version that is no release is taken as the one before in its branch, else as the nearest" {
	while read -r version release; do
		[ "$("$LAYOUT" nearest "$version")" = "$release" ] || { echo "$version: $("$LAYOUT" nearest "$version")"; false; }
	done <<-END
		535.261.03 535.261.03
		570.133.21 570.133.20
		570.250 570.211.01
		545.01 545.23.06
		540.10.01 535.288.01
		600.10 595.45.04
		470.57.02 515.43.04
	END
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

# in a guest: what the module's types say and what the table says
same='build/test/uvmlayout btf /sys/kernel/btf/nvidia_uvm /sys/kernel/btf/vmlinux > /tmp/btf &&
	build/test/uvmlayout table "$(cat /sys/module/nvidia_uvm/version)" > /tmp/table &&
	grep -c " [0-9]" /tmp/table && diff /tmp/btf /tmp/table'
same="${same//build\//\$O/}"

@test "every field and argument lies where the running driver's BTF has it" {
	requires vm
	requires driver
	run -0 --separate-stderr vm "$CELL" "load soft && $same"
	[ "${lines[0]}" -ge 125 ]
}

@test "the stand-in of 570.133.20 has that release's fields, arguments, names and version" {
	requires vm modules
	vm "$CELL" 'load nobtf 570 && ! [ -e /sys/kernel/btf/nvidia_uvm ] && unload && load 570 && cat /sys/module/nvidia*/version &&
		grep -w nvidia_uvm /proc/kallsyms | grep -ow "uvm_parent_gpu_service_replayable_faults\|push_replay_on_parent_gpu" &&'"$same" > "$D/out"
	diff - <(sort "$D/out") <<-END
		135
		570.133.20
		570.133.20
		push_replay_on_parent_gpu
		uvm_parent_gpu_service_replayable_faults
	END
}

@test "a storm played on the stand-in is as asked for, and belongs to the process that asked" {
	requires vm modules
	vm "$CELL" 'load 570; echo "range a 0x7f0000000000 4M; faults gpu=1 range=a n=600 access=write dup=10; cpu range=a n=3; evict range=a n=2" > /proc/uvm570; echo $$; cat /proc/uvm570' > "$D/out"
	pid="$(head -n 1 "$D/out")"
	[ "$(grep -c "^truth fault gpu=gpu1 .* access=write .* pid=$pid$" "$D/out")" -eq 660 ]
	[ "$(grep -c 'duplicate=1' "$D/out")" -eq 60 ]
	[ "$(grep -c '^truth batch' "$D/out")" -eq 3 ]
	[ "$(grep -c '^truth fault gpu=cpu' "$D/out")" -eq 3 ]
	[ "$(grep -c '^truth evict .* bytes=2097152 ' "$D/out")" -eq 2 ]
	[ "$(grep -c '^truth migration src=cpu dst=gpu1 ' "$D/out")" -eq 600 ]
}
