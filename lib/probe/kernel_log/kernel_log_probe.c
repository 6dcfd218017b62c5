// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_log_probe.c - probe "kernel-log": what the kernel said that may matter, and how far back its log reaches. */
#include "base/compat.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "format/kernel_log_keep.h"
#include "probe/kernel_log/kernel_log.h"
#include "probe/probe_table.h"
#include "probe/read.h"

/* A log being read: what is kept of it, and what is known of it as a whole. */
struct reading {
	struct log_keeper *keeper;
	struct klog_reader *reader;
	struct kernel_log_origin origin;
	struct klog_coverage coverage;
	const char *why;		/* where it is no log that can be read */
};

static void begin(struct reading *reading, int64_t now_us)
{
	struct klog_sink sink;

	*reading = (struct reading){ .keeper = log_keeper_new() };
	sink = (struct klog_sink){ .line = log_keeper_line, .to = reading->keeper };
	reading->reader = klog_reader_new(&sink, now_us);
}

static void end(struct reading *reading)
{
	klog_reader_free(reading->reader);
	log_keeper_free(reading->keeper);
}

/* ---- a recorded tree */

/*
 * Where a tree may have it, what tells most first. A report's own listing is of
 * the moment; files of the system may hold several boots; and the last is what
 * was said until the system was up, and nothing after.
 */
static const struct tree_log {
	const char *path;
	bool ends_at_boot;
} tree_logs[] = {
	{ "/sos_commands/logs/journalctl_--no-pager_--boot", false },
	{ "/sos_commands/logs/journalctl_--no-pager_--catalog_--boot", false },
	{ "/sos_commands/kernel/dmesg", false },
	{ "/sos_commands/kernel/dmesg_-T", false },
	{ "/var/log/kern.log", false },
	{ "/var/log/messages", false },
	{ "/var/log/syslog", false },
	{ "/var/log/dmesg", true },
};

static int feed_file(struct reading *reading, int fd)
{
	static char buffer[256 * 1024];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (klog_reader_feed(reading->reader, buffer, (size_t)got, &reading->why))
			return -EILSEQ;
	}
	return klog_reader_end(reading->reader, &reading->coverage, &reading->why);
}

/* Stamps without a year are of the year before the file was last written to. */
static int64_t written_us(struct probe_env *env, const char *path)
{
	struct stat stat;

	return root_stat(env->root, &stat, "%s", path) ? 0 : (int64_t)stat.st_mtime * 1000000;
}

/* "-- No entries --" is no log either: one has stamps. */
static int read_tree_log(struct probe_env *env, const struct tree_log *log, struct reading *reading)
{
	int fd = root_open_file(env->root, "%s", log->path), error;

	if (fd < 0)
		return fd;
	begin(reading, written_us(env, log->path));
	reading->origin.source = log->path;
	reading->origin.has_gap = log->ends_at_boot;
	error = feed_file(reading, fd);
	close(fd);
	if (!error && !reading->coverage.first.has_boot && !reading->coverage.first.has_wall)
		error = -ENODATA;
	if (error)
		end(reading);
	return error;
}

static int read_tree(struct probe_env *env, struct sink *sink, struct reading *reading)
{
	int error = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(tree_logs); i++) {
		int got;

		sink_step(sink, tree_logs[i].path);
		got = read_tree_log(env, &tree_logs[i], reading);
		if (!got)
			return 0;
		if (got != -ENOENT && got != -ENOTDIR)
			error = got;
	}
	return error;
}

/* ---- this machine */

static int read_live(struct sink *sink, struct reading *reading)
{
	struct timespec now;
	int error;

	begin(reading, (int64_t)time(NULL) * 1000000);
	/* What the log's own stamps are taken from, but for their drift of some seconds a month. */
	if (!clock_gettime(CLOCK_MONOTONIC, &now))
		sink->facts.kernel_log.now_ns = val_u64((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	sink_step(sink, "read /dev/kmsg, journalctl");
	error = kernel_log_read_from(reading->reader, &reading->origin);
	if (!error)
		error = klog_reader_end(reading->reader, &reading->coverage, &reading->why);
	if (!error && !reading->coverage.lines)
		error = -ENODATA;
	if (error)
		end(reading);
	return error;
}

/* ---- what was read */

static void send_lines(struct reading *reading, struct sink *sink)
{
	while (log_keeper_take(reading->keeper, &sink->facts))
		sink_flush(sink);
}

static void send(struct reading *reading, struct sink *sink)
{
	const struct kernel_log_origin *origin = &reading->origin;
	const struct klog_coverage *coverage = &reading->coverage;
	struct kernel_log *log = &sink->facts.kernel_log;
	bool from_start = log_keeper_saw_boot(reading->keeper) || (origin->has_first_seq && !origin->first_seq);
	uint64_t boot_us;
	bool has_kept_from = log_keeper_kept_from(reading->keeper, &boot_us);

	log->source = val_str(origin->source);
	if (origin->has_first_seq)
		log->first_seq = val_u64(origin->first_seq);
	if (coverage->first.has_boot)
		log->first_ns = val_u64(coverage->first.boot_us * 1000);
	if (coverage->last.has_boot)
		log->last_ns = val_u64(coverage->last.boot_us * 1000);
	if (coverage->last.has_wall)
		log->last_wall_s = val_f64((double)coverage->last.wall_us / 1e6);
	if (coverage->last.has_wall && coverage->last.wall_is_local)
		log->wall_is_local = val_bool(true);
	if (has_kept_from)
		log->kept_from_ns = val_u64(boot_us * 1000);
	log->lines_lost = val_u64(coverage->lost_records);
	log->lines_left_out = val_u64(log_keeper_left_out(reading->keeper));
	/* Without stamps nothing says from when on lines were kept, but that it is not from the beginning. */
	if (log_keeper_is_cut(reading->keeper) && !has_kept_from)
		from_start = false;
	log->since_boot = val_bool(from_start && !origin->has_gap && !coverage->lost_records);
	send_lines(reading, sink);
	sink->facts.kernel_log.lines_read = val_u64(coverage->lines);
}

static int say_why(struct probe_env *env, struct sink *sink, int error)
{
	static char why[120];
	bool denied = state_of_errno(error) == VAL_DENIED;

	if (denied)
		snprintf(why, sizeof(why),
			 "not for this user: root may read it, and members of the group systemd-journal or adm");
	else if (root_is_live(env->root))
		snprintf(why, sizeof(why), "/dev/kmsg: %s", name_of_errno(error));
	else if (error == -EILSEQ)
		snprintf(why, sizeof(why), "the tree has none that can be read: compressed, or no text");
	else
		snprintf(why, sizeof(why),
			 error == -ENOENT ? "the tree has none" : "the tree has none that can be read: %s",
			 name_of_errno(error));
	return sink_end(sink, denied ? PROBE_DENIED : PROBE_UNAVAILABLE, why);
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct reading reading;
	int error = root_is_live(env->root) ? read_live(sink, &reading) : read_tree(env, sink, &reading);

	if (error)
		return say_why(env, sink, error);
	send(&reading, sink);
	end(&reading);
	return sink_end(sink, PROBE_OK, NULL);
}

const struct probe probe_kernel_log = {
	.name = "kernel-log",
	.help = "the kernel's log: lines that may matter, and how far back it reaches",
	.phase = PHASE_NODE,
	.touches = TOUCHES_FILES,
	.deadline_ms = 10000,
	.provides = (const char *const[]){ "kernel_log", "log_lines", NULL },
	.run = run,
};
