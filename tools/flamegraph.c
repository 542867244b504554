// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The filter: folded lines in, an interactive SVG out. All work is done in flamegraph/. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "flamegraph.h"
#include "log.h"
#include "out.h"

static const char help[] =
	"Usage: flamegraph [OPTION...] [FILE|-] > OUT.svg\n"
	"Draw folded stacks (\"a;b;c 123\" lines) as an interactive flame graph.\n\n"
	"  --title=TEXT      headline (Flame graph)\n"
	"  --subtitle=TEXT   second line\n"
	"  --countname=WORD  what the numbers count (samples); ns and bytes get units\n"
	"  --width=PIXELS    width where no script runs (1200); else it fits the window\n"
	"  --height=PIXELS   height of a frame (17)\n"
	"  --minwidth=PIXELS leave narrower frames out (0.1)\n"
	"  --inverted        outermost frame at the top: an icicle\n"
	"  --colors=SCHEME   kind: by what a frame is; hash: by name; grey (kind)\n"
	"  --hash            the same as --colors=hash\n"
	"  --base=N          the N outermost frames are processes or threads: neutral colour (0)\n"
	"  -h, --help        this text\n"
	"  --version         version\n\n"
	"Example: perf script | stackcollapse-perf.pl | flamegraph --title=app > app.svg\n";

enum { OPT_TITLE = 256, OPT_SUBTITLE, OPT_COUNTNAME, OPT_WIDTH, OPT_HEIGHT, OPT_MINWIDTH,
       OPT_INVERTED, OPT_COLORS, OPT_HASH, OPT_BASE, OPT_VERSION };

static const struct option longs[] = {
	{ "title", required_argument, NULL, OPT_TITLE },
	{ "subtitle", required_argument, NULL, OPT_SUBTITLE },
	{ "countname", required_argument, NULL, OPT_COUNTNAME },
	{ "width", required_argument, NULL, OPT_WIDTH },
	{ "height", required_argument, NULL, OPT_HEIGHT },
	{ "minwidth", required_argument, NULL, OPT_MINWIDTH },
	{ "inverted", no_argument, NULL, OPT_INVERTED },
	{ "colors", required_argument, NULL, OPT_COLORS },
	{ "hash", no_argument, NULL, OPT_HASH },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{}
};

static int number(const char *name, const char *arg, double min, double max, double *v)
{
	char *end;

	*v = strtod(arg, &end);
	if (end == arg || *end || !(*v >= min && *v <= max))
		return fail_usage("--%s=%s: expected a number from %g to %g", name, arg, min, max);
	return 0;
}

static int whole(const char *name, const char *arg, double min, double max, unsigned *v)
{
	double d;
	int err = number(name, arg, min, max, &d);

	if (!err && d != (unsigned)d)
		err = fail_usage("--%s=%s: expected a whole number", name, arg);
	*v = err ? 0 : d;
	return err;
}

static int colors(const char *arg, enum flame_colors *v)
{
	static const char *const names[] = { [FLAME_KIND] = "kind", [FLAME_HASH] = "hash",
					     [FLAME_GREY] = "grey" };
	unsigned i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(arg, names[i])) {
			*v = i;
			return 0;
		}
	}
	return fail_usage("--colors=%s: expected kind, hash or grey", arg);
}

static int option(int c, struct flame_options *o)
{
	switch (c) {
	case OPT_TITLE: o->title = optarg; return 0;
	case OPT_SUBTITLE: o->subtitle = optarg; return 0;
	case OPT_COUNTNAME: o->countname = optarg; return 0;
	case OPT_WIDTH: return whole("width", optarg, FLAME_WIDTH_MIN, FLAME_WIDTH_MAX, &o->width);
	case OPT_HEIGHT: return whole("height", optarg, FLAME_HEIGHT_MIN, FLAME_HEIGHT_MAX, &o->height);
	case OPT_MINWIDTH: return number("minwidth", optarg, 0, FLAME_WIDTH_MAX, &o->min_width);
	case OPT_INVERTED: o->inverted = true; return 0;
	case OPT_COLORS: return colors(optarg, &o->colors);
	case OPT_HASH: o->colors = FLAME_HASH; return 0;
	case OPT_BASE: return whole("base", optarg, 0, 1000, &o->base);
	}
	return fail_usage("try --help");	/* getopt said what is wrong */
}

static int draw(FILE *in, const char *name, const struct flame_options *o)
{
	struct flame_tree *t = flame_new();
	struct flame_error error;
	int err = -ENOMEM;

	if (!t)
		return fail(err, "cannot draw %s", name);
	err = flame_read(t, in, &error);
	if (err && error.line)
		fail(0, "%s: line %llu: %s", name, (unsigned long long)error.line, error.why);
	else if (err)
		fail(0, "cannot read %s: %s", name, error.why);
	else if (!flame_total(t))
		err = fail(0, "%s holds no stacks: nothing to draw", name);
	else if ((err = flame_write_svg(t, stdout, o)) == -EPIPE)
		err = 0;	/* the reader has what it wanted */
	else if (err)
		fail(err, "cannot write standard output");
	flame_free(t);
	return err;
}

int main(int argc, char **argv)
{
	struct flame_options o = { .min_width = FLAME_MIN_WIDTH };
	const char *name = "standard input";
	FILE *in = stdin;
	int c, err;

	log_init("flamegraph", false);
	signal(SIGPIPE, SIG_IGN);	/* a reader that has enough is no failure */
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == 'h' || c == OPT_VERSION) {
			fputs(c == 'h' ? help : "flamegraph " GPUSCOPE_VERSION "\n", stdout);
			return out_finish(stdout, "standard output") ? 1 : 0;
		}
		if (option(c, &o))
			return 2;
	}
	if (argc - optind > 1) {
		fail_usage("one file at a time (join several with cat)");
		return 2;
	}
	if (optind < argc && strcmp(argv[optind], "-")) {
		name = argv[optind];
		in = fopen(name, "re");
		if (!in)
			return fail(-errno, "cannot open %s", name), 1;
	}
	err = draw(in, name, &o);
	if (in != stdin)
		fclose(in);
	return err ? 1 : 0;
}
