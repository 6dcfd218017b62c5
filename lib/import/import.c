// SPDX-License-Identifier: GPL-2.0-or-later
/* import.c - texts to parts, parts to one snapshot. */
#include "base/compat.h"
#include "import/import.h"

#include <errno.h>

#include "base/text.h"
#include "format/report_tree.h"
#include "import/host/sysfs.h"
#include "import/join.h"
#include "import/log/bug_report.h"
#include "import/log/log.h"
#include "import/log/log_parts.h"
#include "import/machines.h"
#include "import/part_times.h"
#include "import/program/error_lines.h"
#include "import/program/error_signs.h"
#include "import/program/likely_error.h"
#include "import/program/only_gpu.h"
#include "import/program/program_error.h"
#include "import/program/program_end.h"
#include "import/program/quoted_error.h"
#include "import/program/unlisted_error.h"
#include "import/smi_list_apart.h"
#include "import/words/claims.h"

struct import {
	struct snapshot snapshot;	/* its arena holds everything */
	struct dump_parts parts;
	struct import_file *files;	/* of /sys and /proc */
	size_t nr_files;
	/* Files that somebody chose. */
	struct added_text {
		const char *name;
		size_t first_part, end_part;
	} *added;
	size_t nr_added;
};

struct import *import_new(void)
{
	struct import *import = calloc(1, sizeof(*import));

	if (!import)
		abort();
	return import;
}

void import_free(struct import *import)
{
	snapshot_release(&import->snapshot);
	free(import);
}

/* ---- files of a report of the whole machine */

/* Its reader goes by its place on the machine: "/proc/cmdline" of "proc/cmdline". */
static void add_host_file(struct import *import, const struct dump_text *text, const char *inside,
			  struct dump_line *lines, size_t nr)
{
	struct arena *arena = &import->snapshot.arena;
	const char *place = arena_printf(arena, "/%s", inside);

	if (!nr || !recorded_file_is_read(place))
		return;
	dump_part_add(arena, &import->parts, &(struct dump_part){
		.kind = DUMP_RECORDED_FILE, .file = arena_strdup(arena, text->name), .about = place, .lines = lines,
		.nr_lines = nr,
	});
}

/* What repeats another log of the report counts where that does not have it. */
static void say_whose_log(struct dump_part *parts, size_t nr, enum report_file file)
{
	static const int boots_ago[] = {
		[REPORT_FILE_JOURNAL] = 0, [REPORT_FILE_JOURNAL_BEFORE] = 1, [REPORT_FILE_SYSLOG] = BOOTS_NOT_TOLD,
	};

	for (size_t i = 0; i < nr; i++) {
		if (parts[i].kind != DUMP_LOG || file < REPORT_FILE_JOURNAL)
			continue;
		parts[i].is_picked = true;
		parts[i].boots_ago = boots_ago[file];
	}
}

static void note_added(struct import *import, const char *name, size_t first_part)
{
	struct arena *arena = &import->snapshot.arena;

	import->added = arena_grow(arena, import->added, import->nr_added, sizeof(*import->added));
	import->added[import->nr_added++] = (struct added_text){
		.name = arena_strdup(arena, name), .first_part = first_part, .end_part = import->parts.nr,
	};
}

/* Of a report of a machine, and of a copy of its files, nobody expects that all is read. */
static bool is_chosen(const char *path)
{
	const char *inside;

	return !path || (report_file(path, false, &inside) == REPORT_FILE_NONE && !recorded_path(path));
}

void import_unread(struct import *import, const char *name, const char *path)
{
	if (is_chosen(path))
		note_added(import, name, import->parts.nr);
}

size_t import_add(struct import *import, const struct dump_text *text)
{
	struct arena *arena = &import->snapshot.arena;
	size_t nr, before = import->parts.nr;
	const char *inside = NULL;
	enum report_file file = text->path ? report_file(text->path, true, &inside) : REPORT_FILE_NONE;
	bool is_cut;
	struct dump_line *lines = dump_clean(arena, text, &nr, &is_cut);

	if (file == REPORT_FILE_HOST)
		add_host_file(import, text, inside, lines, nr);
	else
		dump_split(arena, arena_strdup(arena, text->name), lines, nr, &import->parts);
	if (is_chosen(text->path))
		note_added(import, text->name, before);
	if (import->parts.nr == before)
		return 0;
	if (is_cut || text->is_cut)
		import->parts.v[import->parts.nr - 1].is_cut = true;
	say_whose_log(&import->parts.v[before], import->parts.nr - before, file);
	return import->parts.nr - before;
}

void import_note(struct import *import, const char *text)
{
	struct arena *arena = &import->snapshot.arena;

	if (!strs_has(&import->snapshot.run.import_notes, text))
		strs_add(arena, &import->snapshot.run.import_notes, arena_strdup(arena, text));
}

/* ---- what others read */

typedef void value_fn(struct val_head *head, bool is_of_node, uint32_t from);

/*
 * All values of a record and of what is in it. is_of_node: they are told of the node itself, and not of a part of it.
 */
static void each_value(const struct record *record, char *base, bool is_of_node, value_fn *fn, uint32_t from)
{
	for (size_t i = 0; i < record->nr; i++) {
		const struct field *field = &record->fields[i];
		char *at = base + field->offset;

		if (field->kind == FIELD_RECORD) {
			each_value(field->record, at, is_of_node, fn, from);
		} else if (field->kind == FIELD_LIST) {
			char *element = *(char **)(void *)at;
			size_t nr = *(size_t *)(void *)(base + field->offset_nr);

			for (size_t k = 0; k < nr; k++)
				each_value(field->record, element + k * field->record->size, false, fn, from);
		} else if (field_is_value(field)) {
			fn((struct val_head *)(void *)at, is_of_node, from);
		}
	}
}

/* Whose own line a value has keeps it. */
static void say_from(struct val_head *head, bool is_of_node, uint32_t from)
{
	(void)is_of_node;
	if (head->state == VAL_OK && !head->from)
		head->from = from;
}

/*
 * What was not pasted is no file that the machine lacks, and lists of nothing are not empty: what is told of the node,
 * and not by a line, was made of what is not there.
 */
static void forget_missing(struct val_head *head, bool is_of_node, uint32_t from)
{
	(void)from;
	if ((head->state != VAL_OK || is_of_node) && !head->from) {
		head->state = VAL_UNSET;
		head->why = NULL;
	}
}

/* Not the run's: what was read then and how. */
static const struct snapshot *take_told(struct import *import, struct snapshot *told, uint32_t from)
{
	struct arena *arena = &import->snapshot.arena;
	struct snapshot *ret;

	arena_join(arena, &told->arena);
	told->run = (struct run){ .tool = { .state = VAL_UNSET } };
	told->request = (struct request){ .level = { .state = VAL_UNSET } };
	each_value(&record_snapshot, (char *)told, true, say_from, from);
	ret = arena_alloc(arena, sizeof(*ret));
	*ret = *told;
	*told = (struct snapshot){ .run = { .tool = { .state = VAL_UNSET } } };
	return ret;
}

void import_tree_told(struct import *import, const char *name, struct snapshot *told)
{
	struct arena *arena = &import->snapshot.arena;
	struct dump_part *part = dump_part_add(arena, &import->parts, &(struct dump_part){
		.kind = DUMP_TREE, .file = arena_strdup(arena, name),
	});

	part->told = take_told(import, told, value_from(part->number, 0));
}

void import_files_told(struct import *import, struct snapshot *told)
{
	struct dump_part *part = import->parts.v;

	sysfs_settle(&told->arena, import->files, import->nr_files, told);
	each_value(&record_snapshot, (char *)told, true, forget_missing, 0);
	while (part->kind != DUMP_SYSFS)
		part++;
	part->told = take_told(import, told, value_from(part->number, part->lines[0].number));
}

/* ---- the end */

/* The newest time of parts, of those with a zone or of those without, and of logs or of all others; NULL: none. */
static const char *newest_time(const struct dump_parts *parts, bool has_zone, bool of_logs)
{
	const char *ret = NULL;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct dump_part *part = &parts->v[i];

		if (part->taken_at && part->clock.has_zone == has_zone && (part->kind == DUMP_LOG) == of_logs &&
		    (!ret || strcmp(part->taken_at, ret) > 0))
			ret = part->taken_at;
	}
	return ret;
}

/*
 * The newest time that a part names is that of the import: ages are counted from it. What a log says may have been long
 * before anybody looked; and what has no zone is newer only where no zone makes up for it.
 */
static void take_time(struct snapshot *ret, const struct dump_parts *parts)
{
	enum { ZONES_S = 26 * 3600 };
	const char *zoned = newest_time(parts, true, false), *local = newest_time(parts, false, false);
	int64_t zoned_s, local_s;

	if (zoned && local && !parse_rfc3339(zoned, &zoned_s) && !parse_rfc3339(local, &local_s) &&
	    local_s - zoned_s < ZONES_S)
		local = NULL;
	if (!zoned && !local) {
		zoned = newest_time(parts, true, true);
		local = zoned ? NULL : newest_time(parts, false, true);
	}
	if (!zoned && !local)
		return;
	ret->run.taken_at = val_str(local ? local : zoned);
	if (local)
		ret->run.zone_unknown = val_bool(true);
}

/* The GPUs that texts name by their addresses. */
static struct strs named_gpus(struct import *import)
{
	struct arena *arena = &import->snapshot.arena;
	struct strs ret = { .nr = 0 };

	for (size_t i = 0; i < import->parts.nr; i++) {
		struct snapshot scratch = { .run = { .tool = { .state = VAL_UNSET } } };

		if (dump_source(import->parts.v[i].kind)->read)
			dump_part_read(&import->parts, &import->parts.v[i], &scratch);
		for (size_t k = 0; k < scratch.nr_gpus; k++)
			strs_add(arena, &ret, str_or(scratch.gpus[k].key, ""));
		snapshot_release(&scratch);
	}
	return ret;
}

const struct import_file *import_files(struct import *import, size_t *ret_nr)
{
	struct arena *arena = &import->snapshot.arena;
	bool has_any = false;
	struct strs gpus;

	*ret_nr = 0;
	for (size_t i = 0; i < import->parts.nr; i++)
		has_any |= import->parts.v[i].kind == DUMP_SYSFS;
	if (!has_any)
		return NULL;
	gpus = named_gpus(import);
	import->files =
		sysfs_files(arena, &import->parts, &gpus, &import->nr_files, &import->snapshot.run.import_notes);
	*ret_nr = import->nr_files;
	return import->files;
}

static void read_part(struct import *import, const struct dump_part *part)
{
	dump_part_read(&import->parts, dump_part_add(&import->snapshot.arena, &import->parts, part), &import->snapshot);
}

static bool is_failure(enum val_state state)
{
	return state == VAL_ERROR || state == VAL_DENIED;
}

/* That tests failed, or what came of an error says not why: what else a program printed does. */
static bool tells_of_errors(const struct snapshot *snapshot)
{
	static const char *const effects[] = { "tests", "on-cpu", "not-a-number" };
	size_t nr_effects = 0;

	for (size_t i = 0; i < ARRAY_SIZE(effects); i++)
		nr_effects += list_find(snapshot, program_errors, program_error, effects[i]) != NULL;
	return snapshot->nr_program_errors > nr_effects || snapshot->nr_xid_claims ||
	       is_failure(snapshot->nvml.init.state) || is_failure(snapshot->rocm.init.state);
}

/* Does any line speak of GPUs, or of what runs on them? A command that was typed is of no part. */
static bool is_about_gpus(const struct dump_parts *parts)
{
	for (size_t i = 0; i < parts->nr_texts; i++)
		for (size_t k = 0; k < parts->texts[i].nr; k++)
			if (error_is_about_gpus(parts->texts[i].v[k].text))
				return true;
	return false;
}

/* A log of so many lines has harmless ones that read like anything. */
static bool is_long(const struct dump_parts *parts)
{
	enum { MOST_LINES = 20000 };
	size_t nr = 0;

	for (size_t i = 0; i < parts->nr_texts; i++)
		nr += parts->texts[i].nr;
	return nr > MOST_LINES;
}

/* Whose the first error is: lines of another file may be of another machine. NULL: no part tells it. */
static const char *file_of_errors(const struct import *import)
{
	const struct snapshot *snapshot = &import->snapshot;
	const uint32_t from = snapshot->nr_program_errors ? snapshot->program_errors[0].words.from : 0;

	return dump_file_of(&import->parts, from);
}

typedef bool is_line(const struct dump_part *part, size_t at);
typedef bool may_say(const char *text);

/* Of one file; NULL: of the first that has such. */
static void take_lines_of(struct import *import, const char *file, enum dump_kind kind, is_line *is_one, may_say *says)
{
	struct dump_part part = { .file = file };

	if (error_lines_part(&import->snapshot.arena, &import->parts, kind, is_one, says, &part))
		read_part(import, &part);
}

static void take_lines(struct import *import, enum dump_kind kind, is_line *is_one, may_say *says)
{
	if (!tells_of_errors(&import->snapshot))
		take_lines_of(import, NULL, kind, is_one, says);
}

/* Last: what a reader took is none. Each is asked only where nothing better tells of an error. */
static void take_claims(struct import *import)
{
	struct arena *arena = &import->snapshot.arena;
	bool (*is_one)(const struct dump_part *part, size_t at);
	struct dump_part part;
	bool is_about;

	if (claims_part(arena, &import->parts, &part))
		read_part(import, &part);
	take_lines(import, DUMP_UNLISTED_ERROR, unlisted_error_is_at, NULL);
	take_lines(import, DUMP_PROGRAM_END, program_end_is_at, unlisted_error_may_be_in);
	take_lines(import, DUMP_QUOTED_ERROR, quoted_error_is_at, NULL);
	is_about = is_about_gpus(&import->parts);
	is_one = is_about ? unlisted_error_is_beside : unlisted_error_has_level;
	take_lines(import, DUMP_UNLISTED_ERROR, is_one, NULL);
	if (!is_about || is_long(&import->parts))
		return;
	if (tells_of_errors(&import->snapshot))
		take_lines_of(import, file_of_errors(import), DUMP_ERROR_BESIDE, likely_error_is_at, NULL);
	else
		take_lines(import, DUMP_LIKELY_ERROR, likely_error_is_at, NULL);
}

/* Files are told by those who read them all. */
static bool is_used(const struct import *import, const struct added_text *text)
{
	for (size_t i = text->first_part; i < text->end_part; i++)
		if (dump_part_is_taken(&import->parts.v[i]) || import->parts.v[i].kind == DUMP_SYSFS)
			return true;
	/* Errors in a note, whose lines were picked out of its parts. */
	for (size_t i = text->end_part; i < import->parts.nr; i++)
		if (import->parts.v[i].is_picked && !strcmp(import->parts.v[i].file, text->name) &&
		    dump_part_is_taken(&import->parts.v[i]))
			return true;
	return false;
}

/* Of which files, whose names may be of any bytes. */
static void add_unread(struct arena *arena, struct import_account *account, const char *files)
{
	STRBUF_AUTO text = STRBUF_INIT;

	utf8_clean(&text, files, strlen(files));
	strs_add(arena, &account->unread, arena_printf(arena, "%s: nothing that gpudiag knows", text.buf));
}

/* A few are named one by one. */
static void tell_unread(struct import *import, struct import_account *account)
{
	enum { FEW = 4 };
	struct arena *arena = &import->snapshot.arena;
	const char *names[FEW];
	size_t nr = 0;

	for (size_t i = 0; i < import->nr_added; i++) {
		if (is_used(import, &import->added[i]))
			continue;
		if (nr < FEW)
			names[nr] = import->added[i].name;
		nr++;
	}
	for (size_t i = 0; i < nr && nr <= FEW; i++)
		add_unread(arena, account, names[i]);
	if (nr > FEW)
		add_unread(arena, account, arena_printf(arena, "%s, %s and %zu more files", names[0], names[1], nr - 2));
	for (size_t i = 0; i < account->unread.nr; i++)
		import_note(import, account->unread.v[i]);
}

int import_end(struct import *import, struct snapshot *ret, struct import_account *account, const char **why)
{
	struct snapshot *base = &import->snapshot;

	*account = (struct import_account){ .nr_parts = 0 };
	dump_parts_date(&base->arena, &import->parts);
	*why = dump_parts_join(base, &import->parts);
	program_errors_end(base, &import->parts);
	dump_take_links(base);
	take_time(base, &import->parts);
	dump_logs_join(base, &import->parts);
	take_claims(import);
	only_gpus_put(base, &import->parts);
	smi_list_compare(base, &import->parts);
	*why = *why ? *why : machines_of_names_differ(&base->arena, &import->parts);
	*why = *why ? *why : machines_of_logs_differ(&base->arena, &import->parts);
	dump_account_for(base, &import->parts, account);
	tell_unread(import, account);
	base->run.source = val_str("import");
	*ret = *base;
	*base = (struct snapshot){ .run = { .tool = { .state = VAL_UNSET } } };
	if (*why)
		return -EXDEV;
	return account->nr_parts ? 0 : -ENODATA;
}

struct import_log_line *import_log_lines(struct import *import, size_t *ret_nr)
{
	struct arena *arena = &import->snapshot.arena;
	struct log_origin *origins = log_parts_join(arena, &import->parts, 0, ret_nr);
	struct import_log_line *ret = arena_alloc(arena, (*ret_nr + 1) * sizeof(*ret));

	for (size_t i = 0; i < *ret_nr; i++)
		if (origins[i].line)
			ret[i] = (struct import_log_line){
				.text = origins[i].text, .file = origins[i].part->file, .line = origins[i].line->number,
			};
		else
			ret[i] = (struct import_log_line){ .text = NULL };
	return ret;
}

bool import_is_report(const char *bytes, size_t len)
{
	enum { FIRST_BYTES = 4096 };	/* a script's own words may stand before it */

	return memmem(bytes, len < FIRST_BYTES ? len : FIRST_BYTES, BUG_REPORT_START, strlen(BUG_REPORT_START));
}
