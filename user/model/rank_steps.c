// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Statistics of one rank's steps; see rank_steps.h. */
#include <string.h>
#include "rank_steps.h"

const char *const step_part_names[STEP_PARTS] = { "computing", "communication", "copying",
						  "idle" };

void rank_step_parts(const struct rank *k, size_t i, u64 parts[STEP_PARTS])
{
	const u64 *time = k->sums[i].time;
	u64 all = rank_step_time(k, i), busy = 0;

	parts[STEP_COMPUTE] = sweep_any(time, PART_COMPUTE);
	parts[STEP_COMM] = sweep_only(time, PART_COMM, PART_COMPUTE);
	parts[STEP_COPY] = sweep_only(time, PART_COPY, PART_COMPUTE | PART_COMM);
	for (int p = STEP_COMPUTE; p < STEP_IDLE; p++)
		busy += parts[p];
	parts[STEP_IDLE] = all > busy ? all - busy : 0;
}

void rank_steps_sum(struct rank_steps *s, const struct rank *k)
{
	struct histogram away = {}, each[STEP_PARTS] = {};
	u64 parts[STEP_PARTS], ns;

	memset(s, 0, sizeof(*s));
	s->rank = k;
	for (size_t i = 0; i < k->steps->n; i++) {
		histogram_add(&s->times, k->steps->list[i].end - k->steps->list[i].start);
		rank_step_parts(k, i, parts);
		for (int p = 0; p < STEP_PARTS; p++) {
			s->parts[p] += parts[p];
			histogram_add(&each[p], parts[p]);
		}
	}
	s->p50 = histogram_percentile(&s->times, 50);
	for (int p = 0; p < STEP_PARTS; p++) {
		s->parts_p50[p] = histogram_percentile(&each[p], 50);
		histogram_free(&each[p]);
	}
	for (size_t i = 0; i < k->steps->n; i++) {
		ns = k->steps->list[i].end - k->steps->list[i].start;
		histogram_add(&away, ns > s->p50 ? ns - s->p50 : s->p50 - ns);
	}
	s->usual = histogram_percentile(&away, 50);
	histogram_free(&away);
	for (size_t i = 0; i < k->steps->n; i++)
		s->outliers += rank_step_is_outlier(s, i);
}

void rank_steps_free(struct rank_steps *s)
{
	histogram_free(&s->times);
}

bool rank_step_is_outlier(const struct rank_steps *s, size_t i)
{
	u64 ns = s->rank->steps->list[i].end - s->rank->steps->list[i].start;

	return s->rank->steps->n >= OUTLIER_MIN && ns > s->p50 &&
	       (ns - s->p50) * 100 > s->p50 * OUTLIER_PCT && ns - s->p50 > 4 * s->usual;
}

enum step_part rank_step_why(const struct rank_steps *s, size_t i, u64 *more_ns)
{
	enum step_part why = STEP_IDLE;
	u64 parts[STEP_PARTS];

	*more_ns = 0;
	rank_step_parts(s->rank, i, parts);
	for (int p = 0; p < STEP_PARTS; p++)
		if (parts[p] > s->parts_p50[p] && parts[p] - s->parts_p50[p] > *more_ns) {
			*more_ns = parts[p] - s->parts_p50[p];
			why = p;
		}
	return why;
}

struct straggler rank_straggler(const struct rank *k)
{
	struct straggler sum = {};

	for (size_t i = 0; i < k->gpu_n; i++) {
		const struct straggler *s = &k->gpus[i]->straggler;

		sum.matched += s->matched;
		sum.last += s->last;
		sum.caused_ns += s->caused_ns;
		sum.waited_ns += s->waited_ns;
		sum.waited_start_ns += s->waited_start_ns;
		sum.waited_dur_ns += s->waited_dur_ns;
	}
	return sum;
}
