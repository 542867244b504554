// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* gpurec: run a command and record what CUDA and the kernel do for it into one file. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "out.h"
#include "record/record.h"
#include "block.skel.h"
#include "fault.skel.h"
#include "follow.skel.h"
#include "ioctl.skel.h"
#include "sched.skel.h"
#include "stack.skel.h"

TOOL_SKEL(follow_bpf);
TOOL_SKEL(stack_bpf);
TOOL_SKEL(sched_bpf);
TOOL_SKEL(fault_bpf);
TOOL_SKEL(ioctl_bpf);
TOOL_SKEL(block_bpf);

/* Two names of one site: see bpf/handover.h. */
static const struct probe_row api_enter[] = {
	USDT(stack_bpf, api_enter, "libgpuscope-cuda.so", "gpuscope:api_enter"), {}
};
static const struct probe_row api_enter5[] = {
	USDT(stack_bpf, api_enter, "libgpuscope-cuda.so", "gpuscope:api_enter5"), {}
};

static const struct probe_set follow = {
	"follow", "processes and threads: fork, exec, exit, names (always on)", &follow_bpf_ops
};
static const struct probe_set stack = {
	"stack", "the CPU stack of each CUDA call", &stack_bpf_ops, api_enter
};
static const struct probe_set stack5 = {
	"stack", "the CPU stack of each CUDA call", &stack_bpf_ops, api_enter5
};
static const struct probe_set sched = {
	"sched", "when threads run, wait and are woken, and by whom", &sched_bpf_ops
};
static const struct probe_set fault = {
	"fault", "page faults in user mode, with address", &fault_bpf_ops
};
static const struct probe_set ioctl = {
	"ioctl", "ioctl calls on character devices other than terminals: the driver", &ioctl_bpf_ops
};
static const struct probe_set block = {
	"block", "block I/O, from issue to completion", &block_bpf_ops
};

static const struct record_set sets[] = {
	{ &follow }, { &stack, 1, &stack5 }, { &sched }, { &fault }, { &ioctl }, { &block }, {}
};

static const char help_text[] =
	"gpurec - run a command and record its CUDA work and its life in the kernel\n\n"
	"usage: gpurec [options] [--] CMD [ARG...]\n"
	"  -o, --output FILE    where to record (default gpuscope.gst; an old one becomes FILE.old)\n"
	"      --graph KIND     launch: one record a CUDA graph launch (default); node: its kernels\n"
	"      --api KIND       outer: calls the program makes (default); nested: also those inside\n"
	"      --no-stacks      no CPU stacks of CUDA calls\n"
	"      --probes LIST    only these probe sets: names with commas, list to see them, or none\n"
	"      --ring BYTES     size of the kernel's ring (default 8M)\n"
	"      --buffer BYTES   size of each thread's ring in the program (default 512K)\n"
	"      --fail-on-loss   exit 3 when records were lost\n"
	"      --cost           say what the recording cost\n"
	"  -v, --verbose        say what is attached and why it is not\n"
	"  -h, --help           this text\n"
	"      --version        version\n\n"
	"Processes that the command starts are recorded too. The exit code is the command's own;\n"
	"125: gpurec failed, 126: the command cannot be executed, 127: there is none.\n\n"
	"examples:\n"
	"  gpurec ./app --size 4096             record into gpuscope.gst\n"
	"  gpurec -o run.gst -- python3 train.py\n"
	"  gpurec --probes sched,ioctl ./app    fewer probes\n"
	"  gpureport -i gpuscope.gst            what took the time?\n";

enum { GRAPH = 256, API, NO_STACKS, PROBES, RING, BUFFER, FAIL_ON_LOSS, COST, VERSION };

static const struct option longs[] = {
	{ "output", 1, NULL, 'o' }, { "graph", 1, NULL, GRAPH }, { "api", 1, NULL, API },
	{ "no-stacks", 0, NULL, NO_STACKS }, { "probes", 1, NULL, PROBES },
	{ "ring", 1, NULL, RING }, { "buffer", 1, NULL, BUFFER },
	{ "fail-on-loss", 0, NULL, FAIL_ON_LOSS }, { "cost", 0, NULL, COST },
	{ "verbose", 0, NULL, 'v' }, { "help", 0, NULL, 'h' }, { "version", 0, NULL, VERSION }, {}
};

/* "4096", "64K", "8M": a power of two, at least a page, as rings are. */
static int ring_size(const char *option, const char *text, u64 *bytes)
{
	char *end;

	*bytes = strtoull(text, &end, 10);
	if (*end == 'K' || *end == 'M')
		*bytes <<= *end++ == 'K' ? 10 : 20;
	if (*end || *bytes < 4096 || *bytes > 1 << 30 || *bytes & (*bytes - 1))
		return fail_usage("--%s wants a power of two from 4096 to 1024M, not \"%s\"", option, text);
	return 0;
}

/* 0, 1 to leave with success, or a reported usage error. */
static int parse(int argc, char **argv, struct record_settings *s)
{
	int key, err = 0;

	/* "+": what follows the command's name is the command's */
	while (!err && (key = getopt_long(argc, argv, "+o:vh", longs, NULL)) != -1) {
		switch (key) {
		case 'o': s->output = optarg; break;
		case GRAPH: s->graph = optarg; break;
		case API: s->api = optarg; break;
		case NO_STACKS: s->no_stacks = 1; break;
		case PROBES: s->probes = optarg; break;
		case RING: err = ring_size("ring", optarg, &s->ring_bytes); break;
		case BUFFER: err = ring_size("buffer", optarg, &s->buffer_bytes); break;
		case FAIL_ON_LOSS: s->fail_on_loss = 1; break;
		case COST: s->cost = 1; break;
		case 'v': s->verbose = 1; break;
		case 'h': fputs(help_text, stdout); return 1;
		case VERSION: fputs("gpurec " GPUSCOPE_VERSION "\n", stdout); return 1;
		default: return -EINVAL;
		}
	}
	return err;
}

int main(int argc, char **argv)
{
	struct record_settings settings = {};
	int err;

	log_init("gpurec", false);
	err = parse(argc, argv, &settings);
	if (err)
		return err > 0 ? out_finish(stdout, "standard output") != 0 : 2;
	log_init("gpurec", settings.verbose);
	return record_command(&settings, sets, argv + optind);
}
