// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where records go: a table or JSON lines on stdout, or a trace file, which gets
 * the definitions too. All three end by saying what was lost.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "out.h"
#include "tool_run.h"

/* ---- table ---- */

static void put_field(FILE *f, const char *text, int width, bool last)
{
	if (last && width < 0)
		width = 0;	/* no blanks at the end of a line */
	fprintf(f, "%*s%s", width, text, last ? "\n" : " ");
}

static void table_head(struct sink *s, const struct column *columns)
{
	for (const struct column *c = columns; c->head; c++)
		if (*c->head)
			put_field(s->out, c->head, c->width, !c[1].head);
	s->head = columns;
}

static void put_table(struct sink *s, const struct column *columns, const struct event *e)
{
	char text[4096];

	if (s->head != columns)
		table_head(s, columns);
	for (const struct column *c = columns; c->head; c++) {
		if (!*c->head)
			continue;
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

static void put_json(struct sink *s, const struct column *columns, const char *schema,
		     const struct event *e)
{
	struct json j;

	json_begin(s, &j, schema);
	for (const struct column *c = columns; c->head; c++)
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
		return tool->view && tool->view->begin ? tool->view->begin(tool) : 0;
	snprintf(version, sizeof(version), "%s %s", tool->name, GPUSCOPE_VERSION);
	trace_info_here(&info, version);
	return trace_create(&s->file, set->output, &info);
}

int sink_begin(struct sink *s)
{
	if (s->file || s->set->json || s->tool->set->sums || s->tool->view)
		return 0;
	table_head(s, s->tool->columns);
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

static bool is_kind(const struct tool *tool, u16 kind)
{
	if (!tool->kinds)
		return kind == tool->kind;
	for (const u16 *k = tool->kinds; *k; k++)
		if (*k == kind)
			return true;
	return false;
}

/* A view is given what is about no process, too. */
bool sink_wants(const struct sink *s, const struct event *e)
{
	if (!is_kind(s->tool, e->kind))
		return false;
	if (s->tool->view && !e->pid)
		return true;
	return (!s->set->pid || e->pid == s->set->pid) &&
	       (!s->set->tid || e->tid == s->set->tid);
}

int sink_row(struct sink *s, const struct column *columns, const char *schema,
	     const struct event *row)
{
	if (s->enough)
		return -ECANCELED;
	if (s->set->json)
		put_json(s, columns, schema, row);
	else
		put_table(s, columns, row);
	s->records++;
	s->enough = s->set->count && s->records == s->set->count;
	return s->enough ? -ECANCELED : 0;
}

/* ---- views: their intervals are the clock's when live, the records' when replayed ---- */

static int end_interval(struct sink *s, u64 to)
{
	const struct column *head = s->head;
	u64 from = s->tick_from, rows = s->records;
	int err;

	s->tick_from = to;
	s->head = NULL;
	err = s->tool->view->tick(s, from, to);
	if (s->records == rows)		/* it has rows of its own that go on under their head */
		s->head = head;
	return err;
}

int sink_tick(struct sink *s, u64 now)
{
	return s->file ? 0 : end_interval(s, now);
}

/* Records come in order of time (source_file.c). Of intervals in which nothing happened none is
 * told. */
static int replay_ticks(struct sink *s, u64 ts)
{
	u64 interval = s->set->interval_ns;
	int err = 0;

	if (!s->tick_from)
		s->tick_from = ts;
	if (ts >= s->tick_from + interval) {
		err = end_interval(s, s->tick_from + interval);
		if (ts >= s->tick_from)
			s->tick_from += (ts - s->tick_from) / interval * interval;
	}
	s->tick_last = ts > s->tick_last ? ts : s->tick_last;
	return err;
}

static int put_view(struct sink *s, const struct event *e, bool wanted)
{
	const struct tool_view *view = s->tool->view;
	int err = 0;

	if (wanted && view->tick && s->set->input)
		err = replay_ticks(s, e->ts);
	return err || !view->put ? err : view->put(s, e);
}

static int end_view(struct sink *s)
{
	const struct tool_view *view = s->tool->view;
	int err = 0;

	if (view->tick && s->tick_from)
		err = end_interval(s, s->set->input ? s->tick_last : now_ns());
	if (!err && view->end)
		err = view->end(s);
	return err == -ECANCELED ? 0 : err;
}

/* ---- records ---- */

static int put_record(struct sink *s, const struct event *e)
{
	const struct record_type *type = record_type(e->kind);

	return sink_row(s, s->tool->columns, type ? type->name : s->tool->name, e);
}

static int put_file(struct sink *s, const struct event *e, bool wanted)
{
	int err = trace_put(s->file, e);

	if (err || !wanted)
		return err;
	s->records++;
	s->enough = s->set->count && s->records == s->set->count;
	return s->enough ? -ECANCELED : 0;
}

int sink_put(struct sink *s, const struct event *e)
{
	bool wanted = sink_wants(s, e);

	if (!wanted && e->kind >= EVENT_DEFINITIONS_END)
		return 0;
	if (s->enough && e->kind != EVENT_LOST)
		return -ECANCELED;
	names_learn(s->names, e);
	if (e->kind == EVENT_LOST)
		count_lost(s, (const struct lost *)e);
	s->bytes += e->size;
	s->taken += wanted;
	if (s->file)
		return put_file(s, e, wanted);
	if (s->tool->view)
		return put_view(s, e, wanted);
	return wanted ? put_record(s, e) : 0;
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

	if (s->tool->view && !s->file && !err)
		err = end_view(s);
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
