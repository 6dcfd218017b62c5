/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * example.h - what a sentence before it introduces as an example: lines that its reader may see one day. No machine
 * under test printed them.
 */
#pragma once

#include "import/document/left_out.h"

bool example_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
