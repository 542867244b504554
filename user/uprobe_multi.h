/* Many uprobes in one link (Linux 6.6): attached and taken away in one go. By the system call
 * itself, as the oldest libbpf we build with does not know it. */
#ifndef UPROBE_MULTI_H
#define UPROBE_MULTI_H

#include "types.h"

/* BPF_TRACE_UPROBE_MULTI: what the program must be loaded for */
#define UPROBE_MULTI_ATTACH 48

int uprobe_multi_try(void);	/* 0, or a negative errno: the kernel cannot */
/*
 * Does naming a process mean all its threads? Linux 6.6 to 6.9 took the first
 * thread alone (46ba0e49b642 "bpf: fix multi-uprobe PID filtering logic").
 */
bool uprobe_multi_by_process(void);
/* The link's descriptor, or a negative errno. pid 0: all processes that map the file. */
int uprobe_multi_link(int program, const char *path, const u64 *offsets, u32 count, bool ret,
		      u32 pid);

#endif
