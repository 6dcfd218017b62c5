/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_unpack.h - compressed files and archives that a user hands us, unpacked in a worker. */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"

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
	const char *cut;	/* why something is missing; NULL: nothing is */
	char *memory;
	size_t size;
};

/* Dies with status 64 where nothing can be unpacked, naming the cause and the way out. */
void input_unpack(const char *name, const struct strbuf *packed, struct unpacked *ret);
void unpacked_release(struct unpacked *unpacked);
