// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words of PyTorch's profiler: categories since 2021 (until then "Kernel" and
 * "Operator" were written large), names of copies, waits and overheads.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "chrome.h"

enum chrome_kind kineto_kind(const char *category, size_t n)
{
	static const struct { const char *name; enum chrome_kind kind; } rows[] = {
		{ "cpu_op", CHROME_OP }, { "operator", CHROME_OP }, { "hpu_op", CHROME_OP },
		{ "kernel", CHROME_KERNEL },
		{ "gpu_memcpy", CHROME_COPY }, { "memcpy", CHROME_COPY },
		{ "gpu_memset", CHROME_SET }, { "memset", CHROME_SET },
		{ "mtia_ccp_events", CHROME_ENGINE },
		{ "cuda_runtime", CHROME_RUNTIME }, { "hip_runtime", CHROME_RUNTIME },
		{ "runtime", CHROME_RUNTIME }, { "xpu_runtime", CHROME_RUNTIME },
		{ "mtia_runtime", CHROME_RUNTIME }, { "glow_runtime", CHROME_RUNTIME },
		{ "privateuse1_runtime", CHROME_RUNTIME },
		{ "cuda_driver", CHROME_DRIVER }, { "hip_driver", CHROME_DRIVER },
		{ "xpu_driver", CHROME_DRIVER }, { "privateuse1_driver", CHROME_DRIVER },
		{ "driver", CHROME_DRIVER },
		{ "cuda_sync", CHROME_SYNC }, { "xpu_sync", CHROME_SYNC },
		{ "overhead", CHROME_OVERHEAD },
		{ "user_annotation", CHROME_ANNOTATION },
		{ "gpu_user_annotation", CHROME_GPU_ANNOTATION },
		{ "python_function", CHROME_PYTHON },
		{ "trace", CHROME_PROFILER }, { "cuda_profiler_range", CHROME_RANGE },
		{ "cuda_event", CHROME_GPU_EVENT }, { "collective_comm", CHROME_GPU_EVENT },
		{ "cpu_instant_event", CHROME_MEMORY },
		{ "hardware_counters", CHROME_COUNTERS }, { "mtia_counters", CHROME_COUNTERS },
		{ "xpu_scope_profiler", CHROME_COUNTERS },
		{ "ac2g", CHROME_LAUNCH_FLOW }, { "async_gpu", CHROME_LAUNCH_FLOW },
		{ "async_cpu_to_gpu", CHROME_LAUNCH_FLOW },
		{ "fwdbwd", CHROME_FLOW }, { "forward_backward", CHROME_FLOW },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].name) == n && !strncasecmp(rows[i].name, category, n))
			return rows[i].kind;
	return CHROME_OTHER;
}

/* The kind of memory that a text begins with. AMD says Host, of whatever kind. */
static u16 memory_kind(const char *s)
{
	static const struct { const char *name; u16 kind; } rows[] = {
		{ "Pageable", MEMORY_PAGEABLE }, { "Pinned", MEMORY_PINNED },
		{ "Device Static", MEMORY_DEVICE_STATIC }, { "Device", MEMORY_DEVICE },
		{ "Array", MEMORY_ARRAY }, { "Managed Static", MEMORY_MANAGED_STATIC },
		{ "Managed", MEMORY_MANAGED }, { "Shared", MEMORY_MANAGED },
	};

	for (size_t i = 0; s && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strncasecmp(s, rows[i].name, strlen(rows[i].name)))
			return rows[i].kind;
	return MEMORY_UNKNOWN;
}

/* From the initials of where it comes from and goes to. */
static u16 copy_kind(char from, char to)
{
	static const char pairs[][2] = {
		[COPY_HTOD] = "HD", [COPY_DTOH] = "DH", [COPY_HTOA] = "HA", [COPY_ATOH] = "AH",
		[COPY_ATOA] = "AA", [COPY_ATOD] = "AD", [COPY_DTOA] = "DA", [COPY_DTOD] = "DD",
		[COPY_HTOH] = "HH", [COPY_PTOP] = "PP",
	};

	for (u16 kind = COPY_HTOD; kind <= COPY_PTOP; kind++)
		if (pairs[kind][0] == from && pairs[kind][1] == to)
			return kind;
	return COPY_UNKNOWN;
}

static char initial(const char *s)
{
	if (*s == 'M' || *s == 'm')	/* XPU: system memory */
		return 'H';
	return *s & ~0x20;
}

/* "Memcpy HtoD (Pinned -> Device)", "CopyHostToDevice", "DEVICE_TO_HOST", "Memcpy M2D" */
void kineto_copy_name(struct copy *r, const char *name)
{
	const char *sides = strchr(name, '('), *arrow = sides ? strstr(sides, "-> ") : NULL;
	const char *to;

	r->src_kind = memory_kind(sides ? sides + 1 : NULL);
	r->dst_kind = memory_kind(arrow ? arrow + 3 : NULL);
	if (!strncasecmp(name, "memcpy ", 7))
		name += 7;
	else if (!strncasecmp(name, "copy", 4))
		name += 4;
	to = strcasestr(name, "to");
	if (to && to > name)
		to += 2 + (to[2] == '_');
	else if (name[0] && name[1] == '2')
		to = name + 2;
	else
		return;
	r->copy_kind = copy_kind(initial(name), initial(to));
	if (!sides && initial(name) == 'D')
		r->src_kind = MEMORY_DEVICE;
	if (!sides && initial(to) == 'D')
		r->dst_kind = MEMORY_DEVICE;
}

enum sync_type kineto_sync_type(const char *name)
{
	static const struct { const char *name; enum sync_type type; } rows[] = {
		{ "Event Sync", SYNC_EVENT }, { "Stream Wait Event", SYNC_STREAM_WAIT_EVENT },
		{ "Stream Sync", SYNC_STREAM }, { "Context Sync", SYNC_CONTEXT },
		{ "event_wait", SYNC_STREAM_WAIT_EVENT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].type;
	return SYNC_UNKNOWN;
}

bool kineto_overhead(const char *name, u32 *what)
{
	static const char *const names[] = {	/* of CUpti_ActivityOverheadKind >> 16 */
		"Unknown", "Buffer Flush", "Instrumentation", "Resource",
		"Runtime Triggered Module Loading", "Lazy Function Loading",
		"Command Buffer Full", "Activity Buffer Request",
	};

	*what = 1;
	if (!strcmp(name, "Driver Compiler"))
		return true;
	for (u32 i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*what = i << 16;
		if (!strcmp(name, names[i]))
			return true;
	}
	*what = 0;
	return false;
}

u32 kineto_type_bytes(const char *type)
{
	static const struct { const char *name; u32 bytes; } rows[] = {
		{ "Float", 4 }, { "Half", 2 }, { "BFloat16", 2 }, { "Double", 8 }, { "Int", 4 },
		{ "Long", 8 }, { "Short", 2 }, { "Byte", 1 }, { "Char", 1 }, { "Bool", 1 },
		{ "Float8_e5m2", 1 }, { "Float8_e4m3fn", 1 }, { "Float8_e5m2fnuz", 1 },
		{ "Float8_e4m3fnuz", 1 }, { "ComplexHalf", 4 }, { "ComplexFloat", 8 },
		{ "ComplexDouble", 16 }, { "UInt16", 2 }, { "UInt32", 4 }, { "UInt64", 8 },
	};

	for (size_t i = 0; type && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcasecmp(type, rows[i].name))
			return rows[i].bytes;
	return 0;
}

u32 kineto_number_in(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789");

	return *digits ? strtoul(digits, NULL, 10) : ~0u;
}
