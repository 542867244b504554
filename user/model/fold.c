// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sums of time by (process, thread, stack, call, operation), and their names:
 *
 *   rank N; comm-pid; comm/tid; program's frames; cudaX; [gpu] what ran
 *
 * The rank is there where there are several.
 * Nothing is dropped: what has no stack or no launch gets a frame that says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "fold.h"
#include "frame_name.h"
#include "hash.h"
#include "log.h"
#include "symbols.h"

struct key {			/* pointers are unique by what they point to: see model.h */
	const struct process_info *process;
	const char *call;	/* NULL: the launch is not known */
	const char *op;		/* NULL: the call itself */
	u64 stack;		/* 0: none */
	u32 tid;
	u16 type;		/* enum op_type; KEY_SAMPLE: a sample of what op names;
				 * KEY_UVM */
	u16 captured;
	s32 device, stream;	/* -1 */
};
#define KEY_SAMPLE OP_TYPES
#define KEY_UVM	   (OP_TYPES + 1)	/* a service; captured: the stack is the allocation's */
_Static_assert(sizeof(struct key) == 48, "key: hashed as bytes, so without holes");

struct sum {
	struct key key;
	u64 values[FOLD_VALUES];
	struct sum *next;	/* another key of the same hash */
	struct sum *later;	/* that came after it; the order of hashes of addresses is
				 * none */
};

struct fold {
	struct fold_settings set;
	struct fold_sums sums;
	struct model *model;
	bool ranked;		/* several ranks */
	struct hash map;
	struct sum *first, **last;
	struct arena arena;
};

static struct sum *sum_get(struct fold *f, const struct key *key)
{
	u64 hash = hash_bytes(key, sizeof(*key));
	struct sum *first = hash_get(&f->map, hash), *s;

	for (s = first; s; s = s->next)
		if (!memcmp(&s->key, key, sizeof(*key)))
			break;
	if (!s) {
		s = arena_alloc(&f->arena, sizeof(*s));
		s->key = *key;
		s->next = first;
		hash_put(&f->map, hash, s);
		*f->last = s;
		f->last = &s->later;
	}
	return s;
}

static void value_add(struct fold *f, const struct key *key, enum fold_value value, u64 n)
{
	if (!(f->set.values & 1U << value))
		return;
	sum_get(f, key)->values[value] += n;
	f->sums.values[value] += n;
}

static void sum_add(struct fold *f, const struct key *key, u64 ns)
{
	value_add(f, key, FOLD_TIME, ns);
	f->sums.total_ns += ns;
	f->sums.count++;
	if (!key->call && key->type != KEY_SAMPLE)
		f->sums.no_launch_ns += ns;
	else if (!key->stack)
		f->sums.no_stack_ns += ns;
}

/* What no call is known of counts by its own time. */
static bool in_step(struct fold *f, const struct gpu_op *op)
{
	const struct process_steps *p = steps_of(f->set.steps, op->process->producer,
						 op->process->pid);

	return p && (op->call ? step_of(p, op) : step_at(p, op->g->e.ts));
}

static bool op_counts(const struct fold *f, const struct gpu_op *op)
{
	return f->set.what & 1 << op->type ||
	       (op->type == OP_KERNEL && f->set.values & 1 << FOLD_LAUNCHES) ||
	       (op->type == OP_COPY && f->set.values & 1 << FOLD_BYTES);
}

static void op_add(struct fold *f, const struct gpu_op *op, const struct key *key)
{
	if (f->set.what & 1 << op->type)
		sum_add(f, key, op->g->dur_ns);
	if (op->type == OP_KERNEL)
		value_add(f, key, FOLD_LAUNCHES, 1);
	if (op->type == OP_COPY)
		value_add(f, key, FOLD_BYTES, ((const struct copy *)op->g)->bytes);
}

static int put_op(void *ctx, const struct gpu_op *op)
{
	struct fold *f = ctx;
	struct key key = { .process = op->process, .op = op->name, .type = op->type,
			   .device = -1, .stream = -1 };

	f->sums.type_ns[op->type] += op->g->dur_ns;
	if (!op_counts(f, op))
		return 0;
	if (f->set.places) {
		key.device = op->g->device;
		key.stream = op->g->stream;
	}
	if (f->set.steps && !in_step(f, op)) {
		f->sums.no_step_ns += op->g->dur_ns;
		return 0;
	}
	if (op->call) {
		key.call = op->call->name;
		key.tid = op->call->r.e.tid;
		key.stack = op->stack;
		key.captured = op->captured;
	}
	op_add(f, op, &key);
	return 0;
}

static int put_api(void *ctx, const struct api_call *c)
{
	struct fold *f = ctx;
	struct key key = { .call = c->name, .tid = c->r.e.tid, .stack = c->stack,
			   .device = -1, .stream = -1 };

	if (c->r.depth)
		return 0;
	key.process = model_process(f->model, c->r.e.producer, c->r.e.pid);
	if (f->set.what & FOLD_API)
		sum_add(f, &key, c->r.dur_ns);
	if (c->r.class == API_LAUNCH || c->r.class == API_GRAPH_LAUNCH)
		value_add(f, &key, FOLD_CPU, c->r.dur_ns);
	return 0;
}

static int put_sample(void *ctx, const struct sample *s)
{
	struct fold *f = ctx;
	struct key key = { .type = KEY_SAMPLE, .tid = s->e.tid, .stack = s->stack,
			   .device = -1, .stream = -1 };

	if (!(f->set.what & FOLD_SAMPLE))
		return 0;
	if (s->name)
		key.op = model_name(f->model, s->e.producer, s->name);
	key.process = model_process(f->model, s->e.producer, s->e.pid);
	sum_add(f, &key, s->weight);
	return 0;
}

/* By the CUDA call that it happened in, else by the call that allocated the memory. */
static int put_uvm(void *ctx, const struct uvm_event *u)
{
	struct fold *f = ctx;
	struct key key = { .process = u->process, .type = KEY_UVM, .device = -1, .stream = -1,
			   .op = u->gpu ? "[for a GPU]" : "[for the CPU]" };

	if (u->e->kind != EVENT_UVM_SERVICE || !u->process)
		return 0;
	if (u->call) {
		key.call = u->call->name;
		key.stack = u->call->stack;
		key.tid = u->call->r.e.tid;
	} else if (u->memory && u->memory->api) {
		key.call = u->memory->api;
		key.stack = u->memory->stack;
		key.captured = 1;
	}
	if (u->kernels_link == LINK_EXACT && u->kernel_n)
		key.op = u->kernels[0]->name;
	value_add(f, &key, FOLD_UVM, ((const struct uvm_service *)u->e)->dur_ns);
	return 0;
}

struct fold *fold_new(const struct fold_settings *settings)
{
	static const struct view view = {
		.op = put_op, .api = put_api, .sample = put_sample, .uvm = put_uvm,
	};
	struct fold *f = must_alloc(sizeof(*f));

	f->last = &f->first;
	f->set = *settings;
	if (!f->set.values)
		f->set.values = 1 << FOLD_TIME;
	f->model = model_new(&view, f);
	if (f->model)
		return f;
	fold_free(f);
	return NULL;
}

static s32 rank_of(const struct process_info *p)
{
	return p->source ? p->source->rank : -1;
}

static bool several_ranks(const struct fold *f)
{
	const struct process_info *const *list;
	size_t n = model_processes(f->model, &list), i;
	s32 first = -1;

	for (i = 0; i < n; i++) {
		if (rank_of(list[i]) < 0)
			continue;
		if (first >= 0 && rank_of(list[i]) != first)
			return true;
		first = rank_of(list[i]);
	}
	return false;
}

int fold_read(struct fold *f, const char *const *paths, size_t n, struct trace_info *info,
	      char **damage)
{
	int err = model_run_all(f->model, paths, n, info, damage);

	f->ranked = f->set.by == FOLD_BY_RANK || several_ranks(f);
	return err;
}

u32 fold_outer(const struct fold *f)
{
	static const u32 frames[] = { [FOLD_BY_THREAD] = 2, [FOLD_BY_PROCESS] = 1 };

	return f->set.by < FOLD_BY_RANK ? frames[f->set.by] + f->ranked :
		f->set.by == FOLD_BY_RANK;
}

struct model *fold_model(struct fold *f)
{
	return f->model;
}

const struct fold_sums *fold_sums(const struct fold *f)
{
	return &f->sums;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	model_free(f->model);
	hash_free(&f->map);
	arena_free(&f->arena);
	free(f);
}

/* ---- from ids to names ---- */

struct line {			/* the frames of one sum, built up from the outermost */
	struct fold_frame *frames;
	u32 n, room;
	char **own;		/* texts made for this line */
	u32 owned;
};

static void line_put(struct line *l, const char *name)
{
	if (l->n == l->room) {
		l->room = l->room * 2 + 64;
		l->frames = must_realloc(l->frames, l->room * sizeof(*l->frames));
		l->own = must_realloc(l->own, l->room * sizeof(*l->own));
	}
	l->frames[l->n++] = (struct fold_frame){ .name = name };
}

__attribute__((format(printf, 2, 3)))
static void line_print(struct line *l, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = must_realloc(NULL, 1), *text = '\0';
	va_end(ap);
	line_put(l, text);
	l->own[l->owned++] = text;
}

static void line_clear(struct line *l)
{
	while (l->owned)
		free(l->own[--l->owned]);
	l->n = 0;
}

static enum fold_kind module_kind(const char *module)
{
	static const struct { const char *name; enum fold_kind kind; } kinds[] = {
		{ "[python]", FOLD_PYTHON }, { "[op]", FOLD_OPERATOR },
		{ "[annotation]", FOLD_ANNOTATION }, { "[nvtx]", FOLD_ANNOTATION },
	};

	for (size_t i = 0; module && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(module, kinds[i].name))
			return kinds[i].kind;
	return FOLD_OTHER;
}

static void line_frame(struct fold *f, struct line *l, u64 frame)
{
	const char *module, *name = model_frame_name(f->model, frame, &module);
	char plain[FRAME_NAME_LEN];

	if (!f->set.plain) {
		line_put(l, demangle(name));
		l->frames[l->n - 1].raw = name;
		l->frames[l->n - 1].module = module;
	} else if (frame_name_plain(f->model, frame, plain)) {
		line_print(l, "%s", plain);
	} else {
		line_put(l, "[unknown]");
	}
	l->frames[l->n - 1].kind = module_kind(module);
}

static void line_stack(struct fold *f, struct line *l, u64 stack)
{
	u32 kernel = 0, n, cut, i;
	const u64 *frames;

	n = stack ? model_stack(f->model, stack, &frames, &kernel) : 0;
	if (!n) {
		line_put(l, "[no stack]");
		return;
	}
	if (kernel > n)
		kernel = n;
	cut = f->set.whole_stacks ? 0 :
		model_frames_between(f->model, frames + kernel, n - kernel);
	for (i = n; i-- > kernel + cut; )
		line_frame(f, l, frames[i]);
	for (i = kernel; i-- > 0; )
		line_print(l, "%s_[k]", model_frame_name(f->model, frames[i], NULL));
}

static void line_op(struct line *l, const struct key *k)
{
	const char *name = k->op;
	int n = strlen(name);

	if (k->type == OP_KERNEL) {
		line_print(l, "[gpu] %s", demangle(name));
		l->frames[l->n - 1].raw = name;
	} else if (k->type == KEY_UVM) {
		line_print(l, "[uvm] %s", name[0] == '[' ? name : demangle(name));
	} else if (name[0] == '[' && name[n - 1] == ']') {
		line_print(l, "[gpu] %.*s", n - 2, name + 1);
	} else {
		line_print(l, "[gpu] %s", name);
	}
}

static void line_rank(struct line *l, s32 rank)
{
	if (rank < 0)
		line_put(l, "[no rank]");
	else
		line_print(l, "rank %d", rank);
}

static void line_build(struct fold *f, struct line *l, const struct key *k)
{
	const struct thread_info *t = k->tid ? model_thread(f->model, k->tid) : NULL;

	if (k->type == KEY_SAMPLE && k->op)	/* events do not add up */
		line_print(l, "[%s]", k->op);
	if (f->ranked && f->set.by <= FOLD_BY_RANK)
		line_rank(l, rank_of(k->process));
	if (f->set.by <= FOLD_BY_PROCESS)
		line_print(l, "%s-%u", k->process->comm[0] ? k->process->comm : "?",
			   k->process->pid);
	if (f->set.by == FOLD_BY_THREAD && t)
		line_print(l, "%s/%u", t->comm[0] ? t->comm : "?", k->tid);
	if (k->type == KEY_SAMPLE) {
		line_stack(f, l, k->stack);
		return;
	}
	if (!k->call) {
		line_put(l, k->type == KEY_UVM ? "[no call]" : "[no launch]");
	} else {
		if (k->captured)
			line_put(l, k->type == KEY_UVM ? "[allocated]" : "[captured]");
		line_stack(f, l, k->stack);
		line_put(l, k->call);
	}
	if (k->op)
		line_op(l, k);
}

/* The value of a sum: a step's share of it where that is asked for, to the nearest. A process
 * without steps keeps the whole. */
static u64 sum_value(const struct fold *f, const struct sum *s, enum fold_value value)
{
	const struct process_info *process = s->key.process;
	const struct process_steps *p = f->set.steps ?
		steps_of(f->set.steps, process->producer, process->pid) : NULL;
	size_t n = p && p->n ? p->n : 1;

	return (s->values[value] + n / 2) / n;
}

int fold_each_all(struct fold *f, fold_put_all *put, void *ctx)
{
	struct line line = {};
	int err = 0;

	for (const struct sum *s = f->first; !err && s; s = s->later) {
		const struct key *k = &s->key;
		u64 values[FOLD_VALUES];
		struct fold_stack about = {
			.process = k->process, .rank = rank_of(k->process),
			.device = k->device, .stream = k->stream,
			.thread = k->tid ? model_thread(f->model, k->tid) : NULL,
			.values = values,
		};

		for (int v = 0; v < FOLD_VALUES; v++)
			values[v] = sum_value(f, s, v);
		line_build(f, &line, k);
		err = put(ctx, line.frames, line.n, &about);
		line_clear(&line);
	}
	free(line.frames);
	free(line.own);
	return err;
}

struct one_value { enum fold_value value; fold_put *put; void *ctx; };

static int put_one(void *ctx, const struct fold_frame *frames, u32 n,
		   const struct fold_stack *about)
{
	const struct one_value *one = ctx;
	u64 value = about->values[one->value];

	return value ? one->put(one->ctx, frames, n, value) : 0;
}

int fold_each(struct fold *f, enum fold_value value, fold_put *put, void *ctx)
{
	struct one_value one = { value, put, ctx };

	return fold_each_all(f, put_one, &one);
}
