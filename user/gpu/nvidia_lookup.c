// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Look-ups in the generated table of releases. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "nvidia_driver.h"
#include "nvidia_table.h"

static u32 branch(u32 version)
{
	return version / 1000000;
}

u32 nvidia_release(u32 version)
{
	const u32 *older = NULL, *newer = nvidia_releases;

	for (; *newer && *newer <= version; newer++)
		older = newer;
	if (!older)
		return *newer;
	if (branch(*older) != branch(version) && *newer && branch(*newer) == branch(version))
		return *newer;
	return *older;
}

static const struct uvm_step *step_at(const struct uvm_steps *rows, const char *field,
				      u32 release)
{
	const struct uvm_step *at = NULL;

	while (rows->field && strcmp(rows->field, field))
		rows++;
	for (size_t i = 0; i < rows->count && rows->steps[i].release <= release; i++)
		at = &rows->steps[i];
	return at;
}

const struct nvidia_function *nvidia_function(const char *module, const char *name)
{
	const struct nvidia_function *f = nvidia_functions;

	while (f->name && (strcmp(f->name, name) || strcmp(f->module, module)))
		f++;
	return f->name ? f : NULL;
}

const char *nvidia_function_kind(const struct nvidia_function *f, u32 release)
{
	u16 kind = 0;

	for (size_t i = 0; i < f->count && f->kinds[i].release <= release; i++)
		kind = f->kinds[i].kind;
	return nvidia_kinds[kind];
}

/* Which of "NV_STATUS (uvm_gpu_t *gpu, bool (*f)(int), NvU32 n)" is called `name`. */
static u8 parameter(const char *kind, const char *name)
{
	const char *p = strchr(kind, '(');
	size_t len = strlen(name);
	int depth = 0;
	u8 i = 0;

	for (; p && *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (!depth)
			break;
		if (depth == 1 && *p == ',')
			i++;
		if (!strncmp(p + 1, name, len) && strchr(",)[", p[1 + len]) &&
		    !isalnum(*p) && *p != '_')
			return i;
	}
	return UVM_ARG_ABSENT;
}

static u8 find_arg(const struct uvm_name *n, u32 release)
{
	for (const char *func = n->of; func; func = strchr(func, '|')) {
		const struct nvidia_function *f;
		const char *kind;
		char name[96];

		func += *func == '|';
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(func, "|"), func);
		f = nvidia_function("nvidia_uvm", name);
		kind = f ? nvidia_function_kind(f, release) : "";
		if (*kind)
			return parameter(kind, n->what);
	}
	return UVM_ARG_ABSENT;
}

u32 uvm_layout_by_table(struct uvm_layout *l, u32 version, bool hmm)
{
	u32 release = nvidia_release(version);

	for (size_t i = 0; i < UVM_FIELD_COUNT; i++) {
		const char *name = uvm_field_names[i].name;
		const struct uvm_step *s = hmm ? step_at(uvm_steps_hmm, name, release) : NULL;

		if (!s)
			s = step_at(uvm_steps, name, release);
		*uvm_layout_field(l, i) = s ? (struct uvm_field){ s->off, s->bit, s->bits } :
			(struct uvm_field){ UVM_ABSENT };
	}
	for (size_t i = 0; i < UVM_ARG_COUNT; i++)
		*uvm_layout_arg(l, i) = find_arg(&uvm_arg_names[i], release);
	return release;
}
