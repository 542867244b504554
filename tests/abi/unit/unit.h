/*
 * The simulated CUPTI alone, on an engine of a few lines that does only what a
 * test tells it: so that every rule is met exactly, without time passing. One
 * process a case.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../check.h"
#include "cupti_abi.h"
#include "sim.h"

#define DECLARE(need, field, symbol, arguments) int symbol arguments;
CUPTI_FUNCTIONS(DECLARE)

/* ---- engine.c ---- */
extern uint64_t fake_now;	/* 0: the real clock */
extern int live_contexts;
extern struct sim_hooks *hooks;
uint64_t monotonic(void);
uint64_t realtime(void);
/* a call, with what happens inside it */
uint32_t call(uint32_t domain, const char *name, void (*inside)(void));
uint32_t op(enum sim_op_type type, uint64_t start, uint64_t end);	/* its correlation */
void kernels(int n);
extern struct sim_record shape;	/* of the ops */
extern struct sim_record running;	/* type 0: nothing runs */

/* ---- client.c: a client that keeps what it is given ---- */
#define RECORDS 65536
extern size_t buffer_bytes, buffer_records;	/* what it hands out; bytes 0: declines */
extern _Atomic int requests, completions;
extern unsigned long request_thread, complete_thread;
extern void *records[RECORDS];	/* copies, in order */
extern uint32_t sizes[RECORDS];	/* distance to the next as the walk shows it */
extern _Atomic int record_count;
extern int (*walk)(uint8_t *buffer, size_t valid, void **record);
void client_start(void);	/* registers the buffer callbacks */
int count(uint32_t kind);
void *nth(uint32_t kind, int n);	/* NULL: no such record */
void forget(void);

struct test { const char *name; void (*run)(void); };
extern const struct test record_tests[], callback_tests[], fault_tests[];	/* NULL ends */

#endif
