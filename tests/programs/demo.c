// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A small training job on the driver API: two threads, each with a stream to compute and one
 * to load batches. It ends with a line of what it did; nothing in it is special to the
 * simulated GPU.
 */
#include <pthread.h>

#include "common.h"
#include "cuda_abi.h"

#define TRAINERS 2
#define STEPS 601		/* prime, so that no wrong count looks right */
#define BATCH_BYTES (192u << 10)
#define LABEL_BYTES 40013	/* pageable */
#define WEIGHT_BYTES (320u << 10)
#define CHECKPOINT_EVERY 50

#define EMBED "_ZN5model16embedding_lookupIfEEvPT_j"
#define GEMM "_ZN5model10gemm_tiledINS_4bf16ELi128ELi64EEEvPfj"
#define SOFTMAX "_ZN5model15softmax_forwardIfEEvPT_j"
#define NORM "_ZN5model18layernorm_backwardIfEEvPT_j"
#define ADAM "_ZN5model5optim11adam_updateEPfj"

static const char ptx[] = PTX_HEAD PTX_KERNEL(EMBED) PTX_KERNEL(GEMM) PTX_KERNEL(SOFTMAX)
			  PTX_KERNEL(NORM) PTX_KERNEL(ADAM);

struct kernel {
	struct site site;
	CUfunction function;
};

static struct kernel embed = { { EMBED } }, gemm = { { GEMM } }, softmax = { { SOFTMAX } },
		     norm = { { NORM } }, adam = { { ADAM } };
static CUcontext context;

struct trainer {
	CUstream compute, load;
	CUevent loaded, used;
	CUdeviceptr batch, labels, weights, gradients, saved;
	char *staging, *pageable, *checkpoint;
	uint64_t sum;
};

static noinline void launch(struct kernel *k, unsigned int blocks, CUstream stream,
			    CUdeviceptr out)
{
	unsigned int n = 1000;
	void *params[] = { &out, &n };

	CALL(cuLaunchKernel, k->function, blocks, 1, 1, 256, 1, 1, 0, stream, params, NULL);
	site_count(&kernel_sites, &k->site);
}

static noinline void copy_batch(struct trainer *t, int step)
{
	CALL(cuStreamWaitEvent, t->load, t->used, 0);
	memset(t->staging, step, 64);
	COPY(HTOD, BATCH_BYTES, cuMemcpyHtoDAsync_v2, t->batch, t->staging, BATCH_BYTES,
	     t->load);
	if (step % 10 == 0)
		COPY(HTOD, LABEL_BYTES, cuMemcpyHtoDAsync_v2, t->labels, t->pageable,
		     LABEL_BYTES, t->load);
	CALL(cuEventRecord, t->loaded, t->load);
}

static noinline void forward(struct trainer *t)
{
	CALL(cuStreamWaitEvent, t->compute, t->loaded, 0);
	launch(&embed, 8192, t->compute, t->batch);
	launch(&gemm, 32768, t->compute, t->weights);
	launch(&softmax, 4096, t->compute, t->batch);
	CALL(cuEventRecord, t->used, t->compute);
}

static noinline void backward(struct trainer *t)
{
	SET(cuMemsetD32Async, t->gradients, 0, WEIGHT_BYTES / 4, t->compute);
	launch(&norm, 4096, t->compute, t->gradients);
	launch(&gemm, 32768, t->compute, t->gradients);
}

static noinline void optimizer_step(struct trainer *t)
{
	launch(&adam, 16384, t->compute, t->weights);
}

/* Work of the host while its streams are empty: what a report should find. */
static noinline uint64_t checksum(const char *data, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + data[i];
	return sum;
}

static noinline void save_checkpoint(struct trainer *t)
{
	COPY(DTOD, WEIGHT_BYTES, cuMemcpyDtoDAsync_v2, t->saved, t->weights, WEIGHT_BYTES,
	     t->compute);
	COPY(DTOH, WEIGHT_BYTES, cuMemcpyDtoHAsync_v2, t->checkpoint, t->saved, WEIGHT_BYTES,
	     t->compute);
	CALL(cuStreamSynchronize, t->compute);
	t->sum += checksum(t->checkpoint, WEIGHT_BYTES);
}

static noinline void train_step(struct trainer *t, int step)
{
	copy_batch(t, step);
	forward(t);
	backward(t);
	optimizer_step(t);
	if (step % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1)
		save_checkpoint(t);
	else if (step % 4 == 3)
		CALL(cuEventSynchronize, t->used);
}

static noinline void trainer_open(struct trainer *t)
{
	CALL(cuStreamCreate, &t->compute, CU_STREAM_NON_BLOCKING);
	CALL(cuStreamCreate, &t->load, CU_STREAM_NON_BLOCKING);
	CALL(cuEventCreate, &t->loaded, CU_EVENT_DISABLE_TIMING);
	CALL(cuEventCreate, &t->used, CU_EVENT_DISABLE_TIMING);
	CALL(cuMemAlloc_v2, &t->batch, BATCH_BYTES);
	CALL(cuMemAlloc_v2, &t->labels, LABEL_BYTES);
	CALL(cuMemAlloc_v2, &t->weights, WEIGHT_BYTES);
	CALL(cuMemAlloc_v2, &t->gradients, WEIGHT_BYTES);
	CALL(cuMemAlloc_v2, &t->saved, WEIGHT_BYTES);
	CALL(cuMemHostAlloc, (void **)&t->staging, BATCH_BYTES, 0);
	CALL(cuMemHostAlloc, (void **)&t->checkpoint, WEIGHT_BYTES, 0);
	t->pageable = calloc(1, LABEL_BYTES);
	SET(cuMemsetD8_v2, t->weights, 0, WEIGHT_BYTES);
}

static noinline void trainer_close(struct trainer *t)
{
	COPY(DTOH, LABEL_BYTES, cuMemcpyDtoH_v2, t->pageable, t->labels, LABEL_BYTES);
	CALL(cuMemFree_v2, t->batch);
	CALL(cuMemFree_v2, t->labels);
	CALL(cuMemFree_v2, t->weights);
	CALL(cuMemFree_v2, t->gradients);
	CALL(cuMemFree_v2, t->saved);
	CALL(cuMemFreeHost, t->staging);
	CALL(cuMemFreeHost, t->checkpoint);
	CALL(cuEventDestroy_v2, t->loaded);
	CALL(cuEventDestroy_v2, t->used);
	CALL(cuStreamDestroy_v2, t->compute);
	CALL(cuStreamDestroy_v2, t->load);
	free(t->pageable);
}

static void *train(void *unused)
{
	struct trainer t = { 0 };

	CALL(cuCtxSetCurrent, context);
	trainer_open(&t);
	for (int step = 0; step < STEPS; step++)
		train_step(&t, step);
	CALL(cuStreamSynchronize, t.compute);
	trainer_close(&t);
	return NULL;
}

static noinline void setup(void)
{
	struct kernel *const kernels[] = { &embed, &gemm, &softmax, &norm, &adam };
	CUdevice device;
	CUmodule module;
	char name[128];

	CHECK(cuInit, 0);
	CALL(cuDeviceGet, &device, 0);
	CALL(cuDeviceGetName, name, sizeof(name), device);
	printf("demo: runs on %s\n", name);
	CALL(cuDevicePrimaryCtxRetain, &context, device);
	CALL(cuCtxSetCurrent, context);
	CALL(cuModuleLoadData, &module, ptx);
	for (int i = 0; i < 5; i++)
		CALL(cuModuleGetFunction, &kernels[i]->function, module, kernels[i]->site.name);
}

int main(void)
{
	pthread_t threads[TRAINERS];

	setup();
	for (int i = 0; i < TRAINERS; i++)
		pthread_create(&threads[i], NULL, train, NULL);
	for (int i = 0; i < TRAINERS; i++)
		pthread_join(threads[i], NULL);
	CALL(cuCtxSynchronize);
	expect_all();
	printf("demo: kernels=%lu copies=%lu sets=%lu htod_bytes=%lu dtoh_bytes=%lu "
	       "dtod_bytes=%lu launches_api=%lu\n",
	       (unsigned long)sites_sum(kernel_sites), (unsigned long)copies,
	       (unsigned long)sets, (unsigned long)bytes[HTOD], (unsigned long)bytes[DTOH],
	       (unsigned long)bytes[DTOD], (unsigned long)sites_sum(kernel_sites));
	return 0;
}
