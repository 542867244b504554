// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows to getopt, and to the help; see options.h. The rows of all groups are one list. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "log.h"
#include "options.h"
#include "out.h"

#define MAX_OPTIONS 64
#define KEY_FIRST 256		/* of options without a letter */
#define HELP_COLUMN 29

static const struct option_row talk[] = {
	{ "help", NULL, "this text", 'h', OPT_SWITCH },
	{ "version", NULL, "the version", 0, OPT_SWITCH },
	{}
};

/* ---- help ---- */

static void help_rows(const struct option_row *row)
{
	for (; row->name; row++) {
		const char *line = row->help;
		int at = printf(row->key ? "  -%c, " : "      ", row->key);

		at += printf("--%s%s%s", row->name, row->arg ? " " : "",
			     row->arg ? row->arg : "");
		for (;;) {
			int n = strcspn(line, "\n");

			printf("%*s%.*s\n", at < HELP_COLUMN ? HELP_COLUMN - at : 1, "", n,
			       line);
			if (!line[n])
				break;
			line += n + 1;
			at = 0;
		}
	}
}

static void help(const struct program *c)
{
	printf("%s - %s\n\nusage: %s %s\n\n", c->name, c->about, c->name, c->usage);
	for (const struct option_group *g = c->groups; g->rows; g++)
		help_rows(g->rows);
	help_rows(talk);
	if (c->notes)
		printf("\n%s", c->notes);
	printf("\nexamples:\n%s", c->examples);
}

/* ---- the command line ---- */

struct parser {
	const struct option_row *row[MAX_OPTIONS];
	char *base[MAX_OPTIONS];	/* what the row's offset counts from */
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 3];
	int count;
};

static void add_rows(struct parser *p, const struct option_group *g)
{
	char *s = p->shorts + strlen(p->shorts);

	for (const struct option_row *row = g->rows; row->name &&
	     p->count < MAX_OPTIONS; row++) {
		int i = p->count++;

		p->row[i] = row;
		p->base[i] = row->live == 1 && g->rodata ? g->rodata : g->values;
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
	int i = find_key(p, optopt);

	if (key == ':' && i >= 0)
		return fail_usage("--%s wants %s", p->row[i]->name, p->row[i]->arg);
	if (optopt >= KEY_FIRST)
		return fail_usage("--%s takes no value", p->row[i]->name);
	if (optopt)
		return fail_usage("unknown option \"-%c\" (--help lists them)", optopt);
	return fail_usage("unknown option \"%s\" (--help lists them)", argv[optind - 1]);
}

/* Negative: go on; else the exit code. */
static int one_option(const struct parser *p, int key, const struct program *c, char **argv)
{
	int i = key == '?' || key == ':' ? -1 : find_key(p, key);
	const struct option_row *row = i < 0 ? NULL : p->row[i];

	if (!row)
		return bad_option(p, key, argv) ? 2 : -1;
	if (row == &talk[0] || row == &talk[1]) {
		signal(SIGPIPE, SIG_IGN);
		if (row == &talk[0])
			help(c);
		else
			printf("%s (gpuscope) %s\n", c->name, GPUSCOPE_VERSION);
		return out_finish(stdout, "the output") ? 1 : 0;
	}
	if (row->type == OPT_VERBOSE)
		log_init(c->name, true);
	if (row->live && c->live)
		*c->live = row->name;
	return option_put(row, optarg, p->base[i]) ? 2 : -1;
}

/* The words that are no options. 0 or a reported usage error. */
static int words(const struct program *c, char **argv)
{
	const struct option_row *row = c->operand;
	char *base = c->groups[0].values;
	const char *given = NULL;

	if (c->command) {
		*c->command = argv;
		return 0;
	}
	if (row) {
		memcpy(&given, base + row->off, sizeof(given));
		while (*argv && (!given || row->type == OPT_STRINGS))
			if (option_put(row, given = *argv++, base))
				return -EINVAL;
	}
	if (*argv)
		return fail_usage("unexpected argument \"%s\"", *argv);
	return row && !given && c->missing ? fail_usage("%s", c->missing) : 0;
}

int program_options(const struct program *c, int argc, char **argv)
{
	struct parser p = { .shorts = "+:" };
	int key, code = -1;

	log_init(c->name, false);
	if (!c->command)
		signal(SIGPIPE, SIG_IGN);
	for (const struct option_group *g = c->groups; g->rows; g++)
		add_rows(&p, g);
	add_rows(&p, &(struct option_group){ talk });
	opterr = 0;
	/* "+": what follows the first word is that command's; elsewhere options may follow
	 * words */
	while (code < 0 &&
	       (key = getopt_long(argc, argv, p.shorts + !c->command, p.longs, NULL)) != -1)
		code = one_option(&p, key, c, argv);
	return code >= 0 ? code : words(c, argv + optind) ? 2 : -1;
}
