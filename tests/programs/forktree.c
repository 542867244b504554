// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * forktree [DEPTH=2] [WIDTH=2] [KERNELS=13]: a tree of processes by fork and exec, each of
 * which runs kernels and prints its own counts with its level; the root prints the sum too.
 */
#include <sys/wait.h>

#include "stub.h"

KERNEL(scale, "_ZN3ops5scaleIfEEvPT_j")
KERNELS(&scale_stub)

static noinline void children_start(char **argv, uint64_t depth, uint64_t width,
				    uint64_t kernels)
{
	char text[3][24];
	char *args[] = { argv[0], text[0], text[1], text[2], (char *)"child", NULL };

	sprintf(text[0], "%lu", (unsigned long)depth - 1);
	sprintf(text[1], "%lu", (unsigned long)width);
	sprintf(text[2], "%lu", (unsigned long)kernels);
	for (uint64_t i = 0; i < width; i++)
		if (!fork()) {
			execv("/proc/self/exe", args);
			_exit(127);
		}
}

static int children_wait(void)
{
	int status, bad = 0;

	while (wait(&status) > 0)
		bad |= status;
	return bad != 0;
}

static noinline void work(uint64_t kernels)
{
	float *buffer;

	CALL(cudaMalloc, (void **)&buffer, 4096);
	for (uint64_t i = 0; i < kernels; i++)
		LAUNCH(scale, 64, NULL, buffer, 100);
	CALL(cudaDeviceSynchronize);
	CALL(cudaFree, buffer);
}

int main(int argc, char **argv)
{
	uint64_t depth = argument(argc, argv, 1, 2), width = argument(argc, argv, 2, 2);
	uint64_t kernels = argument(argc, argv, 3, 13), level, processes = 0;

	if (argc <= 4)
		say_device();
	work(kernels);
	if (depth)
		children_start(argv, depth, width, kernels);
	work(kernels);
	if (children_wait())
		return 1;
	printf("forktree: pid=%d kernels=%lu\n", getpid(),
	       (unsigned long)sites_sum(kernel_sites));
	if (argc > 4)
		return 0;
	level = 1;
	for (uint64_t i = 0; i <= depth; i++, level *= width)
		processes += level;
	expect("processes", processes);
	expect("kernels", processes * 2 * kernels);
	return 0;
}
