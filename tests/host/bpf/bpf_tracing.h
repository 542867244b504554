/* On the host a probe gets registers of our making. */
#define PT_REGS_SP(ctx) ((ctx)->sp)
#define PT_REGS_RC(ctx) ((ctx)->ax)
#define PT_REGS_PARM1(ctx) ((ctx)->di)
#define PT_REGS_PARM2(ctx) ((ctx)->si)
#define PT_REGS_PARM3(ctx) ((ctx)->dx)
