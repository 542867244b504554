/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ioctls of /dev/nvidia-uvm that these programs use, as facts: numbers and
 * layouts, so that a program can be built where the driver's headers are not.
 * Read from 535.261.03 and 550.163.01; abi_check.c compares them with the headers.
 *
 * Where 550 has a field more, the struct here is the longer one: the older driver
 * leaves the rest alone.
 */
#ifndef UVM_ABI_H
#define UVM_ABI_H

#include <stdint.h>

enum {
	ABI_INITIALIZE = 0x30000001,
	ABI_REGISTER_GPU_VASPACE = 25,
	ABI_REGISTER_CHANNEL = 27,
	ABI_ENABLE_PEER = 29,
	ABI_FREE = 34,
	ABI_REGISTER_GPU = 37,
	ABI_PREFER = 42,
	ABI_UNPREFER = 43,
	ABI_READ_DUP_ON = 44,
	ABI_READ_DUP_OFF = 45,
	ABI_ACCESSED_BY = 46,
	ABI_NOT_ACCESSED_BY = 47,
	ABI_MIGRATE = 51,
	ABI_TOOLS_INIT = 56,
	ABI_TOOLS_ENABLE = 58,
	ABI_TOOLS_UUIDS = 64,
	ABI_TOOLS_FLUSH = 67,
	ABI_MM_INITIALIZE = 75,
};

struct abi_uuid {
	uint8_t b[16];
};

struct abi_initialize {
	uint64_t flags;
	uint32_t status;
};

struct abi_mm_initialize {
	int32_t uvm_fd;
	uint32_t status;
};

struct abi_register_gpu {
	struct abi_uuid gpu;
	uint8_t numa_enabled;
	int32_t numa_node;
	int32_t rm_fd;
	uint32_t client;
	uint32_t smc_part;
	uint32_t status;
};

struct abi_register_va_space {
	struct abi_uuid gpu;
	int32_t rm_fd;
	uint32_t client;
	uint32_t va_space;
	uint32_t status;
};

struct abi_register_channel {
	struct abi_uuid gpu;
	int32_t rm_fd;
	uint32_t client;
	uint32_t channel;
	uint64_t base;
	uint64_t length;
	uint32_t status;
};

struct abi_enable_peer {
	struct abi_uuid a;
	struct abi_uuid b;
	uint32_t status;
};

/* PREFER (550: a node before the status) */
struct abi_prefer {
	uint64_t base;
	uint64_t length;
	struct abi_uuid where;
	int32_t node_or_status;
	uint32_t status;
};

/* UNPREFER, READ_DUP_ON, READ_DUP_OFF, FREE */
struct abi_range {
	uint64_t base;
	uint64_t length;
	uint32_t status;
};

/* ACCESSED_BY, NOT_ACCESSED_BY */
struct abi_accessed_by {
	uint64_t base;
	uint64_t length;
	struct abi_uuid gpu;
	uint32_t status;
};

struct abi_migrate {
	uint64_t base;
	uint64_t length;
	struct abi_uuid where;
	uint32_t flags;
	uint64_t semaphore;
	uint32_t payload;
	int32_t cpu_node;
	uint64_t user_start;
	uint64_t user_length;
	uint32_t status;
};

/* The tools' queue */
struct abi_tools_init {
	uint64_t queue;
	uint64_t entries;
	uint64_t control;
	struct abi_uuid processor;
	uint32_t all;
	uint32_t uvm_fd;
	uint32_t status;
	uint32_t version;	/* 550: 1 is the layout below */
	uint32_t granted;
};

struct abi_tools_enable {
	uint64_t events;	/* bit per type */
	uint32_t status;
};

struct abi_tools_uuids {
	uint64_t table;
	uint32_t count;
	uint32_t status;
	uint32_t version;
};

struct abi_tools_control {
	volatile uint32_t get_ahead, get_behind, put_ahead, put_behind;
	uint64_t dropped[64];
};

enum {
	EV_CPU_FAULT = 1, EV_MIGRATION, EV_GPU_FAULT, EV_REPLAY, EV_OVERFLOW, EV_FATAL,
	EV_READ_DUP, EV_READ_DUP_OVER, EV_PAGE_SIZE, EV_THRASHING, EV_THROTTLE, EV_THROTTLE_END,
	EV_MAP_REMOTE, EV_EVICTION, EV_TYPES, EV_ACCESS_COUNTER = 63,
};

/* One entry is 64 bytes; each type has its own layout, of which this is read. */
union abi_event {
	uint8_t type;
	struct { uint8_t type, access, pad[6]; uint64_t addr, time; uint32_t pid,
		tid; uint64_t pc; } cpu;
	struct { uint8_t type, cause, src, dst, pad[4]; uint64_t addr, bytes, begin, end,
		group; } move;
	struct {
		uint8_t type, fault, access, gpu;
		uint16_t gpc, client;
		uint64_t addr, time, gpu_time;
		uint32_t batch;
		uint8_t client_type;
	} gpu;
	struct { uint8_t type, gpu, client, pad; uint32_t batch; uint64_t time,
		gpu_time; } replay;
	struct { uint8_t type, fault, access, proc, reason, pad[3]; uint64_t addr,
		time; } fatal;
	struct { uint8_t type, pad[7]; uint64_t procs, addr, bytes, time; } dup;
	struct { uint8_t type, proc, pad[6]; uint64_t addr, bytes, time; } dup_over;
	struct { uint8_t type, pad[7]; uint64_t procs, addr, bytes, time; } thrash;
	struct { uint8_t type, proc, pad[6]; uint64_t addr, time; } throttle;
	struct { uint8_t type, src, dst, cause, pad[4]; uint64_t addr, bytes, time; } remote;
	struct { uint8_t type, src, dst, pad[5]; uint64_t out, in, bytes, time; } evict;
	struct { uint8_t type, gpu, aperture; } note;
	uint8_t all[64];
};

#endif
