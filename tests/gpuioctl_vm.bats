#!/usr/bin/env bats
# gpuioctl and gpurec on the real nvidia.ko and nvidia-uvm.ko, in a guest: nvctl prints what it asked, and every
# call of it is there, by each way of seeing it. One guest serves all tests (tests/vm/nvctl/run.sh).

setup_file() {
	load helpers
	able vm driver jq || return 0
	export RUN="$O/vm/gpuioctl-${CELL/\//-}"
	rm -rf "$RUN"
	mkdir -p "$RUN"
	VM_TIMEOUT=1500 vm "$CELL" "bash tests/vm/nvctl/run.sh '$RUN'" > "$RUN/log" 2>&1 || echo "the guest: exit $?" >> "$RUN/log"
}

setup() {
	load helpers
	requires vm driver jq
	cd "$RUN" || exit
	grep -qx "done" log || { tail -n 20 log; echo "all of it: $RUN/log"; false; }
}

# said FILE: nvctl's lines, each once, and how often
said() { sort "$1" | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2), n }' | sort; }

# seen FILE: the same of gpuioctl's totals
seen() {
	jq -r 'select(.schema == "gpuscope.driver_total.0") | [.pid, .op, "\(.devno / 1048576 | floor):\(.devno % 1048576)",
		.cmd[2:], .escape, .rm[2:], .nv_status[2:], .result, .calls] | join(" ")' "$1" | awk '{ $5 = sprintf("%x", $5) } 1' | sort
}

# agrees MODE KIND: every call of the truth, none besides; seen by KIND
agrees() {
	said "$1.truth" > truth
	[ "$(wc -l < truth)" -ge 150 ]
	diff truth <(seen "$1.json")
	grep -q "^gpuioctl: calls of nvidia.ko: $2 " "$1.err"
	[ "$(jq -c 'select(.schema == "gpuscope.end.0") | .lost' "$1.json")" = 0 ]
}

@test "by fentry every call is counted and decoded, failed ones too" { agrees best fentry; }

@test "by kprobe too" { agrees kprobe kprobe; }

@test "and without the modules' BTF, by kprobe" { agrees nobtf kprobe; }

@test "and by system calls" { agrees syscall tracepoint; }

@test "calls and statuses have NVIDIA's names" {
	named() { jq -r 'select(.schema == "gpuscope.driver_total.0") | [.device, .call, .status] | join(" ")' best.json | grep -qx "$1" || { echo "not there: $1"; false; }; }
	named 'nvidiactl RM_CONTROL NV0000_CTRL_CMD_GPU_GET_ATTACHED_IDS '
	named 'nvidiactl RM_CONTROL 0x2f77 NV_ERR_NOT_SUPPORTED'
	named 'nvidiactl RM_ALLOC NV01_ROOT '
	named 'nvidiactl RM_ALLOC NV01_ROOT_CLIENT '
	named 'nvidiactl RM_ALLOC 0xfeed NV_ERR_INVALID_CLASS'
	named 'nvidiactl RM_FREE .*'
	named 'nvidiactl CHECK_VERSION_STR '
	named 'nvidiactl 0xee EINVAL'
	named 'nvidiactl RM_CONTROL ? EFAULT'
	named 'nvidia-uvm UVM_INITIALIZE '
	named 'nvidia-uvm UVM_PAGEABLE_MEM_ACCESS NV_ERR_ILLEGAL_ACTION'
	named 'nvidia0 open EIO'
}

@test "-p and --cgroup count one of two programs" {
	for one in pid cgroup; do
		[ "$(wc -l < $one.truth)" -gt 100 ]
		diff <(said $one.truth) <(seen $one.json)
		[ -s $one.others ]
	done
}

@test "--each has each call but polls; a recording of it replays as the sums" {
	jq -r 'select(.schema == "gpuscope.driver.0") | [.pid, .op, .cmd[2:], .rm[2:], .nv_status[2:], .result] | join(" ")' each.json | sort > seen
	[ "$(wc -l < each.truth)" -gt 500 ]
	awk '$2 != "poll" { print $1, $2, $4, $6, $7, $8 }' each.truth | sort | diff - seen
	"$BIN/gpuioctl" -j -i each.gst > replay.json
	diff <(said each.truth) <(seen replay.json)
	"$BIN/gpuioctl" -j -e -i each.gst | jq -r 'select(.schema == "gpuscope.driver.0") | [.pid, .op, .cmd[2:], .rm[2:], .nv_status[2:], .result] | join(" ")' |
		sort | diff seen -
}

@test "gpurec records the same calls of what it runs, polls as sums" {
	"$O/test/cattrace" gpurec.gst > dump
	[ "$(grep -c '^driver ' dump)" -ge "$(grep -vc ' poll ' gpurec.truth)" ]
	[ "$(grep '^driver ' dump | grep -c 'device=204472575 .*op=ioctl')" -eq "$(grep -c ' ioctl 195:255 ' gpurec.truth)" ]
	for pid in $(awk '{ print $1 }' gpurec.truth | sort -u); do
		[ "$(grep "^driver_sum .*pid=$pid .*op=poll" dump | sed 's/.* count=\([0-9]*\) .*/\1/' | sort -n | tail -n 1)" = "$(grep -c "^$pid poll" gpurec.truth)" ]
	done
}

@test "gpurec decodes the calls of a driver that comes after it" {
	grep ' 195:255 \| 195:0 ' -v early.truth | awk '$2 != "poll" { print $1, $2, $4, $5, $7, $8 }' | sort > early.uvm
	[ "$(wc -l < early.uvm)" -ge 9 ]
	"$O/test/cattrace" early.gst | awk '/^driver .* driver=nvidia-uvm$/ {
		for (i = 2; i <= NF; i++) { split($i, v, "="); sub(/^0x/, "", v[2]); f[v[1]] = v[2] }
		printf "%s %s %s %x %s %s\n", f["pid"], f["op"], f["cmd"], f["escape"], f["status"], f["result"] }' | sort | diff early.uvm -
}

@test "modules that go and come while it watches lose no call" {
	[ "$(awk '{ print $1 }' reload.truth | sort -u | wc -l)" -eq 2 ]
	diff <(said reload.truth) <(seen reload.json)
}

@test "the kernel did not complain" {
	[ -e warnings ]
	[ ! -s warnings ]
}
