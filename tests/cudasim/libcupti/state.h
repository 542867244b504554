/*
 * The simulated CUPTI: what its parts share. Calls come in through subscribe.c,
 * activity.c and info.c; what the engine tells through its hooks becomes
 * callbacks (subscribe.c) or records (record.c) with converted times (clock.c),
 * which a thread of its own puts into the client's buffers (buffer.c).
 */
#ifndef STATE_H
#define STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "sim.h"
#include "cupti_abi.h"

#define EXPORT  __attribute__((visibility("default")))
#define CBIDS   1024		/* more than either domain has */
#define CONTEXTS 64		/* contexts whose kinds can be enabled one by one */
#define NO_CBID (~0U)

#define CUPTI_DECLARE(need, field, symbol, arguments) EXPORT int symbol arguments;
CUPTI_FUNCTIONS(CUPTI_DECLARE)

/* ---- info.c: the engine, versions, errors ---- */
const struct sim_core *core(void);
uint32_t version(void);			/* CUDASIM_CUPTI_VERSION or 130001 */
int number_setting(const char *name, int otherwise);
/* What every entry point begins with: 0 or the error to return, by fault injection, or for
 * want of a device if it needs one. */
int refuse(const char *function, bool needs_device);
int failed(int result);			/* remembers it for cuptiGetLastError() */
uint32_t cbid_of(const struct sim_call *call);	/* NO_CBID: CUPTI has no such call */
uint32_t cbid_count(uint32_t domain);	/* 0: no such domain */

/* ---- subscribe.c: callbacks ---- */
void callback_api(struct sim_call *call, uint32_t cbid, int site);
void callback_resource(enum sim_resource what, const struct sim_resource_data *d);
void callback_sync(const struct sim_sync *s);
void unsubscribe(void);

/* ---- record.c: records from what the engine tells ---- */
extern _Atomic uint8_t kinds[CUPTI_KIND_COUNT];		/* enabled for all contexts */
extern _Atomic uint8_t context_kinds[CONTEXTS][CUPTI_KIND_COUNT];
extern _Atomic uint8_t api_kinds[2][CBIDS];		/* single calls: 0 driver, 1 runtime */
extern _Atomic uint8_t latency, thread_id_type;
void hooks_install(void);
void hooks_update(void);		/* after a change of kinds */
bool kind_wanted(uint32_t kind, uint32_t context);
/* A forced flush brings what is still running, without times; it is not told again. */
void record_unfinished(void);
void record_late(bool all);		/* what CUDASIM_REC_DELAY_MS held back */
void record_overhead(uint32_t what, uint64_t start, uint64_t end);	/* monotonic */
bool external_push(int kind, uint64_t id);
bool external_pop(int kind, uint64_t *id);

/* ---- object.c: devices, contexts and streams that are there ---- */
void object_dump(uint32_t kind);		/* DEVICE, CONTEXT, STREAM */
void object_track(enum sim_resource what, const struct sim_resource_data *d);

/* ---- clock.c: from the engine's monotonic time to the client's ---- */
enum clock_of { CLOCK_OF_CPU, CLOCK_OF_GPU };
uint64_t clock_convert(enum clock_of whose, uint64_t monotonic);
void clock_register(cupti_timestamp_fn now);
int64_t clock_offset(enum clock_of whose);	/* one reading for all times of a record */

/* ---- buffer.c: the client's buffers ---- */
extern atomic_bool buffers_zeroed;	/* the client hands zeroed ones */
bool buffer_registered(void);
void buffer_register(cupti_buffer_request_fn request, cupti_buffer_complete_fn complete);
void buffer_put(const void *record, uint32_t kind);	/* shortened to what this version
							 * knows */
int buffer_flush(bool forced);
void buffer_stop(bool wait);		/* wait: it may start again later */
size_t buffer_dropped(void);		/* since the last call */

#endif
