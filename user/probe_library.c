// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows about libraries to links. A row goes to every file that its library can
 * be (library.h). Two names of one function are one place: it is probed once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "library.h"
#include "log.h"
#include "probe_object.h"
#include "uprobe_multi.h"

#define LIBRARIES_MAX 32	/* copies of one library in use on a machine */
#define PLACES_MAX 512
#define ROWS_MAX 64		/* of one program */

struct place { size_t prog; size_t file; u64 offset; };

struct probe_libraries {
	struct probe_object *o;
	const char *lib;	/* --lib */
	u32 pid;
	const char *name;	/* of the library in `files` */
	struct library_file files[LIBRARIES_MAX];
	struct library_symbols *symbols[LIBRARIES_MAX];
	size_t count;
	struct place places[PLACES_MAX];	/* probed already */
	size_t place_count;
};

bool probe_has_library(const struct probe_row *row)
{
	return row->type <= PROBE_USDT;
}

struct probe_libraries *probe_libraries_new(struct probe_object *o, const char *lib, u32 pid)
{
	struct probe_libraries *t = calloc(1, sizeof(*t));

	if (t) {
		t->o = o;
		t->lib = lib;
		t->pid = pid;
	}
	return t;
}

static void forget_files(struct probe_libraries *t)
{
	for (size_t i = 0; i < t->count; i++)
		library_symbols_close(t->symbols[i]);
	t->count = t->place_count = 0;
}

void probe_libraries_free(struct probe_libraries *t)
{
	if (t)
		forget_files(t);
	free(t);
}

static int no_library(const struct probe_libraries *t)
{
	if (strchr(t->name, '/'))
		return fail(-ENOENT, "cannot open the library %s", t->name);
	if (t->pid)
		return fail(0, "cannot find %s in process %u (--lib PATH names it)", t->name,
			    t->pid);
	return fail(0,
		    "cannot find %s: neither where the loader looks nor in a running process (--lib PATH names it)",
		    t->name);
}

static int find_library(struct probe_libraries *t, const struct probe_row *row)
{
	const char *name = t->lib ? t->lib : row->where;

	if (!t->name || strcmp(t->name, name)) {
		forget_files(t);
		t->count = library_files(name, t->pid, t->files, LIBRARIES_MAX);
		for (size_t i = 0; i < t->count; i++)
			t->symbols[i] = library_symbols_open(t->files[i].path);
	}
	t->name = name;
	return t->count || row->flags & PROBE_OPTIONAL ? 0 : no_library(t);
}

/* ---- one row, one file: a link each, of perf or of USDT ---- */

static int attach_usdt(struct probe_libraries *t, const struct probe_row *row, size_t file)
{
	char provider[64];
	const char *colon = strchr(row->what, ':');
	int pid = t->pid ? (int)t->pid : -1;

	if (!colon || colon - row->what >= (int)sizeof(provider))
		return -EINVAL;
	snprintf(provider, sizeof(provider), "%.*s", (int)(colon - row->what), row->what);
	return probe_keep(t->o, row, bpf_program__attach_usdt(probe_program(t->o, row), pid,
							      t->files[file].path, provider,
							      colon + 1, NULL));
}

/* 1: to be probed; 0: the program is there already, by another name; negative: no such
 * function. */
static int new_place(struct probe_libraries *t, const struct probe_row *row, size_t file,
		     u64 *offset)
{
	*offset = t->symbols[file] ? library_symbols_offset(t->symbols[file], row->what) : 0;
	if (!*offset)
		return -ENOENT;
	for (size_t i = 0; i < t->place_count; i++) {
		const struct place *p = &t->places[i];

		if (p->prog == row->prog && p->file == file && p->offset == *offset)
			return 0;
	}
	if (t->place_count == PLACES_MAX)
		return -E2BIG;
	t->places[t->place_count++] = (struct place){ row->prog, file, *offset };
	return 1;
}

static int attach_uprobe(struct probe_libraries *t, const struct probe_row *row, size_t file)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = row->type == PROBE_URETPROBE);
	int pid = t->pid ? (int)t->pid : -1, is_new;
	u64 offset;

	is_new = new_place(t, row, file, &offset);
	if (is_new <= 0)
		return is_new;
	return probe_keep(t->o, row,
			  bpf_program__attach_uprobe_opts(probe_program(t->o, row), pid,
								     t->files[file].path,
								     offset, &opts));
}

/* In at least one of the files; a row that is nowhere fails, or is a note when it is
 * optional. */
static int attach_each(struct probe_libraries *t, const struct probe_row *row)
{
	int last = -ENOENT, err;
	size_t done = 0;

	for (size_t i = 0; i < t->count; i++) {
		err = row->type == PROBE_USDT ? attach_usdt(t, row, i) :
			attach_uprobe(t, row, i);
		done += !err;
		last = err ? err : last;
	}
	return done ? 0 : probe_row_missing(row, t->name, last);
}

/* ---- all rows of a program, one link a file ---- */

struct places {
	u64 offset[LIBRARIES_MAX][ROWS_MAX];
	u32 count[LIBRARIES_MAX];
};

static int collect(struct probe_libraries *t, const struct probe_row *row, struct places *p)
{
	size_t found = 0;
	u64 offset;
	int got;

	for (size_t i = 0; i < t->count; i++) {
		got = new_place(t, row, i, &offset);
		found += got >= 0;
		if (got > 0 && p->count[i] < ROWS_MAX)
			p->offset[i][p->count[i]++] = offset;
	}
	return found ? 0 : probe_row_missing(row, t->name, -ENOENT);
}

static bool came_before(const struct probe_object *o, const struct probe_row *row)
{
	for (const struct probe_row *r = o->set->probes; r < row; r++)
		if (r->prog == row->prog)
			return true;
	return false;
}

/* With the first row of a program all of its rows are attached. */
static int attach_together(struct probe_libraries *t, const struct probe_row *row)
{
	struct bpf_program *prog = probe_program(t->o, row);
	struct places *p;
	int err = 0;

	if (came_before(t->o, row))
		return 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return fail(-ENOMEM, "cannot attach %s", row->name);
	for (const struct probe_row *r = row; r->name && !err; r++)
		if (r->prog == row->prog)
			err = collect(t, r, p);
	for (size_t i = 0; i < t->count && !err; i++) {
		if (!p->count[i])
			continue;
		err = probe_keep_fd(t->o, row,
				    uprobe_multi_link(bpf_program__fd(prog), t->files[i].path,
								  p->offset[i], p->count[i],
								  row->type == PROBE_URETPROBE,
								  t->o->multi_pid));
		if (err)
			err = probe_row_missing(row, t->name, err);
	}
	free(p);
	return err;
}

int probe_attach_library(struct probe_libraries *t, const struct probe_row *row)
{
	int err = find_library(t, row);

	if (err)
		return err;
	return t->o->multi && row->type != PROBE_USDT ? attach_together(t, row) :
		attach_each(t, row);
}
