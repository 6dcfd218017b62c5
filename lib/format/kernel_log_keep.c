// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/kernel_log_keep.h"

#include "base/alloc.h"
#include "base/fnv.h"
#include "base/text.h"
#include "format/text_value.h"
#include "klog/match.h"

/* A frame is a MiB at most, and JSON may write one byte as six. */
enum { NR_BUCKETS = 1024, MAX_KINDS = NR_BUCKETS / 2, PIECE_BYTES = 100 * 1024 };

struct line;

/* Lines that are alike but for their numbers. */
struct kind {
	uint64_t hash;
	uint64_t seen;
	unsigned nr_first, nr_later;	/* of them kept */
	struct line *last_first;	/* after which lines were left out; NULL where it is gone itself */
	struct line *later, *newest;	/* those after the first ones, oldest to newest */
};

struct line {
	struct line *older, *newer;	/* of all */
	struct line *next_of_kind;
	struct kind *kind;		/* NULL: more kinds than are counted */
	uint64_t number, left_out;
	struct klog_time time;
	int level;
	bool is_relayed;
	bool is_event;			/* or a part of one, or a mark: by the catalogue of today */
	char process[32];
	size_t len;
	char text[];
};

struct log_keeper {
	struct line *oldest, *newest;
	struct line *mildest;		/* the oldest that is no event; NULL: all are */
	size_t nr, bytes;
	uint64_t thinned, cut, last_number;
	struct klog_time cut_at;	/* of the newest line that went to make room */
	bool saw_boot;
	size_t nr_kinds;
	struct kind kinds[NR_BUCKETS];	/* by hash; seen 0: free */
};

struct log_keeper *log_keeper_new(void)
{
	return xcalloc(1, sizeof(struct log_keeper));
}

void log_keeper_free(struct log_keeper *keeper)
{
	if (!keeper)
		return;
	while (keeper->oldest) {
		struct line *line = keeper->oldest;

		keeper->oldest = line->newer;
		free(line);
	}
	free(keeper);
}

/* ---- kinds */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = fnv_byte(hash, ((const unsigned char *)bytes)[i]);
	return hash;
}

/* Of the event and its device, and of the words; every run of digits is the same. */
static uint64_t hash_line(struct span text, const struct klog_match *match)
{
	uint64_t hash = FNV_START;

	if (match) {
		int row = match->row;

		hash = hash_bytes(hash, &row, sizeof(row));
		hash = hash_bytes(hash, match->fields.pci, strlen(match->fields.pci));
		hash = hash_bytes(hash, &match->fields.code, sizeof(match->fields.code));
	}
	while (text.at < text.end) {
		if (hex_digit(*text.at) < 0) {
			hash = fnv_byte(hash, (unsigned char)*text.at++);
			continue;
		}
		while (text.at < text.end && hex_digit(*text.at) >= 0)
			text.at++;
		hash = fnv_byte(hash, '0');
	}
	return hash;
}

static struct kind *kind_of(struct log_keeper *keeper, uint64_t hash)
{
	struct kind *kind = &keeper->kinds[hash % NR_BUCKETS];

	while (kind->seen && kind->hash != hash)
		if (++kind == keeper->kinds + NR_BUCKETS)
			kind = keeper->kinds;
	if (kind->seen)
		return kind;
	if (keeper->nr_kinds == MAX_KINDS)
		return NULL;
	keeper->nr_kinds++;
	kind->hash = hash;
	return kind;
}

/* ---- lines in and out */

static void unlink_line(struct log_keeper *keeper, struct line *line)
{
	while (keeper->mildest && (keeper->mildest == line || keeper->mildest->is_event))
		keeper->mildest = keeper->mildest->newer;
	*(line->older ? &line->older->newer : &keeper->oldest) = line->newer;
	*(line->newer ? &line->newer->older : &keeper->newest) = line->older;
	keeper->nr--;
	keeper->bytes -= line->len;
}

/* The oldest of those of its kind that came after the first ones goes. */
static void thin(struct log_keeper *keeper, struct kind *kind)
{
	struct line *line = kind->later;

	kind->later = line->next_of_kind;
	if (!kind->later)
		kind->newest = NULL;
	kind->nr_later--;
	keeper->thinned++;
	if (kind->last_first)
		kind->last_first->left_out++;
	unlink_line(keeper, line);
	free(line);
}

/* A line goes that is the oldest of its kind, as the oldest of all is, and of all that are no event. */
static void take_line(struct log_keeper *keeper, struct line *line)
{
	struct kind *kind = line->kind;

	unlink_line(keeper, line);
	if (!kind)
		return;
	if (kind->nr_first) {
		kind->nr_first--;
		if (kind->last_first == line)
			kind->last_first = NULL;
	} else {
		kind->later = line->next_of_kind;
		if (!kind->later)
			kind->newest = NULL;
		kind->nr_later--;
	}
}

static void add_to_kind(struct log_keeper *keeper, struct kind *kind, struct line *line)
{
	line->kind = kind;
	if (kind->seen++ < KEPT_FIRST) {
		kind->nr_first++;
		kind->last_first = line;
		return;
	}
	*(kind->newest ? &kind->newest->next_of_kind : &kind->later) = line;
	kind->newest = line;
	if (++kind->nr_later > KEPT_NEWEST)
		thin(keeper, kind);
}

static struct line *new_line(const struct klog_line *line, const struct klog_match *match)
{
	struct span text = line->text;
	struct line *kept;

	if (span_len(text) > MAX_KEPT_LINE_BYTES)
		text.end = text.at + MAX_KEPT_LINE_BYTES;
	kept = xcalloc(1, sizeof(*kept) + span_len(text) + 1);
	kept->number = line->number;
	kept->time = line->time;
	kept->level = line->level;
	kept->is_relayed = line->is_relayed;
	kept->is_event = match;
	kept->len = span_len(text);
	memcpy(kept->text, text.at, kept->len);
	if (match)
		span_copy(match->fields.process, kept->process, sizeof(kept->process));
	return kept;
}

static void keep(struct log_keeper *keeper, const struct klog_line *line, const struct klog_match *match)
{
	struct line *kept = new_line(line, match);
	struct kind *kind = kind_of(keeper, hash_line((struct span){ kept->text, kept->text + kept->len }, match));

	/* A journal and a ring count from their own beginnings: keys are told apart and rise all the same. */
	if (kept->number <= keeper->last_number)
		kept->number = keeper->last_number + 1;
	keeper->last_number = kept->number;
	kept->older = keeper->newest;
	*(keeper->newest ? &keeper->newest->newer : &keeper->oldest) = kept;
	keeper->newest = kept;
	if (!keeper->mildest && !kept->is_event)
		keeper->mildest = kept;
	keeper->nr++;
	keeper->bytes += kept->len;
	if (kind)
		add_to_kind(keeper, kind, kept);
	while (keeper->nr > MAX_KEPT_LINES || keeper->bytes > MAX_KEPT_BYTES) {
		struct line *spare = keeper->mildest ? keeper->mildest : keeper->oldest;

		/* What was thinned out behind it is counted already. */
		keeper->cut++;
		if (spare->time.has_boot && (!keeper->cut_at.has_boot || spare->time.boot_us > keeper->cut_at.boot_us))
			keeper->cut_at = spare->time;
		take_line(keeper, spare);
		free(spare);
	}
}

unsigned log_keeper_line(void *to, const struct klog_line *line)
{
	struct log_keeper *keeper = to;
	struct klog_match match;
	bool matches;

	if (line->origin == KLOG_ORIGIN_USER)
		return 0;
	keeper->saw_boot |= span_begins(line->text, "Linux version ");
	matches = klog_match(line, &match);
	keep(keeper, line, matches ? &match : NULL);
	return matches ? klog_follow(&match) : 0;
}

/* ---- what was kept */

uint64_t log_keeper_left_out(const struct log_keeper *keeper)
{
	return keeper->thinned + keeper->cut;
}

bool log_keeper_saw_boot(const struct log_keeper *keeper)
{
	return keeper->saw_boot;
}

bool log_keeper_is_cut(const struct log_keeper *keeper)
{
	return keeper->cut > 0;
}

bool log_keeper_kept_from(const struct log_keeper *keeper, uint64_t *ret_boot_us)
{
	*ret_boot_us = keeper->cut_at.boot_us;
	return keeper->cut_at.has_boot;
}

/* JSON is UTF-8, and a log may hold anything. */
static void put_line(struct snapshot *facts, const struct line *line)
{
	struct arena *arena = &facts->arena;
	const char *key = arena_printf(arena, "%llu", (unsigned long long)line->number);
	struct log_line *fact = list_element(arena, facts, log_lines, log_line, key);

	if (line->time.has_boot)
		fact->boot_ns = val_u64(line->time.boot_us * 1000);
	if (line->time.has_wall)
		fact->wall_s = val_f64((double)line->time.wall_us / 1e6);
	if (line->time.has_wall && line->time.wall_is_local)
		fact->wall_is_local = val_bool(true);
	if (line->level >= 0)
		fact->level = val_u64((uint64_t)line->level);
	if (line->is_relayed)
		fact->relayed = val_bool(true);
	if (line->left_out)
		fact->left_out = val_u64(line->left_out);
	if (line->process[0])
		fact->process = val_str(text_cleaned(arena, line->process, strlen(line->process)));
	fact->text = val_str(text_cleaned(arena, line->text, line->len));
}

bool log_keeper_take(struct log_keeper *keeper, struct snapshot *facts)
{
	size_t bytes = 0;

	if (!keeper->oldest)
		return false;
	while (keeper->oldest && bytes < PIECE_BYTES) {
		struct line *line = keeper->oldest;

		line->older = NULL;	/* as it is; said for who reads this without the rest */
		take_line(keeper, line);
		put_line(facts, line);
		bytes += line->len + 100;
		free(line);
	}
	return true;
}
