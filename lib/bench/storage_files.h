/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storage_files.h - the files below a path: which are large enough to be read for speed, and what opening small ones
 * takes.
 */
#pragma once

#include "base/arena.h"
#include "bench/storage_reader.h"
#include "format/mounts.h"

enum {
	STORAGE_SMALL_BYTES = 256 << 10,	/* at most, of a small file: most samples of an image set are smaller */
	STORAGE_LARGE_BYTES = 8 << 20,		/* at least, of a file that is read for speed */
};

/* Names found below a folder, breadth first; of a file that file alone. Texts are the arena's. */
struct storage_names {
	size_t nr;
	const char **paths;
	const char *folder;		/* where names that do not exist are tried */
};

/*
 * Lists for that long, not into other file systems and not after links. 0 or -errno of the folder itself.
 */
int storage_names_list(struct storage_names *ret, struct arena *arena, const char *folder,
		       const struct mount_list *mounts, uint64_t ns) MUST_CHECK;

/* Times in ns, in the order of the opens. The caller frees times_ns. */
struct storage_opens {
	double *times_ns;
	size_t nr;
	size_t nr_cached;		/* small files that were in the page cache */
	uint64_t bytes;
	int error;			/* errno of the last file that could not be read; 0: none */
	size_t nr_left;			/* names that the time did not suffice for */
};

/* What was learnt of large files on the way: the largest, largest first. */
struct storage_large {
	struct storage_file files[STORAGE_MAX_FILES];
	size_t nr;
	/* large ones left out, as most of them has no place on the disk: reads of it are none */
	size_t nr_sparse;
};

/* Opens, reads and closes small files in the order of the list, each once; large ones are noted and not read. */
void storage_open_small(const struct storage_names *names, bool compresses, const struct storage_limit *limit,
			struct storage_large *large, struct storage_opens *ret);

/* Tries to open names that do not exist, each another one, so that nobody has it noted as absent. */
void storage_open_failing(const struct storage_names *names, const struct storage_limit *limit,
			  struct storage_opens *ret);
