// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "uvm_gpus.h"

static u64 pci_of(const struct uvm_gpu *g)
{
	return (u64)g->pci_domain << 16 | g->pci_bus << 8 | g->pci_device << 3 |
	       g->pci_function;
}

/* "0000:3b:00.0", "0000:3b:00" as the driver writes it, "3b:00.0" */
static bool parse_pci(u64 *pci, const char *text)
{
	unsigned domain = 0, bus, device, function = 0;
	int end = 0;

	if ((sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 &&
	     sscanf(text, "%8x:%2x:%2x%n", &domain, &bus, &device, &end) != 3) || text[end]) {
		domain = 0;
		end = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3 ||
		    text[end])
			return false;
	}
	*pci = (u64)domain << 16 | bus << 8 | device << 3 | function;
	return device < 32 && function < 8;
}

/* 32 hex digits, dashes anywhere between them. */
static bool parse_uuid(u8 *uuid, const char *text)
{
	u32 n = 0;

	if (!strncmp(text, "GPU-", 4) || !strncmp(text, "MIG-", 4))
		text += 4;
	for (; *text; text++) {
		const char *digits = "0123456789abcdef";
		const char *d =
		    strchr(digits, *text | ('A' <= *text && *text <= 'F' ? 0x20 : 0));

		if (*text == '-')
			continue;
		if (!d || n == 32)
			return false;
		uuid[n / 2] = uuid[n / 2] << 4 | (d - digits);
		n++;
	}
	return n == 32;
}

int uvm_choice_parse(struct uvm_choice *c, const char *text)
{
	char *end;
	unsigned long id = strtoul(text, &end, 10);

	memset(c, 0, sizeof(*c));
	if (end != text && !*end && id > 0 && id < 65536 && *text != '-' && *text != '+') {
		c->by = UVM_THE_ID;
		c->id = id;
	} else if (parse_pci(&c->pci, text)) {
		c->by = UVM_THE_PCI;
	} else if (parse_uuid(c->uuid, text)) {
		c->by = UVM_THE_UUID;
	} else {
		return fail_usage("cannot read --gpu '%s': give UVM's number (from 1), a PCI address or a UUID",
				  text);
	}
	return 0;
}

void uvm_gpus_learn(struct uvm_gpus *g, const struct uvm_gpu *gpu)
{
	struct uvm_gpu *known = hash_get(&g->by_id, gpu->gpu);

	if (!known) {
		known = must_alloc(sizeof(*known));
		hash_put(&g->by_id, gpu->gpu, known);
	}
	*known = *gpu;
}

bool uvm_gpus_chosen(const struct uvm_gpus *g, u32 id)
{
	const struct uvm_gpu *gpu = hash_get(&g->by_id, id);

	switch (g->choice.by) {
	case UVM_EVERY: return true;
	case UVM_THE_ID: return id == g->choice.id;
	case UVM_THE_PCI: return gpu && pci_of(gpu) == g->choice.pci;
	default: return gpu && !memcmp(gpu->uuid, g->choice.uuid, sizeof(gpu->uuid));
	}
}

const char *uvm_gpus_name(const struct uvm_gpus *g, u32 id, char *buf)
{
	const struct uvm_gpu *gpu = hash_get(&g->by_id, id);

	if (id == UVM_CPU)
		return "cpu";
	if (!gpu)
		return "?";
	snprintf(buf, 16, "%04x:%02x:%02x.%x", gpu->pci_domain & 0xffffff, gpu->pci_bus,
		 gpu->pci_device & 31, gpu->pci_function & 7);
	return buf;
}

void uvm_gpus_free(struct uvm_gpus *g)
{
	struct hash_slot *s;
	size_t at = 0;

	while ((s = hash_next(&g->by_id, &at)))
		free(s->value);
	hash_free(&g->by_id);
}
