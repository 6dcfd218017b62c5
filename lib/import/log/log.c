// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c - whatever no other reader knows is searched for lines of a kernel log, by the reader that gpudiag logs has. A
 * paste often holds nothing but a few of them.
 */
#include "base/compat.h"
#include "import/log/log.h"

#include <errno.h>

#include "base/text.h"
#include "base/text_scan.h"
#include "format/kernel_log_keep.h"
#include "import/line/log_pieces.h"
#include "import/log/log_stretch.h"
#include "klog/match.h"
#include "klog/prefilter.h"
#include "klog/reader.h"
#include "klog/unlisted.h"

/* Not one line in thousands is of the catalogue: the others are not compared with each of its patterns. */
static bool may_be_event(const char *text)
{
	const char *end = text + strlen(text);

	return klog_next_candidate(text, end) != end;
}

/* People quote lines without what stood before them: what they say tells whose they are. */
static bool is_kernels(const struct klog_line *line)
{
	struct klog_match match;

	if (line->origin != KLOG_ORIGIN_UNKNOWN)
		return line->origin == KLOG_ORIGIN_KERNEL;
	if (klog_match(line, &match) && match.role == KLOG_ROLE_EVENT)
		return true;
	return (!match.pattern || match.role == KLOG_ROLE_DETAIL) && match.source.is_device_line &&
	       klog_tells_error(line, &match.source);
}

/* Whose a line is; *ret_is_bare: nothing of it is known, not even when it was said. */
static bool is_of_log(const char *text, bool *ret_is_bare)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;
	bool ret;

	klog_line_parse(&context, span_of(text), &line);
	ret = is_kernels(&line);
	*ret_is_bare = line.origin == KLOG_ORIGIN_UNKNOWN && !line.time.has_boot && !line.time.has_wall;
	klog_line_context_release(&context);
	return ret;
}

/* Does its prefix say that the kernel said it? */
static bool has_kernels_prefix(const char *text)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line line;

	if (strstr(text, " kernel: "))
		return true;
	klog_line_parse(&context, span_of(text), &line);
	klog_line_context_release(&context);
	return line.origin == KLOG_ORIGIN_KERNEL;
}

/* Is it one without the blanks that were read into it? */
static bool is_of_picture(const char *text, struct strbuf *out)
{
	bool is_bare;

	return log_respace(text, out) && is_of_log(out->buf, &is_bare);
}

bool dump_is_log_line(const char *text)
{
	STRBUF_AUTO respaced = STRBUF_INIT;
	const char *inner;
	bool is_bare;

	if (!may_be_event(text))
		return has_kernels_prefix(text);
	inner = log_plugin_line(text);
	if (inner && is_of_log(inner, &is_bare))
		return true;
	return strstr(text, " kernel: ") || strstr(text, "Xid (PCI:") || !strncmp(past_blanks(text), "NVRM: ", 6) ||
	       is_of_log(text, &is_bare) || is_of_picture(text, &respaced);
}

struct log_reading {
	struct arena *arena;
	struct log_keeper *keeper;
	struct log_origin *origins;
	size_t nr;
	size_t done;			/* of them, in stretches before this one */
	/*
	 * Of a record of several lines each is kept by a number of its own, and so are those behind it until they catch
	 * up.
	 */
	struct shift { uint64_t number, origin; } *shifts;
	size_t nr_shifts;
	uint64_t last_number;
	struct klog_coverage coverage;
	bool is_kernels;		/* a line that only a kernel's log has was there */
};

/* The reader's sink: what it hands is a line of the log that may matter. */
static unsigned take_line(void *to, const struct klog_line *line)
{
	struct log_reading *log = to;
	struct klog_line own = *line;
	struct klog_match match;
	struct dump_line *from;

	own.number += log->done;
	from = own.number && own.number <= log->nr ? log->origins[own.number - 1].line : NULL;
	if (from && is_kernels(line)) {
		from->is_taken = true;
		log->is_kernels = true;
	}
	/* What stands below an event is kept, as it may go on with it: it does only if the catalogue has it. */
	if (from && !from->is_taken && klog_match(line, &match))
		from->is_taken = true;
	if (own.number <= log->last_number) {
		log->shifts = arena_grow(log->arena, log->shifts, log->nr_shifts, sizeof(*log->shifts));
		log->shifts[log->nr_shifts++] = (struct shift){ .number = log->last_number + 1, .origin = own.number };
		own.number = log->last_number + 1;
	}
	log->last_number = own.number;
	return log_keeper_line(log->keeper, &own);
}

/* ---- stretches of lines */

/* A line of the log's, out of what stands around it in the paste. *ret_is_logs: it is one of a log's. */
static const char *line_text(struct log_reading *log, const char *text, bool *ret_is_logs)
{
	STRBUF_AUTO respaced = STRBUF_INIT;
	const char *inner;
	bool is_bare, is_inner_bare;

	*ret_is_logs = true;
	/* A bracket alone begins no document here. */
	if (*text && !text[strspn(text, " []{},")]) {
		*ret_is_logs = false;
		return "-";
	}
	inner = log_plugin_line(text);
	if (inner) {
		*ret_is_logs = dump_is_log_line(inner);
		return inner;
	}
	if (!may_be_event(text)) {
		*ret_is_logs = has_kernels_prefix(text);
		return text;
	}
	/* With a stamp it is the log's as it stands, and says nothing. */
	if ((strstr(text, "( PCI:") || !is_of_log(text, &is_bare)) && is_of_picture(text, &respaced))
		return arena_strdup(log->arena, respaced.buf);
	if (is_of_log(text, &is_bare))
		return text;
	inner = log_unwrapped(log->arena, text);
	if (inner != text && is_of_log(inner, &is_inner_bare))
		return inner;
	/* What a program says at a time of its own is its business. */
	for (inner = text; is_bare && (inner = log_quoted_line(text, inner)); inner++)
		if (is_of_log(inner, &is_inner_bare))
			return inner;
	*ret_is_logs = dump_is_log_line(text);
	return text;
}

static int feed_line(struct log_reading *log, struct klog_reader *reader, struct log_origin *origin, enum log_form form)
{
	const char *text = origin->text, *why;
	bool is_logs = false;

	if (form == LOG_LINES && origin->line)
		text = line_text(log, text, &is_logs);
	else if (form == LOG_EXPORT)
		text += strspn(text, " ");
	if (is_logs) {
		log->is_kernels = true;
		origin->line->is_taken = true;
	}
	if (klog_reader_feed(reader, text, strlen(text), &why))
		return -EILSEQ;
	return klog_reader_feed(reader, "\n", 1, &why);
}

static void add_coverage(struct klog_coverage *to, const struct klog_coverage *from)
{
	if (!to->first.has_boot && !to->first.has_wall)
		to->first = from->first;
	if (from->last.has_boot || from->last.has_wall)
		to->last = from->last;
	to->lines += from->lines;
}

/* Each with a reader of its own, as that goes by how its text begins. */
static void read_stretch(struct log_reading *log, size_t nr, enum log_form form, int64_t now_us)
{
	const struct klog_sink sink = { .line = take_line, .to = log };
	struct klog_reader *reader = klog_reader_new(&sink, now_us);
	struct klog_coverage coverage;
	const char *why;

	for (size_t i = 0; i < nr; i++)
		if (feed_line(log, reader, &log->origins[log->done + i], form))
			break;
	if (!klog_reader_end(reader, &coverage, &why))
		add_coverage(&log->coverage, &coverage);
	klog_reader_free(reader);
	log->done += nr;
}

/* ---- into the snapshot */

/* Both rise. */
static void put_lines(struct log_reading *log, struct snapshot *ret)
{
	size_t shift = 0;

	while (log_keeper_take(log->keeper, ret))
		continue;
	for (size_t i = 0; i < ret->nr_log_lines; i++) {
		struct log_line *line = &ret->log_lines[i];
		const struct log_origin *origin;
		uint64_t number;

		if (parse_u64(str_or(line->key, ""), &number))
			continue;
		while (shift < log->nr_shifts && log->shifts[shift].number < number)
			shift++;
		if (shift < log->nr_shifts && log->shifts[shift].number == number)
			number = log->shifts[shift].origin;
		if (!number || number > log->nr)
			continue;
		origin = &log->origins[number - 1];
		if (!origin->line)
			continue;
		line->text.from = value_from(origin->part->number, origin->line->number);
	}
}

static void put_coverage(const struct log_reading *log, struct snapshot *ret)
{
	const struct klog_coverage *coverage = &log->coverage;
	struct kernel_log *to = &ret->kernel_log;

	to->source = val_str("imported dumps");
	if (coverage->first.has_boot)
		to->first_ns = val_u64(coverage->first.boot_us * 1000);
	if (coverage->last.has_boot)
		to->last_ns = val_u64(coverage->last.boot_us * 1000);
	if (coverage->last.has_wall) {
		to->last_wall_s = val_f64((double)coverage->last.wall_us / 1e6);
		to->wall_is_local = val_bool(coverage->last.wall_is_local);
	}
	to->lines_left_out = val_u64(log_keeper_left_out(log->keeper));
	/*
	 * What was pasted is what somebody chose: that nothing stands in it is no proof, but where it begins with a
	 * boot.
	 */
	to->since_boot = val_bool(log_keeper_saw_boot(log->keeper) && !log_keeper_is_cut(log->keeper));
	to->lines_read = val_u64(coverage->lines);
}

/* When the dump was taken, since 1970; 0: not told. The year of stamps that have none goes by it. */
static int64_t taken_us(const struct snapshot *snapshot)
{
	int64_t taken_s;

	return parse_rfc3339(str_or(snapshot->run.taken_at, ""), &taken_s) ? 0 : taken_s * 1000000;
}

void dump_logs_join(struct snapshot *ret, const struct dump_parts *parts)
{
	struct log_reading log = { .arena = &ret->arena, .keeper = log_keeper_new() };
	int64_t now_us = taken_us(ret);

	log.origins = log_parts_join(&ret->arena, parts, now_us, &log.nr);
	while (log.done < log.nr) {
		size_t nr;
		enum log_form form = log_stretch(&log.origins[log.done], log.nr - log.done, &nr);

		read_stretch(&log, nr, form, now_us);
	}
	if (log.is_kernels) {
		put_lines(&log, ret);
		put_coverage(&log, ret);
	}
	log_keeper_free(log.keeper);
}
