// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every byte of a trace file is looked at, none of its records is delivered; see verify.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "log.h"
#include "out.h"
#include "schema.h"
#include "verify.h"
#include "trace_read.h"

#define KINDS 65536

struct kind { u64 blocks, records, repeated, bytes, raw; };

struct check {
	const char *name;
	struct trace_read *in;
	struct kind *kinds;
	u64 blocks, records, bytes, lost, missing, next_sequence, unknown_blocks;
	bool index, end;
	char *why;		/* what is wrong; NULL: nothing */
	u64 *scratch;
	u32 *lengths;
};

/* All its columns can be decoded to the last byte. */
static bool columns_fit(struct check *c, const struct trace_block *b)
{
	struct trace_column_iter it = {};
	struct trace_column in;
	const u8 *bytes;
	int got;

	while ((got = trace_read_column(b, &it, &in)) > 0) {
		switch (in.h.encoding) {
		case COLUMN_CONST:
		case COLUMN_PLAIN:
		case COLUMN_DELTA:
			if (!trace_read_numbers(&in, b->records, c->scratch))
				return false;
			break;
		case COLUMN_BYTES:
			if (in.h.length != (u64)in.h.size * b->records)
				return false;
			break;
		case COLUMN_TAIL:
			if (!trace_read_tails(&in, b->records, c->lengths, &bytes))
				return false;
			break;
		}
	}
	return !got;
}

static int wrong(struct check *c, u64 at, const char *what)
{
	if (asprintf(&c->why, "%s at byte %llu", what, at) < 0)
		c->why = NULL;
	return -EBADMSG;
}

static void count(struct check *c, const struct trace_block *b)
{
	struct kind *k = &c->kinds[b->kind];

	k->blocks++;
	k->bytes += b->bytes;
	k->raw += b->raw;
	*(b->flags & TRACE_REPEAT ? &k->repeated : &k->records) += b->records;
	c->records += b->flags & TRACE_REPEAT ? 0 : b->records;
}

static int check_block(struct check *c, struct trace_block *b)
{
	int err = trace_read_payload(c->in, b);

	if (err)
		return err;
	c->blocks++;
	c->bytes += b->bytes;
	if (b->sequence < c->next_sequence)
		return wrong(c, b->at, "has a block of an earlier number");
	c->missing += b->sequence - c->next_sequence;
	c->next_sequence = b->sequence + 1;
	c->lost += b->lost;
	c->end |= b->type == TRACE_END;
	c->index |= b->type == TRACE_INDEX;
	c->unknown_blocks += b->type < TRACE_RECORDS || b->type > TRACE_INDEX;
	if (b->type != TRACE_RECORDS && b->type != TRACE_INDEX)
		return 0;
	if (!columns_fit(c, b))
		return wrong(c, b->at, "has a block whose columns do not fit");
	if (b->type == TRACE_INDEX)
		return 0;
	if (!trace_read_kind(c->in, b->kind)[0])
		return wrong(c, b->at, "has records before their schema");
	count(c, b);
	return 0;
}

/* An index that does not say where the blocks are is worse than none. */
static int check_index(struct check *c)
{
	struct trace_index_entry *list;
	struct trace_block b;
	size_t n, i = 0;
	int had = trace_read_index(c->in, &list, &n), err = 0;

	if (had < 0)
		return had;
	for (; had && !err && i < n && trace_read_block(c->in, &b) > 0; i++)
		if (b.at != list[i].at || b.bytes != list[i].bytes || b.kind != list[i].kind ||
		    b.records != list[i].records || b.first_ts != list[i].first_ts ||
		    b.last_ts != list[i].last_ts)
			err = wrong(c, b.at, "has an index that is wrong about the block");
	free(list);
	if (!err && !had)
		err = wrong(c, trace_read_size(c->in), "has an index that cannot be used,");
	return err;
}

static int read_all(struct check *c)
{
	struct trace_block b;
	int got, err = 0;

	while (!err && (got = trace_read_block(c->in, &b)) > 0)
		err = check_block(c, &b);
	if (!err && got >= 0 && c->index && trace_read_seekable(c->in)) {
		err = trace_read_seek(c->in, trace_read_info(c->in)->header_bytes);
		return err ?: check_index(c);
	}
	return err ?: got;
}

/* ---- what it says ---- */

static void print_kinds(const struct check *c)
{
	static const char *const heads[] = { "<KIND", "BLOCKS", "RECORDS", "REPEATED", "BYTES",
					     "PER RECORD", "RAW", NULL };
	struct table *t = table_new(heads);

	for (u32 i = 0; i < KINDS; i++) {
		const struct kind *k = &c->kinds[i];

		if (!k->blocks)
			continue;
		table_cell(t, "%s%s", trace_read_kind(c->in, i),
			   record_type(i) ? "" : " (unknown to this program)");
		table_cell(t, "%llu", k->blocks);
		table_cell(t, "%llu", k->records);
		table_cell(t, "%llu", k->repeated);
		table_cell(t, "%llu", k->bytes);
		table_cell(t, "%.2f", (double)k->bytes / (k->records + k->repeated ?: 1));
		table_cell(t, "%llu", k->raw);
	}
	table_print(t, stdout, 0, "");
	table_free(t);
}

static void print_text(const struct check *c)
{
	const struct trace_info *info = trace_read_info(c->in);

	out_line(stdout, "%s: trace version %u of %s, %llu blocks, %llu records, %llu bytes: %s",
		 c->name, info->version, info->tool, c->blocks, c->records,
		 c->bytes + info->header_bytes, c->why ? "not whole" : "whole");
	out_line(stdout, "index %s, %llu records lost by the writer, %llu blocks missing, %llu of an unknown type",
		 c->index ? "present" : "absent", c->lost, c->missing, c->unknown_blocks);
	print_kinds(c);
}

static void print_json(const struct check *c)
{
	const struct trace_info *info = trace_read_info(c->in);
	struct json j = { .f = stdout };

	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope-check-1");
	json_u64(&j, "version", info->version);
	json_str(&j, "tool", info->tool);
	json_bool(&j, "whole", !c->why);
	json_str(&j, "damage", c->why);
	json_u64(&j, "blocks", c->blocks);
	json_u64(&j, "records", c->records);
	json_bool(&j, "index", c->index);
	json_bool(&j, "end_mark", c->end);
	json_u64(&j, "lost", c->lost);
	json_u64(&j, "missing_blocks", c->missing);
	json_u64(&j, "unknown_blocks", c->unknown_blocks);
	json_array(&j, "kinds");
	for (u32 i = 0; i < KINDS; i++) {
		const struct kind *k = &c->kinds[i];

		if (!k->blocks)
			continue;
		json_object(&j, NULL);
		json_u64(&j, "kind", i);
		json_str(&j, "name", trace_read_kind(c->in, i));
		json_u64(&j, "blocks", k->blocks);
		json_u64(&j, "records", k->records);
		json_u64(&j, "repeated", k->repeated);
		json_u64(&j, "bytes", k->bytes);
		json_u64(&j, "raw_bytes", k->raw);
		json_close(&j);
	}
	json_close(&j);
	json_close(&j);
}

static int open_file(struct check *c, const char *path)
{
	bool in = !strcmp(path, "-");
	int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err;

	c->name = in ? "standard input" : path;
	if (fd < 0)
		return fail(-errno, "cannot open %s", path);
	err = trace_read_open(&c->in, fd);
	if (err)
		fail(0, "%s %s", c->name, c->in ? trace_read_why(c->in) : "needs more memory");
	return err;
}

int verify_trace(const char *path, bool json)
{
	struct check c = {};
	int err = open_file(&c, path);

	c.kinds = calloc(KINDS, sizeof(*c.kinds));
	c.scratch = calloc(TRACE_RECORDS_MAX, sizeof(*c.scratch));
	c.lengths = calloc(TRACE_RECORDS_MAX, sizeof(*c.lengths));
	if (!err && (!c.kinds || !c.scratch || !c.lengths))
		err = fail(-ENOMEM, "cannot check %s", path);
	if (!err) {
		err = read_all(&c);
		if (err && !c.why)
			c.why = strdup(trace_read_why(c.in) ?: "cannot be read");
		(json ? print_json : print_text)(&c);
		if (c.why)
			fail(0, "%s %s", c.name, c.why);
		err = out_finish(stdout, "the check") ?: err;
	}
	trace_read_close(c.in);
	free(c.kinds);
	free(c.scratch);
	free(c.lengths);
	free(c.why);
	return err;
}
