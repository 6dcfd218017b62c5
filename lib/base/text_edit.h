/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_edit.h - a text by another one and what differs. */
#pragma once

#include "base/strbuf.h"

/*
 * Adds to out the lines of text as script changes them, which `diff -e` wrote: commands "5a", "5,7c" and "5,7d", the
 * last of the text first, each of the first two with its lines and a "." alone. 0, or -EINVAL where the script has
 * another command, goes back and forth, or names lines that are not there; out then has lost what was added.
 */
int text_edit(struct strbuf *out, const char *text, const char *script) MUST_CHECK;
