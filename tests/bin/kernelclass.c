// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of kernels, a line each, to "CLASS SHORT_NAME"; -w: the words of each class. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel_class.h"

int main(int argc, char **argv)
{
	char *line = NULL;
	const char *start;
	size_t room = 0;
	ssize_t n;

	for (int c = 0; argc > 1 && c < CLASSES; c++)
		printf("%s %s\n", kernel_class_name(c), kernel_class_words(c));
	while (argc == 1 && (n = getline(&line, &room, stdin)) > 0) {
		line[n - 1] = 0;
		n = kernel_short_name(line, &start);
		printf("%s %.*s\n", kernel_class_name(kernel_class(line)), (int)n, start);
	}
	free(line);
	return 0;
}
