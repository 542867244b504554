// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Libraries that choose kernels by measuring (cuDNN, cuBLAS, MIOpen) choose anew in each run:
 * some of their kernels are launched less or not at all, others more. That is no change of the
 * program, as long as no other kernel's count has changed and it goes both ways.
 */
#include <string.h>
#include "diff_parts.h"
#include "kernel_class.h"

static bool chosen_by_measuring(const struct diff_gate *g)
{
	static const char *const words[] = { "cudnn", "cublas", "cutlass", "cask_", "Cijk_",
					     "miopen", "MIOpen", "winograd", "Winograd" };
	enum kernel_class class = kernel_class(g->key->name);

	if (class == CLASS_CONV || class == CLASS_GEMM)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(g->key->name, words[i]))
			return true;
	return false;
}

static bool changed(const struct diff_gate *g)
{
	return !g->timed && (g->verdict == DIFF_REGRESSED || g->verdict == DIFF_IMPROVED);
}

static bool one_sided_chosen(const struct pointers *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!chosen_by_measuring(list->list[i]))
			return false;
	return true;
}

/* What follows from the kernels' counts: launches, and sets of a chosen kernel's workspace. */
static bool follows(const struct diff_gate *g)
{
	switch (g->key->dim) {
	case DIM_KERNEL:
		return true;
	case DIM_STEP:
		return !strcmp(g->what, "launches");
	case DIM_API:
		return strstr(g->key->name, "Launch") || strstr(g->key->name, "Memset");
	case DIM_COPY:
		return !strcmp(g->key->name, "set");
	default:
		return false;
	}
}

void diff_selection(struct diff *d)
{
	size_t less = d->vanished.n, more = d->fresh.n;

	if (!one_sided_chosen(&d->fresh) || !one_sided_chosen(&d->vanished))
		return;
	for (size_t i = 0; i < d->gates.n; i++) {
		const struct diff_gate *g = d->gates.list[i];

		if (!changed(g) || g->key->dim != DIM_KERNEL)
			continue;
		if (!chosen_by_measuring(g))
			return;
		less += g->verdict == DIFF_IMPROVED;
		more += g->verdict == DIFF_REGRESSED;
	}
	if (!less || !more)
		return;
	d->selection = diff_textf(
		d, "libraries chose other kernels by measuring: %zu launched less, %zu more", less,
		more);
	for (size_t i = 0; i < d->gates.n; i++) {
		struct diff_gate *g = (struct diff_gate *)d->gates.list[i];

		if (!changed(g) || !follows(g))
			continue;
		g->verdict = DIFF_NONE;
		g->reason = d->selection;
	}
}
