// SPDX-License-Identifier: GPL-2.0-or-later
/* worker_hear.c - what a worker writes: lines of frames, and what it prints. */
#include "base/compat.h"
#include "sys/worker.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/worker_internal.h"

void worker_close_fd(struct pollfd *at)
{
	if (at->fd >= 0)
		close(at->fd);
	at->fd = -1;
}

/* Reads once: how much came. At its end, which says nothing about the process, the pipe is closed. */
static size_t read_some(struct pollfd *at, char *buf, size_t size)
{
	ssize_t got;

	if (at->fd < 0)
		return 0;
	got = read(at->fd, buf, size);
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
		worker_close_fd(at);
	return got > 0 ? (size_t)got : 0;
}

static void note_line(struct child *child)
{
	uint64_t now_ns = clock_now_ns(), silent_ns = now_ns - child->heard_ns;

	child->worker->longest_ns = silent_ns > child->worker->longest_ns ? silent_ns : child->worker->longest_ns;
	child->heard_ns = now_ns;
}

/* One that is to end already is given no more time. */
static void begin_anew(struct child *child)
{
	struct worker *worker = child->worker;

	worker->begins_anew = false;
	worker->longest_ns = 0;
	child->started_ns = child->heard_ns;
	if (!child->is_asked && !child->is_killed && !worker->was_dismissed)
		child->deadline_ns = worker_due_ns(worker, child->heard_ns);
}

/* Hands over the complete lines, of which the first `scanned` bytes hold no line feed. False: one was no good. */
static bool hand_over_lines(struct child *child, size_t scanned)
{
	struct worker *worker = child->worker;
	struct strbuf *buf = &child->line;
	char *begin = buf->buf, *end = buf->buf + buf->len, *line_feed;

	for (char *from = begin + scanned; (line_feed = memchr(from, '\n', (size_t)(end - from))); from = begin) {
		size_t len = (size_t)(line_feed - begin);

		if (len > WORKER_MAX_LINE_BYTES)
			return false;
		*line_feed = '\0';
		note_line(child);
		if (worker->on_line && worker->on_line(worker, begin, len))
			return false;
		if (worker->begins_anew)
			begin_anew(child);
		begin = line_feed + 1;
	}
	memmove(buf->buf, begin, (size_t)(end - begin));
	strbuf_setlen(buf, (size_t)(end - begin));
	return buf->len <= WORKER_MAX_LINE_BYTES;
}

size_t worker_hear_frames(struct child *child, size_t most)
{
	struct strbuf *buf = &child->line;
	size_t scanned = buf->len, got;

	strbuf_grow(buf, most);
	got = read_some(&child->fds[WORKER_AT_FRAMES], buf->buf + scanned, most);
	strbuf_setlen(buf, scanned + got);
	child->worker->stream_bytes += got;
	if (child->worker->stream_bytes > WORKER_MAX_STREAM_BYTES || !hand_over_lines(child, scanned)) {
		child->is_garbled = true;
		worker_close_fd(&child->fds[WORKER_AT_FRAMES]);
	}
	return got;
}

size_t worker_hear_output(struct child *child, size_t most)
{
	struct strbuf *output = &child->worker->output;
	size_t room = WORKER_MAX_OUTPUT_BYTES - output->len;
	char buf[WORKER_CHUNK_BYTES];
	size_t got = read_some(&child->fds[WORKER_AT_OUTPUT], buf, most);

	strbuf_add(output, buf, got < room ? got : room);
	return got;
}

void worker_drain(struct child *child, int at, size_t (*hear)(struct child *child, size_t most))
{
	int waiting = 0;
	size_t left, got;

	if (child->fds[at].fd < 0 || ioctl(child->fds[at].fd, FIONREAD, &waiting))
		return;
	for (left = (size_t)waiting; left; left -= got) {
		got = hear(child, left < WORKER_CHUNK_BYTES ? left : WORKER_CHUNK_BYTES);
		if (!got)
			return;
	}
}
