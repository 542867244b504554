/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the exerciser says happened, and the driver's own account of it. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>
#include "softgpu.h"

struct tools;

/* One line "truth FORMAT", with step and pid; whole, whoever else writes. */
extern unsigned int truth_step;
__attribute__((format(printf, 1, 2))) void truth(const char *format, ...);
_Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...);

uint64_t now_ns(void);
const char *place_name(int place);
const char *access_name(int access);
const char *fault_name(int type);

/* The driver's tools queue of this process; NULL from a driver that refuses. */
struct tools *tools_open(struct softgpu *s);
void tools_begin(struct tools *t);
void tools_end(struct tools *t, struct softgpu *s, int each);

/*
 * The driver's statistics of all GPUs, for all processes, since the last call; not
 * there unless it was loaded with uvm_enable_debug_procfs=1.
 */
void stats_print(struct softgpu *s);

/* Where a page is, by the driver's test ioctl. */
void where(struct softgpu *s, void *p);

#endif
