/* Inside of a probe set's object, for probe.c and probe_attach.c only. */
#ifndef PROBE_OBJECT_H
#define PROBE_OBJECT_H

#include "probe.h"

struct probe_object {
	const struct probe_set *set;
	struct probe_shared *shared;
	void *skel;
	struct bpf_link **links;
	size_t link_count;
	bool loaded, attached;
};

struct bpf_program *probe_program(struct probe_object *o, const struct probe_row *row);
const char *probe_target(const struct probe_row *row, char *buf, size_t size);	/* for messages */
bool probe_has_library(const struct probe_row *row);	/* uprobe, uretprobe, USDT */

#endif
