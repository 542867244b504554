// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fakerm: stands where nvidia.ko stands below nvidia-uvm.ko, and offers GPUs
 * made of software, so that the real UVM driver registers them, builds page
 * tables, copies pages to and from their "video memory", and services faults
 * that user space injects. Volta interfaces, which UVM drives by plain methods.
 *
 * Load fakegpu.ko first (the PCI devices to hang DMA on), then this, then a copy
 * of nvidia-uvm.ko with its __versions section removed.
 */
#include <linux/dma-mapping.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "fakerm.h"

static unsigned int count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "GPUs, 1 to 8");
static unsigned int vid_mb = 64;
module_param(vid_mb, uint, 0444);
MODULE_PARM_DESC(vid_mb, "video memory of each GPU, in MiB; a small one makes UVM evict");
static int busnr = 0x40;
module_param(busnr, int, 0444);
MODULE_PARM_DESC(busnr, "PCI bus of the first GPU; the others are in the slots or on the buses after it");
unsigned int trace;
module_param(trace, uint, 0644);
MODULE_PARM_DESC(trace, "1: print each call of the driver");

struct gpu gpus[FAKERM_GPUS];
unsigned int gpu_count;

/* The device of GPU i: its own slot, its own bus, or the first one's. */
static struct pci_dev *pci_of(unsigned int i)
{
	struct pci_dev *pci;

	pci = pci_get_domain_bus_and_slot(0, busnr, PCI_DEVFN(i, 0));
	if (!pci)
		pci = pci_get_domain_bus_and_slot(0, busnr + i, 0);
	if (!pci)
		pci = pci_get_domain_bus_and_slot(0, busnr, 0);
	return pci;
}

int gpu_setup(struct gpu *gpu, u32 id, struct pci_dev *pci, u64 vid_size)
{
	static const u8 name[] = "fakegpu";

	gpu->id = id;
	memcpy(gpu->uuid.uuid, name, sizeof(name));
	gpu->uuid.uuid[15] = id + 1;
	gpu->pci = pci;
	dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(47));
	gpu->vid_size = vid_size;
	mutex_init(&gpu->pma_lock);
	mutex_init(&gpu->inject_lock);
	mutex_init(&gpu->put_lock);
	init_rwsem(&gpu->tlb);
	spin_lock_init(&gpu->nr_lock);
	init_irq_work(&gpu->irq, gpu_irq);
	gpu->pma.numPages2m = gpu->pma.numFreePages2m = vid_size / SZ2M;
	gpu->vid = vzalloc(vid_size);
	gpu->pma_used = bitmap_zalloc(vid_size / SZ2M, GFP_KERNEL);
	gpu->faults = kcalloc(FAULTS, sizeof(*gpu->faults), GFP_KERNEL);
	gpu->notes = kcalloc(FAULTS, sizeof(*gpu->notes), GFP_KERNEL);
	gpu->wait = kcalloc(FAULTS, sizeof(*gpu->wait), GFP_KERNEL);
	gpu->nr_shadow = kcalloc(NR_FAULTS, sizeof(*gpu->nr_shadow), GFP_KERNEL);
	if (!gpu->vid || !gpu->pma_used || !gpu->faults || !gpu->notes || !gpu->nr_shadow ||
	    !gpu->wait)
		return -ENOMEM;
	return 0;
}

void gpu_teardown(struct gpu *gpu)
{
	irq_work_sync(&gpu->irq);
	kfree(gpu->nr_shadow);
	kfree(gpu->wait);
	kfree(gpu->notes);
	kfree(gpu->faults);
	bitmap_free(gpu->pma_used);
	vfree(gpu->vid);
	pci_dev_put(gpu->pci);
}

struct gpu *gpu_find(const NvProcessorUuid *uuid)
{
	unsigned int i;

	for (i = 0; i < gpu_count; i++)
		if (!memcmp(uuid, &gpus[i].uuid, sizeof(*uuid)))
			return &gpus[i];
	return NULL;
}

static int info(struct fakerm_info *i)
{
	struct gpu *gpu;

	if (i->gpu >= gpu_count)
		return -ENODEV;
	gpu = &gpus[i->gpu];
	i->gpus = gpu_count;
	i->vid_bytes = gpu->vid_size;
	i->vid_free = gpu->pma.numFreePages2m * SZ2M;
	memcpy(i->uuid, gpu->uuid.uuid, sizeof(i->uuid));
	i->copies = atomic64_read(&gpu->copies);
	i->copy_bytes = atomic64_read(&gpu->copy_bytes);
	i->fills = atomic64_read(&gpu->fills);
	i->replays = atomic64_read(&gpu->replays);
	i->cancels = atomic64_read(&gpu->cancels);
	i->cleared = atomic64_read(&gpu->cleared);
	i->stopped = atomic64_read(&gpu->stopped);
	i->puts = atomic64_read(&gpu->puts);
	i->notifications = atomic64_read(&gpu->notes_put);
	i->pci = pci_dev_id(gpu->pci);
	i->domain = pci_domain_nr(gpu->pci->bus);
	return 0;
}

static int walk(struct fakerm_walk *w)
{
	struct user_chan c;
	struct leaf leaf = { .aperture = FAKERM_UNMAPPED };

	if (w->gpu >= gpu_count || !chan_find(&gpus[w->gpu], w->client, w->channel, &c))
		return -ENODEV;
	down_read(&c.space->gpu->tlb);
	gpu_walk(c.space, w->va, &leaf);
	up_read(&c.space->gpu->tlb);
	space_put(c.space);
	w->aperture = leaf.aperture;
	w->pa = leaf.pa;
	w->page = leaf.page;
	w->peer = leaf.peer;
	w->writable = leaf.writable;
	return 0;
}

/*
 * The lock stands for the TLB: the driver frees a page only after an invalidate,
 * and that waits for us. User memory is touched outside of it, as that may fault
 * and the fault may need the invalidate.
 */
static int copy(struct fakerm_copy *k)
{
	struct user_chan c;
	void *bounce;
	u64 left;
	u8 *p;
	int err = 0;

	if (!k->n || k->n > SZ_64K)
		return -EINVAL;
	bounce = k->write ? memdup_user(u64_to_user_ptr(k->buffer), k->n) : kmalloc(k->n,
										    GFP_KERNEL);
	if (IS_ERR_OR_NULL(bounce))
		return bounce ? PTR_ERR(bounce) : -ENOMEM;
	if (k->gpu >= gpu_count || !chan_find(&gpus[k->gpu], k->client, k->channel, &c)) {
		kfree(bounce);
		return -ENODEV;
	}
	down_read(&c.space->gpu->tlb);
	p = gpu_virt(c.space, k->va, k->write ? FAKERM_WRITE : FAKERM_READ, &left);
	if (!p || k->n > left)
		err = -ENXIO;
	else if (k->write)
		memcpy(p, bounce, k->n);
	else
		memcpy(bounce, p, k->n);
	up_read(&c.space->gpu->tlb);
	space_put(c.space);
	if (!err && !k->write && copy_to_user(u64_to_user_ptr(k->buffer), bounce, k->n))
		err = -EFAULT;
	kfree(bounce);
	return err;
}

static int inject_user(struct fakerm_inject *in)
{
	struct fakerm_fault *faults;
	int err;

	if (in->gpu >= gpu_count || !in->n || in->n > 1u << 20)
		return -EINVAL;
	faults = vmemdup_user(u64_to_user_ptr(in->faults), in->n * sizeof(*faults));
	if (IS_ERR(faults))
		return PTR_ERR(faults);
	err = inject(in, faults);
	kvfree(faults);
	return err;
}

static long control(struct file *file, unsigned int cmd, unsigned long arg)
{
	union {
		struct fakerm_inject inject;
		struct fakerm_notify notify;
		struct fakerm_walk walk;
		struct fakerm_copy copy;
		struct fakerm_info info;
		struct fakerm_xid xid;
	} u;
	int err = -ENOTTY;

	if (_IOC_SIZE(cmd) > sizeof(u) || copy_from_user(&u, (void __user *)arg,
							 _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case FAKERM_INJECT: err = inject_user(&u.inject); break;
	case FAKERM_NOTIFY: err = notify(&u.notify); break;
	case FAKERM_WALK: err = walk(&u.walk); break;
	case FAKERM_COPY: err = copy(&u.copy); break;
	case FAKERM_INFO: err = info(&u.info); break;
	case FAKERM_XID: return xid(&u.xid);
	}
	if (err != -ENOTTY && copy_to_user((void __user *)arg, &u, _IOC_SIZE(cmd)))
		return -EFAULT;
	return err;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = control,
};

static struct miscdevice control_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "fakerm",
	.fops = &control_fops,
	.mode = 0666,
};

static void teardown_all(void)
{
	while (gpu_count)
		gpu_teardown(&gpus[--gpu_count]);
}

static int __init fakerm_init(void)
{
	struct pci_dev *pci;
	int err = 0;

	if (!count || count > FAKERM_GPUS || vid_mb < 2)
		return -EINVAL;
	while (!err && gpu_count < count) {
		pci = pci_of(gpu_count);
		if (!pci)
			err = -ENODEV;
		else
			err = gpu_setup(&gpus[gpu_count], gpu_count, pci, (u64)vid_mb << 20);
		gpu_count += !!pci;
	}
	if (!err)
		err = misc_register(&control_device);
	if (err)
		teardown_all();
	return err;
}

static void __exit fakerm_exit(void)
{
	misc_deregister(&control_device);
	teardown_all();
	WARN(areas_left(), "fakerm: the driver left memory behind\n");
}

module_init(fakerm_init);
module_exit(fakerm_exit);
MODULE_DESCRIPTION("software GPUs below nvidia-uvm.ko");
MODULE_LICENSE("Dual BSD/GPL");
