// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files that followed processes have mapped, and their mappings. A file is
 * opened when it is first seen, for its process may be gone when its symbols
 * are wanted, and stays open, so that its inode number is not given to another;
 * it is read when the first frame in it is met.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "recorder.h"
#include "symbols.h"

/* ---- root directories: held, so that a process's debug files are found when it is gone
 * ---- */

static u64 inode_of(const char *path, u64 *device)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (device)
		*device = st.st_dev;
	return st.st_ino;
}

/* Descriptor of a process's root, one for each mount namespace and chroot; -1: gone. */
static int root_get(struct objects *all, u32 pid)
{
	struct root key = {}, *r;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	key.ns = inode_of(path, NULL);
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	key.inode = inode_of(path, &key.device);
	for (r = all->roots; r; r = r->next)
		if (r->ns == key.ns && r->inode == key.inode && r->device == key.device)
			return r->fd;
	key.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (key.fd < 0)
		return -1;
	r = must_alloc(sizeof(*r));
	*r = key;
	r->next = all->roots;
	all->roots = r;
	return r->fd;
}

/* ---- one file ---- */

static int object_open_in_root(const struct object *o)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	struct stat st;
	int fd;

	fd = syscall(SYS_openat2, o->root, o->path, &how, sizeof(how));
	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != o->inode || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* map_files is right across mount namespaces and for deleted files, but wants privileges. */
static int object_open(const struct object *o, u32 pid)
{
	char link[96];
	int fd;

	if (!o->inode)
		return -1;
	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", pid, o->start, o->end);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd >= 0 ? fd : object_open_in_root(o);
}

static bool is_observer(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return !strncmp(base, "libgpuscope-cuda.so", 19) || !strncmp(base, "libcupti.so", 11);
}

static bool object_is(const struct object *o, const struct object *key, const char *path)
{
	return o->inode == key->inode && o->device == key->device &&
	       (key->inode || !strcmp(o->path, path));
}

/* key: inode, device and where it is mapped. */
static struct object *object_get(struct objects *all, const struct object *key,
				 const char *path, size_t len)
{
	struct object **head = &all->heads[(key->inode ^ key->device) % 256], *o;
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)len, path);
	for (o = *head; o; o = o->next)
		if (object_is(o, key, name))
			return o;
	o = must_alloc(sizeof(*o) + strlen(name) + 1);
	*o = *key;
	strcpy(o->path, name);
	o->observer = is_observer(name);
	o->fd = object_open(o, o->pid);
	o->next = *head;
	*head = o;
	return o;
}

void object_symbols(struct object *o)
{
	char root[64];

	if (o->tried)
		return;
	o->tried = true;
	if (o->fd < 0)
		return;
	snprintf(root, sizeof(root), "/proc/self/fd/%d", o->root);
	o->symbols = elf_symbols_open(o->fd, o->path, root, o->build_id, &o->build_id_size);
}

void objects_free(struct objects *all)
{
	for (int i = 0; i < 256; i++) {
		struct object *o, *next;

		for (o = all->heads[i]; o; o = next) {
			next = o->next;
			if (o->fd >= 0)
				close(o->fd);
			elf_symbols_free(o->symbols);
			free(o);
		}
		all->heads[i] = NULL;
	}
	while (all->roots) {
		struct root *r = all->roots;

		all->roots = r->next;
		close(r->fd);
		free(r);
	}
}

/* ---- the mappings of a process ---- */

char *proc_text(u32 pid, const char *file)
{
	size_t room = 1 << 16, used = 0;
	char path[64], *text;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = must_alloc(room);
	while ((n = read(fd, text + used, room - used - 1)) > 0) {
		used += n;
		if (room - used < 4096)
			text = must_realloc(text, room *= 2);
	}
	close(fd);
	if (!used) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}

/* "start-end r-xp offset major:minor inode    path": false for what holds no code of a file. */
static bool mapping_parse(const char *line, struct object *key, const char **path, size_t *len)
{
	static const char deleted[] = " (deleted)";
	const char *end = strchrnul(line, '\n');
	char *p;
	u64 major;

	key->start = strtoull(line, &p, 16);
	if (*p++ != '-')
		return false;
	key->end = strtoull(p, &p, 16);
	if (end - p < 6 || p[3] != 'x')
		return false;
	key->offset = strtoull(p + 6, &p, 16);
	major = strtoull(p, &p, 16);
	key->device = major << 20 | strtoull(p + 1, &p, 16);
	key->inode = strtoull(p, &p, 10);
	*path = p + strspn(p, " ");
	*len = *path < end ? end - *path : 0;
	if (*len > sizeof(deleted) - 1 &&
	    !memcmp(*path + *len - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1))
		*len -= sizeof(deleted) - 1;
	return *len;
}

struct maps *maps_read(struct objects *objects, u32 pid)
{
	char *text = proc_text(pid, "maps");
	struct object key = { .pid = pid, .fd = -1,
			      .root = text ? root_get(objects, pid) : -1 };
	struct maps *m = NULL;
	const char *line, *path;
	u32 n = 0;
	size_t len;

	for (line = text; line && *line; line = strchrnul(line, '\n'), line += !!*line) {
		if (n % 64 == 0)
			m = must_realloc(m, sizeof(*m) + (n + 64) * sizeof(m->map[0]));
		if (!mapping_parse(line, &key, &path, &len))
			continue;
		m->map[n++] = (struct mapping){ key.start, key.end, key.offset,
						object_get(objects, &key, path, len) };
	}
	free(text);
	if (m) {
		m->refs = 1;
		m->count = n;
	}
	return m;
}

const struct mapping *maps_find(const struct maps *m, u64 addr)
{
	u32 low = 0, high = m ? m->count : 0;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (addr < m->map[mid].start)
			high = mid;
		else if (addr >= m->map[mid].end)
			low = mid + 1;
		else
			return &m->map[mid];
	}
	return NULL;
}

void maps_put(struct maps *m)
{
	if (m && !--m->refs)
		free(m);
}
