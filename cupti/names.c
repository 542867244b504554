// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Texts become ids by content: a hash table of offsets into an arena, both
 * mapped in advance, both only ever added to by compare-and-swap, so that
 * threads neither lock nor allocate. Ids count up from NAME_INTERNED. A NAME
 * record goes to slot 0, which the recorder reads before the uses in other slots.
 */
#include <string.h>
#include <sys/mman.h>
#include "library.h"

#define TABLE_SIZE  0x20000
#define NAMES_MAX   0x10000	/* distinct names; beyond these all share one id */
#define ARENA_BYTES (16 << 20)	/* reserved, not used: pages come when touched */
#define PROBES_MAX  64
#define HINTS       1024
#define NAME_MAX_BYTES 32768	/* of a text; longer ones are cut */

struct entry {
	u32 hash, len;
	u16 what;
	u8 sent;
	char text[];
};

static u32 table[TABLE_SIZE];	/* number of the name, 0: free */
static u32 offsets[NAMES_MAX];	/* by number: in the arena / 8 */
static u32 hints[HINTS];	/* by address of a kernel's name: its number, to be compared */
static u32 count;
static u8 api_sent[NAME_INTERNED];
static u8 *arena;
static u64 arena_used = 16;

static struct entry *entry_of(u32 number)
{
	return (void *)(arena + (u64)offsets[number] * 8);
}

static u32 text_hash(u16 what, const char *text, u32 len)
{
	u64 h = 0xcbf29ce484222325ULL ^ what, word;

	for (; len >= 8; len -= 8, text += 8) {
		memcpy(&word, text, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	for (; len; len--, text++)
		h = (h ^ (u8)*text) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

/* Only the first to come maps it; a thread that loses gives its own back. */
static bool arena_ready(void)
{
	u8 *none = NULL, *mine;

	if (load_acquire(&arena))
		return true;
	mine = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mine == MAP_FAILED)
		return false;
	if (!__atomic_compare_exchange_n(&arena, &none, mine, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(mine, ARENA_BYTES);
	return true;
}

/* Number of a new name, 0 when there is no room. */
static u32 entry_new(u16 what, const char *text, u32 len, u32 hash)
{
	u64 size = (sizeof(struct entry) + len + 1 + 7) & ~7ULL;
	u64 off = add_relaxed(&arena_used, size);
	struct entry *e = (void *)(arena + off);
	u32 number;

	if (off + size > ARENA_BYTES) {
		add_relaxed(&arena_used, -size);
		return 0;
	}
	number = add_relaxed(&count, 1) + 1;
	if (number >= NAMES_MAX) {
		add_relaxed(&count, -1);
		return 0;
	}
	e->hash = hash;
	e->len = len;
	e->what = what;
	memcpy(e->text, text, len);
	e->text[len] = 0;
	offsets[number] = off / 8;
	return number;
}

static bool entry_is(const struct entry *e, u16 what, const char *text, u32 len, u32 hash)
{
	return e->hash == hash && e->len == len && e->what == what &&
		!memcmp(e->text, text, len);
}

/* Number of a name, 0 when it has none and gets none. */
static u32 name_number(u16 what, const char *text, u32 len)
{
	u32 hash = text_hash(what, text, len), fresh = 0, probe;

	if (!arena_ready())
		return 0;
	for (probe = 0; probe < PROBES_MAX; probe++) {
		u32 *place = &table[(hash + probe) % TABLE_SIZE], number = load_acquire(place);

		if (!number) {
			if (!fresh)
				fresh = entry_new(what, text, len, hash);
			if (!fresh)
				return 0;
			if (__atomic_compare_exchange_n(place, &number, fresh, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return fresh;
		}
		if (entry_is(entry_of(number), what, text, len, hash))
			return number;
	}
	return 0;
}

/* True when the record is committed. */
static bool name_send(u32 id, u16 what, const char *text, u32 len)
{
	u32 size = (sizeof(struct name) + len + 1 + 7) & ~7U;
	struct writer *w = writer_shared();
	struct name *n = record_begin(w, EVENT_NAME, size);

	if (!n)
		return false;
	n->e.ts = clock_now();
	n->id = id;
	n->what = what;
	memset((char *)n + size - 8, 0, 8);
	memcpy(n + 1, text, len);
	record_end(w, n);
	return true;
}

/* Two threads may both send: the same name twice does no harm. */
static u32 entry_send(u32 number)
{
	struct entry *e = entry_of(number);

	if (!load_acquire(&e->sent) &&
	    name_send(NAME_INTERNED + number, e->what, e->text, e->len))
		store_release(&e->sent, 1);
	return NAME_INTERNED + number;
}

static u32 name_overflow(u16 what)
{
	static const char text[] = "(too many different names)";
	u32 id = NAME_INTERNED + NAMES_MAX + what;

	if (!load_acquire(&api_sent[what]) && name_send(id, what, text, sizeof(text) - 1))
		store_release(&api_sent[what], 1);
	return id;
}

u32 name_intern(u16 what, const char *text)
{
	u32 number;

	if (!text)
		return 0;
	number = name_number(what, text, strnlen(text, NAME_MAX_BYTES));
	return number ? entry_send(number) : name_overflow(what);
}

/* An id that name_intern() gave, from a place where it may have gone bad. */
u32 name_again(u64 id)
{
	if (id <= NAME_INTERNED || id - NAME_INTERNED > load_acquire(&count))
		return id == NAME_INTERNED + NAMES_MAX + NAME_NVTX ? id : 0;
	return entry_send(id - NAME_INTERNED);
}

u32 name_kernel(const char *text)
{
	u32 *hint = &hints[((uintptr_t)text >> 3 ^ (uintptr_t)text >> 13) % HINTS];
	u32 number = load_relaxed(hint);

	if (!text)
		return 0;
	if (number && entry_of(number)->what == NAME_KERNEL &&
	    !strcmp(entry_of(number)->text, text))
		return entry_send(number);
	number = name_number(NAME_KERNEL, text, strnlen(text, NAME_MAX_BYTES));
	if (!number)
		return name_overflow(NAME_KERNEL);
	store_relaxed(hint, number);
	return entry_send(number);
}

/* The first few of api_sent are for the "too many" names; ids of API names begin behind. */
void name_api(u32 id, const char *text)
{
	if (!load_acquire(&api_sent[id]) && name_send(id, NAME_API, text, strlen(text)))
		store_release(&api_sent[id], 1);
}

void names_forget(void)
{
	u32 number;

	memset(api_sent, 0, sizeof(api_sent));
	for (number = 1; number <= count; number++)
		entry_of(number)->sent = 0;
}
