/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_files.h - files of many boots, as /var/log/messages and those it was rotated to: what in them is of the last
 * boot.
 */
#pragma once

#include "import/dump/dump.h"

struct log_file {
	const struct dump_part *part;
	size_t index;		/* of the part */
	int64_t last_us;	/* of its last line that has a date; 0: none has */
	size_t own_start;	/* its last start of the driver; nr_lines: it has none */
	size_t start;		/* the line from which it is of the last boot; nr_lines: none is */
};

bool log_file_is(const struct dump_part *part);

/* Those among the parts, the older ones first. now_us as in struct klog_line_context. */
struct log_file *log_files(struct arena *arena, const struct dump_parts *parts, int64_t now_us, size_t *ret_nr);

bool log_is_start_of_driver(const char *text);
