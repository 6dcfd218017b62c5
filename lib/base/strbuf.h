/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strbuf.h - a string that grows.
 *
 * buf is always a NUL-terminated string of len bytes (which may itself hold
 * NULs, read from a file). Begin with STRBUF_INIT, end with strbuf_release();
 * there is nothing to free before the first byte is added.
 */
#pragma once

#include <stdarg.h>

#include "base/compat.h"

struct strbuf {
	char *buf;
	size_t len, size;
};

extern char strbuf_empty[];	/* what buf points to while nothing was added; never written */

#define STRBUF_INIT { .buf = strbuf_empty }

void strbuf_release(struct strbuf *sb);		/* frees; sb is as after STRBUF_INIT */
void strbuf_reset(struct strbuf *sb);		/* len 0, memory kept */
char *strbuf_detach(struct strbuf *sb);		/* the caller frees what it gets; sb is empty */
void strbuf_grow(struct strbuf *sb, size_t more);	/* room for more bytes and a NUL */
void strbuf_setlen(struct strbuf *sb, size_t len);	/* len at most the room there is */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *text);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addchars(struct strbuf *sb, char c, size_t nr);
void strbuf_addf(struct strbuf *sb, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *sb, const char *format, va_list args) PRINTF_LIKE(2, 0);
void strbuf_rtrim(struct strbuf *sb);		/* removes white space from the end */
/* Adds what *template has before its next "{PLACE}" and goes behind it. Returns PLACE and its length; NULL: none. */
const char *strbuf_add_to_place(struct strbuf *sb, const char **template, size_t *ret_len);

/* For variables: struct strbuf line __attribute__((cleanup(strbuf_release))) = STRBUF_INIT; */
#define STRBUF_AUTO __attribute__((cleanup(strbuf_release))) struct strbuf
