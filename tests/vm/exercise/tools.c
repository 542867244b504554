// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The driver's own events of this process, by /dev/nvidia-uvm-tools: a second
 * account of each step, independent of what was injected. A step's events are
 * summed by what they have in common; -e prints each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "truth.h"

#define ENTRIES	(1u << 16)
#define SUMS	256

/* Events of one kind, between two places, of one cause (or of one access). */
struct sum {
	uint8_t type, src, dst, cause;
	uint64_t n, bytes;
};

struct tools {
	int fd;
	union abi_event *queue;
	struct abi_tools_control *control;
	struct abi_uuid *table;
	struct sum sums[SUMS];
	unsigned int used;
	uint64_t dropped;
};

struct tools *tools_open(struct softgpu *s)
{
	struct tools *t = calloc(1, sizeof(*t));
	struct abi_tools_init init = { .entries = ENTRIES, .all = 1, .uvm_fd = s->uvm,
		.version = 1 };
	struct abi_tools_enable enable = { .events = (1ull << EV_TYPES) - 2 };

	enable.events |= 1ull << EV_ACCESS_COUNTER;
	t->fd = open("/dev/nvidia-uvm-tools", O_RDWR | O_CLOEXEC);
	t->queue = aligned_alloc(4096, ENTRIES * sizeof(*t->queue));
	t->control = aligned_alloc(4096, 4096);
	t->table = aligned_alloc(4096, 1 << 16);
	memset(t->queue, 0, ENTRIES * sizeof(*t->queue));
	memset(t->control, 0, 4096);
	memset(t->table, 0, 1 << 16);
	init.queue = (uintptr_t)t->queue;
	init.control = (uintptr_t)t->control;
	init.processor = s->uuid[0];
	if (t->fd < 0 || ioctl(t->fd, ABI_TOOLS_INIT, &init) || init.status)
		die("cannot open the tools queue: status 0x%x", init.status);
	if (ioctl(t->fd, ABI_TOOLS_ENABLE, &enable) || enable.status)
		die("cannot enable tools events: status 0x%x", enable.status);
	return t;
}

/* Processor numbers of events are the driver's; its table leads to ours. */
static int place_of(struct tools *t, struct softgpu *s, unsigned int index)
{
	return index < 64 ? softgpu_place(s, t->table[index].b) : SOFTGPU_NONE;
}

static void load_table(struct tools *t, struct softgpu *s)
{
	struct abi_tools_uuids u = { .table = (uintptr_t)t->table };

	if (ioctl(s->uvm, ABI_TOOLS_UUIDS, &u) || u.status)
		die("cannot read the table of processors: status 0x%x", u.status);
}

static void add(struct tools *t, uint8_t type, uint8_t src, uint8_t dst, uint8_t cause,
		uint64_t bytes)
{
	struct sum *s;

	for (s = t->sums; s < t->sums + t->used; s++)
		if (s->type == type && s->src == src && s->dst == dst && s->cause == cause)
			break;
	if (s == t->sums + SUMS)
		die("too many kinds of tools events");
	if (s == t->sums + t->used) {
		*s = (struct sum){ .type = type, .src = src, .dst = dst, .cause = cause };
		t->used++;
	}
	s->n++;
	s->bytes += bytes;
}

static void take(struct tools *t, const union abi_event *e)
{
	switch (e->type) {
	case EV_CPU_FAULT: add(t, e->type, 0, 0, e->cpu.access, 0); break;
	case EV_MIGRATION: add(t, e->type, e->move.src, e->move.dst, e->move.cause,
			       e->move.bytes); break;
	case EV_GPU_FAULT: add(t, e->type, e->gpu.gpu, 0, e->gpu.access, 0); break;
	case EV_REPLAY: add(t, e->type, e->replay.gpu, 0, 0, 0); break;
	case EV_FATAL: add(t, e->type, e->fatal.proc, 0, e->fatal.reason, 0); break;
	case EV_READ_DUP: add(t, e->type, 0, 0, 0, e->dup.bytes); break;
	case EV_READ_DUP_OVER: add(t, e->type, e->dup_over.proc, 0, 0,
				   e->dup_over.bytes); break;
	case EV_THRASHING: add(t, e->type, 0, 0, 0, e->thrash.bytes); break;
	case EV_THROTTLE: case EV_THROTTLE_END: add(t, e->type, e->throttle.proc, 0, 0,
						    0); break;
	case EV_MAP_REMOTE:
		add(t, e->type, e->remote.src, e->remote.dst, e->remote.cause, e->remote.bytes);
		break;
	case EV_EVICTION: add(t, e->type, e->evict.src, e->evict.dst, 0, e->evict.bytes); break;
	case EV_ACCESS_COUNTER: add(t, e->type, e->note.gpu, 0, 0, 0); break;
	}
}

static void print_each(struct tools *t, struct softgpu *s, const union abi_event *e)
{
	unsigned long long addr;

	if (e->type == EV_MIGRATION)
		truth("event kind=migration src=%s dst=%s addr=0x%llx bytes=%llu cause=%u begin_ns=%llu end_ns=%llu",
		      place_name(place_of(t, s, e->move.src)),
		      place_name(place_of(t, s, e->move.dst)),
		      (unsigned long long)e->move.addr, (unsigned long long)e->move.bytes,
			e->move.cause,
		      (unsigned long long)e->move.begin, (unsigned long long)e->move.end);
	addr = e->gpu.addr;
	if (e->type == EV_GPU_FAULT)
		truth("event kind=gpu_fault gpu=%s addr=0x%llx access=%u type=%u batch=%u",
		      place_name(place_of(t, s, e->gpu.gpu)), addr, e->gpu.access, e->gpu.fault,
			e->gpu.batch);
	addr = e->cpu.addr;
	if (e->type == EV_CPU_FAULT)
		truth("event kind=cpu_fault addr=0x%llx access=%u tid=%u", addr, e->cpu.access, e->cpu.tid);
}

static void flush(struct softgpu *s)
{
	uint32_t status = 0;

	if (ioctl(s->uvm, ABI_TOOLS_FLUSH, &status) || status)
		die("cannot flush tools events: status 0x%x", status);
}

static void drain(struct tools *t, struct softgpu *s, int each)
{
	uint32_t get = t->control->get_ahead;

	while (get != t->control->put_behind) {
		take(t, &t->queue[get]);
		if (each)
			print_each(t, s, &t->queue[get]);
		get = (get + 1) & (ENTRIES - 1);
	}
	t->control->get_behind = t->control->get_ahead = get;
}

static uint64_t all_dropped(const struct tools *t)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < 64; i++)
		n += t->control->dropped[i];
	return n;
}

void tools_begin(struct tools *t)
{
	t->used = 0;
	t->dropped = all_dropped(t);
}

static void print_sum(struct tools *t, struct softgpu *s, const struct sum *x)
{
	static const char *const kinds[EV_TYPES] = {
		"", "cpu_fault", "migration", "gpu_fault", "replay", "overflow", "fatal",
			"read_dup",
		"read_dup_over", "page_size", "thrashing", "throttle", "throttle_end",
			"map_remote", "eviction"
	};
	static const char *const move_causes[] = {
		"invalid", "user", "coherence", "prefetch", "eviction", "access_counters"
	};
	static const char *const map_causes[] = {
		"invalid", "coherence", "thrashing", "policy", "out_of_memory", "eviction"
	};
	static const char *const accesses[] = {
		"invalid", "read", "write", "atomic", "prefetch"
	};
	const char *kind = x->type < EV_TYPES ? kinds[x->type] : "access_counter", *cause = "-";

	if (x->type == EV_MIGRATION && x->cause < 6)
		cause = move_causes[x->cause];
	else if (x->type == EV_MAP_REMOTE && x->cause < 6)
		cause = map_causes[x->cause];
	else if ((x->type == EV_CPU_FAULT || x->type == EV_GPU_FAULT) && x->cause < 5)
		cause = accesses[x->cause];
	truth("tools kind=%s src=%s dst=%s cause=%s n=%llu bytes=%llu", kind,
	      place_name(place_of(t, s, x->src)), place_name(place_of(t, s, x->dst)), cause,
	      (unsigned long long)x->n, (unsigned long long)x->bytes);
}

void tools_end(struct tools *t, struct softgpu *s, int each)
{
	unsigned int i;

	flush(s);
	load_table(t, s);
	drain(t, s, each);
	for (i = 0; i < t->used; i++)
		print_sum(t, s, &t->sums[i]);
	if (all_dropped(t) != t->dropped)
		truth("tools kind=dropped n=%llu",
		      (unsigned long long)(all_dropped(t) - t->dropped));
}
