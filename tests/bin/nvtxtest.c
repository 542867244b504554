// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An NVTX program without NVIDIA's header: does what the header does (load the
 * library of NVTX_INJECTION64_PATH, hand it two tables) and then makes ranges
 * of every sort. Prints "expect WHAT N". nvtxtest [ROUNDS [THREADS]]
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nvtx_abi.h"

static nvtx_function core_functions[16], core2_functions[16];
static nvtx_function *core_table[17], *core2_table[17];

static int module_table(int module, nvtx_function ***table, unsigned *count)
{
	if (module != NVTX_MODULE_CORE && module != NVTX_MODULE_CORE2)
		return 0;
	*table = module == NVTX_MODULE_CORE ? core_table : core2_table;
	*count = module == NVTX_MODULE_CORE ? 16 : 16;
	return 1;
}

static const void *tables(uint32_t id)
{
	static const struct nvtx_callbacks callbacks = { sizeof(callbacks), module_table };

	return id == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}

static void load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *handle = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)) = handle ?
		dlsym(handle, "InitializeInjectionNvtx2") : NULL;
	int i;

	for (i = 0; i < 16; i++) {
		core_table[i] = i ? &core_functions[i] : NULL;
		core2_table[i] = i ? &core2_functions[i] : NULL;
	}
	if (!init)
		fprintf(stderr, "nvtxtest: no NVTX library: %s\n",
			path ? dlerror() : "not set");
	else
		init(tables);
}

#define CALL(table, id, type, ...) ((table)[id] ? ((type)(table)[id])(__VA_ARGS__) : 0)
typedef int (*text_fn)(const void *);
typedef uint64_t (*start_fn)(const void *);
typedef int (*none_fn)(void);
typedef int (*end_fn)(uint64_t);
typedef void *(*register_fn)(void *, const void *);
typedef void *(*domain_fn)(const void *);
typedef int (*domain_ex_fn)(void *, const struct nvtx_attributes *);
typedef uint64_t (*domain_start_fn)(void *, const struct nvtx_attributes *);
typedef int (*domain_pop_fn)(void *);
typedef int (*domain_end_fn)(void *, uint64_t);

static void *domain;
static int rounds = 1;

static struct nvtx_attributes attributes(int type, const void *text)
{
	return (struct nvtx_attributes){ .version = 2, .size = sizeof(struct nvtx_attributes),
		.color_type = NVTX_COLOR_IS_ARGB, .color = 0xff112233, .text_type = type,
		.text = text };
}

static void plain(void)
{
	CALL(core_functions, NVTX_CORE_PUSH_A, text_fn, "outer");
	CALL(core_functions, NVTX_CORE_PUSH_W, text_fn, L"inner \u00fc\u20ac\U0001f600");
	CALL(core_functions, NVTX_CORE_MARK_A, text_fn, "mark");
	CALL(core_functions, NVTX_CORE_POP, none_fn);
	CALL(core_functions, NVTX_CORE_POP, none_fn);
	CALL(core_functions, NVTX_CORE_POP, none_fn);	/* one too many: nothing */
}

static void with_domain(void)
{
	struct nvtx_attributes ascii = attributes(NVTX_TEXT_ASCII, "step");
	struct nvtx_attributes known = attributes(NVTX_TEXT_REGISTERED,
		CALL(core2_functions, NVTX_CORE2_REGISTER_A, register_fn, domain,
		     "registered"));
	uint64_t id = CALL(core2_functions, NVTX_CORE2_START_EX, domain_start_fn, domain,
			   &ascii);
	uint64_t open = CALL(core_functions, NVTX_CORE_START_A, start_fn, "crossing");

	CALL(core2_functions, NVTX_CORE2_PUSH_EX, domain_ex_fn, domain, &known);
	CALL(core_functions, NVTX_CORE_PUSH_A, text_fn, "other domain");
	CALL(core2_functions, NVTX_CORE2_POP, domain_pop_fn, domain);	/* not the top of all */
	CALL(core_functions, NVTX_CORE_POP, none_fn);
	CALL(core2_functions, NVTX_CORE2_MARK_EX, domain_ex_fn, domain, &ascii);
	CALL(core2_functions, NVTX_CORE2_END, domain_end_fn, domain, id);
	CALL(core_functions, NVTX_CORE_END, end_fn, open);
	CALL(core_functions, NVTX_CORE_END, end_fn, open);	/* twice: nothing */
}

static void *thread(void *unused)
{
	int i;

	for (i = 0; i < rounds; i++) {
		plain();
		with_domain();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1, i;
	pthread_t *t = calloc(threads, sizeof(*t));

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	load();
	domain = CALL(core2_functions, NVTX_CORE2_DOMAIN_A, domain_fn, "our domain");
	for (i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("expect nvtx %d\nexpect push %d\nexpect startend %d\nexpect mark %d\n",
	       rounds * threads * 8, rounds * threads * 4, rounds * threads * 2,
	       rounds * threads * 2);
	return 0;
}
