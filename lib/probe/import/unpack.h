/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack.h - what compressed files and archives hold, read by libarchive: gzip (of many members), bzip2, xz, zstd; tar
 * and zip. For a worker: libarchive reads what strangers made. Of a report of a whole machine the files that nobody
 * reads (report_file()) are passed over.
 *
 * Parent and worker share memory: the packed file stands at its beginning, and what is unpacked is written behind it. A
 * frame tells of each file in it:
 *
 *	file OFFSET LENGTH NAME		in the shared memory; NAME is "" where the packed file is one file by itself
 *	tree OFFSET LENGTH		the files of recorded trees, one record (struct unpack_tree_file) after another
 *	cut REASON			the one before it, or the whole, ends too early
 *	end				all has been told
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNPACK_MOST_FILES = 20000,
	UNPACK_MOST_TREE_FILES = 200000,	/* of recorded trees: a node with 64 GPUs has half as many */
	UNPACK_MOST_TREE_FILE_BYTES = 4 << 20,	/* ROOT_MAX_FILE_BYTES */
	UNPACK_DEEPEST = 3,		/* archives in archives */
};

/* Before each file or link of a tree; its path follows, and its bytes or where it leads. */
struct unpack_tree_file {
	uint64_t path_len, len;
	uint32_t is_link, is_too_large;
};
/* What is unpacked, of all files of one import: of a bug report 30 times what it is packed. */
#define UNPACK_MOST_BYTES ((size_t)512 << 20)
/* Of an archive's recorded trees, beside that. */
#define UNPACK_MOST_TREE_BYTES ((size_t)128 << 20)

/* By the first bytes (magic(5), and tar's at 257). */
bool unpack_is_packed(const char *bytes, size_t len);

/*
 * The worker's main: argv[1] is how many bytes of the shared memory are the packed file, argv[2] how many may come of
 * it.
 */
int unpack_worker_main(int argc, char **argv);
