/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is raised, and in which context, written to a module's parameter "raise":
 *   HOW CONTEXT CODE [TIMES]
 * CONTEXT: process (the one that writes), irq (a hard interrupt on top of it), work (a kernel
 * thread). */
#ifndef XIDRAISE_H
#define XIDRAISE_H

#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

struct order {
	char how[16], context[16];
	unsigned int code, times, done;
	struct pci_dev *dev;
	void (*raise)(struct order *o);
	struct irq_work irq;
	struct work_struct work;
};

/* The device of fakegpu: NVIDIA's, class VGA or 3D. */
static inline struct pci_dev *order_device(void)
{
	struct pci_dev *dev = NULL;

	while ((dev = pci_get_device(0x10de, PCI_ANY_ID, dev)))
		if (dev->class >> 16 == PCI_BASE_CLASS_DISPLAY)
			return dev;
	return NULL;
}

static void order_irq(struct irq_work *w)
{
	struct order *o = container_of(w, struct order, irq);

	o->raise(o);
}

static void order_work(struct work_struct *w)
{
	struct order *o = container_of(w, struct order, work);

	o->raise(o);
}

static inline void order_once(struct order *o)
{
	if (!strcmp(o->context, "irq")) {
		o->irq = IRQ_WORK_INIT_HARD(order_irq);
		irq_work_queue(&o->irq);
		irq_work_sync(&o->irq);
	} else if (!strcmp(o->context, "work")) {
		INIT_WORK_ONSTACK(&o->work, order_work);
		schedule_work(&o->work);
		flush_work(&o->work);
		destroy_work_on_stack(&o->work);
	} else {
		o->raise(o);
	}
}

static inline int order_run(const char *text, void (*raise)(struct order *o))
{
	struct order o = { .times = 1, .raise = raise };

	if (sscanf(text, "%15s %15s %u %u", o.how, o.context, &o.code, &o.times) < 3)
		return -EINVAL;
	o.dev = order_device();
	if (!o.dev)
		return -ENODEV;
	for (; o.done < o.times; o.done++)
		order_once(&o);
	pci_dev_put(o.dev);
	return 0;
}

/* The line as the driver prints it: with the process when it knows one. */
static inline void order_print(const struct order *o, const char *by)
{
	unsigned int domain = pci_domain_nr(o->dev->bus), bus = o->dev->bus->number;
	bool process = !strcmp(o->context, "process");

	if (process)
		pr_err("NVRM: Xid (PCI:%04x:%02x:%02x): %u, pid=%d, name=%.15s, number %u (simulated by %s)\n",
		       domain, bus, PCI_SLOT(o->dev->devfn), o->code, current->tgid,
		       current->comm, o->done, by);
	else
		pr_err("NVRM: Xid (PCI:%04x:%02x:%02x): %u, pid='<unknown>', name=<unknown>, number %u (simulated by %s)\n",
		       domain, bus, PCI_SLOT(o->dev->devfn), o->code, o->done, by);
}

#endif
