/* What an API call of another tool's trace is for, by its name: CUDA's and HIP's. */
#ifndef API_CLASS_H
#define API_CLASS_H

#include <stddef.h>
#include "cuda.h"

/* The classes that cupti/api_table.h gives by number. Versions ("_v7000", "_v2", "_ptsz") and
 * the prefix (cu, cuda, hip, hipExt) do not matter. */
enum api_class api_class(const char *name, size_t n);

/* cudaX and hipX are of the runtime, cuX of the driver; 0: neither (hsa_x, mtiaX). */
u32 api_domain(const char *name, size_t n);

#endif
