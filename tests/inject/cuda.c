// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CUDA program on the driver API that does what its arguments say, in order,
 * and prints "expect WHAT N" for what a recorder must have seen of it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda_abi.h"
#include "handover.h"

static const char module[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry first(\n.param .u64 p\n)\n{\nret;\n}\n"
	".visible .entry second(\n.param .u64 p\n)\n{\nret;\n}\n";
static CUcontext context;
static CUfunction functions[2];
static CUdeviceptr memory;
static char host[4096];
static unsigned kernels, copies, sets, syncs, launches_failed, graphs;
static const char *self;

static void ok(int result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "cuda: %s gives %d\n", what, result);
	exit(1);
}
#define OK(call) ok(call, #call)

static void init(int ordinal)
{
	CUdevice device;
	CUmodule m;

	OK(cuInit(0));
	OK(cuDeviceGet(&device, ordinal));
	OK(cuDevicePrimaryCtxRetain(&context, device));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&m, module));
	OK(cuModuleGetFunction(&functions[0], m, "first"));
	OK(cuModuleGetFunction(&functions[1], m, "second"));
	OK(cuMemAlloc_v2(&memory, 1 << 20));
}

static void launch(int n)
{
	void *args[] = { &memory };

	__atomic_fetch_add(&kernels, n, __ATOMIC_RELAXED);
	while (n--)
		OK(cuLaunchKernel(functions[n & 1], 4, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
}

/* Three launches and a set are captured once and launched n times. */
static void graph(int n)
{
	void *args[] = { &memory };
	CUgraphExec exec;
	CUgraph made;
	CUstream s;
	int i;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < 3; i++)
		OK(cuLaunchKernel(functions[i & 1], 4, 1, 1, 64, 1, 1, 0, s, args, NULL));
	OK(cuMemsetD8Async(memory, 0, 4096, s));
	OK(cuStreamEndCapture(s, &made));
	OK(cuGraphInstantiateWithFlags(&exec, made, 0));
	for (i = 0; i < n; i++)
		OK(cuGraphLaunch(exec, s));
	OK(cuStreamSynchronize(s));
	graphs += n;
}

static void *thread(void *launches)
{
	OK(cuCtxSetCurrent(context));
	launch((intptr_t)launches);
	return NULL;
}

/* `width` at a time. */
static void storm(int n, int width, intptr_t launches)
{
	pthread_t t[64];
	int i, begun;

	for (; n > 0; n -= begun) {
		begun = n < width ? n : width;
		for (i = 0; i < begun; i++)
			pthread_create(&t[i], NULL, thread, (void *)launches);
		for (i = 0; i < begun; i++)
			pthread_join(t[i], NULL);
	}
}

/* As NVTX's header does at the program's first range, long before CUDA. */
static void nvtx_first(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *handle = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(void *) = handle ? dlsym(handle, "InitializeInjectionNvtx2") : NULL;

	ok(!init || !init(NULL), "InitializeInjectionNvtx2");
}

enum { CHILD_PLAIN, CHILD_EXEC, CHILD_CUDA, CHILD_PATIENT };

static void child(int cuda)
{
	pid_t pid = fork();
	int status;

	if (!pid && cuda == CHILD_CUDA) {
		init(0);
		launch(5);
		OK(cuCtxSynchronize());
	} else if (!pid && cuda == CHILD_EXEC) {
		execl("/proc/self/exe", self, "init", "launch=5", "sync", "quiet", NULL);
		_exit(127);
	} else if (!pid && cuda == CHILD_PATIENT) {
		execl("/proc/self/exe", self, "init", "await", "launch=5", "sync", "quiet",
		      NULL);
		_exit(127);
	}
	if (!pid)
		exit(0);	/* with the library's exit handler, but without its thread */
	waitpid(pid, &status, 0);
	ok(status, "the child");
	kernels += cuda ? 5 : 0;
}

/* Are rings mapped? */
static bool rings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "/memfd:gpuscope ");
	if (f)
		fclose(f);
	return found;
}

/* Do calls become records? The library says so where the recorder reads it. */
static bool recorded(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	volatile struct ring_file *ring = NULL;
	uint64_t start;
	char line[512];

	while (f && !ring && fgets(line, sizeof(line), f))
		if (strstr(line, "/memfd:gpuscope ") && sscanf(line, "%lx-", &start) == 1)
			ring = (void *)start;
	if (f)
		fclose(f);
	return ring && ring->library_state == RING_LIBRARY_UP;
}

/* Is there a thread of the library, and does it record? */
static void helper(void)
{
	char name[64] = "";
	struct dirent *d;
	DIR *dir = opendir("/proc/self/task");
	int found = 0;

	while (dir && (d = readdir(dir))) {
		char path[300];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f))
			found += !strcmp(name, "gpuscope\n");
		if (f)
			fclose(f);
	}
	printf("helper %d rings %d\n", found, rings());
	fflush(stdout);
}

static void expect(void)
{
	printf("expect kernel %u\nexpect copy %u\nexpect set %u\nexpect graph %u\n", kernels,
	       copies, sets, graphs);
	fflush(stdout);
}

static void act(char *word);

/* Acts from the lines of standard input, each answered when it is done. */
static void obey(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		act(line);
		puts("done");
		fflush(stdout);
	}
}

static bool work_act(const char *what, int n)
{
	int i;

	if (!strcmp(what, "init"))
		init(0);
	else if (!strcmp(what, "second"))	/* another GPU from now on */
		init(1);
	else if (!strcmp(what, "launch"))
		launch(n);
	else if (!strcmp(what, "copy"))
		for (i = 0, copies += n; i < n; i++)
			OK(cuMemcpyHtoD_v2(memory, host, sizeof(host)));
	else if (!strcmp(what, "set"))
		for (i = 0, sets += n; i < n; i++)
			OK(cuMemsetD8_v2(memory, 0, 4096));
	else if (!strcmp(what, "sync"))
		for (i = 0, syncs += n; i < n; i++)
			OK(cuCtxSynchronize());
	else if (!strcmp(what, "graph"))
		graph(n);
	else if (!strcmp(what, "bad"))	/* a launch that fails */
		launches_failed += !!cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL,
						    NULL);
	else if (!strcmp(what, "storm"))
		storm(n, 50, 3);
	else if (!strcmp(what, "crowd"))	/* more threads than slots, all at work */
		storm(64, 64, n);
	else
		return false;
	return true;
}

static void life_act(const char *what, int n)
{
	int i;

	if (!strcmp(what, "fork"))
		for (i = 0; i < n; i++)
			child(CHILD_PLAIN);
	else if (!strcmp(what, "exec"))
		for (i = 0; i < n; i++)
			child(CHILD_EXEC);
	else if (!strcmp(what, "patient"))	/* children that wait for a recorder */
		for (i = 0; i < n; i++)
			child(CHILD_PATIENT);
	else if (!strcmp(what, "await"))
		for (i = 0; i < 200 && !recorded(); i++)
			usleep(50000);
	else if (!strcmp(what, "helper"))
		helper();
	else if (!strcmp(what, "forkcuda"))	/* only where the parent has no CUDA yet */
		for (i = 0; i < n; i++)
			child(CHILD_CUDA);
	else if (!strcmp(what, "nvtx"))
		nvtx_first();
	else if (!strcmp(what, "obey"))
		obey();
	else if (!strcmp(what, "ms"))
		usleep(n * 1000);
	else if (!strcmp(what, "closeall"))
		for (i = 3; i < 1024; i++)
			close(i);
	else if (!strcmp(what, "_exit"))
		expect(), _exit(n);
	else if (!strcmp(what, "kill"))
		expect(), kill(getpid(), n);
	else if (!strcmp(what, "exit"))
		expect(), exit(n);
	else if (!strcmp(what, "quiet"))
		exit(0);
	else
		exit(2);
}

static void act(char *word)
{
	char *n = strchr(word, '=');

	if (n)
		*n++ = 0;
	if (!work_act(word, n ? atoi(n) : 1))
		life_act(word, n ? atoi(n) : 1);
}

int main(int argc, char **argv)
{
	int i;

	self = argv[0];
	for (i = 1; i < argc; i++)
		act(argv[i]);
	expect();
	return 0;
}
