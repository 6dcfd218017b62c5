// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/siphash.h"

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned nr)
{
	while (nr--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

/* Up to eight bytes, the first one lowest: the same on every machine. */
static uint64_t load(const uint8_t *bytes, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t len)
{
	uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
	uint64_t v[4] = {
		k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
		k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *bytes = data;

	for (size_t at = 0; at + 8 <= len; at += 8)
		absorb(v, load(bytes + at, 8));
	absorb(v, load(bytes + len / 8 * 8, len % 8) | (uint64_t)len << 56);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
