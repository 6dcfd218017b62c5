// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/input_tree.h"
#include "format/report_tree.h"
#include "probe/import/unpack.h"

enum { MOST_FILES = 20000, DEEPEST = 16, FIRST_BYTES = 4096 };

struct walk {
	const char *folder;
	char *real;		/* without links */
	const struct input_folder_sink *sink;
	bool is_report;
	struct strbuf tree;	/* the recorded tree that was entered last, with a "/" behind it; empty: none */
	size_t files, bytes;
};

/* Of what was not read the report says so, too. */
static void PRINTF_LIKE(2, 3) note(const struct walk *walk, const char *format, ...)
{
	STRBUF_AUTO said = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	input_tell(&said, format, args);
	va_end(args);
	walk->sink->note(walk->sink->to, said.buf);
}

bool input_is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has(const char *folder, const char *name)
{
	STRBUF_AUTO path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", folder, name);
	return !access(path.buf, F_OK);
}

bool input_is_text(const char *bytes, size_t len)
{
	if (len >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
		return true;
	return len > 1 && !memchr(bytes, '\0', len < FIRST_BYTES ? len : FIRST_BYTES);
}

static bool may_tell(const struct strbuf *text)
{
	return unpack_is_packed(text->buf, text->len) || input_is_text(text->buf, text->len);
}

/* Reads up to `most` bytes in all; what is neither text nor packed is not read to its end. */
static int read_rest(int fd, size_t most, struct strbuf *ret)
{
	ssize_t got;

	do {
		strbuf_grow(ret, 1 << 16);
		got = read(fd, ret->buf + ret->len, ret->len ? 1 << 16 : FIRST_BYTES);
		if (got > 0)
			strbuf_setlen(ret, ret->len + (size_t)got);
	} while (got > 0 && ret->len <= most && may_tell(ret));
	return got < 0 ? -errno : ret->len > most ? -EFBIG : 0;
}

/* It may have been replaced since it was listed: what is opened must be a file still. */
static int read_file(const char *path, size_t most, struct strbuf *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int r = -EINVAL;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		r = read_rest(fd, most, ret);
	close(fd);
	return r;
}

static bool is_in_tree(const struct walk *walk, const char *path)
{
	return walk->tree.len && !strncmp(path, walk->tree.buf, walk->tree.len);
}

static void take_file(struct walk *walk, const char *path)
{
	bool in_tree = is_in_tree(walk, path);
	const char *inside = path + (in_tree ? walk->tree.len : strlen(walk->folder)), *in_report;
	STRBUF_AUTO text = STRBUF_INIT;
	int r;

	inside += strspn(inside, "/");
	if (report_file(inside, walk->is_report || in_tree, &in_report) == REPORT_FILE_LEFT)
		return;
	walk->files++;
	r = read_file(path, MAX_DUMP_BYTES - walk->bytes, &text);
	if (r == -EFBIG)
		note(walk, "%s: not read: with it more than %zu MiB", path, MAX_DUMP_BYTES >> 20);
	else if (r)
		note(walk, "%s: not read: %s", path, strerror(-r));
	if (r || !text.len)
		return;
	if (!may_tell(&text)) {
		walk->sink->pass(walk->sink->to, path, inside, &text);
		return;
	}
	walk->bytes += text.len;
	walk->sink->take(walk->sink->to, path, inside, &text);
}

/* A link to a file elsewhere; what it names in the folder itself is read there. */
static bool leads_out(const struct walk *walk, const char *path)
{
	char *real = realpath(path, NULL);
	size_t len = walk->real ? strlen(walk->real) : 0;
	struct stat st;
	bool ret = real && len && !stat(real, &st) && S_ISREG(st.st_mode) &&
		   (strncmp(real, walk->real, len) != 0 || real[len] != '/');

	free(real);
	return ret;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return report_file_order((*a)->fts_name, (*b)->fts_name);
}

/* Of a tree /sys and /proc are read by those who know what its files mean; there are many. */
static bool enter(struct walk *walk, const FTSENT *entry)
{
	bool is_of_tree = entry->fts_level && is_in_tree(walk, entry->fts_path);

	if (entry->fts_level > DEEPEST) {
		note(walk, "%s: not read: more than %d folders deep", entry->fts_path, DEEPEST);
		return false;
	}
	if (is_of_tree)
		return strcmp(entry->fts_path + walk->tree.len, "sys") != 0 &&
		       strcmp(entry->fts_path + walk->tree.len, "proc") != 0;
	if (input_is_tree(entry->fts_path)) {
		strbuf_setlen(&walk->tree, 0);
		strbuf_addstr(&walk->tree, entry->fts_path);
		if (walk->tree.buf[walk->tree.len - 1] != '/')
			strbuf_addch(&walk->tree, '/');
		walk->sink->tree(walk->sink->to, entry->fts_path);
	}
	return true;
}

static void take_entry(struct walk *walk, FTS *fts, FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
		note(walk, "%s: not read: %s", entry->fts_path, strerror(entry->fts_errno));
		return;
	case FTS_D:
		if (!enter(walk, entry))
			fts_set(fts, entry, FTS_SKIP);
		return;
	case FTS_SL:
		if (!is_in_tree(walk, entry->fts_path) && leads_out(walk, entry->fts_path))
			take_file(walk, entry->fts_path);
		return;
	case FTS_F:
		take_file(walk, entry->fts_path);
		return;
	default:
		return;
	}
}

void input_folder(const char *folder, const struct input_folder_sink *sink)
{
	struct walk walk = {
		.folder = folder, .real = realpath(folder, NULL), .sink = sink, .tree = STRBUF_INIT,
		.is_report = has(folder, "sos_commands") || has(folder, "insights_commands"),
	};
	STRBUF_AUTO root = STRBUF_INIT;
	char *roots[] = { NULL, NULL };
	FTS *fts;

	strbuf_addstr(&root, folder);
	roots[0] = root.buf;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV, by_name);
	for (FTSENT *entry; fts && walk.files < MOST_FILES && (entry = fts_read(fts));)
		take_entry(&walk, fts, entry);
	if (walk.files == MOST_FILES)
		note(&walk, "%s: only its first %d files were read", folder, MOST_FILES);
	if (fts)
		fts_close(fts);
	strbuf_release(&walk.tree);
	free(walk.real);
}
