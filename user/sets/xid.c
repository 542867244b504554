// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include "kernel_functions.h"
#include "sets.h"
#include "xid.skel.h"

TOOL_SKEL(xid_bpf);

/* Each sees an error by itself; what two of them tell is told once (bpf/xid.bpf.c). */
static const struct probe_row probes[] = {
	HOOK(xid_bpf, console, PROBE_RAW_TRACEPOINT, PROBE_OPTIONAL, NULL, "console",
	     "kernel log", 0),
	HOOK(xid_bpf, dev_xid, PROBE_RAW_TRACEPOINT, PROBE_OPTIONAL, NULL, "nvidia_dev_xid",
	     "report", 0),
	HOOK(xid_bpf, report_error, PROBE_KPROBE, PROBE_OPTIONAL, "nvidia", "nv_report_error",
	     "report", 1),
	HOOK(xid_bpf, dev_sxid, PROBE_RAW_TRACEPOINT, PROBE_OPTIONAL, NULL,
	     "nvswitch_dev_sxid", "NVSwitch report", 0),
	{}
};

#define LENGTH(a) (sizeof(a) / sizeof(*(a)))

/* devkmsg_write() and what the compiler left of the function it calls are no longer than this;
 * none of their neighbours prints. */
static int prepare(struct probe_object *object)
{
	static const char *const names[] = { "devkmsg_write", "devkmsg_emit" };
	static const u64 bytes[] = { 0x400, 0x100 };
	struct kernel_wanted wanted[LENGTH(names)] = {};
	struct xid_bpf__rodata *constants = probe_rodata(object, NULL);

	for (size_t i = 0; i < LENGTH(names); i++)
		wanted[i] = (struct kernel_wanted){ .name = names[i], .len = strlen(names[i]) };
	if (kernel_functions_find(wanted, LENGTH(names)))
		return 0;	/* what is written to /dev/kmsg is taken for the kernel's */
	for (size_t i = 0; i < LENGTH(names); i++)
		if (wanted[i].count && wanted[i].found[0].addr) {
			constants->kmsg_code[i] = wanted[i].found[0].addr;
			constants->kmsg_code_end[i] = wanted[i].found[0].addr + bytes[i];
		}
	kernel_functions_free(wanted, LENGTH(names));
	return 0;
}

const struct probe_set set_xid = {
	.name = "xid",
	.about = "errors of GPUs and NVSwitches (Xid, SXid), with the last calls of their process",
	.skel = &xid_bpf_ops,
	.probes = probes,
	.prepare = prepare,
};
