// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bpf/xid as plain C: line and report of one error, who owns it, whose word a line is. */
#include "kernel.h"

#define bpf_raw_tracepoint_args host_tracepoint_args
struct host_tracepoint_args { u64 args[4]; };
#define preserve_access_index

static u64 host_frame;		/* a return address on the kernel's stack */

static long host_stack(u64 *frames, size_t size)
{
	memset(frames, 0, size);
	frames[2] = host_frame;
	return 4 * sizeof(*frames);
}

#undef bpf_probe_read_kernel_str
#define bpf_probe_read_kernel_str(to, n, from) host_read_str((to), (n), (from))
#define bpf_get_stack(ctx, to, n, flags) host_stack((to), (n))
#define bpf_get_current_comm(to, n) (memcpy((to), "task", 5), 0)
#define bpf_loop(n, fn, ctx, flags) do {					\
	for (u32 i_ = 0; i_ < (n) && !(fn)(i_, (ctx)); i_++)			\
		;								\
} while (0)
#define BPF_KPROBE(name, args...) name(struct pt_regs *ctx, args)
#include "../../bpf/xid.bpf.c"
#undef const

#define LINE(rest) "NVRM: Xid (PCI:0000:3b:00): " rest

static struct pci_dev___xid device = { { { "0000:3b:00.0" } } };
static struct bpf_raw_tracepoint_args args;
static struct pt_regs regs;

/* The tracepoint's text ends where its length says, not with a NUL. */
static void say(const char *text)
{
	char *copy = malloc(strlen(text) + 32);

	memset(copy, '#', strlen(text) + 32);
	memcpy(copy, text, strlen(text));
	args.args[0] = (u64)copy;
	args.args[1] = strlen(text);
	console(&args);
	free(copy);
}

static void report_code(u32 code)
{
	report_error(&regs, &device, code, "format %u\n");
}

/* The last record; there are n. */
static struct xid *last(int n)
{
	struct xid *x = host_count ? host_records[host_count - 1] : NULL;

	assert(host_count == n && x && x->e.kind == EVENT_XID && x->e.size > sizeof(*x));
	assert(!(x->e.size % 8) && !((char *)x)[x->e.size - 1]);
	return x;
}

static const char *text_of(struct xid *x)
{
	return (const char *)(x + 1);
}

static void stacks(void *around)
{
	host_current.stack = around;
	regs.sp = (u64)around + 64;
}

static void once(void)
{
	struct xid *x;

	say(LINE("31, pid=100, name=train, Ch 00000010\n"));
	x = last(1);
	assert(x->code == 31 && x->e.pid == 100 && x->e.tid == 101 && x->cgroup == 77);
	assert(x->owner == XID_OWNER_DRIVER && !strcmp(x->comm, "train"));
	assert(x->pci_bus == 0x3b && !x->pci_domain && x->source == XID_CONSOLE);
	assert(!strcmp(text_of(x), "Ch 00000010"));
	report_code(31);
	last(1);			/* the same error */
	report_code(31);
	x = last(2);			/* another, without a line */
	assert(x->source == XID_REPORT_ERROR && x->owner == XID_OWNER_TASK && x->e.pid == 100);
	assert(!strcmp(x->comm, "task") && !strcmp(text_of(x), "format %u") && x->id == 2);
	report_code(32);
	last(3);			/* another number */
	say(LINE("33, pid=7, name=other, x"));
	x = last(4);
	assert(x->e.pid == 7 && !x->e.tid && !x->cgroup && !strcmp(x->comm, "other"));
	device.dev.kobj.name = "0000:3c:00.0";
	report_code(33);
	assert(last(5)->pci_bus == 0x3c);	/* another GPU */
	device.dev.kobj.name = "0000:3b:00.0";
	host_task++;
	report_code(33);
	last(6);			/* another thread */
	host_task--;
	host_now += SAME_CALL_NS;
	report_code(33);
	last(7);			/* no call takes so long */
}

static void whose(void)
{
	char elsewhere[1];
	struct xid *x;

	host_forget();
	say(LINE("40, pid='<unknown>', name=<unknown>, x"));
	assert(last(1)->owner == XID_OWNER_TASK);
	report_code(40);
	host_current.flags = PF_KTHREAD;
	say(LINE("40, pid='<unknown>', name=<unknown>, x"));
	x = last(2);
	assert(!x->owner && !x->e.pid && !x->comm[0] && !x->cgroup);
	host_current.flags = 0;
	say(LINE("41, x"));
	assert(!strcmp(text_of(last(3)), "x"));	/* nothing of the longer one before it */
	stacks(elsewhere - (1 << 20));	/* an interrupt's stack is not the task's */
	regs.sp = (u64)elsewhere;
	report_code(41);
	assert(last(4)->owner == 0);	/* nor is its report that of the thread's line */
	say(LINE("42, pid=100, name=train, x"));
	x = last(5);
	assert(x->owner == XID_OWNER_DRIVER && x->e.pid == 100 && !x->e.tid && !x->cgroup);
}

static void written(void)
{
	struct xid *x;

	host_forget();
	kmsg_code[1] = 0x1000;
	kmsg_code_end[1] = 0x1100;
	host_frame = 0x10ff;
	say(LINE("50, x"));
	x = last(1);
	assert(x->simulated == XID_WRITTEN && !x->owner && !x->e.pid);
	report_code(50);
	last(2);			/* a real one is not taken for it */
	host_frame = 0x1100;
	say(LINE("50, y (simulated by fakerm)"));
	assert(last(3)->simulated == XID_SIMULATED);
}

static void trace_with(int (*program)(struct bpf_raw_tracepoint_args *ctx))
{
	args.args[0] = (u64)&device;
	args.args[1] = 12028;
	args.args[2] = (u64)"Non-fatal, Link 32\n";
	program(&args);
}

static void switches(void)
{
	host_forget();
	host_frame = 0;
	device.dev.kobj.name = "0000:c1:00.0";
	say("nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32\n");
	assert(last(1)->nvswitch && last(1)->fatal == 2);
	trace_with(dev_sxid);
	say("nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Severity 0 Engine\n");
	say("nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Data {0x1}\n");
	say("nvidia-nvswitch0: open (major=510)");
	say("NVRM: loading NVIDIA UNIX Open Kernel Module");
	say("NVRM: Xid");
	last(1);
	trace_with(dev_xid);		/* of a GPU by that number, and not told */
	assert(!last(2)->nvswitch && last(2)->source == XID_TRACEPOINT);
}

int main(void)
{
	char longest[3000];
	int records;

	stacks((char *)&args - 512);
	once();
	stacks((char *)&args - 512);
	whose();
	stacks((char *)&args - 512);
	written();
	switches();
	records = host_count;
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, LINE("60, "), sizeof(LINE("60, ")) - 1);
	longest[sizeof(longest) - 1] = '\0';
	say(longest);			/* cut at the kernel's own length */
	assert(strlen(text_of(last(records + 1))) == LINE_BYTES - sizeof(LINE("60, ")));
	host_ring_full = 1;
	say(LINE("61, x"));
	assert(lost == 1);
	host_forget();
	return 0;
}
