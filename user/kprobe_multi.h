/* Has the kernel BPF links of many kprobes? 0, or a negative errno that says why not. */
#ifndef KPROBE_MULTI_H
#define KPROBE_MULTI_H

int kprobe_multi_try(void);

#endif
