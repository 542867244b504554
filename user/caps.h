/* What this process may do: asked of the kernel, not guessed from the user id. */
#ifndef CAPS_H
#define CAPS_H

#include <linux/capability.h>
#include <stdbool.h>

/* not in the kernel headers of older distributions */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

/* What this process may not do: "CAP_BPF, CAP_PERFMON" or "" when it has all it needs. */
const char *missing_capabilities(void);
bool capability_held(int cap);

#endif
