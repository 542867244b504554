// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What would become of the hooks of a probe set on a release of NVIDIA's driver, by the table:
 * its functions are known, whether a build has BTF is not. */
#include <stdio.h>
#include <string.h>
#include "nvidia_driver.h"
#include "nvidia_table.h"
#include "probe.h"

static bool is_tracepoint(const struct probe_row *r)
{
	return r->type == PROBE_TRACEPOINT || r->type == PROBE_RAW_TRACEPOINT;
}

/* The driver's function of that name, len bytes; NULL: of no release. */
static const struct nvidia_function *function(const struct probe_row *r, const char *what,
					      size_t len)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%.*s", is_tracepoint(r) ? "trace_" : "", (int)len,
		 what);
	return nvidia_function(r->where ? r->where : "nvidia", name);
}

/* Raw tracepoints do not say whose they are. */
static bool of_driver(const struct probe_row *r)
{
	if (r->where)
		return !strcmp(r->where, "nvidia") || !strcmp(r->where, "nvidia_uvm");
	return r->type == PROBE_RAW_TRACEPOINT && function(r, r->what, strlen(r->what));
}

static const char *hook_name(const struct probe_row *r)
{
	return r->hook ? r->hook : r->name;
}

static bool same_hook(const struct probe_row *a, const struct probe_row *b)
{
	return a == b || (a->hook && b->hook && !strcmp(a->hook, b->hook));
}

/* Functions by commas; one with * is taken to be there. */
static bool row_works(const struct probe_row *r, u32 release)
{
	size_t n;

	if (!of_driver(r))
		return true;
	for (const char *p = r->what; *p; p += n, p += *p == ',') {
		const struct nvidia_function *f;

		n = strcspn(p, ",");
		f = function(r, p, n);
		if (!memchr(p, '*', n) && (!f || !*nvidia_function_kind(f, release)))
			return false;
	}
	return true;
}

static bool needs_btf(const struct probe_row *r)
{
	return of_driver(r) && (r->type == PROBE_FENTRY || r->type == PROBE_FEXIT);
}

static const char *describe(const struct probe_row *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s%s%s", probe_type_name(r->type), r->where ? r->where : "",
		 r->where ? ":" : "", r->what ? r->what : "");
	return buf;
}

/* The lowest choice from `from` on whose rows all work, without BTF where that is not to be
 * had; NULL none. The functions of better ones that the release lacks go into `missing`. */
static const struct probe_row *best(const struct probe_set *set, const struct probe_row *hook,
				    u32 release, bool btf, char *missing, size_t size)
{
	size_t used = 0;

	missing[0] = 0;
	for (unsigned choice = 0; choice < 16; choice++) {
		const struct probe_row *first = NULL, *bad = NULL;
		bool known;
		char text[128];

		for (const struct probe_row *r = set->probes; r->name; r++) {
			if (!same_hook(r, hook) || r->choice != choice)
				continue;
			first = first ? first : r;
			if (!bad && (!row_works(r, release) || (!btf && needs_btf(r))))
				bad = r;
		}
		if (first && !bad)
			return first;
		if (!bad)
			continue;
		known = function(bad, bad->what, strlen(bad->what));
		snprintf(text, sizeof(text), "%s%s%s%s", bad->where ? bad->where : "",
			 bad->where ? ":" : "", bad->what,
			 known ? "" : " (in no known release)");
		if (!strstr(missing, text) && used < size)
			used += snprintf(missing + used, size - used, "%s%s",
					 used ? ", " : "no ", text);
	}
	return NULL;
}

static struct probe_state state_of(const struct probe_set *set, const struct probe_row *hook,
				   u32 release)
{
	struct probe_state s = { hook_name(hook), NULL, hook->flags & PROBE_OPTIONAL };
	const struct probe_row *plain;
	char missing[128], other[128];
	size_t n;

	s.row = best(set, hook, release, true, missing, sizeof(missing));
	n = snprintf(s.reason, sizeof(s.reason), "%s", missing);
	if (!s.row)
		return s;
	describe(s.row, s.target, sizeof(s.target));
	if (!needs_btf(s.row))
		return s;
	plain = best(set, hook, release, false, missing, sizeof(missing));
	if (plain)
		describe(plain, other, sizeof(other));
	snprintf(s.reason + n, sizeof(s.reason) - n, "%swithout the module's BTF: %s",
		 n ? "; " : "", plain ? other : "nothing");
	return s;
}

size_t nvidia_probe_states(const struct probe_set *set, u32 release,
			   struct probe_state *states, size_t max)
{
	size_t n = 0;

	for (const struct probe_row *r = set->probes; r && r->name; r++) {
		bool concerned = false, seen = false;

		for (const struct probe_row *k = set->probes; k->name; k++) {
			concerned |= same_hook(k, r) && of_driver(k);
			seen |= k < r && same_hook(k, r);
		}
		if (concerned && !seen && n < max)
			states[n++] = state_of(set, r, release);
	}
	return n;
}

size_t nvidia_fields_missing(u32 release, const char **names, size_t max)
{
	struct uvm_layout layout = {};
	size_t n = 0;

	uvm_layout_by_table(&layout, release, true);
	for (size_t i = 0; i < UVM_FIELD_COUNT; i++)
		if (uvm_layout_field(&layout, i)->off == UVM_ABSENT && n < max)
			names[n++] = uvm_field_names[i].name;
	return n;
}
