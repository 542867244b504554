/* Calling a process whose library waits for a recorder. */
#ifndef HANDOVER_INVITE_H
#define HANDOVER_INVITE_H

#include "types.h"

/*
 * Our end of a connection on which the library of `pid` (in our own /proc) will say hello, or
 * negative: -ENOENT it does not wait for anyone, -ESRCH there is no such process, -EPERM or
 * -EACCES we may not trace it, -EPROTO its library is another version's, or what the kernel
 * said.
 */
int invite(u32 pid);

#endif
