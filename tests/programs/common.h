/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the test programs. They count what they do where they do it and print it at the
 * end as `expect KEY VALUE` lines: the truth that tests compare recordings with. The programs
 * are linked to the simulated libraries but run unchanged on a real GPU.
 */
#ifndef COMMON_H
#define COMMON_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define noinline __attribute__((noinline))

/*
 * A kernel in PTX, void NAME(float *out, unsigned n): counts to n, and the last value goes to
 * *out unless that is NULL. Reading the clock keeps the loop from being optimised away. Valid
 * for sm_50 and all later devices.
 */
#define PTX_HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
#define PTX_BODY									       \
	"{\n.reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"			       \
	"ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"		       \
	"COUNT:\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra WRITE;\n"				       \
	"mov.u32 %r3, %clock;\nadd.u32 %r2, %r2, 1;\nbra COUNT;\n"			       \
	"WRITE:\nsetp.eq.u64 %p2, %rd1, 0;\n@%p2 bra END;\ncvta.to.global.u64 %rd2, %rd1;\n"   \
	"st.global.u32 [%rd2], %r2;\nEND:\nret;\n}\n"
#define PTX_KERNEL(name) ".visible .entry " name "(.param .u64 out, .param .u32 n)\n" PTX_BODY

/* ---- counting ---- */

enum direction { HTOD, DTOH, DTOD, PTOP, DIRECTIONS };

struct site {			/* one kernel, or one place that calls an API function */
	const char *name;
	uint64_t count;
	struct site *next;
	int listed;
};

static struct site *call_sites, *kernel_sites;
static uint64_t copies, sets, bytes[DIRECTIONS];

#define add(to, n) __atomic_add_fetch(&(to), n, __ATOMIC_RELAXED)

static void site_count(struct site **list, struct site *s)
{
	add(s->count, 1);
	if (__atomic_exchange_n(&s->listed, 1, __ATOMIC_RELAXED))
		return;
	s->next = __atomic_load_n(list, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(list, &s->next, s, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static inline void copy_count(enum direction d, uint64_t n)
{
	add(copies, 1);
	add(bytes[d], n);
}

static inline void fail_call(const char *name, int error)
{
	fprintf(stderr, "%s: cannot go on: %s returned %d\n", program_invocation_short_name,
		name, error);
	exit(1);
}

/* Calls an API function of that exported name, counts it, and ends the program if it fails. */
#define CALL(function, ...)					\
	do {							\
		static struct site site_ = { #function };	\
		int error_ = function(__VA_ARGS__);		\
								\
		site_count(&call_sites, &site_);		\
		if (error_)					\
			fail_call(#function, error_);		\
	} while (0)
/* The same uncounted, for calls that a recording does not see (cuInit loads the recorder). */
#define CHECK(function, ...)				\
	do {						\
		int error_ = function(__VA_ARGS__);	\
							\
		if (error_)				\
			fail_call(#function, error_);	\
	} while (0)
#define COPY(direction, n, ...)			\
	do {					\
		CALL(__VA_ARGS__);		\
		copy_count(direction, n);	\
	} while (0)
#define SET(...)			\
	do {				\
		CALL(__VA_ARGS__);	\
		add(sets, 1);		\
	} while (0)

/* ---- telling ---- */

static void sites_print(struct site *list, const char *what)
{
	struct site *s, *t;
	uint64_t sum;

	for (s = list; s; s = s->next) {
		for (t = list; t != s && strcmp(t->name, s->name); t = t->next)
			;
		if (t != s)
			continue;	/* its name was printed with an earlier place */
		for (sum = 0; t; t = t->next)
			sum += strcmp(t->name, s->name) ? 0 : t->count;
		printf("expect %s:%s %lu\n", what, s->name, (unsigned long)sum);
	}
}

static uint64_t sites_sum(struct site *list)
{
	uint64_t sum = 0;

	for (; list; list = list->next)
		sum += list->count;
	return sum;
}

static inline void expect(const char *key, uint64_t value)
{
	printf("expect %s %lu\n", key, (unsigned long)value);
}

static inline void expect_all(void)
{
	expect("kernels", sites_sum(kernel_sites));
	expect("copies", copies);
	expect("sets", sets);
	expect("bytes_HtoD", bytes[HTOD]);
	expect("bytes_DtoH", bytes[DTOH]);
	expect("bytes_DtoD", bytes[DTOD]);
	expect("bytes_PtoP", bytes[PTOP]);
	sites_print(kernel_sites, "kernel");
	sites_print(call_sites, "api");
	fflush(stdout);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static inline uint64_t argument(int argc, char **argv, int i, uint64_t otherwise)
{
	return i < argc ? strtoull(argv[i], NULL, 0) : otherwise;
}

#endif
