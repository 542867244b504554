// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How long things take. A kernel: base + ns per thread, or what the first matching line of the
 * file CUDASIM_MODEL says:
 *     REGEX duration=120us regs=64 ns_per_thread=0.1 shared=1024 local=64
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define MAX_RULES 64

static struct model_rule {
	regex_t regex;
	double duration_ns, thread_ns, registers, shared, local;	/* < 0: not said */
} rules[MAX_RULES];
static int rule_count;
static double kernel_ns, thread_ns, pinned_gbs, pageable_gbs, memory_gbs, link_gbs;
uint64_t model_latency_ns, model_gap_ns;

static double duration_parse(const char *text)
{
	char *unit;
	double value = strtod(text, &unit);

	if (!strcmp(unit, "us"))
		return value * 1e3;
	if (!strcmp(unit, "ms"))
		return value * 1e6;
	return !strcmp(unit, "s") ? value * 1e9 : value;
}

static void rule_field(struct model_rule *r, char *field)
{
	char *value = strchr(field, '=');

	if (!value)
		return;
	*value++ = 0;
	if (!strcmp(field, "duration"))
		r->duration_ns = duration_parse(value);
	else if (!strcmp(field, "ns_per_thread"))
		r->thread_ns = atof(value);
	else if (!strcmp(field, "regs"))
		r->registers = atof(value);
	else if (!strcmp(field, "shared"))
		r->shared = atof(value);
	else if (!strcmp(field, "local"))
		r->local = atof(value);
}

static void rule_parse(char *line)
{
	struct model_rule *r = &rules[rule_count];
	char *save, *part = strtok_r(line, " \t\n", &save);

	if (!part || *part == '#' || rule_count == MAX_RULES ||
	    regcomp(&r->regex, part, REG_EXTENDED | REG_NOSUB))
		return;
	r->duration_ns = r->thread_ns = r->registers = r->shared = r->local = -1;
	while ((part = strtok_r(NULL, " \t\n", &save)))
		rule_field(r, part);
	if (r->duration_ns >= 0 && r->thread_ns < 0)
		r->thread_ns = 0;
	rule_count++;
}

void model_load(void)
{
	const char *path = setting("MODEL");
	char line[1024];
	FILE *f;

	kernel_ns = setting_number("KERNEL_NS", 2000);
	thread_ns = setting_number("NS_PER_THREAD", 0.05);
	pinned_gbs = setting_number("PCIE_GBS", 25);
	pageable_gbs = setting_number("PAGEABLE_GBS", 6);
	memory_gbs = setting_number("HBM_GBS", 1500);
	link_gbs = setting_number("NVLINK_GBS", 200);
	model_latency_ns = setting_number("LAUNCH_LATENCY_NS", 3000);
	model_gap_ns = setting_number("GAP_NS", 300);
	f = path ? fopen(path, "re") : NULL;
	if (!f) {
		if (path)
			fprintf(stderr, "cudasim: cannot open %s\n", path);
		return;
	}
	while (fgets(line, sizeof(line), f))
		rule_parse(line);
	fclose(f);
}

#define SAID(member, otherwise) (r && r->member >= 0 ? r->member : (otherwise))

void model_apply(struct CUfunc_st *f)
{
	const struct model_rule *r = NULL;

	for (int i = 0; i < rule_count && !r; i++)
		if (!regexec(&rules[i].regex, f->name, 0, NULL, 0))
			r = &rules[i];
	f->base_ns = SAID(duration_ns, kernel_ns);
	f->thread_ns = SAID(thread_ns, thread_ns);
	f->registers = SAID(registers, 32);
	f->static_shared = SAID(shared, 0);
	f->local_bytes = SAID(local, 0);
	f->dynamic_max = 49152;
}

uint64_t model_kernel(const struct CUfunc_st *f, uint64_t threads)
{
	return f->base_ns + (uint64_t)(f->thread_ns * threads);
}

uint64_t model_copy(const struct sim_record *r)
{
	bool pageable = r->src_kind == MEM_PAGEABLE || r->dst_kind == MEM_PAGEABLE;
	double gbs = pageable ? pageable_gbs : pinned_gbs;

	if (r->copy_kind == 8)
		gbs = memory_gbs;
	else if (r->copy_kind == 10)
		gbs = link_gbs;
	return 1200 + (uint64_t)(r->bytes / gbs);
}

uint64_t model_set(const struct sim_record *r)
{
	return 1000 + (uint64_t)(r->bytes / memory_gbs);
}
