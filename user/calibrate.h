/* What a probe costs besides its program: measured on this machine, now. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "types.h"

struct trap_cost {
	u64 uprobe_ns;		/* a hit at a function that begins by saving a register */
	u64 stepped_ns;		/* a hit at an instruction that the kernel must single-step */
	u64 uretprobe_ns;	/* a return, beside the uprobe at the entry */
};

/* 0 or a negative errno (not reported): all are then 0. */
int calibrate(struct trap_cost *t);

/* A function of ours to probe, and where a function of ours lies in our file. */
void calibrate_saves(void);
int calibrate_offset(void (*function)(void), u64 *offset);	/* 0 or a negative errno */

#endif
