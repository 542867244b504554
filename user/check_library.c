// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CUDA's libraries, asked for their versions. Each is loaded in a child process
 * with its output thrown away: what a library prints, breaks or waits for stays
 * there, and is itself a finding.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "probe.h"
#include "record/recorder.h"
#include "tool_run.h"

#define GROUP "CUDA libraries"
#define PATIENCE_MS 10000	/* the first cuInit after boot takes seconds */

struct answer {			/* what the child found out */
	s32 loaded;		/* 1: dlopen succeeded */
	s32 code;		/* of the library's own calls, 0 fine */
	s32 devices;
	u32 version;
	char text[96];		/* dlerror, or the first device's name */
};

/* ---- in the child ---- */

static void ask_cuda(void *lib, struct answer *a)
{
	int (*version)(int *) = dlsym(lib, "cuDriverGetVersion");
	int (*init)(unsigned int) = dlsym(lib, "cuInit");
	int (*count)(int *) = dlsym(lib, "cuDeviceGetCount");
	int (*get)(int *, int) = dlsym(lib, "cuDeviceGet");
	int (*name)(char *, int, int) = dlsym(lib, "cuDeviceGetName");
	int v = 0, device = 0;

	if (!version || !init || !count || !get || !name) {
		a->code = -1;
		return;
	}
	a->code = version(&v);
	a->version = v;
	if (!a->code)
		a->code = init(0);
	if (!a->code)
		a->code = count(&a->devices);
	if (!a->code && a->devices > 0 && !get(&device, 0))
		name(a->text, sizeof(a->text) - 1, device);
}

static void ask_cupti(void *lib, struct answer *a)
{
	int (*version)(u32 *) = dlsym(lib, "cuptiGetVersion");

	a->code = version ? version(&a->version) : -1;
}

static void ask_nvml(void *lib, struct answer *a)
{
	int (*init)(void) = dlsym(lib, "nvmlInit_v2");
	int (*version)(char *, unsigned int) = dlsym(lib, "nvmlSystemGetNVMLVersion");

	a->code = init && version ? init() : -1;
	if (!a->code)
		a->code = version(a->text, sizeof(a->text) - 1);
}

static void ask_nothing(void *lib, struct answer *a)
{
}

static void child(const char *path, void (*ask)(void *, struct answer *), int fd)
{
	struct answer a = {};
	int null = open("/dev/null", O_RDWR);
	void *lib;

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	setpgid(0, 0);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	a.loaded = !!lib;
	if (lib)
		ask(lib, &a);
	else
		snprintf(a.text, sizeof(a.text), "%s", dlerror());
	if (write(fd, &a, sizeof(a)) != sizeof(a))
		_exit(1);
	_exit(0);	/* no destructors of a stranger */
}

/* ---- outside ---- */

/* 0 and the answer, or what became of the child: its signal, or -ETIMEDOUT. */
static int ask_in_child(const char *path, void (*ask)(void *, struct answer *),
			struct answer *a)
{
	struct pollfd p = { .events = POLLIN };
	int fds[2], status = 0, timeout;
	ssize_t n = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(path, ask, fds[1]);
	close(fds[1]);
	p.fd = fds[0];
	timeout = pid < 0 || poll(&p, 1, PATIENCE_MS) != 1;
	if (!timeout)
		n = read(fds[0], a, sizeof(*a));
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);	/* done or stuck: nothing of it is needed any more */
		waitpid(pid, &status, 0);
	}
	if (n == sizeof(*a))
		return 0;
	return timeout ? -ETIMEDOUT : WIFSIGNALED(status) ? WTERMSIG(status) : -EIO;
}

static bool find(const char *const *names, char *path, size_t size)
{
	for (; *names; names++)
		if (library_find(*names, 0, path, size))
			return true;
	return false;
}

/* True when there is an answer to look at; else the finding is made here. */
static bool answered(struct checks *c, const char *name, const char *path,
		     void (*ask)(void *, struct answer *), struct answer *a)
{
	int err = ask_in_child(path, ask, a);

	a->text[sizeof(a->text) - 1] = '\0';
	if (err)
		check_add(c, GROUP, name, CHECK_MISSING,
			  "reinstall it; nothing here can use it",
			  "%s: %s", path, err == -ETIMEDOUT ? "did not answer in 10 s" :
			  err > 0 ? strsignal(err) : strerror(-err));
	else if (!a->loaded)
		check_add(c, GROUP, name, CHECK_MISSING,
			  "install what it needs, or set LD_LIBRARY_PATH",
			  "%s", a->text);
	return !err && a->loaded;
}

static void cuda_failed(struct checks *c, const char *path, const struct answer *a)
{
	const char *name = curesult_name(a->code);

	if (a->code < 0)
		check_add(c, GROUP, "libcuda", CHECK_DEGRADED, "",
			  "%s lacks functions of a libcuda", path);
	else
		check_add(c, GROUP, "libcuda", CHECK_DEGRADED,
			  "is the kernel module loaded, and of the same version?",
			  "%s, CUDA %u.%u, but cuInit returned %d (%s%s)", path,
			  a->version / 1000, a->version % 1000 / 10, a->code,
			  name ? "CUDA_ERROR_" : "", name ? name : "?");
}

static void check_libcuda(struct checks *c)
{
	static const char *const names[] = { "libcuda.so.1", NULL };
	struct answer a = {};
	char path[4096];

	if (!find(names, path, sizeof(path))) {
		check_add(c, GROUP, "libcuda", CHECK_MISSING,
			  "install the NVIDIA driver's user part; --lib or -p finds one in a container", "not found");
		return;
	}
	if (!answered(c, "libcuda", path, ask_cuda, &a))
		return;
	if (a.code)
		cuda_failed(c, path, &a);
	else
		check_add(c, GROUP, "libcuda", CHECK_OK, "", "%s, CUDA %u.%u, %d device%s: %s",
			  path, a.version / 1000, a.version % 1000 / 10, a.devices,
			  a.devices == 1 ? "" : "s", a.text);
	if (!strncmp(a.text, "cudasim", 7))
		check_add(c, GROUP, "simulated", CHECK_DEGRADED, "",
			  "this libcuda is the simulated GPU of the test suite");
}

static void check_libcupti(struct checks *c)
{
	static const char *const names[] = {
		"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so", NULL
	};
	struct answer a = {};
	char path[4096];

	if (!find(names, path, sizeof(path))) {
		check_add(c, GROUP, "libcupti", CHECK_MISSING,
			  "install the CUDA toolkit's cuda-cupti package, or put its directory into LD_LIBRARY_PATH",
			  "not found");
		return;
	}
	if (!answered(c, "libcupti", path, ask_cupti, &a))
		return;
	if (a.code)
		check_add(c, GROUP, "libcupti", CHECK_DEGRADED, "",
			  "%s: cuptiGetVersion returned %d", path, a.code);
	else
		check_add(c, GROUP, "libcupti", CHECK_OK, "", "%s, API version %u", path,
			  a.version);
}

static void check_nvml(struct checks *c)
{
	static const char *const names[] = { "libnvidia-ml.so.1", NULL };
	struct answer a = {};
	char path[4096];

	if (!find(names, path, sizeof(path))) {
		check_add(c, GROUP, "nvml", CHECK_MISSING, "it comes with the NVIDIA driver",
			  "libnvidia-ml.so.1 not found");
		return;
	}
	if (!answered(c, "nvml", path, ask_nvml, &a))
		return;
	if (a.code)
		check_add(c, GROUP, "nvml", CHECK_DEGRADED, "is the kernel module loaded?",
			  "%s: nvmlInit returned %d", path, a.code);
	else
		check_add(c, GROUP, "nvml", CHECK_OK, "", "%s, %s", path, a.text);
}

/* The library that gpurec loads into programs; loaded here it must say nothing and do
 * nothing. */
static void check_own(struct checks *c)
{
	const char *path = command_library();
	struct answer a = {};

	if (!path)
		check_add(c, GROUP, "injection", CHECK_MISSING,
			  "install it as ../lib/gpuscope/libgpuscope-cuda.so beside the tools, or name it in GPUSCOPE_CUDA_LIB",
			  "libgpuscope-cuda.so not found");
	else if (answered(c, "injection", path, ask_nothing, &a))
		check_add(c, GROUP, "injection", CHECK_OK, "", "%s", path);
}

void check_libraries(struct checks *c)
{
	check_own(c);
	check_libcuda(c);
	check_libcupti(c);
	check_nvml(c);
}
