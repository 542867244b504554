// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The steps of traces, as text:  stepdump [-p PATTERN] FILE...
 *
 *   process PRODUCER PID METHOD host|gpu THREAD KERNELS LEFT_OUT NAME
 *   step START END NUMBER
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include "log.h"
#include "steps.h"

int main(int argc, char **argv)
{
	bool pattern = argc > 2 && !strcmp(argv[1], "-p");
	const struct process_steps *const *list;
	struct steps *s;
	size_t n;

	log_init("stepdump", false);
	argv += pattern ? 3 : 1;
	argc -= pattern ? 3 : 1;
	if (argc < 1)
		errx(2, "usage: stepdump [-p PATTERN] FILE...");
	if (steps_find(&s, (const char *const *)argv, argc, pattern ? argv[-1] : NULL))
		return 1;
	n = steps_list(s, &list);
	for (size_t i = 0; i < n; i++) {
		const struct process_steps *p = list[i];

		printf("process %u %u %s %s %u %u %llu %s\n", p->producer, p->pid,
		       steps_method_name(p->method), p->on_gpu ? "gpu" : "host", p->tid,
		       p->kernels, p->left_out, p->name);
		for (size_t k = 0; k < p->n; k++)
			printf("step %llu %llu %llu\n", p->list[k].start, p->list[k].end,
			       p->list[k].number);
	}
	steps_free(s);
	return 0;
}
