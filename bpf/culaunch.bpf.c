// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kernel launches at the driver API. Names are learnt where the program asks the
 * driver for a function by name; a launch then only carries the name's id.
 */
#include "culaunch.h"
#include "call.bpf.h"
#include "scratch.bpf.h"
#include "task.bpf.h"

#define NAME_ROOM (SCRATCH_BYTES / 2)	/* longer names are cut */

const volatile u64 min_ns = 0;
const volatile bool only_failed = false;

enum { CALL_GET_FUNCTION = 16, CALL_KERNEL_FUNCTION = 17, CALL_GET_NAME = 18 };

/* ---- names ---- */

struct func_key {
	u32 pid;
	u32 pad;
	u64 func;		/* CUfunction or CUkernel */
};

struct func_name {
	u64 hash;		/* of the text: asked again, it is not sent again */
	u32 id;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct func_key);
	__type(value, struct func_name);
} func_names SEC(".maps");

u32 last_name = 0;

static __always_inline struct func_key func_key(u64 func)
{
	return (struct func_key){ .pid = bpf_get_current_pid_tgid() >> 32, .func = func };
}

static __always_inline u64 hash_text(const u64 *text, u32 bytes)
{
	u64 h = bytes;

	for (u32 i = 0; i < NAME_ROOM / 8 && i * 8 < bytes; i++)
		h = (h ^ text[i]) * 0x9e3779b97f4a7c15ULL;
	return h;
}

/* The text at `user` is the name of `func`. */
static __always_inline void name_learn(u64 func, u64 user)
{
	struct func_key key = func_key(func);
	struct func_name *old, new = {};
	struct scratch *s = scratch_get();
	struct name *r;
	long n;

	if (!s)
		return;
	r = (struct name *)s->data;
	n = bpf_probe_read_user_str(r + 1, NAME_ROOM, (void *)user);
	if (n > 0 && n <= NAME_ROOM) {
		u32 bytes = (n + 7) & ~7u;

		/* what lies behind the text, up to the next multiple of 8, is zero */
		for (u32 i = 0; i < 8; i++)
			s->data[(sizeof(*r) + n + i) & (SCRATCH_BYTES - 1)] = 0;
		new.hash = hash_text((u64 *)(r + 1), bytes);
		old = bpf_map_lookup_elem(&func_names, &key);
		if (!old || old->hash != new.hash) {
			new.id = __sync_fetch_and_add(&last_name, 1) + 1;
			bytes += sizeof(*r);
			emit_head(&r->e, bytes, EVENT_NAME);
			r->id = new.id;
			r->what = NAME_KERNEL;
			emit_copy(r, bytes & (SCRATCH_BYTES - 1));
			bpf_map_update_elem(&func_names, &key, &new, BPF_ANY);
		}
	}
	scratch_put(s);
}

static __always_inline u64 read_pointer(u64 user)
{
	u64 v = 0;

	bpf_probe_read_user(&v, sizeof(v), (void *)user);
	return v;
}

/* cuModuleGetFunction(out, module, name), cuLibraryGetKernel(out, library, name) */
SEC("uprobe")
int get_function_enter(struct pt_regs *ctx)
{
	struct call c = { 0, { call_arg(ctx, 0), call_arg(ctx, 2) } };

	if (wanted())
		call_begin(ctx, CALL_GET_FUNCTION, &c);
	return 0;
}

SEC("uretprobe")
int get_function_exit(struct pt_regs *ctx)
{
	struct call c;
	u64 dur;

	if (call_end(ctx, CALL_GET_FUNCTION, &c, &dur) && !(s32)PT_REGS_RC(ctx))
		name_learn(read_pointer(c.arg[0]), c.arg[1]);
	return 0;
}

/* cuKernelGetFunction(out, kernel): another handle of the same name */
SEC("uprobe")
int kernel_function_enter(struct pt_regs *ctx)
{
	struct call c = { 0, { call_arg(ctx, 0), call_arg(ctx, 1) } };

	if (wanted())
		call_begin(ctx, CALL_KERNEL_FUNCTION, &c);
	return 0;
}

SEC("uretprobe")
int kernel_function_exit(struct pt_regs *ctx)
{
	struct func_name *known, copy;
	struct func_key key;
	struct call c;
	u64 dur;

	if (!call_end(ctx, CALL_KERNEL_FUNCTION, &c, &dur) || (s32)PT_REGS_RC(ctx))
		return 0;
	key = func_key(c.arg[1]);
	known = bpf_map_lookup_elem(&func_names, &key);
	if (!known)
		return 0;
	copy = *known;
	key = func_key(read_pointer(c.arg[0]));
	bpf_map_update_elem(&func_names, &key, &copy, BPF_ANY);
	return 0;
}

/* cuFuncGetName(out, function), cuKernelGetName(out, kernel) */
SEC("uprobe")
int get_name_enter(struct pt_regs *ctx)
{
	struct call c = { 0, { call_arg(ctx, 0), call_arg(ctx, 1) } };

	if (wanted())
		call_begin(ctx, CALL_GET_NAME, &c);
	return 0;
}

SEC("uretprobe")
int get_name_exit(struct pt_regs *ctx)
{
	struct call c;
	u64 dur;

	if (call_end(ctx, CALL_GET_NAME, &c, &dur) && !(s32)PT_REGS_RC(ctx))
		name_learn(c.arg[1], read_pointer(c.arg[0]));
	return 0;
}

/* ---- launches ---- */

struct launch_args {		/* what of a launch is kept between entry and return: CALL_ARGS
				 * words */
	u64 func, stream;
	u32 grid[3], block[3];
	u32 shared_bytes, pad;
};
_Static_assert(sizeof(struct launch_args) == 8 * CALL_ARGS, "launch_args is struct call's arg");

static __always_inline void launch_begin(struct pt_regs *ctx, u32 api,
					 const struct launch_args *a)
{
	struct call c;

	__builtin_memcpy(c.arg, a, sizeof(*a));
	call_begin(ctx, api, &c);
}

static __always_inline u32 name_of(u64 func)
{
	struct func_key key = func_key(func);
	struct func_name *n = bpf_map_lookup_elem(&func_names, &key);

	return n ? n->id : 0;
}

static __always_inline int launch_end(struct pt_regs *ctx, u32 api)
{
	s32 result = PT_REGS_RC(ctx);
	struct launch_args a;
	struct launch *l;
	struct call c;
	u64 dur;

	if (!call_end(ctx, api, &c, &dur) || dur < min_ns || (only_failed && !result))
		return 0;
	task_tell();
	l = emit_begin(sizeof(*l), EVENT_LAUNCH);
	if (!l)
		return 0;
	__builtin_memcpy(&a, c.arg, sizeof(a));
	l->e.ts = c.start;
	l->dur_ns = dur;
	l->func = a.func;
	l->stream = a.stream;
	l->name = api == LAUNCH_GRAPH ? 0 : name_of(a.func);
	__builtin_memcpy(l->grid, a.grid, sizeof(l->grid));
	__builtin_memcpy(l->block, a.block, sizeof(l->block));
	l->shared_bytes = a.shared_bytes;
	l->result = result;
	l->api = api;
	emit_end(l);
	return 0;
}

/* (f, grid x y z, block x y z, shared bytes, stream, ...) */
static __always_inline int launch_args_begin(struct pt_regs *ctx, u32 api)
{
	struct launch_args a = {};

	if (!wanted())
		return 0;
	a.func = call_arg(ctx, 0);
	a.grid[0] = call_arg(ctx, 1);
	a.grid[1] = call_arg(ctx, 2);
	a.grid[2] = call_arg(ctx, 3);
	a.block[0] = call_arg(ctx, 4);
	a.block[1] = call_arg(ctx, 5);
	a.block[2] = call_arg(ctx, 6);
	a.shared_bytes = call_arg(ctx, 7);
	a.stream = call_arg(ctx, 8);
	launch_begin(ctx, api, &a);
	return 0;
}

SEC("uprobe")
int launch_enter(struct pt_regs *ctx)
{
	return launch_args_begin(ctx, LAUNCH_KERNEL);
}

SEC("uretprobe")
int launch_exit(struct pt_regs *ctx)
{
	return launch_end(ctx, LAUNCH_KERNEL);
}

SEC("uprobe")
int cooperative_enter(struct pt_regs *ctx)
{
	return launch_args_begin(ctx, LAUNCH_COOPERATIVE);
}

SEC("uretprobe")
int cooperative_exit(struct pt_regs *ctx)
{
	return launch_end(ctx, LAUNCH_COOPERATIVE);
}

struct launch_config {		/* begin of CUlaunchConfig: part of the driver's ABI since
				 * 11.8 */
	u32 grid[3], block[3];
	u32 shared_bytes, pad;
	u64 stream;
};

/* (config, f, ...) */
SEC("uprobe")
int launch_ex_enter(struct pt_regs *ctx)
{
	struct launch_config config = {};
	struct launch_args a = {};

	if (!wanted())
		return 0;
	bpf_probe_read_user(&config, sizeof(config), (void *)call_arg(ctx, 0));
	a.func = call_arg(ctx, 1);
	a.stream = config.stream;
	__builtin_memcpy(a.grid, config.grid, sizeof(a.grid));
	__builtin_memcpy(a.block, config.block, sizeof(a.block));
	a.shared_bytes = config.shared_bytes;
	launch_begin(ctx, LAUNCH_KERNEL_EX, &a);
	return 0;
}

SEC("uretprobe")
int launch_ex_exit(struct pt_regs *ctx)
{
	return launch_end(ctx, LAUNCH_KERNEL_EX);
}

/* (graph exec, stream) */
SEC("uprobe")
int graph_enter(struct pt_regs *ctx)
{
	struct launch_args a = { .func = call_arg(ctx, 0), .stream = call_arg(ctx, 1) };

	if (wanted())
		launch_begin(ctx, LAUNCH_GRAPH, &a);
	return 0;
}

SEC("uretprobe")
int graph_exit(struct pt_regs *ctx)
{
	return launch_end(ctx, LAUNCH_GRAPH);
}
