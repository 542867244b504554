/*
 * From stacks with a value to an interactive picture. The room knows nothing
 * of records, GPUs or traces: names and numbers come in, SVG goes out.
 *
 *   folded lines --flame_read--+
 *                              +--> tree of frames --flame_write_svg--> SVG
 *   frames -------flame_add----+                   --flame_write_folded--> text
 *                                     several trees --flame_write_html--> page
 *
 * The same input, in whatever order, gives the same bytes.
 */
#ifndef FLAMEGRAPH_H
#define FLAMEGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct flame_tree;

enum flame_what {		/* of a frame, where its name alone does not tell */
	FLAME_BY_NAME, FLAME_PYTHON, FLAME_OPERATOR, FLAME_ANNOTATION,
};

struct flame_frame {
	const char *name;	/* any bytes; copied */
	size_t len;
	enum flame_what what;	/* of all frames of this name: the first that says it counts */
};

struct flame_error {		/* why flame_read stopped */
	uint64_t line;		/* from 1; 0: not about a line */
	char why[120];		/* "count 1.5 is not a whole number" */
};

struct flame_tree *flame_new(void);	/* NULL: no memory */
void flame_free(struct flame_tree *t);	/* NULL is fine */

/*
 * Adds value to the stack frames[0] (outermost) .. frames[n - 1]. In names ';' becomes ','
 * and line ends become blanks, since a folded line could not carry them. 0, -ENOMEM, or
 * -EOVERFLOW when the sum of all values no longer fits into 64 bits.
 */
int flame_add(struct flame_tree *t, const struct flame_frame *frames, size_t n, uint64_t value);

/* The same of a tree that compares: the stack was worth `before` and is now worth `after`.
 * Widths are what is now. */
int flame_add_pair(struct flame_tree *t, const struct flame_frame *frames, size_t n,
		   uint64_t before, uint64_t after);

/* Reads lines "a;b;c 123" to the end. 0, or negative with *error filled in. */
int flame_read(struct flame_tree *t, FILE *f, struct flame_error *error);

/* Reads lines "a;b;c 100 123": before and after. */
int flame_read_pairs(struct flame_tree *t, FILE *f, struct flame_error *error);

uint64_t flame_total(const struct flame_tree *t);
uint64_t flame_total_before(const struct flame_tree *t);
uint64_t flame_gone(const struct flame_tree *t);	/* before, of stacks that are no more */
uint64_t flame_stacks(const struct flame_tree *t);	/* distinct frames in their places */

enum flame_colors {
	FLAME_KIND,		/* by what a frame is: see flame_kind in kind.c */
	FLAME_HASH,		/* warm colours by name alone */
	FLAME_GREY,
	FLAME_CHANGE,	/* what grew red, what shrank blue: a tree that compares */
};

struct flame_options {
	const char *title;	/* NULL: "Flame graph" */
	const char *subtitle;	/* NULL: none */
	const char *countname;	/* NULL: "samples"; "ns" and "bytes" are shown with units */
	unsigned width;		/* pixels without a script, 0: 1200 */
	unsigned height;	/* of a frame in pixels, 0: 17 */
	double min_width;	/* pixels: narrower frames are left out, counted and said */
	bool inverted;		/* outermost frame at the top */
	enum flame_colors colors;
	unsigned base;		/* so many outermost frames are processes and threads:
				 * neutral */
};

#define FLAME_MIN_WIDTH 0.1
#define FLAME_WIDTH_MIN 240	/* below, nothing could be read */
#define FLAME_WIDTH_MAX 100000
#define FLAME_HEIGHT_MIN 8
#define FLAME_HEIGHT_MAX 200

/* All return 0 or a negative errno (-ENODATA: nothing to show, nothing written). */
int flame_write_svg(struct flame_tree *t, FILE *out, const struct flame_options *o);
int flame_write_folded(struct flame_tree *t, FILE *out);

struct flame_view {		/* one sample type of a profile */
	const char *name;	/* "gpu_kernel_time" */
	const char *unit;	/* "nanoseconds", "bytes", "count" */
	struct flame_tree *tree;	/* one that compares has before and after */
};
/* Speedscope's format; what compares gives its after. */
int flame_write_speedscope(const struct flame_view *views, size_t n, FILE *out,
			   const struct flame_options *o);
/* One page that needs nothing else, with every frame: min_width and width do not matter. */
int flame_write_html(const struct flame_view *views, size_t n, FILE *out,
		     const struct flame_options *o);

#endif
