// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The findings as text: what, by which numbers, what to try. */
#include <string.h>
#include "finding.h"
#include "out.h"
#include "report_print.h"

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);

	return n > m && !strcmp(s + n - m, with);
}

/* "to_gpu_bytes" 4096 -> "to gpu 4.0 KiB": its unit is in the value. */
static int evidence_text(char *buf, size_t size, const struct evidence *e)
{
	static const char *const units[] = { "_ns", "_bytes", "_pct" };
	size_t n = strlen(e->name);
	char name[48], value[24];

	snprintf(value, sizeof(value), "%llu", e->value);
	if (ends(e->name, units[0]))
		human_ns(value, e->value);
	else if (ends(e->name, units[1]))
		human_bytes(value, e->value);
	else if (ends(e->name, units[2]))
		snprintf(value, sizeof(value), "%llu%%", e->value);
	for (int i = 0; i < 3; i++)
		if (ends(e->name, units[i]))
			n -= strlen(units[i]);
	snprintf(name, sizeof(name), "%.*s", (int)n, e->name);
	for (char *p = name; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return snprintf(buf, size, "%s %s", name, value);
}

static void print_evidence(const struct finding *x, FILE *f)
{
	char line[512];
	int at = 0;

	for (u32 i = 0; i < x->evidence_n; i++) {
		at += snprintf(line + at, sizeof(line) - at, i ? ", " : "");
		at += evidence_text(line + at, sizeof(line) - at, &x->evidence[i]);
	}
	out_line(f, "    by   %s", line);
}

void print_findings(struct report *r, FILE *f)
{
	const struct finding *list;
	size_t n = findings(r, &list);

	if (!n)
		return;
	fprintf(f, "\nfindings (rules: man gpureport)\n");
	for (size_t i = 0; i < n; i++) {
		out_line(f, "  %s: %s", list[i].rule, list[i].about);
		out_line(f, "    %s", list[i].what);
		print_evidence(&list[i], f);
		if (list[i].advice)
			out_line(f, "    try  %s", list[i].advice);
	}
}
