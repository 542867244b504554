/* What the user wants less of in stacks: repeated frames, libraries, long names of C++. */
#ifndef FRAME_RULES_H
#define FRAME_RULES_H

#include "fold.h"

enum frame_names { NAMES_FULL, NAMES_SHORT, NAMES_BASE };

struct frame_rules {
	bool recursion;		/* a frame that calls itself directly is one frame */
	const char *libraries;	/* frames in files whose name matches this regular expression,
				 * one after the other, are one; NULL: none */
	u8 names;		/* enum frame_names */
};

/* Files of CUDA, PyTorch, Python, and of C and C++ themselves. */
#define FRAME_LIBRARIES_USUAL							\
	"^(libcu|libnv|libnccl|libtorch|libc10|libaten|libpython|python[0-9.]*$|"	\
	"libc[.-]|libm[.-]|libdl[.-]|libpthread|libstdc|libgcc|libgomp|libomp|ld-)"

struct framer;

/* NULL: reported, no regular expression. rules: copied. */
struct framer *framer_new(const struct frame_rules *rules);
/* Changes frames[0 .. n) in place and returns how many are left; texts live until the next
 * call. */
u32 framer_apply(struct framer *f, struct fold_frame *frames, u32 n);
void framer_free(struct framer *f);	/* NULL is fine */

/* "void ns::f<...>" of "void ns::f<int>(int)", or "f"; out has
 * FRAME_SHORT_ROOM(name) bytes: "<>" becomes "<...>". */
#define FRAME_SHORT_ROOM(name) (strlen(name) * 5 / 2 + 2)
void frame_name_short(const char *name, enum frame_names how, char *out);

#endif
