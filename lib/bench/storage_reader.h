/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storage_reader.h - how fast large files can be read: from begin to end, and
 * 4 KiB here and there.
 *
 * Several threads read, since one that waits for each read shows the latency
 * of an NVMe disk and not its speed; io_uring would do as well, and is often
 * forbidden. The page cache is passed by O_DIRECT; where a file system refuses
 * that, reads are buffered, and how much of it the cache had is looked up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

enum {
	STORAGE_RANDOM_BYTES = 4096,
	STORAGE_MAX_FILES = 8,		/* the largest are read */
	STORAGE_MAX_THREADS = 16,
};

struct storage_file {
	const char *path;
	uint64_t size_bytes;
	int fd;				/* while a reader has it open */
};

struct storage_reader {
	struct storage_file files[STORAGE_MAX_FILES];
	size_t nr_files;
	bool is_direct;
	int refused;			/* the errno by which O_DIRECT was refused; 0: it was not asked for */
	unsigned threads;
	size_t block_bytes;		/* of a sequential read */
	size_t align_bytes;		/* of offsets and lengths */
};

struct storage_rate {
	uint64_t bytes, reads, elapsed_ns;
	double *latencies_ns;		/* of random reads, as many as were kept; the caller's to free */
	size_t nr_latencies;
	int error;			/* errno of the first read that failed; 0: none did */
};

/* How much a measurement may read, and for how long; whichever ends first. */
struct storage_limit {
	uint64_t bytes, ns;
};

/*
 * Opens the files named in reader->files; those that cannot be opened are taken out. direct: to be tried. 0, or -errno
 * where none is left.
 */
int storage_reader_open(struct storage_reader *reader, bool direct) MUST_CHECK;
void storage_reader_close(struct storage_reader *reader);

/* One after the other, each once. */
void storage_read_sequential(const struct storage_reader *reader, const struct storage_limit *limit,
			     struct storage_rate *ret);
/* Anywhere, STORAGE_RANDOM_BYTES or the least that O_DIRECT takes. */
void storage_read_random(const struct storage_reader *reader, const struct storage_limit *limit,
			 struct storage_rate *ret);

/*
 * Of random samples, how many percent were in the page cache; negative: the file system does not tell. Each miss makes
 * the kernel read that page.
 */
double storage_cached_percent(const struct storage_reader *reader);
