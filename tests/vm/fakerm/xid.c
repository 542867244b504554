// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Error messages in the driver's format, for tools that read the kernel log. None
 * is of a real GPU, and each says so. Write "GPU CODE PID NAME TEXT" to the
 * parameter "xid", or "sxid"; or let faults that the driver cancelled say Xid 31.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include "fakerm.h"

static bool xids;
module_param(xids, bool, 0644);
MODULE_PARM_DESC(xids, "a fault that ends in a cancel or a stopped channel prints Xid 31");

int xid(const struct fakerm_xid *x)
{
	struct pci_dev *pci;
	char owner[64] = "";

	if (x->gpu >= gpu_count)
		return -ENODEV;
	pci = gpus[x->gpu].pci;
	if (x->pid)
		snprintf(owner, sizeof(owner), "pid=%u, name=%.15s, ", x->pid, x->name);
	if (x->nvswitch)
		pr_err("nvidia-nvswitch%u: SXid (PCI:%s): %05u, %.199s (simulated by fakerm)\n",
		       x->gpu, pci_name(pci), x->code, x->text);
	else
		pr_err("NVRM: Xid (PCI:%04x:%02x:%02x): %u, %s%.199s (simulated by fakerm)\n",
		       pci_domain_nr(pci->bus), pci->bus->number, PCI_SLOT(pci->devfn), x->code,
		       owner, x->text);
	return 0;
}

/* The client is a process id, by the convention of softgpu.h. */
void xid_fault(struct gpu *gpu, const struct fakerm_fault *f, bool replayable)
{
	static const char *const accesses[] = { "READ", "WRITE", "ATOMIC_STRONG", "PREFETCH" };
	struct fakerm_xid x = { .gpu = gpu->id, .code = 31, .pid = f->client };
	struct task_struct *task;

	if (!xids)
		return;
	rcu_read_lock();
	task = pid_task(find_vpid(f->client), PIDTYPE_PID);
	if (task)
		get_task_comm(x.name, task);
	rcu_read_unlock();
	snprintf(x.text, sizeof(x.text),
		 "Ch %08x, intr 00000000. MMU Fault: ENGINE %s faulted @ 0x%x_%08x. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_%s",
		 f->channel, replayable ? "GRAPHICS GPC0 GPCCLIENT_T1_0" : "CE0 HUBCLIENT_CE0",
		 (u32)(f->va >> 32), (u32)f->va, accesses[f->access & 3]);
	xid(&x);
}

static int text_set(const char *s, const struct kernel_param *kp)
{
	struct fakerm_xid x = { .nvswitch = *(const bool *)kp->arg };

	if (sscanf(s, "%u %u %u %15s %199[^\n]", &x.gpu, &x.code, &x.pid, x.name, x.text) != 5)
		return -EINVAL;
	return xid(&x);
}

static const struct kernel_param_ops text_ops = { .set = text_set };
static bool of_gpu = false, of_switch = true;
module_param_cb(xid, &text_ops, &of_gpu, 0200);
MODULE_PARM_DESC(xid, "write \"GPU CODE PID NAME TEXT\": the driver's message, PID 0 without a process");
module_param_cb(sxid, &text_ops, &of_switch, 0200);
MODULE_PARM_DESC(sxid, "the same, as of an NVSwitch");
