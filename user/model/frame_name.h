/* What a frame is called in every run of a program: what compares runs matches frames by it. */
#ifndef FRAME_NAME_H
#define FRAME_NAME_H

#include "model.h"

#define FRAME_NAME_LEN 160

/* Length of the name, in out (FRAME_NAME_LEN bytes); 0: none that another run would have. */
size_t frame_name_plain(struct model *m, u64 frame, char *out);

#endif
