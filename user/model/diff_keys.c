// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is the same in two runs; of frames see frame_name.c. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "diff_parts.h"
#include "frame_name.h"

#define PATH_FRAMES 24		/* the innermost ones */

const char *diff_text(struct diff *d, const char *s)
{
	return texts_add(&d->texts, s, strlen(s));
}

const char *diff_textf(struct diff *d, const char *fmt, ...)
{
	char *s;
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	va_end(ap);
	text = diff_text(d, s);
	free(s);
	return text;
}

const struct diff_key *diff_key(struct diff *d, u16 dim, const char *name, const char *config,
				const char *path)
{
	u64 hash = hash_mix(hash_address(name) + 3 * hash_address(config) +
			    7 * hash_address(path) + dim);
	struct diff_key *first = hash_get(&d->keys, hash), *k;

	for (k = first; k; k = k->next)
		if (k->dim == dim && k->name == name && k->config == config && k->path == path)
			return k;
	k = arena_alloc(&d->arena, sizeof(*k));
	*k = (struct diff_key){ dim, name, config, path, first };
	hash_put(&d->keys, hash, k);
	return k;
}

const char *diff_dim_name(u16 dim)
{
	static const char *const names[DIMS] = {
		"step", "speed", "kernel", "collective", "copy", "api", "sync", "fault", "idle",
		"delay",
	};

	return names[dim];
}

/* Innermost frames first in, outermost first out. */
static const char *path_text(struct diff_run *r, u64 stack)
{
	const u64 *frames;
	u32 kernel = 0, n = model_stack(r->model, stack, &frames, &kernel), used = 0;
	char text[PATH_FRAMES][FRAME_NAME_LEN], all[PATH_FRAMES * (FRAME_NAME_LEN + 1)];
	size_t at = 0;

	if (n < kernel)
		return "";
	frames += kernel;
	n -= kernel;
	for (u32 i = model_frames_between(r->model, frames, n); i < n && used < PATH_FRAMES;
	     i++)
		if (frame_name_plain(r->model, frames[i], text[used]) &&
		    (!used || strcmp(text[used], text[used - 1])))
			used++;
	all[0] = 0;
	while (used--)
		at += snprintf(all + at, sizeof(all) - at, "%s%s", at ? ";" : "", text[used]);
	return all[0] ? texts_add(&r->d->texts, all, at) : "";
}

const char *diff_path(struct diff_run *r, u64 stack)
{
	const char *path = hash_get(&r->paths, stack);

	if (!stack)
		return diff_text(r->d, "");
	if (!path) {
		path = diff_text(r->d, path_text(r, stack));
		hash_put(&r->paths, stack, (void *)path);
	}
	return path;
}
