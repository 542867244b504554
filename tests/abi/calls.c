// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines "DOMAIN CBID NAME CLASS" against cupti/api_table.h: prints those that differ. */
#include <stdio.h>
#include <string.h>
#include "api_table.h"

static const char *const classes[] = {
	"OTHER", "LAUNCH", "COPY", "SET", "SYNC", "ALLOC", "FREE", "EVENT", "GRAPH_LAUNCH",
	"GRAPH", "STREAM", "MODULE",
};

int main(void)
{
	char domain[16], name[128], class[32];
	const struct api_row *row;
	int wrong = 0;
	u32 cbid;

	while (scanf("%15s %u %127s %31s", domain, &cbid, name, class) == 4) {
		row = api_row(strcmp(domain, "driver") ? API_RUNTIME : API_DRIVER, cbid);
		if (!row)
			printf("%s %u %s %s: not in the table\n", domain, cbid, name, class);
		else if (strcmp(row->name, name) || strcmp(classes[row->class], class))
			printf("%s %u %s %s: the table has %s %s\n", domain, cbid, name, class,
			       row->name, classes[row->class]);
		else
			continue;
		wrong = 1;
	}
	return wrong;
}
