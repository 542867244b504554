// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A map of summed rows as a source of records. */
#include <time.h>
#include <bpf/bpf.h>
#include "tool_run.h"

/* Prints every row and takes it out, so that each batch is one interval's sum. */
static int take_rows(struct source *l, int fd)
{
	static _Alignas(8) char row[RECORD_MAX], key[256];
	struct event *e = (struct event *)row;
	int err = 0;

	l->sink->head = NULL;
	while (!err && !bpf_map_get_next_key(fd, NULL, key))
		if (!bpf_map_lookup_and_delete_elem(fd, key, row) && e->size <= sizeof(row))
			err = sink_put(l->sink, e);
	return err;
}

int source_rows(struct source *l, const char *map)
{
	int fd = probe_map_fd(l->object, map), err = 0;

	while (!err && !source_over(l)) {
		u64 ms = source_wait_ms(l, l->sink->set->interval_ns / 1000000);
		struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

		nanosleep(&t, NULL);
		err = take_rows(l, fd);
		if (!err)
			err = source_turn(l);
	}
	probe_detach(l->object);
	return err;
}
