/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fnv.h - FNV-1a with 64 bits (Fowler, Noll, Vo: http://www.isthe.com/chongo/tech/comp/fnv/), for tables and keys of
 * ours. Against input made to collide it is no help: siphash.h is.
 */
#pragma once

#include <stdint.h>

#include "base/compat.h"

/* Begins with this; each function goes on with what it returned before. */
#define FNV_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t fnv_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* A text with its NUL, so that two in a row are told from two others that read the same together. */
static inline uint64_t fnv_text(uint64_t hash, const char *text)
{
	do {
		hash = fnv_byte(hash, (unsigned char)*text);
	} while (*text++);
	return hash;
}
