// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Raw stacks to frames that mean the same in every process and need no live one:
 * (file, offset). Each file, symbol and stack is written once, before its use.
 * Frames of the observers (our library, CUPTI) are left out: they are ours.
 */
#include <stdlib.h>
#include <string.h>
#include "recorder.h"
#include "symbols.h"

#define FRAMES_MAX 512

static int map_put(struct recorder *r, const struct process *p, const struct object *o)
{
	struct map m = {
		.e = { .ts = now_ns(), .pid = p->pid, .kind = EVENT_MAP, .cpu = CPU_UNKNOWN },
		.start = o->start, .end = o->end, .offset = o->offset, .inode = o->inode,
		.device = o->device, .id = o->id, .build_id_size = o->build_id_size,
	};

	memcpy(m.build_id, o->build_id, sizeof(m.build_id));
	return record_put_text(r, &m.e, sizeof(m), o->path);
}

/* The first frame in a file is the time to read it. 0: no ids left. */
static u16 object_id(struct recorder *r, const struct process *p, struct object *o)
{
	if (!o->id && r->objects.ids < FRAME_KERNEL - 1) {
		object_symbols(o);
		o->id = ++r->objects.ids;
		map_put(r, p, o);
	}
	return o->id;
}

static void symbol_put(struct recorder *r, u64 frame, u64 distance, const char *name)
{
	struct symbol s = {
		.e = { .ts = now_ns(), .kind = EVENT_SYMBOL, .cpu = CPU_UNKNOWN },
		.frame = frame, .offset = distance,
	};

	record_put_text(r, &s.e, sizeof(s), name);
}

/* ---- where an address is mapped ---- */

void stack_maps(struct recorder *r, struct process *p)
{
	struct maps *m = maps_read(&r->objects, p->local);

	p->maps_ns = now_ns();
	if (!m)
		return;
	maps_put(p->maps);
	p->maps = m;
}

/* A library loaded since the last look is found by looking again. Code that belongs to no file
 * never is: each look in vain doubles the wait for the next, from 1 ms to 1 s. */
static const struct mapping *address_find(struct recorder *r, struct process *p, u64 addr)
{
	const struct mapping *m = maps_find(p->maps, addr);

	if (m || (p->in_vain && now_ns() - p->maps_ns < 1000000ULL << p->in_vain))
		return m;
	stack_maps(r, p);
	m = maps_find(p->maps, addr);
	p->in_vain = m ? 0 : p->in_vain < 10 ? p->in_vain + 1 : 10;
	return m;
}

/* ---- frames ---- */

/* caller: ip is a return address; the call before it may be the last instruction of a
 * function. */
static u64 user_frame(struct recorder *r, struct process *p, const struct mapping *m, u64 ip,
		      u32 caller)
{
	u64 file, distance, frame;
	const char *name;
	u16 id = m ? object_id(r, p, m->object) : 0;

	if (!id)
		return ip & FRAME_MASK;
	file = ip - m->start + m->offset;
	frame = (u64)id << FRAME_SHIFT | (file & FRAME_MASK);
	if (!seen_first(&r->frames, frame) || !m->object->symbols)
		return frame;
	name = elf_symbols_find(m->object->symbols, file - caller, &distance);
	if (name)
		symbol_put(r, frame, distance + caller, name);
	return frame;
}

static u64 kernel_frame(struct recorder *r, u64 ip, u32 caller)
{
	u64 frame = FRAME_KERNEL << FRAME_SHIFT | (ip & FRAME_MASK), distance;
	const char *module, *name;

	if (!seen_first(&r->frames, frame))
		return frame;
	if (!r->kernel)
		r->kernel = kernel_symbols_open();
	name = r->kernel ? kernel_symbols_find(r->kernel, ip - caller, &distance, &module) :
		NULL;
	if (name)
		symbol_put(r, frame, distance + caller, name);
	return frame;
}

static u32 user_frames(struct recorder *r, struct process *p, const u64 *ips, u32 n,
		       u64 *frames)
{
	const struct mapping *m;
	u32 out = 0;

	for (u32 i = 0; i < n; i++) {
		m = address_find(r, p, ips[i] - !!i);
		if (!out && m && m->object->observer)
			continue;
		frames[out++] = user_frame(r, p, m, ips[i], !!i);
	}
	return out;
}

int stack_put(struct recorder *r, const struct stack *raw)
{
	const u64 *ips = (const u64 *)(raw + 1);
	u32 kernel = raw->kernel_frames, user = raw->user_frames;
	struct { struct stack s; u64 frames[FRAMES_MAX]; } out;

	if (raw->e.size != sizeof(*raw) + (kernel + user) * 8 || kernel + user > FRAMES_MAX)
		return fail(0, "cannot use a stack of the kernel's ring: its size is wrong");
	if (!seen_first(&r->stacks, raw->id))
		return 0;
	out.s = *raw;
	for (u32 i = 0; i < kernel; i++)
		out.frames[i] = kernel_frame(r, ips[i], !!i);
	out.s.user_frames = user_frames(r, process_get(&r->processes, raw->e.pid), ips + kernel,
					user, out.frames + kernel);
	out.s.e.size = sizeof(out.s) + (kernel + out.s.user_frames) * 8;
	return record_put(r, &out.s.e);
}
