// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Signals while the recorder runs. The command gets them as the recorder got
 * them. SIGCHLD by default: ignored, as some callers leave it, it would hide the
 * command's end. A reader that went away and a limit of file size are errors
 * of write(2), not our end.
 */
#include <signal.h>
#include "recorder.h"

#define OURS (sizeof(((struct signals *)0)->action) / sizeof(struct sigaction))

static const int ours[OURS] = { SIGCHLD, SIGPIPE, SIGXFSZ };

bool signal_ignored(int signal)
{
	struct sigaction now;

	return !sigaction(signal, NULL, &now) && now.sa_handler == SIG_IGN;
}

void signals_wanted(sigset_t *set)
{
	static const int wanted[] = { SIGINT, SIGQUIT, SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2 };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(set, wanted[i]);
	if (!signal_ignored(SIGHUP))	/* nohup */
		sigaddset(set, SIGHUP);
}

void signals_take(struct signals *before)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	for (size_t i = 0; i < OURS; i++) {
		action.sa_handler = ours[i] == SIGCHLD ? SIG_DFL : SIG_IGN;
		sigaction(ours[i], &action, &before->action[i]);
	}
	signals_wanted(&set);
	sigprocmask(SIG_BLOCK, &set, &before->mask);
}

void signals_unblock(const struct signals *before)
{
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

void signals_restore(const struct signals *before)
{
	for (size_t i = 0; i < OURS; i++)
		sigaction(ours[i], &before->action[i], NULL);
	signals_unblock(before);
}
