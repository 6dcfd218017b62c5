/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_beside.h - beside the line that an error of a program is told by, others of the dump that read like errors:
 * each may say what that one does not.
 */
#pragma once

#include "import/dump/dump.h"

enum { MOST_BESIDE = 3 };	/* that are kept */

/* Of the lines of a reading's part those that read most like errors, but for the told one; nr_lines: none is told. */
void error_beside_put(struct reading *reading, size_t told);
