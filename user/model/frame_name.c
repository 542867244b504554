// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of frames without what changes from run to run (addresses, line
 * numbers, step numbers, folders of a checkout).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "frame_name.h"
#include "symbols.h"

/* Of "folder/train.py(45): f" the folder and the line: both move without a change in speed. */
static const char *without_place(const char *name, char *buf)
{
	const char *py = strstr(name, ".py("), *from = name, *end;

	if (!py || !(end = strstr(py, "): ")))
		return name;
	for (const char *s = name; s < py; s++)
		if (*s == '/')
			from = s + 1;
	snprintf(buf, FRAME_NAME_LEN, "%.*s: %s", (int)(py + 3 - from), from, end + 3);
	return buf;
}

/* Numbers behind "0x" and '#' are left out; out has FRAME_NAME_LEN bytes. */
static void without_numbers(const char *name, char *out)
{
	size_t n = 0;

	while (*name && n < FRAME_NAME_LEN - 4) {
		bool hex = name[0] == '0' && name[1] == 'x', number = name[0] == '#';

		out[n++] = *name == ';' ? ',' : *name;
		name++;
		if (hex) {
			out[n++] = *name++;
			while (isxdigit((unsigned char)*name))
				name++;
		}
		while (number && isdigit((unsigned char)*name))
			name++;
	}
	out[n] = 0;
}

size_t frame_name_plain(struct model *m, u64 frame, char *out)
{
	const char *module, *name = model_frame_name(m, frame, &module);
	char buf[FRAME_NAME_LEN];

	if (!strncmp(name, "0x", 2))
		return 0;
	if (module && !strncmp(name, module, strlen(module)) && strstr(name, "+0x"))
		name = module;		/* its offset moves with every build */
	without_numbers(without_place(demangle(name), buf), out);
	return strlen(out);
}
