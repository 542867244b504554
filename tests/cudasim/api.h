/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The macro that every public entry point is written with: it gathers the arguments into the
 * struct that CUPTI hands out as functionParams (members in order of the parameters), tells
 * the core on the way in and out, and lets faults be injected between.
 */
#ifndef API_H
#define API_H

#include "sim.h"

#define EACH0(m)
#define EACH1(m, a) m(a)
#define EACH2(m, a, ...) m(a) EACH1(m, __VA_ARGS__)
#define EACH3(m, a, ...) m(a) EACH2(m, __VA_ARGS__)
#define EACH4(m, a, ...) m(a) EACH3(m, __VA_ARGS__)
#define EACH5(m, a, ...) m(a) EACH4(m, __VA_ARGS__)
#define EACH6(m, a, ...) m(a) EACH5(m, __VA_ARGS__)
#define EACH7(m, a, ...) m(a) EACH6(m, __VA_ARGS__)
#define EACH8(m, a, ...) m(a) EACH7(m, __VA_ARGS__)
#define EACH9(m, a, ...) m(a) EACH8(m, __VA_ARGS__)
#define EACH10(m, a, ...) m(a) EACH9(m, __VA_ARGS__)
#define EACH11(m, a, ...) m(a) EACH10(m, __VA_ARGS__)
#define EACH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define EACH(m, ...)									       \
	EACH_PICK(_ __VA_OPT__(,) __VA_ARGS__, EACH11, EACH10, EACH9, EACH8, EACH7, EACH6,     \
		  EACH5, EACH4, EACH3, EACH2, EACH1, EACH0)(m __VA_OPT__(,) __VA_ARGS__)

#define API_MEMBER(a) typeof(a) a;
#define API_STRIP(...) __VA_ARGS__

/*
 * The body of an entry point. begin() returns 0 or the error to return at once; args are in
 * parentheses; expr gives the result. per_thread says what stream 0 means in expr.
 */
#define API_BODY(type, domain_, name_, function_, symbol_, ptsz, begin, end, args, expr)       \
	{										       \
		const bool per_thread __attribute__((unused)) = ptsz;			       \
		struct {								       \
			EACH(API_MEMBER, API_STRIP args)				       \
		} params_ = { API_STRIP args };						       \
		static uint32_t cbid_;							       \
		type result_ = 0;							       \
		struct sim_call call_ = {						       \
			.domain = domain_, .name = name_, .function = function_,	       \
			.symbol = symbol_, .params = &params_, .result = &result_,	       \
			.cbid = &cbid_,							       \
		};									       \
											       \
		result_ = begin(&call_);						       \
		if (!result_)								       \
			result_ = (expr);						       \
		end(&call_);								       \
		return result_;								       \
	}

#endif
