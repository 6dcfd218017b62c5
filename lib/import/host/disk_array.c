// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk_array.c - arrays of disks: /proc/mdstat, mdadm --detail, and zpool status. Each array or pool has a head of its
 * own.
 *
 *	/dev/md0:                                         pool: tank
 *	        Raid Level : raid1                       state: DEGRADED
 *	      Raid Devices : 2                            scan: resilver in progress since Tue Jun  3 10:00:00 2025
 *	             State : clean, degraded            errors: No known data errors
 */
#include "base/compat.h"
#include "format/disk_array.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

/* ---- heads */

/*
 * "md0" of "/dev/md0:", "0" of "/dev/md/0:" and of "/dev/md/node7:0:", where a host's name is no part of it; NULL:
 * another line.
 */
static const char *mdadm_name(struct arena *arena, const char *text)
{
	static const char dev[] = "/dev/md";
	size_t len = strlen(text);
	const char *end, *host_end;

	if (!text_begins(text, dev) || len < sizeof(dev) || text[len - 1] != ':' || strchr(text, ' '))
		return NULL;
	text = text[strlen(dev)] == '/' ? text + strlen(dev) + 1 : text + strlen("/dev/");
	end = text + strlen(text) - 1;
	host_end = memchr(text, ':', (size_t)(end - text));
	text = host_end && host_end + 1 < end ? host_end + 1 : text;
	return strchr(text, '/') ? NULL : arena_strndup(arena, text, (size_t)(end - text));
}

static const char *pool_name(struct arena *arena, const char *text)
{
	const char *at = scan_value(text, "pool");

	return at && *at && !strchr(at, ' ') ? arena_strdup(arena, at) : NULL;
}

static bool is_mdadm(const struct dump_line *lines, size_t nr)
{
	enum { LOOK_AHEAD = 4 };
	struct arena arena = { .blocks = NULL };
	bool is_head = mdadm_name(&arena, lines->text) != NULL, ret = false;

	for (size_t i = 1; is_head && i < nr && i <= LOOK_AHEAD; i++)
		ret |= scan_value(lines[i].text, "Version") || scan_value(lines[i].text, "Raid Level");
	arena_release(&arena);
	return ret;
}

static bool is_md_stat(const char *text)
{
	struct arena arena = { .blocks = NULL };
	struct md_head head;
	bool ret = md_head_read(&arena, text, &head);

	arena_release(&arena);
	return ret;
}

static bool is_pool(const struct dump_line *lines, size_t nr)
{
	const char *name = scan_value(lines->text, "pool"), *state = nr > 1 ? scan_value(lines[1].text, "state") : NULL;

	/* zpool import has the pool's number between. */
	if (nr > 2 && scan_value(lines[1].text, "id"))
		state = scan_value(lines[2].text, "state");

	return name && *name && !strchr(name, ' ') && state && zpool_state(state);
}

/* "mdadm: array /dev/md0 started.", which mdadm --create says. */
static bool is_md_made(const char *text)
{
	return text_begins(text, "mdadm: array /dev/md") && strstr(text, " started.");
}

/*
 * "NAME SIZE ALLOC FREE CKPOINT EXPANDSZ FRAG CAP DEDUP HEALTH ALTROOT" of zpool list: where HEALTH is; 0: another
 * line.
 */
static size_t health_column(const char *text)
{
	static const char *const first[] = { "NAME", "SIZE", "ALLOC", "FREE" };
	const char *word;
	size_t len;

	for (size_t i = 0; word = scan_word(&text, &len), len; i++) {
		if (i < ARRAY_SIZE(first) && (strlen(first[i]) != len || memcmp(word, first[i], len) != 0))
			return 0;
		if (i >= ARRAY_SIZE(first) && len == strlen("HEALTH") && text_begins(word, "HEALTH"))
			return i;
	}
	return 0;
}

enum dump_begins disk_array_begins(const struct dump_line *lines, size_t nr)
{
	if (text_begins(lines->text, "Personalities :") || is_mdadm(lines, nr) || is_pool(lines, nr) ||
	    is_md_made(lines->text) || health_column(lines->text))
		return BEGINS_NEW;
	return is_md_stat(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

/* ---- one array at a time */

/* No node has more arrays, and no list of failed disks is read to its end where it is longer. */
enum { MOST_ARRAYS = 1024, MOST_FAILED_BYTES = 400 };

struct at_array {
	struct reading *reading;
	const char *name;		/* NULL: none is at hand */
	enum { OF_MD_STAT, OF_MDADM, OF_ZPOOL } form;
	size_t health_column;		/* of zpool list, whose rows stand below; 0: of none */
	bool is_taken_offline;		/* by the administrator */
	bool is_of_cache;		/* the rows are of copies, which a pool does without */
	bool is_replacing;		/* the next row is of a disk that another takes the place of */
	struct strbuf failed;		/* of mdadm and zpool: their names */
	struct dump_line *failed_line;
	struct strbuf erring;		/* the same of those in use that returned errors */
	struct dump_line *erring_line;
};

/*
 * Of what is told in full "" says that there is none: an earlier text, whose values are taken where a later one has
 * none, told of it.
 */
static const char none[] = "";

static struct disk_array *array_at(struct at_array *at)
{
	return list_element(at->reading->arena, at->reading->snapshot, disk_arrays, disk_array, at->name);
}

static void add_failed(struct at_array *at, struct dump_line *line, const char *name, size_t len)
{
	if (at->failed.len > MOST_FAILED_BYTES)
		return;
	strbuf_addf(&at->failed, "%s%.*s", at->failed.len ? ", " : "", (int)len, name);
	at->failed_line = line;
}

/* Was it made without all of its disks, "mdadm --create /dev/md0 --level=1 --raid-devices=2 missing /dev/sdb1"? */
static bool is_made_with_less(const struct at_array *at)
{
	enum { MOST_PARTS = 64 };
	const struct dump_parts *parts = at->reading->parts;
	const char *device = arena_printf(at->reading->arena, "/dev/%s ", at->name);
	size_t nr_before = parts ? (size_t)(at->reading->part - parts->v) : 0, nr_seen = 0;

	for (size_t i = nr_before; i > 0 && nr_seen < MOST_PARTS; i--, nr_seen++) {
		const char *command = parts->v[i - 1].about;

		if (parts->v[i - 1].kind == DUMP_DISK_ARRAY && command && strstr(command, device) &&
		    strstr(command, " missing") && (strstr(command, " --create ") || strstr(command, " -C ")))
			return true;
	}
	return false;
}

/* What somebody chose is no fault, and is not judged. */
static void settle_state(struct at_array *at)
{
	struct disk_array *array = array_at(at);
	uint32_t from = array->state.from;

	if (at->form == OF_MDADM && is_known(array->members) && is_known(array->working) &&
	    !strcmp(md_state(str_or(array->level, ""), u64_or(array->members, 0), u64_or(array->working, 0)), "failed"))
		array->state = val_str("failed");
	else if (!str_is(array->state, "degraded"))
		return;
	else if (at->form != OF_ZPOOL && is_made_with_less(at))
		array->state = no_str(VAL_UNSUPPORTED, "made without all of its disks");
	else if (at->is_taken_offline && !at->failed.len)
		array->state = no_str(VAL_UNSUPPORTED, "a disk was taken offline by the administrator");
	array->state.from = from;
}

static void end_array(struct at_array *at)
{
	if (at->name)
		settle_state(at);
	if (at->failed.len)
		put(at->reading, at->failed_line, array_at(at)->failed,
		    val_str(arena_strdup(at->reading->arena, at->failed.buf)));
	if (at->erring.len)
		put(at->reading, at->erring_line, array_at(at)->erring,
		    val_str(arena_strdup(at->reading->arena, at->erring.buf)));
	strbuf_reset(&at->failed);
	strbuf_reset(&at->erring);
	at->name = NULL;
	at->is_taken_offline = at->is_of_cache = false;
}

static void begin_array(struct at_array *at, struct dump_line *line, const char *name, int form, const char *kind)
{
	const struct snapshot *told = at->reading->snapshot;

	end_array(at);
	if (told->nr_disk_arrays >= MOST_ARRAYS && !list_find(told, disk_arrays, disk_array, name))
		return;
	at->name = name;
	at->form = form;
	put(at->reading, line, array_at(at)->kind, val_str(kind));
}

/* ---- /proc/mdstat */

static void take_md_head(struct at_array *at, struct dump_line *line, const struct md_head *head)
{
	struct disk_array *array;

	begin_array(at, line, head->name, OF_MD_STAT, "md");
	if (!at->name)
		return;
	array = array_at(at);
	put(at->reading, line, array->state, val_str(head->level ? "active" : "inactive"));
	if (head->level)
		put(at->reading, line, array->level, val_str(head->level));
	put(at->reading, line, array->failed, val_str(head->failed ? head->failed : none));
	put(at->reading, line, array->activity, val_str(none));
}

static void take_md_line(struct at_array *at, struct dump_line *line)
{
	struct disk_array *array = array_at(at);
	struct md_line told;

	if (!md_line_read(line->text, is_known(array->level) ? str_or(array->level, "") : NULL, &told))
		return;
	if (told.activity)
		put(at->reading, line, array->activity, val_str(told.activity));
	if (told.state)
		put(at->reading, line, array->state, val_str(told.state));
	if (!told.has_counts)
		return;
	put(at->reading, line, array->members, val_u64(told.members));
	put(at->reading, line, array->working, val_u64(told.working));
}

/* ---- mdadm --detail */

/* "clean, degraded, recovering", "active, FAILED" */
static void take_mdadm_state(struct at_array *at, struct dump_line *line, const char *state)
{
	static const struct { const char *said, *is; } activities[] = {
		{ "recovering", "recovery" }, { "resyncing", "resync" }, { "reshaping", "reshape" },
		{ "checking", "check" },
	};
	struct disk_array *array = array_at(at);

	put(at->reading, line, array->state,
	    val_str(strstr(state, "FAILED") ? "failed" : strstr(state, "degraded") ? "degraded" :
		    strstr(state, "inactive") || strstr(state, "Not Started") ? "inactive" : "active"));
	if (!strstr(state, "FAILED") && !strstr(state, "degraded"))
		put(at->reading, line, array->failed, val_str(none));
	put(at->reading, line, array->activity, val_str(none));
	for (size_t i = 0; i < ARRAY_SIZE(activities); i++)
		if (strstr(state, activities[i].said))
			put(at->reading, line, array->activity, val_str(activities[i].is));
}

static void take_count(struct at_array *at, struct dump_line *line, const char *name, struct val_u64 *to)
{
	const char *value = scan_value(line->text, name);
	uint64_t count;

	if (value && !parse_u64(value, &count))
		put(at->reading, line, *to, val_u64(count));
}

static void take_mdadm_line(struct at_array *at, struct dump_line *line)
{
	const char *level = scan_value(line->text, "Raid Level"), *state = scan_value(line->text, "State"),
		   *faulty = strstr(line->text, " faulty "), *slash = strrchr(line->text, '/');

	if (level && *level)
		put(at->reading, line, array_at(at)->level, val_str(arena_strdup(at->reading->arena, level)));
	if (level && !strcmp(level, "container"))
		put(at->reading, line, array_at(at)->state, val_str(level));
	if (state && !str_is(array_at(at)->level, "container"))
		take_mdadm_state(at, line, state);
	take_count(at, line, "Raid Devices", &array_at(at)->members);
	take_count(at, line, "Active Devices", &array_at(at)->working);
	if (faulty && slash && slash[1])
		add_failed(at, line, slash + 1, strlen(slash + 1));
}

/* ---- zpool status */

/* "2.93K 0 0" of a row: reads, writes and checksums that were wrong. */
static bool has_errors(const char *text)
{
	bool ret = false;

	for (int i = 0; i < 3; i++) {
		size_t len;
		const char *word = scan_word(&text, &len);

		if (!len || !is_digit(*word))
			return false;
		ret |= len > 1 || *word != '0';
	}
	return ret;
}

static void add_erring(struct at_array *at, struct dump_line *line, const char *name, size_t len)
{
	if (at->erring.len > MOST_FAILED_BYTES)
		return;
	strbuf_addf(&at->erring, "%s%.*s", at->erring.len ? ", " : "", (int)len, name);
	at->erring_line = line;
}

/*
 * "sdb  FAULTED  3  12  0  too many errors": not of what disks are put together to, and not the first of those that
 * replace one another, which is on its way out.
 */
static void take_pool_row(struct at_array *at, struct dump_line *line)
{
	static const char *const gone[] = { "FAULTED", "UNAVAIL", "REMOVED" },
			  *const groups[] = { "mirror-", "raidz", "draid", "replacing-", "spare-" };
	const char *text = line->text, *name, *state;
	size_t len, state_len;
	bool is_replaced = at->is_replacing;

	name = scan_word(&text, &len);
	at->is_replacing = text_begins(name, "replacing-");
	state = scan_word(&text, &state_len);
	if (!state_len)
		at->is_of_cache = len == strlen("cache") && text_begins(name, "cache");
	if (!state_len || !is_digit(*past_blanks(text)) || is_replaced ||
	    text_begins_any(name, groups, ARRAY_SIZE(groups)) ||
	    (strlen(at->name) == len && !memcmp(at->name, name, len)))
		return;
	if (at->is_of_cache && text_word_is_any(state, state_len, gone, ARRAY_SIZE(gone)))
		add_erring(at, line, name, len);
	else if (text_word_is_any(state, state_len, gone, ARRAY_SIZE(gone)))
		add_failed(at, line, name, len);
	else if (state_len == strlen("ONLINE") && text_begins(state, "ONLINE") && has_errors(text))
		add_erring(at, line, name, len);
}

static void take_pool_state(struct at_array *at, struct dump_line *line, const char *state)
{
	struct disk_array *array = array_at(at);

	put(at->reading, line, array->state, val_str(state));
	put(at->reading, line, array->activity, val_str(none));
	if (strcmp(state, "online") != 0)
		return;
	put(at->reading, line, array->failed, val_str(none));
	put(at->reading, line, array->erring, val_str(none));
}

static void take_pool_line(struct at_array *at, struct dump_line *line)
{
	const char *state = scan_value(line->text, "state"), *scan = scan_value(line->text, "scan"),
		   *errors = scan_value(line->text, "errors");
	struct disk_array *array = array_at(at);

	if (state && zpool_state(state))
		take_pool_state(at, line, zpool_state(state));
	else if (text_begins(past_blanks(line->text), "status: ") && strstr(line->text, "taken offline by the"))
		at->is_taken_offline = line->is_taken = true;
	else if (scan && text_begins(scan, "resilver in progress"))
		put(at->reading, line, array->activity, val_str("resilver"));
	else if (scan && text_begins(scan, "scrub in progress"))
		put(at->reading, line, array->activity, val_str("scrub"));
	else if (errors && (text_begins(errors, "Permanent errors") || strstr(errors, " data errors, use ")))
		put(at->reading, line, array->has_lost_data, val_bool(true));
	else if (errors && text_begins(errors, "No known"))
		put(at->reading, line, array->has_lost_data, val_bool(false));
	else
		take_pool_row(at, line);
	/* It is the last of a pool. */
	if (errors)
		end_array(at);
}

static void take_list_head(struct at_array *at, struct dump_line *line)
{
	end_array(at);
	at->health_column = health_column(line->text);
	line->is_taken = true;
}

/*
 * "tank  21.8T  12.1T  9.71T  -  -  12%  55%  1.00x  DEGRADED  -" below the head of zpool list; disks of -v stand
 * farther right.
 */
static void take_list_row(struct at_array *at, struct dump_line *line)
{
	const char *text = line->text, *name, *word = NULL, *state;
	size_t name_len, len = 0;

	name = scan_word(&text, &name_len);
	for (size_t i = 0; i < at->health_column; i++)
		word = scan_word(&text, &len);
	state = len ? zpool_state(arena_strndup(at->reading->arena, word, len)) : NULL;
	if (name != line->text || !state) {
		at->health_column = name_len && name != line->text ? at->health_column : 0;
		return;
	}
	begin_array(at, line, arena_strndup(at->reading->arena, name, name_len), OF_ZPOOL, "zfs");
	if (at->name)
		take_pool_state(at, line, state);
	end_array(at);
}

/* ---- the part */

static void read_line(struct at_array *at, const struct dump_part *part, size_t number)
{
	struct dump_line *line = &part->lines[number];
	struct arena *arena = at->reading->arena;
	struct md_head head;

	if (md_head_read(arena, line->text, &head))
		take_md_head(at, line, &head);
	else if (is_mdadm(line, part->nr_lines - number))
		begin_array(at, line, mdadm_name(arena, line->text), OF_MDADM, "md");
	else if (is_pool(line, part->nr_lines - number))
		begin_array(at, line, pool_name(arena, line->text), OF_ZPOOL, "zfs");
	else if (text_begins(line->text, "Personalities :") || is_md_made(line->text))
		line->is_taken = true;
	else if (text_begins(line->text, "unused devices: "))
		put(at->reading, line, at->reading->snapshot->listed.disk_arrays,
		    val_u64(at->reading->snapshot->nr_disk_arrays));
	else if (health_column(line->text))
		take_list_head(at, line);
	else if (at->health_column)
		take_list_row(at, line);
	else if (at->name && at->form == OF_MD_STAT)
		take_md_line(at, line);
	else if (at->name && at->form == OF_MDADM)
		take_mdadm_line(at, line);
	else if (at->name)
		take_pool_line(at, line);
}

void disk_array_read(struct reading *reading)
{
	struct at_array at = { .reading = reading, .failed = STRBUF_INIT, .erring = STRBUF_INIT };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(&at, reading->part, i);
	end_array(&at);
	strbuf_release(&at.failed);
	strbuf_release(&at.erring);
}
