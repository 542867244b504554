// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions of an ELF file, sorted by file offset. Symbols that share an
 * offset (aliases) are kept, the best name first: global before weak before
 * local, typed before untyped.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "elf_read.h"
#include "symbols.h"

#define ENCLOSING 32	/* symbols looked back through for one that is long enough */
#define PLT_ENTRY 16

struct function {
	u64 offset;
	u64 size;	/* unsized: up to the end of its section */
	u32 name;	/* in strings */
	u16 rank;	/* lower is the better name */
	u16 unsized;	/* ends where the next one begins */
};

struct elf_symbols {
	struct function *list;
	size_t n, room;
	char *strings;
	size_t strings_size;
};

static bool add(struct elf_symbols *s, const struct function *f)
{
	struct function *list;

	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 256;
		list = realloc(s->list, s->room * sizeof(*list));
		if (!list)
			return false;
		s->list = list;
	}
	s->list[s->n++] = *f;
	return true;
}

/* Memory for more strings; the old ones keep their offsets. */
static char *more_strings(struct elf_symbols *s, size_t size)
{
	char *p = realloc(s->strings, s->strings_size + size + 1);

	if (!p || s->strings_size + size > UINT32_MAX)
		return NULL;
	s->strings = p;
	p += s->strings_size;
	s->strings_size += size + 1;
	p[size] = 0;
	return p;
}

static u16 rank_of(const Elf64_Sym *sym, const char *name)
{
	static const u8 binds[] = { [STB_GLOBAL] = 0, [STB_WEAK] = 1, [STB_LOCAL] = 2 };
	u8 bind = ELF64_ST_BIND(sym->st_info);
	u16 rank = bind < sizeof(binds) ? binds[bind] : 0;

	return (ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE ? 8 : 0) + rank * 2 + (*name == '_');
}

/* A label counts when it is in code and was not made by the assembler for itself ($x, .L1). */
static bool is_function(const struct elf_read *elf, const Elf64_Sym *sym, const char *name)
{
	u8 type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || !*name)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && *name != '$' && *name != '.' &&
	       sym->st_shndx < elf->eh.e_shnum &&
	       elf->sh[sym->st_shndx].sh_flags & SHF_EXECINSTR;
}

/* Hand-written code may say no size. Where all functions are listed it ends at the next one;
 * in a stripped file what follows may be anything: there the name is for its first byte. */
static void set_size(struct function *f, const struct elf_read *from, const Elf64_Sym *sym,
		     u32 type)
{
	const Elf64_Shdr *sh = elf_section_at(from, sym->st_shndx);

	f->size = sym->st_size;
	f->unsized = !f->size;
	if (f->size)
		return;
	f->size = 1;
	if (type == SHT_SYMTAB && sh && sym->st_value - sh->sh_addr < sh->sh_size)
		f->size = sh->sh_addr + sh->sh_size - sym->st_value;
}

/* elf: what runs, its segments place the symbols; from: where the table is. False: none. */
static bool read_table(struct elf_symbols *s, const struct elf_read *elf,
		       const struct elf_read *from, u32 type)
{
	const Elf64_Shdr *sh = elf_section_type(from, type);
	Elf64_Sym *syms = elf_read_section(from, sh);
	const Elf64_Shdr *str = sh ? elf_section_at(from, sh->sh_link) : NULL;
	char *strings = elf_read_section(from, str), *at;
	bool ok = syms && strings && (at = more_strings(s, str->sh_size));
	struct function f;

	if (ok)
		memcpy(at, strings, str->sh_size);
	for (size_t i = 0; ok && i < sh->sh_size / sizeof(*syms); i++) {
		char *version;

		if (syms[i].st_name >= str->sh_size ||
		    !is_function(from, &syms[i], at + syms[i].st_name))
			continue;
		version = strchr(at + syms[i].st_name, '@');
		if (version)
			*version = 0;
		f = (struct function){ .offset = elf_code_offset(elf, syms[i].st_value),
				       .name = at + syms[i].st_name - s->strings,
				       .rank = rank_of(&syms[i], at + syms[i].st_name) };
		set_size(&f, from, &syms[i], type);
		if (f.offset != ~0ULL && !add(s, &f))
			ok = false;
	}
	free(syms);
	free(strings);
	return ok && s->n;
}

/* "name@plt" for the stub that relocation `i` of .rela.plt belongs to. */
static bool add_plt(struct elf_symbols *s, u64 offset, const char *name)
{
	char *at = more_strings(s, strlen(name) + 4);

	if (!at)
		return false;
	strcat(strcpy(at, name), "@plt");
	return add(s, &(struct function){ offset, PLT_ENTRY, at - s->strings });
}

/* Stubs stand in the order of relocations, in .plt behind a header, in .plt.sec without. */
static void read_plt(struct elf_symbols *s, const struct elf_read *elf)
{
	const Elf64_Shdr *rela = elf_section(elf, ".rela.plt");
	const Elf64_Shdr *plt = elf_section(elf, ".plt.sec") ?: elf_section(elf, ".plt");
	const Elf64_Shdr *dyn = elf_section_type(elf, SHT_DYNSYM), *str;
	Elf64_Rela *r = elf_read_section(elf, rela);
	Elf64_Sym *syms = elf_read_section(elf, dyn);
	char *strings;
	u64 n, at;

	str = dyn ? elf_section_at(elf, dyn->sh_link) : NULL;
	strings = elf_read_section(elf, str);
	n = r ? rela->sh_size / sizeof(*r) : 0;
	if (r && plt && syms && strings && plt->sh_size / PLT_ENTRY >= n) {
		at = elf_code_offset(elf, plt->sh_addr) + plt->sh_size - n * PLT_ENTRY;
		for (u64 i = 0; i < n && elf_code_offset(elf, plt->sh_addr) != ~0ULL; i++) {
			u64 sym = ELF64_R_SYM(r[i].r_info);

			if (sym && sym < dyn->sh_size / sizeof(*syms) &&
			    syms[sym].st_name < str->sh_size &&
			    !add_plt(s, at + i * PLT_ENTRY, strings + syms[sym].st_name))
				break;
		}
	}
	free(r);
	free(syms);
	free(strings);
}

static int by_offset(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* .symtab here, else in the separate debug file, else the dynamic symbols. */
static void read_all(struct elf_symbols *s, const struct elf_read *elf, const char *path,
		     const char *root)
{
	struct elf_read debug;
	int fd;

	if (!read_table(s, elf, elf, SHT_SYMTAB)) {
		fd = elf_debug_file(elf, path, root);
		if (fd >= 0 && elf_read_open(&debug, fd)) {
			read_table(s, elf, &debug, SHT_SYMTAB);
			elf_read_close(&debug);
		}
		if (fd >= 0)
			close(fd);
	}
	if (!s->n)
		read_table(s, elf, elf, SHT_DYNSYM);
	read_plt(s, elf);
}

struct elf_symbols *elf_symbols_open(int fd, const char *path, const char *root, u8 *build_id,
				     u16 *build_id_size)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));
	struct elf_read elf;

	*build_id_size = 0;
	memset(build_id, 0, BUILD_ID_MAX);
	if (s && elf_read_open(&elf, fd)) {
		*build_id_size = elf_build_id(&elf, build_id);
		read_all(s, &elf, path, root ? root : "");
	}
	if (s)
		elf_read_close(&elf);
	if (!s || !s->n) {
		elf_symbols_free(s);
		return NULL;
	}
	qsort(s->list, s->n, sizeof(*s->list), by_offset);
	return s;
}

/* Index behind the last function that begins at or before the offset. */
static size_t behind(const struct elf_symbols *s, u64 offset)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->list[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const char *elf_symbols_find(const struct elf_symbols *s, u64 offset, u64 *distance)
{
	size_t i = behind(s, offset), looked = 0;
	u64 nearest = i ? s->list[i - 1].offset : 0;
	const struct function *best = NULL;

	/* the nearest start that reaches this far; at one start the best name comes first */
	for (; i-- > 0 && looked < ENCLOSING; looked++) {
		const struct function *f = &s->list[i];

		if (best && f->offset != best->offset)
			break;
		if (offset - f->offset < f->size && (!f->unsized || f->offset == nearest))
			best = f;
	}
	if (!best)
		return NULL;
	if (distance)
		*distance = offset - best->offset;
	return s->strings + best->name;
}

u64 elf_symbols_offset(const struct elf_symbols *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->strings + s->list[i].name, name))
			return s->list[i].offset;
	return 0;
}

void elf_symbols_free(struct elf_symbols *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->strings);
	free(s);
}
