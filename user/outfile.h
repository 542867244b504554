/* A file that appears under its name only when it is whole. */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *f;
	const char *path;	/* NULL: standard output */
	char *target;		/* where path leads through symbolic links */
	char *tmp;		/* its name until then; NULL: written in place (a pipe, a
				 * device) */
	bool nameless;		/* has not even that: it goes with the process, however that
				 * ends */
};

/* path NULL or "-": standard output. path must live as long as o. 0 or reported error. */
int outfile_open(struct outfile *o, const char *path);
/* 0, or a reported usage error: output is the file that is to be read ("-": standard input). */
int outfile_distinct(const char *output, const char *input);
/* keep false: takes back what was begun. 0 or reported error. */
int outfile_close(struct outfile *o, bool keep);

#endif
