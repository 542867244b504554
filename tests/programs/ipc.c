// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * ipc [READERS=3]: one process fills memory and records an event; others open both by their
 * handles, wait on the device, copy, write a byte each and record an event that the first
 * waits for. Each process prints what it did itself.
 */
#include "stub.h"

#include <sys/socket.h>
#include <sys/wait.h>

KERNEL(produce, "_ZN3ipc7produceEPfj")
KERNEL(reduce, "_ZN3ipc6reduceEPfj")
KERNELS(&produce_stub, &reduce_stub)

#define BYTES 1048583u		/* prime */
#define VALUE 41

struct offer {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t filled, answered;
	int number;
};

static void all(ssize_t (*io)(int, void *, size_t), int fd, void *data, size_t size)
{
	if (io(fd, data, size) != (ssize_t)size)
		fail_call("a message of the other process, which", errno);
}

static ssize_t put(int fd, void *data, size_t size)
{
	return write(fd, data, size);
}

/* ---- the one that opens ---- */

static noinline void check(const unsigned char *shared, unsigned char *own, cudaStream_t s)
{
	unsigned char got[2] = { 0, 0 };

	COPY(DTOD, BYTES, cudaMemcpyAsync, own, shared, BYTES, cudaMemcpyDeviceToDevice, s);
	LAUNCH(reduce, 4, s, NULL, 50);
	COPY(DTOH, 2, cudaMemcpyAsync, got, own + BYTES - 2, 2, cudaMemcpyDeviceToHost, s);
	CALL(cudaStreamSynchronize, s);
	if (got[0] != VALUE || got[1] != VALUE)
		fail_call("the bytes that were shared, which", got[0]);
}

static int reader(int fd)
{
	cudaEvent_t filled, answered;
	unsigned char *shared, *own;
	struct offer offer;
	cudaStream_t s;

	say_device();
	all(read, fd, &offer, sizeof(offer));
	CALL(cudaStreamCreate, &s);
	CALL(cudaMalloc, (void **)&own, BYTES);
	CALL(cudaIpcOpenMemHandle, (void **)&shared, offer.memory,
	     cudaIpcMemLazyEnablePeerAccess);
	CALL(cudaIpcOpenEventHandle, &filled, offer.filled);
	CALL(cudaIpcOpenEventHandle, &answered, offer.answered);
	CALL(cudaStreamWaitEvent, s, filled, 0);
	check(shared, own, s);
	SET(cudaMemsetAsync, shared + offer.number, offer.number + 1, 1, s);
	CALL(cudaEventRecord, answered, s);
	all(put, fd, &offer.number, sizeof(offer.number));
	CALL(cudaStreamSynchronize, s);
	CALL(cudaIpcCloseMemHandle, shared);
	CALL(cudaEventDestroy, filled);
	CALL(cudaEventDestroy, answered);
	expect("readers", 1);
	expect_all();
	return 0;
}

/* ---- the one that gives ---- */

static int reader_start(char *name, int *fd)
{
	int pair[2], pid;
	char text[16];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		fail_call("socketpair", errno);
	pid = fork();
	if (pid < 0)
		fail_call("fork", errno);
	if (!pid) {
		close(pair[0]);
		sprintf(text, "%d", pair[1]);
		execl(name, name, "reader", text, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static noinline void serve(int fd, int number, unsigned char *shared, cudaEvent_t filled,
			   cudaStream_t s)
{
	cudaEvent_t answered;
	struct offer offer;
	unsigned char got;

	CALL(cudaEventCreateWithFlags, &answered,
	     cudaEventDisableTiming | cudaEventInterprocess);
	offer.number = number;
	CALL(cudaIpcGetMemHandle, &offer.memory, shared);
	CALL(cudaIpcGetEventHandle, &offer.filled, filled);
	CALL(cudaIpcGetEventHandle, &offer.answered, answered);
	all(put, fd, &offer, sizeof(offer));
	all(read, fd, &number, sizeof(number));
	CALL(cudaStreamWaitEvent, s, answered, 0);
	COPY(DTOH, 1, cudaMemcpyAsync, &got, shared + number, 1, cudaMemcpyDeviceToHost, s);
	CALL(cudaStreamSynchronize, s);
	if (got != offer.number + 1)
		fail_call("the byte that a reader wrote, which", got);
	CALL(cudaEventDestroy, answered);
}

static int writer(int *pids, int *fds, int readers)
{
	unsigned char *shared;
	cudaEvent_t filled;
	cudaStream_t s;
	int status, bad = 0;

	CALL(cudaStreamCreate, &s);
	CALL(cudaMalloc, (void **)&shared, BYTES);
	CALL(cudaEventCreateWithFlags, &filled, cudaEventDisableTiming | cudaEventInterprocess);
	SET(cudaMemsetAsync, shared, VALUE, BYTES, s);
	LAUNCH(produce, 4, s, NULL, 50);
	CALL(cudaEventRecord, filled, s);
	for (int i = 0; i < readers; i++)
		serve(fds[i], i, shared, filled, s);
	for (int i = 0; i < readers; i++) {
		waitpid(pids[i], &status, 0);
		bad |= status;
	}
	CALL(cudaEventDestroy, filled);
	CALL(cudaFree, shared);
	expect_all();
	return bad != 0;
}

int main(int argc, char **argv)
{
	int readers = argument(argc, argv, 1, 3), pids[64], fds[64];

	if (argc == 3 && !strcmp(argv[1], "reader"))
		return reader(atoi(argv[2]));
	if (readers > 64)
		readers = 64;
	for (int i = 0; i < readers; i++)
		pids[i] = reader_start((char *)"/proc/self/exe", &fds[i]);
	say_device();
	return writer(pids, fds, readers);
}
