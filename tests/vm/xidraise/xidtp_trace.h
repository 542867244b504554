/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracepoints of the names, arguments and fields that nvidia.ko has from 575 on. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nvidia

#if !defined(XIDTP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XIDTP_TRACE_H

#include <linux/pci.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

/* 2c92ca849fcc ("tracing/treewide: Remove second parameter of __assign_str()"), 6.10 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define ASSIGN(field, from) __assign_str(field)
#else
#define ASSIGN(field, from) __assign_str(field, from)
#endif

DECLARE_EVENT_CLASS(driver_error,
	TP_PROTO(const struct pci_dev *pdev, uint32_t error_code, const char *msg),
	TP_ARGS(pdev, error_code, msg),
	TP_STRUCT__entry(
		__string(dev, pci_name(pdev))
		__field(u32, error_code)
		__string(msg, msg)
	),
	TP_fast_assign(
		ASSIGN(dev, pci_name(pdev));
		ASSIGN(msg, msg);
		__entry->error_code = error_code;
	),
	TP_printk("%s %u %s", __get_str(dev), __entry->error_code, __get_str(msg))
);

DEFINE_EVENT(driver_error, nvidia_dev_xid,
	TP_PROTO(const struct pci_dev *pdev, uint32_t error_code, const char *msg),
	TP_ARGS(pdev, error_code, msg)
);

DEFINE_EVENT(driver_error, nvswitch_dev_sxid,
	TP_PROTO(const struct pci_dev *pdev, uint32_t error_code, const char *msg),
	TP_ARGS(pdev, error_code, msg)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE xidtp_trace
#include <trace/define_trace.h>
