#!/usr/bin/env bats
# gpuxid: logs of every form (lines of our own, and other people's files with reference numbers),
# the kernel's log of this machine, and in the VM the real driver.

setup() {
	load helpers
	tool="$BIN/gpuxid"
	log="$BATS_TEST_TMPDIR/log"
	export TZ=UTC
}

# read_log FILTER < LINES: the errors in them, by jq
read_log() {
	cat > "$log"
	"$tool" -j -f "$log" > "$log.json"
	jq -c "select(.schema == \"gpuscope.xid.0\") | $1" "$log.json"
}

# counted FILE: {"CODE":COUNT,...} of Xids and of SXids, and by GPU, as expected.json has them
counted() {
	"$tool" -j -f "$1" | jq -s -S 'map(select(.schema == "gpuscope.xid.0")) |
		def by(f): group_by(f) | map({ key: (.[0] | f), value: length }) | from_entries;
		{ xid: (map(select(.nvswitch == 0)) | by(.code | tostring)),
		  sxid: (map(select(.nvswitch == 1)) | by(.code | tostring)),
		  xid_by_gpu: (map(select(.nvswitch == 0)) | by(.pci[:-2])) }'
}

# ---- logs ----

@test "the driver's words of all generations: address, number, MIG instance, process, message" {
	requires jq
	[ "$(read_log '[.pci, .nvswitch, .code, .gpu_instance, .compute_instance, .pid, .comm, .owner, .text]' << 'END'
NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python3, Ch 00000010, intr 00000000
NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, Ch 00000010
NVRM: Xid (PCI:0000:3b:00): 31, Ch 00000010
NVRM: Xid (PCI:0000:3b:00.0): 79, GPU has fallen off the bus.
NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
NVRM: Xid (PCI:000a:3b:1f GPU-I:05 GPU-CI:11): 94, pid=7, name=a b, Contained
NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 94, Contained
NVRM: Xid (0000:03:00): 62, !2369(0000)
NVRM: Xid (0003:00): 13, 0003 00000000
NVRM: Xid: 8, Channel 0000001e
NVRM: Xid (PCI:0000:3b:00): 45
NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=averyverylongname, physical error
nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress
END
)" = '["0000:3b:00.0",0,31,-1,-1,4711,"python3","driver","Ch 00000010, intr 00000000"]
["0000:3b:00.0",0,31,-1,-1,4711,"","driver","Ch 00000010"]
["0000:3b:00.0",0,31,-1,-1,0,"","unknown","Ch 00000010"]
["0000:3b:00.0",0,79,-1,-1,0,"","unknown","GPU has fallen off the bus."]
["0000:3b:00.0",0,79,-1,-1,0,"","unknown","GPU has fallen off the bus."]
["000a:3b:1f.0",0,94,5,11,7,"a b","driver","Contained"]
["0000:3b:00.0",0,94,5,-1,0,"","unknown","Contained"]
["0000:03:00.0",0,62,-1,-1,0,"","unknown","!2369(0000)"]
["0000:03:00.0",0,13,-1,-1,0,"","unknown","0003 00000000"]
["-",0,8,-1,-1,0,"","unknown","Channel 0000001e"]
["0000:3b:00.0",0,45,-1,-1,0,"","unknown",""]
["0000:3b:00.0",0,13,-1,-1,7,"averyverylongna","driver","physical error"]
["0000:c1:00.0",1,12028,-1,-1,0,"","unknown","Non-fatal, Link 32 egress"]' ]
}

@test "stamps of dmesg, syslog, journalctl and /dev/kmsg are the same moment" {
	requires jq
	touch -d 2025-01-22 "$log"
	x='NVRM: Xid (PCI:0000:3b:00): 31, x'
	[ "$(sed "s/\$/ $x/" << 'END' | { cat > "$log"; touch -d 2025-01-22 "$log"; "$tool" -j -f "$log"; } | jq -r 'select(.time) | .time' | sort | uniq -c | awk '{ print $1, $2 }'
2025-01-21T02:21:33,000000+00:00
kern  :warn  : 2025-01-21T02:21:33,000000+00:00
2025-01-21T03:21:33.000000+01:00 host kernel: [   12.500000]
2025-01-21T02:21:33+0000 host kernel:
2025-01-20T18:21:33-0800 host kernel:
2025-01-21T02:21:33.000000Z stdout F [   12.500000]
2025-01-21 02:21:33 host kernel:
[Tue Jan 21 02:21:33 2025]
[Di Jan 21 02:21:33 2025]
[mar. janv. 21 02:21:33 2025]
[mar ene 21 02:21:33 2025]
[二 1月 21 02:21:33 2025]
[火  1月 21 02:21:33 2025]
[2025-01-21T02:21:33,000000+00:00]
<4>[Tue Jan 21 02:21:33 2025]
Jan 21 02:21:33 host kernel:
Jan 21 02:21:33 host kernel: [   12.500000]
Jan 21 02:21:33.000000 host kernel:
Tue 2025-01-21 02:21:33 UTC host kernel:
1737426093.000000 host kernel:
END
)" = "20 2025-01-21T02:21:33.000000Z" ]
	[ "$(read_log '[.ts, .time]' << 'END' | sort -u
[   12.500000] NVRM: Xid (PCI:0000:3b:00): 31, x
[   12.500000][ T1234] NVRM: Xid (PCI:0000:3b:00): 31, x
<4>[   12.500000] NVRM: Xid (PCI:0000:3b:00): 31, x
kern  :warn  : [   12.500000] NVRM: Xid (PCI:0000:3b:00): 31, x
[   12.500000 <    0.000001>] NVRM: Xid (PCI:0000:3b:00): 31, x
[   12.500000] host kernel: NVRM: Xid (PCI:0000:3b:00): 31, x
4,100,12500000,-;NVRM: Xid (PCI:0000:3b:00): 31, x
4,100,12500000,-,caller=T12;NVRM: Xid (PCI:0000:3b:00): 31, x
END
)" = '[12500000000,""]' ]
	# a stamp without a year is of the last year that the file can be of
	echo 'Dec 31 23:59:59 host kernel: NVRM: Xid (PCI:0000:3b:00): 31, x' > "$log"
	touch -d 2025-01-01T12:00 "$log"
	[ "$("$tool" -j -f "$log" | jq -r '.time // empty')" = 2024-12-31T23:59:59.000000Z ]
	# local time of whoever reads it, where the stamp has no zone
	[ "$(TZ=UTC-2 "$tool" -j -f <(echo "[Tue Jan 21 02:21:33 2025] $x") | jq -r '.time // empty')" = 2025-01-21T00:21:33.000000Z ]
	# language and delta stamps that tell no time do not hide the error
	[ "$(read_log '[.code, .time]' << 'END'
[ti tammi 21 02:21:33 2025] NVRM: Xid (PCI:0000:3b:00): 31, x
[  +0.000005] NVRM: Xid (PCI:0000:3b:00): 32, x
#### NVRM: Xid (PCI:0000:3b:00): 33, x
END
)" = '[31,""]
[32,""]
[33,""]' ]
}

@test "what others say of an error is no error" {
	requires jq
	[ -z "$(read_log . << 'END'
Jan 21 02:21:33 host node-problem-detector[12]: NVRM: Xid (PCI:0000:3b:00): 31, quoted
Jan 21 02:21:33 host gpud: NVRM: Xid (PCI:0000:3b:00): 31, quoted
I0121 02:21:33.1 12 kmsg.go:45] NVRM: Xid (PCI:0000:3b:00): 31, quoted
level=warn msg="NVRM: Xid (PCI:0000:3b:00): 31, quoted"
{"__REALTIME_TIMESTAMP":"1","MESSAGE":"NVRM: Xid (PCI:0000:3b:00): 31, x","SYSLOG_IDENTIFIER":"gpud"}
[   12.5] nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing
[   12.5] nvidia-nvswitch2: open (major=510)
[   12.5] NVRM: Xid error: xyz, invalid data
[   12.5] NVRM: Xid (invalid): some error
[   12.5] NVRM: Xid (PCI:0000:3b:00): none
[   12.5] NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! Xid 79 came before
[   12.5] oops: Xid (PCI:0000:3b:00): 31, x
[Feb 25 2025 13:59:45] [ERROR] [tid 1803] detected NVSwitch fatal SXid 20034
END
)" ]
	[ "$(read_log '[.code, .time, .text]' << 'END'
{"__REALTIME_TIMESTAMP" : "1737426093498559", "MESSAGE" : "NVRM: Xid (PCI:0000:3b:00): 31, x", "SYSLOG_IDENTIFIER" : "kernel"}
END
)" = '[31,"2025-01-21T02:21:33.498559Z","x"]' ]
}

@test "one event for each occurrence: repeated lines, details of an SXid, wrapped and joined lines" {
	requires jq
	[ "$(read_log '[.code, .pid, .lines, .text]' << 'END'
[    1.0] nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress (First)
[    1.1] nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Severity 0 Engine instance 32 Sub-engine instance 00
[    1.2] nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Data {0x00140004, 0x00100000}
[    1.3] nvidia-nvswitch4: SXid (PCI:0000:06:00.0): 12028, Severity 0 Engine instance 32 Sub-engine instance 00
Jan 21 02:21:33 host kernel: message repeated 2 times: [ NVRM: Xid (PCI:0000:3b:00): 32, rep]
[    2.0] NVRM: Xid (PCI:0000:38:
00): 13, pid=12345, name=python, wrapped
[    2.0] NVRM: Xid (PCI:0000:38:00): 14, pid=12
345, name=python, wrapped
[    2.0] NVRM: Xid (PCI:0000:38:00): 15
[    2.0] NVRM: Xid (PCI:0000:38:00): 16
[    2.1] NVRM: Xid (PCI:0000:38:00): 17, aNVRM: Xid (PCI:0000:39:00): 18, b caused by previous Xid 62
END
)" = '[12028,0,3,"Non-fatal, Link 32 egress (First) | Severity 0 Engine instance 32 Sub-engine instance 00 | Data {0x00140004, 0x00100000}"]
[12028,0,1,"Severity 0 Engine instance 32 Sub-engine instance 00"]
[32,0,1,"rep"]
[32,0,1,"rep"]
[13,12345,1,"wrapped"]
[14,12345,1,"wrapped"]
[15,0,1,""]
[16,0,1,""]
[17,0,1,"a"]
[18,0,1,"b caused by previous Xid 62"]' ]
}

@test "carriage returns, NULs, garbage, a line of a megabyte and no end of line are read over" {
	requires jq
	{
		printf '[    1.0] NVRM: Xid (PCI:0000:3b:00): 31, one\r\n'
		printf '[    2.0] \0NVRM: Xid (PCI:0000:3b:00): 32, t\0wo\n'
		head -c 5000 /dev/urandom | tr X x
		printf '\n[    3.0] '
		head -c 1000000 /dev/zero | tr '\0' z
		printf ' NVRM: Xid (PCI:0000:3b:00): 33, three'
		head -c 70000 /dev/zero | tr '\0' z
		printf '\n[    4.0] NVRM: Xid (PCI:0000:3b:00): 34, four'
	} > "$log"
	[ "$("$tool" -j -f "$log" | jq -c 'select(.code) | [.ts / 1e9, .code, .text[:5]]')" = '[1,31,"one"]
[2,32,"t wo"]
[3,33,"three"]
[4,34,"four"]' ]
	gzip -k "$log"
	cmp <("$tool" -j -f "$log") <("$tool" -j -f "$log.gz")
	cmp <("$tool" -j -f "$log") <("$tool" -j -f - < "$log.gz")
	head -c -20 "$log.gz" > "$log.cut.gz"
	run -1 --separate-stderr "$tool" -f "$log.cut.gz"
	[ "$stderr" = "gpuxid: cannot read $log.cut.gz: the gzip data end in the middle" ]
	printf '\x1f\x8b\x08garbage' > "$log.bad.gz"
	run -1 --separate-stderr "$tool" -f "$log.bad.gz"
	[ "$stderr" = "gpuxid: cannot read $log.bad.gz: damaged gzip data" ]
	run -1 "$tool" -f /nowhere
	[ "$output" = "gpuxid: cannot open /nowhere: No such file or directory" ]
	run -1 "$tool" -f /
	[ "$output" = "gpuxid: cannot read /: Is a directory" ]
}

@test "what two files hold alike is told once, what one holds twice is told twice" {
	requires jq
	printf '[    1.0] NVRM: Xid (PCI:0000:3b:00): 31, %s\n' a a b > "$log.1"
	printf '[    1.0] NVRM: Xid (PCI:0000:3b:00): 31, %s\n' b a c a a > "$log.2"
	[ "$("$tool" -j -f "$log.1" -f "$log.2" | jq -r 'select(.code) | .text' | paste -sd,)" = a,a,b,c,a ]
}

@test "bursts are one line of the table and carry one number in JSON" {
	requires jq
	cat > "$log" << 'END'
2025-01-21T02:21:30+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=a, x
2025-01-21T02:21:31+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=a, y
2025-01-21T02:21:31+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=8, name=b, y
2025-01-21T02:21:40+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=a, z
2025-01-21T02:21:51+00:00 NVRM: Xid (PCI:0000:3b:00): 13, pid=7, name=a, z
END
	run -0 "$tool" -f "$log"
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[1]}" == "2025-01-21 02:21:30.000 02:21:40.000     3 0000:3b:00.0   - Xid 13           7 a "*": x" ]]
	[[ "${lines[2]}" == "2025-01-21 02:21:31.000                  1 0000:3b:00.0   - Xid 13           8 b "* ]]
	[[ "${lines[3]}" == "2025-01-21 02:21:51.000                  1 0000:3b:00.0   - Xid 13           7 a "* ]]
	[ "$("$tool" -j -f "$log" | jq -c 'select(.code) | .burst' | paste -sd,)" = 1,1,2,1,3 ]
	run -0 "$tool" --fold 0 -f "$log"
	[ "${#lines[@]}" -eq 6 ]
	run -0 "$tool" --fold 60s -p 7 -f "$log"
	[ "${#lines[@]}" -eq 2 ]
}

@test "what cannot be is not believed: days, times, processes, addresses" {
	requires jq
	[ "$({ read_log '[.time, .ts, .pid, .owner, .pci]'; } << 'END'
2025-02-31T02:21:33+00:00 NVRM: Xid (PCI:0000:3b:00): 31, x
2025-99-99T02:21:33+00:00 NVRM: Xid (PCI:0000:3b:00): 31, x
Foo 99 02:21:33 host kernel: NVRM: Xid (PCI:0000:3b:00): 31, x
Jan 99 02:21:33 host kernel: NVRM: Xid (PCI:0000:3b:00): 31, x
[999999999999.500000] NVRM: Xid (PCI:0000:3b:00): 31, 2^64 ns are passed
NVRM: Xid (PCI:0000:3b:00): 31, pid=-1, name=a, x
NVRM: Xid (PCI:0000:3b:00): 31, pid=4294967295, name=a, x
NVRM: Xid (PCI:0000:3b:00): 31, pid=4194304, name=a, x
NVRM: Xid (PCI:0000:13b:00): 31, x
NVRM: Xid (PCI:0000:3b:20): 31, x
END
)" = '["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,0,"unknown","0000:3b:00.0"]
["",0,4194304,"driver","0000:3b:00.0"]
["",0,0,"unknown","-"]
["",0,0,"unknown","-"]' ]
	# a leap day without a year is of the last leap year
	echo 'Feb 29 02:21:33 host kernel: NVRM: Xid (PCI:0000:3b:00): 31, x' > "$log"
	touch -d 2027-06-01 "$log"
	[ "$("$tool" -j -f "$log" | jq -r '.time // empty')" = 2024-02-29T02:21:33.000000Z ]
}

@test "bursts in great number need little memory: none in JSON, and the words of their first in the table" {
	seq 100000 | sed 's/.*/[&.0] NVRM: Xid (PCI:0000:3b:00): 13, pid=&, name=a, x/' > "$log"
	[ "$(ulimit -v 30000; "$tool" -j -f "$log" | wc -l)" -eq 100001 ]
	[ "$(ulimit -v 60000; "$tool" -f "$log" | wc -l)" -eq 100001 ]
}

@test "what it means and what to do: catalogue, Xid 154 by its message, SXid by the driver's verdict" {
	requires jq
	[ "$(read_log '[.code, .name, .severity, .action]' << 'END'
NVRM: Xid (PCI:0000:3b:00): 13, x
NVRM: Xid (PCI:0000:3b:00): 48, x
NVRM: Xid (PCI:0000:3b:00): 63, x
NVRM: Xid (PCI:0000:3b:00): 74, x
NVRM: Xid (PCI:0000:3b:00): 79, x
NVRM: Xid (PCI:0000:3b:00): 95, x
NVRM: Xid (PCI:0000:3b:00): 119, x
NVRM: Xid (PCI:0000:3b:00): 135, x
NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)
NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)
NVRM: Xid (PCI:0000:3b:00): 999, x
nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 20013, Fatal, Link 30 LTSSM Fault Up
nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32
nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 10004, Fatal, hot
END
)" = '[13,"ROBUST_CHANNEL_GR_EXCEPTION","error","restart_app"]
[48,"ROBUST_CHANNEL_GPU_ECC_DBE","fatal","drain_and_reset"]
[63,"INFOROM_PAGE_RETIREMENT_EVENT","warning","nothing"]
[74,"NVLINK_ERROR","error","check_nvlink"]
[79,"ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS","fatal","restart_node"]
[95,"ROBUST_CHANNEL_UNCONTAINED_ERROR","fatal","reset_gpu"]
[119,"GSP_RPC_TIMEOUT","fatal","reset_gpu"]
[135,"ROBUST_CHANNEL_CE19_ERROR","error","restart_app"]
[154,"GPU_RECOVERY_ACTION_CHANGED","info","reset_gpu"]
[154,"GPU_RECOVERY_ACTION_CHANGED","info","restart_node"]
[999,"","error","unknown"]
[20013,"DLPL_LTSSM_FAULT","fatal","reset_fabric"]
[12028,"NPORT_EGRESS_PRIVRSPERR","warning","nothing"]
[10004,"HOST_THERMAL_EVENT_START","fatal","check_cooling"]' ]
}

@test "the UUID that the log tells of a GPU is known, and chooses; so do --code and --gpu" {
	requires jq
	cat > "$log" << 'END'
NVRM: GPU at PCI:0000:3b:00: GPU-b850f46d-d5ea-c752-ddf3-c4453e44d3f7
NVRM: Xid (PCI:0000:3b:00): 31, x
NVRM: Xid (PCI:0000:5e:00): 32, x
NVRM: Xid (PCI:0000:5e:00): 33, x
END
	[ "$("$tool" -j -f "$log" | jq -c 'select(.code) | [.code, .uuid]' | paste -sd' ')" = \
		'[31,"GPU-b850f46d-d5ea-c752-ddf3-c4453e44d3f7"] [32,""] [33,""]' ]
	codes() { "$tool" -j -f "$log" "$@" | jq 'select(.code) | .code' | paste -sd,; }
	[ "$(codes -g GPU-b850f46d)" = 31 ]
	[ "$(codes -g 0000:5e:00)" = 32,33 ]
	[ "$(codes -g 00000000:5E:00.0 -c 33,31)" = 33 ]
	[ "$(codes -n 2)" = 31,32 ]
}

@test "a log recorded is a recording: -o and -i give what -f gives" {
	requires jq
	printf '2025-01-21T02:21:33.5+00:00 NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 31, pid=7, name=a, %s\n' x y yy zzz > "$log"
	"$tool" -f "$log" -o "$log.gst"
	cmp <("$tool" -j -f "$log") <("$tool" -j -i "$log.gst")
	cmp <("$tool" -f "$log") <("$tool" -i "$log.gst")
}

@test "other people's logs have as many errors as their reference numbers say" {
	requires data jq
	for f in "$DATA"/traces/dmesg/*; do
		want="$(jq -S --arg f "dmesg/$(basename "$f")" '.[$f] | { xid, sxid, xid_by_gpu }' "$DATA/traces/expected.json")"
		[ "$(counted "$f")" = "$want" ] || { echo "$f"; diff <(echo "$want") <(counted "$f"); false; }
	done
	# 636 errors in nine hours are 19 lines
	run -0 "$tool" -f "$DATA/traces/dmesg/xid13_xid43_storm.log"
	[ "${#lines[@]}" -eq 17 ]
	[ "$(awk 'NR > 1 { n += $4 ~ /^[0-9]+$/ ? $4 : $3 } END { print n }' <<< "$output")" -eq 636 ]
}

@test "a log of any bytes: the fuzzer finds nothing in ten seconds" {
	cd "$ROOT"
	fuzzer "$log.fuzz" tests/fuzz/xid.c user/xid_{log,stamp,file,row,host,catalog}.c user/{sxid_names,hash,arena,out}.c user/schema*.c \
		user/driver_{names,table}.c -lz
	mkdir "$log.corpus"
	sed -n 's/^\(.*NVRM: Xid.*\|.*SXid (PCI.*\)$/\1/p' "$BATS_TEST_FILENAME" > "$log.corpus/lines"
	gzip -k "$log.corpus/lines"
	split -l 3 "$log.corpus/lines" "$log.corpus/few-"
	run -0 "$log.fuzz" -max_total_time=10 -rss_limit_mb=1000 -timeout=10 -max_len=4096 -artifact_prefix="$log." "$log.corpus"
}

# ---- this machine's kernel log ----

# say CODE: a line in the kernel's log, as a process writes it
say() { echo "NVRM: Xid (PCI:00fe:3b:00): $1, pid=$BASHPID, name=bats, $BATS_TEST_NAME $$" > /dev/kmsg; }
# heard: numbers in $out
heard() { jq -c 'select(.pci == "00fe:3b:00.0") | .code' "$out" | paste -sd,; }

@test "a line in the kernel's log is told at once by the console tracepoint, and as what it is" {
	requires bpf jq
	[ -w /dev/kmsg ] || skip "needs a writable /dev/kmsg"
	trace "$tool" -j -- eval 'say 31; say 45; echo "<4>nvidia-nvswitch0: SXid (PCI:00fe:05:00.0): 20013, Fatal, Link 3" > /dev/kmsg;
		echo "<4>nvidia-nvswitch0: SXid (PCI:00fe:05:00.0): 20013, Severity 1 Engine" > /dev/kmsg; echo "NVRM: nothing of note" > /dev/kmsg'
	[ "$(heard)" = 31,45 ]
	[ "$(jq -c 'select(.code == 45) | [.source, .simulated, .comm, .owner]' "$out")" = '["console","written","bats","driver"]' ]
	[ "$(jq -c "select(.code == 45) | .pid == $$ or .pid > 0" "$out")" = true ]
	# who writes a line is not whose error it is; the line behind it belongs to it
	[ "$(jq -c 'select(.nvswitch == 1) | [.code, .pid, .owner, .severity]' "$out")" = '[20013,0,"unknown","fatal"]' ]
	[ ! -s "$err" ]
}

# burst SOURCE: three errors at once, of which the table tells when they are over, not when the tool ends
burst() {
	out="$BATS_TEST_TMPDIR/out"
	"$tool" --fold 200ms --source "$1" > "$out" 2> "$out.err" 3>&- &
	pid=$!
	begun() { say "$1"; grep -q "Xid $1 " "$out"; }
	until_true begun 29
	say 45; say 45; say 45
	until_true grep -q ' +2 00fe:3b:00.0 .* Xid 45 ' "$out"
	kill -INT "$pid"
	wait "$pid"
	[ "$(grep -c ' Xid 45 ' "$out")" -eq 2 ]
	[ "$(grep -c '^TIME' "$out")" -eq 1 ]
}

@test "what comes behind the first of a burst is told when the burst is over" {
	requires bpf
	[ -w /dev/kmsg ] || skip "needs a writable /dev/kmsg"
	burst console
	burst kmsg
}

# caller: 70 ioctls, the last with request 0x7846, and an error that names it
caller() {
	perl -e 'open(F, "</dev/full"); ioctl(F, 0x7800 + $_, $b) for 1..70; open(K, ">/dev/kmsg");
		syswrite K, "NVRM: Xid (PCI:00fe:3b:00): 31, pid=$$, name=perl, calls\n"'
}

@test "beside a recorder, the last 64 calls of the process are told, the latest first" {
	requires bpf jq perl
	[ -w /dev/kmsg ] || skip "needs a writable /dev/kmsg"
	"$BIN/gpuioctl" --device /dev/full > "$log.calls" 3>&- &
	recorder=$!
	until_true attached "$recorder"
	trace "$tool" -v -j -- caller
	kill -INT "$recorder"
	wait "$recorder"
	grep -qx "gpuxid: calls: from the recorder that runs" "$err"
	diff <(jq -r 'select(.schema == "gpuscope.xid_call.0") | "\(.age) \(.cmd) \(.result)"' "$out") \
		<(for age in $(seq 0 63); do printf '%d 0x%x -25\n' "$age" $((0x7846 - age)); done)
	[ "$(jq -r 'select(.schema == "gpuscope.xid_call.0") | .pid' "$out" | sort -u)" = "$(jq 'select(.code) | .pid' "$out")" ]
}

@test "a recording of gpurec has the errors and the calls before them" {
	requires bpf jq perl
	[ -w /dev/kmsg ] || skip "needs a writable /dev/kmsg"
	"$BIN/gpurec" -o "$log.gst" -- bash -c "$(declare -f caller); caller; true" 2> "$log.err" || { cat "$log.err"; false; }
	run -0 "$tool" -i "$log.gst" --calls 64
	[ "$(grep -c ' Xid 31 .* perl ' <<< "$output")" -eq 1 ]
	[ "$(grep -c ' before, thread ' <<< "$output")" -eq 64 ]
	[[ "${lines[1]}" == "$(date +%Y-%m-%d)"* ]]
	[ "$("$tool" -j -i "$log.gst" | jq -r 'select(.schema == "gpuscope.xid_call.0") | .age' | paste -sd,)" = "$(seq -s, 0 63)" ]
}

@test "without probes /dev/kmsg is read, from now on, with the same result" {
	requires root jq
	[ -w /dev/kmsg ] || skip "needs a writable /dev/kmsg"
	say 29
	out="$BATS_TEST_TMPDIR/out"
	"$tool" -v -j --source kmsg -n 2 > "$out" 2> "$out.err" 3>&- &
	pid=$!
	until_true grep -qx "gpuxid: source: /dev/kmsg, from here on" "$out.err"
	say 31
	say 45
	wait "$pid"
	[ "$(heard)" = 31,45 ]
	[ "$(jq -c 'select(.code == 45) | [.source, .simulated, .comm, .owner]' "$out")" = '["kmsg","written","bats","driver"]' ]
	# and the past is a file
	[ "$("$tool" -j -f /dev/kmsg | jq -c "select(.text == \"$BATS_TEST_NAME $$\") | .code" | paste -sd,)" = 29,31,45 ]
}

@test "without privileges it says what it lacks" {
	requires root
	[ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ] || skip "anybody may read this machine's kernel log"
	run -1 unprivileged "$tool"
	[ "${lines[0]}" = "gpuxid: cannot use probes: they need CAP_BPF, CAP_PERFMON; reading /dev/kmsg" ]
	[ "${lines[1]}" = "gpuxid: cannot read /dev/kmsg: Operation not permitted (run as root; or as anybody after sysctl kernel.dmesg_restrict=0)" ]
}

@test "a recording holds all of them: parts are chosen when it is read" {
	run -1 "$tool" -o "$log.gst" -c 31
	[ "$output" = "gpuxid: cannot record a part of the errors (--gpu, --code and --cgroup go with -i)" ]
	run -1 "$tool" --source kmsg,console
	[ "$output" = "gpuxid: cannot use /dev/kmsg beside probes: they would tell the same twice" ]
}
