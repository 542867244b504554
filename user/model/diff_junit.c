// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The comparison as JUnit XML: a test case a gate, as Jenkins, GitLab and GitHub read it. */
#include <string.h>
#include "diff_view.h"
#include "out.h"

/* XML 1.0 has no control characters, and its texts are UTF-8. */
static void put_text(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t left = strlen(text), n;

	for (; left; s += n, left -= n) {
		n = *s < 0x80 ? 1 : utf8_length(s, left);
		if (!n || (n == 1 && (*s < ' ' || *s == 0x7f))) {
			fputc('?', f);
			n = 1;
		} else if (*s == '<' || *s == '>' || *s == '&' || *s == '"') {
			fprintf(f, "&#%d;", *s);
		} else {
			fwrite(s, 1, n, f);
		}
	}
}

static void put_attribute(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	put_text(f, value);
	fputc('"', f);
}

static const char *numbers(struct diff *d, const struct diff_gate *g)
{
	char a[64], b[64], c[64], i[64], p[64];

	return diff_textf(d, "%s -> %s (%s, 95%% sure %s, p %s)",
			  diff_value(a, g, g->center[DIFF_A]),
			  diff_value(b, g, g->center[DIFF_B]), diff_delta(c, g->delta),
			  diff_interval(i, g), diff_p(p, g));
}

static void put_element(struct diff *d, FILE *f, const struct diff_gate *g, const char *name,
			bool body)
{
	const char *reason = diff_reason(d, g), *text = numbers(d, g);

	fprintf(f, "      <%s", name);
	put_attribute(f, "message", diff_textf(d, "%s: %s%s%s", diff_verdict_name(g->verdict),
					       text, *reason ? "; " : "", reason));
	if (!body) {
		fputs("/>\n", f);
		return;
	}
	put_attribute(f, "type", diff_verdict_name(g->verdict));
	fputs(">", f);
	put_text(f, diff_textf(d, "%s %s of %s\n", diff_dim_name(g->key->dim), g->what,
			       diff_name(d, g)));
	put_text(f, text);
	fprintf(f, "</%s>\n", name);
}

static void put_case(struct diff *d, FILE *f, const struct diff_gate *g)
{
	bool failed = g->verdict == DIFF_REGRESSED && !g->ignored;
	bool skipped = g->verdict == DIFF_INCONCLUSIVE || g->ignored;

	fputs("    <testcase", f);
	put_attribute(f, "classname", diff_textf(d, "gpudiff.%s", diff_dim_name(g->key->dim)));
	put_attribute(f, "name", g->id);
	fputs(failed || skipped ? ">\n" : "/>\n", f);
	if (failed)
		put_element(d, f, g, "failure", true);
	else if (skipped)
		put_element(d, f, g, "skipped", false);
	if (failed || skipped)
		fputs("    </testcase>\n", f);
}

static void put_uncomparable(struct diff *d, FILE *f)
{
	fputs("    <testcase classname=\"gpudiff\" name=\"comparable\">\n      <error", f);
	put_attribute(f, "message", diff_textf(d, "not comparable: %s", d->why));
	fputs("/>\n    </testcase>\n", f);
}

void diff_junit(struct diff *d, FILE *f)
{
	bool apart = d->verdict == DIFF_NOT_COMPARABLE;
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list), tests = 0, failures = 0, skipped = 0;
	char counts[128];

	for (size_t i = 0; i < n && !apart; i++) {
		const struct diff_gate *g = list[i];

		tests += g->verdict != DIFF_NONE;
		failures += g->verdict == DIFF_REGRESSED && !g->ignored;
		skipped += g->verdict != DIFF_NONE &&
			   (g->verdict == DIFF_INCONCLUSIVE || g->ignored);
	}
	snprintf(counts, sizeof(counts),
		 "tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\"", tests + apart,
		 failures, apart, skipped);
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n", counts);
	fprintf(f, "  <testsuite name=\"gpudiff\" %s>\n", counts);
	if (apart)
		put_uncomparable(d, f);
	for (size_t i = 0; i < n && !apart; i++)
		if (list[i]->verdict != DIFF_NONE)
			put_case(d, f, list[i]);
	fputs("  </testsuite>\n</testsuites>\n", f);
}
