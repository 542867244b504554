/*
 * Kernel structures do not exist on the host: a test defines its own before it
 * includes the probes, and BPF_CORE_READ follows pointers.
 */
#define BPF_CORE_READ_1(s, a) ((s)->a)
#define BPF_CORE_READ_2(s, a, b) ((s)->a->b)
#define BPF_CORE_READ_3(s, a, b, c) ((s)->a->b->c)
#define BPF_CORE_READ_4(s, a, b, c, d) ((s)->a->b->c->d)
#define BPF_CORE_PICK(s, a, b, c, d, name, ...) name
#define BPF_CORE_READ(...) BPF_CORE_PICK(__VA_ARGS__, BPF_CORE_READ_4, BPF_CORE_READ_3, \
					 BPF_CORE_READ_2, BPF_CORE_READ_1, 0)(__VA_ARGS__)
#define bpf_core_read(to, n, from) (memcpy((to), (from), (n)), 0)
#define bpf_core_type_size(type) sizeof(type)
#define __builtin_preserve_access_index(x) (x)
