/* What the tests of the simulated CUPTI say when something is not as it must be. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(x) do { \
	if (!(x)) { \
		printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #x); \
		exit(1); \
	} \
} while (0)
#define IS(a, b) do { \
	long long a_ = (long long)(a), b_ = (long long)(b); \
	if (a_ != b_) { \
		printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, a_, b_); \
		exit(1); \
	} \
} while (0)

#endif
