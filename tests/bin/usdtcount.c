// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches a counting program to one USDT note of a file, runs a command and
 * prints how often it hit, and the sum of the first argument as the note says
 * where to find it: usdtcount FILE NAME COMMAND [ARG...]
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "types.h"

struct site { u64 addr, base_moved, offset; char args[128]; };

static u64 file_offset(Elf *elf, u64 addr)
{
	size_t i, n;
	GElf_Phdr p;

	elf_getphdrnum(elf, &n);
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD && addr >= p.p_vaddr &&
		    addr < p.p_vaddr + p.p_filesz)
			return addr - p.p_vaddr + p.p_offset;
	return 0;
}

/* The note's text: provider, name, arguments, each NUL-terminated, behind three addresses. */
static bool note_match(const char *desc, const char *name, struct site *s)
{
	const char *provider = desc + 24, *n = provider + strlen(provider) + 1;

	if (strcmp(provider, "gpuscope") || strcmp(n, name))
		return false;
	memcpy(&s->addr, desc, 8);
	memcpy(&s->base_moved, desc + 8, 8);
	snprintf(s->args, sizeof(s->args), "%s", n + strlen(n) + 1);
	return true;
}

static int notes_read(Elf *elf, const char *name, struct site *s)
{
	size_t strings, at, name_at, desc_at;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Nhdr note;
	u64 base = 0;
	int found = 0;

	elf_getshdrstrndx(elf, &strings);
	while ((scn = elf_nextscn(elf, scn))) {
		const char *section = gelf_getshdr(scn, &sh) ?
			elf_strptr(elf, strings, sh.sh_name) : "";
		Elf_Data *data = elf_getdata(scn, NULL);

		if (!strcmp(section, ".stapsdt.base"))
			base = sh.sh_addr;
		if (strcmp(section, ".note.stapsdt"))
			continue;
		for (at = 0; (at = gelf_getnote(data, at, &note, &name_at, &desc_at)); )
			found += note_match((char *)data->d_buf + desc_at, name, s);
	}
	s->addr += base - s->base_moved;
	s->offset = file_offset(elf, s->addr);
	return found;
}

/* Where pt_regs keeps the register of "4@%ecx" or "4@x0"; -1 unknown. */
static int register_offset(const char *args)
{
#if defined(__x86_64__)
	static const char *const names[] = { "r15d", "r14d", "r13d", "r12d", "ebp", "ebx",
					     "r11d",
		"r10d", "r9d", "r8d", "eax", "ecx", "edx", "esi", "edi" };
	char name[8] = "";
	int i;

	sscanf(args, "4@%%%7[a-z0-9]", name);
	for (i = 0; i < 15; i++)
		if (!strcmp(name, names[i]))
			return i * 8;
#else
	int i;

	if (sscanf(args, "4@x%d", &i) == 1)
		return i * 8;
#endif
	return -1;
}

static int program(int map, int offset)
{
	struct bpf_insn insns[] = {
		{ .code = 0x18, .dst_reg = 7, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map }, {},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = 7, .src_reg = 2,
		  .imm = BPF_ADD },
		{ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = 2, .src_reg = 1,
		  .off = offset },
		{ .code = BPF_ALU64 | BPF_LSH | BPF_K, .dst_reg = 2, .imm = 32 },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = 2, .imm = 32 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = 7, .src_reg = 2, .off = 8,
		  .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "usdtcount", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), NULL);
}

static int attach(const char *file, u64 offset, int prog)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .config1 = (unsigned long)file,
					.config2 = offset };
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int fd;

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		return -1;
	fclose(f);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	u64 counts[2] = {};
	struct site site = {};
	int fd, map, prog, status = 0, key = 0;
	Elf *elf;
	pid_t pid;

	elf_version(EV_CURRENT);
	fd = argc > 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || notes_read(elf, argv[2], &site) != 1 || !site.offset)
		return fprintf(stderr, "usdtcount: not exactly one note %s in %s\n", argv[2],
			       argv[1]), 3;
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "counts", 4, sizeof(counts), 1, NULL);
	prog = program(map, register_offset(site.args));
	if (prog < 0 || attach(argv[1], site.offset, prog) < 0)
		return fprintf(stderr, "usdtcount: cannot attach: %s\n", strerror(errno)), 4;
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	bpf_map_lookup_elem(map, &key, counts);
	printf("hits %llu\nsum %llu\n", counts[0], counts[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
