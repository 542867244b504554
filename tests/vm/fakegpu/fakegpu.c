// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shows the guest PCI display devices of vendor 0x10de, each behind a host bridge of software:
 * 0000:40:00.0, 0000:41:00.0, ... Their BARs are windows into RAM that the kernel was told to
 * leave alone (memmap=512M$0x40000000), so a register reads back what was last written. It is
 * enough for nvidia.ko to probe them and stay loaded, and a device for fakerm to do DMA with.
 *
 * echo "GPU TIMES" > /sys/module/fakegpu/parameters/kick raises the interrupt of one of them.
 */
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/pci.h>

#define MAX_GPUS	8
#define FIRST_BUS	0x40
#define SLICE		(64u << 20)	/* of the reserved RAM, for each device */

static unsigned long base = 0x40000000;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "start of the reserved RAM, 64 MiB a device");
static unsigned int count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "number of devices, 1 to 8; the second half is on the second NUMA node");
static ushort device = 0x2330;
module_param(device, ushort, 0444);
MODULE_PARM_DESC(device, "PCI device id");

/*
 * Registers, frame buffer, RAMIN. Their places are set in advance, as firmware would do it: the
 * kernel allocates no PCI space inside a reserved range, it only claims what is there.
 */
static const struct {
	int bar;
	u32 size, flags, at;
} bars[] = {
	{ 0, 16 << 20, 0, 32 << 20 },
	{ 1, 32 << 20, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, 0 },
	{ 3, 16 << 20, PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH, 48 << 20 },
};

/* registers that nvidia.ko reads before it takes a device: the chip, as Hopper says it */
#define REG_BOOT_0	0x0
#define REG_BOOT_42	0xa00
#define BOOT_0		0x180000a1
#define BOOT_42		0x180a1000

static struct gpu {
	u8 config[4096];
	struct pci_bus *root;
	struct pci_sysdata sysdata;
	struct resource memory, bus;
	char name[16];
	int irq;
} gpus[MAX_GPUS];

static void put16(struct gpu *g, int at, u16 v)
{
	memcpy(g->config + at, &v, sizeof(v));
}

static void put32(struct gpu *g, int at, u32 v)
{
	memcpy(g->config + at, &v, sizeof(v));
}

static void fill_config(struct gpu *g, u64 start)
{
	int i, at;

	put16(g, PCI_VENDOR_ID, 0x10de);
	put16(g, PCI_DEVICE_ID, device);
	put16(g, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	put16(g, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put32(g, PCI_CLASS_REVISION, PCI_CLASS_DISPLAY_3D << 16 | 0xa1);
	put16(g, PCI_SUBSYSTEM_VENDOR_ID, 0x10de);
	put16(g, PCI_SUBSYSTEM_ID, 0x16c1);
	g->config[PCI_CAPABILITY_LIST] = 0x40;
	for (i = 0; i < ARRAY_SIZE(bars); i++) {
		at = PCI_BASE_ADDRESS_0 + 4 * bars[i].bar;
		put32(g, at, (u32)(start + bars[i].at) | bars[i].flags);
		if (bars[i].flags & PCI_BASE_ADDRESS_MEM_TYPE_64)
			put32(g, at + 4, (start + bars[i].at) >> 32);
	}
	/*
	 * A PCI Express endpoint, 16 GT/s x16, 256-byte payload. No MSI: to enable it warns
	 * of a device that no interrupt controller knows; without it the driver takes dev->irq.
	 */
	g->config[0x40] = PCI_CAP_ID_EXP;
	put16(g, 0x40 + PCI_EXP_FLAGS, 2);
	put32(g, 0x40 + PCI_EXP_DEVCAP, 0x10008fe1);
	put32(g, 0x40 + PCI_EXP_LNKCAP, 0x104);
	put16(g, 0x40 + PCI_EXP_LNKSTA, 0x1104);
}

static struct gpu *gpu_on(struct pci_bus *bus)
{
	unsigned int i = bus->number - FIRST_BUS;

	return i < count ? &gpus[i] : NULL;
}

static int config_read(struct pci_bus *bus, unsigned int devfn, int at, int size, u32 *v)
{
	struct gpu *g = gpu_on(bus);

	*v = ~0;
	if (!g)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (devfn || at + size > sizeof(g->config))
		return PCIBIOS_SUCCESSFUL;
	*v = 0;
	memcpy(v, g->config + at, size);
	return PCIBIOS_SUCCESSFUL;
}

/* A BAR keeps the bits that its size leaves; one that does not exist reads as zero. */
static void write_bar(struct gpu *g, int at, u32 v)
{
	int i, bar = (at - PCI_BASE_ADDRESS_0) / 4;

	for (i = 0; i < ARRAY_SIZE(bars); i++) {
		if (bar == bars[i].bar)
			put32(g, at, (v & ~(bars[i].size - 1)) | bars[i].flags);
		else if (bar == bars[i].bar + 1 && bars[i].flags)
			put32(g, at, v);
	}
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int at, int size, u32 v)
{
	struct gpu *g = gpu_on(bus);

	if (!g || devfn || at + size > sizeof(g->config))
		return PCIBIOS_SUCCESSFUL;
	if (at >= PCI_BASE_ADDRESS_0 && at <= PCI_BASE_ADDRESS_5 && size == 4)
		write_bar(g, at, v);
	else if (at == PCI_COMMAND && size >= 2)
		put16(g, at, v & (PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
				  PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE));
	else if (at == 0x40 + PCI_EXP_DEVCTL || at == 0x40 + PCI_EXP_DEVCTL2 ||
		 at == PCI_INTERRUPT_LINE || at == PCI_CACHE_LINE_SIZE)
		memcpy(g->config + at, &v, min(size, 2));
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops ops = { .read = config_read, .write = config_write };

static int kick_set(const char *s, const struct kernel_param *kp)
{
	unsigned int i, times;
	unsigned long flags;

	if (sscanf(s, "%u %u", &i, &times) != 2 || i >= count || gpus[i].irq < 0)
		return -EINVAL;
	while (times--) {
		local_irq_save(flags);
		generic_handle_irq(gpus[i].irq);
		local_irq_restore(flags);
	}
	return 0;
}

static const struct kernel_param_ops kick_ops = { .set = kick_set };
module_param_cb(kick, &kick_ops, NULL, 0200);
MODULE_PARM_DESC(kick, "GPU TIMES: raise the interrupt of a device");

static int set_registers(u64 start)
{
	void __iomem *regs = ioremap(start + bars[0].at, bars[0].size);

	if (!regs)
		return -ENOMEM;
	memset_io(regs, 0, bars[0].size);
	writel(BOOT_0, regs + REG_BOOT_0);
	writel(BOOT_42, regs + REG_BOOT_42);
	iounmap(regs);
	return 0;
}

/* An interrupt line that only kick ever raises. */
static void set_irq(struct gpu *g)
{
	struct pci_dev *dev = pci_get_slot(g->root, 0);

	g->irq = irq_alloc_desc(g->sysdata.node);
	if (g->irq >= 0 && dev) {
		irq_set_chip_and_handler(g->irq, &dummy_irq_chip, handle_simple_irq);
		dev->irq = g->irq;
	}
	pci_dev_put(dev);
}

static int gpu_add(unsigned int i)
{
	struct gpu *g = &gpus[i];
	u64 start = base + (u64)i * SLICE;
	LIST_HEAD(resources);
	int err = set_registers(start);

	if (err)
		return err;
	fill_config(g, start);
	g->sysdata.node = i * nr_online_nodes / count;
	snprintf(g->name, sizeof(g->name), "fakegpu %u", i);
	g->memory = (struct resource)DEFINE_RES_MEM_NAMED(start, SLICE, g->name);
	g->bus = (struct resource)DEFINE_RES_NAMED(FIRST_BUS + i, 1, g->name, IORESOURCE_BUS);
	pci_add_resource(&resources, &g->memory);
	pci_add_resource(&resources, &g->bus);
	g->root = pci_create_root_bus(NULL, FIRST_BUS + i, &ops, &g->sysdata, &resources);
	if (!g->root) {
		pci_free_resource_list(&resources);
		return -ENODEV;
	}
	pci_lock_rescan_remove();
	pci_scan_child_bus(g->root);
	pci_bus_claim_resources(g->root);
	set_irq(g);
	pci_bus_add_devices(g->root);
	pci_unlock_rescan_remove();
	return 0;
}

static void fakegpu_exit(void)
{
	unsigned int i;

	for (i = 0; i < count && gpus[i].root; i++) {
		pci_lock_rescan_remove();
		pci_stop_root_bus(gpus[i].root);
		pci_remove_root_bus(gpus[i].root);
		pci_unlock_rescan_remove();
		if (gpus[i].irq >= 0)
			irq_free_desc(gpus[i].irq);
	}
}

static int __init fakegpu_init(void)
{
	unsigned int i;
	int err = 0;

	if (!count || count > MAX_GPUS)
		return -EINVAL;
	for (i = 0; !err && i < count; i++)
		err = gpu_add(i);
	if (err)
		fakegpu_exit();
	return err;
}

module_init(fakegpu_init);
module_exit(fakegpu_exit);
MODULE_DESCRIPTION("PCI devices that nvidia.ko takes for GPUs");
MODULE_LICENSE("Dual BSD/GPL");
