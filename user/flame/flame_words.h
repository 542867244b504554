/* What a flame graph says about itself: headline, second lines, what was lost. */
#ifndef FLAME_WORDS_H
#define FLAME_WORDS_H

#include "flame_out.h"

struct flame_words {
	const struct flame_out *out;
	unsigned what;			/* fold_settings.what */
	bool per_step;
};

/* "kernels", "bytes copied" */
const char *words_value(const struct flame_words *w);
/* Is the value the time of what was asked for? */
bool words_time(const struct flame_words *w);
void words_title(const struct flame_words *w, char *title, size_t size);
/* What was lost, as words; "" when nothing. NULL: no memory. The caller frees it, as the
 * others. */
char *words_lost(const struct model_counts *c);
char *words_subtitle(const struct flame_words *w, struct fold *fold,
		     const struct trace_info *info, const char *lost, const char *damage);
struct flame_side { const char *path; struct fold *fold; };
/* "kernels of a step: 1.20 ms before, 1.31 ms now (+9.2%)" and a line for each side */
char *words_diff(const struct flame_words *w, const struct flame_tree *tree,
		 const struct flame_side *sides);

#endif
