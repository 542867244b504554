// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpurec: record what CUDA and the kernel do for a command, or for processes, into one file. */
#include "options.h"
#include "record/record.h"
#include "sets/sets.h"

static const struct record_set sets[] = {
	{ &set_follow }, { &set_stack, 1, &set_stack5 }, { &set_sched }, { &set_fault },
	{ &set_ioctl }, { &set_block }, { &set_uvm }, { &set_xid }, {}
};

static const struct enum_name graph_words[] = { { 0, "launch" }, { 1, "node" }, {} };
static const struct enum_name api_words[] = { { 0, "outer" }, { 1, "nested" }, {} };

#define RING_MIN 4096			/* a page, as rings are */
#define RING_MAX (1 << 30)
#define ROW(member, key, name, arg, type, help)					\
	OPT_SET(struct record_settings, member, key, name, arg, type, help)
#define ROW_WORD(member, name, words, help)					\
	OPT_SET_WORD(struct record_settings, member, 0, name, "KIND", OPT_WORD, words, help)
#define ROW_RING(member, name, help)						\
	OPT_SET_RANGE(struct record_settings, member, 0, name, "BYTES", OPT_POWER2,	\
		      RING_MIN, RING_MAX, help)

static const struct option_row options[] = {
	ROW(output, 'o', "output", "FILE", OPT_STRING,
	    "where to record (default gpuscope.gst; an old one becomes\nFILE.old)"),
	OPT_SET_LIST(struct record_settings, pids, pid_count, RECORD_PIDS_MAX, 'p', "pid",
		     "PID[,...]", "processes that run already, and their children,\ninstead of a command"),
	ROW(cgroup, 0, "cgroup", "PATH", OPT_STRING,
	    "the processes in this cgroup (version 2) and below,\nnow and later"),
	ROW(duration_ns, 'd', "duration", "TIME", OPT_DURATION_NS,
	    "end the recording after TIME (10s, 500ms)"),
	ROW_WORD(node_graphs, "graph", graph_words,
		 "launch: one record a CUDA graph launch (default);\nnode: its kernels"),
	ROW_WORD(nested_api, "api", api_words,
		 "outer: calls the program makes (default);\nnested: also those inside"),
	ROW(no_stacks, 0, "no-stacks", NULL, OPT_SWITCH, "no CPU stacks of CUDA calls"),
	ROW(probes, 0, "probes", "LIST", OPT_STRING,
	    "only these probe sets: names with commas, list to see\nthem, or none"),
	ROW_RING(ring_bytes, "ring", "size of the kernel's ring (default 8M)"),
	ROW_RING(buffer_bytes, "buffer",
		 "size of each thread's ring in the program (default 512K)"),
	ROW(sync, 0, "sync", NULL, OPT_SWITCH,
	    "also wait for the disk, a second behind at most: the file\nsurvives a crash of the machine"),
	ROW(fail_on_loss, 0, "fail-on-loss", NULL, OPT_SWITCH, "exit 3 when records were lost"),
	ROW(cost, 0, "cost", NULL, OPT_SWITCH, "say what the recording cost"),
	ROW(verbose, 'v', "verbose", NULL, OPT_VERBOSE,
	    "say what is attached and why it is not"),
	{}
};

static struct record_settings settings;
static char **command;

static const struct program gpurec = {
	.name = "gpurec",
	.about = "record the CUDA work of a command or of processes, and their life in the kernel",
	.usage = "[OPTION...] [--] CMD [ARG...]\n       gpurec [OPTION...] -p PID[,PID...]\n"
		 "       gpurec [OPTION...] --cgroup PATH",
	.notes = "Processes that the command starts are recorded too. The exit code is the command's own;\n"
		 "125: gpurec failed, 126: the command cannot be executed, 127: there is none.\n",
	.examples = "  gpurec ./app --size 4096             record into gpuscope.gst\n"
		    "  gpurec -o run.gst -- python3 train.py\n"
		    "  gpurec -p 4711 -d 10s                ten seconds of a process that runs already\n"
		    "  gpurec --probes sched,ioctl ./app    fewer probes\n"
		    "  gpureport -i gpuscope.gst            what took the time?\n",
	.groups = { { options, &settings } },
	.command = &command,
};

int main(int argc, char **argv)
{
	int code = program_options(&gpurec, argc, argv);

	return code >= 0 ? code : record_command(&settings, sets, command);
}
