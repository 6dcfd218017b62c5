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
#include "probe/import/unpack.h"

enum { MOST_FILES = 20000, DEEPEST = 16, FIRST_BYTES = 4096 };

struct walk {
	const char *folder;
	char *real;		/* without links */
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

static void take_file(struct walk *walk, const char *path)
{
	const char *inside = path + strlen(walk->folder), *in_report;
	STRBUF_AUTO text = STRBUF_INIT;
	int r;

	inside += strspn(inside, "/");
	if (report_file(inside, walk->is_report, &in_report) == REPORT_FILE_LEFT)
		return;
	walk->files++;
	r = read_file(path, MAX_DUMP_BYTES - walk->bytes, &text);
	if (r == -EFBIG)
		complain("%s: not read: with it more than %zu MiB", path, MAX_DUMP_BYTES >> 20);
	else if (r)
		complain("%s: not read: %s", path, strerror(-r));
	if (r || !text.len || !may_tell(&text))
		return;
	walk->bytes += text.len;
	walk->take(walk->to, path, inside, &text);
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

static void take_entry(struct walk *walk, FTS *fts, FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
		complain("%s: not read: %s", entry->fts_path, strerror(entry->fts_errno));
		return;
	case FTS_D:
		if (entry->fts_level > DEEPEST)
			fts_set(fts, entry, FTS_SKIP);
		return;
	case FTS_SL:
		if (!leads_out(walk, entry->fts_path))
			return;
		/* fallthrough */
	case FTS_F:
		take_file(walk, entry->fts_path);
		return;
	default:
		return;
	}
}

void input_folder(const char *folder, input_folder_fn *take, void *to)
{
	struct walk walk = {
		.folder = folder, .real = realpath(folder, NULL), .take = take, .to = to,
		.is_report = has(folder, "sos_commands") || has(folder, "insights_commands"),
	};
	STRBUF_AUTO root = STRBUF_INIT;
	char *roots[] = { NULL, NULL };
	FTS *fts;

	if (has(folder, "sys/bus/pci/devices"))
		die(EXIT_USAGE, "%s: a recorded /sys and /proc tree: gpudiag run --root %s", folder, folder);
	strbuf_addstr(&root, folder);
	roots[0] = root.buf;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV, by_name);
	for (FTSENT *entry; fts && walk.files < MOST_FILES && (entry = fts_read(fts));)
		take_entry(&walk, fts, entry);
	if (walk.files == MOST_FILES)
		complain("%s: only its first %d files were read", folder, MOST_FILES);
	if (fts)
		fts_close(fts);
	free(walk.real);
}
