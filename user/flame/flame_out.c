// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "flame_out.h"
#include "log.h"
#include "outfile.h"
#include "pprof.h"

static const struct pprof_value value_names[FOLD_VALUES] = {
	[FOLD_TIME] = { "gpu_kernel_time", "nanoseconds" },
	[FOLD_LAUNCHES] = { "launches", "count" },
	[FOLD_CPU] = { "launch_cpu_time", "nanoseconds" },
	[FOLD_BYTES] = { "memcpy_bytes", "bytes" },
	[FOLD_UVM] = { "uvm_service_time", "nanoseconds" },
};

static void names_fill(const struct flame_out *o, struct pprof_value *names)
{
	memcpy(names, value_names, sizeof(value_names));
	if (o->time_type)
		names[FOLD_TIME].type = o->time_type;
	if (o->time_unit)
		names[FOLD_TIME].unit = o->time_unit;
}

static bool has_several(const struct flame_out *o)
{
	return o->format >= FLAME_HTML && o->value == FOLD_VALUES;
}

static enum fold_value one_value(const struct flame_out *o)
{
	return o->value == FOLD_VALUES ? FOLD_TIME : o->value;
}

unsigned flame_out_values(const struct flame_out *o)
{
	return has_several(o) ? (1U << FOLD_VALUES) - 1 : 1U << one_value(o);
}

const char *flame_out_unit(const struct flame_out *o)
{
	static const char *const units[FOLD_VALUES] = { "ns", "launches", "ns", "bytes", "ns" };

	return units[one_value(o)];
}

/* ---- stacks into trees ---- */

struct adding {
	const struct flame_out *o;
	struct flame_tree *tree;
	int side;			/* 0 alone, 1 before, 2 after */
	struct flame_frame *frames;
	u32 room;
};

static const struct flame_frame *flame_frames(struct adding *a, const struct fold_frame *from,
					      u32 *n)
{
	static const enum flame_what whats[] = {
		[FOLD_OTHER] = FLAME_BY_NAME, [FOLD_PYTHON] = FLAME_PYTHON,
		[FOLD_OPERATOR] = FLAME_OPERATOR, [FOLD_ANNOTATION] = FLAME_ANNOTATION,
	};

	if (*n > a->room) {
		a->room = *n * 2;
		a->frames = must_realloc(a->frames, a->room * sizeof(*a->frames));
	}
	/* the line is ours to change: it is built anew for each stack */
	*n = framer_apply(a->o->framer, (struct fold_frame *)from, *n);
	for (u32 i = 0; i < *n; i++)
		a->frames[i] = (struct flame_frame){ from[i].name, strlen(from[i].name),
						     whats[from[i].kind] };
	return a->frames;
}

static int add_stack(void *ctx, const struct fold_frame *from, u32 n, u64 value)
{
	struct adding *a = ctx;
	const struct flame_frame *frames = flame_frames(a, from, &n);

	if (!a->side)
		return flame_add(a->tree, frames, n, value);
	return flame_add_pair(a->tree, frames, n, a->side == 1 ? value : 0,
			      a->side == 2 ? value : 0);
}

static int tree_add(const struct flame_out *o, struct fold *f, enum fold_value value, int side,
		    struct flame_tree *tree)
{
	struct adding a = { o, tree, side };
	int err = tree ? fold_each(f, value, add_stack, &a) : -ENOMEM;

	free(a.frames);
	return err;
}

/* ---- writing ---- */

static int file_open(const struct flame_out *o, struct outfile *out)
{
	return outfile_open(out, o->path);
}

static int file_close(const struct flame_out *o, struct outfile *out, int err)
{
	int closed;

	if (err == -EPIPE)
		err = 0;	/* the reader has what it wanted */
	else if (err)
		fail(err, "cannot write %s", o->path ? o->path : "standard output");
	closed = outfile_close(out, !err);
	return err ? err : closed;
}

static int views_write(const struct flame_out *o, const struct flame_view *views, size_t n)
{
	struct outfile out;
	int err = file_open(o, &out);

	if (err)
		return err;
	switch (o->format) {
	case FLAME_FOLDED: err = flame_write_folded(views[0].tree, out.f); break;
	case FLAME_HTML: err = flame_write_html(views, n, out.f, &o->svg); break;
	case FLAME_SPEEDSCOPE: err = flame_write_speedscope(views, n, out.f, &o->svg); break;
	default: err = flame_write_svg(views[0].tree, out.f, &o->svg); break;
	}
	return file_close(o, &out, err);
}

static int trees_write(const struct flame_out *o, struct fold *f)
{
	unsigned values = flame_out_values(o);
	struct pprof_value names[FOLD_VALUES];
	struct flame_view views[FOLD_VALUES];
	size_t n = 0;
	int err = 0;

	names_fill(o, names);
	for (int v = 0; !err && v < FOLD_VALUES; v++) {
		if (!(values & 1U << v) || !fold_sums(f)->values[v])
			continue;
		views[n] = (struct flame_view){ names[v].type, names[v].unit, flame_new() };
		err = tree_add(o, f, v, 0, views[n++].tree);
	}
	if (err)
		fail(err, "cannot sum up the recording");
	else
		err = views_write(o, views, n);
	while (n)
		flame_free(views[--n].tree);
	return err;
}

int flame_out_tree(const struct flame_out *o, struct flame_tree *tree)
{
	struct pprof_value names[FOLD_VALUES];
	struct flame_view view;

	names_fill(o, names);
	view = (struct flame_view){ names[one_value(o)].type, names[one_value(o)].unit, tree };
	return views_write(o, &view, 1);
}

int flame_out_pair(const struct flame_out *o, struct fold *before, struct fold *after,
		   struct flame_tree **tree)
{
	int err;

	*tree = flame_new();
	err = tree_add(o, before, one_value(o), 1, *tree);
	return err ? err : tree_add(o, after, one_value(o), 2, *tree);
}

/* ---- pprof ---- */

struct profiling { const struct flame_out *o; struct pprof *p; };

static int add_sample(void *ctx, const struct fold_frame *frames, u32 n,
		      const struct fold_stack *about)
{
	const struct profiling *g = ctx;

	n = framer_apply(g->o->framer, (struct fold_frame *)frames, n);
	return pprof_add(g->p, frames, n, about);
}

static void comments(struct pprof *p, const char *text)
{
	const char *end;

	for (; text && *text; text = *end ? end + 1 : end) {
		char line[512];

		end = strchrnul(text, '\n');
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		if (line[0])
			pprof_comment(p, line);
	}
}

static int pprof_all(const struct flame_out *o, struct fold *f, const struct trace_info *info)
{
	const struct model_counts *c = model_counts(fold_model(f));
	struct pprof_value names[FOLD_VALUES];
	unsigned values = 0;
	struct profiling g = { o };
	struct outfile out;
	int err;

	names_fill(o, names);
	for (int v = 0; v < FOLD_VALUES; v++)
		if (fold_sums(f)->values[v] && flame_out_values(o) & 1U << v)
			values |= 1U << v;
	g.p = pprof_new(values, names);
	comments(g.p, o->svg.title);
	comments(g.p, o->svg.subtitle);
	err = fold_each_all(f, add_sample, &g);
	if (err)
		fail(err, "cannot sum up the recording");
	else
		err = file_open(o, &out);
	if (!err)
		err = file_close(o, &out, pprof_write(g.p, info->start_realtime_ns,
						      c->last_ns - c->first_ns, out.f));
	pprof_free(g.p);
	return err;
}

int flame_out_write(const struct flame_out *o, struct fold *f, const struct trace_info *info)
{
	return o->format == FLAME_PPROF ? pprof_all(o, f, info) : trees_write(o, f);
}
