/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_queue.h - lines that are kept for a while, at most so many bytes of them. */
#pragma once

#include <stddef.h>

struct line_queue {
	char **lines;
	size_t nr, room, bytes;
};

/* Adds a copy at the end. */
void line_queue_add(struct line_queue *queue, const char *line, size_t len);
/* Drops the oldest until there are no more lines and bytes than that. */
void line_queue_limit(struct line_queue *queue, size_t most_lines, size_t most_bytes);
void line_queue_release(struct line_queue *queue);
