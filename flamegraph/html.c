// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One page with everything in it: viewer.html, with its style, its three scripts and
 * the trees as JSON in their places. Names are escaped so that no text of theirs
 * can end the script element or be markup; numbers that a double cannot hold are
 * strings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kind.h"
#include "text.h"

#define DOUBLE_EXACT (1ULL << 53)

#define FILE_IN(symbol, path)							\
	extern const char symbol[];						\
	__asm__(".pushsection .rodata\n.globl " #symbol "\n" #symbol ":\n"	\
		".incbin \"" path "\"\n.byte 0\n.popsection\n")

FILE_IN(flame_viewer_html, "flamegraph/viewer.html");
FILE_IN(flame_viewer_css, "flamegraph/viewer.css");
FILE_IN(flame_viewer_tree, "flamegraph/viewer_tree.js");
FILE_IN(flame_viewer_draw, "flamegraph/viewer_draw.js");
FILE_IN(flame_viewer_ui, "flamegraph/viewer_ui.js");

struct page {
	FILE *out;
	const struct flame_view *views;
	size_t view_count;
	const struct flame_options *o;
	struct flame_text text;
	struct flame_tree *names;	/* every name of every view once: see names_merge() */
	uint32_t **ids;			/* by view and by its name: place in `names` */
	bool present[KIND_COUNT];
};

/* ---- JSON ---- */

static void put_string(struct page *p, const char *s, size_t n)
{
	flame_json(&p->text, s, n, p->out);
}

static void put_key(struct page *p, const char *key, const char *text)
{
	fprintf(p->out, "\"%s\":", key);
	put_string(p, text, strlen(text));
	putc(',', p->out);
}

static void put_color(struct page *p, const char *key, uint32_t rgb)
{
	fprintf(p->out, "\"%s\":\"#%06x\",", key, rgb);
}

static void put_number(FILE *out, uint64_t v)
{
	fprintf(out, v > DOUBLE_EXACT ? "\"%llu\"" : "%llu", (unsigned long long)v);
}

/* ---- names ---- */

/* A tree is a table of names, too: each is a stack of its own in this one. */
static int names_merge(struct page *p)
{
	p->names = flame_new();
	p->ids = calloc(p->view_count, sizeof(*p->ids));
	if (!p->names || !p->ids)
		return -ENOMEM;
	for (size_t v = 0; v < p->view_count; v++) {
		const struct flame_tree *t = p->views[v].tree;

		p->ids[v] = calloc(t->name_count, sizeof(**p->ids));
		if (!p->ids[v])
			return -ENOMEM;
		for (uint32_t i = 0; i < t->name_count; i++) {
			struct flame_frame f = { t->names[i].text, t->names[i].len,
						 t->names[i].what };

			if (flame_add(p->names, &f, 1, 0))
				return -ENOMEM;
			p->ids[v][i] = p->names->nodes[p->names->path[0]].name;
		}
	}
	return 0;
}

static enum flame_kind name_kind(struct page *p, uint32_t i)
{
	return flame_kind(&p->names->names[i], i ? p->o->base + 1 : 0, p->o->base);
}

static void put_names(struct page *p)
{
	const struct flame_tree *t = p->names;

	fputs("\"names\":[", p->out);
	for (uint32_t i = 0; i < t->name_count; i++) {
		fputs(i ? ",\n" : "", p->out);
		put_string(p, t->names[i].text, t->names[i].len);
	}
	fputs("],\n\"colors\":[", p->out);
	for (uint32_t i = 0; i < t->name_count; i++) {
		enum flame_kind kind = name_kind(p, i);
		enum flame_colors by = p->o->colors == FLAME_CHANGE ? FLAME_KIND : p->o->colors;

		p->present[kind] = true;
		fprintf(p->out, "%s\"#%06x\"", i ? "," : "",
			flame_color(by, kind, &t->names[i]));
	}
	fputs("],\n\"legend\":[", p->out);
	p->present[KIND_BASE] = p->o->base;
	for (int kind = 0, n = 0; kind < KIND_COUNT; kind++) {
		const char *label = flame_kind_label(kind);

		if (!p->present[kind] || !label || p->o->colors == FLAME_HASH ||
		    p->o->colors == FLAME_GREY)
			continue;
		fprintf(p->out, "%s[\"%s\",\"#%06x\"]", n++ ? "," : "", label,
			flame_kind_color(kind));
	}
	fputs("],\n", p->out);
}

/* ---- trees ---- */

static const char *unit_of(const char *unit)
{
	return !strcmp(unit, "ns") ? "nanoseconds" : unit;
}

static void put_column(struct page *p, const char *key, const struct flame_tree *t,
		       const struct flame_order *order, const uint64_t *by_node)
{
	fprintf(p->out, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < order->count; i++) {
		uint32_t node = order->places[i].node;

		if (i)
			putc(',', p->out);
		put_number(p->out, by_node ? by_node[node] : t->nodes[node].self);
	}
	putc(']', p->out);
}

static int put_view(struct page *p, size_t v)
{
	struct flame_tree *t = p->views[v].tree;
	struct flame_order order = {};
	int err = flame_order(t, 0, &order);

	if (err)
		return err;
	fputs(v ? ",\n{" : "{", p->out);
	put_key(p, "name", p->views[v].name);
	put_key(p, "unit", unit_of(p->views[v].unit));
	fputs("\"depth\":[", p->out);
	for (uint32_t i = 0; i < order.count; i++)
		fprintf(p->out, "%s%u", i ? "," : "", order.places[i].depth);
	fputs("],\n\"name_of\":[", p->out);
	for (uint32_t i = 0; i < order.count; i++)
		fprintf(p->out, "%s%u", i ? "," : "",
			p->ids[v][t->nodes[order.places[i].node].name]);
	putc(']', p->out);
	put_column(p, "self", t, &order, NULL);
	if (t->was)
		put_column(p, "was", t, &order, t->was_self);
	putc('}', p->out);
	free(order.places);
	return 0;
}

static int put_data(struct page *p)
{
	int err = names_merge(p);

	if (err)
		return err;
	putc('{', p->out);
	put_key(p, "title", p->o->title ? p->o->title : "Flame graph");
	put_key(p, "subtitle", p->o->subtitle ? p->o->subtitle : "");
	put_color(p, "baseColor", flame_kind_color(KIND_BASE));
	fprintf(p->out, "\"base\":%u,\"inverted\":%s,\n", p->o->base,
		p->o->inverted ? "true" : "false");
	put_names(p);
	fputs("\"views\":[", p->out);
	for (size_t v = 0; !err && v < p->view_count; v++)
		err = put_view(p, v);
	fputs("]}\n", p->out);
	return err;
}

/* ---- the page ---- */

static int put_part(struct page *p, const char *name, size_t n)
{
	static const struct { const char *name, *text; } parts[] = {
		{ "CSS", flame_viewer_css }, { "TREE", flame_viewer_tree },
		{ "DRAW", flame_viewer_draw }, { "UI", flame_viewer_ui },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strlen(parts[i].name) == n && !memcmp(parts[i].name, name, n)) {
			fputs(parts[i].text, p->out);
			return 0;
		}
	return put_data(p);
}

static int put_page(struct page *p)
{
	const char *at = flame_viewer_html, *mark, *end;
	int err = 0;

	while (!err && (mark = strchr(at, '@')) && (end = strchr(mark + 1, '@'))) {
		fwrite(at, 1, mark - at, p->out);
		err = put_part(p, mark + 1, end - mark - 1);
		at = end + 1;
	}
	fputs(at, p->out);
	return err;
}

int flame_write_html(const struct flame_view *views, size_t n, FILE *out,
		     const struct flame_options *o)
{
	struct page p = { .out = out, .views = views, .view_count = n, .o = o };
	uint64_t any = 0;
	int err;

	for (size_t v = 0; v < n; v++)
		any |= flame_total(views[v].tree) | flame_total_before(views[v].tree);
	if (!any)
		return -ENODATA;
	errno = 0;
	err = put_page(&p);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	for (size_t v = 0; p.ids && v < n; v++)
		free(p.ids[v]);
	free(p.ids);
	flame_free(p.names);
	flame_text_free(&p.text);
	return err;
}
