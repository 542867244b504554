// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Speedscope's own format: frames once, then for each value a profile of stacks
 * with weights (its file-format-schema.json, "sampled"). Its numbers are doubles:
 * a weight above 2^53 is the nearest one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"
#include "tree.h"

struct scope {
	FILE *out;
	const struct flame_view *views;
	size_t n;
	struct flame_text text;
	uint32_t *path, room;	/* of a stack, from the outermost */
};

static void put_key(struct scope *s, const char *key, const char *text)
{
	fprintf(s->out, "\"%s\":", key);
	flame_json(&s->text, text, strlen(text), s->out);
}

static const char *unit_of(const char *unit)
{
	static const char *const known[] = { "nanoseconds", "microseconds", "milliseconds",
					     "seconds", "bytes" };

	if (!strcmp(unit, "ns"))
		return "nanoseconds";
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(unit, known[i]))
			return unit;
	return "none";
}

/* Frames of all trees one after the other: a name in two of them is there twice. */
static void put_frames(struct scope *s)
{
	bool first = true;

	fputs("\"shared\":{\"frames\":[", s->out);
	for (size_t v = 0; v < s->n; v++)
		for (uint32_t i = 0; i < s->views[v].tree->name_count; i++) {
			const struct flame_name *name = &s->views[v].tree->names[i];

			fputs(first ? "{\"name\":" : ",\n{\"name\":", s->out);
			flame_json(&s->text, name->text, name->len, s->out);
			putc('}', s->out);
			first = false;
		}
	fputs("]},\n", s->out);
}

static int path_of(struct scope *s, const struct flame_tree *t, uint32_t node, uint32_t *n)
{
	uint32_t depth = 0;

	for (uint32_t i = node; i; i = t->nodes[i].parent)
		depth++;
	if (depth > s->room) {
		uint32_t *more = realloc(s->path, depth * 2 * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->path = more;
		s->room = depth * 2;
	}
	*n = depth;
	for (uint32_t i = node; i; i = t->nodes[i].parent)
		s->path[--depth] = t->nodes[i].name;
	return 0;
}

static int put_samples(struct scope *s, const struct flame_tree *t, uint32_t base)
{
	uint32_t i, k, n, put = 0;

	fputs("\"samples\":[", s->out);
	for (i = 1; i < t->node_count; i++) {
		if (!t->nodes[i].self)
			continue;
		if (path_of(s, t, i, &n))
			return -ENOMEM;
		fputs(put++ ? ",\n[" : "[", s->out);
		for (k = 0; k < n; k++)
			fprintf(s->out, "%s%u", k ? "," : "", base + s->path[k]);
		putc(']', s->out);
	}
	fputs("],\n\"weights\":[", s->out);
	for (i = 1, put = 0; i < t->node_count; i++)
		if (t->nodes[i].self)
			fprintf(s->out, "%s%llu", put++ ? "," : "",
				(unsigned long long)t->nodes[i].self);
	putc(']', s->out);
	return 0;
}

static int put_profile(struct scope *s, size_t v, uint32_t base)
{
	const struct flame_view *view = &s->views[v];
	int err;

	fputs(v ? ",\n{\"type\":\"sampled\"," : "{\"type\":\"sampled\",", s->out);
	put_key(s, "name", view->name);
	putc(',', s->out);
	put_key(s, "unit", unit_of(view->unit));
	fprintf(s->out, ",\"startValue\":0,\"endValue\":%llu,\n",
		(unsigned long long)flame_total(view->tree));
	err = put_samples(s, view->tree, base);
	putc('}', s->out);
	return err;
}

static int put_all(struct scope *s, const struct flame_options *o)
{
	uint32_t base = 0;
	int err = 0;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", s->out);
	put_key(s, "exporter", "gpuscope");
	putc(',', s->out);
	put_key(s, "name", o->title ? o->title : "Flame graph");
	fputs(",\"activeProfileIndex\":0,\n", s->out);
	put_frames(s);
	fputs("\"profiles\":[", s->out);
	for (size_t v = 0; !err && v < s->n; v++) {
		err = put_profile(s, v, base);
		base += s->views[v].tree->name_count;
	}
	fputs("]}\n", s->out);
	return err;
}

int flame_write_speedscope(const struct flame_view *views, size_t n, FILE *out,
			   const struct flame_options *o)
{
	struct scope s = { .out = out, .views = views, .n = n };
	uint64_t any = 0;
	int err;

	for (size_t v = 0; v < n; v++)
		any |= flame_total(views[v].tree);
	if (!any)
		return -ENODATA;
	errno = 0;
	err = put_all(&s, o);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	free(s.path);
	flame_text_free(&s.text);
	return err;
}
