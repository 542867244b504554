// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The trace file on a stream of launches (an API call and a kernel are two
 * records) as a training loop makes them: bytes a record, records a second
 * written and read, against zstd -1 over the raw rows and memcpy of them in
 * the same run. Exit 1 when a bound of DESIGN 7 does not hold.
 *
 *   trace [RECORDS]      default 4,000,000
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>
#include "cuda.h"
#include "log.h"
#include "trace.h"

#define BYTES_MAX 6.0		/* a record, DESIGN 7 */
#define PERIOD 400		/* launches of one training step */
#define KERNELS 60
#define CHUNK (512u << 10)	/* of raw rows given to zstd at once, as in a block */

static u64 rnd(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static u64 jitter(u64 v, u32 percent)
{
	return v * (10000 - percent * 100 + rnd() % (percent * 200 + 1)) / 10000;
}

/* One launch: the call on the CPU, its kernel behind the one before on the same stream. */
static void make_launch(struct api *a, struct kernel *k, u64 i)
{
	static u64 cpu_ns = 1000000000000ULL, gpu_ns[4];
	static u32 slot;
	u32 step, name, stream;

	slot = rnd() % 200 ? slot + 1 : rnd();	/* now and then the loop takes another turn */
	step = slot % PERIOD;
	name = (step * 2654435761u >> 7) % KERNELS;
	stream = name % 9 ? 7 : 13 + name % 3;
	cpu_ns += jitter(1500 + step * 37 % 2900, 20);
	*a = (struct api){
		.e = { .ts = cpu_ns, .pid = 4242, .tid = 4243, .size = sizeof(*a),
		       .kind = EVENT_API, .producer = 1, .cpu = CPU_UNKNOWN },
		.dur_ns = jitter(2100 + name * 13, 8), .correlation = 2 * i + 1, .name = 3,
		.cbid = 211, .domain = API_RUNTIME, .class = API_LAUNCH,
	};
	cpu_ns += a->dur_ns;
	if (gpu_ns[stream % 4] < cpu_ns + 900)
		gpu_ns[stream % 4] = cpu_ns + 900 + rnd() % 700;
	*k = (struct kernel){
		.g = { .e = { .ts = gpu_ns[stream % 4] & ~31ULL, .pid = 4242,
			      .size = sizeof(*k), .kind = EVENT_KERNEL, .producer = 1,
			      .cpu = CPU_UNKNOWN },
		       .dur_ns = jitter(1800 + name * name * 3, 3) & ~31ULL,
		       .correlation = 2 * i + 1, .context = 1, .stream = stream },
		.name = 10 + name, .registers = 32 + name % 7 * 8,
		.grid = { 1 + name * 977 % 4096, 1, 1 + name % 2 },
		.block = { 128 << name % 3, 1, 1 },
		.static_shared_bytes = name % 5 * 1024,
		.dynamic_shared_bytes = name % 4 * 16384,
	};
	gpu_ns[stream % 4] += k->g.dur_ns + 800 + rnd() % 256;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void put(struct trace_writer *w, const struct event *e)
{
	if (trace_put(w, e))
		exit(1);
}

static void put_name(struct trace_writer *w, u32 id, u32 what, const char *text)
{
	struct { struct name n; char text[32]; } r = {
		.n = { .e = { .ts = 1000, .size = sizeof(r), .kind = EVENT_NAME,
			      .producer = 1, .cpu = CPU_UNKNOWN }, .id = id, .what = what },
	};

	snprintf(r.text, sizeof(r.text), "%s", text);
	put(w, &r.n.e);
}

/* trace fill FILE BYTES: a training loop of that length, its steps as NVTX ranges. */
static int fill(const char *path, u64 bytes)
{
	struct trace_writer *w;
	struct trace_info info;
	char text[32];
	struct nvtx step = { .e = { .pid = 4242, .tid = 4243, .size = sizeof(step),
				    .kind = EVENT_NVTX, .producer = 1, .cpu = CPU_UNKNOWN },
			     .name = 4, .what = NVTX_PUSH_POP };
	struct kernel k;
	struct api a;

	trace_info_here(&info, "bench");
	if (trace_create(&w, path, &info))
		return 1;
	put_name(w, 3, NAME_API, "cudaLaunchKernel");
	put_name(w, 4, NAME_NVTX, "step");
	for (u32 i = 0; i < KERNELS; i++) {
		snprintf(text, sizeof(text), "kernel_%u", i);
		put_name(w, 10 + i, NAME_KERNEL, text);
	}
	for (u64 i = 0; trace_bytes(w) < bytes; i++) {
		make_launch(&a, &k, i);
		if (i % PERIOD == 0 && i) {
			step.dur_ns = a.e.ts - step.e.ts - 1;
			put(w, &step.e);
		}
		if (i % PERIOD == 0)
			step.e.ts = a.e.ts;
		put(w, &a.e);
		put(w, &k.g.e);
	}
	return trace_close(w) ? 1 : 0;
}

static double bench_write(const char *path, const u8 *rows, size_t len, u64 *bytes)
{
	struct trace_writer *w;
	struct trace_info info;
	double start = now();

	trace_info_here(&info, "bench");
	if (trace_create(&w, path, &info))
		exit(1);
	for (size_t at = 0; at < len; at += ((const struct event *)(rows + at))->size)
		if (trace_put(w, (const struct event *)(rows + at)))
			exit(1);
	trace_flush(w);
	*bytes = trace_bytes(w);
	if (trace_close(w))
		exit(1);
	return now() - start;
}

static double bench_read(const char *path, u64 want)
{
	struct trace_reader *r;
	const struct event *e;
	double start = now();
	u64 n = 0, sum = 0;

	if (trace_open(&r, path))
		exit(1);
	for (; trace_next(r, &e) > 0; n++)
		sum += e->ts;
	trace_reader_close(r);
	if (n != want || !sum)
		errx(1, "%llu records of %llu came back", n, want);
	return now() - start;
}

static double bench_zstd(const u8 *rows, size_t len, u64 *bytes)
{
	size_t bound = ZSTD_compressBound(CHUNK), n;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	void *out = malloc(bound);
	double start = now();

	*bytes = 0;
	for (size_t at = 0; at < len; at += CHUNK) {
		n = len - at < CHUNK ? len - at : CHUNK;
		n = ZSTD_compressCCtx(c, out, bound, rows + at, n, 1);
		*bytes += n;
	}
	start = now() - start;
	ZSTD_freeCCtx(c);
	free(out);
	return start;
}

static double bench_memcpy(const u8 *rows, size_t len)
{
	u8 *copy = malloc(CHUNK);
	double start = now();

	for (size_t at = 0; at + CHUNK <= len; at += CHUNK) {
		memcpy(copy, rows + at, CHUNK);
		__asm__ volatile("" : : "r"(copy) : "memory");
	}
	start = now() - start;
	free(copy);
	return start;
}

static void print_speed(const char *what, u64 n, double s, double zstd_s, double memcpy_s)
{
	printf("trace: %s %.1f M records/s, time %.2f x zstd -1 of the rows, %.1f x memcpy\n",
	       what, n / s / 1e6, s / zstd_s, s / memcpy_s);
}

static int measure(u64 n)
{
	u64 bytes, zstd_bytes;
	size_t len = n / 2 * (sizeof(struct api) + sizeof(struct kernel));
	u8 *rows = malloc(len), *at = rows;
	char path[] = "/tmp/gpuscope-bench-XXXXXX";
	double write_s, read_s, zstd_s, memcpy_s;
	int fd = mkstemp(path);

	if (fd < 0 || !rows || !n)
		err(1, "cannot prepare %llu records", n);
	close(fd);
	for (u64 i = 0; i < n / 2; i++, at += sizeof(struct api) + sizeof(struct kernel))
		make_launch((struct api *)at, (struct kernel *)(at + sizeof(struct api)), i);
	write_s = bench_write(path, rows, len, &bytes);
	read_s = bench_read(path, n);
	zstd_s = bench_zstd(rows, len, &zstd_bytes);
	memcpy_s = bench_memcpy(rows, len);
	unlink(path);
	printf("trace: %llu records of %.0f bytes (api and kernel in turn)\n", n,
	       (double)len / n);
	printf("trace: bytes_per_record %.2f (raw rows + zstd -1: %.2f; bound %.1f)\n",
	       (double)bytes / n, (double)zstd_bytes / n, BYTES_MAX);
	print_speed("write", n, write_s, zstd_s, memcpy_s);
	print_speed("read", n, read_s, zstd_s, memcpy_s);
	if ((double)bytes / n <= BYTES_MAX)
		return 0;
	puts("trace: FAILED: more bytes a record than the bound");
	return 1;
}

int main(int argc, char **argv)
{
	log_init("bench/trace", false);
	if (argc == 4 && !strcmp(argv[1], "fill"))
		return fill(argv[2], strtoull(argv[3], NULL, 0));
	return measure((argc > 1 ? strtoull(argv[1], NULL, 0) : 4000000) / 2 * 2);
}
