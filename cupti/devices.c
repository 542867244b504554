// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * DEVICE records: which GPU an ordinal means in this process, asked of libcuda's
 * public functions by the helper thread once cuInit() is through.
 */
#include <stdio.h>
#include <string.h>
#include "library.h"

/* CUdevice_attribute */
enum { SM_COUNT = 16, PCI_BUS = 33, PCI_DEVICE = 34, PCI_DOMAIN = 50, CC_MAJOR = 75,
       CC_MINOR = 76 };

/* Records of waits name a context only; others, and its creation, tell which device that is. */
static u64 contexts[256];	/* by id: id << 32 | device */

void context_learn(u32 context, u32 device)
{
	store_relaxed(&contexts[context % 256], (u64)context << 32 | device);
}

u32 context_device(u32 context)
{
	u64 known = load_relaxed(&contexts[context % 256]);

	return known >> 32 == context ? (u32)known : 0;
}

static struct {
	int (*count)(int *n);
	int (*get)(int *device, int ordinal);
	int (*name)(char *name, int len, int device);
	int (*attribute)(int *value, int what, int device);
	int (*uuid)(u8 *uuid, int device);
	int (*memory)(size_t *bytes, int device);
} cuda;

static bool cuda_find(void)
{
	if (cuda.count)
		return true;
	cuda.get = libcuda_symbol("cuDeviceGet");
	cuda.name = libcuda_symbol("cuDeviceGetName");
	cuda.attribute = libcuda_symbol("cuDeviceGetAttribute");
	cuda.uuid = libcuda_symbol("cuDeviceGetUuid_v2");	/* of the MIG slice */
	if (!cuda.uuid)
		cuda.uuid = libcuda_symbol("cuDeviceGetUuid");
	cuda.memory = libcuda_symbol("cuDeviceTotalMem_v2");
	if (cuda.get && cuda.name && cuda.attribute && cuda.uuid && cuda.memory)
		cuda.count = libcuda_symbol("cuDeviceGetCount");
	return cuda.count;
}

static u32 attribute(int what, int device)
{
	int value = 0;

	return cuda.attribute(&value, what, device) ? 0 : value;
}

static void device_fill(struct device *d, int ordinal, int device)
{
	size_t bytes = 0;

	d->ordinal = ordinal;
	d->minor = ~0U;
	d->numa_node = -1;
	cuda.memory(&bytes, device);
	d->mem_bytes = bytes;
	d->pci_domain = attribute(PCI_DOMAIN, device);
	d->pci_bus = attribute(PCI_BUS, device);
	d->pci_device = attribute(PCI_DEVICE, device);
	d->sm_count = attribute(SM_COUNT, device);
	d->cc_major = attribute(CC_MAJOR, device);
	d->cc_minor = attribute(CC_MINOR, device);
	cuda.uuid(d->uuid, device);
	cuda.name(d->name, sizeof(d->name) - 1, device);
	d->simulated = !strncmp(d->name, "cudasim", 7);
}

static bool device_send(int ordinal)
{
	struct writer *w = writer_shared();
	struct device made = {}, *d;
	int device;

	if (cuda.get(&device, ordinal))
		return false;
	device_fill(&made, ordinal, device);
	d = record_begin(w, EVENT_DEVICE, sizeof(*d));
	if (!d)
		return false;
	memcpy(&d->mem_bytes, &made.mem_bytes, sizeof(made) - sizeof(made.e));
	d->e.ts = clock_now();
	d->e.tid = 0;
	record_end(w, d);
	return true;
}

/* Before cuInit() returns the driver says "not initialized": then the next tick tries again. */
void devices_send(void)
{
	static u32 sent_to;	/* session that has them */
	int n = 0, i;

	if (!library.cuda || sent_to == library.session || !cuda_find() || cuda.count(&n))
		return;
	for (i = 0; i < n; i++)
		if (!device_send(i))
			return;
	sent_to = library.session;
}
