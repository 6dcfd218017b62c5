/* SPDX-License-Identifier: GPL-2.0-or-later */
/* log_parts.h - the logs of a dump in the order in which their lines were said. */
#pragma once

#include "import/dump/dump.h"

/* A line of the joined log, by its number there. */
struct log_origin {
	const struct dump_part *part;
	struct dump_line *line;		/* NULL: here ends a boot */
	const char *text;		/* of it, or a piece of it (log_pieces.h) */
};

/* "journalctl -k -b -2", "journalctl --boot=-1": of how many boots before; 0: of this one, or of another program. */
int log_boots_ago(const char *command);

/*
 * All lines of the parts that may hold a log's, those of earlier boots first. A bug report has the same line up to four
 * times: of what it searched from files and journals only lines are left that no better part has. now_us as in struct
 * klog_line_context.
 */
struct log_origin *log_parts_join(struct arena *arena, const struct dump_parts *parts, int64_t now_us, size_t *ret_nr);
