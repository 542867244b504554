// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From the text of an option to its value, in the type of its row; see options.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "options.h"

static int out_of_range(const struct option_row *row, const char *text)
{
	return fail_usage("--%s wants a number from %llu to %llu, not \"%s\"", row->name,
			  row->min, row->most, text);
}

static int parse_unsigned(const struct option_row *row, const char *text, u64 *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	if (row->most && (*end || end == text || errno || *v < row->min || *v > row->most))
		return out_of_range(row, text);
	if (*end || end == text || strchr(text, '-') || (errno && errno != ERANGE))
		return fail_usage("--%s wants a number, not \"%s\"", row->name, text);
	if (errno == ERANGE)
		return fail_usage("--%s %s is too large", row->name, text);
	return 0;
}

static int parse_signed(const struct option_row *row, const char *text, s64 *v)
{
	char *end;

	errno = 0;
	*v = strtoll(text, &end, 0);
	if (*end || end == text || (errno && errno != ERANGE))
		return fail_usage("--%s wants a number, not \"%s\"", row->name, text);
	if (errno == ERANGE || (row->size < 8 && (*v >= 1LL << (8 * row->size - 1) ||
						  *v < -(1LL << (8 * row->size - 1)))))
		return fail_usage("--%s %s is too large", row->name, text);
	return 0;
}

static int parse_real(const struct option_row *row, const char *text, double *v)
{
	char *end;

	*v = strtod(text, &end);
	return end == text || *end || !(*v >= row->min && *v <= row->most) ?
		out_of_range(row, text) : 0;
}

static int parse_duration(const struct option_row *row, const char *text, u64 *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		{ "m", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double v = strtod(text, &end);
	bool number = end != text && v >= 0 && !strpbrk(text, "xX");

	for (size_t i = 0; number && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit) && v * units[i].ns < 9e18) {
			*ns = v * units[i].ns + 0.5;
			return 0;
		}
	return fail_usage("--%s wants a time such as 10s or 500ms, not \"%s\"", row->name,
			  text);
}

/* "4096", "64K", "8M" */
static int parse_power2(const struct option_row *row, const char *text, u64 *v)
{
	char *end;
	bool mega = row->most >= 1 << 20;

	*v = strtoull(text, &end, 0);
	if (end != text && *v <= row->most && *end && !end[1] && strchr("KMG", *end))
		*v <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30, end++;
	if (*end || end == text || *v < row->min || *v > row->most || *v & (*v - 1))
		return fail_usage("--%s wants a power of two from %llu to %llu%s, not \"%s\"",
				  row->name, row->min, mega ? row->most >> 20 : row->most,
				  mega ? "M" : "", text);
	return 0;
}

/* "500000", "1.5G" */
static int parse_size(const struct option_row *row, const char *text, u64 *v)
{
	char *end;
	double n = strtod(text, &end);
	int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

	if (end == text || strpbrk(text, "xXnN") || !(n > 0) || n > 1e15 || end[!!shift])
		return fail_usage("--%s wants a size such as 500M or 2G, not \"%s\"", row->name,
				  text);
	*v = n * (1ULL << shift) + .5;
	return 0;
}

static int wrong_word(const struct option_row *row, const char *text, int len)
{
	char list[256] = "";
	size_t n = 0;

	for (const struct enum_name *w = row->words; w->name && n < sizeof(list); w++)
		n += snprintf(list + n, sizeof(list) - n, "%s%s", w == row->words ? "" :
			      w[1].name ? ", " : " or ", w->name);
	return fail_usage("--%s wants %s, not \"%.*s\"", row->name, list, len, text);
}

static int parse_word(const struct option_row *row, const char *text, size_t len, u64 *v)
{
	for (const struct enum_name *w = row->words; w->name; w++)
		if (strlen(w->name) == len && !strncmp(w->name, text, len)) {
			*v |= w->value;
			return 0;
		}
	return wrong_word(row, text, len);
}

static int parse_words(const struct option_row *row, const char *text, u64 *v)
{
	size_t n;
	int err;

	do {
		n = strcspn(text, ",");
		err = parse_word(row, text, n, v);
		text += n + (text[n] == ',');
	} while (!err && *text);
	return err;
}

static int fits(const struct option_row *row, size_t size, u64 v, const char *text)
{
	return size < 8 && v >> 8 * size ? fail_usage("--%s %s is too large", row->name, text) :
		0;
}

static int put_list(const struct option_row *row, const char *text, char *base)
{
	u32 *count = (u32 *)(base + row->count_off);
	size_t item = row->size / row->max;
	char word[32];
	u64 v;

	while (*text) {
		size_t n = strcspn(text, ",");

		snprintf(word, sizeof(word), "%.*s", n < sizeof(word) ? (int)n : 31, text);
		if (parse_unsigned(row, word, &v) || fits(row, item, v, word))
			return -EINVAL;
		if (*count == row->max)
			return fail_usage("--%s takes at most %u numbers", row->name, row->max);
		memcpy(base + row->off + (*count)++ * item, &v, item);
		text += n + !!text[n];
	}
	return 0;
}

static int put_string(const struct option_row *row, const char *text, char *base)
{
	u32 *count = (u32 *)(base + row->count_off);

	if (*count == row->max)
		return fail_usage("--%s may be given at most %u times", row->name, row->max);
	memcpy(base + row->off + (*count)++ * sizeof(text), &text, sizeof(text));
	return 0;
}

int option_put(const struct option_row *row, const char *text, char *base)
{
	union { u64 u; s64 s; double real; const char *text; } v = { .u = 0 };
	int err = 0;

	switch (row->type) {
	case OPT_SWITCH: case OPT_VERBOSE: v.u = 1; break;
	case OPT_STORE: v.u = row->value; break;
	case OPT_STRING: v.text = text; break;
	case OPT_SIGNED: err = parse_signed(row, text, &v.s); break;
	case OPT_REAL: err = parse_real(row, text, &v.real); break;
	case OPT_DURATION_NS: err = parse_duration(row, text, &v.u); break;
	case OPT_SIZE: err = parse_size(row, text, &v.u); break;
	case OPT_POWER2: err = parse_power2(row, text, &v.u); break;
	case OPT_WORD: err = parse_word(row, text, strlen(text), &v.u); break;
	case OPT_WORDS: err = parse_words(row, text, &v.u); break;
	case OPT_LIST: return put_list(row, text, base);
	case OPT_STRINGS: return put_string(row, text, base);
	case OPT_UNSIGNED:
		err = parse_unsigned(row, text, &v.u) ? -EINVAL :
			fits(row, row->size, v.u, text);
		break;
	}
	if (!err)
		memcpy(base + row->off, &v, row->size);	/* little-endian, as all our targets
							 * are */
	return err;
}
