// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/disk_array.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- heads */

enum { MOST_FAILED_BYTES = 400 };	/* of the names of disks that failed: nobody reads a longer list to its end */

static const char *name_end(const char *text)
{
	while (is_letter_or_digit(*text) || *text == '_' || *text == '-')
		text++;
	return text;
}

/* "sdb1[1](F)", "sdb1[1](W)(F)": what stands before its number, where that mark stands behind. */
static void add_failed(struct strbuf *failed, const char *word, size_t len)
{
	size_t name = strcspn(word, "[");

	if (failed->len > MOST_FAILED_BYTES || name >= len || !memmem(word, len, "(F)", strlen("(F)")))
		return;
	strbuf_addf(failed, "%s%.*s", failed->len ? ", " : "", (int)name, word);
}

bool md_head_read(struct arena *arena, const char *line, struct md_head *ret)
{
	static const char *const states[] = { "active", "inactive" };
	STRBUF_AUTO failed = STRBUF_INIT;
	const char *end = name_end(line), *at, *word;
	size_t len;

	*ret = (struct md_head){ .name = NULL };
	if (!text_begins(line, "md") || !text_begins(past_blanks(end), ": "))
		return false;
	at = past_blanks(end) + 1;
	word = scan_word(&at, &len);
	if (!text_word_is_any(word, len, states, ARRAY_SIZE(states)))
		return false;
	ret->name = arena_strndup(arena, line, (size_t)(end - line));
	while (word = scan_word(&at, &len), len) {
		if (*word == '(')	/* "(auto-read-only)" */
			continue;
		if (!ret->level && !memchr(word, '[', len))
			ret->level = arena_strndup(arena, word, len);
		add_failed(&failed, word, len);
	}
	ret->failed = failed.len ? arena_strdup(arena, failed.buf) : NULL;
	return true;
}

/* ---- lines below */

static bool take_pair(const char *at, uint64_t *ret_members, uint64_t *ret_working)
{
	bool fits = true;

	return scan_u64(&at, 10, ret_members, &fits) && scan_char(&at, '/') && scan_u64(&at, 10, ret_working, &fits) &&
	       scan_char(&at, ']') && fits;
}

static bool take_counts(const char *line, uint64_t *ret_members, uint64_t *ret_working)
{
	if (!strstr(line, " blocks"))
		return false;
	for (const char *at = line; (at = strchr(at, '[')); at++)
		if (take_pair(at + 1, ret_members, ret_working))
			return true;
	return false;
}

static const char *activity_of(const char *line)
{
	static const char *const activities[] = { "recovery", "resync", "reshape", "check", "repair" };

	line = past_blanks(line);
	if (*line == '[')
		line = past_blanks(line + strcspn(line, "]") + (strchr(line, ']') ? 1 : 0));
	/*
	 * A rebuild, too, is called so while one of another array on the same disks goes first (md.c, status_resync).
	 */
	if (text_begins(line, "resync=DELAYED"))
		return "delayed";
	for (size_t i = 0; i < ARRAY_SIZE(activities); i++)
		if (text_begins(line, activities[i]) && *past_blanks(line + strlen(activities[i])) == '=')
			return activities[i];
	return NULL;
}

/* Whether a level loses data, or nothing yet, without some of its disks. */
const char *md_state(const char *level, uint64_t members, uint64_t working)
{
	/* How many disks each may lose. A mirror lives with one; which of raid10 go together does not show. */
	static const struct { const char *level; uint64_t spares; } levels[] = {
		{ "raid4", 1 }, { "raid5", 1 }, { "raid6", 2 },
	};

	if (working >= members)
		return "active";
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(level, levels[i].level) && members - working > levels[i].spares)
			return "failed";
	return working ? "degraded" : "failed";
}

bool md_line_read(const char *line, const char *level, struct md_line *ret)
{
	*ret = (struct md_line){ .activity = activity_of(line) };
	/* It holds the metadata of others, and is never started. */
	if (!level && strstr(line, " super external:"))
		ret->state = "container";
	ret->has_counts = level && take_counts(line, &ret->members, &ret->working);
	if (ret->has_counts)
		ret->state = md_state(level, ret->members, ret->working);
	return ret->activity || ret->state;
}

const char *zpool_state(const char *text)
{
	static const struct { const char *said, *is; } states[] = {
		{ "ONLINE", "online" }, { "DEGRADED", "degraded" }, { "FAULTED", "faulted" },
		{ "SUSPENDED", "suspended" },
		{ "UNAVAIL", "unavailable" }, { "OFFLINE", "offline" }, { "REMOVED", "removed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (!strcmp(text, states[i].said))
			return states[i].is;
	return NULL;
}

/* ---- the file */

static struct disk_array *take_head(struct snapshot *facts, const struct md_head *head)
{
	struct disk_array *array = list_element(&facts->arena, facts, disk_arrays, disk_array, head->name);

	array->kind = val_str("md");
	array->level = head->level ? val_str(head->level) : no_str(VAL_ABSENT, "not running");
	array->failed = head->failed ? val_str(head->failed) : no_str(VAL_ABSENT, "none");
	array->activity = no_str(VAL_ABSENT, "none");
	array->state = val_str(head->level ? "active" : "inactive");
	return array;
}

static void take_line(struct disk_array *array, const char *line)
{
	struct md_line told;

	if (!md_line_read(line, is_known(array->level) ? str_or(array->level, "") : NULL, &told))
		return;
	if (told.activity)
		array->activity = val_str(told.activity);
	if (told.state)
		array->state = val_str(told.state);
	if (!told.has_counts)
		return;
	array->members = val_u64(told.members);
	array->working = val_u64(told.working);
}

void md_stat_read(const char *text, struct snapshot *facts)
{
	struct arena *arena = &facts->arena;
	struct disk_array *array = NULL;
	struct md_head head;

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		const char *line = arena_strndup(arena, text, len = strcspn(text, "\n"));

		if (md_head_read(arena, line, &head))
			array = take_head(facts, &head);
		else if (array)
			take_line(array, line);
	}
}
