/* SPDX-License-Identifier: GPL-2.0-or-later */
/* amd_word.h - the words of amd-smi and rocm-smi. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* "N/A", "unknown": the tool has no value. */
bool amd_is_no_value(const char *text);
/* Does a path end with these names? */
bool amd_path_ends(const char *path, const char *end);
