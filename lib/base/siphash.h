/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * siphash.h - SipHash-2-4: a hash that nobody can compute, or turn back by
 * trying inputs, without its key (Aumasson and Bernstein,
 * https://www.aumasson.jp/siphash/siphash.pdf).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY_BYTES = 16 };

uint64_t siphash(const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t len);
