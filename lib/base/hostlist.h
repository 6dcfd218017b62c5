/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostlist.h - nodes as Slurm, ClusterShell and pdsh write them, "gpu[001-128,130],login1", both ways. Pure.
 *
 * Zeros in front are kept: gpu[08-11] are gpu08 to gpu11. A name may have one pair of brackets or several:
 * "r[1-2]n[1-4]" are eight nodes.
 */
#pragma once

#include "base/strbuf.h"

enum { HOSTLIST_MAX_NAMES = 1 << 20, HOSTLIST_MAX_NAME_BYTES = 255 };

/*
 * Calls add with each name of a list, whose parts are separated by commas or white space. 0, or -EINVAL with what is
 * wrong in *ret_why: "ends before \"]\"".
 */
int hostlist_expand(const char *list, void (*add)(void *to, const char *name), void *to,
		    const char **ret_why) MUST_CHECK;

/*
 * Adds names, sorted by text_compare_natural(), as a list with one pair of brackets for names that differ in their last
 * number.
 */
void hostlist_fold(const char *const *names, size_t nr, struct strbuf *out);

/* As strcmp(), but numbers count as such: "n2" comes before "n10". */
int text_compare_natural(const char *a, const char *b);
/* Sorts names by it, in place. */
void text_sort_natural(const char **names, size_t nr);
