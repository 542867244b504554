// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The JSON scanner by itself, in pieces as small as wanted.
 *
 *   jsontest [-c BYTES] [-g] FILE     all values again, in one form; BYTES a read
 *            -g                     by the quick functions where they can, keys by known gaps
 *   jsontest [-c BYTES] -k KEY FILE   items of the array under KEY, going on behind bad ones
 *   jsontest -n SHIFT                 numbers on stdin, a line each: scaled and as decimals
 *   jsontest -b FILE                  all stepped over: bytes and CPU time in us
 *   jsontest -m FILE                  the same for reading and memchr() alone
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "arena.h"
#include "json_plain.h"
#include "json_scan.h"

static size_t chunk = 1 << 20;
static bool quick;

static long read_some(void *ctx, void *buf, size_t n)
{
	return read(*(int *)ctx, buf, n < chunk ? n : chunk);
}

static int failed(struct json_scan *s, int r)
{
	printf("\n%s at byte %llu\n", r == SCAN_EARLY ? "the file ends" : "bad",
	       (unsigned long long)scan_offset(s));
	return r;
}

static void put_string(const struct scan_text *t)
{
	char *text = must_alloc(t->n + 1);
	bool odd = false;
	u32 n = scan_unescape(text, t->s, t->n, &odd);

	putchar('"');
	for (u32 i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			putchar('\\');
		putchar(text[i]);
	}
	putchar('"');
	fputs(odd ? "!" : t->cut ? "~" : "", stdout);
	free(text);
}

/* A gap that was seen before and stands here: SCAN_END or 1, else SCAN_BAD. */
static int known_gap(struct json_scan *s, struct scan_text *key, struct scan_gap *gaps, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct scan_gap *g = &gaps[i];

		if (!plain_gap(s, g))
			continue;
		*key = (struct scan_text){ (const char *)g->text + g->key, g->key_n };
		return g->end ? SCAN_END : 1;
	}
	return SCAN_BAD;
}

static int next_key(struct json_scan *s, struct scan_text *key)
{
	static struct scan_gap gaps[512];
	static u32 n;
	int r;

	if (!quick)
		return scan_key(s, key);
	r = known_gap(s, key, gaps, n);
	if (r != SCAN_BAD)
		return r;
	r = scan_key_gap(s, key, &gaps[n]);
	n += r >= 0 && gaps[n].n && n < 511;
	return r;
}

static int put_value(struct json_scan *s);

static int put_members(struct json_scan *s)
{
	const char *comma = "";
	struct scan_text key;
	int r;

	putchar('{');
	while ((r = next_key(s, &key)) > 0) {
		fputs(comma, stdout);
		put_string(&key);
		putchar(':');
		comma = ",";
		r = put_value(s);
		if (r < 0)
			return r;
	}
	if (!r)
		putchar('}');
	return r;
}

static int put_value(struct json_scan *s)
{
	const char *comma = "";
	struct scan_text t;
	u64 whole;
	int r;

	if (quick && plain_whole(s, &whole)) {
		printf("%llu", (unsigned long long)whole);
		return 1;
	}
	if (quick && plain_text(s, &t)) {
		put_string(&t);
		return 1;
	}
	if (scan_enter(s, '{'))
		return put_members(s);
	if (scan_enter(s, '[')) {
		putchar('[');
		while ((r = scan_item(s)) > 0) {
			fputs(comma, stdout);
			comma = ",";
			r = put_value(s);
			if (r < 0)
				return r;
		}
		if (!r)
			putchar(']');
		return r;
	}
	if (scan_peek(s) == '"') {
		r = scan_string(s, &t);
		if (r > 0)
			put_string(&t);
		return r;
	}
	r = scan_word(s, &t);
	if (r > 0)
		printf("%.*s", t.n, t.s);
	return r;
}

/* Each item on a line; what is bad is said and stepped over. */
static int put_items(struct json_scan *s, const char *wanted)
{
	static const char *const first[] = { "ph", "name", NULL };
	struct scan_text key;
	int r;

	if (!scan_enter(s, '{'))
		return failed(s, SCAN_BAD);
	while ((r = scan_key(s, &key)) > 0) {
		if (key.n != strlen(wanted) || memcmp(key.s, wanted, key.n)) {
			r = scan_skip(s);
		} else if (scan_enter(s, '[')) {
			while ((r = scan_item(s)) > 0) {
				r = put_value(s);
				if (r == SCAN_BAD && failed(s, r) && scan_resume(s, first))
					continue;
				if (r < 0)
					break;
				putchar('\n');
			}
		}
		if (r < 0)
			break;
	}
	return r < 0 ? failed(s, r) : 0;
}

/* Whether the quick functions, where they take the line, read the same as the others. */
static bool same_quick(const char *line, u32 n, const s64 *ns)
{
	struct json_scan from = { .p = (const u8 *)line, .end = (const u8 *)line + n };
	struct json_scan s = from;
	u64 whole, want;
	s64 quick_ns;

	if (plain_whole(&s, &whole) && s.p == s.end &&
	    (!scan_whole(line, n, &want) || whole != want))
		return false;
	s = from;
	return !plain_time(&s, &quick_ns) || s.p != s.end || (ns && quick_ns == *ns);
}

static int put_numbers(int shift)
{
	char line[4096] = "";
	s64 scaled, value;
	s32 exponent;

	while (fgets(line, sizeof(line), stdin)) {
		bool lost = false, lost2 = false;
		u32 n = strcspn(line, "\n");
		bool fits = scan_scaled(line, n, shift, &scaled, &lost);
		bool number = scan_decimal(line, n, &value, &exponent, &lost2);

		if (!same_quick(line, n, fits && !lost ? &scaled : NULL))
			printf("not read alike: ");
		printf("%d %lld %d %d %lld %d %d\n", fits, (long long)scaled, lost, number,
		       (long long)value, exponent, lost2);
	}
	return 0;
}

static void put_time(u64 bytes)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("%llu %ld\n", (unsigned long long)bytes,
	       (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
	       u.ru_stime.tv_usec);
}

static int step_over(struct json_scan *s)
{
	int r = 1;

	while (r > 0 && scan_peek(s))
		r = scan_skip(s);
	put_time(scan_offset(s));
	return r < 0 ? failed(s, r) : 0;
}

static int only_read(int fd)
{
	char *buf = must_alloc(SCAN_WINDOW);
	u64 bytes = 0, found = 0;
	ssize_t n;

	while ((n = read(fd, buf, SCAN_WINDOW)) > 0) {
		bytes += n;
		found += memchr(buf, 1, n) != NULL;
	}
	put_time(bytes);
	free(buf);
	return n < 0 || found ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *key = NULL;
	struct json_scan s;
	bool bench = false, only = false;
	int fd, r = 0, c;

	while ((c = getopt(argc, argv, "c:k:n:bmg")) > 0) {
		if (c == 'n')
			return put_numbers(atoi(optarg));
		if (c == 'c')
			chunk = atoi(optarg);
		if (c == 'k')
			key = optarg;
		bench |= c == 'b';
		quick |= c == 'g';
		only |= c == 'm';
	}
	fd = argv[optind] ? open(argv[optind], O_RDONLY) : -1;
	if (fd < 0)
		err(2, "cannot open %s", argv[optind]);
	if (only)
		return only_read(fd);
	scan_open(&s, read_some, &fd);
	if (bench) {
		r = step_over(&s);
	} else if (key) {
		r = put_items(&s, key);
	} else {
		while (!r && scan_peek(&s)) {
			r = put_value(&s);
			r = r < 0 ? failed(&s, r) : 0;
			if (!r)
				putchar('\n');
		}
	}
	scan_close(&s);
	return r < 0;
}
