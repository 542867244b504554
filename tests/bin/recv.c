// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A small recorder for tests: runs a command under the injected library and
 * prints every record it gets as a line of text, then the counts.
 *   recv [-l LIBRARY] [-w WANTED] [-s SLOTS] [-b SLOT_BYTES] [-p PEERS] [-o FILE] [-q]
 *        [-x RECORDS] [-t RECORDS] [-r] [-z MS] -- COMMAND [ARG...]
 * -q counts only; -x dies after so many records; -t stops recording (wanted 0) after them;
 * -r refuses everybody; -z drains only every MS milliseconds. The records go to FILE (default
 * stdout).
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cuda.h"
#include "handover_recv.h"
#include "log.h"
#include "schema.h"

static struct {
	const char *library;
	struct handover_settings set;
	FILE *out;
	bool quiet, refuse;
	u64 die_after, stop_after, nap_ms;
} opt;

static u64 counts[EVENT_KIND_MAX], lost[16], total, fixups;
static u32 peers;
static char *names[200000];	/* of all producers, by id: enough for tests of one process */

static u64 value(const struct event *e, const struct field *f)
{
	u64 v = 0;

	memcpy(&v, (const u8 *)e + f->off, f->size < 8 ? f->size : 8);
	return v;
}

static void print_field(const struct event *e, const struct field *f)
{
	u32 v[3];

	if (f->as == AS_DIMS) {
		memcpy(v, (const u8 *)e + f->off, sizeof(v));
		fprintf(opt.out, " %s=%u,%u,%u", f->name, v[0], v[1], v[2]);
	} else if (f->as == AS_STR) {
		fprintf(opt.out, " %s=\"%.*s\"", f->name, f->size, (const char *)e + f->off);
	} else if (f->as == AS_NAME) {
		u64 id = value(e, f);

		fprintf(opt.out, " %s=\"%s\"", f->name,
			!id ? "" : id < 200000 && names[id] ? names[id] : "?");
	} else if (f->as == AS_SIGNED || f->as == AS_CURESULT || f->as == AS_ERRNO) {
		fprintf(opt.out, " %s=%d", f->name, (s32)value(e, f));
	} else if (f->as == AS_BYTES) {
		int i;

		fprintf(opt.out, " %s=", f->name);
		for (i = 0; i < f->size; i++)
			fprintf(opt.out, "%02x", ((const u8 *)e + f->off)[i]);
	} else {
		fprintf(opt.out, " %s=%" PRIu64, f->name, (uint64_t)value(e, f));
	}
}

static void print(const struct event *e)
{
	const struct record_type *type = record_type(e->kind);
	const struct field *f;

	fprintf(opt.out, "%s ts=%" PRIu64 " pid=%u tid=%u producer=%u", type->name,
		(uint64_t)e->ts, e->pid, e->tid, e->producer);
	for (f = type->fields; f->name; f++)
		print_field(e, f);
	if (type->tail == AS_TEXT)
		fprintf(opt.out, " text=\"%s\"", record_text(e, type->size));
	fputc('\n', opt.out);
}

static int record(void *ctx, const struct event *e)
{
	counts[e->kind]++;
	total++;
	if (e->kind == EVENT_NAME) {
		const struct name *n = (const void *)e;

		if (n->id < 200000 && !names[n->id])
			names[n->id] = strdup(record_text(e, sizeof(*n)));
	}
	if (e->kind == EVENT_LOST) {
		const struct lost *l = (const void *)e;

		lost[l->where & 15] = l->count == LOST_UNKNOWN ? l->count :
			lost[l->where & 15] + l->count;
	}
	if (!opt.quiet)
		print(e);
	if (opt.die_after && total >= opt.die_after) {
		fflush(opt.out);
		kill(getpid(), SIGKILL);
	}
	return 0;
}

static void peer(void *ctx, const struct handover_peer *p)
{
	fprintf(opt.out,
		"peer pid=%u producer=%u simulated=%d gone=%d state=%u status=%d version=%u\n",
		p->pid, p->producer, p->simulated, p->gone, p->state, p->cupti_status,
		p->cupti_version);
	fixups += p->gone ? p->clock_fixups : 0;
	peers += p->gone ? -1 : !p->state && !p->gone;
}

static bool accept_pid(void *ctx, u32 pid)
{
	return !opt.refuse;
}

static pid_t command_start(struct handover *h, char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setenv(HANDOVER_SOCKET_ENV, handover_socket_path(h), 1);
	if (opt.library) {
		setenv("CUDA_INJECTION64_PATH", opt.library, 1);
		setenv("NVTX_INJECTION64_PATH", opt.library, 1);
	}
	execvp(argv[0], argv);
	_exit(127);
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static int serve(struct handover *h, pid_t pid)
{
	u64 until = 0, next = 0;
	int status = 0;
	bool ended = false, stopped = false;

	while (!until || (peers && now_ms() < until)) {
		struct pollfd p = { handover_fd(h), POLLIN, 0 };

		poll(&p, 1, 20);
		if (opt.nap_ms && now_ms() < next && !ended)
			usleep((next - now_ms()) * 1000);
		next = now_ms() + opt.nap_ms;
		handover_poll(h);
		handover_losses(h);
		if (opt.stop_after && total >= opt.stop_after && !stopped) {
			handover_stop(h);
			stopped = true;
			fprintf(opt.out, "stopped\n");
		}
		if (!ended && waitpid(pid, &status, WNOHANG) == pid) {
			ended = true;
			until = now_ms() + 3000;
		}
	}
	handover_poll(h);
	handover_losses(h);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void summary(struct handover *h, int rc)
{
	static const char *const where[16] = {
		[LOST_SLOT_RING] = "slot_ring", [LOST_NO_SLOT] = "no_slot",
		[LOST_CUPTI] = "cupti", [LOST_UNFINISHED] = "unfinished",
		[LOST_HOSTILE] = "hostile", [LOST_CLOCK] = "clock",
	};
	int i;

	for (i = 0; i < EVENT_KIND_MAX; i++)
		if (counts[i])
			fprintf(opt.out, "count %s %" PRIu64 "\n", record_type(i)->name,
				(uint64_t)counts[i]);
	for (i = 0; i < 16; i++)
		if (lost[i] == LOST_UNKNOWN)
			fprintf(opt.out, "lost %s unknown\n", where[i]);
		else if (lost[i])
			fprintf(opt.out, "lost %s %" PRIu64 "\n", where[i] ? where[i] : "?",
				(uint64_t)lost[i]);
	if (fixups)
		fprintf(opt.out, "clock_fixups %" PRIu64 "\n", (uint64_t)fixups);
	fprintf(opt.out, "refused %" PRIu64 "\npeers_left %u\nexit %d\n",
		(uint64_t)handover_refused(h), peers, rc);
	fflush(opt.out);
}

int main(int argc, char **argv)
{
	static const struct handover_ops ops = { accept_pid, record, peer };
	struct handover *h;
	int c, rc;
	pid_t pid;

	log_init("recv", false);
	opt.out = stdout;
	while ((c = getopt(argc, argv, "+l:w:s:b:p:o:qx:t:rz:")) != -1) {
		switch (c) {
		case 'l': opt.library = optarg; break;
		case 'w': opt.set.wanted = strtoul(optarg, NULL, 0); break;
		case 's': opt.set.slots = atoi(optarg); break;
		case 'b': opt.set.slot_bytes = atoi(optarg); break;
		case 'p': opt.set.peers = atoi(optarg); break;
		case 'o': opt.out = fopen(optarg, "we"); break;
		case 'q': opt.quiet = true; break;
		case 'x': opt.die_after = atoi(optarg); break;
		case 't': opt.stop_after = atoi(optarg); break;
		case 'r': opt.refuse = true; break;
		case 'z': opt.nap_ms = atoi(optarg); break;
		default: return 2;
		}
	}
	if (!argv[optind] || !opt.out || handover_open(&h, &opt.set, &ops, NULL))
		return 2;
	pid = command_start(h, argv + optind);
	rc = serve(h, pid);
	summary(h, rc);
	handover_close(h);
	return rc;
}
