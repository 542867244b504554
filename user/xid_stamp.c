// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Times of log lines: dmesg (seconds since boot, -T in any language, --time-format iso, -e),
 * /dev/kmsg, syslog old and new, journalctl -o short, short-precise, -iso, -full, -unix.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "xid_stamp.h"

#define NS 1000000000ULL
#define UNTOLD_SECONDS (1ULL << 33)	/* since boot; no clock of a log says so */

static bool two(const char *p, int *v)
{
	if (!isdigit((unsigned char)p[0]) || !isdigit((unsigned char)p[1]))
		return false;
	*v = (p[0] - '0') * 10 + p[1] - '0';
	return true;
}

/* A number at p of at most `most` digits; what is behind it, NULL: none. */
static const char *number(const char *p, int most, u64 *v)
{
	const char *at = p;

	for (*v = 0; isdigit((unsigned char)*p) && p - at < most; p++)
		*v = *v * 10 + (*p - '0');
	return p == at || isdigit((unsigned char)*p) ? NULL : p;
}

/* ".123456" or ",123456", if it is there */
static const char *fraction(const char *p, u64 *ns)
{
	u64 unit = NS / 10;

	*ns = 0;
	if ((*p != '.' && *p != ',') || !isdigit((unsigned char)p[1]))
		return p;
	for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
		*ns += unit * (*p - '0');
	return p;
}

/* "HH:MM:SS" and a fraction */
static const char *clock_time(const char *p, struct tm *tm, u64 *ns)
{
	if (!two(p, &tm->tm_hour) || p[2] != ':' || !two(p + 3, &tm->tm_min) || p[5] != ':' ||
	    !two(p + 6, &tm->tm_sec) || tm->tm_hour > 23 || tm->tm_min > 59 || tm->tm_sec > 60)
		return NULL;
	return fraction(p + 8, ns);
}

/* "Z", "+00:00", "-0800", " +0100", "UTC": seconds east; false: none, p is untouched */
static bool zone(const char **p, long *east)
{
	const char *at = *p + (**p == ' ' && ((*p)[1] == '+' || (*p)[1] == '-'));
	int h, m, sign = *at == '-' ? -1 : 1;

	*east = 0;
	if (*at == 'Z' || !strncmp(at, " UTC", 4)) {
		*p = at + (*at == 'Z' ? 1 : 4);
		return true;
	}
	if ((*at != '+' && *at != '-') || !two(at + 1, &h))
		return false;
	at += at[3] == ':' ? 4 : 3;
	if (!two(at, &m))
		return false;
	*p = at + 2;
	*east = sign * (h * 3600L + m * 60L);
	return true;
}

static bool is_date(const struct tm *tm)
{
	return tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 && tm->tm_mday <= 31;
}

/* By its zone, else as local time; 0: there is no such day in that month. */
static time_t moment(struct tm tm, bool utc)
{
	int day = tm.tm_mday;
	time_t t = utc ? timegm(&tm) : mktime(&tm);

	return tm.tm_mday == day ? t : 0;
}

static u64 real(time_t t, u64 ns)
{
	return t > 0 && (u64)t < 1ULL << 33 ? t * NS + ns : 0;
}

/* "2025-01-21T02:21:33,498559+00:00", with a blank for the T, with or without a zone */
static const char *iso(const char *p, struct xid_stamp *s)
{
	struct tm tm = { .tm_isdst = -1 };
	u64 year, ns;
	long east;
	time_t t;
	bool utc;
	const char *q = number(p, 4, &year);

	if (!q || q != p + 4 || q[0] != '-' || !two(q + 1, &tm.tm_mon) || q[3] != '-' ||
	    !two(q + 4, &tm.tm_mday) || (q[6] != 'T' && q[6] != ' '))
		return NULL;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon--;
	q = is_date(&tm) ? clock_time(q + 7, &tm, &ns) : NULL;
	if (!q)
		return NULL;
	utc = zone(&q, &east);
	t = moment(tm, utc);
	s->realtime_ns = t ? real(t - east, ns) : 0;
	return q;
}

/* How months begin, where dmesg -T or syslog speaks the language of its user. Longer before
 * shorter; the first letters decide (marzo, maart: mar, maa). */
static const struct { const char *name; int month; } months[] = {
	{ "jan", 0 }, { "ene", 0 }, { "gen", 0 }, { "sty", 0 },
	{ "feb", 1 }, { "f\xc3\xa9v", 1 }, { "fev", 1 }, { "lut", 1 },
	{ "mar", 2 }, { "m\xc3\xa4r", 2 }, { "maa", 2 }, { "mrt", 2 },
	{ "apr", 3 }, { "avr", 3 }, { "abr", 3 }, { "kwi", 3 },
	{ "may", 4 }, { "mai", 4 }, { "mei", 4 }, { "mag", 4 }, { "maj", 4 },
	{ "juil", 6 }, { "jul", 6 }, { "lug", 6 }, { "lip", 6 },
	{ "jun", 5 }, { "jui", 5 }, { "giu", 5 }, { "cze", 5 },
	{ "aug", 7 }, { "ago", 7 }, { "ao\xc3\xbb", 7 }, { "sie", 7 },
	{ "sep", 8 }, { "set", 8 }, { "wrz", 8 },
	{ "oct", 9 }, { "okt", 9 }, { "ott", 9 }, { "out", 9 }, { "pa\xc5\xba", 9 },
	{ "nov", 10 }, { "lis", 10 },
	{ "dec", 11 }, { "dez", 11 }, { "d\xc3\xa9" "c", 11 }, { "dic", 11 }, { "gru", 11 },
};

/* A month as a word or as "1\u6708", and what is behind it. */
static const char *month(const char *p, int *m)
{
	u64 v;
	const char *q = number(p, 2, &v);

	if (q && v >= 1 && v <= 12 && !strncmp(q, "\xe6\x9c\x88", 3)) {
		*m = (int)v - 1;
		return q + 3;
	}
	for (size_t i = 0; i < sizeof(months) / sizeof(*months); i++)
		if (!strncasecmp(p, months[i].name, strlen(months[i].name))) {
			*m = months[i].month;
			for (; *p && *p != ' ' && !isdigit((unsigned char)*p); p++)
				;
			return p;
		}
	return NULL;
}

static const char *blanks(const char *p)
{
	for (; *p == ' '; p++)
		;
	return p;
}

/* "Jan 21 02:21:33"; dmesg -e has no seconds: "Jan21 02:21" */
static const char *month_day(const char *p, struct tm *tm, u64 *ns)
{
	u64 day;
	const char *q = month(p, &tm->tm_mon);

	q = q ? number(blanks(q), 2, &day) : NULL;
	if (!q || *q != ' ')
		return NULL;
	tm->tm_mday = (int)day;
	if (!is_date(tm))
		return NULL;
	p = clock_time(blanks(q), tm, ns);
	if (p)
		return p;
	q = blanks(q);
	*ns = 0;
	return two(q, &tm->tm_hour) && q[2] == ':' && two(q + 3, &tm->tm_min) ? q + 5 : NULL;
}

/* The latest year that has this day and in which it is not after `now` (and a day, for clocks
 * and zones). There are eight years between two leap days at most. */
static u64 without_year(struct tm tm, u64 ns, time_t now)
{
	struct tm try, here;
	time_t t;

	if (!localtime_r(&now, &here))
		return 0;
	for (int back = 0; back <= 9; back++) {
		try = tm;
		try.tm_year = here.tm_year + 1 - back;
		try.tm_isdst = -1;
		t = moment(try, false);
		if (t && t <= now + 86400)
			return real(t, ns);
	}
	return 0;
}

static const char *syslog_time(const char *p, time_t now, struct xid_stamp *s)
{
	struct tm tm = {};
	u64 ns;

	p = month_day(p, &tm, &ns);
	if (p && *p == ' ')
		s->realtime_ns = without_year(tm, ns, now);
	return p && *p == ' ' ? p : NULL;
}

/* "Tue Jan 21 02:21:33 2025" up to the bracket; the words in any language */
static bool ctime_text(const char *p, const char *end, struct xid_stamp *s)
{
	const char *clock = end;
	struct tm tm = { .tm_isdst = -1 };
	u64 year, ns;

	for (; p < end && *p != ' '; p++)	/* the day of the week */
		;
	p = month_day(blanks(p), &tm, &ns);
	clock = p ? number(blanks(p), 4, &year) : NULL;
	if (clock != end)
		return false;
	tm.tm_year = (int)year - 1900;
	s->realtime_ns = real(moment(tm, false), ns);
	return true;
}

/* "[  123.456789]", "[Tue Jan 21 02:21:33 2025]", "[Jan21 02:21]", "[   T123]",
 * "[  +0.000005]": all are stepped over, the first three tell the time. */
static const char *bracket(const char *p, time_t now, struct xid_stamp *s)
{
	const char *end = *p == '[' ? strchr(p, ']') : NULL, *q;
	struct tm tm = {};
	u64 v, ns;

	if (!end || end - p > 48)
		return NULL;
	p = blanks(p + 1);
	q = number(p, 12, &v);
	if (q && *q == '.') {
		q = fraction(q, &ns);
		if (*blanks(q) == ']' || *blanks(q) == '<')
			s->boot_ns = v < UNTOLD_SECONDS ? v * NS + ns : 0;
	} else if (iso(p, s) || ctime_text(p, end, s)) {
		return end + 1;
	} else if (month_day(p, &tm, &ns) == end) {
		s->realtime_ns = without_year(tm, ns, now);
	}
	return end + 1;
}

/* "6,3964,206764307,-;" of /dev/kmsg: facility and level, number, us since boot */
static const char *kmsg(const char *p, struct xid_stamp *s)
{
	u64 prio, seq, us;
	const char *q = number(p, 4, &prio);

	q = q && *q == ',' ? number(q + 1, 19, &seq) : NULL;
	q = q && *q == ',' ? number(q + 1, 15, &us) : NULL;
	if (!q || (*q != ',' && *q != ';'))
		return NULL;
	for (; *q && *q != ';'; q++)
		;
	if (!*q)
		return NULL;
	s->boot_ns = us * 1000;
	s->written = prio >> 3;
	return q + 1;
}

/* "<4>" */
static const char *priority(const char *p, struct xid_stamp *s)
{
	u64 prio;
	const char *q = *p == '<' ? number(p + 1, 3, &prio) : NULL;

	if (!q || *q != '>')
		return NULL;
	s->written = prio >> 3;
	return q + 1;
}

/* "kern  :warn  : " of dmesg -x */
static const char *facility(const char *p, struct xid_stamp *s)
{
	static const char *const levels[] = { "emerg", "alert", "crit", "err", "warn", "notice",
					      "info", "debug" };
	const char *q = p;

	for (; islower((unsigned char)*q) || isdigit((unsigned char)*q); q++)
		;
	q = q > p ? blanks(q) : q;
	for (size_t i = 0; *q == ':' && q > p && i < sizeof(levels) / sizeof(*levels); i++) {
		size_t n = strlen(levels[i]);

		if (strncmp(q + 1, levels[i], n) || *blanks(q + 1 + n) != ':')
			continue;
		s->written = strncmp(p, "kern", 4);
		return blanks(q + 1 + n) + 1;
	}
	return NULL;
}

/* "1737426093.498559 " of journalctl -o short-unix */
static const char *unix_time(const char *p, struct xid_stamp *s)
{
	u64 sec, ns;
	const char *q = number(p, 10, &sec);

	if (!q || q - p != 10 || *q != '.')
		return NULL;
	q = fraction(q, &ns);
	if (*q != ' ')
		return NULL;
	s->realtime_ns = real((time_t)sec, ns);
	return q;
}

/* journalctl -o json keeps the time in a member of its own, in microseconds. */
static void journal_json(const char *line, struct xid_stamp *s)
{
	static const char key[] = "\"__REALTIME_TIMESTAMP\"";
	const char *p = *line == '{' ? strstr(line, key) : NULL;
	u64 us;

	if (p)
		p += sizeof(key) - 1;
	if (p && number(p + strspn(p, " :\""), 18, &us))
		s->realtime_ns = real((time_t)(us / 1000000), us % 1000000 * 1000);
}

static const char *one_stamp(const char *p, time_t now, struct xid_stamp *s)
{
	const char *q = bracket(p, now, s);

	q = q ? q : iso(p, s);
	q = q ? q : kmsg(p, s);
	q = q ? q : priority(p, s);
	q = q ? q : facility(p, s);
	q = q ? q : unix_time(p, s);
	q = q ? q : syslog_time(p, now, s);
	if (q || !isalpha((unsigned char)p[0]) || !p[1] || !p[2] || p[3] != ' ')
		return q;
	return iso(p + 4, s);	/* journalctl -o short-full: "Tue 2025-01-21 02:21:33 UTC" */
}

const char *xid_stamp(const char *line, time_t now, struct xid_stamp *s)
{
	const char *p = blanks(line), *q;

	*s = (struct xid_stamp){};
	for (int i = 0; i < 6 && (q = one_stamp(p, now, s)); i++)
		p = blanks(q);
	journal_json(p, s);
	return p;
}
