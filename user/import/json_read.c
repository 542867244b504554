// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Traces in JSON: an object with traceEvents, an array of events (its end may
 * be missing), or events one after the other. A broken event costs itself: the
 * next one is found by the way events begin.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "chrome.h"
#include "log.h"

/* Keys that an event begins with. */
static const char *const first_keys[] = {
	"ph", "name", "cat", "pid", "tid", "ts", "dur", "args", "id", "bp", "s", "tts", NULL
};

static long read_packed(void *ctx, void *buf, size_t n)
{
	return unpack_read(ctx, buf, n);
}

static bool is(const struct scan_text *key, const char *name)
{
	return key->n == strlen(name) && !memcmp(key->s, name, key->n);
}

static bool is_first(const struct scan_text *key)
{
	for (u32 i = 0; first_keys[i]; i++)
		if (is(key, first_keys[i]))
			return true;
	return false;
}

static void broken(struct chrome *c)
{
	c->broken_at = scan_offset(&c->scan);
	note("%s: no JSON at byte %llu", c->path, (unsigned long long)c->broken_at);
	import_odd(c->im, "event that is not JSON", "");
}

/* An item of the array of events. SCAN_END as 1: it is whole. */
static int read_item(struct chrome *c)
{
	int r;

	if (scan_peek(&c->scan) != '{') {
		r = scan_skip(&c->scan);
		if (r > 0)
			import_odd(c->im, "item that is no event", "");
		return r;
	}
	r = chrome_event(c);
	if (r == SCAN_END) {
		chrome_put(c);
		return 1;
	}
	return r;
}

/* Behind the '[' to behind the ']'. *inside: the file ended within an event. */
static int read_events(struct chrome *c, bool *inside)
{
	int r;

	*inside = false;
	while ((r = scan_item(&c->scan)) != SCAN_END) {
		if (r > 0)
			r = read_item(c);
		else
			*inside = false;
		if (r == SCAN_EARLY)
			return r;
		*inside = true;
		if (r != SCAN_BAD)
			continue;
		broken(c);
		if (!scan_resume(&c->scan, first_keys))
			return SCAN_EARLY;
	}
	return 1;
}

static int read_base_time(struct chrome *c)
{
	struct scan_text t;
	bool quoted;
	u64 ns;
	int r = scan_scalar(&c->scan, &t, &quoted);

	if (r > 0 && scan_whole(t.s, t.n, &ns))
		import_file_origin(c->im, ns);
	return r;
}

/* The value of a key of the document. */
static int read_member(struct chrome *c, const struct scan_text *key)
{
	bool inside;

	if (is(key, "traceEvents") && scan_enter(&c->scan, '[')) {
		c->trace = true;
		return read_events(c, &inside);
	}
	c->trace |= is(key, "schemaVersion") || is(key, "deviceProperties");
	if (is(key, "deviceProperties"))
		return kineto_properties(c);
	if (is(key, "distributedInfo"))
		return kineto_distributed(c);
	if (is(key, "baseTimeNanoseconds"))
		return read_base_time(c);
	return scan_skip(&c->scan);
}

/* An object at the top: a document, or an event by itself if it begins like one. */
static int read_document(struct chrome *c)
{
	struct scan_text key, copy;
	bool event = false, first = true;
	char name[256];
	int r;

	scan_enter(&c->scan, '{');
	chrome_clear(c);
	while ((r = scan_key(&c->scan, &key)) > 0) {
		copy = key;
		copy.n = key.n < sizeof(name) ? key.n : sizeof(name) - 1;
		memcpy(name, key.s, copy.n);
		copy.s = name;
		if (first)
			event = is_first(&copy);
		first = false;
		if (event && !is(&copy, "traceEvents")) {
			r = chrome_member(c, chrome_key_find(&copy));
		} else {
			import_fact(c->im, "top_level", copy.s, copy.n, 1);
			r = read_member(c, &copy);
		}
		if (r <= 0)
			return r;
	}
	if (!r && event && c->e.phase)
		chrome_put(c);
	return r < 0 ? r : 1;
}

/* Among the events of this array that are in the window. */
static void look_for_call(struct chrome *c)
{
	enum chrome_kind kind;

	while (!c->has_caller && scan_item(&c->scan) > 0) {
		if (scan_peek(&c->scan) != '{' || chrome_event(c) != SCAN_END)
			return;
		kind = c->e.category ? c->e.category->kind : CHROME_OTHER;
		if ((kind != CHROME_RUNTIME && kind != CHROME_DRIVER) || !c->e.pid.given)
			continue;
		c->caller = c->e.pid.n;
		c->has_caller = true;
	}
}

/* Which process calls the GPU, from the first events: those of other processes and of the GPU
 * may come before its own. */
static void look_ahead(struct chrome *c)
{
	struct json_scan from;
	struct scan_text key;

	scan_ahead(&c->scan);
	from = c->scan;
	c->scan.ended = true;		/* the window stays as it is */
	c->dry = true;
	if (scan_enter(&c->scan, '[')) {
		look_for_call(c);
	} else if (scan_enter(&c->scan, '{')) {
		while (scan_key(&c->scan, &key) > 0) {
			if (is(&key, "traceEvents") && scan_enter(&c->scan, '[')) {
				look_for_call(c);
				break;
			}
			if (scan_skip(&c->scan) <= 0)
				break;
		}
	}
	c->dry = false;
	c->scan = from;
}

/* What is to be said at the end: r as of the last value. 0 or reported. */
static int finish(struct chrome *c, int r)
{
	u64 at = scan_offset(&c->scan);

	if (c->scan.error && !c->events)
		return c->scan.error;
	if (c->scan.error)
		import_damage(c->im, NULL, at);
	else if (!c->events && !c->trace)
		return fail(0, r < 0 ? "cannot import %s: it is no JSON from byte %llu on" :
			    "cannot import %s: it is JSON, but no trace: %llu bytes without traceEvents",
			    c->path, (unsigned long long)(r < 0 ? c->broken_at : at));
	else if (r == SCAN_EARLY)
		import_damage(c->im, "the file ends early", at);
	return 0;
}

/* All values of the file. 0, or an error when nothing of it is JSON. */
static int read_all(struct chrome *c)
{
	bool inside = false;
	int next, r = 1;

	scan_mark(&c->scan);
	look_ahead(c);
	while ((next = scan_peek(&c->scan)) && r > 0) {
		if (next == '[') {
			scan_enter(&c->scan, '[');
			c->trace = true;
			r = read_events(c, &inside);
			if (r == SCAN_EARLY && !inside && !scan_peek(&c->scan))
				r = 1;	/* the format allows it */
		} else if (next == '{') {
			r = read_document(c);
		} else if (next == ',') {
			c->scan.p++;
		} else {
			r = SCAN_BAD;
		}
		if (r != SCAN_BAD)
			continue;
		broken(c);
		r = scan_resume(&c->scan, first_keys) ? 1 : SCAN_EARLY;
		if (r > 0)
			r = read_events(c, &inside);
	}
	return finish(c, r);
}

static void put_facts(struct chrome *c)
{
	char phase;

	for (u32 i = 0; i < 256; i++) {
		phase = i;
		if (c->phases[i])
			import_fact(c->im, "ph", i ? &phase : "None", i ? 1 : 4, c->phases[i]);
	}
	for (u32 i = 0; i < c->categories_n; i++)
		if (c->categories[i]->count)
			import_fact(c->im, "cat", c->categories[i]->name, c->categories[i]->n,
			    c->categories[i]->count);
	if (c->uncategorized)
		import_fact(c->im, "cat", "None", 4, c->uncategorized);
	import_file_counts(c->im, scan_offset(&c->scan), c->events);
}

static int read_json(struct import *im, const char *path)
{
	struct chrome *c = must_alloc(sizeof(*c));
	int err;

	err = unpack_open(&c->packed, path);
	if (err) {
		free(c);
		return err;
	}
	c->im = im;
	c->path = path;
	chrome_args_init();
	chrome_steps_init(c);
	scan_open(&c->scan, read_packed, c->packed);
	err = read_all(c);
	chrome_async_end(c);
	kineto_end(c);
	put_facts(c);
	chrome_ids_free(c);
	scan_close(&c->scan);
	unpack_close(c->packed);
	free(c);
	return err;
}

/* JSON that can be a trace; 0: it is none. */
static int probe_json(const u8 *head, size_t n)
{
	const u8 *p = head, *end = head + n;

	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	if (p == end || (*p != '{' && *p != '['))
		return 0;
	if (memmem(p, end - p, "\"traceEvents\"", 13) || memmem(p, end - p, "\"ph\"", 4))
		return 90;
	return 20;
}

static int probe_chrome(const char *path, const u8 *head, size_t n)
{
	return probe_json(head, n);
}

/* PyTorch's, by words that others do not write. */
static int probe_kineto(const char *path, const u8 *head, size_t n)
{
	static const char *const words[] = {
		"\"schemaVersion\"", "\"deviceProperties\"", "\"baseTimeNanoseconds\"",
		"\"cpu_op\"", "\"cuda_runtime\"", "\"Operator\"", "\"python_function\"",
		"\"kernel\"", "\"gpu_memcpy\"", "\"user_annotation\"",
	};
	int json = probe_json(head, n);

	for (u32 i = 0; json && i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(head, n, words[i], strlen(words[i])))
			return 95;
	return 0;
}

const struct import_format import_json = {
	.name = "kineto",
	.format = SOURCE_KINETO,
	.probe = probe_kineto,
	.read = read_json,
};

const struct import_format import_chrome = {
	.name = "chrome",
	.format = SOURCE_CHROME,
	.probe = probe_chrome,
	.read = read_json,
};
