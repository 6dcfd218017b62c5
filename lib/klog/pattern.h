/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern.h - how the lines of the catalogue are written.
 *
 * A pattern is text as the kernel prints it, with places:
 *
 *	{pci}		a PCI address, with PCI: and a function or without
 *	{rid}		PCI's requester id, in the domain of the device that speaks:
 *			"5d:00.0", "5d00", or an address with its domain; 00:00.0 is
 *			the device that speaks
 *	{code} {pid} {count} {link}	a decimal number
 *	{address}	a hexadecimal number, with 0x or without, in one or in two
 *			halves as in 0x6f6f_320c2000
 *	{process} {unit} {status}	text up to what comes next in the pattern, or
 *			to the end of the line, without blanks at its end
 *	{task}		the process and the pid of "kworker/u64:2:1234", likewise
 *	{*}		any text up to what comes next, not kept
 *	{n} {x} {w}	any decimal number, hexadecimal number, word; not kept
 *	{end}		nothing more, but a full stop: what goes on is a sentence about such a line
 *	{?text}		may stand here or not
 *
 * One blank of a pattern stands for one or more of the line. The line may go
 * on after the pattern's end. There is no way back: text goes up to the first
 * place where what comes next is found, so that time is linear.
 */
#pragma once

#include "klog/span.h"

/* What places have taken. Spans point into the line; empty: not in the line. */
struct klog_fields {
	bool has_code, has_pid, has_count, has_link, has_address;
	uint64_t code, pid, count, link, address;
	char pci[PCI_TEXT_BYTES];	/* or "" */
	struct span process, unit, status;
};

/* A place and the literal behind it, taken out of a pattern once: hundreds of patterns are tried on a line. */
struct klog_step {
	struct span literal;
	unsigned place;
};
enum { MAX_PATTERN_STEPS = 32 };	/* none of the catalogue has more: tests/unit/test_klog_pattern.c */

/* The steps of a pattern, which must outlive them; how many, at most `room`. */
size_t klog_pattern_steps(const char *pattern, struct klog_step *ret, size_t room);

/* False where the text does not begin as they do: what most patterns fail at. */
bool klog_steps_may_match(const struct klog_step *steps, size_t nr, struct span text);

/*
 * ret->pci is the device that speaks, if any, until a place takes another.
 * ret is written to only by places that took something; what a failed
 * match took stays in it.
 */
bool klog_steps_match(const struct klog_step *steps, size_t nr, struct span text, struct klog_fields *ret);

/*
 * The same of a text whose end was cut off: what is missing may be what the pattern has there. false where so little of
 * it is left that it may be anything.
 */
bool klog_steps_match_cut(const struct klog_step *steps, size_t nr, struct span text, struct klog_fields *ret);

/* What a piece of a line is to the steps that took it. */
enum klog_piece_kind {
	KLOG_PIECE_FORM,	/* a literal, a number, an address */
	KLOG_PIECE_PROCESS,
	KLOG_PIECE_UNIT,	/* {unit}: tells events apart */
	KLOG_PIECE_NAME,	/* {status} */
	KLOG_PIECE_TEXT,	/* any other text */
	KLOG_PIECE_REST,	/* what stands behind the last step */
};
struct klog_piece {
	enum klog_piece_kind kind;
	struct span text;
};
enum { MAX_KLOG_PIECES = 3 * MAX_PATTERN_STEPS + 1 };

/*
 * Takes a line that the steps match into pieces, which stand one behind the other from its beginning to its end. device
 * is who speaks, or "". How many: 0 where they do not match.
 */
size_t klog_steps_pieces(const struct klog_step *steps, size_t nr, struct span text, const char *device,
			 struct klog_piece ret[MAX_KLOG_PIECES]);

/* klog_steps_match() of a pattern that nobody took apart before. */
bool klog_pattern_match(const char *pattern, struct span text, struct klog_fields *ret);

/* Is it a pattern as above says? For the tests of the catalogue. */
bool klog_pattern_valid(const char *pattern);
