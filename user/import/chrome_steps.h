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

/* Events of a phase and category are alike. */
static inline void chrome_context(struct chrome *c)
{
	u32 phase = c->e.phase & 7, nth = c->e.category ? 1 + c->e.category->nth : 0;

	c->context = (nth * 8 + phase) % CHROME_CONTEXTS;
}

#endif
