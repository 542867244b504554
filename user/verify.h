/* Verifies a trace file block by block: checksums, columns, order, what is missing. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>

/* Prints what the file holds, as a table or one JSON object, to standard output. 0: whole; else
 * reported: damaged, incomplete, or not to be read. path "-": standard input. */
int verify_trace(const char *path, bool json);

#endif
