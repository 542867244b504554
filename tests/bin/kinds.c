// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A tool with a row of every type of probe, and the program they fire in, which
 * says what the tool must see:
 *
 *   kinds --lib FILE [OPTION...]    the tool; FILE: this program
 *   kinds work                      waits for a line, works, prints "pid N", "uprobe 23", ...
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "tool.h"
#include "usdt.h"
#include "../bpf/kinds.h"
#include "test/kinds.skel.h"

#define CALLS 23
#define SITES 17
#define SYSCALLS 13
#define FORKS 7
#define SIGNALS 5
#define HERTZ 199
#define BURN_NS 600000000ULL
#define SELF "libkinds.so"		/* --lib says where that is */

TOOL_SKEL(kinds_bpf);

/* ---- the program ---- */

__attribute__((noinline)) u64 kinds_called(u64 n)
{
	__asm__ volatile("" : "+r"(n));
	return n * n;
}

static int work(void)
{
	u64 sum = 0, begin;

	if (getchar() == EOF)
		return 1;
	for (u64 i = 0; i < CALLS; i++)
		sum += kinds_called(i);
	for (u32 i = 0; i < SITES; i++)
		usdt_api_enter(100 + i, 1, 2, 3, 4);
	for (int i = 0; i < SYSCALLS; i++)
		syscall(SYS_getpgid, 0);
	for (int i = 0; i < FORKS; i++) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	signal(SIGUSR1, SIG_IGN);
	for (int i = 0; i < SIGNALS; i++)
		kill(getpid(), SIGUSR1);
	begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < BURN_NS)
		;
	printf("pid %d\nuprobe %d\nuretprobe %d\nusdt %d\ntracepoint %d\nraw_tracepoint %d\n"
	       "btf_tracepoint %d\nperf_event %llu\nsum %llu\n", getpid(), CALLS, CALLS, SITES,
		       SYSCALLS,
	       FORKS, SIGNALS, clock_ns(CLOCK_PROCESS_CPUTIME_ID) * HERTZ / 1000000000, sum);
	return 0;
}

/* ---- the tool ---- */

static const struct probe_row probes[] = {
	UPROBE(kinds_bpf, on_uprobe, SELF, "kinds_called"),
	URETPROBE(kinds_bpf, on_uretprobe, SELF, "kinds_called"),
	UPROBE_OPT(kinds_bpf, on_uprobe, SELF, "kinds_is_nowhere"),
	USDT(kinds_bpf, on_usdt, SELF, "gpuscope:api_enter"),
	TRACEPOINT(kinds_bpf, on_tracepoint, "syscalls", "sys_enter_getpgid"),
	RAW_TRACEPOINT(kinds_bpf, on_raw_tracepoint, "sched_process_fork"),
	BTF_TRACEPOINT(kinds_bpf, on_btf_tracepoint, "signal_generate"),
	PERF_EVENT(kinds_bpf, on_perf_event, PERF_COUNT_SW_CPU_CLOCK, HERTZ),
	{}
};

static const struct option_row options[] = {
	OPT_CONST_SIGNED(kinds_bpf, add, 'a', "add", "N", "to every value"),
	OPT_CONST_LIST(kinds_bpf, only, only_count, 4, 0, "only", "LIST", "only these kinds"),
	{}
};

static const struct enum_name whats[] = {	/* HIT_PERF has none: it is shown as a number */
	{ HIT_UPROBE, "uprobe" }, { HIT_URETPROBE, "uretprobe" }, { HIT_USDT, "usdt" },
	{ HIT_TRACEPOINT, "tracepoint" }, { HIT_RAW, "raw_tracepoint" },
	{ HIT_BTF, "btf_tracepoint" }, {}
};

static const struct column columns[] = {
	COL_PID,
	COL(hit, what, "WHAT", -15, AS_ENUM, whats),
	COL(hit, value, "VALUE", 6, AS_SIGNED),
	COL(hit, slots, "SLOTS", 24, AS_HIST),
	COL(hit, stack, "STACK", -1, AS_STACK),
	{}
};

static const struct probe_set set = {
	.name = "kinds", .about = "test", .skel = &kinds_bpf_ops, .probes = probes,
};

int main(int argc, char **argv)
{
	static const struct tool kinds = {
		.name = "kinds", .about = "test of every type of probe row", .examples = "",
		.set = &set, .kind = EVENT_HIT, .options = options, .columns = columns,
	};

	return argc > 1 && !strcmp(argv[1], "work") ? work() : tool_main(&kinds, argc, argv);
}
