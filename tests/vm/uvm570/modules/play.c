// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A script: ranges of the calling process and steps on them. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "play.h"

struct play *play;

uvm_processor_id_t processor(const struct board *b)
{
	return (uvm_processor_id_t){ b - boards + 1 };
}

struct board *play_board(const uvm_parent_gpu_t *parent, const uvm_gpu_t *gpu)
{
	struct board *b = boards;

	while (b->parent != parent && b->gpu != gpu)
		b++;
	return b;
}

const char *access_name(u32 access)
{
	static const char *const names[] = { "prefetch", "read", "write", "atomic", "atomic" };

	return access < ARRAY_SIZE(names) ? names[access] : "?";
}

/* The caller has checked that it lies in a range. */
uvm_va_block_t *play_block(u64 addr)
{
	struct memory *r = play->ranges;

	while (addr < r->range->node.start || addr > r->range->node.end)
		r++;
	return r->blocks[(addr - r->range->node.start) / BLOCK_BYTES];
}

static int memory_init(struct memory *r, const char *name, u64 start, u64 bytes)
{
	u32 i;

	if (!bytes || bytes % BLOCK_BYTES || start % BLOCK_BYTES || bytes > 1ULL << 36)
		return -EINVAL;
	strscpy(r->name, name, sizeof(r->name));
	r->range = kzalloc(sizeof(*r->range), GFP_KERNEL);
	r->blocks = kcalloc(bytes / BLOCK_BYTES, sizeof(*r->blocks), GFP_KERNEL);
	if (!r->range || !r->blocks)
		return -ENOMEM;
	r->range->va_space = (u64)play->space;
	r->range->node.start = start;
	r->range->node.end = start + bytes - 1;
	for (i = 0; i < bytes / BLOCK_BYTES; i++) {
		uvm_va_block_t *b = kzalloc(sizeof(*b), GFP_KERNEL);

		if (!b)
			return -ENOMEM;
		r->blocks[r->count++] = b;
		b->start = start + i * BLOCK_BYTES;
		b->end = b->start + BLOCK_BYTES - 1;
		b->managed_range = (u64)r->range;
	}
	truth("alloc name=%s addr=0x%llx bytes=%llu", r->name, start, bytes);
	return 0;
}

static void memory_free(struct memory *r)
{
	while (r->count)
		kfree(r->blocks[--r->count]);
	kfree(r->blocks);
	kfree(r->range);
}

static struct memory *find_memory(const char *name)
{
	u32 i;

	for (i = 0; i < RANGES_MAX && play->ranges[i].range; i++)
		if (!strcmp(play->ranges[i].name, name))
			return &play->ranges[i];
	return NULL;
}

/* "range NAME ADDR BYTES" */
static int take_memory(char *words)
{
	char *name = strsep(&words, " "), *addr = strsep(&words, " ");
	u32 i = 0;

	while (i < RANGES_MAX && play->ranges[i].range)
		i++;
	if (i == RANGES_MAX || !addr || !words)
		return -EINVAL;
	return memory_init(&play->ranges[i], name, memparse(addr, NULL), memparse(words, NULL));
}

static int set_word(struct step *s, const char *key, const char *value)
{
	u64 number = memparse(value, NULL);

	if (!strcmp(key, "range"))
		return (s->range = find_memory(value)) ? 0 : -ENOENT;
	if (!strcmp(key, "access")) {
		for (s->access = 0; s->access < 4; s->access++)
			if (!strcmp(value, access_name(s->access)))
				return 0;
		return -EINVAL;
	}
	if (!strcmp(key, "gpu") && number < BOARDS)
		s->board = &boards[number];
	else if (!strcmp(key, "off"))
		s->off = number;
	else if (!strcmp(key, "stride"))
		s->stride = number;
	else if (!strcmp(key, "n"))
		s->n = number;
	else if (!strcmp(key, "dup"))
		s->dup = number;
	else if (!strcmp(key, "prefetch"))
		s->prefetch = min_t(u64, number, BLOCK_BYTES / PAGE_SIZE);
	else if (!strcmp(key, "usec"))
		s->usec = min_t(u64, number, 10000);
	else
		return -EINVAL;
	return 0;
}

/* "WHAT gpu=0 range=a n=100 stride=4k access=read dup=10 usec=50 off=0" */
static int one_line(char *line)
{
	struct step *s = &play->step;
	char *what = strsep(&line, " ");
	int err = 0;

	if (!strcmp(what, "range"))
		return line ? take_memory(line) : -EINVAL;
	*s = (struct step){ .number = s->number + 1, .board = boards, .stride = PAGE_SIZE,
			    .n = 1, .access = 1, .type = 1 };
	strscpy(s->what, what, sizeof(s->what));
	while (line && !err) {
		char *value = strsep(&line, " "), *key = strsep(&value, "=");

		if (*key)
			err = value ? set_word(s, key, value) : -EINVAL;
	}
	if (!err && !s->range)
		err = -EINVAL;
	return err ? err : play_step();
}

static void play_free(void)
{
	u32 i;

	for (i = 0; i < RANGES_MAX; i++)
		memory_free(&play->ranges[i]);
	kvfree(play->packets);
	kvfree(play->entries);
	kfree(play->events);
	kvfree(play->space);
	kfree(play);
	play = NULL;
}

static int play_new(void)
{
	play = kzalloc(sizeof(*play), GFP_KERNEL);
	if (!play)
		return -ENOMEM;
	play->pid = current->tgid;
	play->space = kvzalloc(sizeof(*play->space), GFP_KERNEL);
	play->events = kzalloc(sizeof(*play->events), GFP_KERNEL);
	play->entries = kvcalloc(BATCH_MAX, sizeof(*play->entries), GFP_KERNEL);
	play->packets = kvcalloc(FAULTS_MAX, sizeof(*play->packets), GFP_KERNEL);
	if (!play->space || !play->events || !play->entries || !play->packets) {
		play_free();
		return -ENOMEM;
	}
	play->space->va_space_mm.mm = (u64)current->mm;	/* alive: its process waits for us */
	play->events->va_space = (u64)play->space;
	return 0;
}

int play_script(char *script)
{
	int err = play_new();
	char *line;
	u32 i;

	if (err)
		return err;
	truth("process");
	for (i = 0; i < BOARDS; i++)
		truth("gpu gpu=%s", boards[i].name);
	while (!err && (line = strsep(&script, ";\n"))) {
		line = strim(line);
		if (*line)
			err = one_line(line);
	}
	truth("end err=%d", err);
	play_free();
	return err;
}
