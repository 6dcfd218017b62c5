/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - what a policy says of versions: patterns and ranges.
 *
 * A pattern is text with * and ?, "550.54.*". A range begins with one of the
 * signs >= > <= < = and is a list of them, each before a version, all of which
 * hold: ">=550.54.14 <580". Versions are compared number by number
 * (version_compare() of base/text.h).
 */
#pragma once

#include <stdbool.h>

#include "base/compat.h"

enum pin_fault {
	PIN_IN_ORDER,
	PIN_NO_RANGE,		/* begins like a range and is none */
	PIN_EMPTY,		/* no version is in it */
};
enum pin_fault pin_fault(const char *pin);
bool pin_is_range(const char *pin);

/* Does that version meet the pin? One that does not begin with a digit is in no range. */
bool pin_met(const char *pin, const char *version);

/* Is every version that meets the pin older than that one? False if unknown. */
bool pin_is_below(const char *pin, const char *version);
