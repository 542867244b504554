// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Classes of kernels by words in their names, first match wins. Words are
 * looked for in the function's name with its namespaces; in the template
 * arguments too where the function is only a wrapper of what they name.
 */
#include <ctype.h>
#include <string.h>
#include "kernel_class.h"

static const struct {
	const char *name, *words;	/* words: lower case; "^x": at the begin */
} rules[CLASSES] = {
	[CLASS_COMM] = { "comm", "nccl rccl" },
	[CLASS_COLLECTIVE] = { "collective", "allreduce all_reduce cross_device_reduce allgather all_gather reduce_scatter reducescatter alltoall all_to_all nvshmem deep_ep multimem" },
	[CLASS_TRITON] = { "triton", "^triton_" },
	[CLASS_ATTENTION] = { "attention", "flash_fwd flash_bwd flash_attn flashattn fmha attention attn" },
	[CLASS_CONV] = { "conv", "convolve convolution conv1d conv2d conv3d conv_ dgrad wgrad fprop winograd scudnn hcudnn igemm_fwd igemm_bwd igemm_wrw im2col col2im depthwise" },
	[CLASS_GEMM] = { "gemm", "gemm gemv cijk_ xmma splitk cublas matmul" },
	[CLASS_SOFTMAX] = { "softmax", "softmax" },
	[CLASS_NORM] = { "norm", "layer_norm layernorm rms_norm rmsnorm batch_norm batchnorm group_norm groupnorm instance_norm bn_fw bn_bw norm_kernel gammabeta welford" },
	[CLASS_EMBEDDING] = { "embedding", "split_embedding dense_embedding embedding_backward embedding_forward embeddingbag embedding_bag embedding_dense indexselect" },
	[CLASS_OPTIMIZER] = { "optimizer", "multi_tensor_apply adam sgd lamb_ adagrad optimizer" },
	[CLASS_SORT] = { "sort", "sort topk top_k deviceselect devicescan histogram unique" },
	[CLASS_COPY] = { "copy", "copy transpose catarray permute nchwto nhwcto nhwc_to nchw_to convert cast_ gather scatter index_" },
	[CLASS_POOL] = { "pool", "pool upsample interpolate" },
	[CLASS_REDUCE] = { "reduce", "reduce reduction argmax argmin" },
	[CLASS_ELEMENTWISE] = { "elementwise", "elementwise pointwise unary binary fill clamp gelu relu silu dropout activation act_and_mul rotary rope" },
	[CLASS_OTHER] = { "other", "" },
};

static const char anonymous[] = "(anonymous namespace)";

/* Where the function's name ends and its template arguments or parameters begin; "(anonymous
 * namespace)" and "operator()" are no parameters. */
static size_t head_end(const char *name)
{
	size_t i = 0;

	for (; name[i]; i++) {
		if (!strncmp(name + i, anonymous, strlen(anonymous)))
			i += strlen(anonymous) - 1;
		else if (name[i] == '<' || name[i] == '(')
			break;
	}
	return i;
}

static void lower(char *to, size_t room, const char *from, size_t n)
{
	n = n < room ? n : room - 1;
	for (size_t i = 0; i < n; i++)
		to[i] = tolower((unsigned char)from[i]);
	to[n] = 0;
}

static bool has_word(const char *text, const char *words)
{
	char word[64];
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		lower(word, sizeof(word), words, n);
		if (*word == '^' ? !strncmp(text, word + 1, n - 1) : !!strstr(text, word))
			return true;
	}
	return false;
}

/* Is the function the same whatever it does, and its template arguments say what? */
static bool is_wrapper(const char *head)
{
	static const char *const ends[] = { "::kernel", "::kernel2", "::device_kernel", NULL };
	size_t n = strlen(head), len;

	for (const char *const *e = ends; *e; e++) {
		len = strlen(*e);
		if (n >= len && !strcmp(head + n - len, *e))
			return true;
	}
	return false;
}

bool kernel_is_comm(const char *name)
{
	return strcasestr(name, "nccl") || strcasestr(name, "rccl");
}

enum kernel_class kernel_class(const char *name)
{
	char text[1024];

	if (kernel_is_comm(name))
		return CLASS_COMM;
	if (!strncmp(name, "void ", 5))
		name += 5;
	lower(text, sizeof(text), name, head_end(name));
	if (is_wrapper(text))
		lower(text, sizeof(text), name, strlen(name));
	else if (strstr(text, "elementwise") && strstr(name, "direct_copy_kernel"))
		return CLASS_COPY;
	for (int c = CLASS_COLLECTIVE; c < CLASS_OTHER; c++)
		if (has_word(text, rules[c].words))
			return c;
	return CLASS_OTHER;
}

const char *kernel_class_name(enum kernel_class c)
{
	return rules[c].name;
}

const char *kernel_class_words(enum kernel_class c)
{
	return rules[c].words;
}

size_t kernel_short_name(const char *name, const char **start)
{
	size_t n = head_end(name), from;

	while (n && name[n - 1] == ' ')
		n--;
	for (from = n; from && name[from - 1] != ' '; from--)
		if (name[from - 1] == ':')
			break;
	*start = name + from;
	return n - from;
}
