// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* shortname short|base NAME: as gpuflame --names shortens it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frame_rules.h"

int main(int argc, char **argv)
{
	char *out;

	if (argc != 3 || !(out = malloc(FRAME_SHORT_ROOM(argv[2]))))
		return 2;
	frame_name_short(argv[2], strcmp(argv[1], "base") ? NAMES_SHORT : NAMES_BASE, out);
	puts(out);
	free(out);
	return 0;
}
