// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the model delivers, one line a thing, in the order of delivery; then its counts.
 *   modeldump FILE [quiet]      quiet: the counts only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "log.h"
#include "model.h"

static struct model *m;
static bool quiet;

#define say(...) (quiet ? 0 : printf(__VA_ARGS__))

static const char *stack_text(u64 id)
{
	static char buf[1024];
	const u64 *frames;
	u32 kernel, n = model_stack(m, id, &frames, &kernel);
	int at = snprintf(buf, sizeof(buf), "%s", n ? "" : "-");

	for (u32 i = 0; i < n; i++)
		at += snprintf(buf + at, sizeof(buf) - at, "%s%s%s", i ? ";" : "",
			       model_frame_name(m, frames[i], NULL), i < kernel ? "_[k]" : "");
	return buf;
}

static int put_task(void *ctx, const struct task *t)
{
	say("task pid=%u tid=%u what=%u process=%u comm=%s\n", t->e.pid, t->e.tid, t->what,
	    t->process, t->comm);
	return 0;
}

static int put_device(void *ctx, const struct device_info *d)
{
	say("device producer=%u ordinal=%u gpu=%u name=%s\n", d->producer, d->ordinal, d->gpu,
	    d->d.name);
	return 0;
}

static int put_api(void *ctx, const struct api_call *c)
{
	say("api ts=%llu producer=%u correlation=%u name=%s depth=%u ops=%u stack=%s\n",
	    c->r.e.ts, c->r.e.producer, c->r.correlation, c->name, c->r.depth, c->ops,
	    stack_text(c->stack));
	return 0;
}

static int put_op(void *ctx, const struct gpu_op *op)
{
	say("op ts=%llu dur=%llu name=%s gpu=%u producer=%u pid=%u call=%s link=%u early=%u captured=%u stack=%s\n",
	    op->g->e.ts, op->g->dur_ns, op->name, op->device->gpu, op->process->producer,
	    op->process->pid, op->call ? op->call->name : "-", op->link, op->early,
	    op->captured, stack_text(op->stack));
	return 0;
}

static int put_sync(void *ctx, const struct sync *s, const struct api_call *c)
{
	say("sync ts=%llu dur=%llu type=%u call=%s\n", s->g.e.ts, s->g.dur_ns, s->type,
	    c ? c->name : "-");
	return 0;
}

static int put_nvtx(void *ctx, const struct nvtx *n)
{
	say("nvtx ts=%llu dur=%llu name=%s\n", n->e.ts, n->dur_ns,
	    model_name(m, n->e.producer, n->name));
	return 0;
}

static int put_host(void *ctx, const struct host_event *h)
{
	say("%s ts=%llu tid=%u call=%s:%u\n", record_type(h->e->kind)->name, h->e->ts,
	    h->e->tid, h->call ? h->call->name : "-", h->call ? h->call->r.correlation : 0);
	return 0;
}

static const char *memory_text(const struct uvm_event *u)
{
	static char buf[1200];

	if (!u->memory)
		return "-";
	snprintf(buf, sizeof(buf), "0x%llx+%llu:%u:%s:%s", u->memory->addr, u->memory->bytes,
		 u->memory_link, u->memory->api ? u->memory->api : "-",
		 stack_text(u->memory->stack));
	return buf;
}

static int put_uvm(void *ctx, const struct uvm_event *u)
{
	say("%s ts=%llu pid=%u gpu=%d device=%d memory=%s call=%s link=%u kernels=",
	    record_type(u->e->kind)->name, u->e->ts, u->process ? u->process->pid : 0,
	    u->gpu ? (int)u->gpu->id : 0,
	    u->gpu && u->gpu->device ? (int)u->gpu->device->gpu : -1, memory_text(u),
	    u->call ? u->call->name : "-", u->kernels_link);
	for (u32 i = 0; i < u->kernel_n; i++)
		say("%s%s:%u:%llu", i ? "," : "", u->kernels[i]->name,
		    u->kernels[i]->process->pid, u->kernels[i]->overlap_ns);
	say("%s\n", u->kernel_n ? "" : "-");
	return 0;
}

static int put_xid(void *ctx, const struct xid_event *x)
{
	say("xid ts=%llu code=%u pid=%u comm=%s device=%d\n", x->x->e.ts, x->x->code,
	    x->process ? x->process->pid : 0, x->process ? x->process->comm : "-",
	    x->device ? (int)x->device->gpu : -1);
	return 0;
}

static int put_xid_call(void *ctx, const struct xid_call *c, const char *name)
{
	say("xid_call ts=%llu xid=%llu age=%u name=%s\n", c->e.ts, c->xid, c->age,
	    name ? name : "-");
	return 0;
}

static void put_uvm_counts(const struct model_counts *c)
{
	for (u32 i = 0; i < UVM_KINDS; i++) {
		const struct uvm_links *l = &c->uvm[i];

		if (l->events)
			printf("uvm %s=%llu owned=%llu memory=%llu/%llu/%llu kernels=%llu/%llu/%llu no_device=%llu in_call=%llu\n",
			       record_type(EVENT_UVM_FAULT + i)->name, l->events, l->owned,
			       l->memory_exact, l->memory_range, l->memory_none, l->kernel_one,
			       l->kernel_overlap, l->kernel_none, l->no_device, l->in_call);
	}
	if (c->allocs + c->frees)
		printf("managed allocs=%llu frees=%llu no_stack=%llu unknown=%llu\n", c->allocs,
		       c->frees, c->alloc_no_stack, c->free_unknown);
}

static void put_counts(void)
{
	const struct model_counts *c = model_counts(m);
	const struct process_info *const *p;
	struct rusage usage;
	size_t n = model_processes(m, &p);

	for (size_t i = 0; i < n; i++)
		say("process pid=%u ppid=%u producer=%u comm=%s start=%llu end=%llu\n",
		    p[i]->pid, p[i]->ppid, p[i]->producer, p[i]->comm, p[i]->start_ns,
		    p[i]->end_ns);
	printf("counts records=%llu first=%llu last=%llu kernels=%llu copies=%llu sets=%llu graphs=%llu\n",
	       c->records, c->first_ns, c->last_ns, c->ops[OP_KERNEL], c->ops[OP_COPY],
	       c->ops[OP_SET], c->ops[OP_GRAPH]);
	printf("links correlated=%llu uncorrelated=%llu early=%llu no_stack=%llu captured=%llu sync=%llu/%llu host=%llu/%llu\n",
	       c->op_correlated, c->op_uncorrelated, c->op_early, c->op_no_stack,
	       c->op_captured, c->sync_correlated, c->sync_uncorrelated, c->host_in_call,
	       c->host_outside);
	printf("calls api=%llu nested=%llu evicted=%llu\n", c->api, c->api_nested, c->evicted);
	printf("gaps undefined_names=%llu undefined_stacks=%llu unknown_kinds=%llu blocks_missing=%llu lost_unknown=%llu cupti=%llu\n",
	       c->undefined_names, c->undefined_stacks, c->unknown_kinds, c->blocks_missing,
	       c->lost_unknown, c->lost[LOST_CUPTI]);
	put_uvm_counts(c);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory max_kb=%ld\n", usage.ru_maxrss);
}

int main(int argc, char **argv)
{
	static const struct view view = {
		.task = put_task, .device = put_device, .api = put_api, .op = put_op,
		.sync = put_sync, .nvtx = put_nvtx, .host = put_host, .uvm = put_uvm,
		.xid = put_xid, .xid_call = put_xid_call,
	};
	char *damage = NULL;
	int err;

	log_init("modeldump", false);
	if (argc < 2)
		return fail_usage("which FILE?"), 2;
	quiet = argc > 2;
	m = model_new(&view, NULL);
	err = model_run(m, argv[1], NULL, &damage);
	put_counts();
	if (damage)
		printf("damage %s\n", damage);
	free(damage);
	model_free(m);
	return err || damage ? 1 : 0;
}
