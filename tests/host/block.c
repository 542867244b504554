// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/block as plain C: whose a request is, and requests that end in parts, late or never. */
#include "kernel.h"

struct gendisk { u32 major, first_minor; };
struct request_queue { struct gendisk *disk; };
struct request { struct request_queue *q; u64 __sector; u32 __data_len, cmd_flags; };
struct request___old { struct gendisk *rq_disk; };
#undef bpf_core_field_exists
#define bpf_core_field_exists(field) 0	/* ->rq_disk */

static struct gendisk disk = { 259, 3 };
static struct request_queue queue = { &disk };

#include "../../bpf/block.bpf.c"
#undef const

static void as(u32 pid)
{
	host_task = (u64)pid << 32 | pid;
}

static struct request request_new(u32 bytes)
{
	return (struct request){ &queue, 4096, bytes, 0x801 };
}

static void it_belongs_to_who_inserted_it(void)
{
	struct request rq = request_new(8192);
	struct block_io *io;

	as(100);
	block_insert(&rq);
	as(2);			/* a kernel thread takes it from the scheduler, */
	block_issue(&rq);
	as(0);			/* an interrupt ends it */
	block_complete(&rq, 0, 8192);
	io = host_records[0];
	assert(host_count == 1 && io->e.pid == 100 && io->e.tid == 100 && io->bytes == 8192);
	assert(io->device == (259 << 20 | 3) && io->op == 1 && io->sector == 4096 &&
	       !io->error);
	assert(io->dur_ns == io->e.ts - io->e.ts + io->dur_ns && io->dur_ns > 0);
}

static void without_a_scheduler_to_who_issued_it(void)
{
	struct request rq = request_new(512);

	as(100);
	block_issue(&rq);
	as(0);
	block_complete(&rq, 10, 512);
	assert(host_count == 2 && ((struct block_io *)host_records[1])->error == -5);
}

static void the_last_part_ends_it(void)
{
	struct request rq = request_new(8192);

	as(100);
	block_issue(&rq);
	block_complete(&rq, 0, 4096);
	assert(host_count == 2);
	rq.__data_len = 4096;
	block_complete(&rq, 0, 4096);
	assert(host_count == 3);
	block_complete(&rq, 0, 4096);
	assert(host_count == 3);	/* nobody's now */
}

static void nobodys_requests_are_left_out(void)
{
	struct request rq = request_new(512);

	as(2);
	block_insert(&rq);
	block_issue(&rq);
	block_complete(&rq, 0, 512);
	assert(host_count == 3);
}

static void losses_are_counted(void)
{
	struct request rq = request_new(512);

	as(100);
	host_map_full = 1;
	block_issue(&rq);
	host_map_full = 0;
	assert(lost_map == 1);
	block_issue(&rq);
	host_ring_full = 1;
	block_complete(&rq, 0, 512);
	host_ring_full = 0;
	assert(lost == 1 && host_count == 3);
}

int main(void)
{
	host_follow(100);
	it_belongs_to_who_inserted_it();
	without_a_scheduler_to_who_issued_it();
	the_last_part_ends_it();
	nobodys_requests_are_left_out();
	losses_are_counted();
	return 0;
}
