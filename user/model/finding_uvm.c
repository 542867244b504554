// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rules about unified memory. */
#include <string.h>
#include "finding_parts.h"
#include "out.h"
#include "report_print.h"

static void about_memory(struct finder *f, const struct memory_row *m, char *buf, size_t size)
{
	char name[256];

	snprintf(buf, size, "%.200s of %s (%u)",
		 managed_name(f->r->model, m->memory, name, sizeof(name)),
		 m->process && m->process->comm[0] ? m->process->comm : "?",
		 m->process ? m->process->pid : 0);
}

/* ---- to and fro ---- */

struct turning { u64 blocks, bytes, turns, all; };

static struct turning turning_blocks(const struct memory_row *m)
{
	struct turning t = {};
	struct hash_slot *slot;
	size_t at = 0;

	while ((slot = hash_next(&m->blocks, &at))) {
		const struct memory_block *b = slot->value;

		t.all += b->bytes;
		if (b->turns < PING_PONG_TURNS)
			continue;
		t.blocks++;
		t.turns += b->turns;
		t.bytes += b->bytes;
	}
	return t;
}

static void ping_pong_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	char about[256];

	for (size_t i = 0; i < u->memory_n; i++) {
		const struct memory_row *m = u->memories[i];
		struct turning t = turning_blocks(m);
		struct finding *x;

		if (!t.blocks || share_pct(t.bytes, t.all) < PING_PONG_PCT)
			continue;
		about_memory(f, m, about, sizeof(about));
		x = finding_add(f, rule, about,
				"faults move the same memory to and fro: %llu blocks of 2 MiB changed their place %llu times",
				t.blocks, t.turns);
		finding_prove(x, "blocks", t.blocks);
		finding_prove(x, "changes", t.turns);
		finding_prove(x, "share_of_moved_pct", share_pct(t.bytes, t.all));
		finding_prove(x, "to_gpu_bytes", memory_by_fault(m, WAY_IN));
		finding_prove(x, "to_cpu_bytes", memory_by_fault(m, WAY_OUT));
		finding_prove(x, "thrashing_marks", m->marks[UVM_THRASHING]);
		finding_prove(x, "service_ns",
			      m->service[SIDE_CPU].sum + m->service[SIDE_GPU].sum);
	}
}

/* ---- more than fits ---- */

static void eviction_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	u64 managed = 0;
	char about[96];

	for (size_t i = 0; i < u->memory_n; i++)
		managed += u->memories[i]->memory ? u->memories[i]->memory->live_max : 0;
	for (size_t i = 0; i < u->gpu_n; i++) {
		const struct uvm_gpu_row *g = u->gpus[i];
		struct finding *x;

		if (!g->evicted_bytes ||
		    share_pct(g->evicted_bytes, g->in_bytes) < EVICTION_PCT)
			continue;
		x = finding_add(f, rule, uvm_gpu_name(g->gpu, about, sizeof(about)),
				"the working set is bigger than the video memory that is free: %llu blocks had to leave it for others",
				g->evictions);
		finding_prove(x, "evictions", g->evictions);
		finding_prove(x, "evicted_bytes", g->evicted_bytes);
		finding_prove(x, "moved_in_bytes", g->in_bytes);
		finding_prove(x, "back_again_bytes", g->again_bytes);
		finding_prove(x, "eviction_ns", g->evict_ns);
		finding_prove(x, "managed_bytes", managed);
		if (g->gpu->device)
			finding_prove(x, "video_memory_bytes", g->gpu->device->d.mem_bytes);
	}
}

/* ---- one fault after the other, where one request would do ---- */

static u64 covered(const struct memory_row *m)
{
	struct hash_slot *slot;
	size_t at = 0;
	u64 sum = 0;

	while ((slot = hash_next(&m->blocks, &at))) {
		u64 in = ((const struct memory_block *)slot->value)->in_bytes;

		sum += in < 1ULL << UVM_BLOCK ? in : 1ULL << UVM_BLOCK;
	}
	return sum;
}

static bool is_storm(const struct memory_row *m, u64 span)
{
	const struct histogram *h = &m->service[SIDE_GPU];
	u64 faults = memory_faults(m, SIDE_GPU);
	u64 asked = m->bytes[WAY_IN][UVM_CAUSE_API_MIGRATE];

	return m->memory && h->count >= STORM_SERVICES &&
	       share_pct(h->sum, span) >= STORM_TIME_PCT &&
	       share_pct(covered(m), m->memory->live_max) >= STORM_COVERED_PCT &&
	       share_pct(m->onward, faults) >= STORM_ONWARD_PCT &&
	       share_pct(asked, memory_moved(m, WAY_IN)) < STORM_PREFETCHED_PCT;
}

static void storm_look(struct finder *f, const struct rule *rule)
{
	const struct model_counts *c = model_counts(f->r->model);
	const struct uvm_report *u = &f->r->uvm;
	u64 span = c->last_ns - c->first_ns;
	char about[256];

	for (size_t i = 0; i < u->memory_n; i++) {
		const struct memory_row *m = u->memories[i];
		u64 faults = memory_faults(m, SIDE_GPU);
		struct finding *x;

		if (!is_storm(m, span))
			continue;
		about_memory(f, m, about, sizeof(about));
		x = finding_add(f, rule, about,
				"a GPU fetches most of it by faults, one region after the other: %llu faults, served %llu times",
				faults, m->service[SIDE_GPU].count);
		finding_prove(x, "gpu_faults", faults);
		finding_prove(x, "read_faults", m->faults[SIDE_GPU][UVM_READ]);
		finding_prove(x, "batches", m->batches);
		finding_prove(x, "in_sequence_pct", share_pct(m->onward, faults));
		finding_prove(x, "to_gpu_bytes", memory_by_fault(m, WAY_IN));
		finding_prove(x, "allocated_bytes", m->memory->live_max);
		finding_prove(x, "service_ns", m->service[SIDE_GPU].sum);
		finding_prove(x, "of_recording_pct", share_pct(m->service[SIDE_GPU].sum, span));
	}
}

/* ---- the same page again ---- */

u64 uvm_needless(const struct uvm_gpu_row *g)
{
	u64 merged = g->cached > g->coalesced ? g->cached - g->coalesced : 0;
	u64 needless = g->duplicates > merged ? g->duplicates : merged;

	return needless < g->cached ? needless : g->cached;
}

static void duplicate_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	char about[96];

	for (size_t i = 0; i < u->gpu_n; i++) {
		const struct uvm_gpu_row *g = u->gpus[i];
		u64 needless = uvm_needless(g);
		struct finding *x;

		if (g->cached < DUPLICATE_FAULTS ||
		    share_pct(needless, g->cached) < DUPLICATE_PCT)
			continue;
		x = finding_add(f, rule, uvm_gpu_name(g->gpu, about, sizeof(about)),
				"%llu%% of the faults that the driver fetched were of pages that another fault had asked for",
				share_pct(needless, g->cached));
		finding_prove(x, "fetched", g->cached);
		finding_prove(x, "needless", needless);
		finding_prove(x, "batches", g->batch.count);
		finding_prove(x, "fetch_ns", g->fetch_ns);
		finding_prove(x, "batch_ns", g->batch.sum);
	}
}

/* ---- the CPU takes back what the GPU has ---- */

/* pid -> of its memory that with the most time in such faults */
static void most_cpu(const struct uvm_report *u, struct hash *most)
{
	for (size_t i = 0; i < u->memory_n; i++) {
		struct memory_row *m = u->memories[i], *old;

		if (!m->process || !m->served_bytes[SIDE_CPU])
			continue;
		old = hash_get(most, m->process->pid);
		if (!old || m->service[SIDE_CPU].sum > old->service[SIDE_CPU].sum)
			hash_put(most, m->process->pid, m);
	}
}

static void cpu_find(struct finder *f, const struct rule *rule, const struct thread_row *t,
		     const struct memory_row *m)
{
	u64 wall = t->last_ns - t->first_ns;
	char about[64], name[256];
	struct finding *x;

	snprintf(about, sizeof(about), "thread %u of process %u", t->tid, t->pid);
	x = finding_add(f, rule, about,
			"%llu%% of the thread's time goes into faults on memory that a GPU has; the process's most are into %.200s",
			share_pct(t->cpu_fault_ns, wall),
			managed_name(f->r->model, m->memory, name, sizeof(name)));
	finding_prove(x, "cpu_faults", t->cpu_faults);
	finding_prove(x, "service_ns", t->cpu_fault_ns);
	finding_prove(x, "wall_ns", wall);
	finding_prove(x, "to_cpu_bytes", t->cpu_fault_bytes);
	finding_prove(x, "inside_api_calls", t->cpu_faults_in_api);
}

static void cpu_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	struct hash most = {};

	most_cpu(u, &most);
	for (size_t i = 0; i < u->thread_n; i++) {
		const struct thread_row *t = u->threads[i];
		const struct memory_row *m = hash_get(&most, t->pid);

		if (m && t->cpu_fault_bytes &&
		    share_pct(t->cpu_fault_ns, t->last_ns - t->first_ns) >= CPU_FAULT_PCT)
			cpu_find(f, rule, t, m);
	}
	hash_free(&most);
}

static void fatal_look(struct finder *f, const struct rule *rule)
{
	const struct uvm_report *u = &f->r->uvm;
	char about[256];

	for (size_t i = 0; i < u->memory_n; i++) {
		const struct memory_row *m = u->memories[i];
		struct finding *x;

		if (!m->fatal && !m->marks[UVM_FATAL_FAULT])
			continue;
		about_memory(f, m, about, sizeof(about));
		x = finding_add(f, rule, about,
				"a GPU touched an address that nobody can serve: the work of its channel was ended");
		finding_prove(x, "fatal_faults", m->fatal);
		finding_prove(x, "fatal_marks", m->marks[UVM_FATAL_FAULT]);
	}
}

const struct rule uvm_rules[] = {
	{ "fatal_fault", fatal_look,
	  "look for use after free or out of bounds in the kernel (compute-sanitizer); the Xid of that moment names the channel" },
	{ "ping_pong", ping_pong_look,
	  "keep it at one side: cudaMemAdvise preferred location with accessed-by for the other, read-mostly if it is only read, or a copy of what the other side needs" },
	{ "eviction_pressure", eviction_look,
	  "a smaller working set at a time (tiles), or keep what is touched rarely on the CPU: cudaMemAdvise preferred location CPU and accessed-by" },
	{ "prefetch_missing", storm_look,
	  "cudaMemPrefetchAsync it to the GPU before the kernel that needs it" },
	{ "duplicate_faults", duplicate_look,
	  "let neighbouring threads touch neighbouring pages later, or prefetch: fewer warps then ask for the same page at once" },
	{ "cpu_faults", cpu_look,
	  "cudaMemPrefetchAsync it to the CPU before the host needs it, or read-mostly (cudaMemAdvise) where both only read" },
	{}
};
