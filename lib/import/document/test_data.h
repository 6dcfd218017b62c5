/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_data.h - what a test is given: tables and records that tell what is expected of each line, and the inputs that a
 * runner names. No machine under test printed them.
 */
#pragma once

#include "import/document/left_out.h"

bool test_data_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
