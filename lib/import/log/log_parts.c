// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log_parts.c - one log out of several. Parts whose boot is known stand by their boot. Of a file that goes on for many
 * boots only what no other part has is of use: it is of an earlier boot, unless the ring of the kernel lost its
 * beginning and the line stands below the last start of the driver.
 */
#include "base/compat.h"
#include "import/log/log_parts.h"

#include "import/fleet/health_event.h"
#include "import/fleet/xid_monitor.h"
#include "import/line/event_node.h"
#include "import/line/log_pieces.h"
#include "import/log/log_files.h"
#include "import/nvidia/fabric_log.h"
#include "klog/line.h"

enum { MAX_BOOTS = 100 };

/* What parts whose boot is known say; sorted, each once. */
struct texts {
	struct said {
		const char *text;
		bool is_in_ring;
	} *v;
	size_t nr;
};

struct join {
	struct arena *arena;
	const struct dump_parts *parts;
	struct log_file *files;
	size_t nr_files;
	struct log_origin *origins;
	size_t nr, room;
	size_t nr_of_boot;		/* since the last end of a boot */
	const struct dump_part **by_age;	/* all parts, those of older files first */
};

/* A piece of a text as a text of its own: mostly its end, which is one already. */
static const char *text_of(struct arena *arena, struct span piece, const char *text)
{
	bool is_within = piece.at >= text && piece.end == text + strlen(text);

	return is_within ? piece.at : arena_strndup(arena, piece.at, span_len(piece));
}

/* What the kernel said, without stamp and host; NULL: the line is none of the kernel's. */
static const char *said_by(struct arena *arena, const struct dump_line *line)
{
	struct klog_line_context context = { .now_us = 0 };
	struct klog_line parsed;
	const char *ret = NULL;

	if (!*line->text)
		return NULL;
	klog_line_parse(&context, span_of(line->text), &parsed);
	if (parsed.origin == KLOG_ORIGIN_KERNEL)
		ret = text_of(arena, parsed.text, line->text);
	klog_line_context_release(&context);
	return ret;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct said *)a)->text, ((const struct said *)b)->text);
}

/* In the kernel's ring, or anywhere. */
static bool was_said(const struct texts *texts, const char *text, bool in_ring)
{
	const struct said key = { .text = text };
	const struct said *said = texts->nr ? bsearch(&key, texts->v, texts->nr, sizeof(*texts->v), by_text) : NULL;

	return said && (said->is_in_ring || !in_ring);
}

static bool is_log(const struct dump_part *part)
{
	return part->kind == DUMP_LOG;
}

/* Those of which each line counts: what was not searched for, or is of an earlier boot. */
static bool is_whole(const struct dump_part *part)
{
	return is_log(part) && (!part->is_picked || part->boots_ago > 0);
}

static bool is_of_journal(const struct dump_part *part)
{
	return is_log(part) && part->is_picked && part->boots_ago == 0;
}

static bool is_of_ring(const struct dump_part *part)
{
	return is_log(part) && !part->is_picked && part->boots_ago == 0;
}

static bool has_boot(const struct dump_part *part)
{
	return is_whole(part) || is_of_journal(part);
}

static void add_said(struct join *join, struct texts *texts, const struct dump_part *part)
{
	for (size_t k = 0; k < part->nr_lines; k++) {
		const char *text = said_by(join->arena, &part->lines[k]);

		if (!text)
			continue;
		texts->v = arena_grow(join->arena, texts->v, texts->nr, sizeof(*texts->v));
		texts->v[texts->nr++] = (struct said){ .text = text, .is_in_ring = is_of_ring(part) };
	}
}

static struct texts texts_of(struct join *join)
{
	struct texts ret = { .nr = 0 };
	size_t nr = 0;

	for (size_t i = 0; i < join->parts->nr; i++)
		if (has_boot(&join->parts->v[i]))
			add_said(join, &ret, &join->parts->v[i]);
	if (ret.nr)
		qsort(ret.v, ret.nr, sizeof(*ret.v), by_text);
	for (size_t i = 0; i < ret.nr; i++)
		if (nr && !by_text(&ret.v[nr - 1], &ret.v[i]))
			ret.v[nr - 1].is_in_ring |= ret.v[i].is_in_ring;
		else
			ret.v[nr++] = ret.v[i];
	ret.nr = nr;
	return ret;
}

/* Lines are not in pieces as a rule: there is room for each of them once, and what the arena has it keeps. */
static void make_room(struct join *join)
{
	struct log_origin *old = join->origins;
	size_t room = join->nr + 64;

	if (join->nr < join->room)
		return;
	for (size_t i = 0; !old && i < join->parts->nr; i++)
		room += is_log(&join->parts->v[i]) ? join->parts->v[i].nr_lines : 0;
	join->room = old ? room * 2 : room;
	join->origins = arena_alloc(join->arena, join->room * sizeof(*old));
	if (old)
		memcpy(join->origins, old, join->nr * sizeof(*old));
}

static void add_text(struct join *join, const struct dump_part *part, struct dump_line *line, const char *text)
{
	make_room(join);
	join->origins[join->nr++] = (struct log_origin){ .part = part, .line = line, .text = text };
	join->nr_of_boot++;
}

static void add(struct join *join, const struct dump_part *part, struct dump_line *line)
{
	/* Columns of tables end at tabs; a blank at the end tells that a word was not broken there. */
	const char *text = line->tabbed ? line->tabbed : line->text, *next;

	if (event_is_of_others(join->arena, join->parts, line->text)) {
		line->is_taken = true;
		return;
	}
	while ((next = log_next_piece(text))) {
		add_text(join, part, line, arena_strndup(join->arena, text, (size_t)(next - text)));
		text = next;
	}
	add_text(join, part, line, text);
}

static void end_boot(struct join *join)
{
	if (!join->nr_of_boot)
		return;
	add_text(join, NULL, NULL, "-- Reboot --");
	join->nr_of_boot = 0;
}

/* Xids that a monitor wrote down, of this boot as far as anybody knows. */
static void add_reports(struct join *join, const struct dump_part *part)
{
	struct xid_monitor at = { .metrics.part = part, .events.part = part };
	struct xid_report xid;

	for (size_t k = 0; k < part->nr_lines; k++)
		while (xid_monitor_next(join->arena, &at, &part->lines[k], &xid))
			add_text(join, part, &part->lines[k], xid_monitor_text(join->arena, &xid));
}

static void add_sxids(struct join *join, const struct dump_part *part)
{
	for (size_t k = fabric_log_start(part); k < part->nr_lines; k++) {
		const char *sxid = fabric_log_sxid(join->arena, part->lines[k].text);

		if (sxid)
			add_text(join, part, &part->lines[k], sxid);
	}
}

static void add_event(void *to, const struct dump_part *part, struct dump_line *line, const char *text)
{
	add_text(to, part, line, text);
}

/* A part, and of the logs in its file the newest time. */
struct aged {
	const struct dump_part *part;
	int64_t clock_s;
};

static int by_age(const void *a, const void *b)
{
	const struct aged *left = a, *right = b;

	if (left->clock_s != right->clock_s)
		return left->clock_s < right->clock_s ? -1 : 1;
	return left->part < right->part ? -1 : 1;
}

/* Of clocks with a zone and without one nobody knows which is earlier. */
static bool are_zones_mixed(const struct dump_parts *parts)
{
	bool has[2] = { false, false };

	for (size_t i = 0; i < parts->nr; i++)
		if (is_log(&parts->v[i]) && parts->v[i].clock.s)
			has[parts->v[i].clock.has_zone] = true;
	return has[false] && has[true];
}

/* A file stays as it is; one without a date stands behind those above it. */
static void sort_by_age(struct join *join)
{
	const size_t nr = join->parts->nr;
	const struct dump_part *parts = join->parts->v;
	struct aged *aged = arena_alloc(join->arena, (nr + 1) * sizeof(*aged));
	const bool is_ordered = are_zones_mixed(join->parts);
	int64_t newest_s = 0;

	for (size_t i = 0, end; i < nr; i = end) {
		int64_t file_s = 0;

		end = i + dump_parts_of_file(&parts[i], nr - i);
		for (size_t k = i; k < end; k++)
			if (is_log(&parts[k]) && !is_ordered && parts[k].clock.s > file_s)
				file_s = parts[k].clock.s;
		newest_s = file_s > newest_s ? file_s : newest_s;
		for (size_t k = i; k < end; k++)
			aged[k] = (struct aged){ .part = &parts[k], .clock_s = file_s ? file_s : newest_s };
	}
	if (nr)
		qsort(aged, nr, sizeof(*aged), by_age);
	join->by_age = arena_alloc(join->arena, (nr + 1) * sizeof(*join->by_age));
	for (size_t i = 0; i < nr; i++)
		join->by_age[i] = aged[i].part;
}

/* What people write between errors of programs is of their part, and no reader of it takes the log's line in it. */
static bool is_quoted_among_errors(const struct dump_part *part, const struct dump_line *line)
{
	return part->kind == DUMP_PROGRAM_ERROR && !line->is_taken && log_quoted_line(line->text, line->text);
}

static void add_whole(struct join *join, int boots_ago)
{
	for (size_t i = 0; i < join->parts->nr; i++) {
		const struct dump_part *part = join->by_age[i];

		for (size_t k = 0; part->boots_ago == boots_ago && k < part->nr_lines; k++)
			if (is_whole(part) || is_quoted_among_errors(part, &part->lines[k]))
				add(join, part, &part->lines[k]);
	}
}

/* Lines that were not said elsewhere; those without a prefix of their own go with the line before them. */
static void add_rest(struct join *join, const struct dump_part *part, size_t from, size_t to, const struct texts *said)
{
	/* The journal is among those whose boot is known. */
	bool in_ring = is_of_journal(part);
	bool is_wanted = false;

	for (size_t k = from; k < to; k++) {
		const char *text = said_by(join->arena, &part->lines[k]);

		if (text)
			is_wanted = !was_said(said, text, in_ring);
		if (is_wanted)
			add(join, part, &part->lines[k]);
		else
			part->lines[k].is_taken |= text != NULL;
	}
}

/* ---- files of many boots */

/* Does a part of this boot reach back to where the driver started? Then what it lacks is older. */
static bool boot_is_whole(const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		for (size_t k = 0; is_log(part) && part->boots_ago == 0 && k < part->nr_lines; k++)
			if (log_is_start_of_driver(part->lines[k].text) ||
			    strstr(part->lines[k].text, "Linux version "))
				return true;
	}
	return false;
}

static void add_files(struct join *join, const struct texts *said, bool of_this_boot)
{
	bool is_whole_boot = boot_is_whole(join->parts);

	for (size_t i = 0; i < join->nr_files; i++) {
		const struct log_file *file = &join->files[i];
		size_t start = is_whole_boot ? file->part->nr_lines : file->start;

		add_rest(join, file->part, of_this_boot ? start : 0, of_this_boot ? file->part->nr_lines : start, said);
	}
}

static void add_searched(struct join *join)
{
	struct texts said = texts_of(join);

	add_files(join, &said, false);
	end_boot(join);
	for (int boots_ago = MAX_BOOTS; boots_ago > 0; boots_ago--) {
		add_whole(join, boots_ago);
		end_boot(join);
	}
	add_files(join, &said, true);
	for (size_t i = 0; i < join->parts->nr; i++)
		if (is_of_journal(&join->parts->v[i]))
			add_rest(join, &join->parts->v[i], 0, join->parts->v[i].nr_lines, &said);
}

int log_boots_ago(const char *command)
{
	static const char *const options[] = { " -b -", " -b-", " -kb -", " --boot -", " --boot=-" };

	for (size_t i = 0; strstr(command, "journalctl") && i < ARRAY_SIZE(options); i++) {
		const char *at = strstr(command, options[i]);
		bool fits = true;
		uint64_t ago;

		at = at ? at + strlen(options[i]) : "";
		if (scan_u64(&at, 10, &ago, &fits) && fits && ago < MAX_BOOTS)
			return (int)ago;
	}
	return 0;
}

/* Does anything in the dumps show what came after that boot? By itself it is what the ticket is about. */
static bool is_followed(const struct dump_parts *parts, int boots_ago)
{
	for (size_t i = 0; i < parts->nr; i++) {
		const char *command = parts->v[i].about;

		/* Of prose between, and of what other commands say, nobody knows. */
		if (!is_log(&parts->v[i]) || (command && (strstr(command, "journalctl") || strstr(command, "dmesg")) &&
					      log_boots_ago(command) < boots_ago))
			return true;
	}
	return false;
}

/* Of logs that a command printed: it says of which boot they are. */
static void settle_boots(const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++) {
		struct dump_part *part = &parts->v[i];
		int ago = is_log(part) && !part->boots_ago && part->about ? log_boots_ago(part->about) : 0;

		if (ago && is_followed(parts, ago))
			part->boots_ago = ago;
	}
}

struct log_origin *log_parts_join(struct arena *arena, const struct dump_parts *parts, int64_t now_us, size_t *ret_nr)
{
	struct join join = { .arena = arena, .parts = parts };
	bool has_searched = false;

	settle_boots(parts);
	sort_by_age(&join);
	for (size_t i = 0; i < parts->nr; i++)
		has_searched |= is_log(&parts->v[i]) && (parts->v[i].is_picked || parts->v[i].boots_ago > 0);
	join.files = log_files(arena, parts, now_us, &join.nr_files);
	if (has_searched)
		add_searched(&join);
	add_whole(&join, 0);
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->v[i].kind == DUMP_XID_MONITOR || parts->v[i].kind == DUMP_BMC_JSON)
			add_reports(&join, &parts->v[i]);
		else if (parts->v[i].kind == DUMP_HEALTH_EVENT)
			health_event_lines(arena, &parts->v[i], add_event, &join);
		else if (parts->v[i].kind == DUMP_FABRIC_LOG)
			add_sxids(&join, &parts->v[i]);
	*ret_nr = join.nr;
	return join.origins;
}
