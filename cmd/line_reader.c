// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/json.h"
#include "cmd/cmd.h"

enum { CHUNK_BYTES = 64 * 1024 };

void line_reader_open(struct line_reader *ret, const char *path)
{
	*ret = (struct line_reader){ .fd = STDIN_FILENO };
	ret->buf = (struct strbuf)STRBUF_INIT;
	if (!strcmp(path, "-"))
		return;
	ret->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (ret->fd < 0)
		die(EXIT_USAGE, "%s: %s", path, strerror(errno));
}

/* What was read before goes when more is needed. 1 there is more, 0 the end, -errno. */
static int read_more(struct line_reader *reader)
{
	struct strbuf *buf = &reader->buf;
	ssize_t got;

	if (reader->at) {
		memmove(buf->buf, buf->buf + reader->at, buf->len - reader->at);
		strbuf_setlen(buf, buf->len - reader->at);
		reader->at = 0;
	}
	if (buf->len > JSON_MAX_BYTES)
		return -EFBIG;
	if (reader->may_read && !reader->may_read(reader->to, reader->fd))
		return 0;
	strbuf_grow(buf, CHUNK_BYTES);
	got = read(reader->fd, buf->buf + buf->len, CHUNK_BYTES);
	if (got < 0)
		return -errno;
	strbuf_setlen(buf, buf->len + (size_t)got);
	return got > 0;
}

int line_reader_next(struct line_reader *reader, const char **ret_line, size_t *ret_len, bool *ret_is_whole)
{
	size_t searched = 0;

	for (;;) {
		const char *from = reader->buf.buf + reader->at;
		size_t len = reader->buf.len - reader->at;
		const char *end = memchr(from + searched, '\n', len - searched);
		int r;

		if (end || (reader->has_ended && len)) {
			*ret_line = from;
			*ret_len = end ? (size_t)(end - from) : len;
			*ret_is_whole = end;
			reader->at += *ret_len + (end ? 1 : 0);
			return 1;
		}
		if (reader->has_ended)
			return 0;
		searched = len;
		r = read_more(reader);
		if (r < 0)
			return r;
		reader->has_ended = !r;
	}
}

void line_reader_close(struct line_reader *reader)
{
	if (reader->fd != STDIN_FILENO)
		close(reader->fd);
	strbuf_release(&reader->buf);
}
