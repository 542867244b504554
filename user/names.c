// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What definitions said: names, commands, symbols and stacks, each kept once. */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "tool_run.h"

struct names {
	struct texts texts;
	struct arena arena;
	struct hash names, comms, symbols, stacks;
};

struct kept_stack { u32 frames; u32 pad; u64 frame[]; };

struct names *names_new(void)
{
	return must_alloc(sizeof(struct names));
}

void names_free(struct names *n)
{
	if (!n)
		return;
	hash_free(&n->names);
	hash_free(&n->comms);
	hash_free(&n->symbols);
	hash_free(&n->stacks);
	texts_free(&n->texts);
	arena_free(&n->arena);
	free(n);
}

static u64 name_key(u16 producer, u32 id)
{
	return (u64)producer << 32 | id;
}

static void learn_text(struct names *n, struct hash *h, u64 key, const char *s, size_t max)
{
	size_t len = strnlen(s, max);

	hash_put(h, key, (void *)texts_add(&n->texts, s, len));
}

static void learn_stack(struct names *n, const struct stack *s)
{
	struct kept_stack *k;
	u32 frames = (s->e.size - sizeof(*s)) / sizeof(u64);

	if (hash_get(&n->stacks, s->id))
		return;
	k = arena_alloc(&n->arena, sizeof(*k) + frames * sizeof(u64));
	k->frames = frames;
	memcpy(k->frame, s + 1, frames * sizeof(u64));
	hash_put(&n->stacks, s->id, k);
}

void names_learn(struct names *n, const struct event *e)
{
	const struct name *name = (const void *)e;
	const struct task *task = (const void *)e;
	const struct symbol *symbol = (const void *)e;

	switch (e->kind) {
	case EVENT_NAME:
		learn_text(n, &n->names, name_key(e->producer, name->id),
			   record_text(e, sizeof(*name)), e->size - sizeof(*name));
		break;
	case EVENT_TASK:
		if (e->pid == e->tid || !hash_get(&n->comms, e->pid))
			learn_text(n, &n->comms, e->pid, task->comm, sizeof(task->comm));
		break;
	case EVENT_SYMBOL:
		learn_text(n, &n->symbols, symbol->frame, record_text(e, sizeof(*symbol)),
			   e->size - sizeof(*symbol));
		break;
	case EVENT_STACK:
		learn_stack(n, (const struct stack *)e);
		break;
	}
}

const char *names_text(const struct names *n, u16 producer, u32 id)
{
	return id ? hash_get(&n->names, name_key(producer, id)) : NULL;
}

const char *names_comm(const struct names *n, u32 pid)
{
	return hash_get(&n->comms, pid);
}

const char *names_symbol(const struct names *n, u64 frame)
{
	return hash_get(&n->symbols, frame);
}

const u64 *names_stack(const struct names *n, u64 id, u32 *frames)
{
	const struct kept_stack *k = hash_get(&n->stacks, id);

	*frames = k ? k->frames : 0;
	return k ? k->frame : NULL;
}
