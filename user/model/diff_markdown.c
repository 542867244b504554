// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The comparison for GitHub: a summary in Markdown, and annotations of a workflow. */
#include <string.h>
#include "diff_view.h"
#include "out.h"

#define NAME_MAX_SHOWN 160	/* bytes of a kernel's name */
#define ROWS_MAX       1000	/* GitHub takes 1 MiB a step; a row is some 400 bytes */
#define ANNOTATIONS    9	/* GitHub shows ten a step and type: one more sums up */

/* In a table cell: no bars, no line ends, no Markdown, no HTML. */
static void put_cell(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text), n, shown = 0;

	for (; left && shown < NAME_MAX_SHOWN; s += n, left -= n, shown += n) {
		n = *s < 0x80 ? 1 : utf8_length(s, left);
		if (!n || (n == 1 && (*s < ' ' || *s == 0x7f))) {
			fputc('?', f);
			n = 1;
		} else if (n == 1 && strchr("<>&|*_`[]\\~#@", *s)) {
			fprintf(f, "&#%d;", *s);
		} else {
			fwrite(s, 1, n, f);
		}
	}
	if (left)
		fputs("...", f);
}

static void put_head(FILE *f)
{
	fputs("| verdict | change | before | after | 95% sure | p | share % | number | of |\n"
	      "|---|--:|--:|--:|--:|--:|--:|---|---|\n", f);
}

static void put_row(struct diff *d, FILE *f, const struct diff_gate *g)
{
	bool loud = g->verdict == DIFF_REGRESSED && !g->ignored;
	char b[64];

	fprintf(f, "| %s%s%s ", loud ? "**" : "", diff_verdict_name(g->verdict),
		loud ? "**" : "");
	fprintf(f, "| %s ", diff_delta(b, g->delta));
	fprintf(f, "| %s ", diff_value(b, g, g->center[DIFF_A]));
	fprintf(f, "| %s ", diff_value(b, g, g->center[DIFF_B]));
	fprintf(f, "| %s ", diff_interval(b, g));
	fputs("| ", f);
	put_cell(f, diff_p(b, g));
	fprintf(f, " | %s ", diff_share(b, g));
	fprintf(f, "| %s %s | ", diff_dim_name(g->key->dim), g->what);
	put_cell(f, diff_name(d, g));
	fputs(" |\n", f);
}

static void put_rows(struct diff *d, FILE *f, u32 top)
{
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list), i = 0, first;

	while (i < n && list[i]->verdict > DIFF_UNCHANGED && (!top || i < top))
		i++;
	first = i;
	if (first) {
		put_head(f);
		for (i = 0; i < first; i++)
			put_row(d, f, list[i]);
	}
	if (first == n)
		return;
	fprintf(f, "\n<details><summary>%s%zu more gates</summary>\n\n",
		n - first > ROWS_MAX ? "the first of " : "", n - first);
	put_head(f);
	for (i = first; i < n && i < first + ROWS_MAX; i++)
		put_row(d, f, list[i]);
	fputs("\n</details>\n", f);
}

static void put_one_sided(struct diff *d, FILE *f, const struct pointers *list, u32 top,
			  const char *title)
{
	char b[64];

	if (!list->n)
		return;
	fprintf(f, "\n<details><summary>%zu %s</summary>\n\n| share %% | kernel |\n|--:|---|\n",
		list->n, title);
	for (size_t i = 0; i < list->n && (!top || i < top); i++) {
		const struct diff_gate *g = list->list[i];

		fprintf(f, "| %s | ", diff_share(b, g));
		put_cell(f, diff_name(d, g));
		fputs(" |\n", f);
	}
	if (top && list->n > top)
		fprintf(f, "| | and %zu more |\n", list->n - top);
	fputs("\n</details>\n", f);
}

void diff_markdown(struct diff *d, FILE *f, u32 top)
{
	fprintf(f, "### gpudiff: %s\n\n", diff_verdict_name(d->verdict));
	put_cell(f, d->why);
	fputs("\n\n", f);
	if (d->verdict == DIFF_NOT_COMPARABLE)
		return;
	fprintf(f, "- %u run%s before, %u after\n- ", d->run_n[DIFF_A],
		d->run_n[DIFF_A] == 1 ? "" : "s", d->run_n[DIFF_B]);
	put_cell(f, diff_speed_text(d));
	fputs("\n- steps: ", f);
	put_cell(f, diff_steps_text(d));
	fputs("\n\n", f);
	put_rows(d, f, top);
	put_one_sided(d, f, &d->fresh, top, "new kernels");
	put_one_sided(d, f, &d->vanished, top, "vanished kernels");
}

/* ---- annotations ---- */

/* A message of a workflow command: one line, its own signs escaped. */
static void put_message(FILE *f, const char *text)
{
	for (const char *s = text; *s; s++)
		if (*s == '%')
			fputs("%25", f);
		else if ((unsigned char)*s < ' ' || *s == 0x7f)
			fputc('?', f);
		else
			fputc(*s, f);
	fputc('\n', f);
}

static void annotate(struct diff *d, FILE *f, const struct diff_gate *g)
{
	char a[64], b[64], c[64];

	fputs("::error title=gpudiff::", f);
	put_message(f, diff_textf(d, "%s %s of %s: %s (%s to %s)", diff_dim_name(g->key->dim),
				  g->what, diff_name(d, g), diff_delta(a, g->delta),
				  diff_value(b, g, g->center[DIFF_A]),
				  diff_value(c, g, g->center[DIFF_B])));
}

void diff_github(struct diff *d, FILE *f)
{
	bool bad = d->verdict >= DIFF_REGRESSED;
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list);
	u32 shown = 0;

	fprintf(f, "::%s title=gpudiff::",
		bad ? "error" : d->verdict == DIFF_INCONCLUSIVE ? "warning" : "notice");
	put_message(f, diff_textf(d, "%s: %s", diff_verdict_name(d->verdict), d->why));
	for (size_t i = 0; i < n && shown < ANNOTATIONS; i++)
		if (list[i]->verdict == DIFF_REGRESSED && !list[i]->ignored) {
			annotate(d, f, list[i]);
			shown++;
		}
}
