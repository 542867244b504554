// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The command that is recorded. It waits in a pipe until every probe is in
 * place, adopts itself into the map of followed processes, and executes. Its
 * standard streams, signal mask and limits are those the recorder was given.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "recorder.h"

#define NVTX_ENV "NVTX_INJECTION64_PATH"

enum { FAILED_TO_ADOPT = 1, FAILED_TO_EXECUTE = 2 };
struct failure { int what, err; };

/* ---- our library ---- */

static bool is_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];
	bool elf = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		   !memcmp(magic, "\177ELF", sizeof(magic));

	if (fd >= 0)
		close(fd);
	return elf;
}

static bool library_look(char *found)
{
	static const char *const places[] = {
		"../lib/libgpuscope-cuda.so", "../lib/gpuscope/libgpuscope-cuda.so",
	};
	const char *given = getenv("GPUSCOPE_CUDA_LIB");
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (given)
		return realpath(given, found) && is_elf(found);
	self[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(self, '/') - self), self,
			 places[i]);
		if (realpath(path, found))
			return true;
	}
	return false;
}

const char *command_library(void)
{
	static char path[PATH_MAX];
	static bool looked, found;

	if (!looked)
		found = library_look(path);
	looked = true;
	return found ? path : NULL;
}

/* ---- can it be run? As env(1) answers: 127 there is none, 126 it cannot be executed ---- */

static int file_check(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ? 127 : 126;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return 126;
	}
	return access(path, X_OK) ? 126 : 0;
}

static int path_check(const char *name)
{
	const char *dir = getenv("PATH"), *end;
	char path[PATH_MAX];
	int worst = 127, code;

	for (dir = dir ? dir : "/bin:/usr/bin"; *name; dir = end + 1) {
		end = strchrnul(dir, ':');
		snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dir), dir,
			 end > dir ? "/" : "", name);
		code = file_check(path);
		if (!code)
			return 0;
		if (code < worst)
			worst = code;
		if (!*end)
			break;
	}
	errno = worst == 126 ? EACCES : ENOENT;
	return worst;
}

int command_check(const char *name)
{
	int code = strchr(name, '/') ? file_check(name) : path_check(name);

	if (code)
		fail(errno, "cannot run %s", name);
	return code;
}

/* ---- the child ---- */

static void tell(int fd, int what, int err)
{
	struct failure f = { what, err };

	if (write(fd, &f, sizeof(f)) != sizeof(f))
		_exit(125);
}

static void child_environment(const struct recorder *r)
{
	if (!r->handover)
		return;
	setenv(HANDOVER_SOCKET_ENV, handover_socket_path(r->handover), 1);
	if (!r->command.cuda)
		return;
	setenv(CUDA_ENV, command_library(), 1);
	if (!getenv(NVTX_ENV))
		setenv(NVTX_ENV, command_library(), 1);
}

static void child_run(const struct recorder *r, int go, int result, char **argv)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)	/* the recorder gave up */
		_exit(125);
	if (r->adopt_fd >= 0) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		err = bpf_prog_test_run_opts(r->adopt_fd, &opts);
		if (err)
			tell(result, FAILED_TO_ADOPT, -err);
	}
	signals_restore(&r->signals_before);
	setrlimit(RLIMIT_NOFILE, &r->files_before);
	child_environment(r);
	if (to_stdout(r))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	tell(result, FAILED_TO_EXECUTE, errno);
	_exit(errno == ENOENT ? 127 : 126);
}

/* ---- the parent ---- */

int command_spawn(struct recorder *r, char **argv)
{
	struct command *c = &r->command;
	int go[2], result[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(result, O_CLOEXEC)) {
		fail(errno, "cannot make a pipe to the command");
		return 125;
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(result[0]);
		child_run(r, go[0], result[1], argv);
	}
	close(go[0]);
	close(result[1]);
	c->go = go[1];
	c->result = result[0];
	if (c->pid > 0)
		return 0;
	fail(errno, "cannot start a process for %s", argv[0]);
	return 125;
}

int command_release(struct recorder *r)
{
	struct command *c = &r->command;
	struct failure f;
	int code = 0;

	if (write(c->go, "", 1) != 1)
		fail(errno, "cannot start the command");
	close(c->go);
	while (read(c->result, &f, sizeof(f)) == sizeof(f)) {
		if (f.what == FAILED_TO_ADOPT) {
			fail(f.err,
			     "cannot follow the command (its kernel side is not recorded)");
			record_note(r, NOTE_MISSING,
				    "the kernel side: the command was not followed");
			continue;
		}
		fail(f.err, "cannot run the command");
		code = f.err == ENOENT ? 127 : 126;
	}
	close(c->result);
	if (code)
		waitpid(c->pid, &c->status, 0);
	return code;
}

int command_code(const struct command *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

bool command_cuda(void)
{
	const char *users = getenv(CUDA_ENV);

	if (users && *users) {
		warn("%s is set to %s and is kept: CUDA is not recorded (unset it to record CUDA)",
		     CUDA_ENV, users);
		return false;
	}
	if (command_library())
		return true;
	if (getenv("GPUSCOPE_CUDA_LIB"))
		warn("GPUSCOPE_CUDA_LIB names no library: \"%s\": CUDA is not recorded",
		     getenv("GPUSCOPE_CUDA_LIB"));
	else
		warn("cannot find libgpuscope-cuda.so beside this program: CUDA is not recorded "
		     "(GPUSCOPE_CUDA_LIB=PATH names it)");
	return false;
}
