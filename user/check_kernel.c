// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kernel, its settings, and what this process may do. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "caps.h"
#include "check.h"
#include "out.h"
#include "probe.h"

static void check_btf(struct checks *c)
{
	const char *path = "/sys/kernel/btf/vmlinux";
	char size[16];
	struct stat st;

	if (!access(path, R_OK) && !stat(path, &st))
		check_add(c, "kernel", "btf", CHECK_OK, "", "%s, %s", path,
			  human_bytes(size, st.st_size));
	else
		check_add(c, "kernel", "btf", CHECK_MISSING,
			  "run a kernel built with CONFIG_DEBUG_INFO_BTF=y: probes find kernel fields by it",
			  "no readable %s", path);
}

/* "[none] integrity confidentiality": the word in brackets holds. */
static void check_lockdown(struct checks *c)
{
	char line[128] = "", *word;

	if (!check_read("/sys/kernel/security/lockdown", line, sizeof(line)) ||
	    !(word = strchr(line, '['))) {
		check_add(c, "kernel", "lockdown", CHECK_OK, "", "not in this kernel");
		return;
	}
	word[strcspn(word, "]")] = '\0';
	word++;
	if (!strcmp(word, "confidentiality"))
		check_add(c, "kernel", "lockdown", CHECK_MISSING,
			  "boot with lockdown=integrity or none: this mode lets no BPF program read kernel memory",
			  "%s", word);
	else
		check_add(c, "kernel", "lockdown", CHECK_OK, "", "%s", word);
}

static void check_paranoid(struct checks *c)
{
	char line[32] = "";
	int v;

	if (!check_read("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line))) {
		check_add(c, "kernel", "perf_event_paranoid", CHECK_MISSING,
			  "run a kernel built with CONFIG_PERF_EVENTS=y", "no perf events");
		return;
	}
	v = atoi(line);
	if (v >= 2 && !capability_held(CAP_PERFMON) && !capability_held(CAP_SYS_ADMIN))
		check_add(c, "kernel", "perf_event_paranoid", CHECK_DEGRADED,
			  "run as root, or grant CAP_PERFMON", "%d, and no CAP_PERFMON", v);
	else
		check_add(c, "kernel", "perf_event_paranoid", CHECK_OK, "", "%d", v);
}

/* What counts is whether addresses are shown to us, not the setting alone. */
static void check_kallsyms(struct checks *c)
{
	char line[256] = "", restrict_[16] = "?";
	bool shown = check_read("/proc/kallsyms", line, sizeof(line)) &&
		strncmp(line, "0000000000000000", 16);
	FILE *f = shown ? NULL : fopen("/proc/kallsyms", "re");

	/* the first symbols of x86 are per-CPU offsets, which may be 0 */
	for (int i = 0; f && !shown && i < 2000 && fgets(line, sizeof(line), f); i++)
		shown = strncmp(line, "0000000000000000", 16);
	if (f)
		fclose(f);
	check_read("/proc/sys/kernel/kptr_restrict", restrict_, sizeof(restrict_));
	if (shown)
		check_add(c, "kernel", "kernel_symbols", CHECK_OK, "",
			  "shown (kptr_restrict %s)", restrict_);
	else
		check_add(c, "kernel", "kernel_symbols", CHECK_DEGRADED,
			  "run as root with kernel.kptr_restrict=1 or 0: kernel frames get names by it",
			  "hidden (kptr_restrict %s)", restrict_);
}

static void check_tracefs(struct checks *c)
{
	static const char *const dirs[] = { "/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing" };
	char path[96];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/raw_syscalls/sys_enter/id", dirs[i]);
		if (!access(path, R_OK)) {
			check_add(c, "kernel", "tracefs", CHECK_OK, "", "%s", dirs[i]);
			return;
		}
	}
	check_add(c, "kernel", "tracefs", CHECK_DEGRADED,
		  geteuid() ? "run as root, or grant CAP_DAC_READ_SEARCH" :
		  "mount -t tracefs tracefs /sys/kernel/tracing", "not readable");
}

static void check_jit(struct checks *c)
{
	char line[16] = "";

	/* absent where the compiler is always on */
	if (check_read("/proc/sys/net/core/bpf_jit_enable", line, sizeof(line)) &&
	    !strcmp(line, "0"))
		check_add(c, "kernel", "bpf_jit", CHECK_DEGRADED,
			  "sysctl net.core.bpf_jit_enable=1",
			  "off: programs are interpreted, several times slower");
	else
		check_add(c, "kernel", "bpf_jit", CHECK_OK, "", "on");
}

void check_kernel(struct checks *c)
{
	struct utsname u;

	if (!uname(&u))
		check_add(c, "kernel", "version", CHECK_OK, "", "%s (%s)", u.release,
			  u.machine);
	check_btf(c);
	check_lockdown(c);
	check_jit(c);
	check_paranoid(c);
	check_kallsyms(c);
	check_tracefs(c);
}

void check_privileges(struct checks *c)
{
	const char *missing = missing_capabilities();

	if (missing[0])
		check_add(c, "privileges", "trace", CHECK_MISSING,
			  "run as root; or setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep on the tool, where uprobes do not want more",
			  "no %s", missing);
	else
		check_add(c, "privileges", "trace", CHECK_OK, "", "%s",
			  capability_held(CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" :
			  "CAP_BPF, CAP_PERFMON");
	if (capability_held(CAP_SYS_PTRACE))
		check_add(c, "privileges", "other_processes", CHECK_OK, "", "CAP_SYS_PTRACE");
	else
		check_add(c, "privileges", "other_processes", CHECK_DEGRADED,
			  "run as root, or grant CAP_SYS_PTRACE: to see what others have mapped",
			  "no CAP_SYS_PTRACE");
}
