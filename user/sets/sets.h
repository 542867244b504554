/*
 * The probe sets there are. user/sets/NAME.c holds the rows of one, beside its
 * skeleton: a tool names one, gpurec opens many, gpucheck says which of their
 * probes work here.
 */
#ifndef SETS_H
#define SETS_H

#include "probe.h"

extern const struct probe_set set_block, set_culaunch, set_fault, set_follow, set_gpuioctl,
	set_ioctl, set_sched, set_stack, set_stack5, set_uvm, set_xid;

#endif
