/* What a probe costs besides its program: measured on this machine, now. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>
#include "types.h"

struct trap_cost {
	u64 uprobe_ns;		/* a hit at a function that begins by saving a register */
	u64 stepped_ns;		/* a hit at an instruction that the kernel must single-step */
	u64 uretprobe_ns;	/* a return, beside the uprobe at the entry */
	/* on functions of the kernel; fentry and fexit are calls: in the program's time */
	u64 kprobe_ns, kretprobe_ns;
	u64 kprobe_multi_ns, kretprobe_multi_ns;
};

/* 0 or a negative errno (not reported): all are then 0. */
int calibrate(struct trap_cost *t);
/* Those on functions of user code, of the kernel, or both. */
int calibrate_types(struct trap_cost *t, bool user, bool kernel);
u64 trap_ns(const struct trap_cost *t, u8 type);	/* enum probe_type; 0: a call */

/* A function of ours to probe, and where a function of ours lies in our file. */
void calibrate_saves(void);
int calibrate_offset(void (*function)(void), u64 *offset);	/* 0 or a negative errno */

#endif
