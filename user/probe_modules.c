// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Modules that rows name: are they there, and are they still those that were probed? */
#include <string.h>
#include "probe_object.h"

static const char *absent(const struct probe_row *row)
{
	return probe_is_kernel(row) && row->where &&
	       kernel_module(row->where, NULL) < MODULE_LIVE ? row->where : NULL;
}

/* Does no absent module stand in the way of the choice that a row belongs to? */
static bool choice_can_be(const struct probe_set *set, const struct probe_row *row)
{
	for (EACH_ROW(r, set))
		if (probe_same_hook(r, row) && r->choice == row->choice && absent(r))
			return false;
	return true;
}

static const char *absent_for(const struct probe_set *set, const struct probe_row *hook)
{
	const char *name = NULL;

	for (EACH_ROW(r, set)) {
		if (!probe_same_hook(r, hook))
			continue;
		if (choice_can_be(set, r))
			return NULL;
		name = name ? name : absent(r);
	}
	return name;
}

const char *probe_module_missing(const struct probe_set *set)
{
	const char *missing = NULL, *name;
	bool any = false;

	for (EACH_ROW(r, set)) {
		name = absent_for(set, r);
		if (name && !(r->flags & PROBE_OPTIONAL))
			return name;
		any |= !name;
		missing = missing ? missing : name;
	}
	return any ? NULL : missing;
}

bool probe_names_module(const struct probe_set *set)
{
	for (EACH_ROW(r, set))
		if (probe_is_kernel(r) && r->where)
			return true;
	return false;
}

const char *probe_modules_changed(struct probe_object *o)
{
	const char *changed = NULL;

	for (size_t i = 0; i < o->module_count; i++) {
		enum module_state state;
		u64 id;

		state = kernel_module(o->modules[i].name, &id);
		if (state == MODULE_COMES_OR_GOES)
			continue;	/* and is looked at again */
		if (state != MODULE_LIVE)
			id = 0;
		if (id != o->modules[i].id)
			changed = o->modules[i].name;
		o->modules[i].id = id;
	}
	return changed;
}

bool probe_module_there(const char *module)
{
	return kernel_module(module, NULL) >= MODULE_LIVE;
}
