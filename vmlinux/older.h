
/* ---- members of other kernel versions (written by hand: vmlinux/older.h) ---- */

struct task_struct___old { long state; };	/* before 5.14: 2f064a59a11f ("sched: Change task_struct::state") */
struct request___old { struct gendisk *rq_disk; };	/* before 5.17: f3fa33acca9f ("block: remove the ->rq_disk field in struct request") */
