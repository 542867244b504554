// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Databases that come packed or through a pipe: SQLite reads here and there, so
 * they are unpacked into a temporary file, which loses its name as soon as it
 * is open. (/proc/self/fd will not do: SQLite looks where the link points to.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "db.h"
#include "import_parts.h"
#include "log.h"
#include "trace_file.h"

#define PIECE (1u << 20)

/* The file as it lies there is the database. */
static bool is_plain(const char *path)
{
	struct stat st;
	u8 head[16];
	bool plain;
	int fd;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	plain = fd >= 0 && pread(fd, head, sizeof(head), 0) == sizeof(head) &&
		db_is(head, sizeof(head));
	if (fd >= 0)
		close(fd);
	return plain;
}

/* All of the file into fd. 0 or reported. */
static int copy(const char *path, int fd, const char *folder)
{
	struct unpack *u;
	u8 *piece;
	int err = unpack_open(&u, path);
	long n = 0;

	if (err)
		return err;
	piece = must_alloc(PIECE);
	while (!err && (n = unpack_read(u, piece, PIECE)) > 0)
		err = write_all(fd, piece, n);
	if (err)
		fail(err, "cannot unpack a database into %s (TMPDIR names another folder)", folder);
	free(piece);
	unpack_close(u);
	return err ?: n < 0 ? (int)n : 0;
}

int import_spool(struct import *im, const char *path, const u8 *head, size_t n, char **spooled)
{
	const char *folder = sorter_folder(im->sorter);
	int fd, err;

	*spooled = NULL;
	if (!db_is(head, n) || is_plain(path))
		return 0;
	*spooled = must_alloc(strlen(folder) + 32);
	sprintf(*spooled, "%s/gpuimport.XXXXXX", folder);
	fd = mkostemp(*spooled, O_CLOEXEC);
	if (fd < 0) {
		err = fail(-errno, "cannot create a temporary file in %s (TMPDIR names another folder)",
			   folder);
		free(*spooled);
		*spooled = NULL;
		return err;
	}
	db_unlink_open(*spooled);
	err = copy(path, fd, folder);
	close(fd);
	return err;
}

void import_spool_end(char *spooled)
{
	if (!spooled)
		return;
	unlink(spooled);	/* for want of a reader it may have its name still */
	db_unlink_open(NULL);
	free(spooled);
}
