// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include "check_probes.h"
#include "gpu/nvidia_driver.h"
#include "log.h"
#include "out.h"

#define HOOKS_MAX 64		/* of a set */
#define SETS_MAX 32

struct looked_at { const struct probe_set *sets[SETS_MAX]; size_t count; };

static bool is_new(struct looked_at *l, const struct probe_set *set)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->sets[i] == set)
			return false;
	if (l->count < SETS_MAX)
		l->sets[l->count++] = set;
	return true;
}

static bool has_hooks(const struct probe_set *set)
{
	for (const struct probe_row *r = set->probes; r && r->name; r++)
		if (r->hook || r->type >= PROBE_KPROBE)
			return true;
	return false;
}

static size_t look(const struct probe_set *set, u32 release, struct probe_state *states,
		   struct probe_object **o)
{
	if (release)
		return nvidia_probe_states(set, release, states, HOOKS_MAX);
	return probe_open(o, set, NULL) ? 0 : probe_states(*o, states, HOOKS_MAX);
}

static enum check_status status(const struct probe_state *s)
{
	return s->row ? CHECK_OK : s->optional ? CHECK_DEGRADED : CHECK_MISSING;
}

static bool uses(const struct tool_sets *t, const struct probe_set *set)
{
	for (size_t i = 0; i < TOOL_SETS_MAX && t->sets[i]; i++)
		if (t->sets[i] == set)
			return true;
	return false;
}

/* "uvmfault, gpurec" */
static const char *tools_of(const struct tool_sets *tools, const struct probe_set *set,
			    char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (; tools->tool; tools++)
		if (uses(tools, set) && n < size)
			n += snprintf(buf + n, size - n, "%s%s", n ? ", " : "", tools->tool);
	return buf;
}

static void print_set(const struct tool_sets *tools, const struct probe_set *set, u32 release,
		      FILE *f)
{
	struct probe_state states[HOOKS_MAX];
	struct probe_object *o = NULL;
	const char *absent = release ? NULL : probe_module_missing(set);
	size_t n = look(set, release, states, &o);
	char names[128];

	if (n)
		fputc('\n', f);
	if (n)
		out_line(f, "probes \"%s\" of %s", set->name,
			 tools_of(tools, set, names, sizeof(names)));
	if (n && absent)
		out_line(f, "  %-9s %-24s is not loaded: none of %zu hooks can be attached",
			 check_status_name(CHECK_MISSING), absent, n);
	for (const struct probe_state *s = states; !absent && s < states + n; s++) {
		out_line(f, "  %-9s %-24s %s", check_status_name(status(s)), s->hook,
			 s->row ? s->target : s->reason);
		if (s->row && s->reason[0])
			out_line(f, "  %-9s %-24s %s%s", "", "", release ? "" : "not ",
				 s->reason);
	}
	probe_close(o);
}

static void json_set(const struct tool_sets *tools, const struct probe_set *set, u32 release,
		     struct json *j)
{
	struct probe_state states[HOOKS_MAX];
	struct probe_object *o = NULL;
	size_t n = look(set, release, states, &o);

	for (const struct probe_state *s = states; s < states + n; s++) {
		json_object(j, NULL);
		json_str(j, "set", set->name);
		json_array(j, "tools");
		for (const struct tool_sets *t = tools; t->tool; t++)
			if (uses(t, set))
				json_str(j, NULL, t->tool);
		json_close(j);
		json_str(j, "hook", s->hook);
		json_str(j, "status", check_status_name(status(s)));
		json_bool(j, "optional", s->optional);
		json_str(j, "probe", s->row ? s->target : NULL);
		json_str(j, "why", s->reason[0] ? s->reason : NULL);
		json_close(j);
	}
	probe_close(o);
}

void check_probes_print(const struct tool_sets *tools, u32 release, FILE *f)
{
	struct looked_at l = {};

	for (const struct tool_sets *t = tools; t->tool; t++)
		for (size_t i = 0; i < TOOL_SETS_MAX && t->sets[i]; i++)
			if (has_hooks(t->sets[i]) && is_new(&l, t->sets[i]))
				print_set(tools, t->sets[i], release, f);
}

void check_probes_json(const struct tool_sets *tools, u32 release, struct json *j)
{
	struct looked_at l = {};

	json_array(j, "probes");
	for (const struct tool_sets *t = tools; t->tool; t++)
		for (size_t i = 0; i < TOOL_SETS_MAX && t->sets[i]; i++)
			if (has_hooks(t->sets[i]) && is_new(&l, t->sets[i]))
				json_set(tools, t->sets[i], release, j);
	json_close(j);
}
