// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What calls of drivers are called, from the generated tables of driver_table.c. */
#include <stdio.h>
#include <string.h>
#include <linux/ioctl.h>
#include "driver_calls.h"
#include "schema.h"

#define MAJOR_DRM 226		/* Documentation/admin-guide/devices.txt */
#define MAJOR_NVIDIA 195
#define NVIDIACTL 255
#define MODESET 254

static const char *find(const struct driver_names *t, u32 number)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->rows[middle].number == number)
			return t->rows[middle].name;
		if (t->rows[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static char *name_or_number(const char *name, u32 number, char *buf, size_t size)
{
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "0x%x", number);
	return buf;
}

/* What `rm` of an escape is: a control command, a class, or nothing (NULL). */
static const struct driver_names *inner(u16 escape)
{
	switch (escape) {
	case 0x2a: return &driver_controls;
	case 0x27: case 0x28: case 0x2b: case 0x54: return &driver_classes;
	}
	return NULL;
}

static char *nvidia_text(const struct driver_what *w, char *buf, size_t size)
{
	const struct driver_names *t = inner(w->escape);
	size_t n;

	name_or_number(find(&driver_escapes, w->escape), w->escape, buf, size);
	n = strlen(buf);
	if (!t || n + 2 > size)
		return buf;
	buf[n++] = ' ';
	if (w->rm == DRIVER_RM_UNKNOWN)
		snprintf(buf + n, size - n, "?");
	else
		name_or_number(find(t, w->rm), w->rm, buf + n, size - n);
	return buf;
}

/* As its driver's headers write it: _IOWR('d', 0x47, 32) */
static char *ioc_text(u32 cmd, char *buf, size_t size)
{
	static const char *const ways[] = { "_IO", "_IOW", "_IOR", "_IOWR" };
	u32 type = _IOC_TYPE(cmd);

	if (type < ' ' || type > '~' || (!_IOC_DIR(cmd) && _IOC_SIZE(cmd)))
		return name_or_number(NULL, cmd, buf, size);
	if (_IOC_DIR(cmd))
		snprintf(buf, size, "%s('%c', 0x%02x, %u)", ways[_IOC_DIR(cmd)], type,
			 _IOC_NR(cmd), _IOC_SIZE(cmd));
	else
		snprintf(buf, size, "_IO('%c', 0x%02x)", type, _IOC_NR(cmd));
	return buf;
}

char *driver_call_text(const struct driver_what *w, char *buf, size_t size)
{
	const char *op = record_enum_name(EVENT_DRIVER, "op", w->op);

	if (w->op != DRIVER_IOCTL)
		snprintf(buf, size, "%s", op ? op : "?");
	else if (w->driver == DRIVER_NVIDIA)
		nvidia_text(w, buf, size);
	else if (w->driver == DRIVER_NVIDIA_UVM)
		name_or_number(find(&driver_uvm_calls, w->cmd), w->cmd, buf, size);
	else
		ioc_text(w->cmd, buf, size);
	return buf;
}

/* "EINVAL": shorter than what strerror() says, and what people look for. */
static const char *errno_name(s32 err)
{
	const char *name = strerrorname_np(err);

	return name ? name : strerror(err);
}

char *driver_status_text(u32 status, s32 result, char *buf, size_t size)
{
	buf[0] = '\0';
	if (status && status != DRIVER_STATUS_NONE)
		name_or_number(find(&driver_status_names, status), status, buf, size);
	else if (result < 0)
		snprintf(buf, size, "%s", errno_name(-result));
	return buf;
}

char *driver_device_text(u32 device, u16 driver, char *buf, size_t size)
{
	u32 major = device >> 20, minor = device & 0xfffff;

	if (driver == DRIVER_NVIDIA_UVM)
		snprintf(buf, size, minor ? "nvidia-uvm-tools" : "nvidia-uvm");
	else if (major == MAJOR_NVIDIA && minor >= MODESET)
		snprintf(buf, size, minor == NVIDIACTL ? "nvidiactl" : "nvidia-modeset");
	else if (major == MAJOR_NVIDIA)
		snprintf(buf, size, "nvidia%u", minor);
	else if (major == MAJOR_DRM)
		snprintf(buf, size, "dri/%s%u", minor < 128 ? "card" : "renderD", minor);
	else
		snprintf(buf, size, "%u:%u", major, minor);
	return buf;
}

/* Commands of nvidia-uvm are the only ones with neither type nor direction. */
u16 driver_kind_guess(u32 device, u32 cmd)
{
	if (device >> 20 == MAJOR_NVIDIA && (device & 0xfffff) != MODESET)
		return DRIVER_NVIDIA;
	return cmd && (cmd < 0x800 || (cmd | 3) == 0x30000003) ? DRIVER_NVIDIA_UVM :
		DRIVER_OTHER;
}
