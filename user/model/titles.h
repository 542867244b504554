/* How things of the model are called in reports and timelines alike. */
#ifndef TITLES_H
#define TITLES_H

#include <stddef.h>
#include "model.h"

/* Each writes into buf and returns it. */

/* "make_buffers() cudaMallocManaged", as good as it is known; x NULL: is not; size >= 64 */
const char *managed_name(struct model *m, const struct managed *x, char *buf, size_t size);
/* "GPU 0", else its PCI address */
const char *uvm_gpu_name(const struct uvm_gpu_info *g, char *buf, size_t size);
/* "ioctl 0x..." */
const char *driver_name(const struct driver_call *d, char *buf, size_t size);

/* Who made a GPU of this name, constant; NULL: it does not say. */
const char *gpu_vendor(const char *gpu);

#endif
