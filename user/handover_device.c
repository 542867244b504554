// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a traced process cannot or need not find out about its GPU: the minor number of
 * /dev/nvidiaN and the NUMA node of its slot, by the PCI address it told. */
#include <stdio.h>
#include <string.h>
#include "handover_peer.h"

/* The number behind `key` in a small text file (key "": at its start); false: not there. */
static bool number_read(const char *path, const char *key, int *value)
{
	char line[256];
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, key, strlen(key)) &&
			sscanf(line + strlen(key), "%d", value) == 1;
	if (f)
		fclose(f);
	return found;
}

void device_place(struct device *d, const char *root)
{
	char path[256], slot[32];
	int value;

	if (d->simulated)
		return;
	snprintf(slot, sizeof(slot), "%04x:%02x:%02x.%x", d->pci_domain & 0xffff, d->pci_bus,
		 d->pci_device, d->pci_function & 7);
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/numa_node", root, slot);
	if (number_read(path, "", &value))
		d->numa_node = value;
	snprintf(path, sizeof(path), "%s/proc/driver/nvidia/gpus/%s/information", root, slot);
	if (number_read(path, "Device Minor:", &value))
		d->minor = value;
}
