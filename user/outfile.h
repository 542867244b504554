/* A file that appears under its name only when it is whole. */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *f;
	const char *path;	/* NULL: standard output */
	char *tmp;		/* its name until then; NULL: written in place (a pipe, a device) */
};

/* path NULL or "-": standard output. path must live as long as o. 0 or reported error. */
int outfile_open(struct outfile *o, const char *path);
/* keep false: takes back what was begun. 0 or reported error. */
int outfile_close(struct outfile *o, bool keep);

#endif
