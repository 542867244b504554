/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stands for the driver's header of this name below nv_uvm_interface.h: of what
 * that one brings, the interface's types need these alone.
 */
#ifndef FAKERM_UVM_LINUX_H
#define FAKERM_UVM_LINUX_H

#include <linux/pci.h>
#include <linux/types.h>

#endif
