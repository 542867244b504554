// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Written under another name beside it, then renamed: a reader never sees half a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "log.h"
#include "out.h"
#include "outfile.h"

/* A new file beside path, with the rights that open(2) would have given it. NULL: errno. */
static FILE *temporary_open(const char *path, char **name)
{
	mode_t mask;
	FILE *f;
	int fd;

	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		errno = ENOMEM;
		return NULL;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd < 0)
		return NULL;
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		unlink(*name);
	}
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
		o->f = temporary_open(o->target, &o->tmp);
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

int outfile_close(struct outfile *o, bool keep)
{
	int err = 0;

	if (!o->path)
		return keep ? out_finish(stdout, "standard output") : 0;
	if (keep)
		err = out_finish(o->f, o->path);
	if (fclose(o->f) && keep && !err)
		err = fail(-errno, "cannot write %s", o->path);
	if (o->tmp && keep && !err && rename(o->tmp, o->target))
		err = fail(-errno, "cannot write %s", o->path);
	if (o->tmp && (!keep || err))
		unlink(o->tmp);
	free(o->tmp);
	free(o->target);
	return err;
}
