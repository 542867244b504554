/* Statistics of one rank's steps: which of them are unlike the others, and in what. */
#ifndef RANK_STEPS_H
#define RANK_STEPS_H

#include "ranks.h"

/* Longer than the median by this much and by 4 times the median distance from it. */
#define OUTLIER_PCT 10
#define OUTLIER_MIN 4		/* steps: among fewer nothing is usual */

enum step_part {		/* they sum to the step's length, over its GPUs */
	STEP_COMPUTE, STEP_COMM, STEP_COPY, STEP_IDLE, STEP_PARTS	/* two: exposed */
};
extern const char *const step_part_names[STEP_PARTS];	/* "computing" */

struct rank_steps {
	const struct rank *rank;
	struct histogram times;
	u64 p50, usual;		/* usual: median distance from p50 */
	u64 outliers;
	u64 parts[STEP_PARTS];	/* of all steps */
	u64 parts_p50[STEP_PARTS];
};

void rank_steps_sum(struct rank_steps *s, const struct rank *k);	/* k->steps not NULL */
void rank_steps_free(struct rank_steps *s);
bool rank_step_is_outlier(const struct rank_steps *s, size_t i);
void rank_step_parts(const struct rank *k, size_t i, u64 parts[STEP_PARTS]);
/* What of an outlier is longest beyond its median, by how much. */
enum step_part rank_step_why(const struct rank_steps *s, size_t i, u64 *more_ns);
/* Over its GPUs. */
struct straggler rank_straggler(const struct rank *k);

#endif
