// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions to be probed, and as many calls of them as are asked for:
 *   echo 23 > /sys/module/probetarget/parameters/calls
 * calls each of them 23 times, from a thread of the kernel when `by_thread` is set. What
 * the compiler makes of functions is written as it writes it: by their symbols.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/workqueue.h>

#define FUNCTION(name, symbol)							\
	static noinline u64 name(u64 n, u64 twice) __asm__(symbol);		\
	static noinline u64 name(u64 n, u64 twice)				\
	{									\
		__asm__ volatile("" : "+r"(n));					\
		return n + twice;						\
	}

FUNCTION(probetarget_plain, "probetarget_plain")
FUNCTION(probetarget_other, "probetarget_other")
FUNCTION(probetarget_twin, "probetarget_twin")	/* probetwin has one, too */
FUNCTION(probetarget_multi_a, "probetarget_multi_a")
FUNCTION(probetarget_multi_b, "probetarget_multi_b")
FUNCTION(probetarget_multi_c, "probetarget_multi_c")
FUNCTION(probetarget_const, "probetarget_const.constprop.0")
FUNCTION(probetarget_const_too, "probetarget_const.constprop.1.isra.0")
FUNCTION(probetarget_const_part, "probetarget_const.part.0")	/* not a whole one */
FUNCTION(probetarget_only_part, "probetarget_parted.part.0")
FUNCTION(probetarget_longer, "probetarget_plain_longer.isra.0")

/* What is unlikely is moved to probetarget_sra.isra.0.cold, which is no function. */
static noinline u64 probetarget_sra(u64 n, u64 twice) __asm__("probetarget_sra.isra.0");
static noinline u64 probetarget_sra(u64 n, u64 twice)
{
	__asm__ volatile("" : "+r"(n));
	if (n == ~0ULL)
		panic("never");
	return n + twice;
}

static noinline notrace u64 probetarget_hidden(u64 n, u64 twice)
{
	__asm__ volatile("" : "+r"(n));
	return n + twice;
}

static u64 (*const functions[])(u64, u64) = {
	probetarget_plain, probetarget_other, probetarget_twin, probetarget_multi_a,
	probetarget_multi_b, probetarget_multi_c, probetarget_sra, probetarget_const,
	probetarget_const_too, probetarget_const_part, probetarget_only_part,
	probetarget_longer, probetarget_hidden,
};

static bool by_thread;
module_param(by_thread, bool, 0644);

static void run(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		for (int f = 0; f < ARRAY_SIZE(functions); f++)
			functions[f](i, 2 * i);
}

struct request { struct work_struct work; unsigned long calls; };

static void run_work(struct work_struct *work)
{
	run(container_of(work, struct request, work)->calls);
}

static int calls_set(const char *text, const struct kernel_param *kp)
{
	struct request r;
	int err = kstrtoul(text, 0, &r.calls);

	if (err)
		return err;
	if (!by_thread) {
		run(r.calls);
		return 0;
	}
	INIT_WORK_ONSTACK(&r.work, run_work);
	queue_work(system_unbound_wq, &r.work);
	flush_work(&r.work);
	destroy_work_on_stack(&r.work);
	return 0;
}

static const struct kernel_param_ops calls_ops = { .set = calls_set };
module_param_cb(calls, &calls_ops, NULL, 0200);

MODULE_DESCRIPTION("functions with known calls, for tests of probes");
MODULE_LICENSE("Dual BSD/GPL");
