// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Block I/O that followed threads issued, from the device's start to its end. A
 * request belongs to the thread that inserted it, or, without an I/O scheduler,
 * to the one that issued it; what kernel threads write back later is nobody's.
 */
#include "emit.bpf.h"
#include "host.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define REQ_OP_MASK 0xff

struct io_begun {
	u64 ts;			/* of the issue, 0: only inserted */
	u32 pid, tid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);	/* a request may be merged into another and
						 * vanish */
	__uint(max_entries, 8192);
	__type(key, u64);			/* struct request * */
	__type(value, struct io_begun);
} ios SEC(".maps");

static __always_inline u32 disk_of(struct request *rq)
{
	struct request___old *old = (void *)rq;
	struct gendisk *disk;

	if (bpf_core_field_exists(old->rq_disk))
		disk = BPF_CORE_READ(old, rq_disk);
	else
		disk = BPF_CORE_READ(rq, q, disk);
	return BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor);
}

static __always_inline void io_begin(struct request *rq, u64 ts)
{
	u64 key = (u64)rq, task = bpf_get_current_pid_tgid();
	struct io_begun b = { ts, task >> 32, task };

	if (is_followed(task >> 32) && bpf_map_update_elem(&ios, &key, &b, BPF_ANY))
		emit_lost_map();
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(block_insert, struct request *rq)
{
	io_begin(rq, 0);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(block_issue, struct request *rq)
{
	u64 key = (u64)rq, now = bpf_ktime_get_ns();
	struct io_begun *b = bpf_map_lookup_elem(&ios, &key);

	if (b)
		b->ts = now;
	else
		io_begin(rq, now);
	return 0;
}

/* blk_status_t, or an errno before 8a7d267b4a2c ("block: move update request helpers"). */
static __always_inline s32 io_error(s32 status)
{
	switch (status) {
	case 1: return -95;	/* BLK_STS_NOTSUPP: EOPNOTSUPP */
	case 2: return -110;	/* BLK_STS_TIMEOUT: ETIMEDOUT */
	case 3: return -28;	/* BLK_STS_NOSPC: ENOSPC */
	case 7: return -61;	/* BLK_STS_MEDIUM: ENODATA */
	default: return status > 0 ? -5 : status;	/* EIO */
	}
}

static __always_inline void io_emit(struct request *rq, const struct io_begun *b, s32 error)
{
	struct block_io *io = emit_begin(sizeof(*io), EVENT_BLOCK);

	if (!io)
		return;
	io->dur_ns = io->e.ts - b->ts;
	io->e.ts = b->ts;
	io->e.pid = b->pid;
	io->e.tid = b->tid;
	io->sector = BPF_CORE_READ(rq, __sector);
	io->bytes = BPF_CORE_READ(rq, __data_len);
	io->device = disk_of(rq);
	io->op = BPF_CORE_READ(rq, cmd_flags) & REQ_OP_MASK;
	io->error = error;
	emit_end(io);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(block_complete, struct request *rq, int status, unsigned int bytes)
{
	u64 key = (u64)rq;
	struct io_begun *b = bpf_map_lookup_elem(&ios, &key);

	if (!b || bytes < BPF_CORE_READ(rq, __data_len))
		return 0;
	if (b->ts)
		io_emit(rq, b, io_error(status));
	bpf_map_delete_elem(&ios, &key);
	return 0;
}
