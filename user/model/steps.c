// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads a trace for its steps alone, chooses what they are, answers; see steps.h. */
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "steps_parts.h"
#include "trace_set.h"

static const char unnamed[] = "?";

static struct owner *owner_get(struct steps *s, u16 producer, u32 pid)
{
	u64 key = producer ? producer : (u64)pid << 16;
	struct owner *o = hash_get(&s->owners, key);

	if (o)
		return o;
	o = arena_alloc(&s->arena, sizeof(*o));
	o->found.producer = producer;
	o->found.pid = pid;
	hash_put(&s->owners, key, o);
	s->list = must_realloc(s->list, (s->n + 1) * sizeof(*s->list));
	return s->list[s->n++] = o;
}

static const char *name_text(struct steps *s, u16 producer, u32 id)
{
	const char *text = hash_get(&s->names, (u64)producer << 32 | id);

	return text ? text : unnamed;
}

static void add_name(struct steps *s, const struct name *n)
{
	u64 key = (u64)n->e.producer << 32 | n->id;
	const char *text = record_text(&n->e, sizeof(*n));

	if (!hash_get(&s->names, key))
		hash_put(&s->names, key, (void *)texts_add(&s->texts, text, strlen(text)));
}

/* What the name of a range says, kept by text. */
struct name_kind { enum steps_method method; const char *stem; u64 number; };

static const struct name_kind *name_kind(struct steps *s, const char *text)
{
	struct name_kind *k = hash_get(&s->kinds, hash_address(text));
	size_t n;

	if (k)
		return k;
	k = arena_alloc(&s->arena, sizeof(*k));
	k->method = step_name(text, &n, &k->number);
	if (s->given) {
		k->method = regexec(&s->regex, text, 0, NULL, 0) ? STEPS_NONE : STEPS_GIVEN;
		k->stem = s->pattern;
	} else {
		k->stem = texts_add(&s->texts, text, n);
	}
	hash_put(&s->kinds, hash_address(text), k);
	return k;
}

static struct candidate *candidate_get(struct steps *s, struct owner *o,
				       const struct name_kind *k, u32 tid, bool on_gpu)
{
	struct candidate *c;

	for (size_t i = 0; i < o->candidate_n; i++) {
		c = o->candidates[i];
		if (c->stem == k->stem && c->method == k->method && c->tid == tid &&
		    c->on_gpu == on_gpu)
			return c;
	}
	c = arena_alloc(&s->arena, sizeof(*c));
	c->stem = k->stem;
	c->method = k->method;
	c->tid = tid;
	c->on_gpu = on_gpu;
	o->candidates = must_realloc(o->candidates,
				     (o->candidate_n + 1) * sizeof(*o->candidates));
	return o->candidates[o->candidate_n++] = c;
}

static void add_range(struct steps *s, const struct event *e, u64 dur_ns, u32 name, bool on_gpu)
{
	const struct name_kind *k = name_kind(s, name_text(s, e->producer, name));
	struct candidate *c;

	if (k->method == STEPS_NONE || !dur_ns)
		return;
	c = candidate_get(s, owner_get(s, e->producer, e->pid), k, on_gpu ? 0 : e->tid, on_gpu);
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 16;
		c->ranges = must_realloc(c->ranges, c->room * sizeof(*c->ranges));
	}
	c->ranges[c->n++] = (struct step){ e->ts, e->ts + dur_ns, k->number };
}

static void add_span(struct steps *s, const struct span *x)
{
	if (x->what == SPAN_MARK || (x->what == SPAN_PYTHON && !s->given))
		return;
	add_range(s, &x->e, x->dur_ns, x->name, x->what == SPAN_GPU_ANNOTATION);
}

static void add_kernel(struct steps *s, const struct kernel *k)
{
	struct owner *o = owner_get(s, k->g.e.producer, k->g.e.pid);
	struct sequence *q = NULL;

	for (size_t i = 0; i < o->sequence_n && !q; i++)
		if (o->sequences[i]->device == k->g.device)
			q = o->sequences[i];
	if (!q) {
		q = arena_alloc(&s->arena, sizeof(*q));
		q->device = k->g.device;
		o->sequences = must_realloc(o->sequences,
					    (o->sequence_n + 1) * sizeof(*o->sequences));
		o->sequences[o->sequence_n++] = q;
	}
	sequence_add(q, k);
}

static void add(struct steps *s, const struct event *e)
{
	switch (e->kind) {
	case EVENT_NAME:
		add_name(s, (const struct name *)e);
		break;
	case EVENT_SPAN:
		add_span(s, (const struct span *)e);
		break;
	case EVENT_NVTX:
		add_range(s, e, ((const struct nvtx *)e)->dur_ns,
			  ((const struct nvtx *)e)->name, false);
		break;
	case EVENT_KERNEL:
		add_kernel(s, (const struct kernel *)e);
		break;
	}
}

static int range_compare(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;	/* the outer one first */
}

/*
 * Outermost ranges to the front of the list. On the GPU each stream has one of its own: those
 * of one number are one, and what begins before the one before it has ended begins there.
 */
static void candidate_sort(struct candidate *c)
{
	size_t n = 0, merged = 0;

	qsort(c->ranges, c->n, sizeof(*c->ranges), range_compare);
	for (size_t i = 0; i < c->n; i++) {
		struct step x = c->ranges[i], *last = n ? &c->ranges[n - 1] : NULL;

		if (last && c->on_gpu && x.end > last->end) {
			if (x.number == last->number && x.start <= last->end) {
				last->end = x.end;
				merged++;
				continue;
			}
			x.start = x.start < last->end ? last->end : x.start;
		}
		/* what only crosses the one before is kept: profilers round */
		if (last && x.end <= last->end)
			continue;
		c->ranges[n++] = x;
	}
	c->inside = c->n - n - merged;
	c->n = n;
	for (size_t i = 0; i < n; i++) {
		c->covered += c->ranges[i].end - c->ranges[i].start;
		if (c->ranges[i].number == ~0ULL)
			c->ranges[i].number = i;
	}
}

/* Is a a better idea of what the steps are than b? A thread's ranges say who launched what. */
static bool better(const struct candidate *a, const struct candidate *b)
{
	if (a->on_gpu != b->on_gpu)
		return !a->on_gpu;
	if (a->method != b->method)
		return a->method < b->method;
	if (a->covered != b->covered)
		return a->covered > b->covered;
	return a->n < b->n;
}

static bool choose_named(struct owner *o)
{
	struct process_steps *p = &o->found;
	struct candidate *best = NULL;

	for (size_t i = 0; i < o->candidate_n; i++) {
		struct candidate *c = o->candidates[i];

		candidate_sort(c);
		/* one range that is called "step" is no loop */
		if (c->method == STEPS_RANGE && c->n < 2)
			continue;
		if (!best || better(c, best))
			best = c;
	}
	if (!best)
		return false;
	p->method = best->method;
	p->on_gpu = best->on_gpu;
	p->name = best->stem;
	p->tid = best->tid;
	p->list = best->ranges;
	p->n = best->n;
	p->left_out = best->inside;
	for (size_t i = 0; i < o->candidate_n; i++)
		if (o->candidates[i] != best && o->candidates[i]->stem == best->stem &&
		    o->candidates[i]->on_gpu == best->on_gpu)
			p->left_out += o->candidates[i]->n + o->candidates[i]->inside;
	return true;
}

static bool choose_repeated(struct steps *s, struct owner *o)
{
	struct process_steps *p = &o->found;
	struct sequence *q = sequence_choose(o);
	struct step *list;

	if (!q)
		return false;
	p->method = STEPS_REPEATED;
	p->on_gpu = true;
	p->name = name_text(s, p->producer, q->anchor);
	p->kernels = q->period;
	p->n = q->start_n - 1;
	p->left_out = q->left_out;
	p->list = list = arena_alloc(&s->arena, p->n * sizeof(*list));
	for (size_t i = 0; i < p->n; i++)
		list[i] = (struct step){ q->starts[i], q->starts[i + 1], i };
	return true;
}

static int owner_compare(const void *a, const void *b)
{
	const struct owner *x = *(struct owner *const *)a, *y = *(struct owner *const *)b;

	if (x->found.producer != y->found.producer)
		return x->found.producer < y->found.producer ? -1 : 1;
	return x->found.pid < y->found.pid ? -1 : x->found.pid > y->found.pid;
}

static void choose(struct steps *s)
{
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), owner_compare);
	s->found = must_alloc((s->n + 1) * sizeof(*s->found));
	for (size_t i = 0; i < s->n; i++) {
		struct owner *o = s->list[i];

		if (choose_named(o) || (!s->given && choose_repeated(s, o)))
			s->found[s->found_n++] = &o->found;
	}
}

static int compile(struct steps *s, const char *pattern)
{
	char why[128];
	int err = regcomp(&s->regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (err) {
		regerror(err, &s->regex, why, sizeof(why));
		return fail(0, "cannot use the pattern \"%s\": %s", pattern, why);
	}
	s->given = true;
	s->pattern = texts_add(&s->texts, pattern, strlen(pattern));
	return 0;
}

int steps_find(struct steps **found, const char *const *paths, size_t n, const char *pattern)
{
	struct steps *s = must_alloc(sizeof(*s));
	struct trace_set *set;
	const struct event *e;
	int err = pattern ? compile(s, pattern) : 0;

	if (!err)
		err = trace_set_open(&set, paths, n);
	if (err) {
		steps_free(s);
		return err;
	}
	while (trace_set_next(set, &e))
		add(s, e);
	trace_set_close(set);
	choose(s);
	*found = s;
	return 0;
}

static void owner_free(struct owner *o)
{
	for (size_t i = 0; i < o->candidate_n; i++)
		free(o->candidates[i]->ranges);
	for (size_t i = 0; i < o->sequence_n; i++)
		sequence_free(o->sequences[i]);
	free(o->candidates);
	free(o->sequences);
}

void steps_free(struct steps *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		owner_free(s->list[i]);
	if (s->given)
		regfree(&s->regex);
	free(s->list);
	free(s->found);
	hash_free(&s->owners);
	hash_free(&s->names);
	hash_free(&s->kinds);
	texts_free(&s->texts);
	arena_free(&s->arena);
	free(s);
}

size_t steps_list(const struct steps *s, const struct process_steps *const **list)
{
	*list = s->found;
	return s->found_n;
}

const struct process_steps *steps_of(const struct steps *s, u16 producer, u32 pid)
{
	struct owner *o = hash_get(&s->owners, producer ? producer : (u64)pid << 16);

	return o && o->found.method ? &o->found : NULL;
}

const struct step *step_at(const struct process_steps *p, u64 ns)
{
	size_t low = 0, high = p->n, middle;

	while (low < high) {	/* the first one that ends behind it */
		middle = low + (high - low) / 2;
		if (p->list[middle].end <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n && p->list[low].start <= ns ? &p->list[low] : NULL;
}

const struct step *step_of(const struct process_steps *p, const struct gpu_op *op)
{
	if (p->on_gpu)
		return step_at(p, op->g->e.ts);
	return op->call ? step_at(p, op->call->r.e.ts) : NULL;
}

const char *steps_method_name(u32 method)
{
	static const char *const names[] = { "none", "given", "profiler", "range", "repeated" };

	return method < sizeof(names) / sizeof(*names) ? names[method] : "unknown";
}
