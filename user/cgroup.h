/* A cgroup by its path: as it is, or below where version 2 is mounted. */
#ifndef CGROUP_H
#define CGROUP_H

#include "types.h"

int cgroup_id(const char *path, u64 *id);	/* 0 or a reported error */

#endif
