// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The picture. It can be read without a script: each frame carries its whole
 * name as <title> and a text cut to its width; positions are percentages.
 * script.c makes it fit the window, zoom and search, from data-x/w/d (exact
 * integers) and the titles ("NAME\nVALUE, SHARE").
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kind.h"
#include "script.h"
#include "text.h"

#define SIDE 10		/* pixels left and right of the frames */
#define LETTER 0.602	/* width of a monospaced letter in parts of its height */

struct canvas {
	FILE *out;
	struct flame_tree *t;
	const struct flame_options *o;
	struct flame_order order;
	struct flame_text name, cut;
	const char *countname;
	unsigned width, height, font, top, total_height;
	bool present[KIND_COUNT];
};

static void put_text(struct canvas *c, const char *s)
{
	if (!flame_text_set(&c->name, s, strlen(s)))
		flame_text_write(&c->name, c->out);
}

static double percent(const struct canvas *c, uint64_t v)
{
	return v * 100.0 / c->t->total;
}

static unsigned subtitle_lines(const struct flame_options *o)
{
	const char *s = o->subtitle;
	unsigned n = s && *s;

	while (s && (s = strchr(s, '\n')))
		n += *++s != '\0';
	return n;
}

static void canvas_measure(struct canvas *c)
{
	const struct flame_options *o = c->o;
	bool legend;

	c->width = o->width ? o->width : 1200;
	c->height = o->height ? o->height : 17;
	c->font = c->height > 19 ? 14 : c->height < 12 ? c->height - 2 : c->height - 5;
	c->countname = o->countname ? o->countname : "samples";
	legend = o->colors == FLAME_KIND || o->colors == FLAME_CHANGE;
	c->top = 36 + 17 * subtitle_lines(o) + (legend ? 20 : 4);
	c->total_height = c->top + (c->order.depth + 1) * c->height + 34;
}

static void write_style(struct canvas *c)
{
	fprintf(c->out, "<style>\n"
		"text { font: %upx ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #000; }\n"
		".bg { fill: #fdfdfb; }\n"
		"#frames rect { stroke: #fdfdfb; stroke-width: .6; }\n"
		"#frames text { pointer-events: none; white-space: pre; }\n"
		"#frames > g:hover rect { stroke: #000; stroke-width: 1; cursor: pointer; }\n"
		"#frames > g.sel rect { stroke: #000; stroke-width: 2; }\n"
		"#frames > g.hit rect { fill: #e646e6; }\n"
		"#frames > g.up { opacity: .5; }\n"
		".title { font: 17px sans-serif; }\n"
		".sub { font: 12px sans-serif; fill: #444; }\n"
		".page { font-size: 12px; }\n"
		".tool { font: 12px sans-serif; fill: #0645ad; cursor: pointer; display: none; }\n"
		".tool.off { fill: #999; }\n"
		"@media (prefers-color-scheme: dark) {\n"
		" .bg { fill: #1c1c1e; } #frames rect { stroke: #1c1c1e; }\n"
		" .title, .page { fill: #eee; } .sub { fill: #bbb; } .tool { fill: #8ab4f8; }\n"
		" #frames > g:hover rect, #frames > g.sel rect { stroke: #fff; }\n"
		"}\n</style>\n", c->font);
}

static void write_subtitle(struct canvas *c)
{
	const char *s = c->o->subtitle, *end;
	unsigned y = 42;

	for (; s && *s; s = *end ? end + 1 : end, y += 17) {
		end = strchrnul(s, '\n');
		if (end == s)
			continue;
		fprintf(c->out,
			"<text class=\"sub\" x=\"50%%\" y=\"%u\" text-anchor=\"middle\">", y);
		if (!flame_text_set(&c->name, s, end - s))
			flame_text_write(&c->name, c->out);
		fputs("</text>\n", c->out);
	}
}

static unsigned write_swatch(struct canvas *c, unsigned x, uint32_t color, const char *label)
{
	unsigned y = c->top - 18;

	fprintf(c->out,
		"<rect x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" fill=\"#%06x\"/>"
		"<text class=\"sub\" x=\"%u\" y=\"%u\">%s</text>\n",
		x, y, color, x + 15, y + 10, label);
	return x + 35 + strlen(label) * 7;
}

static void write_legend(struct canvas *c)
{
	unsigned x = SIDE, kind;

	if (c->o->colors != FLAME_KIND && c->o->colors != FLAME_CHANGE)
		return;
	fputs("<g id=\"legend\">\n", c->out);
	if (c->o->colors == FLAME_CHANGE) {
		x = write_swatch(c, x, flame_change_color(1, 2), "grew by half or more");
		x = write_swatch(c, x, flame_change_color(9, 10), "by a tenth");
		x = write_swatch(c, x, flame_change_color(1, 1), "the same within 1%");
		x = write_swatch(c, x, flame_change_color(10, 9), "shrank by a tenth");
		write_swatch(c, x, flame_change_color(2, 1), "by half or more");
	}
	for (kind = 0; c->o->colors == FLAME_KIND && kind < KIND_COUNT; kind++) {
		const char *label = flame_kind_label(kind);

		if (c->present[kind] && label)
			x = write_swatch(c, x, flame_kind_color(kind), label);
	}
	fputs("</g>\n", c->out);
}

static void write_head(struct canvas *c)
{
	const char *title = c->o->title ? c->o->title : "Flame graph";
	char value[FLAME_VALUE_LEN];

	fprintf(c->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\" data-depth=\"%u\" data-height=\"%u\" data-inverted=\"%d\">\n"
		"<title>", c->width, c->total_height, c->width, c->total_height, c->order.depth,
		c->height, c->o->inverted);
	put_text(c, title);
	fputs("</title>\n<desc>Flame graph: width is the share of ", c->out);
	put_text(c, flame_value(value, c->t->total, c->countname));
	fprintf(c->out,
		"; a frame stands %s the one that called it; %llu frames, %llu of them too narrow to be drawn."
		"</desc>\n", c->o->inverted ? "below" : "above",
			(unsigned long long)flame_stacks(c->t),
		(unsigned long long)c->order.pruned);
	write_style(c);
	fputs("<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n"
	      "<text class=\"title\" x=\"50%\" y=\"24\" text-anchor=\"middle\">", c->out);
	put_text(c, title);
	fputs("</text>\n", c->out);
	write_subtitle(c);
	write_legend(c);
	fputs("<text class=\"tool\" id=\"reset\" x=\"10\" y=\"24\">Reset zoom</text>\n"
	      "<text class=\"tool\" id=\"case\" x=\"100%\" dx=\"-105\" y=\"24\" text-anchor=\"end\">Ignore case"
	      "<title>Upper and lower case are the same in searches (Ctrl-I)</title></text>\n"
	      "<text class=\"tool\" id=\"search\" x=\"100%\" dx=\"-10\" y=\"24\" text-anchor=\"end\">Search"
	      "<title>Regular expression (Ctrl-F or /)</title></text>\n", c->out);
}

/* ", before 1.2 ms (1,234,567 ns), +3.1%" */
static void write_change(struct canvas *c, uint64_t was, uint64_t now)
{
	char value[FLAME_VALUE_LEN];

	fputs("; before ", c->out);
	put_text(c, flame_value(value, was, c->countname));
	if (was)
		fprintf(c->out, ", %+.1f%%", ((double)now - was) * 100 / was);
}

static int write_frame(struct canvas *c, const struct flame_place *p)
{
	const struct flame_node *node = &c->t->nodes[p->node];
	const struct flame_name *name = flame_name(c->t, p->node);
	unsigned row = c->o->inverted ? p->depth : c->order.depth - p->depth;
	double x = percent(c, p->x), w = percent(c, node->total), inner = c->width - 2 * SIDE;
	enum flame_kind kind = flame_kind(name, p->depth, c->o->base);
	int columns = (w / 100 * inner - 6) / (c->font * LETTER);
	uint64_t was = c->t->was ? c->t->was[p->node] : 0;
	char value[FLAME_VALUE_LEN];

	if (flame_text_set(&c->name, name->text, name->len) ||
	    flame_text_cut(&c->name, columns < 0 ? 0 : columns, &c->cut))
		return -ENOMEM;
	fprintf(c->out, "<g data-x=\"%llu\" data-w=\"%llu\" data-d=\"%u\"><title>",
		(unsigned long long)p->x, (unsigned long long)node->total, p->depth);
	flame_text_write(&c->name, c->out);
	putc('\n', c->out);
	put_text(c, flame_value(value, node->total, c->countname));
	fprintf(c->out, ", %.2f%%", w);
	if (c->t->was)
		write_change(c, was, node->total);
	fprintf(c->out,
		"</title><rect x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%u\" "
		"rx=\"1\" fill=\"#%06x\"/>", x, row * c->height, w, c->height - 1,
		c->o->colors == FLAME_CHANGE ? flame_change_color(was, node->total) :
		flame_color(c->o->colors, kind, name));
	if (c->cut.n) {
		fprintf(c->out, "<text x=\"%.4f%%\" dx=\"3\" y=\"%u\">", x,
			row * c->height + (c->height + c->font) / 2 - 2);
		flame_text_write(&c->cut, c->out);
		fputs("</text>", c->out);
	}
	fputs("</g>\n", c->out);
	return 0;
}

static void write_foot(struct canvas *c)
{
	unsigned y = c->total_height - 12;

	fprintf(c->out,
		"</svg>\n<g id=\"foot\"><rect class=\"bg\" y=\"%u\" width=\"100%%\" height=\"30\"/>\n"
		"<text class=\"page\" id=\"details\" x=\"10\" y=\"%u\">", y - 18, y);
	if (c->order.pruned)
		fprintf(c->out, "%llu frames narrower than %g px left out",
			(unsigned long long)c->order.pruned, c->o->min_width);
	fprintf(c->out,
		"</text>\n<text class=\"page\" id=\"matched\" x=\"100%%\" dx=\"-10\" y=\"%u\" "
		"text-anchor=\"end\"></text></g>\n<script><![CDATA[\n", y);
	flame_write_script(c->out);
	fputs("]]></script>\n</svg>\n", c->out);
}

/* Frames that take less than min_width pixels of the static picture. */
static uint64_t least_value(const struct flame_tree *t, const struct flame_options *o)
{
	unsigned width = (o->width ? o->width : 1200) - 2 * SIDE;
	double least = o->min_width * t->total / width;

	if (t->was && least < 1)
		return 1;	/* what only was has no width */
	if (least >= 18446744073709551615.0)
		return UINT64_MAX;
	return least < (uint64_t)least + 1e-9 ? (uint64_t)least : (uint64_t)least + 1;
}

int flame_write_svg(struct flame_tree *t, FILE *out, const struct flame_options *o)
{
	struct canvas c = { .out = out, .t = t, .o = o };
	uint32_t i;
	int err;

	if (!t->total)
		return -ENODATA;
	errno = 0;
	err = flame_order(t, least_value(t, o), &c.order);
	if (err)
		return err;
	canvas_measure(&c);
	for (i = 0; i < c.order.count; i++)
		c.present[flame_kind(flame_name(t, c.order.places[i].node),
				     c.order.places[i].depth, o->base)] = true;
	write_head(&c);
	fprintf(out, "<svg id=\"frames\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">\n", SIDE,
		c.top, c.width - 2 * SIDE, (c.order.depth + 1) * c.height);
	for (i = 0; !err && i < c.order.count; i++)
		err = write_frame(&c, &c.order.places[i]);
	write_foot(&c);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	flame_text_free(&c.name);
	flame_text_free(&c.cut);
	free(c.order.places);
	return err;
}
