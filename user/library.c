// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where a shared library is: by the dynamic loader's rules on this machine, or as
 * another process has it mapped. Paths in another root are opened inside that
 * root only: an absolute symlink there must not lead to a file of ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "library.h"
#include "log.h"

#if defined(__aarch64__)
#define CACHE_FLAGS 0x0a00	/* of entries for this machine in ld.so.cache */
#define TRIPLET "aarch64-linux-gnu"
#else
#define CACHE_FLAGS 0x0300
#define TRIPLET "x86_64-linux-gnu"
#endif
#define CACHE_MAX (16 << 20)

static const char *const default_dirs[] = {
	"/lib/" TRIPLET, "/usr/lib/" TRIPLET, "/lib64", "/usr/lib64", "/lib", "/usr/lib",
	"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64", NULL
};

struct cache_head {
	char magic[20];
	u32 libs, string_bytes;
	u8 flags, pad[3];
	u32 extension, unused[3];
};

struct cache_entry {
	s32 flags;
	u32 key, value, os;
	u64 hwcap;
};

/* A file as root_fd sees it, never outside; root_fd < 0: our own root. */
static int open_in(int root_fd, const char *path, u64 flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	if (root_fd < 0)
		return open(path, flags | O_CLOEXEC);
	return syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

/* True, and buf is a path by which we can open it (the fd behind it stays open: found
 * rarely). */
static bool usable(int root_fd, const char *path, char *buf, size_t size)
{
	int fd = open_in(root_fd, path, O_PATH);

	if (fd < 0)
		return false;
	if (root_fd >= 0) {
		snprintf(buf, size, "/proc/self/fd/%d", fd);
		return true;
	}
	close(fd);
	if (buf != path)
		snprintf(buf, size, "%s", path);
	return true;
}

static char *read_file(int root_fd, const char *path, size_t *size)
{
	int fd = open_in(root_fd, path, O_RDONLY);
	char *data = fd < 0 ? NULL : malloc(CACHE_MAX);
	ssize_t n = 1;

	for (*size = 0; data && n > 0 && *size < CACHE_MAX; *size += n > 0 ? n : 0)
		n = read(fd, data + *size, CACHE_MAX - *size);
	if (fd >= 0)
		close(fd);
	return data;
}

/* The new format may stand behind one of the old; all its offsets count from its own head. */
static bool in_cache(int root_fd, const char *name, char *buf, size_t size)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	size_t bytes, room;
	char *data = read_file(root_fd, "/etc/ld.so.cache", &bytes), *at;
	const struct cache_head *h;
	const struct cache_entry *e;
	bool found = false;

	at = data ? memmem(data, bytes, magic, sizeof(magic) - 1) : NULL;
	room = at ? data + bytes - at : 0;
	h = (void *)at;
	if (room < sizeof(*h) || h->libs > (room - sizeof(*h)) / sizeof(*e)) {
		free(data);
		return false;
	}
	at[room - 1] = '\0';	/* a damaged table cannot lead beyond it */
	e = (const void *)(h + 1);
	for (u32 i = 0; i < h->libs && !found; i++, e++)
		found = e->key < room && e->value < room &&
			(e->flags & 0xff00) == CACHE_FLAGS &&
			!strcmp(at + e->key, name) && usable(root_fd, at + e->value, buf, size);
	free(data);
	return found;
}

static bool in_dirs(const char *list, const char *name, char *buf, size_t size)
{
	char path[4096];

	while (list && *list) {
		int n = strcspn(list, ":;");

		snprintf(path, sizeof(path), "%.*s/%s", n, list, name);
		if (n && usable(-1, path, buf, size))
			return true;
		list += n + !!list[n];
	}
	return false;
}

static bool by_loader(int root_fd, const char *name, char *buf, size_t size)
{
	char path[4096];

	if (root_fd < 0 && in_dirs(getenv("LD_LIBRARY_PATH"), name, buf, size))
		return true;
	if (in_cache(root_fd, name, buf, size))
		return true;
	for (const char *const *d = default_dirs; *d; d++) {
		snprintf(path, sizeof(path), "%s/%s", *d, name);
		if (usable(root_fd, path, buf, size))
			return true;
	}
	return false;
}

/* ---- what processes have mapped ---- */

/* Maps show the file, not the name it was asked by: libcuda.so.1 is libcuda.so.580.65.06. */
static bool same_library(const char *path, const char *name)
{
	const char *base = strrchr(path, '/'), *so = strstr(name, ".so");
	size_t n = so ? (size_t)(so - name) + 3 : strlen(name);

	base = base ? base + 1 : path;
	return !strncmp(base, name, n) && (!base[n] || base[n] == '.' || base[n] == ' ');
}

/* One line of /proc/PID/maps about the library; its range and file identity. */
static bool mapped_line(char *line, const char *name, struct library_mapped *m)
{
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %*s %*x %x:%x %llu %n", &m->start, &m->end, &m->major,
		   &m->minor, &m->inode, &path) < 5 || !path || line[path] != '/')
		return false;
	snprintf(m->path, sizeof(m->path), "%s", line + path);
	return same_library(m->path, name);
}

bool library_mapped(u32 pid, const char *name, struct library_mapped *m)
{
	char path[64], line[4352];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = mapped_line(line, name, m);
	fclose(f);
	m->pid = pid;
	return found;
}

/* map_files is the file itself, whatever became of its name; it wants CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE. Else by name, inside the process's root, if it is still that file. */
bool library_open_mapped(const struct library_mapped *m, char *buf, size_t size)
{
	char path[64];
	int root, fd;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", m->pid, m->start, m->end);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(buf, size, "/proc/self/fd/%d", fd);
		return true;
	}
	snprintf(path, sizeof(path), "/proc/%u/root", m->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ok = root >= 0 && usable(root, m->path, buf, size);
	if (root >= 0)
		close(root);
	return ok;
}

static const char *of_process(const char *name, u32 pid, char *buf, size_t size)
{
	struct library_mapped m;
	char path[64];
	int root;
	bool ok;

	if (library_mapped(pid, name, &m) && library_open_mapped(&m, buf, size))
		return buf;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ok = root >= 0 && by_loader(root, name, buf, size);
	if (root >= 0)
		close(root);
	return ok ? buf : NULL;
}

const char *library_find(const char *name, u32 pid, char *buf, size_t size)
{
	if (strchr(name, '/'))
		return usable(-1, name, buf, size) ? buf : NULL;
	if (pid)
		return of_process(name, pid, buf, size);
	return by_loader(-1, name, buf, size) ? buf : NULL;
}
