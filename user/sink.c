// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where records go: a table or JSON lines on stdout, or a trace file, which gets
 * the definitions too. All three end by saying what was lost.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "out.h"
#include "tool_run.h"

/* ---- table ---- */

static void put_field(FILE *f, const char *text, int width, bool last)
{
	if (last && width < 0)
		width = 0;	/* no blanks at the end of a line */
	fprintf(f, "%*s%s", width, text, last ? "\n" : " ");
}

static void table_head(struct sink *s)
{
	if (s->head_printed && !s->tool->rows)
		return;
	for (const struct column *c = s->tool->columns; c->head; c++)
		put_field(s->out, c->head, c->width, !c[1].head);
	s->head_printed = true;
}

static void put_table(struct sink *s, const struct event *e)
{
	char text[4096];

	if (!s->head_printed)
		table_head(s);
	for (const struct column *c = s->tool->columns; c->head; c++) {
		cell_text(s->names, c, e, text, sizeof(text));
		put_field(s->out, text, c->width, !c[1].head);
	}
}

/* ---- JSON lines; each says what it is ---- */

static void json_begin(struct sink *s, struct json *j, const char *what)
{
	char schema[48];

	*j = (struct json){ .f = s->out };
	snprintf(schema, sizeof(schema), "gpuscope.%s.0", what);
	json_object(j, NULL);
	json_str(j, "schema", schema);
}

static void put_json(struct sink *s, const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	struct json j;

	json_begin(s, &j, type ? type->name : s->tool->name);
	for (const struct column *c = s->tool->columns; c->head; c++)
		cell_json(s->names, c, e, &j);
	json_close(&j);
}

static void json_end(struct sink *s)
{
	struct json j;

	json_begin(s, &j, "end");
	json_u64(&j, "records", s->records);
	if (s->lost == LOST_UNKNOWN)
		json_null(&j, "lost");	/* some; nobody knows how many */
	else
		json_u64(&j, "lost", s->lost);
	json_close(&j);
}

/* ---- all of them ---- */

int sink_open(struct sink *s, const struct tool *tool, const struct settings *set)
{
	struct trace_info info;
	char version[40];

	*s = (struct sink){ .tool = tool, .set = set, .out = stdout, .names = names_new() };
	if (!set->output)
		return 0;
	snprintf(version, sizeof(version), "%s %s", tool->name, GPUSCOPE_VERSION);
	trace_info_here(&info, version);
	return trace_create(&s->file, set->output, &info);
}

int sink_begin(struct sink *s)
{
	if (s->file || s->set->json || s->tool->rows)
		return 0;
	table_head(s);
	return sink_flush(s);
}

static void count_lost(struct sink *s, const struct lost *l)
{
	const char *where = record_enum_name(EVENT_LOST, "where", l->where);

	note("lost: %lld records (%s)", (long long)l->count, where ? where : "?");
	if (l->count == LOST_UNKNOWN || s->lost == LOST_UNKNOWN)
		s->lost = LOST_UNKNOWN;
	else
		s->lost += l->count;
}

static bool asked_for(const struct sink *s, const struct event *e)
{
	return e->kind == s->tool->kind && (!s->set->pid || e->pid == s->set->pid) &&
	       (!s->set->tid || e->tid == s->set->tid);
}

int sink_put(struct sink *s, const struct event *e)
{
	bool wanted = asked_for(s, e);
	int err = 0;

	if (s->enough)
		return -ECANCELED;
	if (!wanted && e->kind >= EVENT_DEFINITIONS_END)
		return 0;
	names_learn(s->names, e);
	if (e->kind == EVENT_LOST)
		count_lost(s, (const struct lost *)e);
	s->bytes += e->size;
	if (s->file)
		err = trace_put(s->file, e);
	else if (wanted && s->set->json)
		put_json(s, e);
	else if (wanted)
		put_table(s, e);
	if (!wanted || err)
		return err;
	s->records++;
	s->enough = s->set->count && s->records == s->set->count;
	return s->enough ? -ECANCELED : 0;
}

/* What could not be written ends the run: quietly when the reader has gone (`| head`). */
int sink_flush(struct sink *s)
{
	int err;

	if (s->file)
		return trace_flush(s->file);
	if (!fflush(s->out) && !ferror(s->out))
		return 0;
	err = errno ? -errno : -EIO;
	s->enough = true;
	if (err == -EPIPE)
		return -ECANCELED;
	clearerr(s->out);
	return fail(err, "cannot write the output");
}

static void report_lost(const struct sink *s)
{
	if (s->lost == LOST_UNKNOWN)
		warn("records were lost, nobody knows how many (-v says where)");
	else if (s->lost)
		warn("%llu records lost (-v says where)", s->lost);
}

int sink_close(struct sink *s, int err)
{
	int e = 0;

	if (s->set->json && !s->file && !err)
		json_end(s);
	if (s->file)
		e = trace_close(s->file);
	else if (!err)
		e = sink_flush(s);
	s->file = NULL;
	report_lost(s);
	names_free(s->names);
	s->names = NULL;
	return err ? err : e == -ECANCELED ? 0 : e;
}
