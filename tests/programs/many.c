// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * many [ROUNDS=3]: 293 kernels whose C++ names have 500 characters and more, as template
 * libraries make them; name number i runs ROUNDS times, and i % 5 times more.
 */
#include "stub.h"

#define NAMES 293
#define ARGUMENTS 24

static struct stub stubs[NAMES];
static char hosts[NAMES];	/* their addresses stand for the host stubs */

/* void lib::kernel_NNN<lib::tile<0,N>, lib::tile<1,N>, ...>(float*, unsigned int) */
static char *name_make(int i)
{
	char *name = malloc(1024);
	int at;

	if (!name)
		abort();
	at = sprintf(name, "_ZN3lib10kernel_%03dI", i);
	for (int k = 0; k < ARGUMENTS; k++)
		at += sprintf(name + at, "N3lib4tileILi%dELi%dEEE", k, i);
	sprintf(name + at, "EEvPfj");
	return name;
}

static __attribute__((constructor)) void names_register(void)
{
	struct stub *all[NAMES];

	for (int i = 0; i < NAMES; i++) {
		stubs[i].site.name = name_make(i);
		stubs[i].host = &hosts[i];
		all[i] = &stubs[i];
	}
	stubs_register(all, NAMES);
}

static noinline void kernel_launch(struct stub *s)
{
	float *out = NULL;
	unsigned int n = 10;
	void *args[] = { &out, &n };

	__cudaPushCallConfiguration((dim3){ 32, 1, 1 }, (dim3){ 128, 1, 1 }, 0, NULL);
	stub_launch(s, args);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 3);

	say_device();
	for (int i = 0; i < NAMES; i++)
		for (uint64_t k = 0; k < rounds + i % 5; k++)
			kernel_launch(&stubs[i]);
	CALL(cudaDeviceSynchronize);
	expect("names", NAMES);
	expect_all();
	return 0;
}
