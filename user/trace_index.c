// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The index that a writer puts before its end mark: a row for each block, as columns. */
#include <stdlib.h>
#include "trace_format.h"

#define ROWS 4096u		/* entries of one block */

#define FIELD(member) { #member, offsetof(struct trace_index_entry, member),	\
	sizeof(((struct trace_index_entry *)0)->member), AS_DEC, NULL, "" },
static const struct field fields[] = { TRACE_INDEX_FIELDS(FIELD) {} };
static const struct record_type type = {
	.size = sizeof(struct trace_index_entry), .name = "index", .fields = fields,
};

void index_add(struct index_kept *x, const struct trace_index_entry *e)
{
	void *p;

	if (x->dropped)
		return;
	if (x->n == x->room) {
		x->room = x->room ? x->room * 2 : 256;
		p = x->n < INDEX_MAX ? realloc(x->list, x->room * sizeof(*e)) : NULL;
		if (!p) {	/* a reader goes through the headers instead */
			x->dropped = true;
			return;
		}
		x->list = p;
	}
	x->list[x->n++] = *e;
}

u32 index_encode(const struct index_kept *x, size_t from, struct buffer *out)
{
	struct layout *l = layout_new(&type);
	struct rows rows = { .data = (u8 *)(x->list + from), .n = x->n - from };
	u64 scratch[ROWS];

	if (x->n - from > ROWS)
		rows.n = ROWS;
	columns_encode(out, l, &rows, scratch);
	free(l);
	return rows.n;
}
