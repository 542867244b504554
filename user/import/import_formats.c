// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which reader a file is for: by its content; and what to say of one that is for none. */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"
#include "log.h"

#define HEAD_BYTES (64u << 10)

static const struct import_format *const formats[] = {
	&import_json, &import_chrome, &import_nsys, &import_rocpd,
	&import_cupti_text, &import_perf, &import_folded, &import_nvprof, NULL
};

const struct import_format *import_format_named(const char *name)
{
	for (const struct import_format *const *f = formats; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

const struct import_format *import_format_of(const char *path, const u8 *head, size_t n)
{
	const struct import_format *best = NULL;
	int most = 0, sure;

	for (const struct import_format *const *f = formats; *f; f++) {
		sure = (*f)->probe(path, head, n);
		if (sure > most) {
			most = sure;
			best = *f;
		}
	}
	return best;
}

const char *import_format_names(char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = 0;
	for (const struct import_format *const *f = formats; *f && n < size; f++)
		n += snprintf(buf + n, size - n, "%s%s", n ? ", " : "", (*f)->name);
	return buf;
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcasecmp(path + n - m, end);
}

static bool begins(const u8 *head, size_t n, const char *magic)
{
	return n >= strlen(magic) && !memcmp(head, magic, strlen(magic));
}

/* Files that have no reader, but of which it is known what to do. Reported. */
static int unknown(const char *path, const u8 *head, size_t n)
{
	char names[256];

	if (ends_in(path, ".nsys-rep") || ends_in(path, ".qdrep"))
		return fail(0, "cannot import %s: it is in Nsight Systems' own format (nsys export --type sqlite %s, then import the .sqlite file)",
			    path, path);
	if (!n)
		return fail(0, "cannot import %s: it is empty", path);
	if (begins(head, n, "gpuscope"))
		return fail(0, "cannot import %s: it is a recording of gpuscope already (gpureport reads it)",
			    path);
	if (begins(head, n, "\xfd" "7zXZ") || begins(head, n, "BZh") ||
	    begins(head, n, "PK\3\4"))
		return fail(0, "cannot import %s: it is packed in a way that is not known (unpack it first)",
			    path);
	return fail(0, "cannot import %s: it is in no format that is known (%s; --format names one)",
		    path, import_format_names(names, sizeof(names)));
}

/* JSON that would only be told to be no trace. */
static bool is_rocprof_json(const u8 *head, size_t n)
{
	return n && head[0] == '{' && memmem(head, n, "\"rocprofiler-sdk-tool\"", 22) &&
		!memmem(head, n, "\"traceEvents\"", 13);
}

/* *at: where it is to be read. */
static int find_format(struct import *im, const char *path, const struct import_format **f,
		       char **at)
{
	u8 *head = must_alloc(HEAD_BYTES);
	long n = unpack_peek(path, head, HEAD_BYTES);
	int err = n < 0 ? n : import_spool(im, path, head, n, at);

	if (!err && !*f && is_rocprof_json(head, n))
		err = fail(0, "cannot import %s: it is rocprofv3's own JSON (rocprofv3 --output-format rocpd writes a database that can be read)",
			   path);
	if (!err && !*f)
		*f = import_format_of(*at ?: path, head, n);
	if (!err && !*f)
		err = unknown(path, head, n);
	free(head);
	return err;
}

int import_read(struct import *im, const char *path, const struct import_format *format)
{
	char *at = NULL;
	int err = find_format(im, path, &format, &at);

	if (!err) {
		import_file(im, path, format->format, 0);
		err = format->read(im, at ?: path);
	}
	import_spool_end(at);
	return err ?: im->error;
}

bool import_damaged(const struct import *im)
{
	bool any = false;

	for (u32 i = 0; i < im->source_n; i++) {
		const struct import_source *s = im->sources[i];

		any |= s->damage != NULL;
		if (s->damage && !s->damage_said)
			fail(0, "cannot read all of %s: %s at byte %llu (what is before it was imported)",
			     s->path, s->damage, s->damage_at);
	}
	return any;
}
