// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * exercise: makes the software GPUs fault under the real nvidia-uvm.ko by a
 * script, and prints the truth of it, a line for each thing that happened.
 *
 * usage: exercise [-q] [-e] [-s] [-T] [-p PROCESSES] [-c CHANNELS] STEP [; STEP]...
 *        exercise [options] -f FILE      (- is standard input)
 *
 *   -q  no line for each fault, only for each step
 *   -e  a line for each event of the driver's tools queue
 *   -s  after each step, what the driver's statistics say of all processes
 *   -T  no tools queue: the driver runs without a listener
 *
 * Steps are taken in order by all processes at once, each on its own memory, and
 * a step ends for all before the next begins. "@2 STEP" is for process 2 alone;
 * a step that ends in "&" lets the next one begin. See steps.c for the words.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "exercise.h"

#define STEPS		4096
#define PROCESSES	16

static char *steps[STEPS];
static unsigned int step_count;
static unsigned int processes = 1, channels = 2;
static int quiet, each, no_tools, stats;
static pthread_barrier_t *barrier;

static void add_step(char *text)
{
	text += strspn(text, " \t\n");
	text[strcspn(text, "\n#")] = 0;
	if (!*text)
		return;
	if (step_count == STEPS)
		die("more than %u steps", STEPS);
	steps[step_count++] = text;
}

static void read_file(const char *name)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "re") : stdin;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		die("cannot open %s: %s", name, strerror(errno));
	while (getline(&line, &size, f) >= 0)
		add_step(strdup(line));
	free(line);
}

/* Words of the command line, split at ";" and at ends of lines. */
static void read_words(int n, char **words)
{
	char *all = strdup(""), *part, *next;
	int i;

	for (i = 0; i < n; i++) {
		char *longer;

		if (asprintf(&longer, "%s %s", all, words[i]) < 0)
			die("out of memory");
		free(all);
		all = longer;
	}
	for (next = all; (part = strsep(&next, ";\n"));)
		add_step(part);
}

static void read_options(int argc, char **argv)
{
	const char *file = NULL;
	int c;

	while ((c = getopt(argc, argv, "+qeTsp:c:f:")) != -1)
		switch (c) {
		case 'q': quiet = 1; break;
		case 'e': each = 1; break;
		case 'T': no_tools = 1; break;
		case 's': stats = 1; break;
		case 'p': processes = atoi(optarg); break;
		case 'c': channels = atoi(optarg); break;
		case 'f': file = optarg; break;
		default: die("unknown option (see the head of tests/vm/exercise/exercise.c)");
		}
	if (file)
		read_file(file);
	else
		read_words(argc - optind, argv + optind);
	if (!step_count || !processes || processes > PROCESSES || !channels)
		die("nothing to do (see the head of tests/vm/exercise/exercise.c)");
}

static void describe(struct process *p)
{
	struct fakerm_info info;
	unsigned int i;

	truth("process number=%u gpus=%u channels=%u client=%u", p->number, p->gpu.gpus,
	      p->gpu.channels, p->gpu.client);
	for (i = 0; i < p->gpu.gpus; i++) {
		if (softgpu_info(&p->gpu, i, &info))
			die("%s", softgpu_error());
		truth("gpu gpu=%s pci=%04x:%02x:%02x.%u vid_bytes=%llu vid_free=%llu", place_name(i),
		      info.domain, info.pci >> 8, (info.pci >> 3) & 31, info.pci & 7,
		      (unsigned long long)info.vid_bytes, (unsigned long long)info.vid_free);
	}
}

static int split(char *text, char **words)
{
	int n = 0;
	char *word;

	while (n < WORDS && (word = strsep(&text, " \t")))
		if (*word)
			words[n++] = word;
	return n;
}

static void run_step(struct process *p, unsigned int i)
{
	char *words[WORDS], *text = strdup(steps[i]), *word = text;
	uint64_t begin;
	int n, go_on;

	truth_step = i + 1;
	n = split(text, words);
	go_on = !strcmp(words[n - 1], "&");
	n -= go_on;
	word = words[0];
	if (word[0] != '@' || (unsigned int)atoi(word + 1) == p->number) {
		n -= word[0] == '@';
		begin = now_ns();
		truth("begin ns=%llu text=\"%s\"", (unsigned long long)begin, steps[i]);
		if (p->tools)
			tools_begin(p->tools);
		step(p, n, words + (word[0] == '@'));
		if (p->tools)
			tools_end(p->tools, &p->gpu, p->each);
		truth("end ns=%llu", (unsigned long long)now_ns());
	}
	free(text);
	if (go_on)
		return;
	pthread_barrier_wait(barrier);
	if (stats && p->number == 1)
		stats_print(&p->gpu);
	if (stats)
		pthread_barrier_wait(barrier);
}

static void run_process(unsigned int number)
{
	struct process p = { .number = number, .quiet = quiet, .each = each, .random = number };
	unsigned int i;

	if (softgpu_open(&p.gpu, channels))
		die("%s", softgpu_error());
	if (!no_tools)
		p.tools = tools_open(&p.gpu);
	describe(&p);
	pthread_barrier_wait(barrier);
	if (stats && number == 1)
		stats_print(&p.gpu);
	pthread_barrier_wait(barrier);
	for (i = 0; i < step_count; i++)
		run_step(&p, i);
	softgpu_close(&p.gpu);
}

/* One that fails would leave the others at the barrier: they end with it. */
static int wait_all(const pid_t *pids)
{
	unsigned int left = processes, i;
	int status, bad = 0;
	pid_t pid;

	for (; left; left--) {
		pid = wait(&status);
		if (pid < 0)
			return 1;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		if (!bad && WIFSIGNALED(status))
			fprintf(stderr, "exercise: process %d: %s\n", pid,
				strsignal(WTERMSIG(status)));
		for (i = 0; !bad && i < processes; i++)
			if (pids[i] != pid)
				kill(pids[i], SIGKILL);
		bad = 1;
	}
	return bad;
}

int main(int argc, char **argv)
{
	pthread_barrierattr_t attr;
	pid_t pids[PROCESSES];
	unsigned int i;

	read_options(argc, argv);
	barrier = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &attr, processes);
	for (i = 0; i < processes; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("cannot fork: %s", strerror(errno));
		if (!pids[i]) {
			run_process(i + 1);
			return 0;
		}
	}
	return wait_all(pids);
}
