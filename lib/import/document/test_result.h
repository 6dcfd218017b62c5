/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_result.h - what a run of tests prints of those that passed: the error in it was expected. A log with times is of
 * the machine on which they ran.
 */
#pragma once

#include "import/document/left_out.h"

bool test_result_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
