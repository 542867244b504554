// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * apiclass: every call of CUPTI's tables whose class or domain by name is
 * another than by number; then "N names". apiclass NAME...: the class of each.
 */
#include <stdio.h>
#include <string.h>
#include "api_class.h"
#include "api_table.h"

static void check(const struct api_row *row, u32 domain, u32 *n)
{
	if (!row->name)
		return;
	++*n;
	if (api_class(row->name, strlen(row->name)) != row->class ||
	    api_domain(row->name, strlen(row->name)) != domain)
		printf("%s is %u by number, %u by name\n", row->name, row->class,
		       api_class(row->name, strlen(row->name)));
}

int main(int argc, char **argv)
{
	u32 i, n = 0;

	for (i = 1; i < (u32)argc; i++)
		printf("%s %u %u\n", argv[i], api_domain(argv[i], strlen(argv[i])),
		       api_class(argv[i], strlen(argv[i])));
	if (argc > 1)
		return 0;
	for (i = 0; i < sizeof(api_driver_rows) / sizeof(api_driver_rows[0]); i++)
		check(&api_driver_rows[i], API_DRIVER, &n);
	for (i = 0; i < sizeof(api_runtime_rows) / sizeof(api_runtime_rows[0]); i++)
		check(&api_runtime_rows[i], API_RUNTIME, &n);
	printf("%u names\n", n);
	return 0;
}
