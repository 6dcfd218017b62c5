// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/kernel_log/kernel_log_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "sys/clock.h"
#include "sys/descriptors.h"

enum {
	JOURNAL_MS = 3000,		/* journals of years on slow disks take seconds to open */
	MAX_ENTRY_BYTES = 1 << 20,
	READ_BYTES = 64 * 1024,
};

struct journal {
	pid_t pid;
	int fd;
	uint64_t deadline_ns;
};

/* ---- its format */

/* "NAME=value" up to the line feed, or "NAME", line feed, 8 bytes of length, value, line feed. NULL: not whole yet. */
static const char *past_field(const char *at, const char *end)
{
	const char *feed = memchr(at, '\n', (size_t)(end - at));
	uint64_t len = 0;

	if (!feed || feed == at || memchr(at, '=', (size_t)(feed - at)))
		return feed ? feed + 1 : NULL;
	if (end - feed - 1 < 8)
		return NULL;
	for (int i = 8; i > 0; i--)
		len = len << 8 | (unsigned char)feed[i];
	return len < (uint64_t)(end - feed - 9) ? feed + 9 + len + 1 : NULL;
}

static void take_stamp(const char *at, const char *end, uint64_t *ret_us, bool *is_kernels)
{
	static const char own[] = "_SOURCE_MONOTONIC_TIMESTAMP=", received[] = "__MONOTONIC_TIMESTAMP=";
	struct span field = { at, end };
	uint64_t us;

	if (span_take(&field, own) && span_take_u64(&field, &us)) {
		*ret_us = us;
		*is_kernels = true;
	} else if (!*is_kernels && span_take(&field, received) && span_take_u64(&field, &us)) {
		*ret_us = us;
	}
}

size_t journal_entry(const char *bytes, size_t len, uint64_t *ret_us)
{
	const char *at = bytes, *end = bytes + len, *next;
	bool is_kernels = false;

	while ((next = past_field(at, end))) {
		if (next == at + 1)
			return (size_t)(next - bytes);
		take_stamp(at, next, ret_us, &is_kernels);
		at = next;
	}
	return 0;
}

/* ---- the child */

/* For the exec family, which promises not to write there but does not say so. */
static char *const *exec_list(const char *const *list)
{
	return (char *const *)(uintptr_t)list;
}

/*
 * Fixed places and a clean environment: as root no program that our caller's PATH leads to is started, and none of its
 * variables steers it. What our caller left open is not its to hold either.
 */
NORETURN static void be_journalctl(int out, pid_t parent)
{
	static const char *const places[] = {
		"/usr/bin/" JOURNAL_PROGRAM, "/bin/" JOURNAL_PROGRAM, "/run/current-system/sw/bin/" JOURNAL_PROGRAM,
	};
	static const char *const arguments[] = { JOURNAL_PROGRAM, "-k", "-b", "-o", "export",
						 "--no-pager", "-q", NULL };
	static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0) {
		descriptors_close_from(STDERR_FILENO + 1);
		for (size_t i = 0; i < ARRAY_SIZE(places); i++)
			execve(places[i], exec_list(arguments), exec_list(environment));
	}
	_exit(127);
}

static bool start(struct journal *journal)
{
	pid_t parent = getpid();
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC))
		return false;
	journal->pid = fork();
	if (!journal->pid)
		be_journalctl(pipe_fds[1], parent);
	close(pipe_fds[1]);
	journal->fd = pipe_fds[0];
	journal->deadline_ns = clock_now_ns() + (uint64_t)JOURNAL_MS * 1000000;
	if (journal->pid > 0)
		return true;
	close(pipe_fds[0]);
	return false;
}

static void stop(struct journal *journal)
{
	close(journal->fd);
	kill(journal->pid, SIGKILL);
	while (waitpid(journal->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* More bytes behind those there are; false: no more come, or not in time. */
static bool read_more(struct journal *journal, struct strbuf *bytes)
{
	struct pollfd poll_fd = { .fd = journal->fd, .events = POLLIN };
	uint64_t now_ns = clock_now_ns();
	ssize_t got;

	if (now_ns >= journal->deadline_ns || bytes->len > MAX_ENTRY_BYTES)
		return false;
	if (poll(&poll_fd, 1, (int)((journal->deadline_ns - now_ns) / 1000000) + 1) <= 0)
		return errno == EINTR;
	strbuf_grow(bytes, READ_BYTES);
	got = read(journal->fd, bytes->buf + bytes->len, READ_BYTES);
	if (got > 0)
		strbuf_setlen(bytes, bytes->len + (size_t)got);
	return got > 0 || (got < 0 && errno == EINTR);
}

/* Whole entries among the bytes go to the reader. false: that is enough. */
static bool feed_entries(struct klog_reader *reader, struct strbuf *bytes, uint64_t until_us,
			 struct kernel_log_journal *ret)
{
	size_t at = 0, len;
	const char *why;
	bool goes_on = true;

	while (goes_on) {
		uint64_t stamp_us = 0;

		len = journal_entry(bytes->buf + at, bytes->len - at, &stamp_us);
		if (!len)
			break;
		ret->reached_end = stamp_us >= until_us;
		goes_on = !ret->reached_end && !klog_reader_feed(reader, bytes->buf + at, len, &why);
		ret->entries += goes_on;
		at += len;
	}
	memmove(bytes->buf, bytes->buf + at, bytes->len - at);
	strbuf_setlen(bytes, bytes->len - at);
	return goes_on;
}

void kernel_log_read_journal(struct klog_reader *reader, uint64_t until_us, struct kernel_log_journal *ret)
{
	STRBUF_AUTO bytes = STRBUF_INIT;
	struct journal journal;

	*ret = (struct kernel_log_journal){ .entries = 0 };
	if (!start(&journal))
		return;
	while (read_more(&journal, &bytes) && feed_entries(reader, &bytes, until_us, ret))
		;
	stop(&journal);
}
