// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The filter: folded lines in, an interactive SVG or a page out. All work is done in
 * flamegraph/. */
#include <errno.h>
#include <string.h>
#include "flamegraph.h"
#include "log.h"
#include "options.h"

static struct settings {
	struct flame_options svg;
	const char *input;
	bool pairs, html;
} set = {
	.svg.min_width = FLAME_MIN_WIDTH,
};

static const struct enum_name schemes[] = {
	{ FLAME_KIND, "kind" }, { FLAME_HASH, "hash" }, { FLAME_GREY, "grey" }, {}
};

#define TEXT(member, name, arg, help)						\
	OPT_SET(struct settings, svg.member, 0, name, arg, OPT_STRING, help)
#define RANGE(member, name, arg, type, min, max, help)				\
	OPT_SET_RANGE(struct settings, svg.member, 0, name, arg, type, min, max, help)

static const struct option_row options[] = {
	TEXT(title, "title", "TEXT", "headline (Flame graph)"),
	TEXT(subtitle, "subtitle", "TEXT", "second line"),
	TEXT(countname, "countname", "WORD",
	     "what the numbers count (samples); ns and bytes get units"),
	RANGE(width, "width", "PIXELS", OPT_UNSIGNED, FLAME_WIDTH_MIN, FLAME_WIDTH_MAX,
	      "width where no script runs (1200); else it fits the window"),
	RANGE(height, "height", "PIXELS", OPT_UNSIGNED, FLAME_HEIGHT_MIN, FLAME_HEIGHT_MAX,
	      "height of a frame (17)"),
	RANGE(min_width, "minwidth", "PIXELS", OPT_REAL, 0, FLAME_WIDTH_MAX,
	      "leave narrower frames out (0.1)"),
	OPT_SET(struct settings, svg.inverted, 0, "inverted", NULL, OPT_SWITCH,
		"outermost frame at the top: an icicle"),
	OPT_SET_WORD(struct settings, svg.colors, 0, "colors", "SCHEME", OPT_WORD, schemes,
		     "kind: by what a frame is; hash: by name; grey (kind)"),
	OPT_SET_STORE(struct settings, svg.colors, FLAME_HASH, 0, "hash",
		      "the same as --colors=hash"),
	OPT_SET(struct settings, pairs, 0, "diff", NULL, OPT_SWITCH,
		"two counts a line, before and after: what grew red,\nwhat shrank blue"),
	OPT_SET(struct settings, html, 0, "html", NULL, OPT_SWITCH,
		"a page for a browser instead: zoom, search, functions, their\ncallers and callees; every frame is in it"),
	RANGE(base, "base", "N", OPT_UNSIGNED, 0, 1000,
	      "the N outermost frames are processes or threads:\nneutral colour (0)"),
	{}
};
static const struct option_row file = OPT_SET(struct settings, input, 0, "", "FILE", OPT_STRING,
					      "");

static const struct program flamegraph = {
	.name = "flamegraph",
	.about = "draw folded stacks (\"a;b;c 123\" lines) as an interactive flame graph",
	.usage = "[OPTION...] [FILE|-] > OUT.svg|OUT.html",
	.examples = "  perf script | stackcollapse-perf.pl | flamegraph --title=app > app.svg\n",
	.groups = { { options, &set } },
	.operand = &file,
};

static int write_picture(struct flame_tree *t, const struct flame_options *o)
{
	const char *word = o->countname ? o->countname : "samples";
	struct flame_view view = { word, word, t };

	return set.html ? flame_write_html(&view, 1, stdout, o) : flame_write_svg(t, stdout, o);
}

static int draw(FILE *in, const char *name, const struct flame_options *o)
{
	struct flame_tree *t = flame_new();
	struct flame_error error;
	int err = -ENOMEM;

	if (!t)
		return fail(err, "cannot draw %s", name);
	err = set.pairs ? flame_read_pairs(t, in, &error) : flame_read(t, in, &error);
	if (err && error.line)
		fail(0, "%s: line %llu: %s", name, (unsigned long long)error.line, error.why);
	else if (err)
		fail(0, "cannot read %s: %s", name, error.why);
	else if (!flame_total(t))
		err = fail(0, "%s holds no stacks: nothing to draw", name);
	else if ((err = write_picture(t, o)) == -EPIPE)
		err = 0;	/* the reader has what it wanted */
	else if (err)
		fail(err, "cannot write standard output");
	flame_free(t);
	return err;
}

int main(int argc, char **argv)
{
	const char *name = "standard input";
	FILE *in = stdin;
	int err, code = program_options(&flamegraph, argc, argv);

	if (code >= 0)
		return code;
	if (set.input && strcmp(set.input, "-")) {
		name = set.input;
		in = fopen(name, "re");
		if (!in)
			return fail(-errno, "cannot open %s", name), 1;
	}
	if (set.pairs)
		set.svg.colors = FLAME_CHANGE;
	err = draw(in, name, &set.svg);
	if (in != stdin)
		fclose(in);
	return err ? 1 : 0;
}
