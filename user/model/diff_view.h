/* What all views of a comparison say alike. */
#ifndef DIFF_VIEW_H
#define DIFF_VIEW_H

#include "diff_parts.h"

/* Each into buf (32 bytes, the interval 64), which is returned; "-" where there is none. */
char *diff_value(char *buf, const struct diff_gate *g, double v);
char *diff_delta(char *buf, double delta);
char *diff_interval(char *buf, const struct diff_gate *g);
char *diff_p(char *buf, const struct diff_gate *g);
char *diff_share(char *buf, const struct diff_gate *g);

/* These live as long as d. */
const char *diff_name(struct diff *d, const struct diff_gate *g);
const char *diff_reason(struct diff *d, const struct diff_gate *g);
const char *diff_speed_text(struct diff *d);
const char *diff_steps_text(struct diff *d);

/* All gates, the worst first, within a verdict by what they matter. */
size_t diff_sorted(struct diff *d, const struct diff_gate ***list);

#endif
