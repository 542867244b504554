// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A function of the same name as one of probetarget's, called as there. */
#include <linux/module.h>
#include <linux/moduleparam.h>

static noinline u64 probetarget_twin(u64 n)
{
	__asm__ volatile("" : "+r"(n));
	return n;
}

/* called by its address: else the compiler makes another function of it */
static u64 (*volatile function)(u64) = probetarget_twin;

static int calls_set(const char *text, const struct kernel_param *kp)
{
	unsigned long n;
	int err = kstrtoul(text, 0, &n);

	for (unsigned long i = 0; !err && i < n; i++)
		function(1000 + i);
	return err;
}

static const struct kernel_param_ops calls_ops = { .set = calls_set };
module_param_cb(calls, &calls_ops, NULL, 0200);

MODULE_DESCRIPTION("a namesake, for tests of probes");
MODULE_LICENSE("Dual BSD/GPL");
