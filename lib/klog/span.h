/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - a piece of a line, in place: nothing is copied and nothing ends in
 * a NUL. Takers move the beginning past what they took, or leave it alone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text_scan.h"

struct span {
	const char *at, *end;
};

static inline size_t span_len(struct span span)
{
	return (size_t)(span.end - span.at);
}

static inline struct span span_of(const char *text)
{
	return (struct span){ .at = text, .end = text + strlen(text) };
}

static inline bool span_is(struct span span, const char *text)
{
	size_t len = strlen(text);

	/* A span that is unset is empty. */
	return span_len(span) == len && (!len || !memcmp(span.at, text, len));
}

static inline bool span_begins(struct span span, const char *text)
{
	size_t len;

	/* Texts are tried in lists, and most differ in the first letter. */
	if (span.at == span.end || *span.at != *text)
		return !*text;
	len = strlen(text);
	return span_len(span) >= len && !memcmp(span.at, text, len);
}

/* Past a text it begins with. */
static inline bool span_take(struct span *span, const char *text)
{
	if (!span_begins(*span, text))
		return false;
	span->at += strlen(text);
	return true;
}

/* Past blanks. */
static inline void span_trim(struct span *span)
{
	while (span->at < span->end && (*span->at == ' ' || *span->at == '\t'))
		span->at++;
}

/* A decimal number of up to 19 digits. */
bool span_take_u64(struct span *span, uint64_t *ret);

/* A hexadecimal number with or without 0x; how many digits is the caller's affair. false: none, or over 16. */
bool span_take_hex(struct span *span, uint64_t *ret);

/*
 * A PCI address as logs have it, with "PCI:" before it or not, without its
 * function (as Xid lines leave it out: it is 0 then), or in capitals. ret is
 * as everywhere else: "0000:5d:00.0".
 */
enum { PCI_TEXT_BYTES = 20 };
bool span_take_pci(struct span *span, char ret[PCI_TEXT_BYTES]);
void span_put_pci(char ret[PCI_TEXT_BYTES], unsigned domain, unsigned bus, unsigned device, unsigned function);

/* Copies as much as fits, with a NUL, and never half a UTF-8 character. */
void span_copy(struct span span, char *ret, size_t size);
