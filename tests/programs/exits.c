// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * exits [return|exit|_exit|abort|segv|reset|pending|thread|fork|callback]
 * [CODE=0]: runs 17 kernels and then leaves in that way; its counts are printed before.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "stub.h"

KERNEL(scale, "_ZN3ops5scaleIfEEvPT_j")
KERNELS(&scale_stub)

#define KERNELS_RUN 17

/* Before it exits: in a host function every call of CUDA is refused. */
static void exit_in_callback(void *code)
{
	printf("exits: callback got %d\n", cudaDeviceSynchronize());
	exit((int)(size_t)code);
}

static void *exit_here(void *code)
{
	exit((int)(size_t)code);
}

/* CUDA is unusable in a child that did not exec; it must say so and not crash. */
static noinline void fork_here(void)
{
	int status, made, count;
	void *ptr;

	if (!fork()) {
		made = cudaMalloc(&ptr, 16);
		count = cudaDeviceSynchronize();
		printf("exits: child got %d and %d\n", made, count);
		exit(0);
	}
	wait(&status);
	if (status)
		printf("exits: child ended with status %d\n", status);
	LAUNCH(scale, 64, NULL, NULL, 100);
	CHECK(cudaDeviceSynchronize);
}

static noinline void leave(const char *way, int code)
{
	pthread_t thread;

	if (!strcmp(way, "exit"))
		exit(code);
	if (!strcmp(way, "_exit"))
		_exit(code);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "segv"))
		raise(SIGSEGV);
	if (!strcmp(way, "reset"))
		CHECK(cudaDeviceReset);
	if (!strcmp(way, "pending"))
		for (int i = 0; i < 1000; i++)
			LAUNCH(scale, 65536, NULL, NULL, 1000);
	if (!strcmp(way, "callback")) {
		CHECK(cudaLaunchHostFunc, NULL, exit_in_callback, (void *)(size_t)code);
		pause();
	}
	if (!strcmp(way, "fork"))
		fork_here();
	if (!strcmp(way, "thread") &&
	    !pthread_create(&thread, NULL, exit_here, (void *)(size_t)code))
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int code = argument(argc, argv, 2, 0);

	say_device();
	for (int i = 0; i < KERNELS_RUN; i++)
		LAUNCH(scale, 64, NULL, NULL, 100);
	CALL(cudaDeviceSynchronize);
	expect_all();
	leave(argc > 1 ? argv[1] : "return", code);
	return code;
}
