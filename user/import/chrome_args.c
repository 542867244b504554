// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The arguments of an event that mean something here, by the names that
 * producers gave them over the years. Everything else is stepped over; plain
 * numbers without a meaning are kept for counters.
 */
#include <string.h>
#include "chrome.h"
#include "chrome_steps.h"
#include "json_plain.h"

enum form { NUMBER, TEXT, DIMS, RANKS, IGNORE };

static const struct arg_row {
	const char *name;
	enum form form;
	enum chrome_arg arg;
} rows[] = {
	{ "correlation", NUMBER, ARG_CORRELATION },
	{ "correlation id", NUMBER, ARG_CORRELATION },
	{ "correlation_id", NUMBER, ARG_CORRELATION },
	{ "External id", NUMBER, ARG_EXTERNAL },
	{ "external id", NUMBER, ARG_EXTERNAL },
	{ "device", NUMBER, ARG_DEVICE },
	{ "stream", NUMBER, ARG_STREAM },
	{ "stream_id", NUMBER, ARG_STREAM },
	{ "sycl queue", NUMBER, ARG_STREAM },
	{ "context", NUMBER, ARG_CONTEXT },
	{ "bytes", NUMBER, ARG_BYTES },
	{ "Bytes", NUMBER, ARG_BYTES },
	{ "size", NUMBER, ARG_BYTES },
	{ "grid", DIMS, ARG_GRID },
	{ "block", DIMS, ARG_BLOCK },
	{ "registers per thread", NUMBER, ARG_REGISTERS },
	{ "shared memory", NUMBER, ARG_SHARED },
	{ "graph id", NUMBER, ARG_GRAPH },
	{ "graph node id", NUMBER, ARG_NODE },
	{ "cbid", NUMBER, ARG_CBID },
	{ "cid", NUMBER, ARG_CBID },
	{ "wait_on_cuda_event_id", NUMBER, ARG_EVENT },
	{ "event_id", NUMBER, ARG_EVENT },
	{ "direction", TEXT, ARG_DIRECTION },
	{ "fromDevice", NUMBER, ARG_FROM },
	{ "toDevice", NUMBER, ARG_TO },
	{ "Collective name", TEXT, ARG_COLLECTIVE },
	{ "In msg nelems", NUMBER, ARG_IN_ELEMENTS },
	{ "In msg size", NUMBER, ARG_IN_ELEMENTS },	/* until November 2023 */
	{ "Out msg nelems", NUMBER, ARG_OUT_ELEMENTS },
	{ "Out msg size", NUMBER, ARG_OUT_ELEMENTS },
	{ "Group size", NUMBER, ARG_GROUP_SIZE },
	{ "dtype", TEXT, ARG_DTYPE },
	{ "Process Group Name", TEXT, ARG_GROUP },
	{ "Process Group ID", TEXT, ARG_GROUP },	/* until April 2024 */
	{ "Process Group Description", TEXT, ARG_DESCRIPTION },
	{ "Process Group Ranks", RANKS, ARG_RANKS },
	{ "Seq", NUMBER, ARG_SEQUENCE },
	{ "Rank", NUMBER, ARG_RANK },
	{ "Src Rank", NUMBER, ARG_SOURCE },
	{ "Dst Rank", NUMBER, ARG_TARGET },
	{ "Total Allocated", NUMBER, ARG_ALLOCATED },
	{ "Total Reserved", NUMBER, ARG_RESERVED },
	{ "Device Type", NUMBER, ARG_DEVICE_TYPE },
	{ "Device Id", NUMBER, ARG_DEVICE_ID },
	{ "name", TEXT, ARG_NAME },
	{ "labels", TEXT, ARG_LABELS },
	/* frequent ones without use: kept out of the counters */
	{ "Ev Idx", IGNORE, 0 }, { "Sequence number", IGNORE, 0 }, { "queued", IGNORE, 0 },
	{ "Fwd thread id", IGNORE, 0 }, { "Record function id", IGNORE, 0 },
	{ "Python id", IGNORE, 0 }, { "Python parent id", IGNORE, 0 },
	{ "Python module id", IGNORE, 0 }, { "warps per SM", IGNORE, 0 },
	{ "blocks per SM", IGNORE, 0 }, { "est. achieved occupancy %", IGNORE, 0 },
	{ "memory bandwidth (GB/s)", IGNORE, 0 }, { "Input Dims", IGNORE, 0 },
	{ "Input type", IGNORE, 0 }, { "Input Strides", IGNORE, 0 },
	{ "Concrete Inputs", IGNORE, 0 }, { "Profiler Event Index", IGNORE, 0 },
	{ "Trace name", IGNORE, 0 }, { "Trace iteration", IGNORE, 0 },
	{ "Call stack", IGNORE, 0 }, { "Module Hierarchy", IGNORE, 0 },
};

#define SLOTS 256

static u8 slots[SLOTS];		/* row + 1 */
static u8 lengths[sizeof(rows) / sizeof(rows[0])];

static u32 slot_of(const char *s, u32 n)
{
	return (n * 29 + (u8)s[0] * 3 + (u8)s[n - 1] * 7 + (u8)s[n / 2] * 17) % SLOTS;
}

void chrome_args_init(void)
{
	memset(slots, 0, sizeof(slots));
	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u32 at = slot_of(rows[i].name, strlen(rows[i].name));

		while (slots[at])
			at = (at + 1) % SLOTS;
		slots[at] = i + 1;
		lengths[i] = strlen(rows[i].name);
	}
}

/* The row of the argument + 1; 0: none. */
u8 chrome_arg_find(const struct scan_text *key)
{
	u32 at, row;

	if (!key->n)
		return 0;
	for (at = slot_of(key->s, key->n); slots[at]; at = (at + 1) % SLOTS) {
		row = slots[at] - 1;
		if (lengths[row] == key->n && !memcmp(rows[row].name, key->s, key->n))
			return row + 1;
	}
	return 0;
}

static int arg_number(struct chrome *c, enum chrome_arg arg)
{
	bool quoted, inexact = false;
	struct scan_text t;
	s64 whole;
	int r;

	if (plain_whole(&c->scan, &c->e.number[arg])) {
		c->e.args |= 1ULL << arg;
		return 1;
	}
	r = chrome_scalar(c, &t, &quoted);
	if (r <= 0)
		return r;
	if (!scan_whole(t.s, t.n, &c->e.number[arg])) {
		if (!scan_scaled(t.s, t.n, 0, &whole, &inexact))
			return r;
		c->e.number[arg] = whole;
	}
	c->e.args |= 1ULL << arg;
	return r;
}

static int arg_text(struct chrome *c, enum chrome_arg arg)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);

	if (r <= 0 || (!quoted && t.n == 4 && !memcmp(t.s, "null", 4)))
		return r;
	c->e.text[arg] = chrome_keep(c, &t);
	c->e.args |= 1ULL << arg;
	return r;
}

/* [x, y, z] */
static int arg_dims(struct chrome *c, enum chrome_arg arg)
{
	u32 *dims = arg == ARG_GRID ? c->e.grid : c->e.block;
	struct scan_text t;
	u64 v;
	int r;

	dims[0] = dims[1] = dims[2] = 0;
	if (!scan_enter(&c->scan, '['))
		return scan_skip(&c->scan);
	for (u32 i = 0; (r = scan_item(&c->scan)) > 0; i++) {
		r = scan_word(&c->scan, &t);
		if (r <= 0)
			return r;
		if (i < 3 && scan_whole(t.s, t.n, &v))
			dims[i] = v;
	}
	c->e.args |= 1ULL << arg;
	return r < 0 ? r : 1;
}

/* "[0, 1]" or [0, 1]: kept as the first form */
static int arg_ranks(struct chrome *c, enum chrome_arg arg)
{
	struct chrome_text *out = &c->e.text[arg];
	struct scan_text t;
	bool quoted;
	int r;

	if (!scan_enter(&c->scan, '['))
		return arg_text(c, arg);
	*out = (struct chrome_text){ .s = c->texts + c->texts_n };
	c->texts[c->texts_n++] = '[';
	while ((r = scan_item(&c->scan)) > 0) {
		r = chrome_scalar(c, &t, &quoted);
		if (r <= 0)
			return r;
		if (t.n + 8 > CHROME_TEXTS - c->texts_n)
			continue;
		if (c->texts[c->texts_n - 1] != '[') {
			c->texts[c->texts_n++] = ',';
			c->texts[c->texts_n++] = ' ';
		}
		memcpy(c->texts + c->texts_n, t.s, t.n);
		c->texts_n += t.n;
	}
	c->texts[c->texts_n++] = ']';
	out->n = c->texts + c->texts_n - out->s;
	c->texts[c->texts_n++] = '\0';
	c->e.args |= 1ULL << arg;
	return r < 0 ? r : 1;
}

/* A number of no other meaning may be a value of a counter. */
static int arg_series(struct chrome *c)
{
	struct chrome_series *s = &c->e.series[c->e.series_n];
	struct scan_text key = chrome_step_key(c);
	u32 texts = c->texts_n;
	bool inexact = false;
	struct scan_text t;
	int next, r;

	if (c->e.series_n == CHROME_SERIES || key.n >= 256 ||
	    key.n + 16 > CHROME_TEXTS - c->texts_n)
		return scan_skip(&c->scan);
	s->name = chrome_keep(c, &key);	/* before the scanner moves it */
	next = scan_peek(&c->scan);
	if (next != '"' && next != '{' && next != '[') {
		r = scan_word(&c->scan, &t);
		if (r <= 0)
			return r;
		if (scan_decimal(t.s, t.n, &s->value, &s->exponent, &inexact)) {
			c->e.series_n++;
			return r;
		}
	} else {
		r = scan_skip(&c->scan);
	}
	c->texts_n = texts;
	return r;
}

static int arg_value(struct chrome *c)
{
	const struct arg_row *row;

	if (!c->step->what || c->e.phase == 'C')
		return arg_series(c);
	row = &rows[c->step->what - 1];
	switch (row->form) {
	case NUMBER:
		return arg_number(c, row->arg);
	case TEXT:
		return arg_text(c, row->arg);
	case DIMS:
		return arg_dims(c, row->arg);
	case RANKS:
		return arg_ranks(c, row->arg);
	case IGNORE:
		break;
	}
	return scan_skip(&c->scan);
}

int chrome_args(struct chrome *c)
{
	int r;

	if (!scan_enter(&c->scan, '{'))
		return scan_skip(&c->scan);
	c->step = &c->steps[STEP_ARGS];
	while ((r = chrome_step(c, true)) > 0)
		if ((r = arg_value(c)) <= 0)
			return r;
	return r < 0 ? r : 1;
}
