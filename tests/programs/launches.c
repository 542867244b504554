// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * So many launches, each with a grid of its own (up to 97), the last one refused by the driver:
 * what culaunch must show is known from the arguments.
 *
 *   launches N [all] [wait] [thread]
 *     all     three more, by cuLaunchKernelEx, cuLaunchCooperativeKernel and cuGraphLaunch
 *     wait    says "ready" when all names are known, and goes on at a line on stdin
 *     thread  from a second thread; prints its id
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cuda_abi.h"

#define KERNEL(name)								\
	".visible .entry " name "(.param .u64 out, .param .u32 n)\n{\nret;\n}\n"

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
	KERNEL("_Z5saxpyPfj") KERNEL("_Z5scalePfj");

static CUfunction saxpy, scale;
static CUcontext context;
static CUstream stream;
static int count;
static int all;

static void must(CUresult r, const char *what)
{
	if (!r)
		return;
	fprintf(stderr, "launches: %s returned %d\n", what, r);
	exit(1);
}
#define MUST(call) must(call, #call)

static void more(void **params)
{
	CUlaunchConfig config = { 11, 12, 13, 32, 2, 1, 256, stream, NULL, 0 };
	CUgraphExec exec;
	CUgraph graph;

	MUST(cuLaunchKernelEx(&config, saxpy, params, NULL));
	MUST(cuLaunchCooperativeKernel(scale, 3, 1, 1, 64, 1, 1, 0, stream, params));
	MUST(cuStreamBeginCapture_v2(stream, 0));
	MUST(cuStreamEndCapture(stream, &graph));
	MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
	MUST(cuGraphLaunch(exec, stream));
}

static void *launch(void *arg)
{
	CUdeviceptr out = 0;
	unsigned int n = 1;
	void *params[] = { &out, &n };

	MUST(cuCtxSetCurrent(context));
	for (int i = 1; i < count; i++)
		MUST(cuLaunchKernel(i % 2 ? saxpy : scale, (i - 1) % 97 + 1, 2, 1, 128, 1, 1,
				    512, stream, params, NULL));
	if (!cuLaunchKernel(saxpy, 0, 2, 1, 128, 1, 1, 512, stream, params, NULL)) {
		fprintf(stderr, "launches: an empty grid was taken\n");
		exit(1);
	}
	if (all)
		more(params);
	MUST(cuStreamSynchronize(stream));
	if (arg)
		printf("tid %ld\n", syscall(SYS_gettid));
	return NULL;
}

static void prepare(void)
{
	CUmodule module;

	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuCtxSetCurrent(context));
	MUST(cuStreamCreate(&stream, 1));
	MUST(cuModuleLoadData(&module, ptx));
	MUST(cuModuleGetFunction(&saxpy, module, "_Z5saxpyPfj"));
	MUST(cuModuleGetFunction(&scale, module, "_Z5scalePfj"));
}

int main(int argc, char **argv)
{
	int wait = 0, thread = 0;
	pthread_t t;
	char line[8];

	count = argc > 1 ? atoi(argv[1]) : 23;
	for (int i = 2; i < argc; i++) {
		all |= !strcmp(argv[i], "all");
		wait |= !strcmp(argv[i], "wait");
		thread |= !strcmp(argv[i], "thread");
	}
	prepare();
	if (wait) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	if (!thread)
		launch(NULL);
	else if (pthread_create(&t, NULL, launch, argv) || pthread_join(t, NULL))
		return 1;
	return 0;
}
