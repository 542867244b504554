// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* devicetest ROOT DOMAIN BUS DEVICE: what the recorder adds to a DEVICE record, from the tree
 * at ROOT. */
#include <stdio.h>
#include <stdlib.h>
#include "handover_peer.h"

int main(int argc, char **argv)
{
	struct device d = { .minor = ~0U, .numa_node = -1 };

	if (argc != 5)
		return 2;
	d.pci_domain = strtoul(argv[2], NULL, 16);
	d.pci_bus = strtoul(argv[3], NULL, 16);
	d.pci_device = strtoul(argv[4], NULL, 16);
	device_place(&d, argv[1]);
	printf("minor %d numa %d\n", (int)d.minor, d.numa_node);
	return 0;
}
