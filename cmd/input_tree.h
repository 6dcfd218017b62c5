/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input_tree.h - recorded trees among what is imported: a folder, a part of an archive, files that were pasted. The
 * same workers read them as read a tree of --root; what they tell joins what the dumps tell.
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "cmd/input_unpack.h"
#include "import/import.h"

/* Has the folder a recorded /sys, or a /proc that is none of a report's? No link of it is followed out of it. */
bool input_is_tree(const char *folder);
/* Reads a folder that is one. */
void input_tree(struct import *import, const char *folder);

/*
 * Reads those in an archive of that name; what of its files belongs to none is added to its files, as far as it may be
 * a dump.
 */
void input_unpacked_trees(struct import *import, const char *name, struct unpacked *unpacked);

/* Reads the files that texts show (import_files()). */
void input_pasted_files(struct import *import);
