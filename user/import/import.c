// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The importer's files, their counts and the way in for records; see import.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "import_parts.h"
#include "log.h"

/* Beside the output unless the user names a folder: there is room for a trace. */
static char *temporary_folder(const char *path)
{
	const char *tmp = getenv("TMPDIR"), *slash = strrchr(path, '/');

	if (tmp && *tmp)
		return strdup(tmp);
	if (!strcmp(path, "-"))
		return strdup("/var/tmp");
	return slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
}

int import_new(struct import **out, const char *path)
{
	struct import *im;
	char *folder;
	int err;

	*out = NULL;
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
		return fail_usage("cannot write a trace to a terminal (use a file or a pipe)");
	im = must_alloc(sizeof(*im));
	err = outfile_open(&im->out, path);
	if (err) {
		free(im);
		return err;
	}
	folder = temporary_folder(path);
	im->sorter = sorter_new(folder ?: ".");
	free(folder);
	im->next_number = ID_OWN_FIRST;
	im->collective_end = &im->collective_first;
	im->first_ns = ~0ULL;
	*out = im;
	return 0;
}

static void source_free(struct import_source *s)
{
	tally_free(&s->odd);
	tally_free(&s->facts);
	hash_free(&s->processes);
	free(s->path);
	free(s->damage);
	free(s);
}

void import_free(struct import *im)
{
	if (!im)
		return;
	if (im->trace)
		trace_close(im->trace);
	outfile_close(&im->out, false);
	sorter_free(im->sorter);
	spans_free(im);
	import_ids_free(im);
	for (u32 i = 0; i < im->source_n; i++)
		source_free(im->sources[i]);
	free(im->sources);
	texts_free(&im->texts);
	arena_free(&im->arena);
	free(im);
}

/* import_read() begins the file, its reader may again, knowing more. */
static bool file_again(struct import *im, const char *path, enum source_format format,
		       s64 origin_ns)
{
	struct import_source *s = im->source;

	if (!s || s->put || s->processes.used || strcmp(s->path, path))
		return false;
	s->format = format;
	s->origin_ns = origin_ns;
	return true;
}

void import_file(struct import *im, const char *path, enum source_format format, s64 origin_ns)
{
	const char *slash = strrchr(path, '/');
	struct import_source *s;

	if (file_again(im, path, format, origin_ns))
		return;
	s = must_alloc(sizeof(*s));
	s->path = strcpy(must_alloc(strlen(path) + 1), path);
	s->name = slash ? s->path + (slash - path) + 1 : s->path;
	s->format = format;
	s->origin_ns = origin_ns;
	s->rank = -1;
	s->first_ns = NO_TIME;
	s->last_ns = INT64_MIN;
	s->coarse = true;
	if (!(im->source_n & (im->source_n - 1)))
		im->sources = must_realloc(im->sources,
					   2 * (im->source_n + 1) * sizeof(*im->sources));
	im->sources[im->source_n++] = im->source = s;
}

void import_file_rank(struct import *im, s32 rank, u32 world)
{
	im->source->rank = rank;
	im->source->world = world;
}

void import_file_host(struct import *im, const char *host)
{
	struct import_source *s = im->source;

	memset(s->host, 0, sizeof(s->host));
	memcpy(s->host, host, strnlen(host, sizeof(s->host) - 1));
}

void import_file_origin(struct import *im, s64 origin_ns)
{
	im->source->origin_ns = origin_ns;
}

void import_file_counts(struct import *im, u64 bytes, u64 records)
{
	im->source->bytes = bytes;
	im->source->records = records;
}

void import_odd(struct import *im, const char *what, const char *which)
{
	tally_add(&im->source->odd, what, which, strlen(which), 1);
}

void import_fact(struct import *im, const char *group, const char *key, size_t n, u64 count)
{
	tally_add(&im->source->facts, group, key, n, count);
}

void import_damage(struct import *im, const char *why, u64 at)
{
	struct import_source *s = im->source;

	if (s->damage)
		return;
	s->damage_said = !why;
	s->damage = strdup(why ?: unpack_why());
	s->damage_at = at;
}

/* Where the record ends; most have their length right behind the head. */
static s64 end_of(const struct event *e, u64 *dur)
{
	s64 end;

	bool span = (e->kind >= EVENT_API && e->kind <= EVENT_NVTX) || e->kind == EVENT_SPAN;

	*dur = 0;
	if (span)
		memcpy(dur, e + 1, sizeof(*dur));
	return __builtin_add_overflow((s64)e->ts, *dur, &end) ? INT64_MAX : end;
}

void import_put(struct import *im, const struct event *e)
{
	struct import_process *p = import_producer(im, e->producer);
	struct import_source *s = im->source;
	s64 ts = e->ts, end;
	u64 dur;

	if (im->error)
		return;
	end = end_of(e, &dur);
	s->put++;
	if (ts < s->first_ns)
		s->first_ns = ts;
	if (end > s->last_ns)
		s->last_ns = end;
	if (s->coarse && (ts % 1000 || dur % 1000))
		s->coarse = false;
	if (p && ts < p->first_ns)
		p->first_ns = ts;
	if (p && e->kind == EVENT_API_STACK)
		p->own_stacks = true;
	im->error = sorter_add(im->sorter, e, im->source_n - 1);
}
