/* Inside of the room: what a frame is, and its colour. */
#ifndef KIND_H
#define KIND_H

#include "tree.h"

enum flame_kind {
	KIND_ALL, KIND_BASE, KIND_NATIVE, KIND_PYTHON, KIND_OS, KIND_API, KIND_GPU,
	KIND_GPU_COPY, KIND_COMM, KIND_NOTE, KIND_OPERATOR, KIND_ANNOTATION, KIND_COUNT,
};

enum flame_kind flame_kind(const struct flame_name *name, uint32_t depth, uint32_t base);
const char *flame_kind_label(enum flame_kind kind);	/* NULL: needs no word in the legend */
/* 0xRRGGBB; the shade within the kind follows from the name, so it is the same in every
 * picture */
uint32_t flame_color(enum flame_colors colors, enum flame_kind kind,
		     const struct flame_name *name);
uint32_t flame_kind_color(enum flame_kind kind);	/* of the legend */
/* White where nothing changed, red what grew, blue what shrank: full at half of the larger. */
uint32_t flame_change_color(uint64_t before, uint64_t after);

#endif
