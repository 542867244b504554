/* What is played: boards, one VA space of the process that asks, its ranges, and the truth. */
#ifndef PLAY_H
#define PLAY_H

#include "driver.h"

#define BLOCK_BYTES (2ULL << 20)
#define BATCH_MAX 256
#define FAULTS_MAX 65536
#define RANGES_MAX 8

struct board {
	uvm_parent_gpu_t *parent;
	uvm_gpu_t *gpu;
	uvm_fault_service_batch_context_t *context;
	uvm_access_counter_buffer_t *counters;
	const char *name;		/* "gpu0" */
};
extern struct board boards[BOARDS];
int boards_init(void);
void boards_exit(void);

struct memory {
	char name[16];
	struct uvm_va_range_struct *range;
	uvm_va_block_t **blocks;
	u32 count;
};

/* One word of a step: "gpu=1 range=a n=100 stride=4096 ..." as numbers. */
struct step {
	u32 number;
	char what[16];
	struct memory *range;
	struct board *board;
	u64 off, stride;
	u32 n, dup, usec, prefetch, access, type;
};

/* What the GPU's fault buffer holds while a step is played. */
struct packet {
	u64 addr;
	u8 access, type;
	bool duplicate;
};

struct play {
	uvm_va_space_t *space;
	uvm_perf_va_space_events_t *events;
	struct memory ranges[RANGES_MAX];
	struct step step;
	struct packet *packets;		/* FAULTS_MAX */
	u32 count, next;		/* of the packets, fetched so far */
	uvm_fault_buffer_entry_t *entries;	/* BATCH_MAX */
	u32 pid;
};
extern struct play *play;		/* the one that runs: one at a time */

int play_script(char *script);		/* of the calling process; 0 or a negative errno */
int play_step(void);			/* play->step, in a kernel thread but for CPU faults */
uvm_va_block_t *play_block(u64 addr);
struct board *play_board(const uvm_parent_gpu_t *parent, const uvm_gpu_t *gpu);
uvm_processor_id_t processor(const struct board *b);
void truth(const char *fmt, ...) __printf(1, 2);
const char *access_name(u32 access);

/* as the driver announces them */
void announce_fault(uvm_va_block_t *block, struct board *b, uvm_fault_buffer_entry_t *entry,
		    u32 batch, bool duplicate);
void announce_migration(uvm_va_block_t *block, u32 src, u32 dst, u64 addr, u64 bytes,
			u32 mode, u32 cause);

#endif
