// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report as JSON, second part: unified memory, driver calls, errors of GPUs, findings. */
#include "finding.h"
#include "out.h"
#include "report_json.h"

static void put_histogram(struct json *j, const char *key, struct histogram *h)
{
	json_object(j, key);
	json_u64(j, "count", h->count);
	json_u64(j, "total_ns", h->sum);
	json_u64(j, "p50_ns", histogram_percentile(h, 50));
	json_u64(j, "p99_ns", histogram_percentile(h, 99));
	json_u64(j, "max_ns", h->max);
	json_close(j);
}

static void put_accesses(struct json *j, const char *key, const u64 *faults)
{
	json_object(j, key);
	for (int i = 0; i < UVM_ACCESSES; i++)
		json_u64(j, record_enum_name(EVENT_UVM_FAULT, "access", i), faults[i]);
	json_close(j);
}

static void put_ways(struct json *j, const u64 bytes[WAYS][UVM_CAUSES])
{
	static const char *const ways[WAYS] = { "to_gpu", "to_cpu", "gpu_to_gpu" };

	json_object(j, "migrated_bytes");
	for (int w = 0; w < WAYS; w++) {
		json_object(j, ways[w]);
		for (int c = 0; c < UVM_CAUSES; c++)
			if (bytes[w][c])
				json_u64(j, uvm_cause_name(c), bytes[w][c]);
		json_close(j);
	}
	json_close(j);
}

static void put_marks(struct json *j, const u64 *marks)
{
	json_object(j, "marks");
	for (int i = 1; i < UVM_MARKS; i++)
		json_u64(j, record_enum_name(EVENT_UVM_MARK, "what", i), marks[i]);
	json_close(j);
}

static void put_memory(struct json *j, struct report *r, struct memory_row *m)
{
	const struct managed *x = m->memory;
	char name[256];

	json_object(j, NULL);
	json_u64(j, "pid", m->process ? m->process->pid : 0);
	json_str(j, "name", managed_name(r->model, m->memory, name, sizeof(name)));
	json_str(j, "link", !x ? "none" : x->api ? "exact" : "range");
	json_hex(j, "addr", x ? x->addr : 0);
	json_u64(j, "allocations", x ? x->allocs : 0);
	json_u64(j, "bytes", x ? x->live_max : 0);
	json_u64(j, "gpu_faults", memory_faults(m, SIDE_GPU));
	json_u64(j, "cpu_faults", memory_faults(m, SIDE_CPU));
	put_accesses(j, "gpu_faults_by_access", m->faults[SIDE_GPU]);
	put_accesses(j, "cpu_faults_by_access", m->faults[SIDE_CPU]);
	json_u64(j, "instances", m->instances);
	json_u64(j, "duplicates", m->duplicates);
	json_u64(j, "fatal", m->fatal);
	json_u64(j, "batches", m->batches);
	put_histogram(j, "gpu_service", &m->service[SIDE_GPU]);
	put_histogram(j, "cpu_service", &m->service[SIDE_CPU]);
	json_u64(j, "to_gpu_bytes", memory_moved(m, WAY_IN));
	json_u64(j, "to_cpu_bytes", memory_moved(m, WAY_OUT));
	json_u64(j, "gpu_to_gpu_bytes", memory_moved(m, WAY_PEER));
	put_ways(j, m->bytes);
	json_u64(j, "evictions", m->evictions);
	json_u64(j, "evicted_bytes", m->evicted_bytes);
	json_u64(j, "back_after_eviction_bytes", m->again_bytes);
	put_marks(j, m->marks);
	json_close(j);
}

static void put_uvm_gpu(struct json *j, struct uvm_gpu_row *g)
{
	char name[96];

	json_object(j, NULL);
	json_str(j, "name", uvm_gpu_name(g->gpu, name, sizeof(name)));
	json_u64(j, "uvm_id", g->gpu->id);
	if (g->gpu->device)
		json_u64(j, "device", g->gpu->device->gpu);
	else
		json_null(j, "device");
	put_histogram(j, "batches", &g->batch);
	json_u64(j, "fetch_ns", g->fetch_ns);
	json_u64(j, "service_ns", g->service_ns);
	json_u64(j, "fetched", g->cached);
	json_u64(j, "coalesced", g->coalesced);
	json_u64(j, "duplicates", g->duplicates);
	json_u64(j, "needless", uvm_needless(g));
	json_u64(j, "replays", g->replays);
	json_u64(j, "in_bytes", g->in_bytes);
	json_u64(j, "out_bytes", g->out_bytes);
	json_u64(j, "peer_bytes", g->peer_bytes);
	json_u64(j, "evictions", g->evictions);
	json_u64(j, "evicted_bytes", g->evicted_bytes);
	json_u64(j, "evict_ns", g->evict_ns);
	json_u64(j, "batches_one_kernel", g->kernel_one);
	json_u64(j, "batches_several_kernels", g->kernel_overlap);
	json_u64(j, "batches_no_kernel", g->kernel_none);
	json_close(j);
}

static void put_stalled(struct json *j, const struct report *r)
{
	json_array(j, "by_kernel");
	for (size_t i = 0; i < r->uvm.stalled_n; i++) {
		const struct stalled_row *k = r->uvm.stalled[i];

		json_object(j, NULL);
		json_str(j, "name", k->name);
		json_u64(j, "stalled_ns", k->stalled_ns);
		json_u64(j, "batches_exact", k->batches[0]);
		json_u64(j, "batches_overlap", k->batches[1]);
		json_u64(j, "faults_exact", k->faults[0]);
		json_u64(j, "faults_overlap", k->faults[1]);
		json_u64(j, "bytes_exact", k->bytes[0]);
		json_u64(j, "bytes_overlap", k->bytes[1]);
		json_close(j);
	}
	json_close(j);
	json_array(j, "cpu_faults_in_api");
	for (size_t i = 0; i < r->uvm.call_n; i++) {
		const struct fault_call_row *c = r->uvm.calls[i];

		json_object(j, NULL);
		json_str(j, "name", c->name);
		json_u64(j, "faults", c->faults);
		json_u64(j, "service_ns", c->service_ns);
		json_u64(j, "bytes", c->out_bytes);
		json_close(j);
	}
	json_close(j);
}

static void put_links(struct json *j, const struct model_counts *c)
{
	json_object(j, "links");
	for (u32 i = 0; i < UVM_KINDS; i++) {
		const struct uvm_links *l = &c->uvm[i];

		json_object(j, record_type(EVENT_UVM_FAULT + i)->name);
		json_u64(j, "events", l->events);
		json_u64(j, "process_exact", l->owned);
		json_u64(j, "memory_exact", l->memory_exact);
		json_u64(j, "memory_range", l->memory_range);
		json_u64(j, "memory_none", l->memory_none);
		json_u64(j, "kernel_exact", l->kernel_one);
		json_u64(j, "kernel_overlap", l->kernel_overlap);
		json_u64(j, "kernel_none", l->kernel_none);
		json_u64(j, "device_none", l->no_device);
		json_u64(j, "api_exact", l->in_call);
		json_close(j);
	}
	json_u64(j, "allocations", c->allocs);
	json_u64(j, "frees", c->frees);
	json_u64(j, "allocations_without_stack", c->alloc_no_stack);
	json_u64(j, "frees_of_unknown", c->free_unknown);
	json_close(j);
}

static void put_uvm(struct json *j, struct report *r)
{
	struct uvm_report *u = &r->uvm;

	json_object(j, "uvm");
	json_u64(j, "gpu_faults", u->faults[SIDE_GPU]);
	json_u64(j, "cpu_faults", u->faults[SIDE_CPU]);
	json_u64(j, "instances", u->instances);
	json_u64(j, "duplicates", u->duplicates);
	json_u64(j, "fatal", u->fatal);
	json_u64(j, "throttled", u->marks[UVM_THROTTLE_START]);
	put_histogram(j, "batches", &u->batch);
	put_histogram(j, "gpu_service", &u->service[SIDE_GPU]);
	put_histogram(j, "cpu_service", &u->service[SIDE_CPU]);
	put_marks(j, u->marks);
	json_array(j, "by_allocation");
	for (size_t i = 0; i < u->memory_n; i++)
		put_memory(j, r, u->memories[i]);
	json_close(j);
	json_array(j, "by_gpu");
	for (size_t i = 0; i < u->gpu_n; i++)
		put_uvm_gpu(j, u->gpus[i]);
	json_close(j);
	put_stalled(j, r);
	put_links(j, model_counts(r->model));
	json_close(j);
}

static void put_drivers(struct json *j, struct report *r)
{
	char name[96];

	json_array(j, "driver_calls");
	for (size_t i = 0; i < r->uvm.driver_n; i++) {
		struct driver_row *d = r->uvm.drivers[i];

		json_object(j, NULL);
		json_u64(j, "pid", d->process->pid);
		json_str(j, "name", driver_name(&d->call, name, sizeof(name)));
		json_u64(j, "device", d->call.device);
		json_hex(j, "cmd", d->call.cmd);
		json_hex(j, "rm", d->call.rm);
		put_histogram(j, "time", &d->h);
		json_u64(j, "failed", d->failed);
		json_close(j);
	}
	json_close(j);
}

static void put_xid_calls(struct json *j, const struct xid_row *x)
{
	char name[96];

	json_array(j, "last_calls");
	for (u32 i = 0; i < x->call_n; i++) {
		json_object(j, NULL);
		json_time(j, "ts", x->calls[i].c.e.ts);
		json_u64(j, "dur_ns", x->calls[i].c.dur_ns);
		json_str(j, "name", xid_call_name(&x->calls[i], name, sizeof(name)));
		json_s64(j, "result", x->calls[i].c.result);
		json_close(j);
	}
	json_close(j);
}

static void put_xids(struct json *j, struct report *r)
{
	json_array(j, "xids");
	for (size_t i = 0; i < r->uvm.xid_n; i++) {
		const struct xid_row *x = r->uvm.xids[i];
		char place[XID_PLACE];

		json_object(j, NULL);
		json_time(j, "ts", x->x.e.ts);
		json_u64(j, "code", x->x.code);
		json_bool(j, "nvswitch", x->x.nvswitch);
		json_bool(j, "simulated", x->x.simulated);
		json_str(j, "pci", xid_row_place(x, place));
		if (x->device)
			json_u64(j, "device", x->device->gpu);
		else
			json_null(j, "device");
		json_u64(j, "pid", x->x.e.pid);
		json_strn(j, "comm", x->x.comm, COMM_LEN);
		json_str(j, "meaning", xid_row_meaning(x));
		json_str(j, "action", xid_row_advice(x));
		json_str(j, "text", x->text);
		put_xid_calls(j, x);
		json_close(j);
	}
	json_close(j);
}

static void put_findings(struct json *j, struct report *r)
{
	const struct finding *list;
	size_t n = findings(r, &list);

	json_array(j, "findings");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_str(j, "rule", list[i].rule);
		json_str(j, "about", list[i].about);
		json_str(j, "text", list[i].what);
		json_object(j, "evidence");
		for (u32 k = 0; k < list[i].evidence_n; k++)
			json_u64(j, list[i].evidence[k].name, list[i].evidence[k].value);
		json_close(j);
		json_str(j, "try", list[i].advice);
		json_close(j);
	}
	json_close(j);
}

void put_uvm_side(struct json *j, struct report *r)
{
	put_uvm(j, r);
	put_drivers(j, r);
	put_xids(j, r);
	put_findings(j, r);
}
