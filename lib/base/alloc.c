// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/alloc.h"

static void alloc_abort(size_t size_bytes)
{
	(void)size_bytes;
	abort();
}

void (*alloc_failed)(size_t size_bytes) = alloc_abort;

static void *checked(void *memory, size_t size_bytes)
{
	if (!memory) {
		alloc_failed(size_bytes);
		abort();
	}
	return memory;
}

void *xmalloc(size_t size_bytes)
{
	return checked(malloc(size_bytes ? size_bytes : 1), size_bytes);
}

void *xcalloc(size_t nr, size_t size_bytes)
{
	if (!nr || !size_bytes)
		nr = size_bytes = 1;
	return checked(calloc(nr, size_bytes), size_bytes);
}

void *xrealloc(void *old, size_t size_bytes)
{
	return checked(realloc(old, size_bytes ? size_bytes : 1), size_bytes);
}

char *xstrdup(const char *text)
{
	size_t size_bytes = strlen(text) + 1;

	return memcpy(xmalloc(size_bytes), text, size_bytes);
}
