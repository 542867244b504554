// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asks the symbol tables what tests/symbols.bats checks by other means.
 *
 *   symtest self              names of functions of this program, found by their addresses
 *   symtest libc              name of a libc function, found by its address
 *   symtest find FILE OFF...  "NAME+DISTANCE" of file offsets, "?" unknown
 *   symtest offset FILE NAME...   file offsets of functions
 *   symtest below ROOT FILE OFF   find, with separate debug files below ROOT
 *   symtest id FILE           build id
 *   symtest kernel NAME       what an address in the middle of kernel function NAME is called
 *   symtest demangle NAME...
 *   symtest mutate FILE N     opens N damaged copies of FILE: must not crash
 */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "symbols.h"

__attribute__((noinline)) int global_function(int x)
{
	return x * 3 + getpid();
}

__attribute__((noinline)) static int static_function(int x)
{
	return x * 5 + getppid();
}

static struct elf_symbols *open_symbols(const char *path, const char *root)
{
	int fd = open(path, O_RDONLY);
	struct elf_symbols *s;
	u8 id[24];
	u16 size;

	if (fd < 0)
		err(1, "cannot open %s", path);
	s = elf_symbols_open(fd, path, root, id, &size);
	close(fd);
	if (!s)
		errx(1, "no symbols in %s", path);
	return s;
}

static void find(const struct elf_symbols *s, u64 offset)
{
	u64 distance;
	const char *name = elf_symbols_find(s, offset, &distance);

	if (name)
		printf("%s+%llu\n", name, distance);
	else
		puts("?");
}

/* File and offset in it of an address of this process. */
static u64 file_offset(const void *p, char *path)
{
	unsigned long start, end, offset, addr = (unsigned long)p;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4095[^\n]", &start, &end, &offset,
			   path) == 4 && addr >= start && addr < end) {
			fclose(f);
			return addr - start + offset;
		}
	errx(1, "no mapping of %p", p);
}

static void find_address(const void *p)
{
	char path[4096];
	u64 offset = file_offset(p, path);
	struct elf_symbols *s = open_symbols(path, "");

	find(s, offset);
	elf_symbols_free(s);
}

static void kernel(const char *name)
{
	struct kernel_symbols *s = kernel_symbols_open();
	char line[1024], type, sym[512];
	const char *found, *module;
	u64 addr = 0, distance;
	FILE *f = fopen("/proc/kallsyms", "r");

	if (!s)
		errx(3, "kernel symbols are hidden");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %511s", &addr, &type, sym) == 3 && !strcmp(sym, name))
			break;
	found = kernel_symbols_find(s, addr + 1, &distance, &module);
	printf("%s+%llu %s\n", found ?: "?", distance, module ?: "kernel");
	printf("%s\n", kernel_symbols_find(s, 0x1000, &distance, &module) ?: "?");
	kernel_symbols_free(s);
	fclose(f);
}

static void show_id(const char *path)
{
	int fd = open(path, O_RDONLY);
	u8 id[24];
	u16 size;

	elf_symbols_free(elf_symbols_open(fd, path, "", id, &size));
	for (u16 i = 0; i < size; i++)
		printf("%02x", id[i]);
	putchar('\n');
}

/* Damage where it hurts: the headers, the section table, else anywhere. */
static void damage(u8 *p, size_t n, const u8 *good, size_t size)
{
	u64 sections;
	u64 at;

	memcpy(&sections, good + 0x28, 8);
	for (int i = rand() % 6; i >= 0; i--) {
		int where = rand() % 4;

		at = where == 0 ? (u64)rand() % 64 : where == 1 ? sections + rand() % 2048 : 0;
		at = (where > 1 ? (u64)rand() : at) % n;
		p[at] = rand() % 3 ? rand() : rand() % 2 ? 0xff : 0;
	}
}

static void mutate(const char *path, int rounds)
{
	int in = open(path, O_RDONLY), fd = memfd_create("mutant", 0);
	struct stat st;
	u8 *good, *bad, id[24];
	u16 id_size;

	if (in < 0 || fd < 0 || fstat(in, &st))
		err(1, "cannot open %s", path);
	good = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
	bad = malloc(st.st_size);
	srand(1);
	for (int i = 0; i < rounds; i++) {
		size_t n = rand() % 8 ? (size_t)st.st_size : 1 + (size_t)rand() % st.st_size;
		struct elf_symbols *s;

		memcpy(bad, good, n);
		damage(bad, n, good, st.st_size);
		if (ftruncate(fd, 0) || pwrite(fd, bad, n, 0) != (ssize_t)n)
			err(1, "cannot write a damaged copy");
		s = elf_symbols_open(fd, path, "", id, &id_size);
		for (int k = 0; s && k < 100; k++)
			elf_symbols_find(s, rand() % st.st_size, NULL);
		if (s)
			elf_symbols_offset(s, "main");
		elf_symbols_free(s);
	}
	free(bad);
	puts("survived");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct elf_symbols *s;

	if (!strcmp(what, "self")) {
		find_address((u8 *)global_function + 1);
		find_address((u8 *)static_function + 1);
		return (global_function(argc) + static_function(argc)) & 0;
	} else if (!strcmp(what, "libc")) {
		find_address(dlsym(RTLD_NEXT, "qsort"));
	} else if (!strcmp(what, "kernel") && argc == 3) {
		kernel(argv[2]);
	} else if (!strcmp(what, "id") && argc == 3) {
		show_id(argv[2]);
	} else if (!strcmp(what, "demangle")) {
		for (int i = 2; i < argc; i++)
			printf("%s %d\n", demangle(argv[i]),
			       demangle(argv[i]) == demangle(strdup(argv[i])));
		demangle_free_all();
	} else if (!strcmp(what, "mutate") && argc == 4) {
		mutate(argv[2], atoi(argv[3]));
	} else if (!strcmp(what, "below") && argc == 5) {
		s = open_symbols(argv[3], argv[2]);
		find(s, strtoull(argv[4], NULL, 0));
	} else if (argc > 3 && (!strcmp(what, "find") || !strcmp(what, "offset"))) {
		s = open_symbols(argv[2], "");
		for (int i = 3; i < argc; i++)
			if (*what == 'f')
				find(s, strtoull(argv[i], NULL, 0));
			else
				printf("0x%llx\n", elf_symbols_offset(s, argv[i]));
		elf_symbols_free(s);
	} else {
		errx(2, "see tests/bin/symtest.c");
	}
	return 0;
}
