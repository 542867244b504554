/* Fixed-width names that mean the same in BPF programs, in the recorder and in traced
 * processes. */
#ifndef TYPES_H
#define TYPES_H

#ifdef __bpf__
#include "vmlinux.h"
#else
#include <linux/types.h>
#include <stdbool.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
#endif

#define COMM_LEN 16	/* TASK_COMM_LEN of the kernel */

#endif
