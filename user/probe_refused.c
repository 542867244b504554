// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that the verifier refuses takes its whole object with it, and libbpf
 * loads an object once: the object is opened anew, as it was set, without the program.
 */
#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "log.h"
#include "probe_object.h"

static void *swap(struct probe_object *o, void *skel)
{
	void *old = o->skel;

	o->skel = skel;
	return old;
}

/* What the tool decided: programs that hooks left out come back, and are looked at again. */
static bool was_wanted(const struct probe_object *o, const char *program, bool autoload)
{
	for (EACH_ROW(r, o->set))
		if (!strcmp(r->name, program))
			return !probe_settled(o, r)->dropped;
	return autoload;
}

static void copy_settings(struct probe_object *o, struct bpf_object *from, const void *rodata)
{
	struct bpf_object *to = probe_bpf(o);
	struct bpf_program *prog;
	struct bpf_map *map;

	memcpy(probe_rodata(o, NULL), rodata, o->set->skel->rodata_size);
	bpf_object__for_each_map(map, from) {
		struct bpf_map *copy = bpf_object__find_map_by_name(to, bpf_map__name(map));

		if (copy && bpf_map__max_entries(copy) != bpf_map__max_entries(map))
			bpf_map__set_max_entries(copy, bpf_map__max_entries(map));
	}
	bpf_object__for_each_program(prog, from) {
		const char *name = bpf_program__name(prog);
		struct bpf_program *copy = bpf_object__find_program_by_name(to, name);
		bool wanted = was_wanted(o, name, bpf_program__autoload(prog));

		if (!copy)
			continue;
		bpf_program__set_autoload(copy, wanted);
		bpf_program__set_expected_attach_type(copy,
						      bpf_program__expected_attach_type(prog));
	}
}

static const struct probe_row *row_of(const struct probe_object *o, const char *program)
{
	for (EACH_ROW(r, o->set))
		if (!strcmp(r->name, program))
			return r;
	return NULL;
}

int probe_reopen_without(struct probe_object *o, const char *program)
{
	const struct probe_row *row = row_of(o, program);
	struct bpf_object *from = probe_bpf(o);
	void *rodata = probe_rodata(o, NULL), *skel, *old;

	if (!row || !probe_may_lose(o, row->prog) || o->refused_count == REFUSED_MAX)
		return -EINVAL;
	skel = o->set->skel->open();
	if (!skel)
		return -ENOMEM;
	note("%s left out: the verifier refused it", program);
	o->refused[o->refused_count++] = row->prog;
	old = swap(o, skel);
	copy_settings(o, from, rodata);
	o->set->skel->destroy(old);
	probe_settled_free(o);
	return 0;
}
