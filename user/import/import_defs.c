// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The definitions of all producers, written before any record that uses them. */
#include <stdlib.h>
#include <string.h>
#include "import_parts.h"

/* A record with a text behind it; 0 or reported. */
static int text_put(struct trace_writer *w, struct event *head, size_t fixed, const char *text,
		    size_t n)
{
	u8 record[RECORD_MAX] __attribute__((aligned(8)));
	size_t size = (fixed + n + 8) & ~(size_t)7;

	head->size = size;
	memcpy(record, head, fixed);
	memcpy(record + fixed, text, n);
	memset(record + fixed + n, 0, size - fixed - n);
	return trace_put(w, (struct event *)record);
}

static int source_write(struct import *im, const struct import_process *p)
{
	const struct import_source *s = p->source;
	struct source r = {
		.e = { .ts = s->first_ns == NO_TIME ? 0 : s->first_ns + s->shift_ns,
		       .pid = p->pid, .kind = EVENT_SOURCE, .producer = p->producer,
		       .cpu = CPU_UNKNOWN },
		.bytes = s->bytes, .records = s->records, .shift_ns = s->shift_ns,
		.rank = s->rank, .world = s->world, .format = s->format,
		.disorder = IMPORT_DISORDER,
	};
	size_t n = strlen(s->name);

	for (u32 i = 0; i < im->source_n; i++)
		if (im->sources[i] == s)
			r.file = i + 1;
	memcpy(r.host, s->host, sizeof(r.host));
	return text_put(im->trace, &r.e, sizeof(r), s->name, n < 4096 ? n : 4096);
}

static int task_write(struct import *im, const struct import_process *p, u32 tid, u64 id,
		      const char *comm)
{
	struct task t = {
		.e = { .ts = p->first_ns == NO_TIME ? 0 : p->first_ns + p->source->shift_ns,
		       .pid = p->pid, .tid = tid, .size = sizeof(t), .kind = EVENT_TASK,
		       .producer = p->producer, .cpu = CPU_UNKNOWN },
		.what = TASK_FOUND,
		.ns_pid = p->id < ID_OWN_FIRST ? p->id : 0,
		.ns_tid = id < ID_OWN_FIRST ? id : 0,
	};

	t.process = tid == p->pid ? p->producer : 0;
	memcpy(t.comm, comm, COMM_LEN);
	return trace_put(im->trace, &t.e);
}

static int tasks_write(struct import *im, const struct import_process *p)
{
	struct import_thread *main = hash_get(&p->threads, p->id), *t;
	const char *comm = !p->comm[0] && main ? main->comm : p->comm;
	int err = task_write(im, p, p->pid, p->id, comm);
	struct hash_slot *x;
	size_t at = 0;

	while (!err && (x = hash_next(&p->threads, &at))) {
		t = x->value;
		if (t != main)
			err = task_write(im, p, t->tid, x->key, t->comm);
	}
	return err;
}

static int names_write(struct import *im, const struct import_process *p)
{
	int err = 0;

	for (u32 i = 0; i < p->names && !err; i++) {
		const struct import_name *x = p->by_id[i];
		struct name n = {
			.e = { .kind = EVENT_NAME, .producer = p->producer,
			       .cpu = CPU_UNKNOWN },
			.id = x->id, .what = x->what,
		};

		err = text_put(im->trace, &n.e, sizeof(n), x->text, x->n);
	}
	return err;
}

static int devices_write(struct import *im, const struct import_process *p)
{
	struct hash_slot *x;
	size_t at = 0;
	int err = 0;

	while (!err && (x = hash_next(&p->devices, &at)))
		err = trace_put(im->trace, x->value);
	return err;
}

int import_ids_write(struct import *im)
{
	int err = 0;

	for (u32 i = 1; i <= im->process_n && !err; i++) {
		const struct import_process *p = im->processes[i];

		err = tasks_write(im, p) ?: source_write(im, p) ?: devices_write(im, p) ?:
		      names_write(im, p);
	}
	for (struct import_collective *x = im->collective_first; x && !err; x = x->next)
		err = trace_put(im->trace, &x->c.e);
	return err;
}
