/*
 * Reads what the driver says of an error, a character at a time, so that one
 * parser serves the kernel (bpf_loop) and user space:
 *
 *   NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:01): 31, pid=7, name=python, Ch 00000010, ...
 *   NVRM: Xid (0000:03:00): 62, !2369(0000)                  drivers before 319
 *   NVRM: Xid (PCI:0000:17:00): 13, pid='<unknown>', name=<unknown>, Graphics ...
 *   nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress ...
 *
 * The words as printed by open-gpu-kernel-modules 515..595 (kernel_rc.c, common_nvswitch.h).
 */
#ifndef XID_SCAN_H
#define XID_SCAN_H

#include "xid.h"

enum xid_scan_state {
	SCAN_WORD,		/* looks for "Xid" */
	SCAN_OPEN,		/* behind it: "(" or, without an address, ":" */
	SCAN_ADDR, SCAN_INSTANCE, SCAN_CLOSED,
	SCAN_CODE,		/* blanks and the number */
	SCAN_PID_KEY, SCAN_PID, SCAN_NAME_KEY, SCAN_NAME,
	SCAN_MESSAGE,		/* its first two letters say some things */
	SCAN_DONE,
};

#define SCAN_FN static inline __attribute__((always_inline))

struct xid_scan {
	u32 state;		/* enum xid_scan_state */
	u32 at;			/* characters seen */
	u32 matched;		/* of the word that is looked for */
	u32 digits;		/* of the number that is read */
	u32 message;		/* where the driver's message begins */
	u32 parts, part[4];	/* of the address: domain, bus, device, function */
	u32 code;
	u32 pid;		/* 0: not told */
	u32 name_len;
	u16 instance[2];	/* GPU, compute */
	u8 found;		/* state has passed the number */
	u8 nvswitch;
	u8 fatal;		/* as in struct xid */
	u8 detail;		/* an SXid's second and third line, about the first */
	u8 prefix;		/* inside "PCI:" */
	u8 which;		/* instance that is read */
	u8 simulated;		/* "... (simulated by fakerm)": the test suite says so */
	u8 label;		/* letters of "(sim" seen */
	char last;
	char name[COMM_LEN];
};

SCAN_FN void xid_scan_begin(struct xid_scan *s)
{
	__builtin_memset(s, 0, sizeof(*s));
	s->instance[0] = s->instance[1] = 0xffff;
}

SCAN_FN int xid_hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

SCAN_FN bool xid_digit(char c)
{
	return c >= '0' && c <= '9';
}

SCAN_FN void xid_scan_goto(struct xid_scan *s, u32 state)
{
	s->state = state;
	s->matched = 0;
	s->digits = 0;
}

/* No error after all: look on. */
SCAN_FN void xid_scan_again(struct xid_scan *s, char c)
{
	xid_scan_goto(s, SCAN_WORD);
	s->nvswitch = 0;
	s->prefix = 0;
	s->parts = 0;
	s->part[0] = s->part[1] = s->part[2] = s->part[3] = 0;
	s->code = 0;
	s->matched = c == 'X';
}

SCAN_FN void xid_scan_word(struct xid_scan *s, char c)
{
	if (s->matched == 1 && c == 'i') {
		s->matched = 2;
	} else if (s->matched == 2 && c == 'd') {
		xid_scan_goto(s, SCAN_OPEN);
	} else {
		s->matched = c == 'X';
		s->nvswitch = c == 'X' && s->last == 'S';
	}
}

SCAN_FN void xid_scan_open(struct xid_scan *s, char c)
{
	if (c == '(')
		xid_scan_goto(s, SCAN_ADDR);
	else if (c == ':' && !s->nvswitch)
		xid_scan_goto(s, SCAN_CODE);
	else if (c != ' ')
		xid_scan_again(s, c);
}

SCAN_FN void xid_scan_addr(struct xid_scan *s, char c)
{
	int hex = xid_hex(c);
	bool ends = c == ':' || c == '.' || c == ')' || c == ' ';

	if (s->prefix) {
		s->prefix = c != ':';
	} else if (c == 'P' && !s->parts && !s->digits) {
		s->prefix = 1;
	} else if (hex >= 0 && s->digits < 8) {
		s->part[s->parts & 3] = s->part[s->parts & 3] << 4 | hex;
		s->digits++;
	} else if (ends && s->digits && s->parts < 4) {
		s->parts++;
		s->digits = 0;
		if (c == ')')
			xid_scan_goto(s, SCAN_CLOSED);
		else if (c == ' ')
			xid_scan_goto(s, SCAN_INSTANCE);
		else if (s->parts == 4)
			xid_scan_again(s, c);
	} else {
		xid_scan_again(s, c);
	}
}

/* "GPU-I:05 GPU-CI:01)" */
SCAN_FN void xid_scan_instance(struct xid_scan *s, char c)
{
	if (xid_digit(c) && s->digits < 4) {
		u16 *to = &s->instance[s->which & 1];

		*to = (s->digits ? *to * 10 : 0) + (c - '0');
		s->digits++;
	} else if (c == ')') {
		xid_scan_goto(s, SCAN_CLOSED);
	} else if (c == ' ') {
		s->which = 0;
		s->digits = 0;
	} else if (c == 'C') {
		s->which = 1;
	} else if (c != 'G' && c != 'P' && c != 'U' && c != '-' && c != 'I' && c != ':') {
		xid_scan_again(s, c);
	}
}

SCAN_FN void xid_scan_closed(struct xid_scan *s, char c)
{
	if (c == ':')
		xid_scan_goto(s, SCAN_CODE);
	else
		xid_scan_again(s, c);
}

/* What the driver's message is without a process in front of it begins here. */
SCAN_FN void xid_scan_message_at(struct xid_scan *s)
{
	xid_scan_goto(s, SCAN_PID_KEY);
	s->message = s->at;
	s->found = 1;
}

SCAN_FN void xid_scan_code(struct xid_scan *s, char c)
{
	if (xid_digit(c) && s->digits < 7) {
		s->code = s->code * 10 + (c - '0');
		s->digits++;
	} else if (c == ' ' && !s->digits) {
		return;
	} else if (s->digits && (c == ',' || c == ' ' || c == ':' || c == '\n' || !c)) {
		xid_scan_message_at(s);
	} else {
		xid_scan_again(s, c);
	}
}

SCAN_FN char xid_key(bool pid, u32 at)
{
	switch (at) {
	case 0: return pid ? 'p' : 'n';
	case 1: return pid ? 'i' : 'a';
	case 2: return pid ? 'd' : 'm';
	case 3: return pid ? '=' : 'e';
	default: return '=';
	}
}

/* Of an SXid its first two letters say something: "Fatal", "Non-fatal"; "Severity" and "Data"
 * of the lines behind these. */
SCAN_FN void xid_scan_message(struct xid_scan *s, char c)
{
	if (!s->matched && c == ' ') {
		s->message = s->at + 1;
		return;
	}
	if (!s->matched) {
		s->fatal = !s->nvswitch ? 0 : c == 'F' ? 1 : c == 'N' ? 2 : 0;
		s->matched = 1;
		return;
	}
	s->detail = s->nvswitch &&
		((s->last == 'S' && c == 'e') || (s->last == 'D' && c == 'a'));
	xid_scan_goto(s, SCAN_DONE);
}

/* "pid=" or "name=", or already the message: no message is known to begin as these do. */
SCAN_FN void xid_scan_key(struct xid_scan *s, char c)
{
	bool pid = s->state == SCAN_PID_KEY;

	if (!s->matched && (c == ' ' || c == ',')) {
		s->message = s->at + 1;
	} else if (c == xid_key(pid, s->matched)) {
		s->matched++;
		if (s->matched == (pid ? 4 : 5))
			xid_scan_goto(s, pid ? SCAN_PID : SCAN_NAME);
	} else if (s->matched) {
		xid_scan_goto(s, SCAN_DONE);
	} else {
		xid_scan_goto(s, SCAN_MESSAGE);
		xid_scan_message(s, c);
	}
}

#define SCAN_PID_DIGITS 7	/* the kernel's PID_MAX_LIMIT is 4194304 */

/* A number, or '<unknown>'; of what cannot be a process nobody is known. */
SCAN_FN void xid_scan_pid(struct xid_scan *s, char c)
{
	if (c == ',') {
		xid_scan_goto(s, SCAN_NAME_KEY);
		s->message = s->at + 1;
	} else if (xid_digit(c) && s->digits < SCAN_PID_DIGITS) {
		s->pid = s->pid * 10 + (c - '0');
		s->digits++;
	} else {
		s->pid = 0;
		s->digits = SCAN_PID_DIGITS;
	}
}

/* A name, or <unknown> */
SCAN_FN void xid_scan_name(struct xid_scan *s, char c)
{
	if (c == ',') {
		xid_scan_goto(s, SCAN_MESSAGE);
		s->message = s->at + 1;
	} else if (c == '<' && !s->name_len) {
		s->name_len = COMM_LEN;
	} else if (s->name_len < COMM_LEN - 1) {
		s->name[s->name_len & (COMM_LEN - 1)] = c;
		s->name_len++;
	}
}

SCAN_FN void xid_scan_label(struct xid_scan *s, char c)
{
	char next = s->label == 1 ? 's' : s->label == 2 ? 'i' : s->label == 3 ? 'm' : '(';

	s->label = c == next ? s->label + 1 : c == '(';
	s->simulated |= s->label == 4;
}

SCAN_FN void xid_scan_step(struct xid_scan *s, char c)
{
	xid_scan_label(s, c);
	switch (s->state) {
	case SCAN_WORD: xid_scan_word(s, c); break;
	case SCAN_OPEN: xid_scan_open(s, c); break;
	case SCAN_ADDR: xid_scan_addr(s, c); break;
	case SCAN_INSTANCE: xid_scan_instance(s, c); break;
	case SCAN_CLOSED: xid_scan_closed(s, c); break;
	case SCAN_CODE: xid_scan_code(s, c); break;
	case SCAN_PID_KEY: case SCAN_NAME_KEY: xid_scan_key(s, c); break;
	case SCAN_PID: xid_scan_pid(s, c); break;
	case SCAN_NAME: xid_scan_name(s, c); break;
	case SCAN_MESSAGE: xid_scan_message(s, c); break;
	}
	s->last = c;
	s->at++;
}

/* "0000:3b:00.0", "0000:3b:00", and of the oldest drivers "3b:00". */
SCAN_FN void xid_scan_place(struct xid *x, const struct xid_scan *s)
{
	u32 first = s->parts != 2;
	u32 bus = first ? s->part[1] : s->part[0], device = first ? s->part[2] : s->part[1];
	bool known = s->parts >= 2 && bus < 256 && device < 32;

	x->pci_domain = !known ? XID_NO_DOMAIN : first ? s->part[0] : 0;
	x->pci_bus = known ? bus : 0;
	x->pci_device = known ? device : 0;
	x->pci_function = known && s->parts == 4 ? s->part[3] : 0;
}

/* The text is over: a number at its end counts. */
SCAN_FN void xid_scan_end(struct xid_scan *s)
{
	if (s->state == SCAN_CODE)
		xid_scan_code(s, '\0');
	if (s->state == SCAN_PID || s->state == SCAN_NAME)
		s->message = s->at;
}

#endif
