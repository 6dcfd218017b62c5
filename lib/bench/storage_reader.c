// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "bench/storage_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "sys/clock.h"

enum {
	DIRECT_THREADS = 8, BUFFERED_THREADS = 4,
	DIRECT_BLOCK_BYTES = 1 << 20, BUFFERED_BLOCK_BYTES = 4 << 20,
	PAGE_BYTES = 4096,
	CACHE_SAMPLES = 32,
	MAX_LATENCIES = 1 << 16,	/* of one thread */
	START_POLL_NS = 20000,
};

/* ---- opening */

/* 0 where the kernel does not tell: then 4 KiB suits every disk there is. */
static size_t direct_alignment(int fd, bool *ret_refuses)
{
	*ret_refuses = false;
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) && (stx.stx_mask & STATX_DIOALIGN)) {
		*ret_refuses = !stx.stx_dio_offset_align;
		return stx.stx_dio_offset_align;
	}
#else
	(void)fd;
#endif
	return 0;
}

/* No open waits, and what was swapped for a FIFO meanwhile is none of ours. */
static int open_file(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOATIME | flags);
	struct stat st;

	if (fd < 0 && errno == EPERM)	/* only the owner may leave the time of access alone */
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

/* Some file systems take the flag and refuse the read. */
static int try_direct(const char *path, size_t *align_bytes)
{
	int fd = open_file(path, O_DIRECT), error = 0;
	bool refuses;
	size_t align;
	void *buf;

	if (fd < 0)
		return fd;
	align = direct_alignment(fd, &refuses);
	if (align > *align_bytes)
		*align_bytes = align;
	buf = aligned_alloc(PAGE_BYTES, *align_bytes);
	if (!buf || refuses)
		error = refuses ? -EINVAL : -ENOMEM;
	else if (pread(fd, buf, *align_bytes, 0) < 0)
		error = -errno;
	free(buf);
	if (!error)
		return fd;
	close(fd);
	return error;
}

static void close_files(struct storage_reader *reader)
{
	for (size_t i = 0; i < reader->nr_files; i++)
		if (reader->files[i].fd >= 0)
			close(reader->files[i].fd);
}

static int open_all(struct storage_reader *reader)
{
	size_t nr = 0;
	int error = -ENOENT;

	for (size_t i = 0; i < reader->nr_files; i++) {
		struct storage_file *file = &reader->files[i];

		file->fd = reader->is_direct ? try_direct(file->path, &reader->align_bytes) : open_file(file->path, 0);
		if (file->fd < 0)
			error = file->fd;
		else
			reader->files[nr++] = *file;
	}
	reader->nr_files = nr;
	return nr ? 0 : error;
}

int storage_reader_open(struct storage_reader *reader, bool direct)
{
	const struct storage_reader given = *reader;
	int error;

	reader->align_bytes = PAGE_BYTES;
	reader->is_direct = direct;
	reader->refused = 0;
	error = open_all(reader);
	if (error && direct && (error == -EINVAL || error == -EOPNOTSUPP)) {
		*reader = given;
		reader->align_bytes = PAGE_BYTES;
		reader->is_direct = false;
		reader->refused = -error;
		error = open_all(reader);
	}
	reader->threads = reader->is_direct ? DIRECT_THREADS : BUFFERED_THREADS;
	reader->block_bytes = reader->is_direct ? DIRECT_BLOCK_BYTES : BUFFERED_BLOCK_BYTES;
	return error;
}

void storage_reader_close(struct storage_reader *reader)
{
	close_files(reader);
	reader->nr_files = 0;
}

/* ---- reading by several threads */

struct reading {
	const struct storage_reader *reader;
	size_t read_bytes;		/* of one read */
	uint64_t nr_blocks;		/* of that size, of all files */
	uint64_t until_ns, most_reads;
	bool is_random;
	atomic_uint_fast64_t next;	/* sequential: the next block; random: reads begun */
	atomic_int error;
	atomic_bool has_begun;
};

struct reader_thread {
	struct reading *reading;
	pthread_t thread;
	uint64_t seed, reads, bytes, last_ns;
	double *latencies_ns;
	size_t nr_latencies;
};

/* xorshift64 (G. Marsaglia, 2003): only evenness matters here. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static uint64_t blocks_of(const struct storage_file *file, size_t block_bytes)
{
	return file->size_bytes / block_bytes;
}

/* The file that a block is of, all files taken as one. */
static const struct storage_file *file_of_block(const struct reading *reading, uint64_t block, uint64_t *ret_offset)
{
	const struct storage_reader *reader = reading->reader;

	for (size_t i = 0; i < reader->nr_files; i++) {
		uint64_t nr = blocks_of(&reader->files[i], reading->read_bytes);

		if (block < nr) {
			*ret_offset = block * reading->read_bytes;
			return &reader->files[i];
		}
		block -= nr;
	}
	return NULL;
}

/* False: it is over. A file that was cut meanwhile ends early, and that is no error. */
static bool read_next(struct reader_thread *self, void *buf)
{
	struct reading *reading = self->reading;
	uint64_t turn = atomic_fetch_add(&reading->next, 1), offset, begin_ns;
	uint64_t block = reading->is_random ? next_random(&self->seed) % reading->nr_blocks : turn;
	const struct storage_file *file = file_of_block(reading, block, &offset);
	ssize_t len;

	if (!file || turn >= reading->most_reads || atomic_load(&reading->error))
		return false;
	begin_ns = clock_now_ns();
	if (begin_ns >= reading->until_ns)
		return false;
	len = pread(file->fd, buf, reading->read_bytes, (off_t)offset);
	self->last_ns = clock_now_ns();
	if (len < 0) {
		atomic_store(&reading->error, errno);
		return false;
	}
	self->reads++;
	self->bytes += (uint64_t)len;
	if (reading->is_random && self->nr_latencies < MAX_LATENCIES)
		self->latencies_ns[self->nr_latencies++] = (double)(self->last_ns - begin_ns);
	return true;
}

static void *reader_main(void *data)
{
	struct reader_thread *self = data;
	void *buf = aligned_alloc(PAGE_BYTES, self->reading->read_bytes);

	while (!atomic_load(&self->reading->has_begun))
		clock_sleep_ns(START_POLL_NS);
	if (!buf)
		atomic_store(&self->reading->error, ENOMEM);
	while (buf && read_next(self, buf))
		;
	free(buf);
	return NULL;
}

static void gather(const struct reader_thread *threads, unsigned nr, uint64_t began_ns, struct storage_rate *ret)
{
	uint64_t last_ns = began_ns;

	for (unsigned i = 0; i < nr; i++) {
		const struct reader_thread *thread = &threads[i];

		ret->bytes += thread->bytes;
		ret->reads += thread->reads;
		ret->nr_latencies += thread->nr_latencies;
		last_ns = thread->last_ns > last_ns ? thread->last_ns : last_ns;
	}
	ret->elapsed_ns = last_ns - began_ns;
	if (!ret->nr_latencies)
		return;
	ret->latencies_ns = xcalloc(ret->nr_latencies, sizeof(*ret->latencies_ns));
	for (size_t i = 0, at = 0; i < nr; at += threads[i++].nr_latencies)
		memcpy(ret->latencies_ns + at, threads[i].latencies_ns,
		       threads[i].nr_latencies * sizeof(*ret->latencies_ns));
}

/* How many were started; a limit of processes may forbid the rest. */
static unsigned start_threads(struct reading *reading, struct reader_thread *threads, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		threads[i] =
			(struct reader_thread){ .reading = reading, .seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1) };
		if (reading->is_random)
			threads[i].latencies_ns = xcalloc(MAX_LATENCIES, sizeof(double));
		if (pthread_create(&threads[i].thread, NULL, reader_main, &threads[i])) {
			free(threads[i].latencies_ns);
			return i;
		}
	}
	return nr;
}

static void run_threads(struct reading *reading, unsigned nr, uint64_t ns, struct storage_rate *ret)
{
	struct reader_thread threads[STORAGE_MAX_THREADS];
	unsigned nr_started = start_threads(reading, threads, nr);
	uint64_t began_ns = clock_now_ns();

	/* Fewer threads than the method says would show another speed. */
	if (nr_started < nr)
		atomic_store(&reading->error, EAGAIN);
	reading->until_ns = began_ns + ns;
	atomic_store(&reading->has_begun, true);
	for (unsigned i = 0; i < nr_started; i++)
		pthread_join(threads[i].thread, NULL);
	gather(threads, nr_started, began_ns, ret);
	ret->error = atomic_load(&reading->error);
	for (unsigned i = 0; i < nr_started; i++)
		free(threads[i].latencies_ns);
}

static void read_by_threads(const struct storage_reader *reader, size_t read_bytes, bool is_random,
			    const struct storage_limit *limit, struct storage_rate *ret)
{
	struct reading reading = { .reader = reader, .read_bytes = read_bytes, .is_random = is_random };

	*ret = (struct storage_rate){ .bytes = 0 };
	for (size_t i = 0; i < reader->nr_files; i++) {
		/* Read-ahead helps the one, and reads what nobody asked for at the other. */
		posix_fadvise(reader->files[i].fd, 0, 0, is_random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
		reading.nr_blocks += blocks_of(&reader->files[i], read_bytes);
	}
	reading.most_reads = limit->bytes / read_bytes;
	if (reading.nr_blocks && reading.most_reads)
		run_threads(&reading, reader->threads, limit->ns, ret);
}

void storage_read_sequential(const struct storage_reader *reader, const struct storage_limit *limit,
			     struct storage_rate *ret)
{
	read_by_threads(reader, reader->block_bytes, false, limit, ret);
}

void storage_read_random(const struct storage_reader *reader, const struct storage_limit *limit,
			 struct storage_rate *ret)
{
	size_t bytes = reader->is_direct && reader->align_bytes > STORAGE_RANDOM_BYTES ? reader->align_bytes :
											  STORAGE_RANDOM_BYTES;

	read_by_threads(reader, bytes, true, limit, ret);
}

/* ---- the page cache */

double storage_cached_percent(const struct storage_reader *reader)
{
	struct reading all = { .reader = reader, .read_bytes = PAGE_BYTES };
	uint64_t seed = 1, offset;
	char page[PAGE_BYTES];
	unsigned hits = 0;

	for (size_t i = 0; i < reader->nr_files; i++) {
		posix_fadvise(reader->files[i].fd, 0, 0, POSIX_FADV_RANDOM);
		all.nr_blocks += blocks_of(&reader->files[i], PAGE_BYTES);
	}
	for (int i = 0; i < CACHE_SAMPLES && all.nr_blocks; i++) {
		const struct storage_file *file = file_of_block(&all, next_random(&seed) % all.nr_blocks, &offset);
		struct iovec part = { .iov_base = page, .iov_len = sizeof(page) };

		if (file && preadv2(file->fd, &part, 1, (off_t)offset, RWF_NOWAIT) >= 0)
			hits++;
		else if (errno != EAGAIN)
			return -1.0;
	}
	return all.nr_blocks ? 100.0 * hits / CACHE_SAMPLES : -1.0;
}
