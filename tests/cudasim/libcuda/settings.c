// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The environment, read when cuInit runs; each name is prefixed with CUDASIM_.
 *
 *   DEVICES=1              how many; 0: as on a machine without a GPU
 *   MIG="GI:CI,.."         GPU 0 is divided, the program sees the first instance
 *   LOST="DEVICE:N,.."     with its Nth operation the device falls off the bus (lost.c)
 *   CC=90                  compute capability
 *   FORCE                  start although a real driver is here
 *   LOG                    say on stderr what is otherwise silent
 *   MODEL=FILE             how long kernels take (model.c)
 *   KERNEL_NS=2000 NS_PER_THREAD=0.05 LAUNCH_LATENCY_NS=3000 GAP_NS=300
 *   PCIE_GBS=25 PAGEABLE_GBS=6 HBM_GBS=1500 NVLINK_GBS=200
 *   QUEUE=1024             operations a stream holds before submission waits
 *   UVM=FILE               managed memory of the real driver; FILE: what kernels did (uvm.c)
 *   IOCTL=1                one ioctl on /dev/null a submission, for probes to see
 *   FAIL="NAME:nth=N:err=E,..."   the Nth call of NAME (each without nth) returns E (or 1)
 *
 * libcupti has some of its own:
 *
 *   CUPTI_VERSION=130001   18 and 22 too: sizes of records and errors are those of 11.8, 12.4
 *   DROP=every=N|after=N   records are lost (buffer.c)
 *   ZERO_TS=PERCENT INVERT_TS=PERCENT   stamps that are none (record.c)
 *   CLOCK_LATCH TS_CORRUPT REALTIME_STEP=MS@S   clocks (clock.c)
 *   REC_DELAY_MS=N         a record is there N ms after its operation's end
 *   BUFFER_THREAD=app      buffers are handed over in the flushing thread
 *   SLOW_CALLBACK=US       each callback takes that much longer
 *   SECOND_SUBSCRIBER=1|NAME   someone else has subscribed: error 39
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define MAX_FAULTS 16

static struct fault_rule {
	char name[64];
	uint32_t nth, calls;
	int error;
} rules[MAX_FAULTS];
static int rule_count;
bool sim_faults, sim_log;

const char *setting(const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "CUDASIM_%s", name);
	return getenv(full);
}

double setting_number(const char *name, double otherwise)
{
	const char *s = setting(name);

	return s && *s ? atof(s) : otherwise;
}

static void rule_parse(char *text)
{
	struct fault_rule *r = &rules[rule_count];
	char *save, *part = strtok_r(text, ":", &save);

	if (!part || rule_count == MAX_FAULTS)
		return;
	snprintf(r->name, sizeof(r->name), "%s", part);
	r->error = 1;
	while ((part = strtok_r(NULL, ":", &save))) {
		if (!strncmp(part, "nth=", 4))
			r->nth = atoi(part + 4);
		else if (!strncmp(part, "err=", 4))
			r->error = atoi(part + 4);
	}
	rule_count++;
}

static void faults_parse(void)
{
	const char *s = setting("FAIL");
	char *copy, *save, *part;

	copy = s ? strdup(s) : NULL;
	if (copy)
		for (part = strtok_r(copy, ",", &save); part; part = strtok_r(NULL, ",", &save))
			rule_parse(part);
	free(copy);
	sim_faults = rule_count > 0;
	sim_log = setting("LOG") != NULL;
}

void faults_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, faults_parse);
}

/* A rule for cuMemAlloc also meets cuMemAlloc_v2 and cuMemAlloc_v2_ptsz. */
static bool rule_meets(const struct fault_rule *r, const char *name)
{
	size_t n = strlen(r->name);

	if (strncmp(r->name, name, n))
		return false;
	return !name[n] || !strncmp(name + n, "_v", 2) || !strncmp(name + n, "_pt", 3);
}

/* 0, or the error that this call of `name` is to return. */
int fault(const char *name)
{
	struct fault_rule *r;

	for (r = rules; r < rules + rule_count; r++) {
		if (!rule_meets(r, name))
			continue;
		if (__atomic_add_fetch(&r->calls, 1, __ATOMIC_RELAXED) == r->nth || !r->nth)
			return r->error;
	}
	return 0;
}
