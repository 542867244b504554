// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * perf script: a line "comm pid/tid [cpu] time: period event:", frames below it,
 * innermost first, an empty line. The name of a command may hold spaces and
 * may be missing; so may the process, the CPU, the period and the frames, which
 * then are one behind the event.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "perf.h"
#include "stacks.h"

struct perf_head {
	const char *comm;
	size_t comm_n;
	u64 pid, tid, ts, period;
	u32 cpu;
	const char *event, *rest;	/* rest: behind the event's ':' */
	size_t event_n;
};

/* " 443929.906694292: ": seconds with a fraction and a colon; NULL: none in the line. */
static const char *find_time(const char *line, u64 *ts, const char **end)
{
	const char *at, *stop;
	u64 rounded = 0;

	for (at = line; *at; at++) {
		if ((at != line && !isspace((u8)at[-1])) || !isdigit((u8)*at))
			continue;
		stop = at + strspn(at, "0123456789");
		if (*stop != '.' || !isdigit((u8)stop[1]))
			continue;
		if (text_decimal(at, 9, ts, &stop, &rounded) && *stop == ':' &&
		    (!stop[1] || isspace((u8)stop[1]))) {
			*end = stop + 1;
			return at;
		}
	}
	return NULL;
}

/* What is before the time, from its end: [cpu], pid/tid or tid, the command. */
static void read_task(const char *line, const char *time, struct perf_head *h)
{
	const char *end = time, *at;
	char *next;

	while (end > line && isspace((u8)end[-1]))
		end--;
	h->cpu = CPU_UNKNOWN;
	if (end > line && end[-1] == ']') {
		at = memrchr(line, '[', end - line);
		if (at) {
			h->cpu = strtoul(at + 1, NULL, 10);
			end = at;
		}
	}
	while (end > line && isspace((u8)end[-1]))
		end--;
	for (at = end; at > line && !isspace((u8)at[-1]); at--)
		;
	h->pid = h->tid = strtoull(at, &next, 10);
	if (*next == '/')
		h->tid = strtoull(next + 1, NULL, 10);
	for (end = at; end > line && isspace((u8)end[-1]); end--)
		;
	h->comm = line + strspn(line, " \t");
	h->comm_n = end > h->comm ? end - h->comm : 0;
}

static bool read_head(const char *line, struct perf_head *h)
{
	const char *at, *time = find_time(line, &h->ts, &at);
	char *end;

	if (!time)
		return false;
	read_task(line, time, h);
	at += strspn(at, " \t");
	h->period = strtoull(at, &end, 10);
	if (end > at && isspace((u8)*end))
		at = end + strspn(end, " \t");
	else
		h->period = 1;
	h->event = at;
	at += strcspn(at, " \t");
	h->event_n = at - h->event;
	h->rest = at + strspn(at, " \t");
	if (!h->event_n || h->event[h->event_n - 1] != ':')
		return false;
	while (h->event_n && h->event[h->event_n - 1] == ':')
		h->event_n--;
	return h->event_n > 0;
}

/* "    7f8bd9637da5 _dl_relocate_object+0x7f5 (/usr/lib64/ld-2.28.so)": the symbol, or the
 * file where there is none. In the kernel it ends in "_[k]". */
static bool read_frame(struct import *im, struct stack_text *s, char *line)
{
	char *at = line + strspn(line, " \t"), *end, *file, *plus;
	u64 address = strtoull(at, &end, 16);
	size_t n;

	if (end == at || !isspace((u8)*end))
		return false;
	at = end + strspn(end, " \t");
	for (n = strlen(at); n && isspace((u8)at[n - 1]); n--)
		;
	at[n] = '\0';
	file = n && at[n - 1] == ')' ? strrchr(at, '(') : NULL;
	if (file && !strcmp(file, "(inlined)"))
		file[-1] = '\0', file = NULL;
	if (file) {
		at[n - 1] = '\0';
		*file++ = '\0';
		if (file - 1 > at && isspace((u8)file[-2]))
			file[-2] = '\0';
	}
	plus = strrchr(at, '+');
	if (plus && text_begins(plus, "+0x"))
		*plus = '\0';
	if (!*at || !strcmp(at, "[unknown]"))
		at = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : "[unknown]";
	n = strlen(at);
	stack_add(im, s, at, strlen(at), address >> 47 && (!file || file[0] == '['));
	return true;
}

struct perf {
	struct import *im;
	struct stack_text stack;
	struct event e;
	u64 weight, samples;
	u32 name;
	bool open;		/* a sample whose frames come */
};

static void put_sample(struct perf *p)
{
	if (!p->open) {
		p->stack.n = p->stack.used = 0;
		return;
	}
	stack_put(p->im, &p->stack, true, &p->e, p->weight, p->name);
	p->samples++;
	p->open = false;
}

/* "0x4008de/0x4009b7/P/-/-/0 ..." of --branch-stack, which no record holds. */
static bool is_branches(const char *s)
{
	size_t n = strcspn(s, " \t/");

	return text_begins(s, "0x") && s[n] == '/' && text_begins(s + n + 1, "0x");
}

static void open_sample(struct perf *p, const struct perf_head *h)
{
	char comm[COMM_LEN * 2], *rest;

	snprintf(comm, sizeof(comm), "%.*s", (int)(h->comm_n < 31 ? h->comm_n : 31), h->comm);
	p->e = (struct event){ .ts = h->ts, .cpu = h->cpu };
	p->e.producer = import_process(p->im, h->pid, *comm ? comm : NULL);
	p->e.pid = import_pid(p->im, p->e.producer);
	p->e.tid = import_tid(p->im, p->e.producer, h->tid, *comm ? comm : NULL);
	p->weight = h->period;
	p->name = import_name(p->im, p->e.producer, NAME_COUNTER, h->event, h->event_n);
	p->open = true;
	import_fact(p->im, "event", h->event, h->event_n, 1);
	import_fact(p->im, "period", h->event, h->event_n, h->period);
	if (is_branches(h->rest)) {
		import_odd(p->im, "branch list not imported", "");
	} else if (*h->rest) {		/* its frame, if that is one, is on the line */
		rest = strdup(h->rest);
		read_frame(p->im, &p->stack, rest);
		free(rest);
	}
}

static void read_line(struct perf *p, char *line, size_t n)
{
	struct perf_head h;

	stack_facts(p->im, line);
	if (!n) {
		put_sample(p);
		return;
	}
	if (line[0] == '#')
		return;
	if (read_head(line, &h)) {
		put_sample(p);
		if (text_time(p->im, h.ts))
			open_sample(p, &h);
	} else if (is_branches(line + strspn(line, " \t"))) {
		import_odd(p->im, "branch list not imported", "");
	} else if (!p->open || !isspace((u8)line[0]) || !read_frame(p->im, &p->stack, line)) {
		import_odd(p->im, "line that is neither a sample nor a frame", "");
	}
}

static int read_perf(struct import *im, const char *path)
{
	struct perf *p = must_alloc(sizeof(*p));
	struct lines *l;
	char *line;
	size_t n;
	int err = lines_open(&l, path);

	p->im = im;
	if (!err) {
		line = lines_next(l, &n);
		if (line && perf_is_report(line, n)) {
			err = perf_report_read(im, l, line, n);
		} else {
			for (; line; line = lines_next(l, &n))
				read_line(p, line, n);
			put_sample(p);
			import_file_counts(im, lines_bytes(l), p->samples);
			err = lines_error(l);
		}
		import_fact(im, "text", "lines", 5, lines_count(l));
		lines_close(l);
	}
	free(p->stack.text);
	free(p);
	return err;
}

static int probe(const char *path, const u8 *bytes, size_t n)
{
	char *head = must_alloc(n + 1), *line, *end;
	struct perf_head h;
	int sure = 0;
	u32 tries = 0;

	memcpy(head, bytes, n);
	if (perf_is_report(head, strcspn(head, "\n")))
		sure = 85;
	for (line = head; !sure && *line && tries < 64; line = end + 1, tries++) {
		end = line + strcspn(line, "\n");
		if (!*end)
			break;
		*end = '\0';
		if (*line != '#' && read_head(line, &h) && isspace((u8)end[1]))
			sure = 70;
	}
	free(head);
	return sure;
}

const struct import_format import_perf = {
	.name = "perf", .format = SOURCE_PERF, .probe = probe, .read = read_perf,
};
