// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A run as text, a line each for what is known of it, each key and its durations:
 *
 *   gpudiff-run 1
 *   text NAME<TAB>VALUE
 *   number NAME VALUE
 *   cell DIM COUNT BYTES NS STEP_COUNT STEP_BYTES STEADY<TAB>NAME<TAB>CONFIG<TAB>PATH
 *   times VALUE:COUNT ...
 *   end
 *
 * Texts escape tabs, line ends and backslashes. Without its "end" a file is damaged.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_file.h"
#include "log.h"

#define HEAD "gpudiff-run 1"
#define COUNT_MAX (1ULL << 48)	/* of one key: sums over runs cannot overflow */

/* ---- writing ---- */

static void put_text(FILE *f, const char *s)
{
	fputc('\t', f);
	for (; *s; s++)
		switch (*s) {
		case '\t': fputs("\\t", f); break;
		case '\n': fputs("\\n", f); break;
		case '\\': fputs("\\\\", f); break;
		default: fputc(*s, f);
		}
}

static void put_cell(FILE *f, const struct diff_cell *c)
{
	fprintf(f, "cell %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g %.17g %d",
		diff_dim_name(c->key->dim), (uint64_t)c->count, (uint64_t)c->bytes,
		(uint64_t)c->sum_ns, c->step_count, c->step_bytes, c->steady);
	put_text(f, c->key->name);
	put_text(f, c->key->config);
	put_text(f, c->key->path);
	fputs("\ntimes", f);
	for (size_t i = 0; i < c->times.n; i++)
		fprintf(f, " %" PRIu64 ":%" PRIu64, (uint64_t)c->times.list[i].value,
			(uint64_t)c->times.list[i].count);
	fputc('\n', f);
}

struct number { const char *name; u64 *value; };

static size_t numbers(struct diff_run *r, u64 *flags, struct number *list)
{
	const struct number all[] = {
		{ "lost", &r->lost }, { "records", &r->records }, { "kernels", &r->kernels },
		{ "kernel_ns", &r->kernel_ns }, { "first_ns", &r->first_ns },
		{ "last_ns", &r->last_ns }, { "steps", &r->steps }, { "method", &flags[0] },
		{ "slots", &flags[1] }, { "damaged", &flags[2] }, { "simulated", &flags[3] },
	};

	memcpy(list, all, sizeof(all));
	return sizeof(all) / sizeof(*all);
}

struct text { const char *name; char *value; size_t size; };

static size_t texts(struct diff_run *r, struct text *list)
{
	const struct text all[] = {
		{ "gpus", r->gpus, sizeof(r->gpus) },
		{ "driver", r->driver, sizeof(r->driver) },
		{ "host", r->host, sizeof(r->host) },
		{ "step", r->step_name, sizeof(r->step_name) },
	};

	memcpy(list, all, sizeof(all));
	return sizeof(all) / sizeof(*all);
}

void diff_file_write(const struct diff_run *run, FILE *f)
{
	struct diff_run *r = (struct diff_run *)run;	/* the lists are for the reader, too */
	u64 flags[] = { r->method, r->slots, r->damaged, r->simulated };
	struct number number[16];
	struct text text[8];
	size_t n = texts(r, text);

	fputs(HEAD "\n", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "text %s", text[i].name);
		put_text(f, text[i].value);
		fputc('\n', f);
	}
	n = numbers(r, flags, number);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "number %s %" PRIu64 "\n", number[i].name,
			(uint64_t)*number[i].value);
	for (size_t i = 0; i < r->cells.n; i++)
		put_cell(f, r->cells.list[i]);
	fputs("end\n", f);
}

/* ---- reading ---- */

struct reader {
	struct diff_run *r;
	struct diff_cell *cell;		/* whose times come next */
	u64 flags[4];
};

/* The text behind the next tab, unescaped in place; NULL: there is none. */
static char *next_text(char **at)
{
	char *s = strchr(*at, '\t'), *out, *from;

	if (!s)
		return NULL;
	out = from = ++s;
	for (; *s && *s != '\t'; s++) {
		if (*s != '\\' || !s[1]) {
			*out++ = *s;
			continue;
		}
		s++;
		*out++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
	}
	*at = s;
	if (out != s)
		*out = 0;
	return from;
}

/* Up to three texts at the end of a line. False: fewer. */
static bool end_texts(char *line, char **text, int n)
{
	for (int i = 0; i < n; i++) {
		text[i] = next_text(&line);
		if (!text[i])
			return false;
		if (i)		/* the tab before this one ended the last one */
			text[i][-1] = 0;
	}
	return true;
}

static bool read_text(struct reader *in, char *line)
{
	struct text list[8];
	size_t n = texts(in->r, list);
	char name[16] = "", *value;

	if (sscanf(line, "text %15[a-z]", name) != 1 || !end_texts(line, &value, 1))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			snprintf(list[i].value, list[i].size, "%s", value);
	return true;
}

static bool read_number(struct reader *in, const char *line)
{
	struct number list[16];
	size_t n = numbers(in->r, in->flags, list);
	uint64_t value;
	char name[16];

	if (sscanf(line, "number %15[a-z_] %" SCNu64, name, &value) != 2)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			*list[i].value = value;
	return true;
}

static bool read_cell(struct reader *in, char *line)
{
	struct diff *d = in->r->d;
	uint64_t count, bytes, ns;
	double step_count, step_bytes;
	const struct diff_key *key;
	char dim[16], *text[3];
	int steady;
	u16 i = 0;

	if (sscanf(line, "cell %15[a-z] %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %lf %d", dim,
		   &count, &bytes, &ns, &step_count, &step_bytes, &steady) != 7 ||
	    !end_texts(line, text, 3))
		return false;
	while (i < DIMS && strcmp(diff_dim_name(i), dim))
		i++;
	in->cell = NULL;
	if (i == DIMS)
		return true;	/* of a later version */
	key = diff_key(d, i, diff_text(d, text[0]), diff_text(d, text[1]),
		       diff_text(d, text[2]));
	if (diff_run_get(in->r, key))
		return false;	/* each is there once */
	in->cell = diff_run_cell(in->r, key);
	in->cell->count = count;
	in->cell->bytes = bytes;
	in->cell->sum_ns = ns;
	in->cell->step_count = isfinite(step_count) ? step_count : 0;
	in->cell->step_bytes = isfinite(step_bytes) ? step_bytes : 0;
	in->cell->steady = steady;
	return true;
}

static bool read_times(struct reader *in, const char *line)
{
	u64 all = 0;
	char *end;

	for (line += 5; *line == ' '; line = end) {
		u64 value = strtoull(line + 1, &end, 10), count;

		if (*end != ':')
			return false;
		count = strtoull(end + 1, &end, 10);
		if (!count || count > COUNT_MAX - all)
			return false;
		all += count;
		if (in->cell)
			samples_add(&in->cell->times, value, count);
	}
	if (in->cell)
		samples_close(&in->cell->times);
	in->cell = NULL;	/* one line of them each */
	return !*line;
}

static bool read_line(struct reader *in, char *line, bool *end)
{
	*end = !strcmp(line, "end");
	return *end || (!strncmp(line, "text ", 5) ? read_text(in, line) :
			!strncmp(line, "number ", 7) ? read_number(in, line) :
			!strncmp(line, "cell ", 5) ? read_cell(in, line) :
			!strncmp(line, "times", 5) ? read_times(in, line) : false);
}

static void take_flags(struct reader *in)
{
	struct diff_run *r = in->r;

	r->method = in->flags[0];
	r->slots = r->steps && in->flags[1] <= DIFF_SLOTS ? in->flags[1] : 0;
	r->damaged = in->flags[2];
	r->simulated = in->flags[3];
}

int diff_file_read(struct diff *d, const char *path)
{
	struct reader in = { .r = diff_run_new(d, DIFF_A, path) };
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool end = false, right = true;
	unsigned number = 0;
	int err = 0;

	if (!f)
		return fail(-errno, "cannot open %s", path);
	while (right && !end && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		right = number++ ? read_line(&in, line, &end) : !strcmp(line, HEAD);
	}
	if (ferror(f))
		err = fail(-errno, "cannot read %s", path);
	else if (number <= 1 && !right)
		err = fail(0, "cannot read %s: not a run of a baseline", path);
	else if (!right || !end)
		err = fail(0, "cannot read %s: damaged at line %u (remove it)", path, number);
	take_flags(&in);
	free(line);
	fclose(f);
	return err;
}
