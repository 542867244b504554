// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tables of operations and calls as CSV: nvprof --print-gpu-trace and
 * --print-api-trace (units in a line of their own, lines of talk between
 * "==PID=="), nsys stats' cuda_gpu_trace and cuda_api_trace (units in the
 * heads). What a column is goes by its head.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api_class.h"
#include "hash.h"
#include "lines.h"

#define COLUMNS 64

enum what {
	NONE, START, DURATION, GRID, GRID_Y, GRID_Z, BLOCK, BLOCK_Y, BLOCK_Z, REGISTERS, STATIC,
	DYNAMIC, SIZE, SRC, DST, DEVICE, CONTEXT, STREAM, NAME, CORRELATION, PROCESS, THREAD,
	RESULT, WHATS
};

/* Heads without units; each ends with '|'. */
static const char *const heads[WHATS] = {
	[START] = "Start|", [DURATION] = "Duration|",
	[GRID] = "Grid X|GrdX|", [GRID_Y] = "Grid Y|GrdY|", [GRID_Z] = "Grid Z|GrdZ|",
	[BLOCK] = "Block X|BlkX|", [BLOCK_Y] = "Block Y|BlkY|", [BLOCK_Z] = "Block Z|BlkZ|",
	[REGISTERS] = "Registers Per Thread|Reg/Trd|", [STATIC] = "Static SMem|StcSMem|",
	[DYNAMIC] = "Dynamic SMem|DymSMem|", [SIZE] = "Size|Bytes|",
	[SRC] = "SrcMemType|SrcMemKd|", [DST] = "DstMemType|DstMemKd|",
	[DEVICE] = "Device|", [CONTEXT] = "Context|Ctx|", [STREAM] = "Stream|Strm|",
	[NAME] = "Name|", [CORRELATION] = "Correlation_ID|CorrId|CorrID|",
	[PROCESS] = "Process ID|Pid|", [THREAD] = "Thread ID|Tid|", [RESULT] = "Result|",
};

struct table {
	struct import *im;
	struct hash devices;	/* name -> ordinal + 1 */
	u8 what[COLUMNS];	/* enum what of each column */
	u32 columns;		/* 0: no head yet */
	char unit[COLUMNS][8];
	bool units_next;	/* the line behind nvprof's head */
	char *cell[COLUMNS];
	const char *value[WHATS];	/* of the row; NULL: no such column, or empty */
	const char *value_unit[WHATS];
	u64 process;		/* of "==PID==" */
	u64 rows, rounded;
};

/* Cells of a line, in place. */
static u32 split(char *line, char *cells[COLUMNS])
{
	char *to, *at = line;
	u32 n = 0;
	bool quoted;

	for (;;) {
		quoted = *at == '"';
		at += quoted;
		if (n < COLUMNS)
			cells[n++] = at;
		for (to = at; *at && (quoted || *at != ','); at++) {
			if (quoted && *at == '"') {
				if (at[1] != '"') {
					quoted = false;
					continue;
				}
				at++;
			}
			*to++ = *at;
		}
		if (!*at) {
			*to = '\0';
			return n;
		}
		at++;
		*to = '\0';
	}
}

static enum what what_of(const char *head, size_t n)
{
	const char *at;
	u32 w;

	for (w = START; w < WHATS; w++)
		for (at = heads[w]; *at; at += strcspn(at, "|") + 1)
			if (strcspn(at, "|") == n && !strncasecmp(at, head, n))
				return w;
	return NONE;
}

/* A head, if start and duration and a name are columns of it. */
static bool read_head(struct table *t, u32 n)
{
	bool has[WHATS] = {};
	const char *open;
	size_t length;
	u8 what[COLUMNS];
	u32 i;

	for (i = 0; i < n; i++) {
		open = strstr(t->cell[i], " (");
		length = open ? (size_t)(open - t->cell[i]) : strlen(t->cell[i]);
		what[i] = what_of(t->cell[i], length);
		has[what[i]] = true;
	}
	if (!has[START] || !has[DURATION] || !has[NAME])
		return false;
	memcpy(t->what, what, sizeof(what));
	t->columns = n;
	t->units_next = true;
	for (i = 0; i < n; i++) {
		open = strstr(t->cell[i], " (");
		t->unit[i][0] = '\0';
		if (open) {
			snprintf(t->unit[i], sizeof(t->unit[i]), "%s", open + 2);
			t->unit[i][strcspn(t->unit[i], ")")] = '\0';
			t->units_next = false;
		}
	}
	return true;
}

/* "1.5" of the column's unit in ns or bytes; false: none. Unknown units are counted. */
static bool measure(struct table *t, enum what w, u64 *value)
{
	static const struct { const char *unit; u32 scale; u64 factor; } units[] = {
		{ "s", 9, 1 }, { "ms", 6, 1 }, { "us", 3, 1 }, { "\u03bcs", 3, 1 },
		{ "ns", 0, 1 }, { "B", 0, 1 }, { "KB", 6, 1 << 10 },
		{ "MB", 6, 1 << 20 }, { "GB", 6, 1 << 30 },
		{ "", 0, 1 },
	};
	const char *s = t->value[w], *end;
	u64 lost = 0, v;
	u32 i;

	if (!s)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].unit, t->value_unit[w]))
			break;
	if (i == sizeof(units) / sizeof(units[0])) {
		import_odd(t->im, "unit", t->value_unit[w]);
		return false;
	}
	if (!text_decimal(s, units[i].scale, &v, &end, &lost) || *end)
		return false;
	if (units[i].factor > 1)	/* printed with few digits: the nearest whole byte */
		v = ((unsigned __int128)v * units[i].factor + 500000) / 1000000;
	t->rounded += lost;
	*value = v;
	return true;
}

static u64 number(const struct table *t, enum what w)
{
	return t->value[w] ? strtoull(t->value[w], NULL, 10) : 0;
}

/* "Tesla V100-SXM2-16GB (0)": the number in brackets, if there is one. */
static u32 read_device(struct table *t, u16 producer)
{
	const char *s = t->value[DEVICE] ?: "", *open = strrchr(s, '(');
	struct device d = { .minor = ~0u, .numa_node = -1 };
	size_t n = open ? (size_t)(open - s) : strlen(s);
	u64 key = hash_bytes(s, strlen(s));
	void *known = hash_get(&t->devices, key);

	while (n && s[n - 1] == ' ')
		n--;
	d.ordinal = open && isdigit((u8)open[1]) ? strtoul(open + 1, NULL, 10) :
		known ? (u32)(uintptr_t)known - 1 : t->devices.used;
	hash_put(&t->devices, key, (void *)(uintptr_t)(d.ordinal + 1));
	snprintf(d.name, sizeof(d.name), "%.*s", (int)(n < 63 ? n : 63), s);
	import_device(t->im, producer, &d);
	return d.ordinal;
}

static void event_of(struct table *t, struct event *e, u16 kind, u16 size, u64 start)
{
	u64 id = t->value[PROCESS] ? number(t, PROCESS) : t->process;
	u16 p = import_process(t->im, id, NULL);

	*e = (struct event){ .ts = start, .kind = kind, .size = size, .producer = p,
			     .pid = import_pid(t->im, p), .cpu = CPU_UNKNOWN };
}

static void gpu_head(struct table *t, struct gpu_head *g, u16 kind, u16 size, u64 start,
		     u64 dur_ns, u64 correlation)
{
	event_of(t, &g->e, kind, size, start);
	g->dur_ns = dur_ns;
	g->device = read_device(t, g->e.producer);
	g->context = number(t, CONTEXT);
	g->stream = number(t, STREAM);
	if (correlation)
		g->correlation = import_correlation(t->im, g->e.producer, correlation);
}

static u16 memory_kind(const char *s)
{
	static const char *const kinds[] = {
		"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static",
		"Managed Static",
	};
	u32 i;

	for (i = 1; s && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcasecmp(s, kinds[i]))
			return i;
	return MEMORY_UNKNOWN;
}

/* "[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]", "[Unified Memory Memcpy HtoD]" */
static u16 copy_kind(const char *name)
{
	static const struct { const char *word; u16 kind; } words[] = {
		{ "HtoD", COPY_HTOD }, { "Host-to-Device", COPY_HTOD }, { "DtoH", COPY_DTOH },
		{ "Device-to-Host", COPY_DTOH }, { "DtoD", COPY_DTOD },
		{ "Device-to-Device", COPY_DTOD }, { "HtoA", COPY_HTOA }, { "AtoH", COPY_ATOH },
		{ "AtoA", COPY_ATOA }, { "AtoD", COPY_ATOD }, { "DtoA", COPY_DTOA },
		{ "HtoH", COPY_HTOH }, { "PtoP", COPY_PTOP }, { "Peer-to-Peer", COPY_PTOP },
	};
	bool unified = strstr(name, "Unified");
	u32 i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i].word))
			return unified && words[i].kind == COPY_HTOD ? COPY_UVM_HTOD :
				unified && words[i].kind == COPY_DTOH ? COPY_UVM_DTOH :
				words[i].kind;
	return COPY_UNKNOWN;
}

static void put_copy(struct table *t, u64 start, u64 dur_ns)
{
	struct copy c = {};

	gpu_head(t, &c.g, EVENT_COPY, sizeof(c), start, dur_ns, number(t, CORRELATION));
	measure(t, SIZE, &c.bytes);
	c.copy_kind = copy_kind(t->value[NAME]);
	c.src_kind = memory_kind(t->value[SRC]);
	c.dst_kind = memory_kind(t->value[DST]);
	c.src_device = c.dst_device = c.g.device;
	import_put(t->im, &c.g.e);
}

static void put_set(struct table *t, u64 start, u64 dur_ns)
{
	struct set r = {};

	gpu_head(t, &r.g, EVENT_SET, sizeof(r), start, dur_ns, number(t, CORRELATION));
	measure(t, SIZE, &r.bytes);
	r.memory_kind = memory_kind(t->value[DST]);
	import_put(t->im, &r.g.e);
}

/* nvprof has the correlation behind the name: "gemm(float*) [123]". */
static size_t split_correlation(const char *name, u64 *correlation)
{
	size_t n = strlen(name);
	const char *open = strrchr(name, '[');
	char *end;

	if (!open || n < 3 || name[n - 1] != ']' || open == name || open[-1] != ' ')
		return n;
	*correlation = strtoull(open + 1, &end, 10);
	return end == name + n - 1 ? (size_t)(open - 1 - name) : n;
}

static void put_kernel(struct table *t, u64 start, u64 dur_ns)
{
	struct kernel k = {};
	u64 correlation = number(t, CORRELATION), bytes;
	size_t n = split_correlation(t->value[NAME], &correlation);
	u32 i;

	gpu_head(t, &k.g, EVENT_KERNEL, sizeof(k), start, dur_ns, correlation);
	k.name = import_name(t->im, k.g.e.producer, NAME_KERNEL, t->value[NAME], n);
	k.registers = number(t, REGISTERS);
	for (i = 0; i < 3; i++) {
		k.grid[i] = number(t, GRID + i);
		k.block[i] = number(t, BLOCK + i);
	}
	k.static_shared_bytes = measure(t, STATIC, &bytes) ? bytes : 0;
	k.dynamic_shared_bytes = measure(t, DYNAMIC, &bytes) ? bytes : 0;
	import_put(t->im, &k.g.e);
}

static void put_call(struct table *t, u64 start, u64 dur_ns)
{
	struct api a = { .dur_ns = dur_ns };
	u64 correlation = number(t, CORRELATION);
	const char *name = t->value[NAME], *space = strchr(name, ' ');
	size_t n = space ? (size_t)(space - name) : strlen(name);
	const char *open = strrchr(name, '[');

	if (open && open > name)	/* "cudaLaunchKernel (gemm(float*) [123])" */
		correlation = strtoull(open + 1, NULL, 10);
	event_of(t, &a.e, EVENT_API, sizeof(a), start);
	a.e.tid = import_tid(t->im, a.e.producer, number(t, THREAD), NULL);
	a.name = import_name(t->im, a.e.producer, NAME_API, name, n);
	a.domain = api_domain(name, n);
	a.class = api_class(name, n);
	a.result = number(t, RESULT);
	if (correlation)
		a.correlation = import_correlation(t->im, a.e.producer, correlation);
	import_put(t->im, &a.e);
}

static void put_row(struct table *t)
{
	const char *name = t->value[NAME];
	u64 start, dur_ns;

	if (!name || !measure(t, START, &start) || !measure(t, DURATION, &dur_ns)) {
		import_odd(t->im, "row without start, duration or name", "");
		return;
	}
	if (!text_time(t->im, start) || !text_time(t->im, dur_ns))
		return;
	t->rows++;
	if (!t->value[DEVICE])
		put_call(t, start, dur_ns);
	else if (name[0] == '[' && strcasestr(name, "memcpy"))
		put_copy(t, start, dur_ns);
	else if (name[0] == '[' && strcasestr(name, "memset"))
		put_set(t, start, dur_ns);
	else if (name[0] == '[')
		import_odd(t->im, "row not imported", name);
	else
		put_kernel(t, start, dur_ns);
}

static void read_line(struct table *t, char *line)
{
	u32 n, i;

	if (line[0] == '=' && line[1] == '=') {
		t->process = strtoull(line + 2, NULL, 10);
		return;
	}
	if (!line[0])
		return;
	n = split(line, t->cell);
	if (read_head(t, n))
		return;
	if (!t->columns || n < t->columns) {
		import_odd(t->im, "line that is no row of a table", "");
		return;
	}
	if (t->units_next) {
		for (i = 0; i < t->columns; i++)
			snprintf(t->unit[i], sizeof(t->unit[i]), "%s", t->cell[i]);
		t->units_next = false;
		return;
	}
	memset(t->value, 0, sizeof(t->value));
	for (i = 0; i < t->columns; i++)
		if (*t->cell[i] && strcmp(t->cell[i], "-")) {
			t->value[t->what[i]] = t->cell[i];
			t->value_unit[t->what[i]] = t->unit[i];
		}
	put_row(t);
}

static int read_csv(struct import *im, const char *path)
{
	struct table *t = must_alloc(sizeof(*t));
	struct lines *l;
	char *line;
	size_t n;
	int err = lines_open(&l, path);

	t->im = im;
	if (!err) {
		while ((line = lines_next(l, &n)))
			read_line(t, line);
		err = lines_error(l);
		if (t->rounded)
			import_fact(im, "text", "rounded", 7, t->rounded);
		import_fact(im, "text", "lines", 5, lines_count(l));
		import_file_counts(im, lines_bytes(l), t->rows);
		lines_close(l);
	}
	hash_free(&t->devices);
	free(t);
	return err;
}

static int probe(const char *path, const u8 *bytes, size_t n)
{
	struct table *t = must_alloc(sizeof(*t));
	char *head = must_alloc(n + 1), *line, *end;
	int sure = 0;

	memcpy(head, bytes, n);
	for (line = head; !sure && *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		if (!*end)
			break;
		*end = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		sure = strchr(line, ',') && read_head(t, split(line, t->cell)) ? 90 : 0;
	}
	free(head);
	free(t);
	return sure;
}

const struct import_format import_nvprof = {
	.name = "nvprof", .format = SOURCE_NVPROF, .probe = probe, .read = read_csv,
};
