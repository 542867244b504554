#!/usr/bin/env bats
# gpuioctl: calls of drivers. The host has no driver, so any character device stands for one; the
# driver itself is in a virtual machine, where tests/vm/nvctl prints what it asked.

setup() {
	load helpers
	tool="$BIN/gpuioctl"
	gst="$BATS_TEST_TMPDIR/x.gst"
	cd "$BATS_TEST_TMPDIR" || exit
}

# asker: 7 ioctls on /dev/full, 5 on /dev/zero, 1003 polls of /dev/full, one mapping of /dev/zero; says its pid
asker() {
	cat > ask.py << 'END'
import fcntl, mmap, os, select
full, zero = os.open("/dev/full", os.O_RDWR), os.open("/dev/zero", os.O_RDWR)
for fd, cmd, n in (full, 0xc0206401, 7), (zero, 0x5401, 5):
    for _ in range(n):
        try: fcntl.ioctl(fd, cmd, bytes(32))
        except OSError: pass
p = select.poll()
p.register(full, select.POLLIN)
for _ in range(1003): p.poll(0)
mmap.mmap(zero, 8192).close()
os.close(full)
print(os.getpid())
END
	python3 ask.py > pid
}

# totals: of the asker, "device call status calls", from $out
totals() {
	jq -r "select(.schema == \"gpuscope.driver_total.0\" and .pid == $(cat pid)) | [.device, .call, .status, .calls] | join(\" \")" "${1:-$out}" | sort
}

truth="1:5 _IO('T', 0x01) ENOTTY 5
1:5 close  1
1:5 mmap  1
1:5 open  1
1:7 _IOWR('d', 0x01, 32) ENOTTY 7
1:7 close  1
1:7 open  1
1:7 poll  1003"

@test "calls are counted by process, device, call and result, to the call" {
	requires bpf jq python3
	trace "$tool" -j --device /dev/full,/dev/zero -- asker
	[ "$(totals)" = "$truth" ]
	[ "$(jq -c 'select(.schema == "gpuscope.end.0") | .lost' "$out")" = 0 ]
	# the table says the same, the most time first
	trace "$tool" --device /dev/full,/dev/zero -- asker
	grep -qE "^ *$(cat pid) python3 +1:7 +1003 .* poll$" "$out"
	sed '1,/TIME(us)/d' "$out" | awk '{ print $5 }' > order
	sort -rn order | cmp - order
}

@test "intervals add up to the totals" {
	requires bpf jq python3
	asker
	trace "$tool" -j -I 50ms --device /dev/full,/dev/zero -- sh -c 'for _ in 1 2 3 4 5; do python3 ask.py > pid; done'
	sum() { jq -c "select(.schema == \"gpuscope.driver_$1.0\") | [.pid, .devno, .call, .status, .calls, .ns]" "$out" |
		jq -sc 'group_by(.[:4]) | map([.[0][:4], (map(.[4]) | add), (map(.[5]) | add)]) | .[]'; }
	[ "$(sum interval | wc -l)" -ge 35 ]
	[ "$(sum interval)" = "$(sum total)" ]
	jq -se '[.[] | select(.schema == "gpuscope.driver_interval.0") | .ts > .from_ns] | all' "$out" > /dev/null
}

@test "a recording holds the same sums; --each has each call but polls" {
	requires bpf jq python3
	trace "$tool" -o "$gst" --each --device /dev/full,/dev/zero -- asker
	run -0 unprivileged "$tool" -j -i - < "$gst"
	[ "$(totals <(echo "$output"))" = "$truth" ]
	run -0 unprivileged "$tool" -j -e -i - < "$gst"
	[ "$(jq -r "select(.pid == $(cat pid)) | [.device, .call, .status] | join(\" \")" <<< "$output" | sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2) (NF == 3 ? "  " : " ") n }')" = "$(grep -v poll <<< "$truth")" ]
	[ "$(jq -c "select(.pid == $(cat pid) and .op == \"mmap\") | .bytes" <<< "$output")" = 8192 ]
	# live: as replayed
	trace "$tool" -j -e --device /dev/full,/dev/zero -- asker
	[ "$(jq -c "select(.pid == $(cat pid)) | .call" "$out" | wc -l)" -eq 17 ]
}

@test "what a replay prints is what was printed live" {
	requires bpf jq python3
	"$tool" -o "$gst" -I 50ms --device /dev/full,/dev/zero 3>&- &
	recorder=$!
	until_true attached $recorder
	trace "$tool" -j -I 50ms --device /dev/full,/dev/zero -- asker
	kill -INT $recorder
	wait $recorder
	"$tool" -j -i "$gst" > replay
	[ "$(totals)" = "$truth" ]
	[ "$(totals replay)" = "$truth" ]
	# and twice the same
	"$tool" -i "$gst" > a
	"$tool" -i - < "$gst" > b
	cmp a b
	[ "$(grep -c 'CALLS/s' a)" -ge 1 ]
}

@test "-p and -t count one process, one thread" {
	requires bpf jq python3
	trace "$tool" -j -p 1 --device /dev/full,/dev/zero -- asker
	[ -z "$(totals)" ]
	mkfifo go
	sh -c 'read -r _ < go; exec python3 ask.py > pid' 3>&- &
	pid=$!
	asker
	trace "$tool" -j -t $pid --device /dev/full,/dev/zero -- sh -c "echo > go; tail --pid=$pid -f /dev/null"
	wait $pid
	[ "$(cat pid)" = $pid ]
	[ "$(totals | grep -v open)" = "$(grep -v open <<< "$truth")" ]
	[ "$(jq -r 'select(.pid) | .pid' "$out" | sort -u)" = $pid ]
}

@test "a device whose node comes later is watched" {
	requires bpf jq python3
	"$tool" -j -I 20ms --device "$PWD/xpu*" > out 3>&- &
	pid=$!
	until_true attached $pid
	mknod xpu0 c 1 7		# as /dev/full: nobody else calls it
	seen() { python3 -c 'import fcntl; f = open("xpu0"); fcntl.ioctl(f, 0xc0207801, bytes(32))' 2> /dev/null; grep -q "0x78\|'x'" out; }
	until_true seen
	kill -INT $pid
	wait $pid
	[ "$(jq -r 'select(.schema == "gpuscope.driver_total.0" and .op == "ioctl") | .device' out | sort -u)" = 1:7 ]
}

@test "without the driver it says what to do" {
	requires root
	[ ! -e /sys/module/nvidia ] || skip "the driver is here"
	run -1 "$tool" -d 1s
	[ "$output" = 'gpuioctl: cannot attach the probes "gpuioctl": nvidia is not loaded (modprobe nvidia, or --wait)' ]
	"$tool" --wait 2> err 3>&- &
	until_true grep -qx 'gpuioctl: nvidia is not loaded: waiting for it (modprobe nvidia)' err
	kill -INT $!
	wait $!
}

@test "without privileges it says which it needs" {
	requires bpf nobody
	run -1 unprivileged "$tool" --device /dev/null -d 1s
	[[ "$output" == 'gpuioctl: cannot load the probes "gpuioctl": '*" (needs "*": run as root)" ]]
}

@test "options that only probes can honour are refused with a recording" {
	for option in --device=/dev/null --probe=kprobe; do
		run -2 "$tool" "$option" -i /dev/null
		[[ "${lines[0]}" == "gpuioctl: ${option%=*} acts in the probes: it means nothing with --input"* ]]
	done
	run -2 "$tool" --probe magic
}

@test "a probe that cannot be is said" {
	requires bpf
	[ ! -e /sys/module/nvidia ] || skip "the driver is here"
	run -1 "$tool" --probe fentry --device /dev/nvidia0 -d 1s
	[ "$output" = "gpuioctl: cannot attach calls of nvidia.ko: nvidia is not loaded" ]
}

@test "threads, forks, duplicates and descriptors that mean nothing: each call counts once, for who made it" {
	requires bpf jq python3
	cat > ask.py <<-'END_PY'
	import ctypes, fcntl, os, threading
	libc = ctypes.CDLL(None)
	libc.mmap.restype = ctypes.c_void_p
	def ask(fd, cmd, n):
	    for _ in range(n):
	        try: fcntl.ioctl(fd, cmd, bytes(32))
	        except OSError: pass
	full = os.open("/dev/full", os.O_RDWR)
	threads = [threading.Thread(target=ask, args=(full, 0xc0206401, 100)) for _ in range(8)]
	for t in threads: t.start()
	for t in threads: t.join()
	ask(os.dup(full), 0xc0206402, 50)
	child = os.fork()
	if child == 0:
	    ask(full, 0xc0206403, 30)
	    os._exit(0)
	os.waitpid(child, 0)
	libc.mmap(None, ctypes.c_size_t(4096), 3, 0x22, full, ctypes.c_long(0))	# MAP_ANONYMOUS: not of the device
	ask(999, 0xc0206404, 5)
	ask(os.open("/dev/null", os.O_RDWR), 0xc0206405, 5)
	print(os.getpid(), child)
	END_PY
	trace "$tool" -j --device /dev/full -- sh -c 'python3 ask.py > pids'
	read -r parent child < pids
	[ "$(jq -r 'select(.schema == "gpuscope.driver_total.0") | "\(.pid) \(.call) \(.calls)"' "$out" |
		grep -E "^($parent|$child) " | sed "s/^$parent /parent /; s/^$child /child /" | sort)" = "child _IOWR('d', 0x03, 32) 30
parent _IOWR('d', 0x01, 32) 800
parent _IOWR('d', 0x02, 32) 50
parent open 1" ]
}

@test "a device that is not there yet is said, a list with nothing in it is refused" {
	requires bpf
	run -0 "$tool" --device "$PWD/none*,/etc/passwd,/dev/full" -n 1 -d 1ms
	[ "$(grep -v COMM <<< "$output" | head -2)" = "gpuioctl: no character device is $PWD/none*: watched when it comes
gpuioctl: no character device is /etc/passwd: watched when it comes" ]
	for list in "" , /dev/full, ,/dev/full /dev/full,,/dev/null; do
		run -2 "$tool" --device "$list" -d 1ms
		[ "${lines[0]}" = "gpuioctl: --device wants paths with commas between them, not \"$list\"" ]
	done
}

@test "a recording whose sums count nothing, or back, has no rates from nowhere" {
	requires jq
	{
		echo "driver_sum ts=1000 from_ns=0 interval=1 pid=9 count=0 since_ns=5 op=poll device=0x0c300ff"
		echo "driver_sum ts=1000 from_ns=0 interval=1 pid=10 count=5 since_ns=5 time_ns=50 op=poll device=0x0c300ff"
		echo "driver_sum ts=2000 from_ns=1000 interval=2 pid=10 count=3 since_ns=5 time_ns=20 op=poll device=0x0c300ff"
	} | "$O/test/mktrace" > "$gst"
	run -0 "$tool" -i "$gst"
	[ "$("$tool" -j -i "$gst" | jq -c 'select(.calls) | [.pid, .calls, .ns]' | paste -sd' ')" = "[10,5,50] [10,3,20] [10,8,70]" ]
}
