// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers as people read them, with the exact number always beside. */
#include <string.h>
#include "text.h"

struct unit {
	double size;
	const char *name;
};

static const struct unit times[] = {
	{ 3600e9, "h" }, { 60e9, "min" }, { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, {},
};
static const struct unit sizes[] = {
	{ 1024. * 1024 * 1024 * 1024, "TiB" }, { 1024. * 1024 * 1024, "GiB" },
	{ 1024. * 1024, "MiB" }, { 1024, "KiB" }, {},
};

static void thousands(char *buf, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v), i;

	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*buf++ = ',';
		*buf++ = digits[i];
	}
	*buf = '\0';
}

char *flame_value(char buf[FLAME_VALUE_LEN], uint64_t value, const char *countname)
{
	const struct unit *u = NULL;
	char exact[32];

	thousands(exact, value);
	if (!strcmp(countname, "ns"))
		u = times;
	else if (!strcmp(countname, "bytes"))
		u = sizes;
	while (u && u->name && value < u->size)
		u++;
	if (u && u->name)
		snprintf(buf, FLAME_VALUE_LEN, "%.4g %s (%s %s)", value / u->size, u->name,
			 exact, countname);
	else
		snprintf(buf, FLAME_VALUE_LEN, "%s %.60s", exact, countname);
	return buf;
}
