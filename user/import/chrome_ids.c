// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes, threads and categories of a Chrome trace; see chrome.h. */
#include <stdlib.h>
#include <string.h>
#include "chrome.h"

struct chrome_category *chrome_category(struct chrome *c, const char *s, u32 n)
{
	struct chrome_category *category, **list = c->categories;

	for (u32 i = 0; i < c->categories_n; i++) {
		category = list[i];
		if (category->n != n || memcmp(category->name, s, n))
			continue;
		if (i) {		/* the frequent ones move to the front */
			list[i] = list[i - 1];
			list[i - 1] = category;
		}
		return category;
	}
	category = must_alloc(sizeof(*category) + n + 1);
	category->name = memcpy(category + 1, s, n);
	category->n = n;
	category->kind = kineto_kind(category->name, n);
	category->nth = c->categories_n;
	if (!(c->categories_n & (c->categories_n - 1)))
		list = must_realloc(list, (c->categories_n * 2 + 1) * sizeof(*list));
	list[c->categories_n++] = category;
	c->categories = list;
	return category;
}

u32 chrome_category_id(struct chrome *c, u16 producer)
{
	struct chrome_category *category = c->e.category;

	if (!category)
		return 0;
	if (category->producer != producer) {
		category->producer = producer;
		category->id = import_name(c->im, producer, NAME_SPAN, category->name,
					   category->n);
	}
	return category->id;
}

static struct chrome_process *process_at(struct chrome *c, u64 id)
{
	struct chrome_process *p = hash_get(&c->processes, id);

	if (!p) {
		p = must_alloc(sizeof(*p));
		p->id = id;
		hash_put(&c->processes, id, p);
	}
	return p;
}

static struct chrome_process *made(struct chrome *c, struct chrome_process *p)
{
	if (!p->producer) {
		p->key = p->id;
		p->producer = import_process(c->im, p->key, p->name);
		p->pid = import_pid(c->im, p->producer);
	}
	return p;
}

static struct chrome_process *main_process(struct chrome *c)
{
	if (!c->main) {
		c->nameless = !c->has_caller;
		c->main = made(c, process_at(c, c->nameless ? CHROME_NAMELESS : c->caller));
	}
	return c->main;
}

/* Rows of the profiler's own, which are no processes. */
static bool is_row(const struct chrome_id *pid)
{
	static const char *const rows[] = { "Spans", "Traces", "Nets", "" };
	const char *s = pid->text.s;

	if (!pid->given || (!s && (s64)pid->n < 0))
		return true;
	for (u32 i = 0; s && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(s, rows[i]))
			return true;
	return s && !strncmp(s, "GPU ", 4);
}

/* A category that is of a CPU for sure. */
static bool on_cpu(const struct chrome_category *category)
{
	switch (category ? category->kind : CHROME_OTHER) {
	case CHROME_RUNTIME: case CHROME_DRIVER: case CHROME_OP: case CHROME_ANNOTATION:
	case CHROME_PYTHON: case CHROME_OVERHEAD: case CHROME_MEMORY:
		return true;
	default:
		return false;
	}
}

/* The first process with events of a CPU is that of the GPU operations, if none is known to
 * call. Under a GPU's number there are also marks and ends of flows. */
static struct chrome_process *cpu_process(struct chrome *c, struct chrome_process *p)
{
	if (!p->producer && hash_get(&c->gpu_pids, p->id + 1) && !on_cpu(c->e.category))
		return main_process(c);
	if (c->nameless && !p->producer) {
		p->producer = c->main->producer;
		p->pid = c->main->pid;
		p->key = c->main->key;
		if (p->name)
			import_process(c->im, p->key, p->name);
		c->nameless = false;
		c->main = p;
	}
	made(c, p);
	if (!c->main && (!c->has_caller || p->id == c->caller))
		c->main = p;
	return p;
}

static struct chrome_thread *thread_at(struct chrome *c, struct chrome_process *p, u64 id)
{
	u64 key = hash_mix(p->id + hash_mix(id));
	struct chrome_thread *t;

	for (; (t = hash_get(&c->threads, key)); key++)
		if (t->process == p && t->id == id)
			return t;
	t = must_alloc(sizeof(*t));
	t->process = p;
	t->id = id;
	hash_put(&c->threads, key, t);
	return t;
}

struct chrome_thread *chrome_thread_of(struct chrome *c, const struct chrome_id *pid,
				       const struct chrome_id *tid)
{
	struct chrome_thread **recent = &c->recent[(pid->n * 7 + tid->n) % 64], *t = *recent;
	struct chrome_process *p;
	const char *name;

	if (t && t->process->id == pid->n && t->id == tid->n && pid->given)
		return t;
	p = hash_get(&c->processes, pid->n);
	p = is_row(pid) ? main_process(c) : cpu_process(c, p ? p : process_at(c, pid->n));
	t = thread_at(c, p, tid->n);
	if (!t->producer) {
		name = t->name ? t->name : tid->text.s;
		t->producer = p->producer;
		t->tid = import_tid(c->im, p->producer, tid->n, name);
	}
	*recent = t;
	return t;
}

struct chrome_thread *chrome_thread(struct chrome *c)
{
	if (!c->e.tid.given && !c->e.pid.text.s)
		c->e.tid = c->e.pid;	/* the thread that has the process's id */
	return chrome_thread_of(c, &c->e.pid, &c->e.tid);
}

struct chrome_process *chrome_gpu_process(struct chrome *c, u64 correlation)
{
	struct chrome_process *p = NULL;

	if (c->foreign.used)
		p = hash_get(&c->foreign, correlation);
	return p ? p : main_process(c);
}

static void set_name(char **name, const char *s)
{
	free(*name);
	*name = strdup(s);
}

void chrome_process_name(struct chrome *c, const struct chrome_id *pid, const char *name)
{
	struct chrome_process *p;

	if (is_row(pid))
		return;
	p = process_at(c, pid->n);
	set_name(&p->name, name);
	if (p->producer)
		import_process(c->im, p->key, p->name);
}

/* "thread 4325 (pt_data_pin)", as Kineto has it, is pt_data_pin: the number would fill the 15
 * bytes that a name of a thread has. The caller frees it; NULL: no memory. */
static char *bare_name(const char *name)
{
	size_t digits = strncmp(name, "thread ", 7) ? 0 : strspn(name + 7, "0123456789");
	size_t n = strlen(name), from = 7 + digits + 2;

	if (!digits || strncmp(name + from - 2, " (", 2) || name[n - 1] != ')')
		return strdup(name);
	return strndup(name + from, n - from - 1);
}

void chrome_thread_name(struct chrome *c, const struct chrome_id *pid,
			const struct chrome_id *tid, const char *name)
{
	struct chrome_thread *t;

	if (is_row(pid))
		return;
	t = thread_at(c, process_at(c, pid->n), tid->n);
	free(t->name);
	t->name = bare_name(name);
	if (t->producer)
		import_tid(c->im, t->producer, t->id, t->name);
}

void chrome_ids_free(struct chrome *c)
{
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&c->threads, &at))) {
		free(((struct chrome_thread *)slot->value)->name);
		free(slot->value);
	}
	at = 0;
	while ((slot = hash_next(&c->processes, &at))) {
		free(((struct chrome_process *)slot->value)->name);
		free(slot->value);
	}
	hash_free(&c->threads);
	hash_free(&c->processes);
	hash_free(&c->steps_by_text);
	hash_free(&c->foreign);
	hash_free(&c->gpu_pids);
	for (u32 i = 0; i < c->categories_n; i++)
		free(c->categories[i]);
	free(c->categories);
}
