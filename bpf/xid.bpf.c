// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Errors that NVIDIA's driver reports, wherever it reports them first. It prints
 * the line (with the process it knows of), then calls nv_report_error(), which
 * from 575 on fires the tracepoint nvidia_dev_xid: all in one thread, within one
 * call. So the line is told at once, and what the same thread reports of the same
 * device and number behind it is known to be that: once told, whichever of the
 * three there is. Order from krcReportXid() and nvErrorLog() of 515 ... 595.
 */
#include "emit.bpf.h"
#include "recent.bpf.h"
#include "scratch.bpf.h"
#include "xid_scan.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define LINE_BYTES 1024		/* the kernel's LOG_LINE_MAX */
#define FRAMES 16
#define PF_KTHREAD 0x00200000
#define STACK_BYTES 0x8000	/* of a task, with KASAN; interrupts have stacks of their own */
/* The report comes within the call that printed; a slow serial console may take its time over
 * other lines first. */
#define SAME_CALL_NS 10000000000ULL

/* Only what is read; the names of flavours are cut at "___" (CO-RE). */
struct kobject___xid { const char *name; } __attribute__((preserve_access_index));
struct device___xid { struct kobject___xid kobj; } __attribute__((preserve_access_index));
struct pci_dev___xid { struct device___xid dev; } __attribute__((preserve_access_index));

/* Where the kernel's code lies that takes what processes write to /dev/kmsg; 0: not known. */
const volatile u64 kmsg_code[2] = {};
const volatile u64 kmsg_code_end[2] = {};

struct work {			/* what does not fit on the stack, in a scratch buffer */
	struct xid_scan scan;
	u64 sp;			/* an address on the stack the probe was hit on */
	u64 frames[FRAMES];
	struct xid x;
	char text[LINE_BYTES];
	char line[LINE_BYTES];
};
_Static_assert(sizeof(struct work) <= SCRATCH_BYTES, "work fits a scratch buffer");

struct told_key {
	u64 context;
	u32 domain, slot;	/* bus << 8 | device */
	u32 code, nvswitch;
};
struct told {			/* lines that were told and not yet reported */
	u64 ts;
	u64 lines;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct told_key);
	__type(value, struct told);
} told_lines SEC(".maps");

u64 ids = 0;

/* ---- who and where ---- */

static __always_inline bool in_interrupt(struct task_struct *task, struct work *w)
{
	u64 stack = (u64)BPF_CORE_READ(task, stack);

	return *(volatile u64 *)&w->sp - stack >= STACK_BYTES;
}

/* The thread, and whether it is interrupted; idle threads share one id. */
static __always_inline u64 this_context(struct work *w)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 tid = (u32)bpf_get_current_pid_tgid();

	return (tid ? tid : 1ULL << 32 | bpf_get_smp_processor_id()) |
	       (u64)in_interrupt(task, w) << 33;
}

static __always_inline void set_task(struct xid *x)
{
	u64 id = bpf_get_current_pid_tgid();

	x->e.pid = id >> 32;
	x->e.tid = id;
	x->cgroup = bpf_get_current_cgroup_id();
}

/* The process of the driver's word; else the one in whose call it was raised. */
static __always_inline void set_owner(struct work *w)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	bool process = !(BPF_CORE_READ(task, flags) & PF_KTHREAD) && !in_interrupt(task, w);
	struct xid *x = &w->x;

	if (x->e.pid) {
		x->owner = XID_OWNER_DRIVER;
		if (process && x->e.pid == bpf_get_current_pid_tgid() >> 32)
			set_task(x);
	} else if (process && x->simulated != XID_WRITTEN) {
		x->owner = XID_OWNER_TASK;
		set_task(x);
		bpf_get_current_comm(x->comm, sizeof(x->comm));
	}
}

/* A line that a process wrote to /dev/kmsg is not the driver's. */
static __always_inline bool is_written(void *ctx, struct work *w)
{
	long n = bpf_get_stack(ctx, w->frames, sizeof(w->frames), 0);

	for (u32 i = 0; i < FRAMES && n > (long)(i * 8); i++)
		for (u32 k = 0; k < 2; k++)
			if (w->frames[i] >= kmsg_code[k] && w->frames[i] < kmsg_code_end[k])
				return true;
	return false;
}

/* ---- once ---- */

static __always_inline struct told_key told_key(struct work *w)
{
	const struct xid *x = &w->x;

	return (struct told_key){
		.context = this_context(w), .domain = x->pci_domain,
		.slot = x->pci_bus << 8 | x->pci_device, .code = x->code,
		.nvswitch = x->nvswitch,
	};
}

static __always_inline void line_told(struct work *w)
{
	struct told_key key = told_key(w);
	struct told *old = bpf_map_lookup_elem(&told_lines, &key);
	struct told now = { .ts = bpf_ktime_get_ns(), .lines = 1 };

	if (old && now.ts - old->ts < SAME_CALL_NS)
		now.lines += old->lines;
	bpf_map_update_elem(&told_lines, &key, &now, BPF_ANY);
}

/* Is this report of a line that this thread has just printed? */
static __always_inline bool was_told(struct work *w)
{
	struct told_key key = told_key(w);
	struct told *t = bpf_map_lookup_elem(&told_lines, &key);

	if (!t || !t->lines || bpf_ktime_get_ns() - t->ts >= SAME_CALL_NS)
		return false;
	t->lines--;
	return true;
}

/* ---- a record ---- */

static long scan_char(u32 i, struct work **at)
{
	struct work *w = *at;
	char c = w->line[i % LINE_BYTES];

	if (!c)
		return 1;
	xid_scan_step(&w->scan, c);
	return 0;
}

static __always_inline void scan_line(struct work *w)
{
	bpf_loop(LINE_BYTES, scan_char, &w, 0);
	xid_scan_end(&w->scan);
}

static __always_inline void fill(struct work *w, u8 source)
{
	struct xid *x = &w->x;

	emit_head(&x->e, 0, EVENT_XID);
	x->e.pid = w->scan.pid;
	x->e.tid = 0;
	x->realtime_ns = 0;
	x->code = w->scan.code;
	xid_scan_place(x, &w->scan);
	x->source = source;
	x->nvswitch = w->scan.nvswitch;
	x->simulated = w->scan.simulated ? XID_SIMULATED : 0;
	x->fatal = w->scan.fatal;
	x->owner = 0;
	x->cgroup = 0;
	__builtin_memcpy(x->comm, w->scan.name, COMM_LEN);
	x->gpu_instance = w->scan.instance[0];
	x->compute_instance = w->scan.instance[1];
	x->lines = 0;
}

/* The message becomes the tail, padded with NULs. */
static __always_inline void put(struct work *w)
{
	const char *message = &w->line[w->scan.message % LINE_BYTES];
	long n = bpf_probe_read_kernel_str(w->text, LINE_BYTES, message);
	u64 bytes = n < 1 ? 1 : n > LINE_BYTES ? LINE_BYTES : n;

	if (bytes > 1 && w->text[(bytes - 2) % LINE_BYTES] == '\n')
		w->text[(bytes - 2) % LINE_BYTES] = '\0';
	for (u32 i = 0; i < 7 && (bytes + i) % 8; i++)
		w->text[(bytes + i) % LINE_BYTES] = '\0';
	bytes = (bytes + 7) & ~7ULL;
	w->x.id = __sync_fetch_and_add(&ids, 1) + 1;
	w->x.e.size = sizeof(w->x) + bytes;
	if (emit_copy(&w->x, sizeof(w->x) + bytes))
		recent_emit(w->x.e.pid, w->x.id);
}

/* ---- the line ---- */

static __always_inline bool is_tag(const char *head)
{
	const u64 *h = (const u64 *)head;

	/* "NVRM: Xi", "nvidia-nvswitch", little-endian */
	return h[0] == 0x6958203a4d52564eULL ||
	       (h[0] == 0x6e2d61696469766eULL && h[1] << 8 == 0x6863746977737600ULL);
}

static __always_inline void from_line(void *ctx, struct work *w)
{
	xid_scan_begin(&w->scan);
	scan_line(w);
	if (!w->scan.found || w->scan.detail)
		return;
	fill(w, XID_CONSOLE);
	if (is_written(ctx, w))
		w->x.simulated = XID_WRITTEN;
	else
		line_told(w);
	set_owner(w);
	put(w);
}

SEC("raw_tp")
int console(struct bpf_raw_tracepoint_args *ctx)
{
	const char *msg = (const char *)ctx->args[0];
	u64 bytes = ctx->args[1];	/* no NUL ends them */
	_Alignas(8) char head[16] = {};
	struct scratch *s;
	struct work *w;

	if (bytes < 16 || bpf_probe_read_kernel(head, sizeof(head), msg))
		return 0;
	if (!is_tag(head))
		return 0;
	s = scratch_get();
	if (!s)
		return 0;
	w = (struct work *)s->data;
	w->sp = (u64)ctx;
	if (bytes > LINE_BYTES - 1)
		bytes = LINE_BYTES - 1;
	if (!bpf_probe_read_kernel(w->line, bytes, msg)) {
		w->line[bytes] = '\0';
		from_line(ctx, w);
	}
	scratch_put(s);
	return 0;
}

/* ---- the report ---- */

static __always_inline void scan_address(struct work *w, struct pci_dev___xid *dev)
{
	long n = bpf_probe_read_kernel_str(w->line, 32, BPF_CORE_READ(dev, dev.kobj.name));

	xid_scan_begin(&w->scan);
	xid_scan_goto(&w->scan, SCAN_ADDR);
	if (n > 0)
		w->line[(n - 1) & 31] = ')';
	w->line[n & 31] = '\0';
	scan_line(w);
}

static __always_inline void scan_message(struct work *w, const char *msg)
{
	if (bpf_probe_read_kernel_str(w->line, LINE_BYTES, msg) < 1)
		w->line[0] = '\0';
	xid_scan_goto(&w->scan, SCAN_MESSAGE);
	w->scan.message = 0;
	w->scan.at = 0;
	scan_line(w);
}

static __always_inline void from_report(struct work *w, struct pci_dev___xid *dev, u32 code,
					const char *msg, u8 source, bool nvswitch)
{
	scan_address(w, dev);
	w->scan.code = code;
	w->scan.nvswitch = nvswitch;
	scan_message(w, msg);
	if (w->scan.detail)
		return;
	fill(w, source);
	if (was_told(w))
		return;
	set_owner(w);
	put(w);
}

static __always_inline int report(u64 sp, struct pci_dev___xid *dev, u32 code,
				  const char *msg, u8 source, bool nvswitch)
{
	struct scratch *s = scratch_get();
	struct work *w;

	if (!s)
		return 0;
	w = (struct work *)s->data;
	w->sp = sp;
	from_report(w, dev, code, msg, source, nvswitch);
	scratch_put(s);
	return 0;
}

/* TP_PROTO(const struct pci_dev *pdev, uint32_t error_code, const char *msg), 575 ... 595 */
SEC("raw_tp")
int dev_xid(struct bpf_raw_tracepoint_args *ctx)
{
	return report((u64)ctx, (void *)ctx->args[0], ctx->args[1], (void *)ctx->args[2],
		      XID_TRACEPOINT, false);
}

SEC("raw_tp")
int dev_sxid(struct bpf_raw_tracepoint_args *ctx)
{
	return report((u64)ctx, (void *)ctx->args[0], ctx->args[1], (void *)ctx->args[2],
		      XID_TRACEPOINT, true);
}

/* The message is not formatted yet (before 575 not even then, unless somebody registered for
 * it): the format stands for it. */
SEC("kprobe")
int BPF_KPROBE(report_error, struct pci_dev___xid *dev, u32 code, const char *fmt)
{
	return report(PT_REGS_SP(ctx), dev, code, fmt, XID_REPORT_ERROR, false);
}
