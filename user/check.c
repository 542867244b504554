// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of findings and how it is shown; see check.h. */
#include <stdarg.h>
#include <string.h>
#include "check.h"
#include "out.h"

struct check *check_add(struct checks *c, const char *group, const char *name,
			enum check_status status, const char *remedy, const char *fmt, ...)
{
	static struct check spare;
	struct check *k = c->count < sizeof(c->list) / sizeof(*c->list) ? &c->list[c->count++] :
		&spare;
	va_list ap;

	k->group = group;
	k->name = name;
	k->status = status;
	snprintf(k->remedy, sizeof(k->remedy), "%s", remedy);
	va_start(ap, fmt);
	vsnprintf(k->found, sizeof(k->found), fmt, ap);
	va_end(ap);
	return k;
}

const struct check *check_find(const struct checks *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->list[i].name, name))
			return &c->list[i];
	return NULL;
}

const char *check_status_name(enum check_status s)
{
	static const char *const names[] = { "ok", "degraded", "missing" };

	return names[s];
}

bool check_read(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(buf, size, f);

	if (f)
		fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

void check_print(const struct checks *c, FILE *f)
{
	const char *group = "";

	for (size_t i = 0; i < c->count; i++) {
		const struct check *k = &c->list[i];

		if (strcmp(group, k->group))
			fprintf(f, "%s%s\n", i ? "\n" : "", k->group);
		group = k->group;
		fprintf(f, "  %-9s %-20s %s\n", check_status_name(k->status), k->name,
			k->found);
		if (k->remedy[0])
			fprintf(f, "  %-9s %-20s -> %s\n", "", "", k->remedy);
	}
}

void check_json(const struct checks *c, struct json *j)
{
	json_array(j, "checks");
	for (size_t i = 0; i < c->count; i++) {
		const struct check *k = &c->list[i];

		json_object(j, NULL);
		json_str(j, "group", k->group);
		json_str(j, "name", k->name);
		json_str(j, "status", check_status_name(k->status));
		json_str(j, "found", k->found);
		json_str(j, "remedy", k->remedy[0] ? k->remedy : NULL);
		json_close(j);
	}
	json_close(j);
}
