// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compiles only where each function of CUPTI_FUNCTIONS takes what the real
 * header's takes: as many arguments, of the same sizes, pointers where it has
 * pointers. C++ because only templates can take a function type apart.
 */
#include <type_traits>
#include <cuda.h>
#include <cupti.h>
#include "cupti_abi.h"

template<class A, class B> struct same_value {
	static const bool value = sizeof(A) == sizeof(B) &&
		std::is_pointer<A>::value == std::is_pointer<B>::value;
};
template<> struct same_value<void, void> : std::true_type {};
template<class A, class B> struct same : std::false_type {};
template<class R, class... A, class Q, class... B>
struct same<R (*)(A...), Q (*)(B...)> {
	template<bool...> struct all;
	template<class X, class Y, bool equal> struct each : std::false_type {};
	template<class... X, class... Y> struct each<void (*)(X...), void (*)(Y...), true> {
		static const bool value = std::is_same<all<true, same_value<X, Y>::value...>,
						       all<same_value<X, Y>::value..., true>>::value;
	};
	static const bool value = same_value<R, Q>::value &&
		each<void (*)(A...), void (*)(B...), sizeof...(A) == sizeof...(B)>::value;
};

#define CHECK(need, field, symbol, arguments) \
	static_assert(same<int (*) arguments, decltype(&::symbol)>::value, #symbol);
CUPTI_FUNCTIONS(CHECK)
static_assert(same<cupti_callback_fn, CUpti_CallbackFunc>::value, "callback");
static_assert(same<cupti_buffer_request_fn, CUpti_BuffersCallbackRequestFunc>::value, "request");
static_assert(same<cupti_buffer_complete_fn, CUpti_BuffersCallbackCompleteFunc>::value, "complete");
static_assert(same<cupti_timestamp_fn, CUpti_TimestampCallbackFunc>::value, "timestamp");
