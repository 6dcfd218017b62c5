/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_log.h - what a test of software printed while it ran, in a run none of whose tests failed: the error in it was
 * given to the test. What has the time of a kernel's log, or is of a test of hardware, is of the machine.
 */
#pragma once

#include "import/document/left_out.h"

bool test_log_next(const struct dump_line *lines, size_t nr, size_t from, struct left_out *ret);
