// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asks a CUPTI (argv[1]) for the name of every call: says where cupti/api_table.h differs. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "api_table.h"

int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW);
	int (*callback_name)(int, u32, const char **) =
		lib ? dlsym(lib, "cuptiGetCallbackName") : NULL;
	u32 domain, cbid, names = 0, wrong = 0;
	const struct api_row *row;
	const char *name;

	if (!callback_name)
		return 2;
	for (domain = API_DRIVER; domain <= API_RUNTIME; domain++) {
		for (cbid = 1; cbid < 1024; cbid++) {
			row = api_row(domain, cbid);
			name = NULL;
			if (callback_name(domain, cbid, &name))
				name = NULL;
			names += name != NULL;
			if (!!name == !!row && (!row || !strcmp(name, row->name)))
				continue;
			printf("%u/%u: %s, here %s\n", domain, cbid, name ? name : "none",
			       row ? row->name : "none");
			wrong++;
		}
	}
	printf("%u names, %u wrong\n", names, wrong);
	return wrong ? 1 : 0;
}
