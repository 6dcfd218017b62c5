// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "cmd/cmd.h"

static int open_input(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		die(EXIT_USAGE, "%s: a folder, not a file", path);
	return fd;
}

/* journalctl -o json and log shippers write an object a line. */
static bool is_lines_of_json(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && end > text && end[-1] == '}' && end[1] == '{';
}

/* JSON is a snapshot, or another tool's output in few lines: no dump of the size that logs have. */
static size_t most_bytes(const struct strbuf *text, bool is_dump)
{
	const char *at = text->buf + strspn(text->buf, " \t\r\n");

	return is_dump && (*at != '{' || is_lines_of_json(at)) ? MAX_DUMP_BYTES : JSON_MAX_BYTES;
}

/* Reads hardly more than a document may have: enough to know that it is too large. */
static void read_input(int fd, const char *name, const char *what, bool is_dump, struct strbuf *ret)
{
	for (;;) {
		size_t want = 1 << 16;
		ssize_t got;

		strbuf_grow(ret, want);
		got = read(fd, ret->buf + ret->len, want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die(EXIT_USAGE, "%s: %s", name, strerror(errno));
		if (!got)
			return;
		strbuf_setlen(ret, ret->len + (size_t)got);
		/* What kind of text it is matters, and is looked for, only where it is large. */
		if (ret->len > JSON_MAX_BYTES && ret->len > most_bytes(ret, is_dump))
			die(EXIT_USAGE, "%s: larger than %zu MiB: not %s", name, most_bytes(ret, is_dump) >> 20, what);
	}
}

static const char *input_bytes(const char *path, const char *what, bool is_dump, struct strbuf *ret)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? STDIN_FILENO : open_input(path);

	read_input(fd, name, what, is_dump, ret);
	if (!is_stdin)
		close(fd);
	return name;
}

const char *input_text(const char *path, const char *what, struct strbuf *ret)
{
	STRBUF_AUTO words = STRBUF_INIT;

	strbuf_addf(&words, "%s of gpudiag", what);
	return input_bytes(path, words.buf, false, ret);
}

const char *input_dump_text(const char *path, struct strbuf *ret)
{
	return input_bytes(path,
			   "read; of a log its newest lines are enough: tail -c 30M FILE | gpudiag run --import -",
			   true, ret);
}

void die_input(const char *name, const struct json_error *error)
{
	if (error->line)
		die(EXIT_USAGE, "%s:%u: %s", name, error->line, error->what);
	die(EXIT_USAGE, "%s: %s", name, error->what);
}

const char *input_unknown_words(struct arena *arena, const struct merge_unknown *unknown, const char *what)
{
	if (!unknown->nr)
		return NULL;
	return arena_printf(arena, "%zu unknown key%s of %s ignored by " TOOL " (first: \"%s\", line %u)", unknown->nr,
			    unknown->nr == 1 ? "" : "s", what, unknown->first, unknown->first_line);
}

void input_tell(struct strbuf *ret, const char *format, va_list args)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_vaddf(&text, format, args);
	utf8_clean(ret, text.buf, text.len);
	complain("%s", ret->buf);
}
