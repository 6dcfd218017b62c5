// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/line_queue.h"

#include "base/alloc.h"

void line_queue_add(struct line_queue *queue, const char *line, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, line, len);
	copy[len] = '\0';
	if (queue->nr == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		queue->lines = xrealloc(queue->lines, queue->room * sizeof(*queue->lines));
	}
	queue->lines[queue->nr++] = copy;
	queue->bytes += len;
}

void line_queue_limit(struct line_queue *queue, size_t most_lines, size_t most_bytes)
{
	size_t dropped = 0;

	while (dropped < queue->nr && (queue->nr - dropped > most_lines || queue->bytes > most_bytes)) {
		queue->bytes -= strlen(queue->lines[dropped]);
		free(queue->lines[dropped++]);
	}
	queue->nr -= dropped;
	if (dropped)
		memmove(queue->lines, queue->lines + dropped, queue->nr * sizeof(*queue->lines));
}

void line_queue_release(struct line_queue *queue)
{
	line_queue_limit(queue, 0, 0);
	free(queue->lines);
	*queue = (struct line_queue){ .nr = 0 };
}
