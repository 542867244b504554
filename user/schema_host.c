// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The field tables of what the kernel and its drivers did; see schema.h. */
#include "host.h"
#include "schema_parts.h"

static const struct enum_name block_ops[] = {
	{ 0, "read" }, { 1, "write" }, { 2, "flush" }, { 3, "discard" }, {}
};
const struct field switch_fields[] = {
	F(sched_switch_rec, on, AS_DEC, "1: got the CPU, 0: left it"),
	F(sched_switch_rec, state, AS_HEX, "task state when it left, 0 runnable"),
	F(sched_switch_rec, other_tid, AS_DEC, "thread that left or came"),
	{}
};
const struct field wake_fields[] = {
	F(wake, waker_pid, AS_DEC, "who woke it"), F(wake, waker_tid, AS_DEC, "its thread"), {}
};
const struct field fault_fields[] = {
	F(fault, addr, AS_HEX, "address"),
	F(fault, ip, AS_HEX, "instruction"),
	F(fault, code, AS_HEX, "error code of the CPU"),
	{}
};
static const struct enum_name driver_ops[] = {
	{ DRIVER_OPEN, "open" }, { DRIVER_IOCTL, "ioctl" }, { DRIVER_MMAP, "mmap" },
	{ DRIVER_POLL, "poll" }, { DRIVER_CLOSE, "close" }, {}
};
static const struct enum_name driver_kinds[] = {
	{ DRIVER_OTHER, "other" }, { DRIVER_NVIDIA, "nvidia" },
	{ DRIVER_NVIDIA_UVM, "nvidia-uvm" }, {}
};
const struct field driver_fields[] = {
	F(driver_call, dur_ns, AS_NS, "time in the call"),
	F(driver_call, cmd, AS_HEX, "ioctl: request"),
	F(driver_call, device, AS_DEVNO, "character device"),
	F(driver_call, fd, AS_SIGNED, "file descriptor, -1 unknown"),
	F(driver_call, result, AS_SIGNED, "result, negative errno on failure"),
	F(driver_call, rm, AS_HEX, "resource manager: control command or class, 0 none"),
	F(driver_call, status, AS_HEX, "NV_STATUS, 0xffffffff none"),
	F(driver_call, client, AS_HEX, "resource manager: client handle"),
	F(driver_call, object, AS_HEX, "resource manager: object handle"),
	F(driver_call, bytes, AS_SIZE, "mmap: length; ioctl: size of the parameters behind it"),
	FE(driver_call, op, driver_ops, "call"),
	F(driver_call, escape, AS_DEC, "ioctl: number of the command, inside a wrapper"),
	FE(driver_call, driver, driver_kinds, "whose ioctls they are"),
	{}
};
const struct field driver_sum_fields[] = {
	F(driver_sum, from_ns, AS_TIME, "when the snapshot before was read"),
	F(driver_sum, interval, AS_DEC, "number of the snapshot"),
	F(driver_sum, count, AS_DEC, "calls"),
	F(driver_sum, since_ns, AS_TIME, "end of the first call counted"),
	F(driver_sum, time_ns, AS_NS, "time in them"),
	F(driver_sum, max_ns, AS_NS, "longest call"),
	F(driver_sum, cmd, AS_HEX, "ioctl: request"),
	F(driver_sum, device, AS_DEVNO, "character device"),
	F(driver_sum, rm, AS_HEX, "resource manager: control command or class, 0 none"),
	F(driver_sum, status, AS_HEX, "NV_STATUS, 0xffffffff none"),
	F(driver_sum, result, AS_ERRNO, "0, or what all of them failed with"),
	FE(driver_sum, op, driver_ops, "call"),
	F(driver_sum, escape, AS_DEC, "ioctl: number of the command, inside a wrapper"),
	FE(driver_sum, driver, driver_kinds, "whose ioctls they are"),
	F(driver_sum, slots, AS_HIST, "calls by time: log2 of microseconds"),
	{}
};
const struct field block_fields[] = {
	F(block_io, dur_ns, AS_NS, "issue to completion"),
	F(block_io, sector, AS_DEC, "first sector"),
	F(block_io, bytes, AS_SIZE, "length"),
	F(block_io, device, AS_DEVNO, "block device"),
	FE(block_io, op, block_ops, "operation"),
	F(block_io, error, AS_ERRNO, "0 or negative errno"),
	{}
};
