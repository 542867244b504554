// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rows to getopt. The tool's rows and the common ones are one list; a row knows
 * where its value goes, so no tool parses anything. Defaults of constants stand
 * in the BPF source: .rodata already holds them.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "outfile.h"
#include "tool_run.h"

#define MAX_OPTIONS 64
#define KEY_FIRST 256		/* of options without a letter */

#define COMMON(member, key, name, arg, type, live, help)			\
	{ name, arg, help, key, type, live, offsetof(struct settings, member),	\
	  sizeof(((struct settings *)0)->member), 0, 0 }

static const struct option_row common[] = {
	COMMON(pid, 'p', "pid", "PID", OPT_UNSIGNED, 0, "only this process"),
	COMMON(tid, 't', "tid", "TID", OPT_UNSIGNED, 0, "only this thread"),
	COMMON(duration_ns, 'd', "duration", "TIME", OPT_DURATION_NS, 1, "stop after TIME (10s, 500ms)"),
	COMMON(count, 'n', "count", "N", OPT_UNSIGNED, 0, "stop after N records"),
	COMMON(input, 'i', "input", "FILE", OPT_STRING, 0, "read a recording instead of tracing (- is stdin)"),
	COMMON(output, 'o', "output", "FILE", OPT_STRING, 0, "record to FILE instead of printing (- is stdout)"),
	COMMON(json, 'j', "json", NULL, OPT_SWITCH, 0, "one JSON object a line"),
	COMMON(lib, 0, "lib", "PATH", OPT_STRING, 1, "probe this library file"),
	COMMON(cost, 0, "cost", NULL, OPT_SWITCH, 1, "say at the end what the tracing cost"),
	COMMON(verbose, 'v', "verbose", NULL, OPT_SWITCH, 0, "say what is attached and what is not, and why"),
	{}
};
static const struct option_row rows_only[] = {
	COMMON(interval_ns, 'I', "interval", "TIME", OPT_DURATION_NS, 1, "between sums (default 1s)"),
	{}
};
static const struct option_row talk[] = {
	{ "help", NULL, "this text", 'h', OPT_SWITCH },
	{ "version", NULL, "the version", 0, OPT_SWITCH },
	{}
};

/* ---- help ---- */

static void help_rows(const struct option_row *row)
{
	char text[64];

	for (; row && row->name; row++) {
		snprintf(text, sizeof(text), "--%s%s%s", row->name, row->arg ? " " : "",
			 row->arg ? row->arg : "");
		if (row->key)
			printf("  -%c, %-22s %s\n", row->key, text, row->help);
		else
			printf("      %-22s %s\n", text, row->help);
	}
}

static void help(const struct tool *tool)
{
	printf("%s - %s\n\nusage: %s [OPTION...]\n\n", tool->name, tool->about, tool->name);
	help_rows(tool->options);
	if (tool->rows)
		help_rows(rows_only);
	help_rows(common);
	help_rows(talk);
	printf("\ncolumns:");
	for (const struct column *c = tool->columns; c->head; c++)
		printf(" %s", c->key);
	printf("\n\nexamples:\n%s", tool->examples);
}

/* ---- values ---- */

static int parse_unsigned(const struct option_row *row, const char *text, u64 *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
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

int duration_parse(const char *text, u64 *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		{ "m", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double v = strtod(text, &end);

	if (end == text || !(v >= 0) || strpbrk(text, "xX"))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].unit) && v * units[i].ns < 9e18) {
			*ns = v * units[i].ns + 0.5;
			return 0;
		}
	return -EINVAL;
}

static int fits(const struct option_row *row, size_t size, u64 v, const char *text)
{
	return size < 8 && v >> 8 * size ? fail_usage("--%s %s is too large", row->name, text) : 0;
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

static int put_value(const struct option_row *row, const char *text, char *base)
{
	u64 v = 1;
	int err = 0;

	switch (row->type) {
	case OPT_UNSIGNED:
		err = parse_unsigned(row, text, &v) ? -EINVAL : fits(row, row->size, v, text);
		break;
	case OPT_SIGNED:
		err = parse_signed(row, text, (s64 *)&v);
		break;
	case OPT_DURATION_NS:
		if (duration_parse(text, &v))
			err = fail_usage("--%s wants a time such as 10s or 500ms, not \"%s\"",
					 row->name, text);
		break;
	case OPT_STRING:
		memcpy(base + row->off, &text, sizeof(text));
		return 0;
	case OPT_LIST:
		return put_list(row, text, base);
	}
	if (!err)
		memcpy(base + row->off, &v, row->size);	/* little-endian, as all our targets are */
	return err;
}

/* ---- the command line ---- */

struct parser {
	const struct option_row *row[MAX_OPTIONS];
	char *base[MAX_OPTIONS];	/* what the row's offset counts from */
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2];
	int count;
};

/* base NULL: the row says itself whether it is a constant or a setting of the tool. */
static void add_rows(struct parser *p, const struct option_row *row, char *base, char *rodata,
		     char *own)
{
	char *s = p->shorts + strlen(p->shorts);

	for (; row && row->name && p->count < MAX_OPTIONS; row++) {
		int i = p->count++;

		p->row[i] = row;
		p->base[i] = base ? base : row->live ? rodata : own;
		p->longs[i] = (struct option){ row->name, !!row->arg, NULL, KEY_FIRST + i };
		if (row->key) {
			*s++ = row->key;
			if (row->arg)
				*s++ = ':';
		}
	}
	*s = '\0';
}

static int find_key(const struct parser *p, int key)
{
	if (key >= KEY_FIRST)
		return key - KEY_FIRST;
	for (int i = 0; i < p->count; i++)
		if (p->row[i]->key == key)
			return i;
	return -1;
}

static int bad_option(const struct parser *p, int key, char **argv)
{
	int i = key == ':' ? find_key(p, optopt) : -1;

	if (i >= 0)
		return fail_usage("--%s wants %s", p->row[i]->name, p->row[i]->arg);
	if (optopt && optopt < KEY_FIRST)
		return fail_usage("unknown option \"-%c\" (--help lists them)", optopt);
	return fail_usage("unknown option \"%s\" (--help lists them)", argv[optind - 1]);
}

static int check(const struct settings *set, int argc, char **argv)
{
	if (optind < argc)
		return fail_usage("unexpected argument \"%s\"", argv[optind]);
	if (set->input && set->live)
		return fail_usage("--%s acts in the probes: it means nothing with --input", set->live);
	if (set->json && set->output)
		return fail_usage("--json prints and --output records: choose one");
	if (set->input)
		return outfile_distinct(set->output, set->input);
	return 0;
}

static int one_option(struct parser *p, int key, const struct tool *tool, char **argv,
		      struct settings *set)
{
	int i = key == '?' || key == ':' ? -1 : find_key(p, key);
	const struct option_row *row = i < 0 ? NULL : p->row[i];

	if (!row)
		return bad_option(p, key, argv);
	if (row == &talk[0] || row == &talk[1]) {
		set->done = true;
		if (row == &talk[0])
			help(tool);
		else
			printf("%s (gpuscope) %s\n", tool->name, GPUSCOPE_VERSION);
		return 0;
	}
	if (row->live)
		set->live = row->name;
	return put_value(row, optarg, p->base[i]);
}

int options_parse(const struct tool *tool, int argc, char **argv, void *rodata,
		  struct settings *set)
{
	struct parser p = { .shorts = ":" };
	int key, err = 0;

	add_rows(&p, tool->options, NULL, rodata, tool->settings);
	if (tool->rows)
		add_rows(&p, rows_only, (char *)set, NULL, NULL);
	add_rows(&p, common, (char *)set, NULL, NULL);
	add_rows(&p, talk, (char *)set, NULL, NULL);
	opterr = 0;
	while (!err && !set->done && (key = getopt_long(argc, argv, p.shorts, p.longs, NULL)) != -1)
		err = one_option(&p, key, tool, argv, set);
	return err || set->done ? err : check(set, argc, argv);
}
