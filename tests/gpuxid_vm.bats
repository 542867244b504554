#!/usr/bin/env bats
# gpuxid in the guest: errors raised through the real driver's nv_report_error() and through tracepoints
# as newer drivers have them (tests/vm/xidraise), by processes, interrupts and threads of the kernel. One
# guest does it all; what each run of gpuxid said is compared below.

# In the guest. `errors NAME ARG... -- HOW...` runs gpuxid while the process `culprit`, in a cgroup of its own,
# raises what HOW says ("MODULE WHAT CONTEXT CODE [TIMES]"), and lives until gpuxid has ended.
guest='
tool=$O/bin/gpuxid
dir=/run/gpuxid
group=/sys/fs/cgroup/culprits
mkdir -p $dir
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
mkdir -p $group
cp /bin/bash $dir/culprit
mkfifo $dir/go
try() { for _ in $(seq 100); do "$@" && return; sleep 0.1; done; echo "never: $*" >&2; return 1; }
attached() { readlink /proc/$1/fd/* 2> /dev/null | grep -q eventpoll; }
listens() { grep -q "from here on" $dir/err; }
raised() { [ -e $dir/raised ]; }
probed_again() { [ $(grep -c "report: .*nv_report_error" $dir/err) -ge 2 ]; }
begin() {
	name=$1; shift
	"$tool" -v -j "$@" > $dir/out 2> $dir/err &
	pid=$!
	case "$*" in *kmsg*) try listens ;; *) try attached $pid ;; esac
}
raise() {
	rm -f $dir/raised
	$dir/culprit -c "echo \$\$ > $group/cgroup.procs; echo \$\$ > $dir/pid
		for how; do set -- \$how; echo \"\$2 \$3 \$4 \${5:-1}\" > /sys/module/\$1/parameters/raise; done
		: > $dir/raised; read -r _ < $dir/go" culprit "$@" &
	try raised
}
end() {
	kill -INT $pid
	wait $pid
	echo "$name rc $? pid $(cat $dir/pid) cgroup $(stat -c %i $group)"
	sed "s/^/$name /" $dir/out
	sed "s/^/$name err /" $dir/err
	echo > $dir/go
	wait
}
errors() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	shift
	begin "${args[@]}"
	raise "$@"
	end
}
'

setup_file() {
	load helpers
	able vm modules jq || return 0
	export said="$BATS_FILE_TMPDIR/said"
	vm "$CELL" "$guest"'
insmod $CELL_DIR/xidtp.ko || exit 1
if [ "$NVMAJOR" != 0 ]; then
	load nvidia && insmod $CELL_DIR/xidraise.ko || exit 1
	rmmod xidtp	# the tracepoint of newer drivers would be preferred
	errors kprobe --source kprobe -- "xidraise report process 31" "xidraise both process 45"
	errors console --source console -- "xidraise print process 31" "xidraise both process 45"
	errors all -- "xidraise both process 45" "xidraise report process 31" "xidraise report irq 32" \
		"xidraise both irq 33" "xidraise report work 34" "xidraise both work 35" "xidraise both process 13 50"
	begin reload
	rmmod xidraise
	unload && load nvidia && insmod $CELL_DIR/xidraise.ko || exit 1
	try probed_again
	raise "xidraise both process 48" "xidraise report process 49"
	end
	insmod $CELL_DIR/xidtp.ko || exit 1
else
	insmod $CELL_DIR/fakegpu.ko || exit 1
fi
errors tracepoint --source tracepoint -- "xidtp report process 61" "xidtp both process 62" "xidtp sxid process 12028"
errors both -- "xidtp both process 63" "xidtp report process 64" "xidtp report irq 65" "xidtp sxid process 12028"
errors kmsg --source kmsg -- "xidtp both process 46" "xidtp print irq 47"
' > "$said" 2> "$said.err" || { cat "$said" "$said.err" >&2; return 1; }
}

setup() {
	load helpers
	requires vm modules jq
}

# of RUN JQ: the errors of that run of gpuxid
of() { sed -n "s/^$1 \({\"schema\":\"gpuscope.xid.0\".*\)/\1/p" "$said" | jq -c "$2"; }
# pid RUN, cgroup RUN: of the culprit of that run
pid() { sed -n "s/^$1 rc 0 pid \([0-9]*\) .*/\1/p" "$said"; }
cgroup() { sed -n "s/^$1 rc 0 .* cgroup \([0-9]*\)/\1/p" "$said"; }

driver() { [ "${CELL#*/}" != none ] || skip "this cell has no driver"; }

@test "the driver's report alone: each error once, with the process that was in the call, its cgroup and the GPU" {
	driver
	[ "$(of kprobe '[.code, .source, .owner, .comm, .pci, .gpu, .minor, .model, .simulated, .text]')" = \
'[31,"report_error","task","culprit","0000:40:00.0",0,0,"NVIDIA H100 80GB HBM3","simulated","number %u (simulated by xidraise)"]
[45,"report_error","task","culprit","0000:40:00.0",0,0,"NVIDIA H100 80GB HBM3","simulated","number %u (simulated by xidraise)"]' ]
	[ "$(of kprobe '[.pid, .tid, .cgroup_id, .cgroup]' | sort -u)" = "[$(pid kprobe),$(pid kprobe),$(cgroup kprobe),\"/culprits\"]" ]
	grep -qx 'kprobe err gpuxid: report: kprobe nvidia:nv_report_error.*' "$said"
}

@test "the driver's line alone: each error once, with the process by the driver's word" {
	driver
	[ "$(of console '[.code, .source, .owner, .comm, .pci, .simulated, .text]')" = \
'[31,"console","driver","culprit","0000:40:00.0","simulated","number 0 (simulated by xidraise)"]
[45,"console","driver","culprit","0000:40:00.0","simulated","number 0 (simulated by xidraise)"]' ]
	[ "$(of console '[.pid, .cgroup_id, .cgroup]' | sort -u)" = "[$(pid console),$(cgroup console),\"/culprits\"]" ]
}

@test "line and report of one error are one; what an interrupt or a kernel thread raises is nobody's" {
	driver
	[ "$(of all 'select(.code != 13) | [.code, .source, .owner, .pid > 0]')" = \
'[45,"console","driver",true]
[31,"report_error","task",true]
[32,"report_error","unknown",false]
[33,"console","unknown",false]
[34,"report_error","unknown",false]
[35,"console","unknown",false]' ]
	[ "$(of all 'select(.code == 13) | .text' | sort -u | wc -l)" -eq 50 ]
	[ "$(of all 'select(.code == 13) | .code' | wc -l)" -eq 50 ]
	[ "$(of all '.id' | paste -sd,)" = "$(seq -s, 56)" ]
}

@test "the driver is unloaded and loaded again meanwhile, and is probed anew" {
	driver
	[ "$(of reload '[.code, .source, .owner, .pid]' | paste -sd' ')" = \
		"[48,\"console\",\"driver\",$(pid reload)] [49,\"report_error\",\"task\",$(pid reload)]" ]
}

@test "tracepoints as drivers have them from 575 on: each error once, the details of an SXid with none of their own" {
	[ "$(of tracepoint '[.nvswitch, .code, .source, .owner, .comm, .pid, .severity, .text]')" = \
"[0,61,\"tracepoint\",\"task\",\"culprit\",$(pid tracepoint),\"error\",\"number 0 (simulated by xidtp)\"]
[0,62,\"tracepoint\",\"task\",\"culprit\",$(pid tracepoint),\"fatal\",\"number 0 (simulated by xidtp)\"]
[1,12028,\"tracepoint\",\"task\",\"culprit\",$(pid tracepoint),\"warning\",\"Non-fatal, Link 32 egress (First) (simulated by xidtp)\"]" ]
	[ "$(of both '[.nvswitch, .code, .source, .owner]' | paste -sd' ')" = \
		'[0,63,"console","driver"] [0,64,"tracepoint","task"] [0,65,"tracepoint","unknown"] [1,12028,"console","task"]' ]
	grep -qx 'both err gpuxid: report: raw_tracepoint nvidia_dev_xid' "$said"
}

@test "/dev/kmsg alone: each error once, with the process by the driver's word" {
	[ "$(of kmsg '[.code, .source, .owner, .pid, .comm, .cgroup, .simulated]' | paste -sd' ')" = \
		"[46,\"kmsg\",\"driver\",$(pid kmsg),\"culprit\",\"/culprits\",\"simulated\"] [47,\"kmsg\",\"unknown\",0,\"\",\"\",\"simulated\"]" ]
}
