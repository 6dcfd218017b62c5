/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_unpack.h - compressed files and archives that a user hands us, unpacked in a worker. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "sys/memory_tree.h"

struct unpacked_file {
	const char *name;	/* in the archive, after a "/"; "" of one that was compressed by itself */
	const char *bytes;
	size_t offset, len;
};

/* Zeroed is empty. */
struct unpacked {
	struct arena arena;
	struct unpacked_file *files;
	size_t nr;
	struct memory_tree tree;	/* files of recorded trees, by their paths in the archive */
	const char *cut;	/* why something is missing; NULL: nothing is */
	const char *nothing;	/* why all is, and the way out; NULL: not all */
	char *memory;
	size_t size;
};

/*
 * All calls together unpack at most UNPACK_MOST_BYTES. Where nothing can be unpacked *ret is empty but for the cause
 * and the way out, which end the program with an error if is_alone. The files are in the order in
 * which those of a folder are read.
 */
void input_unpack(const char *name, const struct strbuf *packed, bool is_alone, struct unpacked *ret);
void unpacked_release(struct unpacked *unpacked);
