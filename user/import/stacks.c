// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Folded stacks: "main;f;g 42", outermost first. They have no times: each line
 * is one sample of that weight at time 0.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "stacks.h"

static u64 occurrences(const char *s, const char *word)
{
	u64 n = 0;

	for (; (s = strstr(s, word)); s += strlen(word))
		n++;
	return n;
}

void stack_facts(struct import *im, const char *line)
{
	static const struct { const char *word, *fact; } words[] = {
		{ "uvm_", "uvm_frames" }, { "libcuda", "libcuda" },
		{ "[GPU_Kernel]", "gpu_kernel_frames" },
	};
	size_t i;
	u64 n;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = occurrences(line, words[i].word);
		if (n)
			import_fact(im, "text", words[i].fact, strlen(words[i].fact), n);
	}
}

void stack_add(struct import *im, struct stack_text *s, const char *name, size_t n,
	       bool kernel)
{
	if (s->n == STACK_FRAMES) {
		import_odd(im, "stack deeper than 1024 frames", "");
		return;
	}
	if (s->room - s->used < n + 4) {
		s->room = 2 * s->room + n + 4096;
		s->text = must_realloc(s->text, s->room);
	}
	s->frames[s->n].at = s->used;
	s->frames[s->n++].n = n + 4 * kernel;
	memcpy(s->text + s->used, name, n);
	memcpy(s->text + s->used + n, "_[k]", 4);
	s->used += n + 4 * kernel;
}

void stack_split(struct import *im, struct stack_text *s, const char *line, size_t n)
{
	const char *at = line, *end = line + n, *stop;

	for (; at < end; at = stop + 1) {
		stop = memchr(at, ';', end - at) ?: end;
		if (stop > at)
			stack_add(im, s, at, stop - at, false);
	}
}

void stack_put(struct import *im, struct stack_text *s, bool leaf_first, const struct event *e,
	       u64 weight, u32 name)
{
	struct import_frame frames[STACK_FRAMES];
	struct sample r = { .e = *e, .weight = weight, .name = name };
	u32 i, from;

	for (i = 0; i < s->n; i++) {
		from = leaf_first ? s->n - 1 - i : i;
		frames[i] = (struct import_frame){
			s->text + s->frames[from].at, s->frames[from].n, SPAN_OTHER,
		};
	}
	r.e.kind = EVENT_SAMPLE;
	r.e.size = sizeof(r);
	r.stack = s->n ? import_stack(im, e->producer, frames, s->n) : 0;
	import_put(im, &r.e);
	s->n = 0;
	s->used = 0;
}

/* The number at the end of a folded line, and how much is before it; false: none. */
static bool split_weight(const char *line, size_t n, size_t *stack, u64 *weight)
{
	size_t at = n;

	while (at && isdigit((u8)line[at - 1]))
		at--;
	if (at == n || n - at > 19 || !at || line[at - 1] != ' ')
		return false;
	*weight = strtoull(line + at, NULL, 10);
	while (at && line[at - 1] == ' ')
		at--;
	*stack = at;
	return at > 0;
}

struct folded { u64 lines, sum, depth; };

static void read_line(struct import *im, struct folded *f, struct stack_text *s,
		      const struct event *e, char *line, size_t n)
{
	size_t stack;
	u64 weight;

	stack_facts(im, line);
	if (!n || line[0] == '#')
		return;
	if (!split_weight(line, n, &stack, &weight)) {
		import_odd(im, "line without a number at its end", "");
		return;
	}
	stack_split(im, s, line, stack);
	f->lines++;
	f->sum += weight;
	f->depth = s->n > f->depth ? s->n : f->depth;
	stack_put(im, s, false, e, weight, 0);
}

static int read_folded(struct import *im, const char *path)
{
	struct stack_text *s = must_alloc(sizeof(*s));
	struct folded f = {};
	struct event e = { .cpu = CPU_UNKNOWN };
	struct lines *l;
	char *line;
	size_t n;
	int err = lines_open(&l, path);

	if (!err) {
		e.producer = import_process(im, 0, NULL);
		e.pid = import_pid(im, e.producer);
		while ((line = lines_next(l, &n)))
			read_line(im, &f, s, &e, line, n);
		err = lines_error(l);
		import_fact(im, "text", "lines", 5, lines_count(l));
		import_fact(im, "text", "folded_lines", 12, f.lines);
		import_fact(im, "text", "folded_sum", 10, f.sum);
		import_fact(im, "text", "max_depth", 9, f.depth);
		import_file_counts(im, lines_bytes(l), f.lines);
		lines_close(l);
	}
	free(s->text);
	free(s);
	return err;
}

/* Most of the first lines end in numbers, and one has more than one frame. */
static int probe(const char *path, const u8 *head, size_t n)
{
	const char *at = (const char *)head, *end = at + n, *stop;
	u32 good = 0, bad = 0, deep = 0;
	size_t stack, length;
	u64 weight;

	for (; at < end && good + bad < 20; at = stop + 1) {
		stop = memchr(at, '\n', end - at) ?: end;
		length = stop - at - (stop > at && stop[-1] == '\r');
		if (!length || *at == '#')
			continue;
		if (stop == end && n >= 60000)	/* cut by the end of what was read */
			break;
		if (memchr(at, 0, length))
			return 0;
		if (!split_weight(at, length, &stack, &weight)) {
			bad++;
			continue;
		}
		good++;
		deep += memchr(at, ';', stack) != NULL;
	}
	return good >= 4 * bad && deep ? 45 : 0;
}

const struct import_format import_folded = {
	.name = "folded", .format = SOURCE_FOLDED, .probe = probe, .read = read_folded,
};
