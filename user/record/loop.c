// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one loop: the kernel's ring, the library's rings, signals and a timer.
 * Whatever wakes it, it drains everything. The kernel's ring wakes it for new
 * processes and stacks and when it fills, the library's rings by a timer of
 * their own (handover_fd).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "recorder.h"

#define DRAIN_NS  100000000	/* what is in the ring and woke nobody */
#define SECOND_NS 1000000000ULL
/* for the libraries to hand over what CUPTI still holds */
#define FLUSH_NS  (10 * SECOND_NS)

struct loop {
	struct recorder *r;
	int epoll, signals, timer;
	u64 next_second, next_look;
	u64 end;		/* of the time that was asked for, 0 none */
	int interrupts;		/* SIGINT, SIGQUIT so far */
	int stop;		/* the signal by which the user ended the recording */
	bool progress;
};

static int watch(struct loop *l, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev))
		return fail(errno, "cannot wait for events");
	return 0;
}

static int loop_open(struct loop *l)
{
	struct itimerspec every = { { 0, DRAIN_NS }, { 0, DRAIN_NS } };
	sigset_t set;
	int err;

	signals_wanted(&set);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	err = watch(l, l->signals);
	if (!err)
		err = watch(l, l->timer);
	if (!err && l->r->ring)
		err = watch(l, ring_buffer__epoll_fd(l->r->ring));
	if (!err && l->r->handover)
		err = watch(l, handover_fd(l->r->handover));
	if (!err && timerfd_settime(l->timer, 0, &every, NULL))
		err = fail(errno, "cannot set a timer");
	return err;
}

static void loop_close(struct loop *l)
{
	close(l->timer);
	close(l->signals);
	close(l->epoll);
}

/* ---- ten times a second, and once ---- */

static void every_tenth(struct loop *l)
{
	u64 now = now_ns();

	if (now < l->next_look)
		return;
	l->next_look = now + SECOND_NS / 10;
	if (l->r->attaching)
		attach_invite(l->r);
	unrecorded_look(l->r);
	sets_look(l->r);
}

static void progress(struct loop *l)
{
	if (l->progress)
		fprintf(stderr, "\r%llu records, %.1f MB, %llu lost\033[K",
			trace_records(l->r->file), trace_bytes(l->r->file) / 1e6, l->r->lost);
}

static void every_second(struct loop *l)
{
	struct recorder *r = l->r;
	u64 now = now_ns();

	if (now < l->next_second)
		return;
	l->next_second = now + SECOND_NS;
	record_clock(r);
	sets_losses(r);
	sets_sums(r);
	if (r->handover)
		handover_losses(r->handover);
	if (!r->file_error)
		r->file_error = trace_flush(r->file);
	progress(l);
}

/* ---- signals ---- */

static void command_ended(struct command *c)
{
	if (!c->exited && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->exited = true;
}

/* A terminal sends Ctrl-C to the command as well; kill(1) sends it to us alone. Without a
 * command it is meant for us. */
static void interrupt(struct loop *l, const struct signalfd_siginfo *s)
{
	if (s->ssi_code > 0 && signal_ignored(s->ssi_signo))
		return;
	if (s->ssi_code <= 0 && !l->r->command.exited)
		kill(l->r->command.pid, s->ssi_signo);
	if (++l->interrupts > 1 || l->r->attaching)
		l->stop = s->ssi_signo;
}

static void take_signals(struct loop *l)
{
	struct command *c = &l->r->command;
	struct signalfd_siginfo s;

	while (read(l->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo == SIGCHLD) {
			command_ended(c);
		} else if (s.ssi_signo == SIGINT || s.ssi_signo == SIGQUIT) {
			interrupt(l, &s);
		} else {
			if (!c->exited)
				kill(c->pid, s.ssi_signo);
			if (s.ssi_signo == SIGTERM || s.ssi_signo == SIGHUP)
				l->stop = s.ssi_signo;
		}
	}
}

/* ---- the loop ---- */

static int loop_drain(struct loop *l)
{
	struct recorder *r = l->r;
	int err = 0;

	if (r->ring)
		err = ring_buffer__consume(r->ring);
	if (r->handover)
		handover_poll(r->handover);
	return err < 0 ? err : 0;
}

/* The timer wakes us ten times a second; the end may be sooner. */
static int turn_ms(const struct loop *l)
{
	u64 now = now_ns();

	if (!l->end || l->end > now + SECOND_NS)
		return 1000;
	return l->end < now ? 0 : (l->end - now) / 1000000 + 1;
}

static void loop_turn(struct loop *l)
{
	struct epoll_event ev[8];
	u64 ticks;
	int n = epoll_wait(l->epoll, ev, 8, turn_ms(l));

	for (int i = 0; i < n; i++)
		if (ev[i].data.fd == l->timer && read(l->timer, &ticks, sizeof(ticks)) < 0)
			continue;
	take_signals(l);
	loop_drain(l);
	every_tenth(l);
	every_second(l);
}

/* What the libraries still hold comes when they are told to stop. Probes are taken off after
 * that: it takes long enough for a busy program's rings to run over unread. */
static void loop_finish(struct loop *l)
{
	struct recorder *r = l->r;
	u64 end = now_ns() + FLUSH_NS;

	if (r->handover)
		handover_stop(r->handover);
	while (r->handover && handover_busy(r->handover) && now_ns() < end &&
	       l->interrupts < 2 && !r->file_error)
		loop_turn(l);
	if (r->handover && handover_busy(r->handover)) {
		warn("a process did not hand over all that it had: its last records are missing");
		record_lost(r, LOST_UNFINISHED, LOST_UNKNOWN);
	}
	sets_detach(r);
	loop_drain(l);
	sets_sums(r);
	sets_losses(r);
	if (r->handover)
		handover_losses(r->handover);
	record_clock(r);
	if (l->progress)
		fputs("\r\033[K", stderr);
}

static u32 still_followed(const struct recorder *r)
{
	u32 key, next, n = 0;
	bool more = r->ring && !bpf_map_get_next_key(r->followed_fd, NULL, &key);

	for (; more; n++, key = next)
		more = !bpf_map_get_next_key(r->followed_fd, &key, &next);
	return n;
}

/* Without a command command.exited is true from the beginning: nobody is waited for. */
static bool loop_over(const struct loop *l)
{
	const struct recorder *r = l->r;

	return l->stop || r->file_error || (l->end && now_ns() >= l->end) ||
		(r->attaching ? attach_ended(r) : r->command.exited);
}

int loop_run(struct recorder *r)
{
	struct loop l = { .r = r, .next_second = now_ns() + SECOND_NS,
			  .progress = isatty(STDERR_FILENO) };
	u32 left;
	int err = loop_open(&l);

	if (r->set->duration_ns)
		l.end = now_ns() + r->set->duration_ns;
	while (!err && !loop_over(&l))
		loop_turn(&l);
	left = still_followed(r);
	if (!err)
		loop_finish(&l);
	if (left && r->command.exited && !r->attaching)
		warn("%u process%s of the command still run%s; the recording ends with the command",
		     left, left > 1 ? "es" : "", left > 1 ? "" : "s");
	loop_close(&l);
	return err ? err : l.stop;
}
