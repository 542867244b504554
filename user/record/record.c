// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recording from beginning to end: what is opened in which order, and what is said at its
 * end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "recorder.h"
#include "symbols.h"

#define EXIT_FAILED 125
#define EXIT_USAGE  2
#define EXIT_LOST   3
#define DEFAULT_PATH "gpuscope.gst"

bool seen_first(struct hash *seen, u64 id)
{
	if (hash_get(seen, id))
		return false;
	hash_put(seen, id, seen);
	return true;
}

/* ---- records ---- */

int record_put(struct recorder *r, const struct event *e)
{
	const struct lost *lost = (const struct lost *)e;

	if (e->kind == EVENT_LOST && lost->count == LOST_UNKNOWN)
		r->lost_unknown = true;
	else if (e->kind == EVENT_LOST)
		r->lost += lost->count;
	if (!r->file_error)
		r->file_error = trace_put(r->file, e);
	return r->file_error;
}

int record_put_text(struct recorder *r, struct event *e, size_t size, const char *text)
{
	static u64 room[(RECORD_MAX + 1) / 8];
	size_t n = strnlen(text, sizeof(room) - size - 8);

	memset((char *)room + size, 0, (n + 8) & ~7UL);
	e->size = size + ((n + 8) & ~7UL);
	memcpy(room, e, size);
	memcpy((char *)room + size, text, n);
	return record_put(r, (struct event *)room);
}

void record_note(struct recorder *r, u32 what, const char *fmt, ...)
{
	struct note_record n = {
		.e = { .ts = now_ns(), .kind = EVENT_NOTE, .cpu = CPU_UNKNOWN }, .what = what,
	};
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	record_put_text(r, &n.e, sizeof(n), text);
}

void record_lost(struct recorder *r, u32 where, u64 count)
{
	struct lost l = {
		.e = { .ts = now_ns(), .size = sizeof(l), .kind = EVENT_LOST,
		       .cpu = CPU_UNKNOWN },
		.count = count, .where = where,
	};

	record_put(r, &l.e);
}

/* The narrowest of five: we may be interrupted between the looks at the two clocks. */
void record_clock(struct recorder *r)
{
	struct clock_pair best = {
		.e = { .size = sizeof(best), .kind = EVENT_CLOCK, .cpu = CPU_UNKNOWN },
		.width_ns = ~0ULL,
	};

	for (int i = 0; i < 5; i++) {
		u64 before = now_ns(), real = clock_ns(CLOCK_REALTIME), after = now_ns();

		if (after - before >= best.width_ns)
			continue;
		best.width_ns = after - before;
		best.e.ts = before + (after - before) / 2;
		best.realtime_ns = real;
	}
	record_put(r, &best.e);
}

/* ---- beginning ---- */

static int settings_check(const struct record_settings *s, const struct record_set *sets)
{
	if (s->output && !strcmp(s->output, "-") && isatty(STDOUT_FILENO))
		return fail_usage("a recording is binary: it does not go to a terminal (-o FILE)");
	if (s->output && !strcmp(s->output, "-") && fcntl(STDOUT_FILENO, F_GETFD) < 0)
		return fail_usage("standard output is closed: nothing can be recorded there (-o FILE)");
	return sets_check(sets, s->probes);
}

bool to_stdout(const struct recorder *r)
{
	return !strcmp(r->path, "-");
}

/* As perf does: the recording before this one becomes FILE.old. */
static bool old_name(const char *path, char *old, size_t size)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) &&
	       snprintf(old, size, "%s.old", path) < (int)size;
}

static bool keep_old(const char *path)
{
	char old[4096];

	return old_name(path, old, sizeof(old)) && !rename(path, old);
}

/* Nothing ran: all is as it was. */
static void file_undo(const struct recorder *r)
{
	char old[4096];

	if (to_stdout(r) || !old_name(r->path, old, sizeof(old)))
		return;
	if (r->kept_old)
		rename(old, r->path);
	else
		unlink(r->path);
}

static int file_open(struct recorder *r)
{
	struct trace_info info;
	char tool[40];
	int err;

	snprintf(tool, sizeof(tool), "%s %s", program_invocation_short_name, GPUSCOPE_VERSION);
	trace_info_here(&info, tool);
	r->kept_old = keep_old(r->path);
	err = trace_create(&r->file, r->path, &info);
	if (err)
		return err;
	if (r->set->sync)
		trace_sync(r->file);
	record_clock(r);
	record_note(r, NOTE_SETTING, "graph=%s", r->set->node_graphs ? "node" : "launch");
	record_note(r, NOTE_SETTING, "api=%s", r->set->nested_api ? "nested" : "outer");
	return 0;
}

static int handover_begin(struct recorder *r)	/* for the libraries of traced processes */
{
	struct handover_settings set = {
		.wanted = WANT_API | WANT_KERNEL | WANT_COPY | WANT_SET | WANT_SYNC |
			  WANT_OVERHEAD | WANT_NVTX,
		.slot_bytes = r->set->buffer_bytes,
	};

	set.wanted |= r->set->node_graphs ? WANT_GRAPH_NODES : WANT_GRAPH_LAUNCH;
	set.wanted |= r->set->nested_api ? WANT_API_NESTED : 0;
	r->command.cuda = r->attaching || command_cuda();
	if (!r->command.cuda) {
		record_note(r, NOTE_MISSING, "CUDA: the library was not loaded");
		return 0;
	}
	return handover_open(&r->handover, &set, &deliver_handover, r);
}

/* Every file that is mapped somewhere is held open. */
static void raise_files(struct recorder *r)
{
	struct rlimit all;

	getrlimit(RLIMIT_NOFILE, &r->files_before);
	all = r->files_before;
	all.rlim_cur = all.rlim_max;
	setrlimit(RLIMIT_NOFILE, &all);
}

/* A stream that is closed stays so for the command; what we open must not get its number. */
static void streams_fill(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int recorder_begin(struct recorder *r, const struct record_set *sets, char **argv)
{
	int code;

	streams_fill();
	raise_files(r);
	code = r->attaching ? (attach_check(r) ? EXIT_FAILED : 0) : command_check(argv[0]);
	if (code)
		return code;
	if (file_open(r))	/* of a FIFO: may wait for its reader, and be interrupted */
		return EXIT_FAILED;
	signals_take(&r->signals_before);
	if (handover_begin(r) || sets_open(r, sets))
		return EXIT_FAILED;
	if (r->cgroup && !r->ring) {
		fail(0, "cannot find the processes of a cgroup: the kernel side is not recorded");
		return EXIT_FAILED;
	}
	if (r->attaching) {
		attach_adopt(r);
		attach_invite(r);
	}
	record_note(r, NOTE_SETTING, "stacks=%s", r->taking_stacks ? "frame-pointer" : "none");
	if (r->attaching)
		return 0;
	code = command_spawn(r, argv);
	return code ? code : command_release(r);
}

/* ---- end ---- */

static int recorder_end(struct recorder *r)
{
	u64 records, bytes;
	int err = r->file_error;

	if (!r->file)
		return 0;
	if (!err)
		err = trace_flush(r->file);
	records = trace_records(r->file);
	bytes = trace_bytes(r->file);
	if (trace_close(r->file) && !err)
		err = -EIO;
	r->file = NULL;
	r->file_error = -EBADF;	/* whatever still comes comes too late */
	if (!err)
		warn("%s: %llu records, %.1f MB, %llu lost%s",
		     to_stdout(r) ? "standard output" : r->path, records, bytes / 1e6, r->lost,
		     r->lost_unknown ? " and an unknown number" : "");
	return err;
}

static void recorder_free(struct recorder *r)
{
	handover_close(r->handover);
	sets_close(r);
	processes_free(&r->processes);
	objects_free(&r->objects);
	kernel_symbols_free(r->kernel);
	hash_free(&r->stacks);
	hash_free(&r->frames);
	hash_free(&r->peers);
	hash_free(&r->inner_ids);
	hash_free(&r->reasons);
	hash_free(&r->libraries);
	attach_free(r);
}

/* The command goes on when the recording had to end before it; a second signal ends us. */
static int wait_for_command(struct recorder *r, int stopped)
{
	struct command *c = &r->command;

	if (r->attaching)
		return 0;
	if (stopped == SIGINT || stopped == SIGQUIT)
		return 128 + stopped;	/* asked twice */
	signals_unblock(&r->signals_before);
	while (!c->exited && (waitpid(c->pid, &c->status, 0) == c->pid || errno != EINTR))
		c->exited = true;
	return command_code(c);
}

/* Nothing is left to undo when we wait: a signal may end us then. */
static int recorder_run(struct recorder *r)
{
	u64 begin = now_ns(), own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int stopped = loop_run(r), err, code;

	if (r->set->cost)
		record_cost(r, now_ns() - begin, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own);
	err = recorder_end(r);
	recorder_free(r);
	code = wait_for_command(r, stopped);
	if (err || stopped < 0)
		return EXIT_FAILED;
	return r->set->fail_on_loss && (r->lost || r->lost_unknown) ? EXIT_LOST : code;
}

static int what_check(const struct recorder *r, char **argv)
{
	bool command = argv && argv[0];

	if (command && r->attaching)
		return fail_usage("a command or processes that run already (-p, --cgroup), not both");
	if (!command && !r->attaching)
		return fail_usage("no command to record (-- CMD [ARG...], -p PID or --cgroup PATH)");
	return 0;
}

int record_command(const struct record_settings *settings, const struct record_set *sets,
		   char **argv)
{
	struct recorder r = {
		.set = settings, .path = settings->output ? settings->output : DEFAULT_PATH,
		.followed_fd = -1, .adopt_fd = -1,
		.attaching = settings->pid_count || settings->cgroup,
	};
	int code;

	if (settings->probes && !strcmp(settings->probes, "list"))
		return sets_list(sets) ? 1 : 0;
	if (settings_check(settings, sets))
		return EXIT_USAGE;
	if (what_check(&r, argv))
		return EXIT_USAGE;
	r.command.exited = r.attaching;
	code = recorder_begin(&r, sets, argv);
	if (!code)
		return recorder_run(&r);
	if (r.file)
		trace_close(r.file);
	if (r.file && code != EXIT_FAILED)
		file_undo(&r);
	recorder_free(&r);
	return code;
}
