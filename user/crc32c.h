/* CRC32C (Castagnoli), as blocks of the trace file carry it. Begin with 0, chain by result. */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include "types.h"

u32 crc32c(u32 crc, const void *data, size_t len);

#endif
