// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_nodes.c - which report speaks for each node, and which nodes have none. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hostlist.h"
#include "base/text.h"

/* ---- order */

struct entry {
	const struct fleet *fleet;
	uint32_t record;
	text_id machine;		/* of the record, or the only one of its name */
};

/* By name, then machine, then the newest first; of one time the one that came last. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;
	const struct fleet *fleet = one->fleet;
	const struct fleet_record *first = &fleet->records[one->record], *second = &fleet->records[other->record];
	/* What may judge comes before what is history, of any time. */
	int order = first->name == second->name ? 0 :
		    text_compare_natural(fleet_node_name(fleet, first), fleet_node_name(fleet, second));

	if (!order)
		order = (one->machine > other->machine) - (one->machine < other->machine);
	if (!order)
		order = first->is_history - second->is_history;
	if (!order)
		order = (first->taken_ms < second->taken_ms) - (first->taken_ms > second->taken_ms);
	return order ? order : (one->record < other->record) - (one->record > other->record);
}

static size_t run_of_name(const struct fleet *fleet, const struct entry *entries, size_t from, size_t nr)
{
	size_t end = from + 1;

	while (end < nr && fleet->records[entries[end].record].name == fleet->records[entries[from].record].name)
		end++;
	return end;
}

/* A report of an older version has no machine id: it is that of the only machine of its name. */
static void join_without_id(struct entry *entries, size_t nr)
{
	text_id only = entries[nr - 1].machine;
	size_t i = 0;

	while (i < nr && !entries[i].machine)
		i++;
	if (i < nr && entries[i].machine == only)
		while (i--)
			entries[i].machine = only;
}

static struct entry *sorted_entries(const struct fleet *fleet)
{
	struct entry *entries = xcalloc(fleet->nr_records + 1, sizeof(*entries));

	for (size_t i = 0; i < fleet->nr_records; i++)
		entries[i] = (struct entry){ fleet, (uint32_t)i, fleet->records[i].machine };
	qsort(entries, fleet->nr_records, sizeof(*entries), compare_entries);
	for (size_t i = 0, end; i < fleet->nr_records; i = end) {
		end = run_of_name(fleet, entries, i, fleet->nr_records);
		join_without_id(entries + i, end - i);
		qsort(entries + i, end - i, sizeof(*entries), compare_entries);
	}
	return entries;
}

/* ---- one report of each node */

static void note_equal_names(struct fleet *fleet, const struct entry *entries, size_t nr)
{
	size_t machines = 1;

	for (size_t i = 1; i < nr; i++)
		machines += entries[i].machine != entries[i - 1].machine;
	if (machines > 1)
		fleet_note(fleet, arena_printf(&fleet->arena, "%zu machines are called %s; each is a node of its own",
					       machines, fleet_node_name(fleet, &fleet->records[entries[0].record])));
}

/* The first of each machine judges; the others are its history, or the same once more. */
static void choose(struct fleet *fleet, const struct entry *entries, size_t nr)
{
	struct fleet_record *newest = NULL, *last = NULL;

	for (size_t i = 0; i < nr; i++) {
		struct fleet_record *record = &fleet->records[entries[i].record];

		if (!i || entries[i].machine != entries[i - 1].machine) {
			/* A node of which there is only history did not answer. */
			record->standing = record->is_history ? RECORD_STALE : RECORD_JUDGES;
			newest = last = record;
			continue;
		}
		record->standing = record->taken_ms == last->taken_ms && record->boot == last->boot ?
				   RECORD_COPY : RECORD_OLDER;
		newest->nr_older += record->standing == RECORD_OLDER;
		last = record;
	}
}

static int compare_times(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

/* The time of the fleet: the median, which no node's wrong clock moves. */
static int64_t time_of_fleet(const struct fleet *fleet)
{
	int64_t *times = xcalloc(fleet->nr_records + 1, sizeof(*times));
	size_t nr = 0;
	int64_t ret;

	for (size_t i = 0; i < fleet->nr_records; i++)
		if (fleet->records[i].standing == RECORD_JUDGES)
			times[nr++] = fleet->records[i].taken_ms;
	qsort(times, nr, sizeof(*times), compare_times);
	ret = nr ? times[nr / 2] : 0;
	free(times);
	return ret;
}

static const char *date_of(struct fleet *fleet, const struct fleet_record *record)
{
	char text[32];

	format_rfc3339(record->taken_ms / 1000, 0, text);
	return arena_strndup(&fleet->arena, text, strlen("2026-11-28"));
}

/* "run screen-7" */
static const char *run_of(struct fleet *fleet, const struct fleet_record *record)
{
	const char *run = texts_get(&fleet->texts, record->run);

	return run ? arena_printf(&fleet->arena, "run %s", run) : "a run without an id";
}

/* A file of last week makes a dead node look alive; a clock that is days ahead is said, and judges. */
static void set_aside_stale(struct fleet *fleet, int64_t max_age_ms)
{
	int64_t now = time_of_fleet(fleet);

	for (size_t i = 0; i < fleet->nr_records && max_age_ms; i++) {
		struct fleet_record *record = &fleet->records[i];

		if (record->standing != RECORD_JUDGES)
			continue;
		if (record->taken_ms < now - max_age_ms)
			record->standing = RECORD_STALE;
		else if (record->taken_ms > now + max_age_ms)
			fleet_note(fleet, arena_printf(&fleet->arena,
						       "the report of %s is of %s, long after the others: "
						       "is its clock wrong?",
						       fleet_node_name(fleet, record), date_of(fleet, record)));
	}
}

/* Files of another run in the folder make a dead node look alive, too. */
static void set_aside_other_runs(struct fleet *fleet, const char *run_id)
{
	text_id run = texts_add(&fleet->texts, run_id, strlen(run_id));

	for (size_t i = 0; i < fleet->nr_records; i++)
		fleet->records[i].is_history |= fleet->records[i].run != run;
}

/* Where those that judge are of two runs, one of them is perhaps of last week. */
static void note_two_runs(struct fleet *fleet)
{
	const struct fleet_record *first = &fleet->records[fleet->nodes[0]], *other = NULL;

	for (size_t i = 1; i < fleet->nr_nodes; i++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		if (record->run != first->run)
			other = record;
	}
	if (other)
		fleet_note(fleet, arena_printf(&fleet->arena,
					       "reports of more than one run: %s is of %s, %s of %s; --run-id "
					       "takes those of one",
					       fleet_node_name(fleet, first), run_of(fleet, first),
					       fleet_node_name(fleet, other), run_of(fleet, other)));
}

void fleet_fold(struct fleet *fleet, const struct fleet_rules *rules)
{
	struct entry *entries;

	if (rules->run_id)
		set_aside_other_runs(fleet, rules->run_id);
	entries = sorted_entries(fleet);

	for (size_t i = 0, end; i < fleet->nr_records; i = end) {
		end = run_of_name(fleet, entries, i, fleet->nr_records);
		note_equal_names(fleet, entries + i, end - i);
		choose(fleet, entries + i, end - i);
	}
	set_aside_stale(fleet, rules->max_age_ms);
	fleet->nodes = xcalloc(fleet->nr_records + 1, sizeof(*fleet->nodes));
	for (size_t i = 0; i < fleet->nr_records; i++)
		if (fleet->records[entries[i].record].standing == RECORD_JUDGES)
			fleet->nodes[fleet->nr_nodes++] = entries[i].record;
	if (fleet->nr_nodes)
		note_two_runs(fleet);
	free(entries);
}

/* ---- who is missing */

/* A name as schedulers say it: without its domain. An address has dots too, and no domain. */
static size_t short_len(const char *name)
{
	bool is_address = !name[strspn(name, "0123456789.")];

	return is_address ? strlen(name) : strcspn(name, ".");
}

struct answer {
	const char *name;
	uint32_t record;
};

static int compare_short(const char *a, const char *b)
{
	size_t a_len = short_len(a), b_len = short_len(b);
	int order = strncasecmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_answers(const void *a, const void *b)
{
	const struct answer *one = a, *other = b;

	return compare_short(one->name, other->name);
}

static void add_missing(struct fleet *fleet, const char *name, const char *known)
{
	fleet->missing = fleet_append(fleet->missing, fleet->nr_missing, sizeof(*fleet->missing));
	fleet->missing[fleet->nr_missing++] = (struct fleet_missing){ name, known };
}

static const char *known_of_stale(struct fleet *fleet, const struct fleet_record *record)
{
	return arena_printf(&fleet->arena, "its last report is of %s%s%s%s%s", date_of(fleet, record),
			    record->run ? ", " : "", record->run ? run_of(fleet, record) : "",
			    record->headline ? ": " : "", record->headline ? record->headline : "");
}

/* What could not be read, and stood in a file of that name. */
static const char *known_of_refused(struct fleet *fleet, const char *name)
{
	for (size_t i = 0; i < fleet->nr_refusals; i++) {
		const struct fleet_refusal *refusal = &fleet->refusals[i];
		const char *file = strrchr(refusal->source, '/');
		size_t len = short_len(name);

		file = file ? file + 1 : refusal->source;
		if (!strncasecmp(file, name, len) && (file[len] == '.' || file[len] == '\0'))
			return arena_printf(&fleet->arena, "%s: %s", refusal->source, refusal->why);
	}
	return NULL;
}

static struct answer *sorted_answers(const struct fleet *fleet, size_t *ret_nr)
{
	struct answer *answers = xcalloc(fleet->nr_records + 1, sizeof(*answers));
	size_t nr = 0;

	for (size_t i = 0; i < fleet->nr_records; i++) {
		const struct fleet_record *record = &fleet->records[i];

		if (record->standing == RECORD_JUDGES || record->standing == RECORD_STALE)
			answers[nr++] = (struct answer){ fleet_node_name(fleet, record), (uint32_t)i };
	}
	qsort(answers, nr, sizeof(*answers), compare_answers);
	*ret_nr = nr;
	return answers;
}

/* Of equal names the one that judges. */
static const struct fleet_record *find_answer(const struct fleet *fleet, const struct answer *answers, size_t nr,
					      const char *name)
{
	const struct answer key = { .name = name };
	const struct answer *any = bsearch(&key, answers, nr, sizeof(*answers), compare_answers), *at = any;
	const struct fleet_record *record;

	if (!any)
		return NULL;
	while (at > answers && !compare_answers(at - 1, &key))
		at--;
	for (; at < answers + nr && !compare_answers(at, &key); at++) {
		record = &fleet->records[at->record];
		if (record->standing == RECORD_JUDGES)
			return record;
	}
	return &fleet->records[any->record];
}

/* Whoever was expected, once each; told: the records whose nodes are dealt with. */
static void find_named(struct fleet *fleet, const struct answer *answers, size_t nr, bool *told)
{
	text_sort_natural(fleet->expected, fleet->nr_expected);
	for (size_t i = 0; i < fleet->nr_expected; i++) {
		const char *name = fleet->expected[i];
		const struct fleet_record *record;

		if (i && !strcmp(name, fleet->expected[i - 1]))
			continue;
		record = find_answer(fleet, answers, nr, name);
		if (!record) {
			add_missing(fleet, name, known_of_refused(fleet, name));
			continue;
		}
		told[record - fleet->records] = true;
		if (record->standing == RECORD_STALE)
			add_missing(fleet, name, known_of_stale(fleet, record));
	}
}

/* Nodes that answered once and not now are missing, whether they were expected or not. */
void fleet_find_missing(struct fleet *fleet)
{
	size_t nr, named;
	struct answer *answers = sorted_answers(fleet, &nr);
	bool *told = xcalloc(fleet->nr_records + 1, sizeof(*told));

	find_named(fleet, answers, nr, told);
	for (size_t i = 0; i < nr; i++) {
		const struct fleet_record *record = &fleet->records[answers[i].record];

		/* One that was installed anew answers under its name with another id. */
		if (record->standing == RECORD_STALE && !told[answers[i].record] &&
		    find_answer(fleet, answers, nr, answers[i].name) == record)
			add_missing(fleet, answers[i].name, known_of_stale(fleet, record));
	}
	named = fleet->nr_nodes + fleet->nr_missing;
	if (fleet->expected_count > named)
		fleet->nr_missing_unnamed = fleet->expected_count - (uint32_t)named;
	free(told);
	free(answers);
}
