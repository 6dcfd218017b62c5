// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/link_modes.h"

/* Bits between them are no modes of a speed, but pause frames, connectors and error correction. */
static const struct { unsigned char first, last; uint32_t mbps; } modes[] = {
	{ 0, 1, 10 }, { 2, 3, 100 }, { 4, 5, 1000 }, { 12, 12, 10000 }, { 15, 15, 2500 }, { 17, 17, 1000 },
	{ 18, 20, 10000 }, { 21, 22, 20000 }, { 23, 26, 40000 }, { 27, 30, 56000 }, { 31, 33, 25000 },
	{ 34, 35, 50000 }, { 36, 39, 100000 }, { 40, 40, 50000 }, { 41, 41, 1000 }, { 42, 46, 10000 },
	{ 47, 47, 2500 }, { 48, 48, 5000 }, { 52, 56, 50000 }, { 57, 61, 100000 }, { 62, 66, 200000 },
	{ 67, 67, 100 }, { 68, 68, 1000 }, { 69, 73, 400000 }, { 75, 79, 100000 }, { 80, 84, 200000 },
	{ 85, 89, 400000 }, { 90, 91, 100 }, { 92, 92, 10 }, { 93, 98, 800000 }, { 99, 102, 10 },
	{ 103, 108, 200000 }, { 109, 114, 400000 }, { 115, 120, 800000 },
};

static uint64_t speed_of(unsigned bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (bit >= modes[i].first && bit <= modes[i].last)
			return modes[i].mbps;
	return 0;
}

uint64_t link_modes_fastest_mbps(const uint32_t *own, const uint32_t *other, size_t nr_words)
{
	uint64_t fastest = 0;

	for (unsigned bit = 0; bit < nr_words * 32; bit++) {
		uint64_t speed = own[bit / 32] & other[bit / 32] & UINT32_C(1) << bit % 32 ? speed_of(bit) : 0;

		fastest = speed > fastest ? speed : fastest;
	}
	return fastest;
}
