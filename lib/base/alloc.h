/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alloc.h - memory that is there or the process is not.
 *
 * No caller of gpudiag can do anything useful about a failed allocation of a
 * few kilobytes, so these functions never return NULL: they call
 * alloc_failed(), which aborts unless the program has set a handler that says
 * so and exits. Sizes that come from a file are bounded before they get here.
 */
#pragma once

#include "base/compat.h"

/* Called with the size that was not to be had; must not return. Default: abort(). */
extern void (*alloc_failed)(size_t size_bytes);

void *xmalloc(size_t size_bytes);
void *xcalloc(size_t nr, size_t size_bytes);
void *xrealloc(void *old, size_t size_bytes);
char *xstrdup(const char *text);
