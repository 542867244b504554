// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A module that is called and numbered as nvidia-uvm.ko of 570.133.20, with its functions and
 * its structs' fields where that release has them, and no GPU: what is written into
 * /proc/uvm570 is played, and what is read from it is the truth of the last one.
 *
 *	range a 0x7f0000000000 8M; faults gpu=0 range=a n=1000 access=write dup=10; ...
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "play.h"

#define TRUTH_BYTES (16UL << 20)

struct board boards[BOARDS] = { { .name = "gpu0" }, { .name = "gpu1" } };
static DEFINE_MUTEX(one_at_a_time);
static char *truth_text;
static size_t truth_size;

void truth(const char *fmt, ...)
{
	size_t room = TRUTH_BYTES - truth_size - 64;
	va_list args;

	if (truth_size + 256 > TRUTH_BYTES)
		return;
	truth_size += scnprintf(truth_text + truth_size, room, "truth ");
	va_start(args, fmt);
	truth_size += vscnprintf(truth_text + truth_size, room, fmt, args);
	va_end(args);
	truth_size += scnprintf(truth_text + truth_size, 64, " step=%u pid=%u\n",
				play->step.number, play->pid);
}

static ssize_t script_write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	char *script = n < 1 << 16 ? memdup_user_nul(from, n) : ERR_PTR(-E2BIG);
	int err;

	if (IS_ERR(script))
		return PTR_ERR(script);
	mutex_lock(&one_at_a_time);
	truth_size = 0;
	err = play_script(script);
	mutex_unlock(&one_at_a_time);
	kfree(script);
	return err ? err : n;
}

static ssize_t truth_read(struct file *file, char __user *to, size_t n, loff_t *pos)
{
	return simple_read_from_buffer(to, n, pos, truth_text, truth_size);
}

static const struct proc_ops script_ops = {
	.proc_write = script_write,
	.proc_read = truth_read,
	.proc_lseek = default_llseek,
};

static int board_init(struct board *b, struct pci_dev *device, u32 id)
{
	b->parent = kvzalloc(sizeof(*b->parent), GFP_KERNEL);
	b->gpu = kvzalloc(sizeof(*b->gpu), GFP_KERNEL);
	b->context = kvzalloc(sizeof(*b->context), GFP_KERNEL);
	b->counters = kvzalloc(sizeof(*b->counters), GFP_KERNEL);
	if (!b->parent || !b->gpu || !b->context || !b->counters)
		return -ENOMEM;
	b->parent->id.val = id;
	b->parent->pci_dev = (u64)device;
	*(u64 *)b->parent->gpus = (u64)b->gpu;
	memset(b->parent->uuid, 0x50 + id, sizeof(b->parent->uuid));
	strscpy(b->parent->rm_info.name, "stand-in of 570.133.20", 64);
	b->gpu->id.val = id;
	b->gpu->parent = (u64)b->parent;
	memset(b->gpu->uuid, 0x50 + id, sizeof(b->gpu->uuid));
	b->counters->parent_gpu = (u64)b->parent;
	return 0;
}

int boards_init(void)
{
	struct pci_dev *device = NULL;
	int err = 0;
	u32 i;

	for (i = 0; i < BOARDS && !err; i++) {
		device = pci_get_device(0x10de, PCI_ANY_ID, device);	/* fakegpu's, or none */
		err = board_init(&boards[i], device, i + 1);
	}
	pci_dev_put(device);
	if (err)
		boards_exit();
	return err;
}

void boards_exit(void)
{
	struct board *b;

	for (b = boards; b < boards + BOARDS; b++) {
		kvfree(b->parent);
		kvfree(b->gpu);
		kvfree(b->context);
		kvfree(b->counters);
	}
}

static int __init uvm570_init(void)
{
	int err = nvidia570_boards() == BOARDS ? boards_init() : -EINVAL;

	if (err)
		return err;
	truth_text = vzalloc(TRUTH_BYTES);
	if (truth_text && proc_create("uvm570", 0600, NULL, &script_ops))
		return 0;
	vfree(truth_text);
	boards_exit();
	return -ENOMEM;
}

static void __exit uvm570_exit(void)
{
	remove_proc_entry("uvm570", NULL);
	vfree(truth_text);
	boards_exit();
}

module_init(uvm570_init);
module_exit(uvm570_exit);
MODULE_DESCRIPTION("stand-in for nvidia-uvm.ko, of gpuscope's tests");
MODULE_VERSION("570.133.20");
MODULE_LICENSE("Dual BSD/GPL");
