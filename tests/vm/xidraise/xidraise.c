// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Raises errors through the real nvidia.ko: its nv_report_error(), with and without
 * the line that the driver prints before. HOW (xidraise.h): "report", "print", "both"
 * as the driver does it, "other" (the line of one number, the report of the next).
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include "xidraise.h"

typedef void report_fn(struct pci_dev *dev, u32 code, const char *format, va_list ap);

/* No module may look symbols up by name; kprobes may. */
static report_fn *find(void)
{
	struct kprobe k = { .symbol_name = "nv_report_error" };
	report_fn *fn = NULL;

	if (!register_kprobe(&k)) {
		fn = (report_fn *)k.addr;
		unregister_kprobe(&k);
	}
	return fn;
}

static report_fn *report_error;

static __printf(3, 4) void report(struct pci_dev *dev, u32 code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	report_error(dev, code, format, ap);
	va_end(ap);
}

static void raise(struct order *o)
{
	u32 code = o->code;

	if (strcmp(o->how, "report"))
		order_print(o, "xidraise");
	if (!strcmp(o->how, "other"))
		code++;
	if (strcmp(o->how, "print"))
		report(o->dev, code, "number %u (simulated by xidraise)", o->done);
}

static int raise_set(const char *text, const struct kernel_param *kp)
{
	report_error = find();
	return report_error ? order_run(text, raise) : -ENXIO;
}

static const struct kernel_param_ops raise_ops = { .set = raise_set };
module_param_cb(raise, &raise_ops, NULL, 0200);
MODULE_PARM_DESC(raise, "HOW CONTEXT CODE [TIMES]");
MODULE_DESCRIPTION("errors through nv_report_error(), for tests");
MODULE_LICENSE("Dual BSD/GPL");
