// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Steps that fault. Options of "gpu":
 *
 *   dup=K         each fault K times, in a row; mix=K: the whole list K times
 *   chan=K        on channels 1 to K in turn; dup and mix then name different ones
 *   spread        by all units (uTLBs) in turn, else by one: gpc=, unit=
 *   type=pde|pte|ro|atomic as the number of the fault packet (2: invalid PTE)
 *   group=K       at most K in the buffer at once (256)
 *   run           the next group goes when the last is fetched, not when it is served
 *   refault       fault again at each replay, until the page allows the access
 *   gather=K      in one group with those of K processes in all, of at most 256
 *   nonreplayable by a copy engine
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exercise.h"

#define PAGE 4096ull

static int access_of(const char *word)
{
	int i;

	for (i = FAKERM_READ; i <= FAKERM_ATOMIC_WEAK; i++)
		if (!strcmp(access_name(i), word))
			return i;
	die("not an access: %s", word);
}

static void print_fault(const struct fakerm_fault *f, int gpu, int replayable)
{
	truth("fault gpu=%s addr=0x%llx access=%s type=%s channel=%u gpc=%u unit=%u replayable=%d",
	      place_name(gpu), (unsigned long long)(f->va & ~(PAGE - 1)),
		access_name(f->access),
	      fault_name(f->type), f->channel & 255, f->gpc, f->unit, replayable);
}

/* Inject, and tell each fault before and the sum after. */
static int tell(struct process *p, struct fakerm_inject *in, const struct fakerm_fault *f)
{
	int replayable = !(in->flags & FAKERM_NONREPLAYABLE), err;
	uint32_t i;

	for (i = 0; !p->quiet && i < in->n; i++)
		print_fault(&f[i], in->gpu, replayable);
	err = softgpu_inject(&p->gpu, in, f);
	truth("faults gpu=%s access=%s n=%u replayable=%d groups=%u refaults=%u replays=%u cancels=%u stopped=%u begin_ns=%llu end_ns=%llu",
	      place_name(in->gpu), access_name(f->access), in->put, replayable, in->groups,
	      in->refaults, in->replays, in->cancels, in->stopped,
	      (unsigned long long)in->begin_ns, (unsigned long long)in->end_ns);
	return err;
}

struct list {
	struct fakerm_fault *f;
	uint32_t n;
};

static void list_add(struct process *p, struct list *l, int gpu, uint64_t va, int access, int n,
		     char **w)
{
	int64_t type = FAKERM_BAD_PTE, chans = 1, gpc = 0, unit = 0, none;

	option(n, w, "type", &type);
	option(n, w, "chan", &chans);
	option(n, w, "gpc", &gpc);
	option(n, w, "unit", &unit);
	if (option(n, w, "spread", &none)) {
		gpc = l->n % 6;
		unit = l->n / 6 % 4;
	}
	l->f[l->n] = (struct fakerm_fault){
		.va = va, .client = p->gpu.client, .access = access, .type = type,
		.channel = softgpu_channel(gpu, 1 + l->n % chans), .gpc = gpc, .unit = unit
	};
	l->n++;
}

/* gpu G ACCESS RANGE N [STRIDE] [OPTION]... */
void step_gpu(struct process *p, int n, char **w)
{
	int64_t dup = 1, mix = 1, group = 0, gather = 0, none, i, k, m;
	uint64_t count = number_of(w[4]), stride = PAGE;
	int access = access_of(w[2]), options = 5;
	struct fakerm_inject in = { .gpu = place_of_name(p, w[1]) };
	struct list l = { 0 };
	char *base;

	if (n > 5 && w[5][0] >= '0' && w[5][0] <= '9')
		stride = number_of(w[options++]);
	base = at(p, w[3], count ? (count - 1) * stride + 1 : 0);
	n -= options;
	w += options;
	option(n, w, "dup", &dup);
	option(n, w, "mix", &mix);
	option(n, w, "group", &group);
	option(n, w, "gather", &gather);
	l.f = calloc(count * dup * mix + 1, sizeof(*l.f));
	for (m = 0; m < mix; m++)
		for (i = 0; i < (int64_t)count; i++)
			for (k = 0; k < dup; k++)
				list_add(p, &l, in.gpu, (uintptr_t)base + i * stride, access, n,
					 w);
	in.n = l.n;
	in.group = group;
	in.flags = option(n, w, "run", &none) ? FAKERM_RUN : 0;
	in.gather = gather;
	if (option(n, w, "nonreplayable", &none))
		in.flags |= FAKERM_NONREPLAYABLE;
	if (option(n, w, "refault", &none))
		in.flags |= FAKERM_REFAULT;
	if (tell(p, &in, l.f))
		die("%s", softgpu_error());
	free(l.f);
}

void step_access(struct process *p, int n, char **w)
{
	int gpu = place_of_name(p, w[1]), access = access_of(w[2]);
	size_t size = number_of(w[4]);
	char *base = at(p, w[3], size);
	uint64_t faults = 0;

	(void)n;
	if (softgpu_access(&p->gpu, gpu, base, size, access, &faults))
		die("%s", softgpu_error());
	truth("access gpu=%s access=%s addr=%p bytes=%zu faults=%llu", place_name(gpu), access_name(access),
	      (void *)base, size, (unsigned long long)faults);
}

static void touch(volatile char *p, int write)
{
	if (write)
		*p = 1;
	else
		(void)*p;
}

void step_cpu(struct process *p, int n, char **w)
{
	uint64_t count = number_of(w[3]), stride = n > 4 ? number_of(w[4]) : PAGE, i;
	char *base = at(p, w[2], count ? (count - 1) * stride + 1 : 0);
	int write = !strcmp(w[1], "write");

	if (!write && strcmp(w[1], "read"))
		die("not an access of the CPU: %s", w[1]);
	for (i = 0; i < count; i++)
		touch(base + i * stride, write);
	truth("cpu access=%s addr=%p pages=%llu stride=%llu", w[1], (void *)base,
	      (unsigned long long)count, (unsigned long long)stride);
}

static void one(struct process *p, int gpu, void *va, int access, uint32_t flags)
{
	struct fakerm_fault f = {
		.va = (uintptr_t)va, .client = p->gpu.client, .access = access,
		.channel = softgpu_channel(gpu, 1), .type = FAKERM_BAD_PTE
	};
	struct fakerm_inject in = { .gpu = gpu, .n = 1, .flags = flags };

	if (tell(p, &in, &f))
		die("%s", softgpu_error());
}

/* thrash G RANGE ROUNDS [refault] */
void step_thrash(struct process *p, int n, char **w)
{
	int gpu = place_of_name(p, w[1]);
	char *page = at(p, w[2], PAGE);
	uint64_t rounds = number_of(w[3]), i;
	int64_t none;
	uint32_t flags = option(n - 4, w + 4, "refault", &none) ? FAKERM_REFAULT : 0;

	for (i = 0; i < rounds; i++) {
		one(p, gpu, page, FAKERM_WRITE, flags);
		touch(page, 1);
	}
	truth("thrash gpu=%s addr=%p rounds=%llu", place_name(gpu), (void *)page,
	      (unsigned long long)rounds);
}

/*
 * fatal G [ACCESS] [nonreplayable]: where no memory is. The driver looks at it,
 * asks for a replay, sees it again and cancels it, or stops the channel.
 */
void step_fatal(struct process *p, int n, char **w)
{
	int gpu = place_of_name(p, w[1]);
	int64_t none;
	uint32_t flags = FAKERM_REFAULT;

	if (option(n - 2, w + 2, "nonreplayable", &none))
		flags = FAKERM_NONREPLAYABLE;
	one(p, gpu, (void *)0x700000000000, n > 2 ? access_of(w[2]) : FAKERM_READ, flags);
}

/* notify G RANGE N [STRIDE] */
void step_notify(struct process *p, int n, char **w)
{
	int gpu = place_of_name(p, w[1]);
	uint64_t count = number_of(w[3]), stride = n > 4 ? number_of(w[4]) : 64 << 10;
	char *base = at(p, w[2], count ? (count - 1) * stride + 1 : 0);
	struct fakerm_notify in = { .value = 256 };

	if (softgpu_notify(&p->gpu, gpu, base, count, stride, &in))
		die("%s", softgpu_error());
	truth("notify gpu=%s addr=%p asked=%llu n=%u begin_ns=%llu end_ns=%llu", place_name(gpu),
	      (void *)base, (unsigned long long)count, in.put,
	      (unsigned long long)in.begin_ns, (unsigned long long)in.end_ns);
}

/* storm NAME SEED ROUNDS: each round is a burst of GPU faults or some CPU accesses */
void step_storm(struct process *p, int n, char **w)
{
	struct range *r = p->ranges;
	struct fakerm_fault f[64];
	uint64_t rounds = number_of(w[3]), i, k, pages, count, faults = 0, touches = 0;

	(void)n;
	p->random = number_of(w[2]) * 2654435761u + p->number;
	at(p, w[1], 1);
	while (!r->p || strcmp(r->name, w[1]))
		r++;
	pages = r->size / PAGE;
	for (i = 0; i < rounds; i++) {
		struct fakerm_inject in = { .gpu = draw(p, p->gpu.gpus) };
		int access = draw(p, FAKERM_PREFETCH + 1), cpu = !draw(p, 4);

		count = 1 + draw(p, 64);
		for (k = 0; k < count; k++) {
			uint64_t va = (uintptr_t)r->p + draw(p, pages) * PAGE;
			unsigned int chan = 1 + draw(p, p->gpu.channels);

			f[k] = (struct fakerm_fault){
				.va = va, .client = p->gpu.client, .access = access,
				.channel = softgpu_channel(in.gpu, chan),
				.type = FAKERM_BAD_PTE,
				.gpc = draw(p, 6), .unit = draw(p, 4)
			};
			if (cpu)
				touch((char *)(uintptr_t)va, access != FAKERM_READ);
		}
		in.n = count;
		if (!cpu && tell(p, &in, f))
			die("%s", softgpu_error());
		touches += cpu ? count : 0;
		faults += in.put;
	}
	truth("storm rounds=%llu faults=%llu cpu=%llu", (unsigned long long)rounds,
	      (unsigned long long)faults, (unsigned long long)touches);
}
