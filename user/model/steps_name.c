// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names that say that they are of a step: "ProfilerStep#7", "iteration 7", "train_step". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "steps_parts.h"

static const char profiler[] = "ProfilerStep#";

/* The whole name of a range, whatever its number. */
static bool word_is_step(const char *text, size_t n)
{
	static const char *const words[] = {
		"step", "iteration", "iter", "train_step", "training_step", "train step",
		"training step", "train-step", "train_iteration", "train iteration",
		"eval_step", "inference_step", "decode_step", "model_step", "trainer_step", NULL
	};

	for (const char *const *w = words; *w; w++)
		if (strlen(*w) == n && !strncasecmp(*w, text, n))
			return true;
	return false;
}

/* Does what stands before the number end in a word for a step? */
static bool stem_is_step(const char *text, size_t n)
{
	static const char *const ends[] = { "step", "iteration", "iter", "batch", NULL };
	size_t len;

	for (const char *const *w = ends; *w; w++) {
		len = strlen(*w);
		if (n >= len && !strncasecmp(*w, text + n - len, len) &&
		    (n == len || isupper((unsigned char)text[n - len]) ||
		     !isalpha((unsigned char)text[n - len - 1])))
			return true;
	}
	return false;
}

enum steps_method step_name(const char *text, size_t *stem, u64 *number)
{
	size_t n = strlen(text), digits;

	*number = ~0ULL;
	while (n && strchr(" )]", text[n - 1]))
		n--;
	digits = n;
	while (digits && isdigit((unsigned char)text[digits - 1]))
		digits--;
	*stem = n;
	if (digits == n)
		return word_is_step(text, n) ? STEPS_RANGE : STEPS_NONE;
	*number = strtoull(text + digits, NULL, 10);
	*stem = digits;
	if (*stem == strlen(profiler) && !memcmp(text, profiler, *stem))
		return STEPS_PROFILER;
	while (digits && strchr(" _-#:=([", text[digits - 1]))
		digits--;
	return stem_is_step(text, digits) ? STEPS_RANGE : STEPS_NONE;
}
