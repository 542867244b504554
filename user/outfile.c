// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Written without a name (or under another one, where the file system knows no
 * such files), then put in place: a reader never sees half a file, and nothing
 * is left when the writer dies.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "out.h"
#include "outfile.h"

/* In path's folder, with the rights that open(2) would have given it; -1 where there is no such
 * thing. */
static int nameless_open(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;

	free(folder);
	return fd;
}

static int named_open(char *name)
{
	mode_t mask;
	int fd = mkostemp(name, O_CLOEXEC);

	mask = umask(0);
	umask(mask);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	return fd;
}

/* A new file beside path. NULL: errno. */
static FILE *temporary_open(struct outfile *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *f = NULL;
	int fd;

	if (strlen(slash ? slash + 1 : path) + sizeof(".XXXXXX") > NAME_MAX ||
	    asprintf(&o->tmp, "%s.XXXXXX", path) < 0) {
		o->tmp = NULL;
		return NULL;
	}
	fd = nameless_open(path);
	o->nameless = fd >= 0;
	if (!o->nameless)
		fd = named_open(o->tmp);
	else
		sprintf(o->tmp + strlen(path) + 1, "%06u", (u32)getpid() % 1000000);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

static int file_stat(const char *path, struct stat *st)
{
	return strcmp(path, "-") ? stat(path, st) : fstat(STDIN_FILENO, st);
}

int outfile_distinct(const char *output, const char *input)
{
	struct stat in, out;

	if (!output || !strcmp(output, "-") || file_stat(input, &in) || stat(output, &out) ||
	    !S_ISREG(in.st_mode) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return fail_usage("cannot write %s: it is the recording that is to be read", output);
}

int outfile_open(struct outfile *o, const char *path)
{
	struct stat st;
	int err;

	*o = (struct outfile){ .f = NULL };
	if (!path || !strcmp(path, "-")) {
		o->f = stdout;
		return 0;
	}
	o->path = path;
	o->target = realpath(path, NULL);
	if (!o->target)
		o->target = strdup(path);
	if (o->target && (stat(path, &st) || S_ISREG(st.st_mode)))
		o->f = temporary_open(o, o->target);
	if (!o->f) {		/* no regular file, or nothing can be created beside it */
		free(o->tmp);
		o->tmp = NULL;
		o->f = fopen(path, "we");
	}
	if (o->f)
		return 0;
	err = fail(-errno, "cannot write %s", path);
	free(o->target);
	return err;
}

/* A name can only be given that is not taken; rename then takes the one that was asked for. */
static int name_it(const struct outfile *o)
{
	char fd[32];

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", fileno(o->f));
	unlink(o->tmp);
	if (linkat(AT_FDCWD, fd, AT_FDCWD, o->tmp, AT_SYMLINK_FOLLOW))
		return fail(-errno, "cannot write %s", o->path);
	return 0;
}

int outfile_close(struct outfile *o, bool keep)
{
	int err = 0;

	if (!o->path)
		return keep ? out_finish(stdout, "standard output") : 0;
	if (keep)
		err = out_finish(o->f, o->path);
	if (keep && !err && o->nameless)
		err = name_it(o);
	if (fclose(o->f) && keep && !err)
		err = fail(-errno, "cannot write %s", o->path);
	if (o->tmp && keep && !err && rename(o->tmp, o->target))
		err = fail(-errno, "cannot write %s", o->path);
	if (o->tmp && (!keep || err) && !(o->nameless && !keep))
		unlink(o->tmp);
	free(o->tmp);
	free(o->target);
	return err;
}
