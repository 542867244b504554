// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A module that is called and numbered as NVIDIA's of 570.133.20, for the one beside it. */
#include <linux/module.h>
#include "driver.h"

/* so that nvidia_uvm depends on nvidia, as the real one does */
u32 nvidia570_boards(void)
{
	return BOARDS;
}
EXPORT_SYMBOL(nvidia570_boards);

MODULE_DESCRIPTION("stand-in for nvidia.ko, of gpuscope's tests");
MODULE_VERSION("570.133.20");
MODULE_LICENSE("Dual BSD/GPL");
