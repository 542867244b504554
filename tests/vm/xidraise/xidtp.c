// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tracepoints that nvidia.ko has from 575 on, which Debian does not package, in
 * a module of our own. HOW (xidraise.h): "report", "print", "both"; "sxid" (the
 * three lines of an NVSwitch's error, each with its tracepoint).
 */
#include <linux/module.h>
#include "xidraise.h"
#define CREATE_TRACE_POINTS
#include "xidtp_trace.h"

static void switch_line(struct order *o, const char *text)
{
	pr_err("nvidia-nvswitch0: SXid (PCI:%s): %05u, %s\n", pci_name(o->dev), o->code, text);
	trace_nvswitch_dev_sxid(o->dev, o->code, text);
}

static void raise(struct order *o)
{
	char text[64];

	if (!strcmp(o->how, "sxid")) {
		switch_line(o, "Non-fatal, Link 32 egress (First) (simulated by xidtp)");
		switch_line(o, "Severity 0 Engine instance 32 Sub-engine instance 00");
		switch_line(o, "Data {0x00000000, 0x00000000}");
		return;
	}
	if (strcmp(o->how, "report"))
		order_print(o, "xidtp");
	snprintf(text, sizeof(text), "number %u (simulated by xidtp)", o->done);
	if (strcmp(o->how, "print"))
		trace_nvidia_dev_xid(o->dev, o->code, text);
}

static int raise_set(const char *text, const struct kernel_param *kp)
{
	return order_run(text, raise);
}

static const struct kernel_param_ops raise_ops = { .set = raise_set };
module_param_cb(raise, &raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "HOW CONTEXT CODE [TIMES]");
MODULE_DESCRIPTION("the tracepoints of newer drivers, for tests");
MODULE_LICENSE("Dual BSD/GPL");
