// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One event of a Chrome trace from its text. Times are decimals of
 * microseconds, numbers or texts of numbers, and become whole nanoseconds here.
 */
#include <string.h>
#include "chrome.h"

void chrome_clear(struct chrome *c)
{
	struct chrome_event *e = &c->e;

	/* what is not cleared is valid only where args or series_n says so */
	memset(e, 0, offsetof(struct chrome_event, number));
	e->series_n = 0;
	c->texts_n = 0;
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

	if (t->cut || t->n >= CHROME_TEXTS - c->texts_n) {
		chrome_odd(c, "text too long");
		kept.s = "";
		return kept;
	}
	if (t->escaped) {
		kept.n = scan_unescape(c->texts + c->texts_n, t->s, t->n, &odd);
	} else {
		memcpy(c->texts + c->texts_n, t->s, t->n);
		kept.n = t->n;
	}
	if (odd)
		chrome_odd(c, "unknown escape in a text");
	c->texts_n += kept.n;
	c->texts[c->texts_n++] = '\0';
	return kept;
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
	int r = scan_scalar(&c->scan, &t, &quoted);

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
	int r = scan_scalar(&c->scan, &t, &quoted);

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

/* A number or text; {"local": id}; or [id, part] as in newer flows. */
static int member_id(struct chrome *c, struct chrome_id *id)
{
	struct scan_text t;
	bool quoted;
	int r, items = 0;

	if (scan_enter(&c->scan, '{')) {
		while ((r = scan_key(&c->scan, &t)) > 0)
			if ((r = member_id(c, id)) < 0)
				break;
		return r < 0 ? r : 1;
	}
	if (scan_peek(&c->scan) == '[') {
		items = scan_skip(&c->scan);
		return items;
	}
	r = scan_scalar(&c->scan, &t, &quoted);
	if (r > 0)
		chrome_id(c, id, &t, quoted);
	return r;
}

static int member_phase(struct chrome *c)
{
	struct scan_text t;
	bool quoted;
	int r = scan_scalar(&c->scan, &t, &quoted);

	if (r > 0 && quoted && t.n == 1)
		c->e.phase = *t.s;
	else if (r > 0)
		chrome_odd(c, "unknown phase");
	return r;
}

static int member_category(struct chrome *c)
{
	struct scan_text t;
	bool quoted;
	int r = scan_scalar(&c->scan, &t, &quoted);
	struct chrome_text kept;

	if (r <= 0)
		return r;
	if (t.escaped || t.cut) {
		kept = chrome_keep(c, &t);
		c->e.category = chrome_category(c, kept.s, kept.n);
	} else if (quoted || !is_word(&t, "null")) {
		c->e.category = chrome_category(c, t.s, t.n);
	}
	return r;
}

static int member_bool(struct chrome *c, bool *out)
{
	struct scan_text t;
	bool quoted;
	int r = scan_scalar(&c->scan, &t, &quoted);

	*out = r > 0 && (is_word(&t, "true") || is_word(&t, "1"));
	return r;
}

#define KEY(text) (key->n == sizeof(text) - 1 && !memcmp(key->s, text, sizeof(text) - 1))

static int member_rare(struct chrome *c, const struct scan_text *key)
{
	struct chrome_event *e = &c->e;

	if (KEY("id2"))
		return member_id(c, &e->id);
	if (KEY("bind_id"))
		return member_id(c, &e->bind);
	if (KEY("scope"))
		return member_text(c, &e->scope);
	if (KEY("flow_in"))
		return member_bool(c, &e->flow_in);
	if (KEY("flow_out"))
		return member_bool(c, &e->flow_out);
	return scan_skip(&c->scan);
}

int chrome_member(struct chrome *c, const struct scan_text *key)
{
	struct chrome_event *e = &c->e;

	switch (key->n) {
	case 2:
		if (KEY("ph"))
			return member_phase(c);
		if (KEY("ts"))
			return member_time(c, &e->has_ts, &e->ts);
		if (KEY("id"))
			return member_id(c, &e->id);
		break;
	case 3:
		if (KEY("cat"))
			return member_category(c);
		if (KEY("pid"))
			return member_id(c, &e->pid);
		if (KEY("tid"))
			return member_id(c, &e->tid);
		if (KEY("dur"))
			return member_time(c, &e->has_dur, &e->dur);
		break;
	case 4:
		if (KEY("name"))
			return member_text(c, &e->name);
		if (KEY("args"))
			return chrome_args(c);
		break;
	}
	return member_rare(c, key);
}

int chrome_event(struct chrome *c)
{
	struct scan_text key;
	int r;

	chrome_clear(c);
	scan_enter(&c->scan, '{');
	while ((r = scan_key(&c->scan, &key)) > 0)
		if ((r = chrome_member(c, &key)) <= 0)
			return r;
	return r;
}
