/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_limits.h - what no GPU can have: a figure above it was broken on its way, and multiplied may be another one.
 */
#pragma once

enum {
	MOST_CELSIUS = 200,
	MOST_PERCENT = 200,		/* a fan may turn faster than it is meant to */
	MOST_WATTS = 100 * 1000,
	MOST_MIB = 16 << 20,
};
