// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See titles.h. */
#include <stdio.h>
#include <string.h>
#include "driver_calls.h"
#include "symbols.h"
#include "titles.h"

/* The program's own function that made the call. */
static const char *managed_function(struct model *m, const struct managed *x)
{
	u32 kernel = 0, n, cut;
	const u64 *frames;

	n = x->api && x->stack ? model_stack(m, x->stack, &frames, &kernel) : 0;
	if (n <= kernel)
		return NULL;
	cut = kernel + model_frames_between(m, frames + kernel, n - kernel);
	return cut < n ? demangle(model_frame_name(m, frames[cut], NULL)) : NULL;
}

const char *managed_name(struct model *m, const struct managed *x, char *buf, size_t size)
{
	const char *function = x ? managed_function(m, x) : NULL;

	if (!x)
		snprintf(buf, size, "(in no allocation that is known)");
	else if (function)
		snprintf(buf, size, "%s %s", function, x->api);
	else if (x->api)
		snprintf(buf, size, "0x%llx %s", x->addr, x->api);
	else
		snprintf(buf, size, "0x%llx (as the driver knows it)", x->addr);
	return buf;
}

const char *uvm_gpu_name(const struct uvm_gpu_info *g, char *buf, size_t size)
{
	if (!g->g.gpu)
		snprintf(buf, size, "UVM's %u", g->id);
	else if (g->device)
		snprintf(buf, size, "GPU %u", g->device->gpu);
	else
		snprintf(buf, size, "%04x:%02x:%02x.%x %s", g->g.pci_domain, g->g.pci_bus,
			 g->g.pci_device, g->g.pci_function, g->g.name);
	return buf;
}

const char *driver_name(const struct driver_call *d, char *buf, size_t size)
{
	struct driver_what w = { d->device, d->cmd, d->rm, d->op ? d->op : DRIVER_IOCTL,
				 d->escape, d->driver };

	if (!w.driver)		/* where it was recorded by the system call alone */
		w.driver = driver_kind_guess(d->device, d->cmd);
	return driver_call_text(&w, buf, size);
}

const char *gpu_vendor(const char *gpu)
{
	static const char *const rows[][2] = {
		{ "AMD", "AMD" }, { "Radeon", "AMD" }, { "Instinct", "AMD" }, { "gfx", "AMD" },
		{ "Intel", "Intel" }, { "MTIA", "Meta" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(gpu, rows[i][0]))
			return rows[i][1];
	return gpu[0] ? "NVIDIA" : NULL;
}
