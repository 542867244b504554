/* A run as a file of a baseline: what was summed of it, as text. */
#ifndef DIFF_FILE_H
#define DIFF_FILE_H

#include "diff_parts.h"

void diff_file_write(const struct diff_run *r, FILE *f);
/* A run of side A more. 0 or a reported error. */
int diff_file_read(struct diff *d, const char *path);

#endif
