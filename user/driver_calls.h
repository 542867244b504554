/* Calls of NVIDIA's drivers: where a version keeps their status, and their names. */
#ifndef DRIVER_CALLS_H
#define DRIVER_CALLS_H

#include <stddef.h>
#include "host.h"
#include "rm.h"

/* For the probes: of the driver that is loaded, else of the newest one known. */
void driver_statuses(struct rm_status rm[RM_ROWS][RM_SIZES], u16 uvm[UVM_CALLS]);
u32 driver_uvm_major(void);		/* of /dev/nvidia-uvm; 0: not loaded */

/* ---- names (driver_names.c) ---- */

/* What was called: "RM_CONTROL NV0000_CTRL_CMD_GPU_GET_PROBED_IDS", "UVM_INITIALIZE", "mmap";
 * unknown ones by their numbers. */
struct driver_what { u32 device, cmd, rm; u16 op, escape, driver; };
char *driver_call_text(const struct driver_what *w, char *buf, size_t size);
/* "NV_ERR_INVALID_DEVICE", "EINVAL", "0x..."; "" for success and for calls that have none. */
char *driver_status_text(u32 status, s32 result, char *buf, size_t size);
/* "nvidia0", "nvidiactl", "nvidia-uvm", "dri/renderD128"; others "10:229" */
char *driver_device_text(u32 device, u16 driver, char *buf, size_t size);
/* Of a recent call, of which only the device is known. */
u16 driver_kind_guess(u32 device, u32 cmd);

/* Generated (driver_table.py): sorted by number. */
struct driver_name { u32 number; const char *name; };
struct driver_place { u32 number; u16 since, offset; };	/* since: branch of the driver */
struct driver_names { const struct driver_name *rows; size_t count; };
extern const struct driver_names driver_escapes, driver_controls, driver_classes,
	driver_status_names, driver_uvm_calls;
extern const struct driver_place driver_uvm_status[];	/* ends with offset 0xffff */

#endif
