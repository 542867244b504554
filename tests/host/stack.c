// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/stack as plain C: addresses go once, but never not at all. */
#include "kernel.h"

static u64 walk[256];
static long walk_frames;

static long host_stack(void *to, u32 bytes)
{
	long n = walk_frames < 0 ? walk_frames : walk_frames * 8;

	if (n > (long)bytes)
		n = bytes;
	if (n > 0)
		memcpy(to, walk, n);
	return n;
}

#define bpf_get_stack(ctx, to, bytes, flags) host_stack((to), (bytes))

#include "../../bpf/stack.bpf.c"
#undef const

static void walk_set(u64 first, long frames)
{
	for (int i = 0; i < 256; i++)
		walk[i] = first + i;
	walk_frames = frames;
}

static void hit(u32 correlation)
{
	api_enter(NULL, correlation, 3, 5, 101, 307 | 1 << 24);
}

static void *record(int from_end)
{
	return host_records[host_count - from_end];
}

static void a_new_stack_goes_before_its_use(void)
{
	struct api_stack *a;
	struct stack *s;

	walk_set(0x1000, 4);
	hit(41);
	assert(host_count == 2);
	s = record(2);
	a = record(1);
	assert(s->e.kind == EVENT_STACK && s->e.size == sizeof(*s) + 4 * 8);
	assert(s->user_frames == 4 && !s->kernel_frames && s->id == a->stack && s->id);
	assert(((u64 *)(s + 1))[0] == 0x1000 && ((u64 *)(s + 1))[3] == 0x1003);
	assert(a->e.kind == EVENT_API_STACK && a->correlation == 41 && a->process == 3);
	assert(a->slot == 5 && a->ns_tid == 101 && a->e.tid == 101 && !a->pad);
}

static void a_known_stack_costs_one_record(void)
{
	u64 id = ((struct api_stack *)record(1))->stack;

	hit(42);
	assert(host_count == 3 && ((struct api_stack *)record(1))->stack == id);
}

static void another_image_or_process_is_another_stack(void)
{
	u64 id = ((struct api_stack *)record(1))->stack;

	host_current.self_exec_id++;
	hit(43);
	assert(host_count == 5 && ((struct api_stack *)record(1))->stack != id);
	host_current.self_exec_id--;
	host_current.tgid++;
	hit(44);
	assert(host_count == 7 && ((struct api_stack *)record(1))->stack != id);
	host_current.tgid--;
}

static void what_the_ring_refused_is_sent_again(void)
{
	walk_set(0x2000, 3);
	host_ring_full = 1;
	hit(45);
	assert(host_count == 7 && lost == 2);	/* the stack and the record */
	host_ring_full = 0;
	hit(46);
	assert(host_count == 9 && ((struct stack *)record(2))->e.kind == EVENT_STACK);
}

static void no_stack_is_no_lie(void)
{
	walk_set(0x3000, -14);
	hit(47);
	assert(host_count == 10 && ((struct api_stack *)record(1))->stack == 0);
}

static void the_deepest_stack_fits(void)
{
	struct stack *s;

	walk_set(0x4000, 250);
	hit(48);
	s = record(2);
	assert(s->user_frames == STACK_DEPTH && s->e.size == sizeof(*s) + STACK_DEPTH * 8);
}

static void strangers_cost_nothing(void)
{
	int before = host_count;

	host_unfollow(100);
	hit(49);
	assert(host_count == before);
	host_follow(100);
}

static void no_room_of_its_own_is_counted(void)
{
	int before = host_count;

	free(host_storage);
	host_storage = NULL;
	host_no_storage = 1;
	hit(50);
	assert(lost_map == 1 && host_count == before + 1);
	assert(((struct api_stack *)record(1))->stack == 0);
}

static void the_last_calls_are_kept_for_an_error(void)
{
	u32 pid = 100;
	struct xid_call *x;
	struct recent *r;

	for (int i = 0; i < 70; i++, host_forget())
		hit(100 + i);
	recent_emit(100, 9);
	assert(host_count == RECENT_CALLS);
	x = host_records[0];
	assert(x->e.kind == EVENT_XID_CALL && x->e.pid == 100 && x->e.tid == 101);
	assert(x->xid == 9 && x->cmd == 169 && x->rm == 307 && x->op == 1 && !x->dur_ns);
	assert(x->what == RECENT_CUDA && !x->age && x->e.ts);
	x = host_records[host_count - 1];
	assert(x->age == 63 && x->cmd == 106);
	host_forget();
	recent_emit(101, 10);		/* nothing is known of that one */
	assert(!host_count);
	r = bpf_map_lookup_elem(&shared_recent, &pid);
	r->calls[r->next % RECENT_CALLS].ts = RECENT_TORN;
	recent_emit(100, 11);
	assert(host_count == RECENT_CALLS - 1);
	host_current.start_time++;	/* another process of the same id */
	hit(200);
	host_forget();
	recent_emit(100, 12);
	assert(host_count == 1 && ((struct xid_call *)host_records[0])->cmd == 200);
	host_current.start_time--;
}

int main(void)
{
	host_follow(100);
	a_new_stack_goes_before_its_use();
	a_known_stack_costs_one_record();
	another_image_or_process_is_another_stack();
	what_the_ring_refused_is_sent_again();
	no_stack_is_no_lie();
	the_deepest_stack_fits();
	strangers_cost_nothing();
	no_room_of_its_own_is_counted();
	the_last_calls_are_kept_for_an_error();
	return 0;
}
