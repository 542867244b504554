/*
 * A USDT site without semaphore: nothing is paid while nobody is attached. On
 * x86-64 it is `nop; nop5`, the 1-byte nop noted as "api_enter", the 5-byte one
 * as "api_enter5" (kernels since 6.18 turn that into a call without a trap); two
 * notes of one name would fire twice. Elsewhere it is one nop with one note.
 * Arguments are in registers, so the note's text is their names.
 */
#ifndef USDT_H
#define USDT_H

#include "types.h"

#define USDT_NOTE(name, at, args)						\
	".pushsection .note.stapsdt,\"?\",\"note\"\n"				\
	".balign 4\n"								\
	".4byte 992f-991f, 994f-993f, 3\n"					\
	"991: .asciz \"stapsdt\"\n"						\
	"992: .balign 4\n"							\
	"993: .8byte " at "\n"							\
	".8byte _.stapsdt.base\n"						\
	".8byte 0\n"								\
	".asciz \"gpuscope\"\n"							\
	".asciz \"" name "\"\n"							\
	".asciz \"" args "\"\n"							\
	"994: .balign 4\n"							\
	".popsection\n"

/* libbpf and others correct addresses by how far this section moved from the noted base. */
#define USDT_BASE								\
	".ifndef _.stapsdt.base\n"						\
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"			\
	"_.stapsdt.base: .space 1\n"						\
	".size _.stapsdt.base, 1\n"						\
	".popsection\n.endif\n"

#if defined(__x86_64__)
#define USDT_ARGS "4@%k[a] 2@%w[b] 2@%w[c] 4@%k[d] 4@%k[e]"
#define USDT_SITE								\
	"985: nop\n"								\
	"986: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"				\
	USDT_NOTE("api_enter", "985b", USDT_ARGS)				\
	USDT_NOTE("api_enter5", "986b", USDT_ARGS)
#elif defined(__aarch64__)
#define USDT_ARGS "4@%x[a] 2@%x[b] 2@%x[c] 4@%x[d] 4@%x[e]"
#define USDT_SITE "985: nop\n" USDT_NOTE("api_enter", "985b", USDT_ARGS)
#endif

#ifdef USDT_SITE
static inline void usdt_api_enter(u32 correlation, u16 producer, u16 slot, u32 ns_tid, u32 what)
{
	__asm__ volatile(USDT_SITE USDT_BASE : :
			 [a] "r"(correlation), [b] "r"((u32)producer), [c] "r"((u32)slot),
			 [d] "r"(ns_tid), [e] "r"(what) : "memory");
}
#else
static inline void usdt_api_enter(u32 correlation, u16 producer, u16 slot, u32 ns_tid, u32 what)
{
}
#endif

#endif
