/*
 * What this machine can observe: a list of findings, each with a status, what
 * was found, and what to do about it. Everything is asked of the kernel or of
 * the library itself; versions decide nothing.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdio.h>
#include "types.h"

enum check_status { CHECK_OK, CHECK_DEGRADED, CHECK_MISSING };

struct check {
	const char *group, *name;
	enum check_status status;
	char found[192];	/* what there is */
	char remedy[256];	/* what to do, "" nothing */
};

struct checks {
	struct check list[64];
	size_t count;
};

/* Adds a finding; remedy "" when there is nothing to do. fmt: what was found. */
struct check *check_add(struct checks *c, const char *group, const char *name,
			enum check_status status, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
const struct check *check_find(const struct checks *c, const char *name);	/* NULL none */
const char *check_status_name(enum check_status s);	/* "ok", "degraded", "missing" */

void check_kernel(struct checks *c);		/* version, BTF, settings, tracefs */
void check_privileges(struct checks *c);
void check_bpf(struct checks *c);		/* features, by trying them */
void check_driver(struct checks *c);		/* the NVIDIA kernel modules and devices */
void check_libraries(struct checks *c);		/* CUDA, CUPTI, NVML: each in a child of its
						 * own */

/* First line of a small file, without its newline; false when it cannot be read. */
bool check_read(const char *path, char *buf, size_t size);
void check_print(const struct checks *c, FILE *f);
struct json;
void check_json(const struct checks *c, struct json *j);

#endif
