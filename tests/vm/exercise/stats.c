// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The driver's own counts, by /proc/driver/nvidia-uvm/gpus: no listener needed. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include "truth.h"

struct stats {
	unsigned long long faults, duplicates, pages_in, pages_out, replays, nonreplayable;
};

/* The first line of a name counts: the second "num_pages_in" is of non-replayable faults. */
static void take(const char *line, const char *name, unsigned long long *value, int add)
{
	unsigned long long n;
	char word[32];

	if (sscanf(line, "%31s %llu", word, &n) == 2 && !strcmp(word, name))
		*value = add ? *value + n : n;
}

static int stats_read(struct softgpu *s, unsigned int gpu, struct stats *x)
{
	char pattern[80], line[128];
	glob_t found;
	FILE *f = NULL;

	snprintf(pattern, sizeof(pattern), "/proc/driver/nvidia-uvm/gpus/*%02x/fault_stats",
		 s->uuid[gpu].b[15]);
	memset(x, 0, sizeof(*x));
	if (!glob(pattern, 0, NULL, &found)) {
		f = fopen(found.gl_pathv[0], "re");
		globfree(&found);
	}
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		take(line, "replayable_faults", &x->faults, 0);
		take(line, "duplicates", &x->duplicates, 0);
		take(line, "num_pages_in", &x->pages_in, 1);
		take(line, "num_pages_out", &x->pages_out, 1);
		take(line, "start", &x->replays, 1);
		take(line, "start_ack_all", &x->replays, 1);
		take(line, "non_replayable_faults", &x->nonreplayable, 0);
	}
	fclose(f);
	return 0;
}

void stats_print(struct softgpu *s)
{
	static struct stats last[FAKERM_GPUS];
	struct stats now;
	unsigned int i;

	for (i = 0; i < s->gpus; i++) {
		if (stats_read(s, i, &now))
			continue;
		truth("stats gpu=%s faults=%llu duplicates=%llu nonreplayable=%llu bytes_in=%llu bytes_out=%llu replays=%llu",
		      place_name(i), now.faults - last[i].faults,
			now.duplicates - last[i].duplicates,
		      now.nonreplayable - last[i].nonreplayable,
		      (now.pages_in - last[i].pages_in) * 4096,
		      (now.pages_out - last[i].pages_out) * 4096,
			now.replays - last[i].replays);
		last[i] = now;
	}
}
