/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input.h - files a user hands us. */
#pragma once

#include "base/strbuf.h"
#include "snapshot/snapshot.h"

/*
 * Reads a file, or standard input for "-". what it should be: "a policy".
 * Returns its name for messages; dies with status 64 where it cannot be read.
 */
const char *input_text(const char *path, const char *what, struct strbuf *ret);

/* Loads a snapshot file, or standard input for "-"; dies with status 64, naming file, line and cause. */
void input_snapshot(const char *path, struct snapshot *ret, struct merge_unknown *unknown);
