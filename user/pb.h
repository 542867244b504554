/*
 * A protobuf writer: one growing buffer; a nested message reserves four bytes
 * for its length and fills them in when it is closed (a redundant varint,
 * which every decoder takes), so nothing is measured twice.
 */
#ifndef PB_H
#define PB_H

#include <stddef.h>
#include "types.h"

struct pb {
	u8 *data;
	size_t size, room;
	bool failed;		/* out of memory: the content is not whole */
};

void pb_reset(struct pb *pb);
void pb_free(struct pb *pb);
void pb_u64(struct pb *pb, u32 field, u64 v);		/* varint: uint, int >= 0, bool, enum */
void pb_s64(struct pb *pb, u32 field, s64 v);		/* int32/int64, two's complement */
void pb_fixed64(struct pb *pb, u32 field, u64 v);
void pb_double(struct pb *pb, u32 field, double v);
void pb_bytes(struct pb *pb, u32 field, const void *p, size_t n);
void pb_str(struct pb *pb, u32 field, const char *s);	/* invalid UTF-8 is replaced by '?' */
size_t pb_open(struct pb *pb, u32 field);		/* a nested message */
void pb_close(struct pb *pb, size_t opened);

#endif
