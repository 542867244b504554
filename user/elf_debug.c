// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where distributions keep the symbols they stripped: by build id below
 * /usr/lib/debug, else by the name in .gnu_debuglink. Looked for below the
 * root of the process the file belongs to, never outside it.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include "elf_read.h"

#define DEBUG_DIR "/usr/lib/debug"

/* O_NONBLOCK: a FIFO of that name must not stop us. */
static int open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int dir, fd;

	if (!*root)
		return open(path, how.flags);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

static bool has_build_id(int fd, const u8 *id, u16 size)
{
	u8 its[BUILD_ID_MAX];
	struct elf_read elf;
	bool same;

	same = elf_read_open(&elf, fd) && elf_build_id(&elf, its) == size &&
	       !memcmp(its, id, size);
	elf_read_close(&elf);
	return same;
}

static bool has_crc(int fd, u32 want)
{
	u8 buf[65536];
	u32 crc = crc32(0, NULL, 0);
	u64 at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, n);
		at += n;
	}
	return n == 0 && crc == want;
}

static int by_build_id(const struct elf_read *elf, const char *root)
{
	char path[sizeof(DEBUG_DIR) + 32 + 2 * BUILD_ID_MAX];
	u8 id[BUILD_ID_MAX];
	u16 size = elf_build_id(elf, id);
	int fd, n;

	if (size < 2)
		return -1;
	n = sprintf(path, DEBUG_DIR "/.build-id/%02x/", id[0]);
	for (u16 i = 1; i < size; i++)
		n += sprintf(path + n, "%02x", id[i]);
	strcpy(path + n, ".debug");
	fd = open_below(root, path);
	if (fd >= 0 && has_build_id(fd, id, size))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int by_name(const char *name, u32 crc, const char *path, const char *root)
{
	static const char *const forms[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s" };
	const char *slash = strrchr(path, '/');
	int fd;

	for (size_t i = 0; slash && i < sizeof(forms) / sizeof(*forms); i++) {
		char *full;

		if (asprintf(&full, forms[i], (int)(slash - path), path, name) < 0)
			return -1;
		fd = open_below(root, full);
		free(full);
		if (fd >= 0 && has_crc(fd, crc))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

/* .gnu_debuglink: a file name, padded to 4 bytes, and the CRC-32 of that file. */
static int by_link(const struct elf_read *elf, const char *path, const char *root)
{
	const Elf64_Shdr *sh = elf_section(elf, ".gnu_debuglink");
	char *link = sh && sh->sh_size <= 4096 ? elf_read_section(elf, sh) : NULL;
	size_t crc_at;
	int fd = -1;
	u32 crc;

	if (!link)
		return -1;
	crc_at = (strlen(link) + 4) & ~3ULL;
	if (crc_at + sizeof(crc) <= sh->sh_size && !strchr(link, '/')) {
		memcpy(&crc, link + crc_at, sizeof(crc));
		fd = by_name(link, crc, path, root);
	}
	free(link);
	return fd;
}

int elf_debug_file(const struct elf_read *elf, const char *path, const char *root)
{
	int fd = by_build_id(elf, root);

	return fd >= 0 ? fd : by_link(elf, path, root);
}
