// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One value of a record: as people read it in a table, and as JSON. JSON carries
 * the raw value, exactly; the table rounds, names and demangles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "out.h"
#include "symbols.h"
#include "tool_run.h"

static u64 scalar(const void *p, size_t size)
{
	u64 v = 0;

	memcpy(&v, p, size < 8 ? size : 8);	/* little-endian, as all our targets are */
	return v;
}

static s64 signed_scalar(const void *p, size_t size)
{
	u64 v = scalar(p, size);

	return size < 8 ? (s64)(v << (64 - 8 * size)) >> (64 - 8 * size) : (s64)v;
}

static u32 item(const void *p, size_t i)
{
	u32 v;

	memcpy(&v, (const u32 *)p + i, sizeof(v));
	return v;
}

static void text_list(const void *p, size_t count, char *buf, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < count && at < size; i++)
		at += snprintf(buf + at, size - at, i ? ",%u" : "%u", item(p, i));
}

static void text_bytes(const u8 *p, size_t count, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < count && 2 * i + 2 < size; i++)
		snprintf(buf + 2 * i, 3, "%02x", p[i]);
}

static void text_enum(const struct column *c, s64 v, char *buf, size_t size)
{
	const char *name = enum_name(c->names, v);

	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%" PRId64, (int64_t)v);
}

static void text_result(s32 v, char *buf, size_t size)
{
	const char *name = v ? curesult_name(v) : NULL;

	if (name)
		snprintf(buf, size, "CUDA_ERROR_%s", name);
	else
		snprintf(buf, size, "%d", v);
}

/* The innermost frame's name; the rest of a stack is for other views. */
static void text_stack(const struct names *n, u64 id, char *buf, size_t size)
{
	u32 frames;
	const u64 *frame = names_stack(n, id, &frames);
	const char *name = frames ? names_symbol(n, frame[0]) : NULL;

	if (name)
		snprintf(buf, size, "%s", demangle(name));
	else
		snprintf(buf, size, id ? "%#" PRIx64 : "-", (uint64_t)id);
}

static void text_number(const struct column *c, const void *p, char *buf, size_t size)
{
	u64 v = scalar(p, c->size);
	char human[16];

	switch (c->as) {
	case AS_SIGNED: snprintf(buf, size, "%" PRId64, (int64_t)signed_scalar(p, c->size));
		break;
	case AS_HEX: snprintf(buf, size, "%" PRIx64, (uint64_t)v); break;
	case AS_TIME: snprintf(buf, size, "%.6f", v / 1e9); break;
	case AS_US: snprintf(buf, size, "%.1f", v / 1e3); break;
	case AS_NS: snprintf(buf, size, "%s", human_ns(human, v)); break;
	case AS_SIZE: snprintf(buf, size, "%s", human_bytes(human, v)); break;
	case AS_DEVNO: snprintf(buf, size, "%u:%u", (u32)v >> 20, (u32)v & 0xfffff); break;
	case AS_ERRNO: snprintf(buf, size, "%s", v ? strerror(-(s32)v) : "0"); break;
	default: snprintf(buf, size, "%" PRIu64, (uint64_t)v);
	}
}

/* A value that is not there (AS_MAYBE): all its bits are set. */
static bool is_absent(const struct column *c, const void *p)
{
	return c->as & AS_MAYBE && !(~scalar(p, c->size) << (64 - 8 * c->size));
}

static void text_known(const struct names *n, const struct column *c, const struct event *e,
		       char *buf, size_t size)
{
	const void *p = (const char *)e + c->off;
	const char *text;

	switch (c->as) {
	case AS_DIMS: text_list(p, 3, buf, size); break;
	case AS_HIST: text_list(p, c->size / 4, buf, size); break;
	case AS_STR: snprintf(buf, size, "%.*s", (int)c->size, (const char *)p); break;
	case AS_BYTES: text_bytes(p, c->size, buf, size); break;
	case AS_ENUM: text_enum(c, signed_scalar(p, c->size), buf, size); break;
	case AS_CURESULT: text_result(signed_scalar(p, c->size), buf, size); break;
	case AS_STACK: text_stack(n, scalar(p, c->size), buf, size); break;
	case AS_NAME:
		text = names_text(n, e->producer, scalar(p, c->size));
		snprintf(buf, size, "%s", text ? demangle(text) : "?");
		break;
	case AS_COMM:
		text = names_comm(n, scalar(p, c->size));
		snprintf(buf, size, "%s", text ? text : "?");
		break;
	default: text_number(c, p, buf, size);
	}
}

/* The same of a column whose values are always there. */
static struct column known(const struct column *c)
{
	struct column k = *c;

	k.as &= ~AS_MAYBE;
	return k;
}

void cell_text(const struct names *n, const struct column *c, const struct event *e,
	       char *buf, size_t size)
{
	const struct column k = known(c);

	if (is_absent(c, (const char *)e + c->off))
		snprintf(buf, size, "-");
	else
		text_known(n, &k, e, buf, size);
	out_clean(buf);
}

static void json_list(struct json *j, const char *key, const void *p, size_t count)
{
	json_array(j, key);
	for (size_t i = 0; i < count; i++)
		json_u64(j, NULL, item(p, i));
	json_close(j);
}

static void json_stack(const struct names *n, struct json *j, const char *key, u64 id)
{
	u32 frames;
	const u64 *frame = names_stack(n, id, &frames);

	json_array(j, key);
	for (u32 i = 0; i < frames; i++) {
		const char *name = names_symbol(n, frame[i]);

		if (name)
			json_str(j, NULL, name);
		else
			json_hex(j, NULL, frame[i]);
	}
	json_close(j);
}

/* The number as it is, and beside it what it means, when it means a failure. */
static void json_result(struct json *j, const char *key, s32 v)
{
	char name_key[48], name[64];

	json_s64(j, key, v);
	if (!v || !curesult_name(v))
		return;
	snprintf(name_key, sizeof(name_key), "%s_name", key);
	text_result(v, name, sizeof(name));
	json_str(j, name_key, name);
}

static void json_enum(const struct column *c, struct json *j, s64 v)
{
	const char *name = enum_name(c->names, v);

	if (name)
		json_str(j, c->key, name);
	else
		json_s64(j, c->key, v);
}

static void json_known(const struct names *n, const struct column *c, const struct event *e,
		       struct json *j)
{
	const void *p = (const char *)e + c->off;
	char hex[2 * 64 + 1];

	switch (c->as) {
	case AS_DIMS: json_list(j, c->key, p, 3); break;
	case AS_HIST: json_list(j, c->key, p, c->size / 4); break;
	case AS_STR: json_strn(j, c->key, p, c->size); break;
	case AS_BYTES:
		text_bytes(p, c->size, hex, sizeof(hex));
		json_str(j, c->key, hex);
		break;
	case AS_ENUM: json_enum(c, j, signed_scalar(p, c->size)); break;
	case AS_CURESULT: json_result(j, c->key, signed_scalar(p, c->size)); break;
	case AS_STACK: json_stack(n, j, c->key, scalar(p, c->size)); break;
	case AS_NAME: json_str(j, c->key, names_text(n, e->producer, scalar(p, c->size)));
		break;
	case AS_COMM: json_str(j, c->key, names_comm(n, scalar(p, c->size))); break;
	case AS_SIGNED: case AS_ERRNO: json_s64(j, c->key, signed_scalar(p, c->size)); break;
	case AS_TIME: json_time(j, c->key, scalar(p, c->size)); break;
	case AS_HEX: json_hex(j, c->key, scalar(p, c->size)); break;
	default: json_u64(j, c->key, scalar(p, c->size));
	}
}

void cell_json(const struct names *n, const struct column *c, const struct event *e,
	       struct json *j)
{
	const struct column k = known(c);

	if (is_absent(c, (const char *)e + c->off))
		json_null(j, c->key);
	else
		json_known(n, &k, e, j);
}
