/* SPDX-License-Identifier: GPL-2.0-or-later */
/* claim.h - does a sentence of a ticket say that something was, in its author's words? */
#pragma once

#include "klog/span.h"

#include <stdbool.h>

/* Is a line one that people write, and not a program? */
bool claim_is_prose(const char *text);

/* Of the words between `at` and `behind`: what a sentence denies, asks, explains or imagines it does not claim. */
bool claim_is_made(const struct span *sentence, const char *at, const char *behind);
