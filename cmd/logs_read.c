// SPDX-License-Identifier: GPL-2.0-or-later
/* logs_read.c - logs into readers: files one after the other, or the running kernel's. */
#include "base/compat.h"
#include "cmd/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/input_folder.h"
#include "probe/import/unpack.h"
#include "probe/kernel_log/kernel_log.h"
#include "sys/clock.h"

enum { CHUNK_BYTES = 256 * 1024 };

const char *logs_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "standard input";
}

void logs_die_unreadable(const char *path, int error)
{
	const char *name = logs_name(path);

	switch (error) {
	case EISDIR:
		die(EXIT_USAGE, "%s: a folder, not a log", name);
	case EACCES:
	case EPERM:
		die(EXIT_USAGE, "%s: %s: run as root, or: sudo cat %s | gpudiag logs -", name, strerror(error), name);
	case ENOENT:
		die(EXIT_USAGE, "%s: %s; without a file gpudiag logs reads the running kernel's log", name,
		    strerror(error));
	default:
		die(EXIT_USAGE, "%s: %s", name, strerror(error));
	}
}

void logs_die_no_kernel_log(const char *source, int error, const char *instead)
{
	die(EXIT_USAGE, "%s: %s: %s%s", source, strerror(error),
	    error == EPERM || error == EACCES ? "run as root, or: " : "if there is a journal: ", instead);
}

/* Of the numbers that Linux gives devices (Documentation/admin-guide/devices.txt). */
static bool is_terminal(dev_t device)
{
	return major(device) == 4 || major(device) == 5 || (major(device) >= 136 && major(device) <= 143);
}

void logs_check_device(const char *path)
{
	const dev_t null = makedev(1, 3), kmsg = makedev(1, 11);
	struct stat st;
	bool is_device = !stat(path, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));

	if (!strcmp(path, "/proc/kmsg") || (is_device && S_ISCHR(st.st_mode) && st.st_rdev == kmsg))
		die(EXIT_USAGE, "%s: the running kernel's log: gpudiag logs without a file reads it", path);
	if (is_device && (S_ISBLK(st.st_mode) || (!is_terminal(st.st_rdev) && st.st_rdev != null)))
		die(EXIT_USAGE, "%s: a device, not a log", path);
}

static int open_log(const char *path)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		if (isatty(STDIN_FILENO))
			complain("reading a log from the terminal, up to Ctrl-D");
		return STDIN_FILENO;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		logs_die_unreadable(path, errno);
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		logs_die_unreadable(path, EISDIR);
	return fd;
}

/* Files of one log: what the whole covers. */
static void join_coverage(struct klog_coverage *all, const struct klog_coverage *one)
{
	if (!all->first.has_boot && !all->first.has_wall)
		all->first = one->first;
	if (one->last.has_boot || one->last.has_wall)
		all->last = one->last;
	all->lines += one->lines;
	all->bytes += one->bytes;
	all->cut_lines += one->cut_lines;
	all->lost_records += one->lost_records;
}

/* ---- a file in which logs are to be found first: packed, a report with several of them, a folder */

static bool is_dump(const char *path)
{
	char first[4096];
	struct stat st;
	ssize_t got = 0;
	int fd;

	if (!strcmp(path, "-") || stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		got = read(fd, first, sizeof(first));
		close(fd);
	}
	return got > 0 && (unpack_is_packed(first, (size_t)got) || import_is_report(first, (size_t)got));
}

/* A line of a log is cited by its place in the file, as gpudiag run --import does. */
static void keep_places(struct logs *logs, const struct import_log_line *lines, size_t nr)
{
	logs->places = arena_alloc(&logs->arena, nr * sizeof(*logs->places));
	logs->nr_places = nr;
	for (size_t i = 0; i < nr; i++)
		logs->places[i] = (struct told_place){
			.file = lines[i].file ? arena_strdup(&logs->arena, lines[i].file) : NULL,
			.line = lines[i].line,
		};
}

/* Does it hold what other tools print? */
static bool is_known_otherwise(struct import *import)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct import_account account;
	const char *why;
	int r = import_end(import, &snapshot, &account, &why);

	snapshot_release(&snapshot);
	return !r || r == -EXDEV;
}

NORETURN static void die_of_dump(const char *path)
{
	die(EXIT_USAGE, "%s: no kernel log in it, but output of other tools: gpudiag run --import %s judges it", path,
	    path);
}

NORETURN static void die_without_log(struct import *import, const char *path)
{
	if (is_known_otherwise(import))
		die_of_dump(path);
	die(EXIT_USAGE, "%s: no kernel log in it%s%s%s", path,
	    input_is_folder(path) ? "; of a journal: journalctl -k -D " : "", input_is_folder(path) ? path : "",
	    input_is_folder(path) ? " | gpudiag logs -" : "");
}

void logs_check_kind(const struct logs *logs, const struct klog_log *log)
{
	const struct klog_time *first = &log->coverage.first;
	struct import *import;
	struct stat st;
	size_t nr;

	if (logs->nr_files != 1 || log->nr_events || log->unjudged || first->has_boot || first->has_wall ||
	    !strcmp(logs->files[0], "-") || stat(logs->files[0], &st) || !S_ISREG(st.st_mode))
		return;
	import = import_new();
	input_add(import, logs->files[0], true);
	import_log_lines(import, &nr);
	if (!nr && is_known_otherwise(import))
		die_of_dump(logs->files[0]);
	import_free(import);
}

/* How many lines it has. */
static uint64_t read_dump(struct logs *logs, const char *path, struct klog_coverage *all)
{
	static const char end_of_boot[] = "-- Reboot --";
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };
	struct klog_reader *reader = klog_reader_new(&sink, logs->now_us);
	struct import *import = import_new();
	struct klog_coverage coverage;
	struct import_log_line *lines;
	const char *why = NULL;
	size_t nr;
	int r = 0;

	input_add(import, path, true);
	lines = import_log_lines(import, &nr);
	if (logs->nr_files == 1)
		keep_places(logs, lines, nr);
	for (size_t i = 0; i < nr && !r; i++) {
		const char *line = lines[i].text ? lines[i].text : end_of_boot;

		r = klog_reader_feed(reader, line, strlen(line), &why);
		r = r ? r : klog_reader_feed(reader, "\n", 1, &why);
	}
	if (!nr)
		die_without_log(import, path);
	if (r || klog_reader_end(reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", path, why);
	join_coverage(all, &coverage);
	logs->filter.lines_before = all->lines;
	klog_reader_free(reader);
	import_free(import);
	return nr;
}

/* ---- */

/* How many bytes it has. Each file may be of another shape, so each has a reader of its own. */
static uint64_t read_file(struct logs *logs, const char *path, struct klog_coverage *all)
{
	static char chunk[CHUNK_BYTES];
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };
	struct klog_reader *reader = klog_reader_new(&sink, logs->now_us);
	struct klog_coverage coverage;
	const char *why = NULL;
	uint64_t bytes = 0;
	int fd = open_log(path);
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			logs_die_unreadable(path, errno);
		if (klog_reader_feed(reader, chunk, (size_t)got, &why))
			die(EXIT_USAGE, "%s: %s", logs_name(path), why);
		bytes += (uint64_t)got;
	}
	if (klog_reader_end(reader, &coverage, &why))
		die(EXIT_USAGE, "%s: %s", logs_name(path), why);
	join_coverage(all, &coverage);
	logs->filter.lines_before = all->lines;
	klog_reader_free(reader);
	if (fd != STDIN_FILENO)
		close(fd);
	return bytes;
}

static void read_running_kernel(struct logs *logs, struct klog_coverage *ret, struct strbuf *source)
{
	const struct klog_sink sink = { .line = klog_filter_line, .passed = klog_filter_passed, .to = &logs->filter };
	struct klog_reader *reader = klog_reader_new(&sink, logs->now_us);
	const char *name, *why = NULL;
	int r;

	logs->filter.has_boot_began = true;
	logs->filter.boot_began_us = clock_boot_began_us();
	r = kernel_log_read(reader, &name);
	if (!r && klog_reader_end(reader, ret, &why))
		die(EXIT_USAGE, "%s: %s", name, why);
	klog_reader_free(reader);
	if (r)
		logs_die_no_kernel_log(name, -r, "journalctl -k | gpudiag logs -");
	strbuf_addstr(source, name);
}

/* A command before the pipe that failed must not pass as a log in which nothing is. */
NORETURN static void die_empty(const struct logs *logs, const char *source)
{
	if (logs->nr_files == 1 && !strcmp(logs->files[0], "-"))
		die(EXIT_USAGE, "%s: empty: no log; was the command before the pipe allowed to read it?", source);
	die(EXIT_USAGE, "%s: empty; if the log was just rotated, name the older file too", source);
}

void logs_read(struct logs *logs, struct klog_coverage *ret, struct strbuf *source)
{
	uint64_t bytes = 0;

	if (!logs->nr_files) {
		read_running_kernel(logs, ret, source);
		return;
	}
	for (int i = 0; i < logs->nr_files; i++) {
		bool has_logs = is_dump(logs->files[i]);

		strbuf_addf(source, "%s%s%s", i ? ", " : "", has_logs ? "logs of " : "", logs_name(logs->files[i]));
		bytes += has_logs ? read_dump(logs, logs->files[i], ret) : read_file(logs, logs->files[i], ret);
	}
	if (!bytes)
		die_empty(logs, source->buf);
}
