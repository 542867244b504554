// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints what one side's headers declare: values, places and sizes of fields,
 * shapes of functions. Compiled once with ours (-DOURS) and once with the real
 * ones; list.h, made by abi.bats, names what to print. The outputs must be equal.
 */
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>
#ifdef OURS
#define _Static_assert static_assert
extern "C" {
#include "cudart_abi.h"
}
#else
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#endif

template<class T> static std::string shape()
{
	const char *kind = std::is_pointer<T>::value ? "p" : std::is_class<T>::value ? "s" :
		std::is_floating_point<T>::value ? "f" : "i";

	return kind + std::to_string(sizeof(T));
}

template<> std::string shape<void>()
{
	return "void";
}

template<class F> struct function;	/* by type alone: nothing is called, nothing linked */
template<class R, class... A> struct function<R (*)(A...)> {
	static std::string text()
	{
		std::string text = shape<R>() + " (";

		for (const std::string &a : { std::string(), shape<A>()... })
			text += " " + a;
		return text + " )";
	}
};

#define CONST(name) std::printf("%s = %lld\n", #name, (long long)name);
#define TYPE(type) std::printf("%s: %zu bytes\n", #type, sizeof(type));
#define FIELD(type, field) std::printf("%s.%s at %zu, %zu bytes\n", #type, #field, \
	offsetof(type, field), sizeof(((type *)0)->field));
#define FUNCTION(name) std::printf("%s: %s\n", #name, function<decltype(&::name)>::text().c_str());

int main()
{
#include "list.h"
}
