// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gzip.h"
#include "hash.h"
#include "pb.h"
#include "pprof.h"

enum {				/* of Profile */
	SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6,
	TIME_NANOS = 9, DURATION_NANOS = 10, PERIOD_TYPE = 11, PERIOD = 12, COMMENT = 13,
	DEFAULT_SAMPLE_TYPE = 14,
};

struct pprof {
	unsigned values;
	const struct pprof_value *names;
	struct texts texts;
	struct hash ids;	/* of a text, by its address: its number */
	struct hash functions;	/* by the numbers of name and raw name: its number */
	u32 strings, function_n;
	struct pb table, bodies, samples, comments;
};

/* Place of a text in the string table; the first one is "". */
static u32 string_id(struct pprof *p, const char *text)
{
	const char *known = texts_add(&p->texts, text, strlen(text));
	u32 id = (uintptr_t)hash_get(&p->ids, hash_address(known));

	if (id)
		return id - 1;
	pb_str(&p->table, STRING_TABLE, text);
	id = ++p->strings;
	hash_put(&p->ids, hash_address(known), (void *)(uintptr_t)id);
	return id - 1;
}

/* A function and a location of the same number for each name and what it was made of: two
 * kernels may have one short name. */
static u32 function_id(struct pprof *p, const struct fold_frame *f)
{
	u32 name = string_id(p, f->name), raw = string_id(p, f->raw ? f->raw : f->name);
	u64 key = (u64)name << 32 | raw;
	u32 id = (uintptr_t)hash_get(&p->functions, key);
	size_t at, line;

	if (id)
		return id;
	id = ++p->function_n;
	hash_put(&p->functions, key, (void *)(uintptr_t)id);
	at = pb_open(&p->bodies, FUNCTION);
	pb_u64(&p->bodies, 1, id);
	pb_u64(&p->bodies, 2, name);
	pb_u64(&p->bodies, 3, raw);
	if (f->module)
		pb_u64(&p->bodies, 4, string_id(p, f->module));
	pb_close(&p->bodies, at);
	at = pb_open(&p->bodies, LOCATION);
	pb_u64(&p->bodies, 1, id);
	line = pb_open(&p->bodies, 4);
	pb_u64(&p->bodies, 1, id);
	pb_close(&p->bodies, line);
	pb_close(&p->bodies, at);
	return id;
}

struct pprof *pprof_new(unsigned values, const struct pprof_value *names)
{
	struct pprof *p = must_alloc(sizeof(*p));

	p->values = values;
	p->names = names;
	string_id(p, "");
	return p;
}

static void label_text(struct pprof *p, const char *key, const char *text)
{
	size_t at = pb_open(&p->samples, 3);

	pb_u64(&p->samples, 1, string_id(p, key));
	pb_u64(&p->samples, 2, string_id(p, text));
	pb_close(&p->samples, at);
}

static void label_number(struct pprof *p, const char *key, s64 number)
{
	size_t at = pb_open(&p->samples, 3);

	pb_u64(&p->samples, 1, string_id(p, key));
	pb_s64(&p->samples, 3, number);
	pb_close(&p->samples, at);
}

/* A number that is 0 cannot be told from none by readers: those that can be 0 are texts. */
static void labels(struct pprof *p, const struct fold_stack *about)
{
	char text[16];

	if (about->rank >= 0) {
		snprintf(text, sizeof(text), "%d", about->rank);
		label_text(p, "rank", text);
	}
	if (about->device >= 0) {
		snprintf(text, sizeof(text), "%d", about->device);
		label_text(p, "device", text);
	}
	if (about->stream >= 0) {
		snprintf(text, sizeof(text), "%d", about->stream);
		label_text(p, "stream", text);
	}
	label_text(p, "process", about->process->comm[0] ? about->process->comm : "?");
	label_number(p, "pid", about->process->pid);
	if (about->thread) {
		label_text(p, "thread", about->thread->comm);
		label_number(p, "tid", about->thread->tid);
	}
}

int pprof_add(struct pprof *p, const struct fold_frame *frames, u32 n,
	      const struct fold_stack *about)
{
	size_t at;
	u64 any = 0;
	u32 i;

	for (i = 0; i < FOLD_VALUES; i++)
		any |= p->values & 1U << i ? about->values[i] : 0;
	if (!any)
		return 0;
	at = pb_open(&p->samples, SAMPLE);
	for (i = n; i-- > 0; )
		pb_u64(&p->samples, 1, function_id(p, &frames[i]));
	for (i = 0; i < FOLD_VALUES; i++)
		if (p->values & 1U << i)
			pb_u64(&p->samples, 2, about->values[i]);
	labels(p, about);
	pb_close(&p->samples, at);
	return p->samples.failed || p->bodies.failed || p->table.failed ? -ENOMEM : 0;
}

void pprof_comment(struct pprof *p, const char *text)
{
	pb_u64(&p->comments, COMMENT, string_id(p, text));
}

static void value_type(struct pprof *p, struct pb *head, u32 field,
		       const struct pprof_value *v)
{
	size_t at = pb_open(head, field);

	pb_u64(head, 1, string_id(p, v->type));
	pb_u64(head, 2, string_id(p, v->unit));
	pb_close(head, at);
}

static void head_put(struct pprof *p, struct pb *head, u64 realtime_ns, u64 duration_ns)
{
	const struct pprof_value *first = NULL;

	for (int i = 0; i < FOLD_VALUES; i++)
		if (p->values & 1U << i) {
			first = first ? first : &p->names[i];
			value_type(p, head, SAMPLE_TYPE, &p->names[i]);
		}
	pb_u64(head, TIME_NANOS, realtime_ns);
	pb_u64(head, DURATION_NANOS, duration_ns);
	value_type(p, head, PERIOD_TYPE, first);
	pb_u64(head, PERIOD, 1);
	pb_u64(head, DEFAULT_SAMPLE_TYPE, string_id(p, first->type));
}

int pprof_write(struct pprof *p, u64 realtime_ns, u64 duration_ns, FILE *out)
{
	struct pb head = {};
	const struct pb *parts[] = { &head, &p->samples, &p->bodies, &p->comments, &p->table };
	size_t n = sizeof(parts) / sizeof(*parts);
	FILE *packed;
	int err = 0;

	head_put(p, &head, realtime_ns, duration_ns);
	for (size_t i = 0; i < n; i++)
		if (parts[i]->failed || parts[i]->size >= UINT32_MAX)
			err = -ENOMEM;
	packed = err ? NULL : gzip_stream(out);
	errno = 0;
	for (size_t i = 0; packed && i < n; i++)
		fwrite(parts[i]->data, 1, parts[i]->size, packed);
	if (packed && fclose(packed))
		err = errno ? -errno : -EIO;
	else if (!packed && !err)
		err = -ENOMEM;
	pb_free(&head);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	return err;
}

void pprof_free(struct pprof *p)
{
	if (!p)
		return;
	texts_free(&p->texts);
	hash_free(&p->ids);
	hash_free(&p->functions);
	pb_free(&p->table);
	pb_free(&p->bodies);
	pb_free(&p->samples);
	pb_free(&p->comments);
	free(p);
}
