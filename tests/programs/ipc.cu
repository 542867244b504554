// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// ipc.c as nvcc builds it: its own stubs and registration instead of ours.
#include "ipc.c"
