// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Activity records as CUPTI's samples (cupti_trace_injection, activity_trace)
 * print them: a line "KIND [ start, end ] duration N, key value, ...", and
 * further lines of it that begin with white space.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "api_class.h"
#include "arena.h"
#include "lines.h"

#define RECORD_BYTES 8192	/* of one record; names of kernels are long */

struct cupti_text {
	struct import *im;
	u64 process;		/* operations do not say whose they are: it is that of the
				 * calls */
	char record[RECORD_BYTES];
	size_t n;
	u64 rounded;
};

struct head {			/* what a record begins with */
	u64 start, dur_ns, correlation;
	char name[RECORD_BYTES];	/* in quotes; "" none */
	const char *rest;	/* behind the times */
};

/* "KIND "name" [ start, end ] duration N, "name", ..." */
static bool read_head(const char *record, struct head *h)
{
	const char *open = strchr(record, '['), *quote = strchr(record, '"'), *end;
	char *next;
	u64 stop;

	memset(h, 0, offsetof(struct head, name) + 1);
	if (!open || !isdigit((u8)open[strspn(open + 1, " ") + 1]))
		return false;
	h->start = strtoull(open + 1, &next, 10);
	if (*next == ',') {
		stop = strtoull(next + 1, &next, 10);
		h->dur_ns = stop > h->start ? stop - h->start : 0;
	}
	h->rest = strchr(next, ']');
	end = quote ? strchr(quote + 1, '"') : NULL;
	if (end && (size_t)(end - quote) < sizeof(h->name)) {
		memcpy(h->name, quote + 1, end - quote - 1);
		h->name[end - quote - 1] = '\0';
	}
	if (!text_number(record, "correlationId", &h->correlation))
		text_number(record, "correlation id", &h->correlation);
	return h->rest != NULL;
}

static void event_of(struct cupti_text *c, const struct head *h, struct event *e, u16 kind,
		     u16 size)
{
	u64 id = c->process;
	u16 p;

	if (text_number(c->record, "processId", &id) && !c->process)
		c->process = id;
	p = import_process(c->im, id, NULL);
	*e = (struct event){ .ts = h->start, .kind = kind, .size = size, .producer = p,
			     .pid = import_pid(c->im, p), .cpu = CPU_UNKNOWN };
}

static void put_call(struct cupti_text *c, const struct head *h)
{
	u64 thread = 0, cbid = 0;
	struct api a = { .dur_ns = h->dur_ns };
	size_t n = strlen(h->name);

	event_of(c, h, &a.e, EVENT_API, sizeof(a));
	text_number(c->record, "threadId", &thread);
	text_number(c->record, "cbid", &cbid);
	a.e.tid = import_tid(c->im, a.e.producer, thread, NULL);
	a.name = import_name(c->im, a.e.producer, NAME_API, h->name, n);
	a.correlation = import_correlation(c->im, a.e.producer, h->correlation);
	a.cbid = cbid;
	a.domain = c->record[0] == 'D' ? API_DRIVER : API_RUNTIME;
	a.class = api_class(h->name, n);
	import_put(c->im, &a.e);
}

static void gpu_head(struct cupti_text *c, const struct head *h, struct gpu_head *g, u16 kind,
		     u16 size)
{
	struct device d = { .minor = ~0u, .numa_node = -1 };
	u64 v;

	event_of(c, h, &g->e, kind, size);
	g->dur_ns = h->dur_ns;
	g->correlation = import_correlation(c->im, g->e.producer, h->correlation);
	g->device = text_number(h->rest, "deviceId", &v) ? v : 0;
	g->context = text_number(h->rest, "contextId", &v) ? v : 0;
	g->stream = text_number(h->rest, "streamId", &v) ? v : 0;
	g->graph = text_number(h->rest, "graphId", &v) ? v : 0;
	g->graph_node = text_number(h->rest, "graphNodeId", &v) ? v : 0;
	d.ordinal = g->device;
	if (kind != EVENT_SYNC)
		import_device(c->im, g->e.producer, &d);
}

/* "grid [ 2, 8, 1 ]" */
static void read_triple(const char *s, const char *key, u32 to[3])
{
	const char *at = strstr(s, key);
	char *next;
	u32 i;

	if (!at)
		return;
	at += strlen(key);
	for (i = 0; i < 3; i++) {
		to[i] = strtoul(at, &next, 10);
		if (next == at)
			return;
		at = next + strspn(next, ", ");
	}
}

static void put_kernel(struct cupti_text *c, const struct head *h)
{
	struct kernel k = {};
	u64 v;

	gpu_head(c, h, &k.g, EVENT_KERNEL, sizeof(k));
	k.name = import_name(c->im, k.g.e.producer, NAME_KERNEL, h->name, strlen(h->name));
	read_triple(h->rest, "grid [ ", k.grid);
	read_triple(h->rest, "block [ ", k.block);
	k.static_shared_bytes = text_number(h->rest, "static", &v) ? v : 0;
	k.dynamic_shared_bytes = text_number(h->rest, "dynamic", &v) ? v : 0;
	k.registers = text_number(h->rest, "registersPerThread", &v) ? v : 0;
	import_put(c->im, &k.g.e);
}

static u16 memory_kind(const char *record, const char *key)
{
	static const char *const kinds[] = {
		"UNKNOWN", "PAGEABLE", "PINNED", "DEVICE", "ARRAY", "MANAGED", "DEVICE_STATIC",
		"MANAGED_STATIC",
	};
	const char *at = strstr(record, key);
	size_t n, i;

	if (!at)
		return MEMORY_UNKNOWN;
	at += strlen(key);
	at += strspn(at, " ");
	n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i]) == n && !strncmp(at, kinds[i], n))
			return i;
	return MEMORY_UNKNOWN;
}

static void put_copy(struct cupti_text *c, const struct head *h)
{
	static const char *const kinds[] = {
		"", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH",
		"PtoP",
	};
	struct copy r = {};
	u64 v;
	u32 i;

	gpu_head(c, h, &r.g, EVENT_COPY, sizeof(r));
	for (i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(h->name, kinds[i]))
			r.copy_kind = i;
	if (!r.copy_kind)
		import_odd(c->im, "kind of copy", h->name);
	r.bytes = text_number(h->rest, "size", &v) ? v : 0;
	r.src_kind = memory_kind(h->rest, "srcKind");
	r.dst_kind = memory_kind(h->rest, "dstKind");
	r.src_device = text_number(h->rest, "srcDeviceId", &v) ? v : r.g.device;
	r.dst_device = text_number(h->rest, "dstDeviceId", &v) ? v : r.g.device;
	import_put(c->im, &r.g.e);
}

static void put_set(struct cupti_text *c, const struct head *h)
{
	struct set r = {};
	u64 v;

	gpu_head(c, h, &r.g, EVENT_SET, sizeof(r));
	r.bytes = text_number(h->rest, "size", &v) ? v : 0;
	r.value = text_number(h->rest, "value", &v) ? v : 0;
	r.memory_kind = memory_kind(h->rest, "memoryKind");
	import_put(c->im, &r.g.e);
}

static void put_sync(struct cupti_text *c, const struct head *h)
{
	struct sync r = {};

	gpu_head(c, h, &r.g, EVENT_SYNC, sizeof(r));
	r.type = strstr(c->record, "CONTEXT_SYNC") ? SYNC_CONTEXT :
		strstr(c->record, "STREAM_SYNC") ? SYNC_STREAM :
		strstr(c->record, "STREAM_WAIT") ? SYNC_STREAM_WAIT_EVENT :
		strstr(c->record, "EVENT_SYNC") ? SYNC_EVENT : SYNC_UNKNOWN;
	import_put(c->im, &r.g.e);
}

static void put_overhead(struct cupti_text *c, const struct head *h)
{
	static const struct { const char *word; u32 what; } kinds[] = {
		{ " DRIVER_COMPILER", 1 }, { " COMPILER", 1 },
		{ " CUPTI_BUFFER_FLUSH", 1 << 16 },
		{ " CUPTI_INSTRUMENTATION", 2 << 16 }, { " CUPTI_RESOURCE", 3 << 16 },
		{ " RUNTIME_TRIGGERED_MODULE_LOADING", 4 << 16 },
		{ " LAZY_FUNCTION_LOADING", 5 << 16 }, { " COMMAND_BUFFER_FULL", 6 << 16 },
		{ " ACTIVITY_BUFFER_REQUEST", 7 << 16 }, { " UVM_ACTIVITY_INIT", 8 << 16 },
	};
	struct overhead r = { .dur_ns = h->dur_ns };
	u64 v;
	u32 i;

	event_of(c, h, &r.e, EVENT_OVERHEAD, sizeof(r));
	if (strstr(h->rest, "THREAD") && text_number(h->rest, "id", &v))
		r.e.tid = import_tid(c->im, r.e.producer, v, NULL);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strstr(c->record, kinds[i].word))
			r.what = kinds[i].what;
	r.correlation = import_correlation(c->im, r.e.producer, h->correlation);
	import_put(c->im, &r.e);
}

static const struct {
	const char *kind;
	void (*put)(struct cupti_text *c, const struct head *h);
} kinds[] = {
	{ "DRIVER", put_call }, { "RUNTIME", put_call }, { "CONCURRENT_KERNEL", put_kernel },
	{ "KERNEL", put_kernel }, { "MEMCPY", put_copy }, { "MEMCPY2", put_copy },
	{ "MEMSET", put_set }, { "SYNCHRONIZATION", put_sync }, { "OVERHEAD", put_overhead },
};

static bool is_kind(const char *word, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].kind) == n && !memcmp(kinds[i].kind, word, n))
			return true;
	return false;
}

static void put_record(struct cupti_text *c)
{
	size_t n = strcspn(c->record, " "), i;
	struct head h;

	c->record[c->n] = '\0';
	c->n = 0;
	if (!n || !read_head(c->record, &h) || !text_time(c->im, h.start) ||
	    !text_time(c->im, h.dur_ns))
		return;
	import_fact(c->im, "by_kind", c->record, n, 1);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].kind) == n && !memcmp(kinds[i].kind, c->record, n)) {
			kinds[i].put(c, &h);
			return;
		}
	c->record[n] = '\0';
	import_odd(c->im, "activity not imported", c->record);
}

static void add_line(struct cupti_text *c, const char *line, size_t n)
{
	if (n >= RECORD_BYTES - c->n - 1) {
		import_odd(c->im, "record longer than 8 KB", "");
		n = RECORD_BYTES - c->n - 1;
	}
	memcpy(c->record + c->n, line, n);
	c->n += n;
}

/* The first process that a call names. A pipe cannot be read once more for the rest: there it
 * is known from that call on. */
static u64 first_process(const char *path)
{
	struct lines *l;
	const char *line;
	struct stat st;
	u64 id = 0;
	size_t n;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || lines_open(&l, path))
		return 0;
	while ((line = lines_next(l, &n)))
		if (text_number(line, "processId", &id))
			break;
	lines_close(l);
	return id;
}

static int read_text(struct import *im, const char *path)
{
	struct cupti_text *c = must_alloc(sizeof(*c));
	struct lines *l;
	char *line;
	size_t n;
	int err = lines_open(&l, path);

	c->im = im;
	if (!err)
		c->process = first_process(path);
	while (!err && (line = lines_next(l, &n))) {
		if (n && !isspace((u8)line[0]) && c->n)
			put_record(c);
		add_line(c, line, n);
	}
	if (!err) {
		put_record(c);
		err = lines_error(l);
		import_fact(im, "text", "lines", 5, lines_count(l));
		import_file_counts(im, lines_bytes(l), lines_count(l));
		lines_close(l);
	}
	free(c);
	return err;
}

static int probe(const char *path, const u8 *head, size_t n)
{
	const char *at = (const char *)head, *end = at + n, *stop;
	int found = 0;
	size_t word;

	for (; at < end && found < 3; at = stop + 1) {
		stop = memchr(at, '\n', end - at);
		if (!stop)
			break;
		for (word = 0; at + word < stop && at[word] != ' '; word++)
			;
		found += is_kind(at, word) && memmem(at, stop - at, " [ ", 3) &&
			memmem(at, stop - at, " ] duration ", 12);
	}
	return found * 30;
}

const struct import_format import_cupti_text = {
	.name = "cupti", .format = SOURCE_CUPTI_TEXT, .probe = probe, .read = read_text,
};
