/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ids.h - the names of checks and findings on the command line. */
#pragma once

#include "base/arena.h"
#include "cmd/opts.h"
#include "snapshot/value.h"

enum { IDS_OF_CHECKS = 1, IDS_OF_FINDINGS = 2 };

/* All names of those kinds, after `more` words (ends with NULL; or NULL). The caller frees the array. */
const char **all_ids(unsigned kinds, const char *const *more, size_t *ret_nr);

/*
 * Adds the words of a comma-separated argument to the list. Dies with status
 * 64 on one that is none of all_ids(kinds, more), naming the nearest.
 */
void option_ids(const struct option_parser *parser, unsigned kinds, const char *const *more, struct arena *arena,
		struct strs *list);

/*
 * Adds the checks that a comma-separated argument selects, each once: by name, by stage ("link") or by a shell's
 * pattern ("pcie-*"). Dies with status 64 on a word that selects none.
 */
void option_selection(const struct option_parser *parser, struct arena *arena, struct strs *list);
