// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A tool without -p watches all processes: each container may have a copy of the library of its
 * own. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "library.h"
#include "log.h"

struct found {
	struct library_file *files;
	dev_t dev[64];
	ino_t ino[64];
	size_t n, max;
};

static void add(struct found *f, const char *path, u32 pid)
{
	struct stat st;

	if (f->n == f->max || stat(path, &st))
		return;
	for (size_t i = 0; i < f->n; i++)
		if (f->dev[i] == st.st_dev && f->ino[i] == st.st_ino)
			return;
	f->dev[f->n] = st.st_dev;
	f->ino[f->n] = st.st_ino;
	snprintf(f->files[f->n].path, sizeof(f->files[f->n].path), "%s", path);
	f->n++;
	note("library: %s%s", path, pid ? " (mapped by a running process)" : "");
}

/* Already there? Told by the numbers in maps, so that not every process's file is opened. */
static bool known(const struct found *f, const struct library_mapped *m)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->ino[i] == m->inode && f->dev[i] == makedev(m->major, m->minor))
			return true;
	return false;
}

static void add_running(struct found *f, const char *name)
{
	struct library_mapped *m = malloc(sizeof(*m));
	char path[4096];
	struct dirent *d;
	DIR *proc = opendir("/proc");

	while (m && proc && (d = readdir(proc))) {
		u32 pid = strtoul(d->d_name, NULL, 10);

		if (pid && library_mapped(pid, name, m) && !known(f, m) &&
		    library_open_mapped(m, path, sizeof(path)))
			add(f, path, pid);
	}
	if (proc)
		closedir(proc);
	free(m);
}

size_t library_files(const char *name, u32 pid, struct library_file *files, size_t max)
{
	struct found f = { .files = files, .max = max < 64 ? max : 64 };
	char path[4096];

	if (library_find(name, pid, path, sizeof(path)))
		add(&f, path, 0);
	if (!pid && !strchr(name, '/'))
		add_running(&f, name);
	return f.n;
}
