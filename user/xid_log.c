// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of a log to records; see xid_log.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "xid_host.h"
#include "xid_log.h"
#include "xid_scan.h"
#include "xid_stamp.h"

#define REPEATED_MAX 100000	/* syslog's "message repeated N times", believed so far */

struct seen {			/* an occurrence of which several files may tell */
	u32 file;		/* the last that did */
	u32 times;		/* in that file */
	u32 told;		/* records made */
};

struct xid_log {
	int (*put)(void *ctx, const struct xid *x);
	void *ctx;
	u64 ids;
	u32 file;		/* number of the present one */
	u8 source;
	bool many;		/* files to come that may tell of the same */
	bool waits;		/* last holds an SXid whose details may follow */
	time_t written;
	struct xid_record last;
	struct xid_stamp stamp;
	struct hash seen;	/* hash of time and text -> struct seen */
	struct arena arena;
	size_t wrapped;		/* bytes in carry: a line that broke off in the middle */
	char carry[2 * XID_TEXT_MAX];
};

struct xid_log *xid_log_new(u8 source, bool many, int (*put)(void *ctx, const struct xid *x),
			    void *ctx)
{
	struct xid_log *l = must_alloc(sizeof(*l));

	l->source = source;
	l->many = many;
	l->put = put;
	l->ctx = ctx;
	l->written = time(NULL);
	return l;
}

void xid_log_free(struct xid_log *l)
{
	if (!l)
		return;
	hash_free(&l->seen);
	arena_free(&l->arena);
	free(l);
}

/* ---- a record ---- */

static size_t trimmed(const char *text, size_t n)
{
	while (n && (isspace((unsigned char)text[n - 1]) || text[n - 1] == '\\'))
		n--;
	return n;
}

static void set_text(struct xid_record *r, const char *text, size_t n)
{
	size_t room;

	n = n < sizeof(r->text) - 1 ? n : sizeof(r->text) - 1;
	room = (n + 8) & ~7UL;	/* the tail is padded with NULs, one at least */
	memcpy(r->text, text, n);
	memset(r->text + n, 0, room - n);
	r->x.e.size = sizeof(r->x) + room;
}

void xid_fill(struct xid_record *r, const struct xid_scan *s, const char *text, size_t n)
{
	u32 from = s->message < n ? s->message : n;

	r->x = (struct xid){
		.e = { .pid = s->pid, .kind = EVENT_XID, .cpu = CPU_UNKNOWN },
		.code = s->code, .nvswitch = s->nvswitch, .fatal = s->fatal,
		.simulated = s->simulated ? XID_SIMULATED : 0,
		.owner = s->pid ? XID_OWNER_DRIVER : 0,
		.gpu_instance = s->instance[0], .compute_instance = s->instance[1],
		.lines = 1,
	};
	memcpy(r->x.comm, s->name, COMM_LEN);
	xid_scan_place(&r->x, s);
	set_text(r, text + from, trimmed(text + from, n - from));
}

/* ---- each occurrence once ---- */

static u64 seen_key(const struct xid_record *r)
{
	u64 h = hash_bytes(r->text, strlen(r->text));

	h = hash_mix(h ^ r->x.realtime_ns) ^ hash_mix(r->x.e.ts + 1);
	return hash_mix(h ^ r->x.code ^ (u64)r->x.pci_bus << 32 ^ (u64)r->x.e.pid << 40) | 1;
}

/* The same line twice in one file is two occurrences; in a second file those same two. */
static bool told_before(struct xid_log *l, const struct xid_record *r)
{
	struct seen *s = hash_get(&l->seen, seen_key(r));

	if (!s) {
		s = arena_alloc(&l->arena, sizeof(*s));
		*s = (struct seen){ .file = l->file };
		hash_put(&l->seen, seen_key(r), s);
	}
	if (s->file != l->file)
		s->times = 0;
	s->file = l->file;
	if (++s->times <= s->told)
		return true;
	s->told++;
	return false;
}

static int tell(struct xid_log *l, struct xid_record *r)
{
	if (l->many && told_before(l, r))
		return 0;
	r->x.id = ++l->ids;
	return l->put(l->ctx, &r->x);
}

/* What waited for its details is told. */
static int last_out(struct xid_log *l)
{
	bool waited = l->waits;

	l->waits = false;
	return waited ? tell(l, &l->last) : 0;
}

/* "Severity 0 Engine instance 32 ..." and "Data {...}" behind the SXid they belong to */
static bool add_detail(struct xid_log *l, const struct xid_record *r)
{
	struct xid *x = &l->last.x;
	char text[2 * XID_TEXT_MAX];
	int n;

	if (!l->waits || x->code != r->x.code || x->pci_domain != r->x.pci_domain ||
	    x->pci_bus != r->x.pci_bus || x->pci_device != r->x.pci_device)
		return false;
	n = snprintf(text, sizeof(text), "%s | %s", l->last.text, r->text);
	set_text(&l->last, text, n);
	x->lines++;
	return true;
}

static int found(struct xid_log *l, const struct xid_scan *s, const char *text, size_t n,
		 u32 times)
{
	struct xid_record r;
	int err;

	xid_fill(&r, s, text, n);
	r.x.e.ts = l->stamp.boot_ns;
	r.x.realtime_ns = l->stamp.realtime_ns;
	r.x.source = l->source;
	if (l->stamp.written)
		r.x.simulated = XID_WRITTEN;
	if (s->detail && add_detail(l, &r))
		return 0;
	err = last_out(l);
	if (s->nvswitch && !err) {
		l->last = r;
		l->waits = true;
		return 0;
	}
	for (; times && !err; times--)
		err = tell(l, &r);
	return err;
}

/* ---- lines ---- */

static const char *const tags[] = { "NVRM:", "nvidia-nvswitch", "nvidia_dev_xid:",
				    "nvswitch_dev_sxid:" };

/* Where the driver begins to speak whose "Xid" is at `xid`; NULL: it is not the driver's. */
static const char *tag_of(const char *line, const char *xid)
{
	const char *p = xid - (xid > line && xid[-1] == 'S');

	for (; p > line && p[-1] == ' '; p--)
		;
	for (; p > line && p[-1] != ' ' && xid - p < 32; p--)
		for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
			if (!strncmp(p - 1, tags[i], strlen(tags[i])) &&
			    memchr(p - 1, ':', xid - p))
				return p - 1;
	return NULL;
}

/* The word [p, end) is "name:" or "name[123]:" of a program that is not the kernel's voice. */
static bool other_speaker(const char *p, const char *end)
{
	const char *at = p;

	if (end - p < 2 || end[-1] != ':' || !isalpha((unsigned char)*p))
		return false;
	if (memmem(p, end - p, "kern", 4) || memmem(p, end - p, "klogd", 5))
		return false;
	for (; at < end - 1; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-_./[]()@", *at))
			return false;
	return true;
}

/* journalctl -o json: the kernel's own message, not a program's about it */
static bool journal_json(const char *text, const char *tag)
{
	static const char by[] = "\"SYSLOG_IDENTIFIER\"";
	const char *p = strstr(text, by);

	if (!memmem(text, tag - text, "\"MESSAGE\"", 9))
		return false;
	if (!p)
		return true;
	p += sizeof(by) - 1;
	return !strncmp(p + strspn(p, " :\""), "kernel\"", 7);
}

/* Is what the driver says at `tag` quoted by another: in quotes, or behind its name? */
static bool quoted(const char *text, const char *tag)
{
	const char *p = text, *end;

	if (tag > text && strchr("\"'`", tag[-1]))
		return !journal_json(text, tag);
	for (int word = 0; p < tag && word < 2; word++, p = end) {
		for (; p < tag && *p == ' '; p++)
			;
		for (end = p; end < tag && *end != ' '; end++)
			;
		if (other_speaker(p, end))
			return true;
	}
	for (end = tag; end > text && end[-1] == ' '; end--)
		;
	for (p = end; p > text && p[-1] != ' '; p--)
		;
	return other_speaker(p, end) || memmem(p, end - p, ".go:", 4);
}

/* syslog's "message repeated 3 times: [ NVRM: ...]" */
static u32 repeated(const char *text, const char *tag)
{
	static const char words[] = "message repeated ";
	const char *p = memmem(text, tag - text, words, sizeof(words) - 1);
	unsigned long n = p ? strtoul(p + sizeof(words) - 1, NULL, 10) : 1;

	return !n ? 1 : n < REPEATED_MAX ? n : REPEATED_MAX;
}

static void carry_over(struct xid_log *l, const char *text, size_t n)
{
	l->wrapped = n < sizeof(l->carry) / 2 ? n : 0;
	memcpy(l->carry, text, l->wrapped);
}

/* What the driver says at `tag`, up to `end`. */
static int speech(struct xid_log *l, const char *text, const char *tag, const char *end,
		  bool may_wrap, u32 times)
{
	struct xid_scan s;

	xid_scan_begin(&s);
	for (const char *p = tag; p < end; p++)
		xid_scan_step(&s, *p);
	if (may_wrap && !*end && s.state != SCAN_DONE && s.state != SCAN_WORD) {
		carry_over(l, tag, end - tag);
		if (l->wrapped)
			return 0;
	}
	xid_scan_end(&s);
	if (!s.found)
		return 0;
	if (times > 1 && end > tag && end[-1] == ']')
		end--;
	if (tag > text && tag[-1] == '"')
		end = memchr(tag, '"', end - tag) ?: end;
	return found(l, &s, tag, end - tag, times);
}

static int speeches(struct xid_log *l, const char *text, size_t n, bool may_wrap)
{
	const char *xid = text, *tag = NULL, *next;
	u32 times = 1;		/* of the whole line */
	int err = 0;

	while (!err && (xid = strstr(xid, "Xid"))) {
		next = tag_of(tag ? tag + 1 : text, xid);
		xid += 3;
		if (!next || (!tag && quoted(text, next)))
			continue;
		if (tag)
			err = speech(l, text, tag, next, false, times);
		else
			times = repeated(text, next);
		tag = next;
	}
	return tag && !err ? speech(l, text, tag, text + n, may_wrap, times) : err;
}

/* The line that broke off, with `text` behind it (a wrapped line has no stamp of its own), or
 * alone. */
static int unwrap(struct xid_log *l, const char *text, size_t n, bool join)
{
	char whole[sizeof(l->carry)];
	size_t room = sizeof(whole) - 1 - l->wrapped;

	memcpy(whole, l->carry, l->wrapped);
	n = !join ? 0 : n < room ? n : room;
	memcpy(whole + l->wrapped, text, n);
	n += l->wrapped;
	whole[n] = '\0';
	l->wrapped = 0;
	return speeches(l, whole, n, false);
}

int xid_log_line(struct xid_log *l, char *text, size_t n, bool more)
{
	const char *behind;
	struct xid_stamp stamp;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	n = trimmed(text, n);
	text[n] = '\0';
	stamp = l->stamp;
	behind = more ? text : xid_stamp(text, l->written, &stamp);
	if (l->wrapped) {
		bool join = behind == text && !tag_of(text, text + 6);

		err = unwrap(l, text, n, join);
		if (join || err)
			return err;
	}
	l->stamp = stamp;
	xid_learn_uuid(behind);
	if (!strstr(behind, "Xid"))
		return err;
	return speeches(l, behind, n - (behind - text), true);
}

int xid_log_flush(struct xid_log *l)
{
	int err = l->wrapped ? unwrap(l, "", 0, false) : 0;

	return err ? err : last_out(l);
}

void xid_log_next(struct xid_log *l, time_t written)
{
	l->file++;
	l->written = written;
	l->stamp = (struct xid_stamp){};
}
