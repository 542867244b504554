// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules about ranks: communication in the open, who is late, steps unlike the others. */
#include <stdio.h>
#include "finding_parts.h"

/* What all ranks' GPUs could have done meanwhile. */
static void comm_look(struct finder *f, const struct rule *rule)
{
	const struct ranks *r = &f->r->ranks;
	u64 window = 0, comm = 0, exposed = 0, kernels = 0;
	char share[16], hidden[16];
	struct finding *x;

	for (size_t i = 0; i < r->n; i++) {
		const struct rank *k = r->list[i];

		if (!k->comm.count)
			continue;
		window += rank_window(k);
		comm += sweep_any(k->time, PART_COMM);
		exposed += sweep_only(k->time, PART_COMM, PART_COMPUTE);
		kernels += k->comm.count;
	}
	if (kernels < COMM_KERNELS || share_pct(exposed, window) < COMM_PCT)
		return;
	snprintf(share, sizeof(share), "%llu%%", share_pct(exposed, window));
	snprintf(hidden, sizeof(hidden), "%llu%%", share_pct(comm - exposed, comm));
	x = finding_add(f, rule, "all ranks that communicate",
			"%s of their GPUs' time is communication while nothing computes; only %s of the communication is hidden",
			share, hidden);
	finding_prove(x, "exposed_ns", exposed);
	finding_prove(x, "communication_ns", comm);
	finding_prove(x, "first_to_last_ns", window);
	finding_prove(x, "kernels", kernels);
}

static void straggler_look(struct finder *f, const struct rule *rule)
{
	const struct ranks *r = &f->r->ranks;
	char about[64], label[48], share[16];
	struct finding *x;
	u64 window = 0;

	for (size_t i = 0; i < r->n; i++)
		if (rank_straggler(r->list[i]).matched)
			window += rank_window(r->list[i]);
	for (size_t i = 0; i < r->n; i++) {
		const struct rank *k = r->list[i];
		struct straggler s = rank_straggler(k);
		u64 net = s.caused_ns > s.waited_ns ? s.caused_ns - s.waited_ns : 0;

		if (s.matched < STRAGGLER_MATCHED ||
		    share_pct(s.last, s.matched) < STRAGGLER_LAST_PCT ||
		    share_pct(net, window) < STRAGGLER_WAIT_PCT)
			continue;
		snprintf(about, sizeof(about), "rank %s", rank_label(k, label, sizeof(label)));
		snprintf(share, sizeof(share), "%llu%%", share_pct(s.caused_ns, window));
		x = finding_add(f, rule, about,
				"it arrives last at %llu of %llu collectives; the time that the others wait for it is %s of all ranks' GPU time",
				s.last, s.matched, share);
		finding_prove(x, "last", s.last);
		finding_prove(x, "collectives", s.matched);
		finding_prove(x, "others_waited_ns", s.caused_ns);
		finding_prove(x, "it_waited_ns", s.waited_ns);
		finding_prove(x, "first_to_last_ns", window);
		finding_prove(x, "ends_differ_ns", r->matched.clock_error_ns);
	}
}

/* What the outliers have more of than a usual step, over all of them. */
static enum step_part outliers_sum(const struct rank_steps *s, u64 *extra_ns, u64 *more_ns)
{
	u64 more, parts[STEP_PARTS] = {};
	enum step_part why, most = STEP_IDLE;

	*extra_ns = 0;
	for (size_t i = 0; i < s->rank->steps->n; i++) {
		const struct step *x = &s->rank->steps->list[i];

		if (!rank_step_is_outlier(s, i))
			continue;
		*extra_ns += x->end - x->start - s->p50;
		why = rank_step_why(s, i, &more);
		parts[why] += more;
		most = parts[why] > parts[most] ? why : most;
	}
	*more_ns = parts[most];
	return most;
}

static void step_look(struct finder *f, const struct rule *rule)
{
	const struct ranks *r = &f->r->ranks;
	char about[64], label[48];
	struct rank_steps s;
	struct finding *x;
	u64 extra, more;
	enum step_part why;

	for (size_t i = 0; i < r->n; i++) {
		const struct rank *k = r->list[i];

		if (!k->steps)
			continue;
		rank_steps_sum(&s, k);
		why = outliers_sum(&s, &extra, &more);
		if (share_pct(extra, s.times.sum) >= STEP_EXTRA_PCT) {
			snprintf(about, sizeof(about), "rank %s",
				 rank_label(k, label, sizeof(label)));
			x = finding_add(f, rule, about,
					"%llu of %zu steps take much longer than the others, most of the difference is %s",
					s.outliers, k->steps->n, step_part_names[why]);
			finding_prove(x, "outliers", s.outliers);
			finding_prove(x, "steps", k->steps->n);
			finding_prove(x, "median_ns", s.p50);
			finding_prove(x, "longest_ns", s.times.max);
			finding_prove(x, "beyond_median_ns", extra);
			finding_prove(x, "of_that_part_ns", more);
		}
		rank_steps_free(&s);
	}
}

const struct rule rank_rules[] = {
	{ "exposed_comm", comm_look,
	  "overlap it: smaller gradient buckets, communication on a stream of its own, prefetched shards; see who arrives last before blaming the network" },
	{ "straggler", straggler_look,
	  "compare this rank's steps and idle causes with the others': more data, a slower GPU or host, or work that only it does" },
	{ "step_outliers", step_look,
	  "look at these steps in the timeline (gputimeline): data loading, checkpoints, evaluation, memory that is allocated, another rank" },
	{}
};
