// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices: CUDASIM_DEVICES of them (1), alike but for their ordinal, UUID and PCI address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define DEVICE_MEMORY (80ull << 30)

static void device_fill(struct device *d, int ordinal)
{
	struct sim_device_info *info = &d->info;
	int cc = setting_number("CC", 90);

	d->ordinal = ordinal;
	snprintf(info->name, sizeof(info->name), "cudasim virtual GPU %d", ordinal);
	snprintf((char *)info->uuid, sizeof(info->uuid), "cudasim-gpu-%03d", ordinal);
	info->mem_bytes = DEVICE_MEMORY;
	info->cc_major = cc / 10;
	info->cc_minor = cc % 10;
	info->sm_count = 132;
	info->pci_bus = 0x10 + ordinal;
	if (uvm_used())
		uvm_device(info, ordinal);
}

/*
 * CUDASIM_MIG="GI:CI,...": GPU 0 is divided into these instances, of a seventh each. As of the
 * real thing a program sees one, the first.
 */
static bool instance_fill(struct device *d)
{
	struct sim_device_info *info = &d->info;
	const char *s = setting("MIG");

	if (!s || sscanf(s, "%u:%u", &info->gpu_instance, &info->compute_instance) != 2)
		return false;
	info->mig = true;
	info->mem_bytes /= 7;
	info->sm_count = 16;
	snprintf((char *)info->mig_uuid, sizeof(info->mig_uuid), "cudasim-mig-%u-%u",
		 info->gpu_instance, info->compute_instance);
	snprintf(info->name, sizeof(info->name), "cudasim virtual GPU %d MIG 1g.11gb",
		 d->ordinal);
	return true;
}

static void devices_fill(void)
{
	int real = uvm_open(), count = real ? real : setting_number("DEVICES", 1);

	engine.device_count = count < 0 ? 0 : count > MAX_DEVICES ? MAX_DEVICES : count;
	for (int i = 0; i < engine.device_count; i++)
		device_fill(&engine.devices[i], i);
	if (engine.device_count && instance_fill(&engine.devices[0]))
		engine.device_count = 1;
}

void devices_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, devices_fill);
}

struct device *device_of(CUdevice ordinal)
{
	return ordinal >= 0 && ordinal < engine.device_count ? &engine.devices[ordinal] : NULL;
}

static const struct { int attribute, value; } attributes[] = {
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152 },
	{ CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536 },
	{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
	{ CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
	{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000 },
	{ CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512 },
	{ CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1 },
	{ CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
	{ CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1 },
	{ CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 2619000 },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 5120 },
	{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20 },
	{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048 },
	{ CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, COPY_ENGINES },
	{ CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
	{ CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472 },
	{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536 },
	{ CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1 },
	{ CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1 },
	{ CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1 },
	{ CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1 },
	{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448 },
	{ CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32 },
	{ CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024 },
	{ CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1 },
	{ CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1 },
	{ CU_DEVICE_ATTRIBUTE_NUMA_ID, -1 },
	{ CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0 },
};

/* An attribute that is not in the table is 0: the device cannot do it. */
static CUresult attribute_get(int *value, int attribute, CUdevice device)
{
	struct device *d = device_of(device);

	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attribute <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	*value = 0;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (attributes[i].attribute == attribute)
			*value = attributes[i].value;
	if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
		*value = d->info.sm_count;
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
		*value = d->info.cc_major;
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
		*value = d->info.cc_minor;
	else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
		*value = d->info.pci_domain;
	else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		*value = d->info.pci_bus;
	else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
		*value = d->info.pci_device;
	return CUDA_SUCCESS;
}

static CUresult get(CUdevice *device, int ordinal)
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	*device = ordinal;
	return device_of(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult count_get(int *count)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = engine.device_count;
	return CUDA_SUCCESS;
}

static CUresult text_put(char *to, int size, const char *text)
{
	if (!to || size <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(to, size, "%s", text);
	return CUDA_SUCCESS;
}

static CUresult name_get(char *name, int size, CUdevice device)
{
	struct device *d = device_of(device);

	return d ? text_put(name, size, d->info.name) : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult uuid_get(CUuuid *uuid, CUdevice device, bool of_instance)
{
	struct device *d = device_of(device);

	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(uuid->bytes, of_instance && d->info.mig ? d->info.mig_uuid : d->info.uuid,
	       sizeof(uuid->bytes));
	return CUDA_SUCCESS;
}

static CUresult memory_total(size_t *bytes, CUdevice device)
{
	struct device *d = device_of(device);

	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = d->info.mem_bytes;
	return CUDA_SUCCESS;
}

static CUresult pci_get(char *text, int size, CUdevice device)
{
	struct device *d = device_of(device);
	char id[32];

	if (!d)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(id, sizeof(id), "%04x:%02x:%02x.0", d->info.pci_domain, d->info.pci_bus,
		 d->info.pci_device);
	return text_put(text, size, id);
}

static CUresult pci_find(CUdevice *device, const char *text)
{
	unsigned int domain = 0, bus, slot;

	if (!device || !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) < 3) {
		domain = 0;
		if (sscanf(text, "%x:%x", &bus, &slot) < 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (int i = 0; i < engine.device_count; i++) {
		*device = i;
		if (engine.devices[i].info.pci_domain == domain &&
		    engine.devices[i].info.pci_bus == bus)
			return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

static CUresult peer_get(int *can, CUdevice device, CUdevice peer)
{
	if (!device_of(device) || !device_of(peer))
		return CUDA_ERROR_INVALID_DEVICE;
	*can = device != peer;
	return CUDA_SUCCESS;
}

API(cuDeviceGet, (CUdevice *device, int ordinal), (device, ordinal), get(device, ordinal))
API(cuDeviceGetCount, (int *count), (count), count_get(count))
API(cuDeviceGetName, (char *name, int size, CUdevice device), (name, size, device),
    name_get(name, size, device))
API(cuDeviceGetUuid, (CUuuid *uuid, CUdevice device), (uuid, device),
    uuid_get(uuid, device, false))
API(cuDeviceGetUuid_v2, (CUuuid *uuid, CUdevice device), (uuid, device),
    uuid_get(uuid, device, true))
API(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
    (value, attribute, device), attribute_get(value, attribute, device))
API(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device), (bytes, device),
    memory_total(bytes, device))
API(cuDeviceGetPCIBusId, (char *text, int size, CUdevice device), (text, size, device),
    pci_get(text, size, device))
API(cuDeviceGetByPCIBusId, (CUdevice *device, const char *text), (device, text),
    pci_find(device, text))
API(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), (can, device, peer),
    peer_get(can, device, peer))
