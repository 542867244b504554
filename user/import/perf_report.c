// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf report --stdio -g folded: rows "12.34%  command  object  [k] symbol", and
 * below a row its stacks, "5.67% leaf;...;root". Only shares are there, of a
 * rounded event count: the weights are approximate, and have no times.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "perf.h"
#include "stacks.h"

struct report {
	struct import *im;
	struct stack_text stack;
	struct event e;		/* of the row */
	char symbol[512];
	bool kernel;
	u64 share, covered;	/* of the row and of its stacks, in 1/100 % */
	u64 count;		/* of the event */
	char event[128];
	u64 rows;
};

bool perf_is_report(const char *line, size_t n)
{
	return text_begins(line, "# To display the perf.data header") ||
		text_begins(line, "# Total Lost Samples") || text_begins(line, "# Samples: ");
}

/* "27.66%" in hundredths; NULL: it does not begin so. */
static const char *read_share(const char *s, u64 *share)
{
	const char *end;
	u64 rounded = 0;

	if (!text_decimal(s, 2, share, &end, &rounded) || *end != '%')
		return NULL;
	end++;
	return end + strspn(end, " ");
}

static void put_stack(struct report *r, u64 share)
{
	u32 name = import_name(r->im, r->e.producer, NAME_COUNTER, r->event, strlen(r->event));

	stack_put(r->im, &r->stack, true, &r->e, (u64)((unsigned __int128)r->count * share /
						       10000), name);
}

/* What the stacks of a row leave of it (those too small to print) is its symbol's alone. */
static void end_row(struct report *r)
{
	if (r->share > r->covered) {
		stack_add(r->im, &r->stack, r->symbol, strlen(r->symbol), r->kernel);
		put_stack(r, r->share - r->covered);
	}
	r->share = r->covered = 0;
}

/* "uvmbench   [kernel.kallsyms]   [k] osDevReadReg032" */
static void read_row(struct report *r, const char *line, const char *at)
{
	const char *symbol = strstr(at, "[k] ") ?: strstr(at, "[.] ");
	char comm[COMM_LEN * 2];
	size_t n = 0;
	u64 id;

	while (at[n] && !(at[n] == ' ' && (at[n + 1] == ' ' || !at[n + 1])))
		n++;
	snprintf(comm, sizeof(comm), "%.*s", (int)(n < 31 ? n : 31), at);
	r->e = (struct event){ .cpu = CPU_UNKNOWN };
	id = hash_bytes(comm, strlen(comm)) | 1ULL << 63;	/* no process is named */
	r->e.producer = import_process(r->im, id, comm);
	r->e.pid = import_pid(r->im, r->e.producer);
	r->kernel = symbol && symbol[1] == 'k';
	snprintf(r->symbol, sizeof(r->symbol), "%s", symbol ? symbol + 4 : at + n);
	for (n = strlen(r->symbol); n && r->symbol[n - 1] == ' '; )
		r->symbol[--n] = '\0';
	n = strlen(line);
	while (n && line[n - 1] == ' ')
		n--;
	import_fact(r->im, "row", line, n, r->share);
	r->rows++;
}

static void read_comment(struct report *r, const char *line)
{
	const char *quote = strchr(line, '\''), *end;
	static const char count[] = "# Event count (approx.): ";

	if (text_begins(line, "# Samples: ") && quote && (end = strrchr(quote, '\'')) > quote)
		snprintf(r->event, sizeof(r->event), "%.*s", (int)(end - quote - 1), quote + 1);
	if (text_begins(line, count)) {
		r->count = strtoull(line + strlen(count), NULL, 10);
		import_fact(r->im, "perf_event_count", r->event, strlen(r->event), r->count);
	}
}

static void read_line(struct report *r, char *line, size_t n)
{
	const char *at = line + strspn(line, " ");
	u64 share;

	stack_facts(r->im, line);
	if (line[0] == '#') {
		end_row(r);
		read_comment(r, line);
		return;
	}
	if (!n || !*at)
		return;
	if (line[0] == ' ') {
		end_row(r);
		line = line + strspn(line, " ");
		at = read_share(line, &share);
		if (at) {
			r->share = share;
			read_row(r, line, at);
			return;
		}
	} else if ((at = read_share(line, &share)) && r->share) {
		stack_split(r->im, &r->stack, at, strlen(at));
		r->covered += share;
		put_stack(r, share);
		return;
	}
	import_odd(r->im, "line that is neither a row nor a stack", "");
}

int perf_report_read(struct import *im, struct lines *l, char *line, size_t n)
{
	struct report *r = must_alloc(sizeof(*r));
	int err;

	r->im = im;
	for (; line; line = lines_next(l, &n))
		read_line(r, line, n);
	end_row(r);
	import_fact(im, "text", "perf_report_rows", 16, r->rows);
	import_file_counts(im, lines_bytes(l), r->rows);
	err = lines_error(l);
	free(r->stack.text);
	free(r);
	return err;
}
