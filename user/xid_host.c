// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "cgroup.h"
#include "clock.h"
#include "xid_host.h"

#define GPUS "/proc/driver/nvidia/gpus"

/* ---- GPUs ---- */

static struct told { u32 domain, slot; char uuid[48]; } *told;	/* by logs */
static size_t told_count;

void xid_learn_uuid(const char *line)
{
	static const char words[] = "NVRM: GPU at ";
	const char *p = strstr(line, words);
	u32 domain, bus, device;
	struct told t = {};

	if (!p)
		return;
	p += sizeof(words) - 1;
	p += 4 * !strncmp(p, "PCI:", 4);
	if (sscanf(p, "%x:%x:%x%*[:.0-9] GPU-%40[0-9a-f-]", &domain, &bus, &device,
		   t.uuid + 4) != 4)
		return;
	memcpy(t.uuid, "GPU-", 4);
	t.domain = domain;
	t.slot = bus << 8 | device;
	for (size_t i = 0; i < told_count; i++)
		if (told[i].domain == t.domain && told[i].slot == t.slot) {
			told[i] = t;
			return;
		}
	if (told_count < 4096) {
		told = must_realloc(told, (told_count + 1) * sizeof(*told));
		told[told_count++] = t;
	}
}

/* "Model:           NVIDIA H100 80GB HBM3" */
static void read_information(struct xid_gpu *g, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		char *v = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (!v)
			continue;
		v += 1 + strspn(v + 1, " \t");
		if (!strncmp(line, "Model:", 6))
			snprintf(g->model, sizeof(g->model), "%.*s", 63, v);
		else if (!strncmp(line, "GPU UUID:", 9) && !strchr(v, '?'))
			snprintf(g->uuid, sizeof(g->uuid), "%.*s", 47, v);
		else if (!strncmp(line, "Device Minor:", 13))
			g->minor = atoi(v);
	}
	if (f)
		fclose(f);
}

static u64 address(u32 domain, u32 bus, u32 device)
{
	return (u64)domain << 32 | bus << 8 | device;
}

static void ask_driver(struct xid_gpu *g, const struct xid *x)
{
	u64 want = address(x->pci_domain, x->pci_bus, x->pci_device);
	u32 domain, bus, device;
	DIR *dir = opendir(GPUS);
	struct dirent *d;
	char path[512];
	s32 before = 0;
	bool found = false;

	while (dir && (d = readdir(dir))) {
		if (sscanf(d->d_name, "%x:%x:%x", &domain, &bus, &device) != 3)
			continue;
		before += address(domain, bus, device) < want;
		if (address(domain, bus, device) != want)
			continue;
		found = true;
		snprintf(path, sizeof(path), GPUS "/%s/information", d->d_name);
		read_information(g, path);
	}
	if (dir)
		closedir(dir);
	if (found)
		g->index = before;
}

void xid_gpu(struct xid_gpu *g, const struct xid *x, bool here)
{
	*g = (struct xid_gpu){ .index = -1, .minor = -1 };
	if (here)
		ask_driver(g, x);
	for (size_t i = 0; i < told_count && !g->uuid[0]; i++)
		if (told[i].domain == x->pci_domain &&
		    told[i].slot == ((u32)x->pci_bus << 8 | x->pci_device))
			memcpy(g->uuid, told[i].uuid, sizeof(g->uuid));
}

/* ---- processes ---- */

static bool read_file(u32 pid, const char *name, char *buf, size_t size)
{
	char path[64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	f = fopen(path, "re");
	n = f ? fread(buf, 1, size - 1, f) : 0;
	if (f)
		fclose(f);
	buf[n] = '\0';
	return n;
}

/* Did the process that has this id now start before ts? */
static bool was_there(u32 pid, u64 ts, char comm[COMM_LEN])
{
	u64 since = clock_ns(CLOCK_BOOTTIME) - now_ns(), start;
	char stat[1024], *name, *end;
	int fields = 0;

	if (!read_file(pid, "stat", stat, sizeof(stat)))
		return false;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!name || !end)
		return false;
	*end = '\0';
	snprintf(comm, COMM_LEN, "%s", name + 1);
	for (end++; *end && fields < 20; end++)
		fields += *end == ' ';	/* the 22nd: starttime */
	start = strtoull(end, NULL, 10) * (1000000000ULL / sysconf(_SC_CLK_TCK));
	return start <= ts + since + 10000000;	/* a tick is 10 ms */
}

void xid_process(struct xid_process *p, u32 pid, u64 ts)
{
	char groups[4096], path[512], *own;
	struct stat st;

	if (!was_there(pid, ts, p->comm)) {
		p->comm[0] = '\0';
		return;
	}
	read_file(pid, "cgroup", groups, sizeof(groups));
	own = strstr(groups, "0::/");
	if (!own)
		return;
	own += 3;
	own[strcspn(own, "\n")] = '\0';
	snprintf(p->cgroup, sizeof(p->cgroup), "%.*s", 255, own);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%.*s", 400, own);
	if (!p->cgroup_id && !stat(path, &st))
		p->cgroup_id = st.st_ino;
}
