// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Changes a trace file (stdin to stdout) as a newer, an older or a hostile writer
 * would have written it; checksums are made right again.
 *
 *   edittrace list                        one line a block, to stdout
 *   edittrace version N                   of the file header
 *   edittrace longer-heads                headers with 24 bytes that nobody knows yet
 *   edittrace extra-columns               three unknown columns in each records block
 *   edittrace drop-column NAME            as if the writer's struct had not that field
 *   edittrace widen-column NAME           as if the writer's field had 8 bytes
 *   edittrace set BLOCK FIELD VALUE       a field of a block's header
 *   edittrace poke BLOCK OFFSET VALUE     a byte of a block's decompressed payload
 *   edittrace bomb BLOCK FILE             a block whose compressed payload is FILE
 *   edittrace drop BLOCK                  a block left out
 *   edittrace move BLOCK                  a block put behind the next one
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "trace_format.h"

struct item {
	struct block_head h;
	struct buffer payload;	/* decompressed */
	size_t at;		/* in the file */
};

static u32 longer;		/* bytes added to headers */

static bool get(void *p, size_t n)
{
	return fread(p, 1, n, stdin) == n;
}

static void append(struct buffer *b, const void *p, size_t n)
{
	buffer_reserve(b, n);
	memcpy(b->data + b->len, p, n);
	b->len += n;
}

static bool read_item(struct item *it, size_t *at)
{
	static u8 stored[TRACE_RAW_MAX];

	it->at = *at;
	if (!get(&it->h, sizeof(it->h)) || !get(stored, it->h.stored))
		return false;
	*at += sizeof(it->h) + it->h.stored;
	it->payload = (struct buffer){};
	buffer_reserve(&it->payload, it->h.raw + 1);
	it->payload.len = it->h.raw;
	if (it->h.codec == CODEC_ZSTD)
		ZSTD_decompress(it->payload.data, it->h.raw, stored, it->h.stored);
	else
		memcpy(it->payload.data, stored, it->h.stored);
	return true;
}

static void write_file_head(struct file_head *h)
{
	u8 more[64] = "newer";

	h->size = sizeof(*h) + longer;
	h->crc = 0;
	h->crc = trace_crc32c(trace_crc32c(0, h, sizeof(*h)), more, longer);
	fwrite(h, sizeof(*h), 1, stdout);
	fwrite(more, longer, 1, stdout);
}

/* Uncompressed, unless a hostile header said otherwise. */
static void write_item(struct item *it, bool as_is)
{
	u8 more[64] = "newer";

	if (!as_is) {
		it->h.codec = CODEC_PLAIN;
		it->h.raw = it->h.stored = it->payload.len;
	}
	it->h.size += longer;
	it->h.crc = 0;
	it->h.crc = trace_crc32c(0, &it->h, sizeof(it->h));
	it->h.crc = trace_crc32c(it->h.crc, more, longer);
	it->h.crc = trace_crc32c(it->h.crc, it->payload.data, it->payload.len);
	fwrite(&it->h, sizeof(it->h), 1, stdout);
	fwrite(more, longer, 1, stdout);
	fwrite(it->payload.data, it->payload.len, 1, stdout);
}

/* The payload again, each column as `change` wants it (false: left out), `extra` ones
 * behind. */
static void columns_edit(struct item *it, bool (*change)(struct column_head *, const char *),
			 const char *name, bool extra)
{
	struct buffer heads = {}, data = {}, all = {};
	struct column_head h, added[] = {
		{ .name = 1, .size = 4, .encoding = COLUMN_CONST, .length = 1 },
		{ .name = 2, .size = 3, .encoding = COLUMN_BYTES, .length = it->h.records * 3 },
		{ .name = 3, .size = 8, .encoding = 77, .length = 5 },
	};
	u32 counts[2], n = 0;
	const u8 *p;

	memcpy(counts, it->payload.data, 8);
	p = it->payload.data + 8 + counts[0] * sizeof(h);
	for (u32 i = 0; i < counts[0]; i++, p += h.length) {
		memcpy(&h, it->payload.data + 8 + i * sizeof(h), sizeof(h));
		if (change && !change(&h, name))
			continue;
		append(&heads, &h, sizeof(h));
		append(&data, p, h.length);
		n++;
	}
	for (int i = 0; extra && i < 3; i++, n++) {
		append(&heads, &added[i], sizeof(h));
		buffer_reserve(&data, added[i].length);
		memset(data.data + data.len, 1, added[i].length);
		data.len += added[i].length;
	}
	counts[0] = n;
	append(&all, counts, sizeof(counts));
	append(&all, heads.data, heads.len);
	append(&all, data.data, data.len);
	free(heads.data);
	free(data.data);
	free(it->payload.data);
	it->payload = all;
}

static bool drop(struct column_head *h, const char *name)
{
	return h->name != trace_read_hash(name);
}

static bool widen(struct column_head *h, const char *name)
{
	if (h->name == trace_read_hash(name))
		h->size = 8;
	return true;
}

/* Lengths: of a payload that is said to be compressed, so that none contradicts another. */
static void set_head(struct block_head *h, const char *field, u64 v)
{
	if (!strcmp(field, "raw") || !strcmp(field, "stored"))
		h->codec = CODEC_ZSTD;
#define S(m) if (!strcmp(field, #m)) { h->m = v; return; }
	S(magic) S(size) S(type) S(codec) S(kind) S(producer)
	S(records) S(raw) S(stored) S(flags)
	S(sequence) S(first_ts) S(last_ts) S(lost)
#undef S
	errx(2, "no field %s", field);
}

/* FILE is zstd of far more than the header says. */
static void bomb(struct item *it, const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "cannot open %s", path);
	it->payload.len = 0;
	buffer_reserve(&it->payload, 1 << 20);
	it->payload.len = fread(it->payload.data, 1, 1 << 20, f);
	fclose(f);
	it->h.codec = CODEC_ZSTD;
	it->h.stored = it->payload.len;
	it->h.raw = TRACE_RAW_MAX;
	write_item(it, true);
}

static void edit(struct item *it, u64 i, char **argv)
{
	const char *what = argv[1];
	bool records = it->h.type == TRACE_RECORDS;

	if (!strcmp(what, "list")) {
		printf("%zu type=%u kind=%u producer=%u records=%u raw=%u flags=%u lost=%llu\n",
		       it->at, it->h.type, it->h.kind, it->h.producer, it->h.records, it->h.raw,
		       it->h.flags, it->h.lost);
		return;
	}
	if (records && !strcmp(what, "extra-columns"))
		columns_edit(it, NULL, NULL, true);
	if (records && !strcmp(what, "drop-column"))
		columns_edit(it, drop, argv[2], false);
	if (records && !strcmp(what, "widen-column"))
		columns_edit(it, widen, argv[2], false);
	if (!strcmp(what, "poke") && i == strtoull(argv[2], NULL, 0))
		it->payload.data[strtoull(argv[3], NULL, 0)] = strtoull(argv[4], NULL, 0);
	if (!strcmp(what, "set") && i == strtoull(argv[2], NULL, 0)) {
		it->h.codec = CODEC_PLAIN;
		it->h.raw = it->h.stored = it->payload.len;
		set_head(&it->h, argv[3], strtoull(argv[4], NULL, 0));
		write_item(it, true);
		return;
	}
	if (!strcmp(what, "bomb") && i == strtoull(argv[2], NULL, 0))
		bomb(it, argv[3]);
	else
		write_item(it, false);
}

int main(int argc, char **argv)
{
	struct file_head h;
	struct item it, held = {};
	size_t at = sizeof(h);
	const char *what = argc > 1 ? argv[1] : "";
	u64 which = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;

	if (argc < 2 || !get(&h, sizeof(h)))
		errx(2, "see tests/bin/edittrace.c");
	if (!strcmp(what, "longer-heads"))
		longer = 24;
	if (!strcmp(what, "version"))
		h.version = which;
	if (strcmp(what, "list"))
		write_file_head(&h);
	for (u64 i = 0; read_item(&it, &at); i++) {
		if (!strcmp(what, "drop") && i == which)
			continue;
		if (!strcmp(what, "move") && i == which) {
			held = it;
			continue;
		}
		edit(&it, i, argv);
		free(it.payload.data);
		if (held.payload.data)
			write_item(&held, false);
		free(held.payload.data);
		held.payload.data = NULL;
	}
	return 0;
}
