// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lines to the importer, as a reader of a format would call it, so that what is
 * behind the readers is tested without any.
 *
 *   importput [-j] OUT < LINES       -j: the summary. The memory it took goes to stderr.
 *
 *   file PATH [origin NS] [rank N WORLD] [host NAME]
 *   process ID [NAME]                what follows is of this process
 *   thread ID [NAME]                 and this thread
 *   python|op|annotation|span|nvtx|gpuspan NAME TS DUR
 *   api NAME CORRELATION TS DUR      class launch
 *   kernel NAME CORRELATION TS DUR
 *   stack CORRELATION TS A;B;C       of a call, outermost frame first
 *   collective NAME SEQUENCE         says the id it got
 *   device ORDINAL [MEM_BYTES] [NAME]
 *   odd WHAT WHICH, fact GROUP KEY N, damage WHY AT
 *   many N SEED                      launches inside of operators, their times mixed up
 *   names N                          so many names
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "import.h"
#include "log.h"
#include "out.h"

static struct import *im;
static char *word[16];
static u32 words;
static u16 producer;
static u32 tid;

static const char *text(u32 i)
{
	return i < words ? word[i] : "";
}

static u64 number(u32 i)
{
	return strtoull(text(i), NULL, 0);
}

static u32 name(enum name_what what, const char *s)
{
	return import_name(im, producer, what, s, strlen(s));
}

static struct event head(u16 kind, u16 size, u64 ts, u32 thread)
{
	return (struct event){ .ts = ts, .pid = import_pid(im, producer), .tid = thread,
			       .size = size, .kind = kind, .producer = producer,
			       .cpu = CPU_UNKNOWN };
}

static void put_span(u16 what, const char *s, u64 ts, u64 dur)
{
	struct span r = {
		.e = head(EVENT_SPAN, sizeof(r), ts, what == SPAN_GPU_ANNOTATION ? 0 : tid),
		.dur_ns = dur, .name = name(NAME_SPAN, s), .device = ~0u, .stream = ~0u,
		.what = what,
	};

	import_put(im, &r.e);
}

static void put_nvtx(const char *s, u64 ts, u64 dur)
{
	struct nvtx r = { .e = head(EVENT_NVTX, sizeof(r), ts, tid), .dur_ns = dur,
			  .name = name(NAME_NVTX, s), .what = NVTX_PUSH_POP };

	import_put(im, &r.e);
}

static void put_api(const char *s, u64 correlation, u64 ts, u64 dur)
{
	struct api r = { .e = head(EVENT_API, sizeof(r), ts, tid), .dur_ns = dur,
			 .correlation = import_correlation(im, producer, correlation),
			 .name = name(NAME_API, s), .domain = API_RUNTIME,
			 .class = API_LAUNCH };

	import_put(im, &r.e);
}

static void put_kernel(const char *s, u64 correlation, u64 ts, u64 dur)
{
	struct kernel r = {
		.g = { .e = head(EVENT_KERNEL, sizeof(r), ts, 0), .dur_ns = dur,
		       .correlation = import_correlation(im, producer, correlation),
		       .stream = 7 },
		.name = name(NAME_KERNEL, s),
	};

	import_put(im, &r.g.e);
}

static void put_stack(void)
{
	struct import_frame frames[16];
	struct api_stack r = {
		.e = head(EVENT_API_STACK, sizeof(r), number(2), tid),
		.correlation = number(1), .process = producer,
	};
	char *save, *s = word[3];
	u32 n = 0;

	for (s = strtok_r(s, ";", &save); s && n < 16; s = strtok_r(NULL, ";", &save))
		frames[n++] = (struct import_frame){ s, strlen(s), SPAN_PYTHON };
	r.stack = import_stack(im, producer, frames, n);
	import_put(im, &r.e);
}

/* Operators of 100 ns, 10 ns apart, each with a call and a kernel. In the order of a
 * permutation of their numbers, so that nothing is sorted. */
static void put_many(u64 n, u64 seed)
{
	u64 step = 1000003, at = seed % (n ?: 1);

	for (u64 i = 0; i < n; i++, at = (at + step) % n) {
		u64 ts = 1000 + at * 110;
		char op[16];

		snprintf(op, sizeof(op), "op%llu", at % 10);
		put_kernel("gemm", at + 1, ts + 60, 40);
		put_api("cudaLaunchKernel", at + 1, ts + 10, 30);
		put_span(SPAN_OP, op, ts, 100);
	}
}

static void put_names(u64 n)
{
	char s[32];

	for (u64 i = 0; i < n; i++) {
		snprintf(s, sizeof(s), "name %llu", i);
		name(NAME_SPAN, s);
	}
}

static void begin_file(void)
{
	import_file(im, text(1), SOURCE_CHROME, 0);
	for (u32 i = 2; i < words; i++) {
		if (!strcmp(word[i], "origin"))
			import_file_origin(im, number(i + 1));
		if (!strcmp(word[i], "rank"))
			import_file_rank(im, number(i + 1), number(i + 2));
		if (!strcmp(word[i], "host"))
			import_file_host(im, text(i + 1));
	}
}

static void put_collective(void)
{
	struct collective c = { .name = name(NAME_COLLECTIVE, text(1)), .sequence = number(2),
				.peer = -1 };

	fprintf(stderr, "collective %u\n", import_collective(im, producer, &c));
}

static void put_device(void)
{
	struct device d = { .ordinal = number(1), .mem_bytes = number(2), .minor = ~0u,
			    .numa_node = -1 };

	snprintf(d.name, sizeof(d.name), "%s", text(3));
	import_device(im, producer, &d);
}

static bool put_timed(void)
{
	static const struct { const char *word; u16 what; } spans[] = {
		{ "python", SPAN_PYTHON }, { "op", SPAN_OP }, { "annotation", SPAN_ANNOTATION },
		{ "span", SPAN_OTHER }, { "gpuspan", SPAN_GPU_ANNOTATION },
	};

	for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++)
		if (!strcmp(word[0], spans[i].word)) {
			put_span(spans[i].what, text(1), number(2), number(3));
			return true;
		}
	if (!strcmp(word[0], "nvtx"))
		put_nvtx(text(1), number(2), number(3));
	else if (!strcmp(word[0], "api"))
		put_api(text(1), number(2), number(3), number(4));
	else if (!strcmp(word[0], "kernel"))
		put_kernel(text(1), number(2), number(3), number(4));
	else
		return false;
	return true;
}

static void line(void)
{
	if (put_timed())
		return;
	if (!strcmp(word[0], "file"))
		begin_file();
	else if (!strcmp(word[0], "process"))
		producer = import_process(im, number(1), text(2));
	else if (!strcmp(word[0], "thread"))
		tid = import_tid(im, producer, number(1), text(2));
	else if (!strcmp(word[0], "stack"))
		put_stack();
	else if (!strcmp(word[0], "collective"))
		put_collective();
	else if (!strcmp(word[0], "device"))
		put_device();
	else if (!strcmp(word[0], "odd"))
		import_odd(im, text(1), text(2));
	else if (!strcmp(word[0], "fact"))
		import_fact(im, text(1), text(2), strlen(text(2)), number(3));
	else if (!strcmp(word[0], "damage"))
		import_damage(im, text(1), number(2));
	else if (!strcmp(word[0], "many"))
		put_many(number(1), number(2));
	else if (!strcmp(word[0], "names"))
		put_names(number(1));
	else
		errx(2, "unknown word %s", word[0]);
}

int main(int argc, char **argv)
{
	bool json = argc > 1 && !strcmp(argv[1], "-j");
	struct json j = { .f = stdout };
	char *s = NULL, *save, *w;
	struct rusage usage;
	size_t room = 0;
	int ret;

	log_init("importput", false);
	if (argc != 2 + json)
		errx(2, "usage: importput [-j] OUT < LINES");
	if (import_new(&im, argv[1 + json]))
		return 1;
	while (getline(&s, &room, stdin) > 0) {
		words = 0;
		for (w = strtok_r(s, " \n", &save); w && words < 16;
		     w = strtok_r(NULL, " \n", &save))
			word[words++] = w;
		if (words)
			line();
	}
	free(s);
	ret = import_finish(im);
	if (!ret && json)
		import_summary(im, &j, argv[2]);
	if (!ret)
		import_say(im);
	ret = ret || import_damaged(im);
	import_free(im);
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "max_kb %ld\n", usage.ru_maxrss);
	return ret;
}
