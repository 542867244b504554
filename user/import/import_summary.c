// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What was imported: one JSON object, or lines of talk. */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"
#include "log.h"
#include "out.h"

#define SAY_ODD 5	/* kinds of things not understood that are named without -v */

static const char *format_name(const struct import_source *s)
{
	return record_enum_name(EVENT_SOURCE, "format", s->format) ?: "unknown";
}

static int by_group(const void *a, const void *b)
{
	const struct tally_item *x = *(struct tally_item **)a, *y = *(struct tally_item **)b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->key, y->key);
}

static int by_count(const void *a, const void *b)
{
	const struct tally_item *x = *(struct tally_item **)a, *y = *(struct tally_item **)b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : by_group(a, b);
}

static struct tally_item **sorted(const struct tally *t,
				  int (*order)(const void *, const void *))
{
	struct tally_item **list = must_alloc((t->n + 1) * sizeof(*list));

	memcpy(list, t->list, t->n * sizeof(*list));
	qsort(list, t->n, sizeof(*list), order);
	return list;
}

static void facts_json(struct json *j, const struct import_source *s)
{
	struct tally_item **list = sorted(&s->facts, by_group);

	json_object(j, "facts");
	for (u32 i = 0; i < s->facts.n; i++) {
		if (!i || strcmp(list[i]->group, list[i - 1]->group))
			json_object(j, list[i]->group);
		json_u64(j, list[i]->key, list[i]->count);
		if (i + 1 == s->facts.n || strcmp(list[i]->group, list[i + 1]->group))
			json_close(j);
	}
	json_close(j);
	free(list);
}

static void odd_json(struct json *j, const struct import_source *s)
{
	struct tally_item **list = sorted(&s->odd, by_count);

	json_array(j, "odd");
	for (u32 i = 0; i < s->odd.n; i++) {
		json_object(j, NULL);
		json_str(j, "what", list[i]->group);
		json_str(j, "which", list[i]->key);
		json_u64(j, "count", list[i]->count);
		json_close(j);
	}
	json_close(j);
	free(list);
}

static void damage_json(struct json *j, const struct import_source *s)
{
	if (!s->damage) {
		json_null(j, "damage");
		return;
	}
	json_object(j, "damage");
	json_str(j, "why", s->damage);
	json_u64(j, "at", s->damage_at);
	json_close(j);
}

static void rank_json(struct json *j, const struct import_source *s)
{
	if (s->rank >= 0)
		json_s64(j, "rank", s->rank);
	else
		json_null(j, "rank");
	json_u64(j, "world", s->world);
	json_str(j, "host", s->host);
}

static void source_json(struct json *j, const struct import *im, const struct import_source *s)
{
	u64 threads = 0, devices = 0, processes = 0;

	for (u32 i = 1; i <= im->process_n; i++) {
		const struct import_process *p = im->processes[i];

		if (p->source != s)
			continue;
		processes++;
		threads += p->threads.used;
		devices += p->devices.used;
	}
	json_object(j, NULL);
	json_str(j, "path", s->path);
	json_str(j, "format", format_name(s));
	json_u64(j, "bytes", s->bytes);
	json_u64(j, "records", s->records);
	json_u64(j, "written", s->put);
	rank_json(j, s);
	json_s64(j, "origin_ns", s->origin_ns);
	json_s64(j, "shift_ns", s->shift_ns);
	j->zero_ns = s->shift_ns;
	json_time(j, "first_ns", s->put ? s->first_ns + s->shift_ns : s->shift_ns);
	json_time(j, "last_ns", s->put ? s->last_ns + s->shift_ns : s->shift_ns);
	j->zero_ns = 0;
	json_u64(j, "processes", processes);
	json_u64(j, "threads", threads);
	json_u64(j, "devices", devices);
	facts_json(j, s);
	odd_json(j, s);
	damage_json(j, s);
	json_close(j);
}

static u64 written(const struct import *im)
{
	u64 n = 0;

	for (u32 kind = 0; kind < EVENT_KIND_MAX; kind++)
		n += im->written[kind];
	return n;
}

void import_summary(const struct import *im, struct json *j, const char *output)
{
	json_object(j, NULL);
	json_str(j, "schema", "gpuscope.import.0");
	json_str(j, "output", output);
	json_time(j, "first_ns", im->first_ns);
	json_time(j, "last_ns", im->last_ns);
	json_u64(j, "records", written(im));
	json_object(j, "kinds");
	for (u32 kind = 0; kind < EVENT_KIND_MAX; kind++)
		if (im->written[kind])
			json_u64(j, record_type(kind)->name, im->written[kind]);
	json_close(j);
	json_u64(j, "calls_with_stack", im->in_spans);
	json_array(j, "inputs");
	for (u32 i = 0; i < im->source_n; i++)
		source_json(j, im, im->sources[i]);
	json_close(j);
	json_close(j);
}

/* "3 x unknown phase "b", ..." */
static void say_odd(const struct import_source *s)
{
	struct tally_item **list = sorted(&s->odd, by_count);
	u32 most = log_verbose() ? s->odd.n : s->odd.n < SAY_ODD ? s->odd.n : SAY_ODD;

	for (u32 i = 0; i < most; i++)
		warn("%s: %llu x %s%s%s%s", s->path, list[i]->count, list[i]->group,
		     *list[i]->key ? " \"" : "", list[i]->key, *list[i]->key ? "\"" : "");
	if (most < s->odd.n)
		warn("%s: and %u other kinds of things that were not understood (-v names them)",
		     s->path, s->odd.n - most);
	free(list);
}

void import_say(const struct import *im)
{
	char bytes[16], spilled[16], span[16];

	for (u32 i = 0; i < im->source_n; i++) {
		const struct import_source *s = im->sources[i];

		note("%s: %s, %s, %llu records in it, %llu written, %s long", s->path,
		     format_name(s), human_bytes(bytes, s->bytes), s->records, s->put,
		     human_ns(span, s->put ? s->last_ns - s->first_ns : 0));
		say_odd(s);
	}
	note("%llu records of %u processes, %llu API calls with a stack, %s on disk meanwhile",
	     written(im), im->process_n, im->in_spans,
	     human_bytes(spilled, sorter_spilled(im->sorter)));
}
