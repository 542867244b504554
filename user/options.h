/*
 * A command line as rows: a row knows its name, its help and where its value
 * goes, so no program parses anything. Help, --version and complaints about
 * wrong words are made here, in one form for all programs.
 *
 * Numbers take any base of C; durations a unit (1.5s, 100ms, 20us, 5ns, 2m; none: seconds);
 * sizes K, M or G; lists commas.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include "schema.h"

enum option_type {
	OPT_SWITCH, OPT_UNSIGNED, OPT_SIGNED, OPT_DURATION_NS, OPT_STRING, OPT_LIST,
	OPT_REAL,		/* double */
	OPT_POWER2,		/* a size that is a power of two */
	OPT_SIZE,		/* any size: bytes, or with K, M or G */
	OPT_WORD,		/* one of words */
	OPT_WORDS,		/* some of words, with commas: their values ORed */
	OPT_STORE,		/* a switch that stores value */
	OPT_STRINGS,		/* given several times: one const char * each, as OPT_LIST */
	OPT_VERBOSE,		/* a switch that also turns note() on at once */
};

struct option_row {
	const char *name, *arg, *help;	/* name NULL ends the list; help may have several
					 * lines */
	char key;		/* 0: long option only */
	u8 type;		/* enum option_type */
	u8 live;		/* only probes can honour it; 1: off is in the skeleton's
				 * .rodata, 2: in the settings all the same */
	size_t off, size;	/* else in the program's own settings */
	size_t count_off;	/* OPT_LIST: where the number of items goes (u32) */
	u32 max;		/* OPT_LIST: room, in items of size / max bytes */
	u64 min, most;		/* OPT_UNSIGNED, OPT_REAL, OPT_POWER2: range; most 0: none */
	const struct enum_name *words;
	u64 value;		/* OPT_STORE */
};

#define OPT_SET(type_, member, key, name, arg, otype, help)			\
	{ name, arg, help, key, otype, 0, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0 }
#define OPT_SET_LIST(type_, member, count, room, key, name, arg, help)		\
	{ name, arg, help, key, OPT_LIST, 0, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), offsetof(type_, count), room }
#define OPT_SET_STRINGS(type_, member, count, room, key, name, arg, help)	\
	{ name, arg, help, key, OPT_STRINGS, 0, offsetof(type_, member),	\
	  sizeof(((type_ *)0)->member), offsetof(type_, count), room }
#define OPT_SET_RANGE(type_, member, key, name, arg, otype, min, most, help)	\
	{ name, arg, help, key, otype, 0, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0, min, most }
#define OPT_SET_WORD(type_, member, key, name, arg, otype, words, help)		\
	{ name, arg, help, key, otype, 0, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0, 0, 0, words }
#define OPT_SET_STORE(type_, member, value, key, name, help)			\
	{ name, NULL, help, key, OPT_STORE, 0, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0, 0, 0, NULL, value }

#define OPT_LIVE(type_, member, key, name, arg, otype, help)			\
	{ name, arg, help, key, otype, 2, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0 }
#define OPT_LIVE_WORD(type_, member, key, name, arg, words, help)		\
	{ name, arg, help, key, OPT_WORD, 2, offsetof(type_, member),		\
	  sizeof(((type_ *)0)->member), 0, 0, 0, 0, words }

struct option_group {
	const struct option_row *rows;
	void *values;		/* what the rows' offsets count from */
	void *rodata;		/* the same of live rows; NULL: values too */
};

struct program {
	const char *name, *about;
	const char *usage;	/* behind the name: "[-i] FILE [-j]" */
	const char *notes;	/* lines between options and examples, or NULL */
	const char *examples;
	struct option_group groups[6];	/* ends with rows NULL */
	/* Words that are no options are refused, unless: */
	const struct option_row *operand;	/* one word: as if given to this OPT_STRING row,
						 * of group 0; OPT_STRINGS: all words */
	const char *missing;	/* what to say when it is given in neither way; NULL: it may
				 * be */
	char ***command;	/* the first such word and all behind it: a command to run */
	const char **live;	/* where the name of a given live option goes, or NULL */
};

/*
 * Does what each program begins with: its name for messages, closed pipes as EPIPE (not where a
 * command is run, which would inherit that), options. Negative: go on; else the exit code.
 */
int program_options(const struct program *c, int argc, char **argv);

/* 0, or reported: text is not what the row takes. base: what the row's offset counts from. */
int option_put(const struct option_row *row, const char *text, char *base);

#endif
