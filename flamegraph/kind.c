// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a frame is, told by its name alone, and the colours of the kinds. */
#include <ctype.h>
#include <string.h>
#include "kind.h"

struct shade {			/* from .. to, by the hash of the name; black text is readable
				 * on all */
	const char *label;
	uint8_t from[3], to[3];
};

static const struct shade shades[KIND_COUNT] = {
	[KIND_ALL]      = { NULL,              { 214, 214, 214 }, { 214, 214, 214 } },
	[KIND_BASE]     = { "process, thread", { 190, 200, 214 }, { 206, 214, 226 } },
	[KIND_NATIVE]   = { "native",          { 228, 104, 88 },  { 250, 166, 140 } },
	[KIND_PYTHON]   = { "Python",          { 236, 208, 70 },  { 252, 230, 120 } },
	[KIND_OS]       = { "OS kernel",       { 240, 146, 40 },  { 255, 182, 90 } },
	[KIND_API]      = { "CUDA call",       { 78, 196, 204 },  { 134, 224, 228 } },
	[KIND_GPU]      = { "GPU kernel",      { 88, 190, 88 },   { 140, 222, 128 } },
	[KIND_GPU_COPY] = { "GPU copy, set",   { 172, 204, 74 },  { 202, 226, 118 } },
	[KIND_COMM]     = { "communication",   { 188, 140, 226 }, { 214, 176, 246 } },
	[KIND_OPERATOR] = { "operator",        { 150, 176, 226 }, { 186, 206, 242 } },
	[KIND_ANNOTATION] = { "annotation",    { 226, 190, 160 }, { 240, 212, 190 } },
	[KIND_NOTE]     = { "unknown",         { 226, 226, 226 }, { 226, 226, 226 } },
};
static const struct shade warm = { NULL, { 206, 60, 30 }, { 255, 228, 96 } };
static const struct shade grey = { NULL, { 184, 184, 184 }, { 232, 232, 232 } };

static bool starts(const char *s, const char *word)
{
	return !strncmp(s, word, strlen(word));
}

static bool ends(const struct flame_name *name, const char *word)
{
	size_t n = strlen(word);

	return name->len >= n && !memcmp(name->text + name->len - n, word, n);
}

static bool communication(const char *s)
{
	return strstr(s, "nccl") || strstr(s, "NCCL") || starts(s, "MPI_") ||
		starts(s, "PMPI_") || strstr(s, "nvshmem");
}

/* cuLaunchKernel, cudaMemcpyAsync_v2, hipLaunchKernel: an identifier of C, a capital behind the
 * prefix */
static bool cuda_call(const char *s)
{
	if (!starts(s, "cu") && !starts(s, "hip"))
		return false;
	s += starts(s, "cuda") ? 4 : starts(s, "hip") ? 3 : 2;
	return isupper((unsigned char)*s) &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* "step (train.py:12)", "train.py(12): step", "py::step:/a/train.py", "train.py" */
static bool python(const char *s)
{
	const char *at = s;

	if (starts(s, "py::"))
		return true;
	while ((at = strstr(at, ".py"))) {
		at += 3;
		if (!*at || strchr(":() ]", *at))
			return true;
	}
	return false;
}

enum flame_kind flame_kind(const struct flame_name *name, uint32_t depth, uint32_t base)
{
	const char *s = name->text;
	bool gpu = starts(s, "[gpu]") || ends(name, "_[g]");

	if (!depth)
		return KIND_ALL;
	if (depth <= base)
		return KIND_BASE;
	if (name->what)
		return name->what == FLAME_PYTHON ? KIND_PYTHON :
			name->what == FLAME_OPERATOR ? KIND_OPERATOR : KIND_ANNOTATION;
	if (communication(s))
		return KIND_COMM;
	if (gpu)
		return strstr(s, "] memcpy") || strstr(s, "] memset") ? KIND_GPU_COPY :
			KIND_GPU;
	if (ends(name, "_[k]"))
		return KIND_OS;
	if (s[0] == '[')
		return KIND_NOTE;
	if (cuda_call(s))
		return KIND_API;
	if (starts(s, "aten::") || starts(s, "c10d::"))
		return KIND_OPERATOR;
	return python(s) ? KIND_PYTHON : KIND_NATIVE;
}

const char *flame_kind_label(enum flame_kind kind)
{
	return shades[kind].label;
}

static uint32_t blend(const struct shade *s, uint32_t part)
{
	uint32_t rgb = 0, i;

	for (i = 0; i < 3; i++)
		rgb = rgb << 8 |
			(s->from[i] + (int)((s->to[i] - s->from[i]) * (int)part / 255));
	return rgb;
}

uint32_t flame_kind_color(enum flame_kind kind)
{
	return blend(&shades[kind], 128);
}

uint32_t flame_change_color(uint64_t before, uint64_t after)
{
	static const struct shade grew = { NULL, { 250, 246, 240 }, { 232, 70, 58 } },
		shrank = { NULL, { 250, 246, 240 }, { 104, 150, 240 } };
	double most = before > after ? before : after;
	double part = most ? (after > before ? after - before : before - after) / most : 0;

	/* one percent is nothing; what is more must be seen */
	return blend(after > before ? &grew : &shrank, part < .01 ? 0 : part >= .5 ? 255 :
		     40 + (part - .01) / .49 * 215);
}

/* FNV-1a: not the tree's hash, so that a faster one there repaints nothing. */
static uint32_t name_part(const struct flame_name *name)
{
	uint32_t h = 2166136261u, i;

	for (i = 0; i < name->len; i++)
		h = (h ^ (unsigned char)name->text[i]) * 16777619u;
	return (h ^ h >> 16) & 255;
}

uint32_t flame_color(enum flame_colors colors, enum flame_kind kind,
		     const struct flame_name *name)
{
	if (kind == KIND_ALL || colors == FLAME_KIND)
		return blend(&shades[kind], name_part(name));
	return blend(colors == FLAME_HASH ? &warm : &grey, name_part(name));
}
