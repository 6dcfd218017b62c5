// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/import/unpack.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "format/report_tree.h"
#include "probe/library.h"
#include "sys/worker.h"
#include "sys/write_file.h"

/* libarchive's, as archive.h and archive_entry.h have them since 3.0. */
struct archive;
struct archive_entry;
enum {
	ARCHIVE_OK = 0, ARCHIVE_EOF = 1, ARCHIVE_WARN = -20,
	ARCHIVE_FORMAT_RAW = 0x90000,
	AE_IFMT = 0170000, AE_IFREG = 0100000, AE_IFLNK = 0120000,
};

static struct archive *(*read_new)(void);
static int (*read_free)(struct archive *archive);
static int (*open_memory)(struct archive *archive, const void *bytes, size_t len);
static int (*next_header)(struct archive *archive, struct archive_entry **ret);
static ssize_t (*read_data)(struct archive *archive, void *buf, size_t size);
static int (*format_of)(struct archive *archive);
static const char *(*error_string)(struct archive *archive);
static const char *(*entry_pathname)(struct archive_entry *entry);
static const char *(*entry_symlink)(struct archive_entry *entry);
static unsigned (*entry_filetype)(struct archive_entry *entry);
static int (*support[8])(struct archive *archive);

static const char *const library_names[] = { "libarchive.so.13", NULL };
/* No filter of it that starts a program, and no format that plain text could be taken for. */
static const struct library_symbol symbols[] = {
	{ .name = "archive_read_new", .required = true, .to = LIBRARY_TO(read_new) },
	{ .name = "archive_read_free", .required = true, .to = LIBRARY_TO(read_free) },
	{ .name = "archive_read_open_memory", .required = true, .to = LIBRARY_TO(open_memory) },
	{ .name = "archive_read_next_header", .required = true, .to = LIBRARY_TO(next_header) },
	{ .name = "archive_read_data", .required = true, .to = LIBRARY_TO(read_data) },
	{ .name = "archive_format", .required = true, .to = LIBRARY_TO(format_of) },
	{ .name = "archive_error_string", .required = true, .to = LIBRARY_TO(error_string) },
	{ .name = "archive_entry_pathname", .required = true, .to = LIBRARY_TO(entry_pathname) },
	{ .name = "archive_entry_symlink", .required = true, .to = LIBRARY_TO(entry_symlink) },
	{ .name = "archive_entry_filetype", .required = true, .to = LIBRARY_TO(entry_filetype) },
	{ .name = "archive_read_support_filter_gzip", .required = true, .to = LIBRARY_TO(support[0]) },
	{ .name = "archive_read_support_filter_bzip2", .to = LIBRARY_TO(support[1]) },
	{ .name = "archive_read_support_filter_xz", .to = LIBRARY_TO(support[2]) },
	{ .name = "archive_read_support_filter_zstd", .to = LIBRARY_TO(support[3]) },
	{ .name = "archive_read_support_format_tar", .required = true, .to = LIBRARY_TO(support[4]) },
	{ .name = "archive_read_support_format_zip", .to = LIBRARY_TO(support[5]) },
	{ .name = "archive_read_support_format_raw", .required = true, .to = LIBRARY_TO(support[6]) },
	{ .name = NULL },
};

bool unpack_is_packed(const char *bytes, size_t len)
{
	static const struct { size_t at, len; const char *magic; } kinds[] = {
		{ 0, 2, "\x1f\x8b" },		 { 0, 5, "\xfd" "7zXZ" }, { 0, 4, "\x28\xb5\x2f\xfd" },
		{ 0, 3, "BZh" },		 { 0, 4, "PK\x03\x04" },  { 257, 5, "ustar" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len > kinds[i].at + kinds[i].len && !memcmp(bytes + kinds[i].at, kinds[i].magic, kinds[i].len))
			return true;
	return false;
}

/* ---- frames */

static void PRINTF_LIKE(1, 2) tell(const char *format, ...)
{
	STRBUF_AUTO line = STRBUF_INIT;
	STRBUF_AUTO clean = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	utf8_clean(&clean, line.buf, line.len);
	for (char *c = clean.buf; *c; c++)
		if ((unsigned char)*c < 0x20)
			*c = '?';
	strbuf_addch(&clean, '\n');
	/* Nobody listens any more: then nobody wants the rest. */
	if (write_all(WORKER_FRAME_FD, clean.buf, clean.len))
		_exit(EXIT_FAILURE);
}

/* ---- unpacking */

struct unpacking {
	size_t end;		/* of what stands in the shared memory */
	size_t bytes, files;
	uint64_t most_bytes;
	struct strbuf tree;	/* files of recorded trees */
	size_t tree_files;
	bool tree_is_full;
};

static bool unpack_all(struct unpacking *to, size_t at, size_t len, const char *name, unsigned depth);

static struct archive *open_archive(const void *bytes, size_t len)
{
	struct archive *archive = read_new();

	for (size_t i = 0; i < ARRAY_SIZE(support); i++)
		if (support[i])
			support[i](archive);
	if (open_memory(archive, bytes, len) == ARCHIVE_OK)
		return archive;
	tell("cut %.200s", error_string(archive) ? error_string(archive) : "unknown form");
	read_free(archive);
	return NULL;
}

/* false: it is at its limit. What was read before an error is kept. */
static bool copy_data(struct unpacking *to, struct archive *archive, const char **ret_cut)
{
	char buf[1 << 16];
	ssize_t got;

	*ret_cut = NULL;
	while ((got = read_data(archive, buf, sizeof(buf))) > 0) {
		if (to->bytes + (size_t)got > to->most_bytes) {
			*ret_cut = "it is larger than gpudiag unpacks";
			return false;
		}
		if (pwrite(WORKER_SHARED_FD, buf, (size_t)got, (off_t)to->end) != got) {
			*ret_cut = "no memory for it";
			return false;
		}
		to->end += (size_t)got;
		to->bytes += (size_t)got;
	}
	if (got < 0)
		*ret_cut = error_string(archive) ? error_string(archive) : "damaged";
	return true;
}

/* Is it as it was? What begins as a compressed file, and is none that libarchive knows, it hands over as it is. */
static bool is_unchanged(const char *packed, size_t packed_len, const char *first, size_t got, size_t len)
{
	return len == packed_len && got <= len && !memcmp(packed, first, got);
}

/*
 * One file of an archive, or what a compressed file holds: told, or unpacked in its turn. packed: the compressed file;
 * NULL: it is an archive.
 */
static bool take_entry(struct unpacking *to, struct archive *archive, const char *packed, size_t packed_len,
		       const char *name, unsigned depth)
{
	size_t at = to->end;
	const char *cut;
	bool goes_on = copy_data(to, archive, &cut);
	char first[512];
	size_t len = to->end - at;
	ssize_t got = pread(WORKER_SHARED_FD, first, sizeof(first), (off_t)at);

	if (packed && got > 0 && is_unchanged(packed, packed_len, first, (size_t)got, len)) {
		to->end = at;
		tell("cut damaged, or compressed in a way that libarchive does not know");
		return goes_on;
	}
	if (len && got > 0 && depth < UNPACK_DEEPEST && unpack_is_packed(first, (size_t)got < len ? (size_t)got : len))
		return unpack_all(to, at, len, name, depth + 1) && goes_on;
	if (len)
		tell("file %zu %zu %s", at, len, name);
	if (cut)
		tell("cut %.200s", cut);
	return goes_on;
}

/* ---- recorded trees */

static void add_to_tree(struct unpacking *to, const char *path, const char *bytes, const struct unpack_tree_file *file)
{
	struct unpack_tree_file header = *file;

	header.path_len = strlen(path);
	strbuf_add(&to->tree, (const char *)&header, sizeof(header));
	strbuf_addstr(&to->tree, path);
	strbuf_add(&to->tree, bytes, header.len);
	to->tree_files++;
}

/* Files that tar padded by zeros are text as a rule, and small: the zeros are dropped here already. */
static size_t without_padding(const char *bytes, size_t len)
{
	size_t text = strnlen(bytes, len);

	for (size_t i = 0; i < text; i++)
		if ((unsigned char)bytes[i] < 0x09)
			return len;
	for (size_t i = text; i < len; i++)
		if (bytes[i])
			return len;
	return text;
}

static void take_tree_file(struct unpacking *to, struct archive *archive, const char *path)
{
	STRBUF_AUTO bytes = STRBUF_INIT;
	ssize_t got;

	do {
		strbuf_grow(&bytes, 1 << 16);
		got = read_data(archive, bytes.buf + bytes.len, 1 << 16);
		if (got > 0)
			strbuf_setlen(&bytes, bytes.len + (size_t)got);
	} while (got > 0 && bytes.len <= UNPACK_MOST_TREE_FILE_BYTES);
	if (bytes.len > UNPACK_MOST_TREE_FILE_BYTES)
		add_to_tree(to, path, "", &(struct unpack_tree_file){ .is_too_large = 1 });
	else
		add_to_tree(to, path, bytes.buf,
			    &(struct unpack_tree_file){ .len = without_padding(bytes.buf, bytes.len) });
}

/* What has no room is left out, and the dumps beside it are read all the same. */
static void take_tree_entry(struct unpacking *to, struct archive *archive, struct archive_entry *entry,
			    const char *path)
{
	const char *link = entry_symlink(entry);

	if (to->tree_is_full)
		return;
	if (to->tree_files == UNPACK_MOST_TREE_FILES || to->tree.len > UNPACK_MOST_TREE_BYTES) {
		tell("cut of recorded trees more than %d files or %zu MiB", UNPACK_MOST_TREE_FILES,
		     UNPACK_MOST_TREE_BYTES >> 20);
		to->tree_is_full = true;
	} else if ((entry_filetype(entry) & AE_IFMT) == AE_IFREG) {
		take_tree_file(to, archive, path);
	} else if (link) {
		add_to_tree(to, path, link, &(struct unpack_tree_file){ .len = strlen(link), .is_link = 1 });
	}
}

/*
 * Files of /sys, /proc and such folders are a tree's alone; what stands beside them may be a dump as well, but in a
 * report of a machine.
 */
static bool is_of_tree(const char *path)
{
	static const char *const sure[] = {
		"sys/", "proc/", "dev/", "run/", "lib/", "lib64/", "usr/lib/", "usr/lib64/", "var/lib/dpkg/",
		".dockerenv",
		".singularity.d/",
	}, *const beside[] = { "boot/", "etc/", "opt/", "usr/" };
	const char *recorded = recorded_path(path), *inside;

	if (!recorded)
		return false;
	return text_begins_any(recorded, sure, ARRAY_SIZE(sure)) ||
	       (text_begins_any(recorded, beside, ARRAY_SIZE(beside)) &&
		report_file(path, false, &inside) == REPORT_FILE_LEFT);
}

static bool is_file_or_link(struct archive_entry *entry)
{
	unsigned type = entry_filetype(entry) & AE_IFMT;

	return type == AE_IFREG || type == AE_IFLNK;
}

/* Written behind all files, when all are there. */
static void tell_tree(struct unpacking *to)
{
	size_t written = 0;

	while (written < to->tree.len) {
		ssize_t put = pwrite(WORKER_SHARED_FD, to->tree.buf + written, to->tree.len - written,
				     (off_t)(to->end + written));

		if (put <= 0) {
			tell("cut no memory for a recorded tree");
			return;
		}
		written += (size_t)put;
	}
	if (written)
		tell("tree %zu %zu", to->end, written);
	to->end += written;
}

/* ---- entries */

static bool take_entries(struct unpacking *to, struct archive *archive, const char *packed, size_t packed_len,
			 const char *name, unsigned depth)
{
	struct archive_entry *entry;
	int r;

	while ((r = next_header(archive, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *path = entry_pathname(entry), *inside;
		STRBUF_AUTO inner = STRBUF_INIT;

		strbuf_addf(&inner, "%s/%.400s", name, path ? path : "?");
		if (path && is_file_or_link(entry) && is_of_tree(path)) {
			take_tree_entry(to, archive, entry, inner.buf);
			continue;
		}
		strbuf_setlen(&inner, 0);
		if ((entry_filetype(entry) & AE_IFMT) != AE_IFREG ||
		    (path && report_file(path, false, &inside) == REPORT_FILE_LEFT))
			continue;
		if (++to->files > UNPACK_MOST_FILES) {
			tell("cut more than %d files", UNPACK_MOST_FILES);
			return false;
		}
		strbuf_addstr(&inner, name);
		/* What was compressed by itself goes by the name of its file. */
		if (format_of(archive) != ARCHIVE_FORMAT_RAW)
			strbuf_addf(&inner, "/%.400s", path ? path : "?");
		if (!take_entry(to, archive, format_of(archive) == ARCHIVE_FORMAT_RAW ? packed : NULL, packed_len,
				inner.buf, depth))
			return false;
	}
	if (r != ARCHIVE_EOF)
		tell("cut %.200s", error_string(archive) ? error_string(archive) : "damaged");
	return true;
}

/* The mapping is of what does not change any more: new bytes go behind it. */
static bool unpack_all(struct unpacking *to, size_t at, size_t len, const char *name, unsigned depth)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), from = at / page * page;
	char *bytes = mmap(NULL, len + (at - from), PROT_READ, MAP_SHARED, WORKER_SHARED_FD, (off_t)from);
	struct archive *archive;
	bool goes_on = true;

	if (bytes == MAP_FAILED) {
		tell("cut %s", strerror(errno));
		return false;
	}
	archive = open_archive(bytes + (at - from), len);
	if (archive) {
		goes_on = take_entries(to, archive, bytes + (at - from), len, name, depth);
		read_free(archive);
	}
	munmap(bytes, len + (at - from));
	return goes_on;
}

int unpack_worker_main(int argc, char **argv)
{
	struct unpacking to = { .tree = STRBUF_INIT };
	char why[LIBRARY_WHY_BYTES];
	uint64_t len;

	if (worker_child_setup() || worker_shared_fd() < 0 || argc != 3 || parse_u64(argv[1], &len) ||
	    parse_u64(argv[2], &to.most_bytes))
		return EXIT_FAILURE;
	if (library_open(library_names, symbols, NULL, why)) {
		tell("missing %s", why);
		return EXIT_SUCCESS;
	}
	to.end = len;
	unpack_all(&to, 0, len, "", 0);
	tell_tree(&to);
	strbuf_release(&to.tree);
	tell("end");
	return EXIT_SUCCESS;
}
