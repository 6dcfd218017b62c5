/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sized_word.h - sizes as tools of the host print them: "871G", "5,4Gi", "384MiB", "1.9TB", "0B", "20480". */
#pragma once

#include "base/text_scan.h"

/*
 * "M", "Mi" and "MiB" are of 1024, "MB" is of 1000, as coreutils has it; "B" is one byte. *at goes past it; 0: there is
 * no unit there.
 */
uint64_t size_unit_take(const char **at);

/*
 * unit: bytes of a figure that has no unit of its own; 0: such a figure is none. false: the word is no size ("-"), or one
 * that no machine has.
 */
bool sized_word(const struct text_word *word, uint64_t unit, uint64_t *ret_bytes);
