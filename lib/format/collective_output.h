/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collective_output.h - what all_reduce_perf and the other programs of nccl-tests and rccl-tests print. Pure.
 *
 * Its columns are known by the line that names them: "error" became "#wrong" in nccl-tests 2.12, where "root" was
 * added; newer versions have more. A row of another number of columns was cut short, and is left out.
 */
#pragma once

#include "snapshot/snapshot.h"

/*
 * Fills ranks, sizes, versions, sums, complaint and, where it is printed, the collective of *ret; what it does not
 * print stays unset. Strings and lists are the arena's. Any bytes may be given; a line that is no text is left out.
 */
void collective_output_parse(struct arena *arena, const char *text, size_t len, struct collective_test *ret);
