/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - the units a field can have, and the one place that writes a
 * number for a person to read.
 *
 * Everything printed in a sentence goes through unit_format(): a GPU with
 * 85899345920 bytes is "80 GiB" everywhere or nowhere.
 */
#pragma once

#include <stdint.h>

#include "base/strbuf.h"

enum unit {
	UNIT_NONE,		/* a text, or a number that counts nothing nameable (an id) */
	UNIT_COUNT,		/* "12" */
	UNIT_BYTES,		/* 1024 steps: "80 GiB", "512 MiB", "17 bytes" */
	UNIT_BYTES_PER_S,	/* 1000 steps: "26.1 GB/s" */
	UNIT_GBPS,		/* GB/s of 10^9 bytes: "26.1 GB/s" */
	UNIT_GFLOPS,		/* 10^9 floating-point operations per second: "417 GFLOP/s", "19.5 TFLOP/s" */
	UNIT_LANES,		/* "x16" */
	UNIT_MTPS,		/* million transfers per second: 2500 is "2.5 GT/s", 32000 "32 GT/s" */
	UNIT_NS,		/* "8.4 µs", "1.2 ms", "3.4 s" */
	UNIT_MS,		/* "15 s", "200 ms" */
	UNIT_S,			/* "41 d 3 h", "12 min", "9 s" */
	UNIT_PERCENT,		/* 0..100: "37 %" */
	UNIT_RATIO,		/* 0..1 shown as per cent: 0.6 is "60 %" */
	UNIT_MHZ,		/* "2600 MHz" */
	UNIT_PAGES,		/* "1024 pages" */
	UNIT_PER_S,		/* so many a second: "120/s" */
	UNIT_MBPS,		/* network links, 10^6 bit/s: "100 Mbit/s", "400 Gbit/s" */
	UNIT_CELSIUS,		/* "64 °C" */
	UNIT_MW,		/* milliwatts: "700 W", "850 mW"; a kilowatt is "1 kW" */
	UNIT_MJ,		/* millijoules, 1000 steps: "1.2 kJ" */
	NR_UNITS
};

/* The symbol used in JSON evidence and documents: "bytes", "lanes", "GB/s", "ns"; "" for UNIT_NONE. */
const char *unit_symbol(enum unit unit);

/*
 * Adds the value as a person reads it: at most four significant digits, but
 * nothing before the point is cut (10501 MHz), never an exponent. "?" for NaN
 * and infinity.
 */
void unit_format(struct strbuf *out, enum unit unit, double value);
/* The same for whole numbers, exact where the unit has no prefixes. */
void unit_format_u64(struct strbuf *out, enum unit unit, uint64_t value);
