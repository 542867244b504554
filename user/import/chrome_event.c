// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One event of a Chrome trace from its text. Times are decimals of
 * microseconds, numbers or texts of numbers, and become whole nanoseconds here.
 */
#include <string.h>
#include "chrome.h"
#include "chrome_steps.h"
#include "json_plain.h"

void chrome_clear(struct chrome *c)
{
	struct chrome_event *e = &c->e;

	/* what is not cleared is valid only where args or series_n says so; member by member
	 * it takes a tenth of the time of a memset() */
	e->phase = 0;
	e->has_ts = e->has_dur = e->flow_in = e->flow_out = false;
	e->ts = e->dur = 0;
	e->category = NULL;
	e->name = e->scope = (struct chrome_text){};
	e->pid = e->tid = e->id = e->bind = (struct chrome_id){};
	e->args = 0;
	e->series_n = 0;
	c->texts_n = 0;
	c->context = 0;
}

void chrome_odd(struct chrome *c, const char *what)
{
	if (!c->dry)
		import_odd(c->im, what, "");
}

struct chrome_text chrome_keep(struct chrome *c, const struct scan_text *t)
{
	struct chrome_text kept = { .s = c->texts + c->texts_n };
	bool odd = false;

	if (t->cut || t->n + 16 > CHROME_TEXTS - c->texts_n) {
		chrome_odd(c, "text too long");
		kept.s = "";
		return kept;
	}
	kept.n = t->n;
	if (t->escaped)
		kept.n = scan_unescape(c->texts + c->texts_n, t->s, t->n, &odd);
	else
		bytes_copy((u8 *)c->texts + c->texts_n, (const u8 *)t->s, t->n);
	if (odd)
		chrome_odd(c, "unknown escape in a text");
	c->texts_n += kept.n;
	c->texts[c->texts_n++] = '\0';
	return kept;
}

int chrome_scalar_find(struct chrome *c, struct scan_text *t, bool *quoted)
{
	int next = scan_peek(&c->scan);

	if (next != '{' && next != '[')
		return scan_scalar(&c->scan, t, quoted);
	chrome_odd(c, "object or list in place of a value");
	*quoted = false;
	*t = (struct scan_text){ .s = "null", .n = 4 };
	return scan_skip(&c->scan);
}

static bool is_word(const struct scan_text *t, const char *word)
{
	return t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

/* A time in microseconds. */
static int member_time(struct chrome *c, bool *has, s64 *ns)
{
	struct scan_text t;
	bool quoted, inexact = false;
	int r;

	if (plain_time(&c->scan, ns)) {
		*has = true;
		return 1;
	}
	r = chrome_scalar(c, &t, &quoted);
	if (r <= 0)
		return r;
	*has = scan_scaled(t.s, t.n, 3, ns, &inexact);
	if (!*has && !is_word(&t, "null"))
		chrome_odd(c, "time that is no number");
	if (inexact)
		chrome_odd(c, "time finer than 1 ns");
	return 1;
}

static int member_text(struct chrome *c, struct chrome_text *out)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);

	if (r > 0 && (quoted || !is_word(&t, "null")))
		*out = chrome_keep(c, &t);
	return r;
}

void chrome_id(struct chrome *c, struct chrome_id *id, const struct scan_text *t, bool quoted)
{
	bool inexact = false;
	s64 whole;

	if (!quoted && is_word(t, "null"))
		return;
	*id = (struct chrome_id){ .given = true };
	if (scan_whole(t->s, t->n, &id->n))
		return;
	if (!quoted && scan_scaled(t->s, t->n, 0, &whole, &inexact)) {
		id->n = whole;		/* -1 */
		return;
	}
	id->text = chrome_keep(c, t);
	id->n = hash_bytes(id->text.s, id->text.n) | CHROME_ID_TEXT;
}

static int id_value(struct chrome *c, struct chrome_id *id)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);

	if (r > 0)
		chrome_id(c, id, &t, quoted);
	return r;
}

/* A number or text; {"local": id}; or [id, part] as in newer flows. */
static int member_id(struct chrome *c, struct chrome_id *id)
{
	struct scan_text key;
	int r;
	u64 n;

	if (plain_whole(&c->scan, &n)) {
		*id = (struct chrome_id){ .n = n, .given = true };
		return 1;
	}
	if (scan_peek(&c->scan) == '[')
		return scan_skip(&c->scan);
	if (!scan_enter(&c->scan, '{'))
		return id_value(c, id);
	while ((r = scan_key(&c->scan, &key)) > 0)
		if ((r = id_value(c, id)) < 0)
			return r;
	return r < 0 ? r : 1;
}

static int member_phase(struct chrome *c)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);

	if (r > 0 && quoted && t.n == 1)
		c->e.phase = *t.s;
	else if (r > 0)
		chrome_odd(c, "unknown phase");
	chrome_context(c);
	return r;
}

static int member_category(struct chrome *c)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);
	struct chrome_text kept;

	if (r <= 0)
		return r;
	if (t.escaped || t.cut) {
		kept = chrome_keep(c, &t);
		c->e.category = chrome_category(c, kept.s, kept.n);
	} else if (quoted || !is_word(&t, "null")) {
		c->e.category = chrome_category(c, t.s, t.n);
	}
	chrome_context(c);
	return r;
}

static int member_bool(struct chrome *c, bool *out)
{
	struct scan_text t;
	bool quoted;
	int r = chrome_scalar(c, &t, &quoted);

	*out = r > 0 && (is_word(&t, "true") || is_word(&t, "1"));
	return r;
}

/* Keys of events. */
enum { KEY_OTHER, KEY_PHASE, KEY_CATEGORY, KEY_NAME, KEY_PID, KEY_TID, KEY_TS, KEY_DUR, KEY_ID,
       KEY_ARGS, KEY_BIND, KEY_SCOPE, KEY_IN, KEY_OUT };

u8 chrome_key_find(const struct scan_text *key)
{
	static const struct { const char *name; u8 n, what; } rows[] = {
		{ "ph", 2, KEY_PHASE }, { "cat", 3, KEY_CATEGORY }, { "name", 4, KEY_NAME },
		{ "pid", 3, KEY_PID }, { "tid", 3, KEY_TID }, { "ts", 2, KEY_TS },
		{ "dur", 3, KEY_DUR }, { "id", 2, KEY_ID }, { "args", 4, KEY_ARGS },
		{ "id2", 3, KEY_ID }, { "bind_id", 7, KEY_BIND }, { "scope", 5, KEY_SCOPE },
		{ "flow_in", 7, KEY_IN }, { "flow_out", 8, KEY_OUT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (key->n == rows[i].n && !memcmp(key->s, rows[i].name, rows[i].n))
			return rows[i].what;
	return KEY_OTHER;
}

/* The value of a key. */
int chrome_member(struct chrome *c, u8 what)
{
	struct chrome_event *e = &c->e;

	switch (what) {
	case KEY_PHASE:
		return member_phase(c);
	case KEY_CATEGORY:
		return member_category(c);
	case KEY_NAME:
		return member_text(c, &e->name);
	case KEY_PID:
		return member_id(c, &e->pid);
	case KEY_TID:
		return member_id(c, &e->tid);
	case KEY_TS:
		return member_time(c, &e->has_ts, &e->ts);
	case KEY_DUR:
		return member_time(c, &e->has_dur, &e->dur);
	case KEY_ID:
		return member_id(c, &e->id);
	case KEY_ARGS:
		return chrome_args(c);
	case KEY_BIND:
		return member_id(c, &e->bind);
	case KEY_SCOPE:
		return member_text(c, &e->scope);
	case KEY_IN:
		return member_bool(c, &e->flow_in);
	case KEY_OUT:
		return member_bool(c, &e->flow_out);
	}
	return scan_skip(&c->scan);
}

int chrome_event(struct chrome *c)
{
	int r;

	chrome_clear(c);
	scan_enter(&c->scan, '{');
	c->step = &c->steps[STEP_EVENT];
	while ((r = chrome_step(c, false)) > 0)
		if ((r = chrome_member(c, c->step->what)) <= 0)
			return r;
	return r;
}
