// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include "cgroup.h"
#include "log.h"

/* Its inode number is the id that BPF sees. */
static int id_of(const char *path, u64 *id)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EMEDIUMTYPE;
	*id = st.st_ino;
	return 0;
}

/* Paths as /proc/PID/cgroup has them begin at the mount. */
int cgroup_id(const char *path, u64 *id)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	int err = id_of(path, id);
	char below[4096];

	for (int i = 0; err && err != -EMEDIUMTYPE && i < 2; i++) {
		snprintf(below, sizeof(below), "%s/%s", mounts[i], path);
		if (!id_of(below, id))
			return 0;
	}
	if (err == -EMEDIUMTYPE)
		return fail(0, "cannot use the cgroup %s: it is none of version 2", path);
	return err ? fail(err, "cannot use the cgroup %s", path) : 0;
}
