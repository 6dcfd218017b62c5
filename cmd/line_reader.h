/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_reader.h - a file line by line, in the memory of its longest one. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

struct line_reader {
	int fd;
	struct strbuf buf;
	size_t at;		/* of the next line in it */
	bool has_ended;
	/* Before each read, which may wait: false ends the lines. NULL: nothing else is to be waited for. */
	bool (*may_read)(void *to, int fd);
	void *to;
};

/* path "-": standard input. Dies with status 64 where it cannot be read. */
void line_reader_open(struct line_reader *ret, const char *path);

/*
 * The next line, which lives until the next call, without its line feed; *ret_is_whole: it had one. 1; 0 at the end;
 * -EINTR after a signal; -EFBIG, it is longer than a document may be; or -errno.
 */
int line_reader_next(struct line_reader *reader, const char **ret_line, size_t *ret_len, bool *ret_is_whole);

void line_reader_close(struct line_reader *reader);
