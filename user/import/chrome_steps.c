// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keys that were not guessed: they are looked at and learned; see chrome.h. */
#include <string.h>
#include "chrome.h"

static void forget(struct chrome *c)
{
	memset(c->steps, 0, sizeof(c->steps));
	for (u32 i = 0; i < STEP_FIRST; i++)
		c->steps[i].gap.behind = 2;
	hash_free(&c->steps_by_text);
	c->steps_n = STEP_FIRST;
}

void chrome_steps_init(struct chrome *c)
{
	forget(c);
}

struct scan_text chrome_step_key(const struct chrome *c)
{
	const struct scan_gap *gap = &c->step->gap;

	if (c->step == &c->steps[STEP_OTHER])
		return c->key;
	return (struct scan_text){ (const char *)gap->text + gap->key, gap->key_n,
				   gap->escaped };
}

static bool same(const struct scan_gap *a, const struct scan_gap *b)
{
	return a->n == b->n && a->behind == b->behind && !memcmp(a->text, b->text, a->n);
}

/* The step of this text, learned if it is new. */
static struct chrome_step *step_of(struct chrome *c, const struct scan_gap *gap, bool args,
				   u8 what)
{
	u64 key = hash_bytes(gap->text, gap->n) + 2 * gap->behind + args;
	struct chrome_step *s;

	for (; (s = hash_get(&c->steps_by_text, key)); key += 4)
		if (s->args == args && same(&s->gap, gap))
			return s;
	s = &c->steps[c->steps_n++];
	*s = (struct chrome_step){ .gap = *gap, .args = args, .what = what };
	hash_put(&c->steps_by_text, key, s);
	return s;
}

int chrome_step_find(struct chrome *c, bool args)
{
	struct chrome_step *from = c->step, *to = NULL;
	struct scan_gap gap;
	int r = scan_key_gap(&c->scan, &c->key, &gap);
	u8 what;

	if (r < 0)
		return r;
	what = !r ? 0 : args ? chrome_arg_find(&c->key) : chrome_key_find(&c->key);
	if (gap.n && c->steps_n == CHROME_STEPS) {	/* events may be of another kind now */
		forget(c);
		from = &c->steps[STEP_OTHER];
	}
	if (gap.n)
		to = step_of(c, &gap, args, what);
	if (!to) {
		to = &c->steps[STEP_OTHER];
		to->what = what;
	} else if (from != &c->steps[STEP_OTHER]) {
		from->next[c->context] = to - c->steps;
	}
	c->step = to;
	return r;
}
