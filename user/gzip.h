/* A stream that packs what is written to it. */
#ifndef GZIP_H
#define GZIP_H

#include <stdio.h>

/* fclose() ends the packed data and leaves `out` open; its result tells whether all went well.
 * NULL: no memory. The same data gives the same bytes. */
FILE *gzip_stream(FILE *out);

#endif
