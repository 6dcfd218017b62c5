// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "format/report_tree.h"

enum { MOST_FILES = 20000, DEEPEST = 16 };

struct walk {
	const char *folder;
	input_folder_fn *take;
	void *to;
	bool is_report;
	size_t files, bytes;
};

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

static bool is_wanted(const struct walk *walk, const char *path)
{
	const char *inside;
	enum report_file file = report_file(path, &inside);

	return file != REPORT_FILE_LEFT && (file != REPORT_FILE_NONE || !walk->is_report);
}

/* It may have been replaced since it was listed: what is opened must be a file still. */
static int read_file(const char *path, struct strbuf *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t got = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	do {
		strbuf_grow(ret, 1 << 16);
		got = read(fd, ret->buf + ret->len, 1 << 16);
		if (got > 0)
			strbuf_setlen(ret, ret->len + (size_t)got);
	} while (got > 0 && ret->len <= MAX_DUMP_BYTES);
	close(fd);
	return got < 0 ? -errno : 0;
}

/* false: there is no room for more. */
static bool take_file(struct walk *walk, const FTSENT *entry)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t bytes = (size_t)entry->fts_statp->st_size;
	int r;

	if (!is_wanted(walk, entry->fts_path))
		return true;
	if (++walk->files > MOST_FILES || bytes > MAX_DUMP_BYTES - walk->bytes) {
		complain("%s: more than %d files or %zu MiB: from %s on they are not read", walk->folder, MOST_FILES,
			 MAX_DUMP_BYTES >> 20, entry->fts_path);
		return false;
	}
	r = read_file(entry->fts_path, &text);
	if (r)
		complain("%s: not read: %s", entry->fts_path, strerror(-r));
	walk->bytes += text.len < MAX_DUMP_BYTES - walk->bytes ? text.len : MAX_DUMP_BYTES - walk->bytes;
	if (text.len)
		walk->take(walk->to, entry->fts_path, &text);
	return true;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

void input_folder(const char *folder, input_folder_fn *take, void *to)
{
	struct walk walk = { .folder = folder, .take = take, .to = to, .is_report = has(folder, "sos_commands") };
	STRBUF_AUTO root = STRBUF_INIT;
	char *roots[] = { NULL, NULL };
	FTS *fts;

	if (has(folder, "sys/bus/pci/devices"))
		die(EXIT_USAGE, "%s: a recorded /sys and /proc tree: gpudiag run --root %s", folder, folder);
	strbuf_addstr(&root, folder);
	roots[0] = root.buf;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	for (FTSENT *entry; fts && (entry = fts_read(fts));) {
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR)
			complain("%s: not read: %s", entry->fts_path, strerror(entry->fts_errno));
		if (entry->fts_info == FTS_D && entry->fts_level > DEEPEST)
			fts_set(fts, entry, FTS_SKIP);
		if (entry->fts_info == FTS_F && !take_file(&walk, entry))
			break;
	}
	if (fts)
		fts_close(fts);
}
