/* The way from key to key and the values, as they nearly always are; see chrome.h. */
#ifndef CHROME_STEPS_H
#define CHROME_STEPS_H

#include "chrome.h"
#include "json_plain.h"

/* The next key of the event, or of its arguments: as scan_key(), and it is c->step. */
static inline int chrome_step(struct chrome *c, bool args)
{
	struct chrome_step *next = &c->steps[c->step->next[c->context]];

	if (!plain_gap(&c->scan, &next->gap))
		return chrome_step_find(c, args);
	c->step = next;
	return next->gap.end ? SCAN_END : 1;
}

/* A text, number or word. */
static inline int chrome_scalar(struct chrome *c, struct scan_text *t, bool *quoted)
{
	*quoted = true;
	return plain_text(&c->scan, t) ? 1 : chrome_scalar_find(c, t, quoted);
}

/* Categories have the others. */
static inline u32 chrome_phase_context(char phase)
{
	return phase & 7;
}

static inline u32 chrome_category_context(u32 nth)
{
	return 8 + nth % (CHROME_CONTEXTS - 8);
}

#endif
