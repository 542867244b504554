/* /dev/kmsg from now on, where BPF cannot be used or is not wanted. */
#ifndef XID_KMSG_H
#define XID_KMSG_H

struct sink;

/* Until a signal, -d or -n ends it. 0, or a reported error. */
int xid_kmsg(struct sink *s);

#endif
