// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "frame_rules.h"
#include "hash.h"
#include "log.h"

struct framer {
	struct frame_rules rules;
	regex_t regex;
	bool has_regex;
	struct hash in_library;		/* by the module's address: YES or NO */
	struct texts texts;		/* short names and "[library]", each once */
};

static char yes, no;

struct framer *framer_new(const struct frame_rules *rules)
{
	struct framer *f = must_alloc(sizeof(*f));
	char why[128];
	int err = 0;

	f->rules = *rules;
	if (rules->libraries)
		err = regcomp(&f->regex, rules->libraries, REG_EXTENDED | REG_NOSUB);
	f->has_regex = rules->libraries && !err;
	if (!err)
		return f;
	regerror(err, &f->regex, why, sizeof(why));
	fail_usage("\"%s\" is no regular expression: %s", rules->libraries, why);
	framer_free(f);
	return NULL;
}

void framer_free(struct framer *f)
{
	if (!f)
		return;
	if (f->has_regex)
		regfree(&f->regex);
	hash_free(&f->in_library);
	texts_free(&f->texts);
	free(f);
}

/* ---- names ---- */

static bool opens(const char *name, const char *at, size_t out_n, const char *out)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (*at != '<' && *at != '(')
		return false;
	if (at == name || (*at == '(' && at[1] == ')' && at[2] != '\0' && at[2] != ' '))
		return false;
	/* operator<, operator<<, operator() */
	return !(out_n >= n && !memcmp(out + out_n - n, word, n)) &&
	       !(*at == '<' && out_n > n && out[out_n - 1] == '<' &&
		 !memcmp(out + out_n - n - 1, word, n));
}

/* Without lists of template arguments and of parameters; unbalanced names stay as they are. */
static void without_lists(const char *name, bool marks, char *out)
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t n = 0, depth = 0;

	for (const char *s = name; *s; s++) {
		if (depth) {
			depth += *s == '<' || *s == '(';
			depth -= (*s == '>' && s[-1] != '-') || *s == ')';
		} else if (marks && !strncmp(s, unnamed, sizeof(unnamed) - 1)) {
			n += sprintf(out + n, "%s", unnamed);
			s += sizeof(unnamed) - 2;
		} else if (opens(name, s, n, out)) {
			depth = 1;
			if (*s == '<' && marks)
				n += sprintf(out + n, "<...>");
		} else {
			out[n++] = *s;
		}
	}
	out[n] = '\0';
	if (depth || !n)
		strcpy(out, name);
}

/* The last part of "void ns::f const": f */
static void last_part(char *s)
{
	char *end = s + strlen(s), *begin;

	if (strstr(s, "operator") || strchr(s, '('))
		return;
	if (end - s > 6 && !strcmp(end - 6, " const"))
		*(end -= 6) = '\0';
	for (begin = end; begin > s && begin[-1] != ' ' && begin[-1] != ':' &&
	     begin[-1] != '*' && begin[-1] != '&'; begin--)
		;
	if (*begin)
		memmove(s, begin, end - begin + 1);
}

void frame_name_short(const char *name, enum frame_names how, char *out)
{
	without_lists(name, how == NAMES_SHORT, out);
	if (how == NAMES_BASE)
		last_part(out);
}

/* Only what a compiler mangled: names of Python and of operators are not lists of C++. */
static void shorten(struct framer *f, struct fold_frame *frame)
{
	static const char gpu[] = "[gpu] ";
	size_t head = strncmp(frame->name, gpu, sizeof(gpu) - 1) ? 0 : sizeof(gpu) - 1;
	char *out;

	if (f->rules.names == NAMES_FULL || !frame->raw || (frame->kind && !head))
		return;
	out = must_alloc(FRAME_SHORT_ROOM(frame->name));
	memcpy(out, frame->name, head);
	frame_name_short(frame->name + head, f->rules.names, out + head);
	frame->name = texts_add(&f->texts, out, strlen(out));
	free(out);
}

/* ---- libraries ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool in_library(struct framer *f, const struct fold_frame *frame)
{
	const char *module = frame->module;
	char *known;

	if (!f->has_regex || !module || module[0] == '[')
		return false;
	known = hash_get(&f->in_library, hash_address(module));
	if (!known) {
		known = regexec(&f->regex, base_name(module), 0, NULL, 0) ? &no : &yes;
		hash_put(&f->in_library, hash_address(module), known);
	}
	return known == &yes;
}

static struct fold_frame library_frame(struct framer *f, const char *module)
{
	char text[300];
	int n = snprintf(text, sizeof(text), "[%.256s]", base_name(module));

	return (struct fold_frame){ .name = texts_add(&f->texts, text, n), .module = module };
}

u32 framer_apply(struct framer *f, struct fold_frame *frames, u32 n)
{
	const char *library = NULL;
	u32 out = 0;

	for (u32 i = 0; i < n; i++) {
		struct fold_frame frame = frames[i];

		if (in_library(f, &frame)) {
			bool more = library && !strcmp(library, frame.module);

			library = frame.module;
			if (!more)
				frames[out++] = library_frame(f, library);
			continue;
		}
		library = NULL;
		shorten(f, &frame);
		if (f->rules.recursion && out && !strcmp(frames[out - 1].name, frame.name))
			continue;
		frames[out++] = frame;
	}
	return out;
}
