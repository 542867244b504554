// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Truth lines; see truth.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "truth.h"

unsigned int truth_step;

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void put_line(const char *line, size_t n)
{
	ssize_t k;

	for (; n; line += k, n -= k) {
		k = write(STDOUT_FILENO, line, n);
		if (k < 0)
			_exit(1);
	}
}

void truth(const char *format, ...)
{
	char line[512];
	va_list args;
	size_t n;

	n = snprintf(line, sizeof(line), "truth ");
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - n, format, args);
	va_end(args);
	if (n > sizeof(line) - 48)
		n = sizeof(line) - 48;
	n += snprintf(line + n, sizeof(line) - n, " step=%u pid=%d\n", truth_step, getpid());
	put_line(line, n);
}

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "exercise: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *place_name(int place)
{
	static const char *const names[] = {
		"gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"
	};

	if (place == SOFTGPU_CPU)
		return "cpu";
	return place >= 0 && place < FAKERM_GPUS ? names[place] : "none";
}

const char *access_name(int access)
{
	static const char *const names[] = { "read", "write", "atomic", "prefetch",
		"atomic_weak" };

	return access >= 0 && access < 5 ? names[access] : "?";
}

const char *fault_name(int type)
{
	switch (type) {
	case FAKERM_BAD_PDE: return "invalid_pde";
	case FAKERM_BAD_PTE: return "invalid_pte";
	case FAKERM_READ_ONLY: return "read_only";
	case FAKERM_NO_ATOMIC: return "no_atomic";
	}
	return "other";
}
