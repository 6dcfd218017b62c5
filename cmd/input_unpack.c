// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text_scan.h"
#include "cmd/cmd.h"
#include "format/report_tree.h"
#include "probe/import/unpack.h"
#include "sys/worker.h"
#include "sys/write_file.h"

enum {
	DEADLINE_MS = 60000,
	FIRST_FD = 10,		/* above all that a child gets by number */
};

/* The worker at work. */
struct unpacking {
	struct unpacked *ret;
	uint64_t tree_offset, tree_len;
	const char *missing;	/* why libarchive cannot be loaded */
	bool has_ended;
};

/* "file OFFSET LENGTH NAME" */
static int take_file(struct unpacked *ret, const char *at)
{
	struct unpacked_file *file;
	uint64_t offset, len;
	bool fits = true;

	if (!scan_u64(&at, 10, &offset, &fits) || *at++ != ' ' || !scan_u64(&at, 10, &len, &fits) || *at++ != ' ' ||
	    !fits)
		return -EINVAL;
	ret->files = arena_grow(&ret->arena, ret->files, ret->nr, sizeof(*ret->files));
	file = &ret->files[ret->nr++];
	*file = (struct unpacked_file){ .name = arena_strdup(&ret->arena, at), .offset = offset, .len = len };
	return 0;
}

/* "tree OFFSET LENGTH" */
static int take_tree(struct unpacking *unpacking, const char *at)
{
	bool fits = true;

	return !scan_u64(&at, 10, &unpacking->tree_offset, &fits) || *at++ != ' ' ||
	       !scan_u64(&at, 10, &unpacking->tree_len, &fits) || *at || !fits ? -EINVAL : 0;
}

static int hear(struct worker *worker, char *line, size_t len)
{
	struct unpacking *unpacking = worker->data;
	struct unpacked *ret = unpacking->ret;

	(void)len;
	if (!strncmp(line, "file ", 5))
		return take_file(ret, line + 5);
	if (!strncmp(line, "tree ", 5))
		return take_tree(unpacking, line + 5);
	if (!strncmp(line, "cut ", 4)) {
		ret->cut = ret->cut ? ret->cut : arena_strdup(&ret->arena, line + 4);
		return 0;
	}
	if (!strncmp(line, "missing ", 8)) {
		unpacking->missing = arena_strdup(&ret->arena, line + 8);
		return 0;
	}
	unpacking->has_ended = !strcmp(line, "end");
	return unpacking->has_ended ? 0 : -EINVAL;
}

/* ---- the memory that both share */

static int make_memory(const char *name, const struct strbuf *packed)
{
	int low = memfd_create("gpudiag-unpack", MFD_CLOEXEC);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
	int r = fd < 0 ? -errno : write_all(fd, packed->buf, packed->len);

	if (low >= 0)
		close(low);
	if (r)
		die(EXIT_INTERNAL, "%s: no memory to unpack it: %s", name, strerror(-r));
	return fd;
}

static void map_memory(int fd, const char *name, struct unpacked *ret)
{
	struct stat st;
	size_t nr = 0;

	if (fstat(fd, &st))
		die(EXIT_INTERNAL, "%s: %s", name, strerror(errno));
	ret->size = (size_t)st.st_size;
	ret->memory = mmap(NULL, ret->size, PROT_READ, MAP_SHARED, fd, 0);
	if (ret->memory == MAP_FAILED)
		die(EXIT_INTERNAL, "%s: no memory to unpack it: %s", name, strerror(errno));
	for (size_t i = 0; i < ret->nr; i++) {
		struct unpacked_file *file = &ret->files[i];

		if (file->offset > ret->size || file->len > ret->size - file->offset)
			continue;
		file->bytes = ret->memory + file->offset;
		ret->files[nr++] = *file;
	}
	ret->nr = nr;
}

/* What the worker wrote is not to be trusted: it stops where a length leads out of it. */
static void map_tree(struct unpacking *unpacking)
{
	struct unpacked *ret = unpacking->ret;
	const char *at = ret->memory + unpacking->tree_offset, *end = at + unpacking->tree_len;
	struct unpack_tree_file header;

	if (unpacking->tree_offset > ret->size || unpacking->tree_len > ret->size - unpacking->tree_offset)
		return;
	while ((size_t)(end - at) >= sizeof(header)) {
		struct memory_file *file;

		memcpy(&header, at, sizeof(header));
		at += sizeof(header);
		if (header.path_len > (size_t)(end - at) || header.len > (size_t)(end - at) - header.path_len)
			return;
		ret->tree.files = arena_grow(&ret->arena, ret->tree.files, ret->tree.nr, sizeof(*ret->tree.files));
		file = &ret->tree.files[ret->tree.nr++];
		*file = (struct memory_file){
			.path = arena_strndup(&ret->arena, at, header.path_len),
			.len = header.len,
			.is_too_large = header.is_too_large,
		};
		file->bytes = at + header.path_len;
		if (header.is_link)
			file->link = arena_strndup(&ret->arena, file->bytes, header.len);
		at += header.path_len + header.len;
	}
}

/* ---- what came of it */

static const char *missing_words(struct arena *arena, const char *why)
{
	return arena_printf(arena,
			    "compressed or an archive, which libarchive unpacks: %s; install it (in Debian: "
			    "libarchive13), or unpack it yourself: zcat, xzcat or zstdcat FILE | gpudiag run --import -",
			    why);
}

/* Why there is nothing of it; NULL: there is. */
static const char *why_nothing(struct arena *arena, const struct worker *worker, const struct unpacking *unpacking)
{
	const char *cut = unpacking->ret->cut;

	if (worker->end == WORKER_TIMED_OUT || worker->end == WORKER_STUCK)
		return arena_printf(arena, "not unpacked within %d s", DEADLINE_MS / 1000);
	if (worker->end == WORKER_SIGNALLED)
		return arena_printf(arena, "libarchive crashed on it (%s)", strsignal(worker->status));
	if (!unpacking->has_ended)
		return "not unpacked: the worker ended early";
	if (unpacking->ret->nr || unpacking->tree_len)
		return NULL;
	return cut ? arena_printf(arena, "cannot be unpacked: %s", cut) : "no file in it that gpudiag reads";
}

static int by_name(const void *a, const void *b)
{
	const struct unpacked_file *left = a, *right = b;

	return report_file_order(left->name, right->name);
}

static void finish(const char *name, const struct worker *worker, struct unpacking *unpacking, bool is_alone)
{
	struct unpacked *ret = unpacking->ret;
	const char *why;

	why = unpacking->missing ? missing_words(&ret->arena, unpacking->missing) :
				   why_nothing(&ret->arena, worker, unpacking);
	if (why && is_alone)
		die(EXIT_USAGE, "%s: %s", name, why);
	if (why) {
		ret->nothing = why;
		ret->nr = 0;
		ret->cut = NULL;
		return;
	}
	map_memory(worker->shared_fd, name, ret);
	map_tree(unpacking);
	if (ret->nr)
		qsort(ret->files, ret->nr, sizeof(*ret->files), by_name);
}

void input_unpack(const char *name, const struct strbuf *packed, bool is_alone, struct unpacked *ret)
{
	static size_t unpacked_bytes;
	char len[24], most[24];
	const char *const argv[] = { "gpudiag-unpack", len, most, NULL };
	struct unpacking unpacking = { .ret = ret };
	struct worker worker = {
		.argv = argv, .main = unpack_worker_main, .deadline_ms = DEADLINE_MS, .on_line = hear,
		.data = &unpacking,
		.shared_fd = make_memory(name, packed), .output = STRBUF_INIT,
	};

	snprintf(len, sizeof(len), "%zu", packed->len);
	snprintf(most, sizeof(most), "%zu", UNPACK_MOST_BYTES - unpacked_bytes);
	workers_run(&worker, 1, &(struct workers_run){ .cancel = NULL });
	strbuf_release(&worker.output);
	finish(name, &worker, &unpacking, is_alone);
	for (size_t i = 0; i < ret->nr; i++)
		unpacked_bytes += ret->files[i].len < UNPACK_MOST_BYTES - unpacked_bytes
					  ? ret->files[i].len
					  : UNPACK_MOST_BYTES - unpacked_bytes;
	close(worker.shared_fd);
}

void unpacked_release(struct unpacked *unpacked)
{
	if (unpacked->memory)
		munmap(unpacked->memory, unpacked->size);
	arena_release(&unpacked->arena);
}
