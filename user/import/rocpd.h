/*
 * Inside of the reader of AMD's databases, shared by its files alone: rocpd.c (rocprofv3's, a
 * set of tables), rocpd_rows.c (its events), rpd.c (rocmProfileData's).
 */
#ifndef ROCPD_H
#define ROCPD_H

#include "db.h"
#include "hash.h"

struct rocpd {			/* the tables of one recording: names end in suffix */
	struct import *im;
	struct db *db;
	const char *suffix;	/* "_0000aebc_..."; "" in a file with one recording */
	struct hash strings;	/* id -> struct rocpd_string */
	struct hash categories;	/* id -> struct rocpd_string; empty: they are strings */
	struct hash processes;	/* id -> struct rocpd_process */
	struct hash threads;	/* id -> struct rocpd_thread */
	struct hash agents;	/* id -> struct rocpd_agent */
	struct hash kernels;	/* id -> struct rocpd_kernel */
	struct arena arena;
};

struct rocpd_string { const char *s; size_t n; };
struct rocpd_process { u64 pid; const char *name; u16 producer; };
struct rocpd_thread { u64 tid; const char *name; };
struct rocpd_agent { bool gpu; struct device d; u64 told[4]; };
struct rocpd_kernel { const char *name; size_t n; u32 registers, static_shared; };

struct rocpd_string rocpd_string(const struct rocpd *r, u64 id);
struct rocpd_process *rocpd_process(struct rocpd *r, u64 id);	/* never NULL */
u32 rocpd_tid(struct rocpd *r, struct rocpd_process *p, u64 id);
/* Ordinal of an agent among its GPUs; its device is told to the importer. ~0: no GPU. */
u32 rocpd_device(struct rocpd *r, struct rocpd_process *p, u64 agent);

/* Text that lives as long as the recording. */
__attribute__((format(printf, 2, 3)))
const char *rocpd_sql(struct rocpd *r, const char *fmt, ...);
const char *rocpd_table(struct rocpd *r, const char *name);	/* with its suffix */

void rocpd_read_rows(struct rocpd *r);
int rpd_read(struct import *im, struct db *db);

#endif
