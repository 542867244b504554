/* On the host a USDT program is called with its arguments. */
#define BPF_USDT(name, args...) name(struct pt_regs *ctx, args)
