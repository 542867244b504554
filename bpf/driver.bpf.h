/*
 * Calls on devices: which count, how a call's beginning meets its end, and what
 * becomes of it: a record, a sum, one of the last calls of its process.
 *
 * A call can be seen twice, as a system call and inside the driver; each keeps
 * its beginning with the thread, and the driver's end takes the other away.
 */
#ifndef DRIVER_BPF_H
#define DRIVER_BPF_H

#include "emit.bpf.h"
#include "recent.bpf.h"
#include "rm.bpf.h"
#include "task.bpf.h"
#include <bpf/bpf_core_read.h>

#define S_IFMT  0170000
#define S_IFCHR 0020000
#define MINORS  0xfffff			/* in `devices`: all of that major */
#define MAJOR(dev) ((dev) >> 20)
#define MAJOR_MEMORY 1			/* /dev/null and its like */
#define MAJOR_NVIDIA 195		/* Documentation/admin-guide/devices.txt */
#define NVIDIA_MODESET (MAJOR_NVIDIA << 20 | 254)	/* has commands of its own */

const volatile bool any_device = true;	/* instead of those in `devices` */
const volatile bool each = true;	/* a record for each call that is no poll */
const volatile bool sum_all = false;	/* sums of all calls, not of polls alone */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);		/* major << 20 | minor or MINORS */
	__type(value, u32);
} devices SEC(".maps");

/* ---- sums ---- */

struct sum_key {
	u32 pid, device, cmd, rm, status;
	s32 result;
	u16 op, escape, driver, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);	/* user space takes dead processes out */
	__uint(max_entries, 16384);
	__type(key, struct sum_key);
	__type(value, struct driver_sum);
} driver_sums SEC(".maps");

static const struct driver_sum sum_none = {};

/* ---- calls that have begun ---- */

enum { IN_SYSCALL, IN_DRIVER, PLACES };

struct driver_begun {
	u64 ts;			/* 0: none */
	u64 arg, bytes;
	struct inode *inode;	/* of the device; NULL: not known yet */
	u32 cmd, device;
	s32 fd;
	u16 op, driver;
	struct rm_asked asked;
};

struct driver_thread {
	struct driver_begun in[PLACES];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct driver_thread);
} driver_threads SEC(".maps");

struct module___driver {
	char name[56];
} __attribute__((preserve_access_index));

struct cdev___driver {
	struct module___driver *owner;
} __attribute__((preserve_access_index));

struct inode___driver {
	struct cdev___driver *i_cdev;	/* from its first open on */
} __attribute__((preserve_access_index));

/* nvidia-uvm has another major each time it is loaded, and may be loaded at any time: whose
 * the device is the kernel knows. */
static __always_inline bool is_uvm(struct inode *inode)
{
	static const char uvm[] = "nvidia_uvm";
	struct cdev___driver *cdev = BPF_CORE_READ((struct inode___driver *)inode, i_cdev);
	struct module___driver *owner = cdev ? BPF_CORE_READ(cdev, owner) : NULL;
	char name[sizeof(uvm)] = {};

	if (!owner || bpf_probe_read_kernel(name, sizeof(name), owner->name))
		return false;
	for (u32 n = 0; n < sizeof(uvm); n++)
		if (name[n] != uvm[n])
			return false;
	return true;
}

static __always_inline u16 driver_of(const struct driver_begun *b)
{
	if (MAJOR(b->device) == MAJOR_NVIDIA && b->device != NVIDIA_MODESET)
		return DRIVER_NVIDIA;
	return b->inode && is_uvm(b->inode) ? DRIVER_NVIDIA_UVM : DRIVER_OTHER;
}

/* Terminals of all sorts: Documentation/admin-guide/devices.txt. */
static __always_inline bool is_terminal(u32 major)
{
	return (major >= 2 && major <= 5) || (major >= 136 && major <= 143) ||
	       major == 166 || major == 188 || major == 204;
}

static __always_inline bool device_wanted(u32 device, u16 op)
{
	u32 all = device | MINORS;

	if (!device)
		return false;
	if (any_device)
		return !is_terminal(MAJOR(device)) &&
		       (op == DRIVER_IOCTL || MAJOR(device) != MAJOR_MEMORY);
	return bpf_map_lookup_elem(&devices, &device) || bpf_map_lookup_elem(&devices, &all);
}

static __always_inline struct driver_thread *driver_thread(u64 flags)
{
	return bpf_task_storage_get(&driver_threads, bpf_get_current_task_btf(), NULL, flags);
}

static __always_inline void driver_ask(struct driver_begun *b)
{
	if (b->driver == DRIVER_NVIDIA)
		rm_ask(&b->asked, b->cmd, b->arg);
	else
		b->asked.escape = b->driver == DRIVER_NVIDIA_UVM ? b->cmd : IOC_NR(b->cmd);
}

/* Of a device that is wanted, or not known yet; what->ts is filled in here. */
static __always_inline void driver_keep(u32 place, struct driver_begun *what)
{
	struct driver_thread *t = driver_thread(BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		emit_lost_map();
		return;
	}
	what->driver = driver_of(what);
	if (what->op == DRIVER_IOCTL)
		driver_ask(what);
	what->ts = bpf_ktime_get_ns();
	t->in[place & 1] = *what;
}

static __always_inline void driver_begin(u32 place, struct driver_begun *what)
{
	if (device_wanted(what->device, what->op))
		driver_keep(place, what);
}

/* ---- calls that have ended ---- */

static __always_inline u32 log2_us(u64 ns)
{
	u64 us = ns / 1000;
	u32 n = 0;

	for (; us && n < DRIVER_SLOTS - 1; n++)
		us >>= 1;
	return n;
}

static __always_inline void sum_name(struct driver_sum *s, const struct sum_key *k, u64 now)
{
	s->e.pid = k->pid;
	s->e.tid = only_tid;
	s->e.size = sizeof(*s);
	s->e.kind = EVENT_DRIVER_SUM;
	s->e.cpu = CPU_UNKNOWN;
	s->since_ns = now;
	s->cmd = k->cmd;
	s->device = k->device;
	s->rm = k->rm;
	s->status = k->status;
	s->result = k->result;
	s->op = k->op;
	s->escape = k->escape;
	s->driver = k->driver;
}

static __always_inline struct driver_sum *sum_of(const struct sum_key *k, u64 now)
{
	struct driver_sum *s = bpf_map_lookup_elem(&driver_sums, k);

	if (s)
		return s;
	bpf_map_update_elem(&driver_sums, k, &sum_none, BPF_NOEXIST);
	s = bpf_map_lookup_elem(&driver_sums, k);
	if (s)
		sum_name(s, k, now);
	else
		emit_lost_map();
	if (!use_followed)
		task_tell();
	return s;
}

static __always_inline void driver_sum(const struct driver_begun *b, const struct rm_seen *r,
				       s32 result, u64 now)
{
	struct sum_key k = {
		.pid = bpf_get_current_pid_tgid() >> 32, .device = b->device, .cmd = b->cmd,
		.rm = b->asked.rm, .status = r->status, .result = result < 0 ? result : 0,
		.op = b->op, .escape = b->asked.escape, .driver = b->driver,
	};
	struct driver_sum *s = sum_of(&k, now);
	u64 ns = now - b->ts;

	if (!s)
		return;
	__sync_fetch_and_add(&s->time_ns, ns);
	__sync_fetch_and_add(&s->slots[log2_us(ns)], 1);
	if (ns > s->max_ns)
		s->max_ns = ns;
	__sync_fetch_and_add(&s->count, 1);
}

static __always_inline void driver_emit(const struct driver_begun *b, const struct rm_seen *r,
					s32 result, u64 now)
{
	struct driver_call *c = emit_begin(sizeof(*c), EVENT_DRIVER);

	if (!c)
		return;
	c->e.ts = b->ts;
	c->dur_ns = now - b->ts;
	c->cmd = b->cmd;
	c->device = b->device;
	c->fd = b->fd;
	c->result = result;
	c->rm = b->asked.rm;
	c->status = r->status;
	c->client = r->client;
	c->object = r->object;
	c->bytes = b->op == DRIVER_MMAP ? b->bytes : r->bytes;
	c->op = b->op;
	c->escape = b->asked.escape;
	c->driver = b->driver;
	c->pad = 0;
	emit_end(c);
}

static __always_inline void driver_recent(const struct driver_begun *b, const struct rm_seen *r,
					  s32 result, u64 now)
{
	struct recent_call c = {
		.ts = b->ts, .dur_ns = now - b->ts, .device = b->device,
		.cmd = (b->cmd & ~0xff) | (b->asked.escape & 0xff), .rm = b->asked.rm,
		.result = result, .what = RECENT_DRIVER, .op = b->op,
	};

	recent_add(&c);
}

static __always_inline void driver_see(struct driver_begun *b, s32 result, struct rm_seen *r)
{
	if (b->op == DRIVER_OPEN)
		b->driver = driver_of(b);	/* an inode's first open makes it known */
	if (b->op != DRIVER_IOCTL)
		return;
	if (b->driver == DRIVER_NVIDIA && !b->asked.known)
		rm_ask(&b->asked, b->cmd, b->arg);
	if (b->driver == DRIVER_NVIDIA && !b->asked.known)
		b->asked.rm = DRIVER_RM_UNKNOWN;
	if (b->driver == DRIVER_NVIDIA)
		rm_see(r, &b->asked, result >= 0);
	else if (b->driver == DRIVER_NVIDIA_UVM && result >= 0)
		r->status = uvm_status(b->cmd, b->arg);
}

/* An open is about a device only when it is done: 0 for one that is not wanted. */
static __always_inline void driver_opened(u32 place, struct inode *inode, u32 device, s32 fd)
{
	struct driver_thread *t = driver_thread(0);

	if (!t)
		return;
	if (!device_wanted(device, DRIVER_OPEN))
		t->in[place & 1].ts = 0;
	t->in[place & 1].device = device;
	t->in[place & 1].inode = inode;
	t->in[place & 1].fd = fd;
}

static __always_inline int driver_end(u32 place, u16 op, s32 result)
{
	struct driver_thread *t = driver_thread(0);
	struct rm_seen r = { .status = DRIVER_STATUS_NONE };
	struct driver_begun b;
	u64 now;

	if (!t || !t->in[place & 1].ts || t->in[place & 1].op != op)
		return 0;
	now = bpf_ktime_get_ns();
	b = t->in[place & 1];
	t->in[place & 1].ts = 0;
	if (place == IN_DRIVER && t->in[IN_SYSCALL].op == op)
		t->in[IN_SYSCALL].ts = 0;
	driver_see(&b, result, &r);
	if (sum_all || op == DRIVER_POLL)
		driver_sum(&b, &r, result, now);
	if (op == DRIVER_POLL)
		return 0;
	driver_recent(&b, &r, result, now);
	if (each) {
		if (!use_followed)
			task_tell();
		driver_emit(&b, &r, result, now);
	}
	return 0;
}

#endif
