// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kube_workloads.c - rows of kubectl get daemonsets and deployments. While a new version is rolled out some are not
 * ready, and in the first half hour the driver may still be built.
 */
#include "base/compat.h"
#include "import/fleet/kube_workloads.h"
#include "import/fleet/kube_pods.h"
#include "import/fleet/kube_table.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MOST_WORKLOADS = 512, MOST_NAME = 128, INSTALLING_S = 1800 };

enum shape { NO_TABLE, DAEMON_SETS, DEPLOYMENTS };

struct workload {
	const struct dump_part *part;
	struct dump_line *line;
	char space[MOST_NAME];	/* "": the table does not show it */
	char name[MOST_NAME];
	uint64_t desired, ready, up_to_date;
	uint64_t age_s;		/* 0: not told */
};

struct workloads {
	struct workload *v;
	size_t nr;
};

/* "NAMESPACE" stands before the name where all of them are shown. */
static enum shape shape_of(const char *text, bool *ret_has_space)
{
	static const char *const sets[] = { "NAME", "DESIRED", "CURRENT", "READY", "UP-TO-DATE" };
	static const char *const deployments[] = { "NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE" };
	const char *at = text, *word;
	size_t len;

	word = scan_word(&at, &len);
	*ret_has_space = kube_is_word(word, len, "NAMESPACE");
	at = *ret_has_space ? at : text;
	if (kube_has_columns(at, sets, ARRAY_SIZE(sets)))
		return DAEMON_SETS;
	return kube_has_columns(at, deployments, ARRAY_SIZE(deployments)) ? DEPLOYMENTS : NO_TABLE;
}

bool kube_workloads_begin(const char *text)
{
	bool has_space;

	return shape_of(text, &has_space) != NO_TABLE;
}

/* Of kubectl get all: "daemonset.apps/nvidia-mig-manager". */
static bool take_name(const char **at, struct workload *ret)
{
	size_t len;
	const char *word = scan_word(at, &len), *kind = memchr(word, '/', len);

	if (kind) {
		len -= (size_t)(kind + 1 - word);
		word = kind + 1;
	}
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)len, word);
	return len && len < sizeof(ret->name);
}

static bool take_number(const char **at, char end, uint64_t *ret)
{
	bool fits = true;

	*at = past_blanks(*at);
	if (!scan_u64(at, 10, ret, &fits) || !fits || **at != end)
		return false;
	(*at)++;
	return true;
}

/* The age is the last word: selectors of nodes stand before it. */
static uint64_t age_of(const char *text)
{
	uint64_t ret = 0;
	size_t len;

	for (const char *word; (word = scan_word(&text, &len)) && len; )
		ret = kube_duration_s(word, len);
	return ret;
}

static bool row_of(const char *text, enum shape shape, bool has_space, struct workload *ret)
{
	uint64_t current;
	size_t len;

	*ret = (struct workload){ .line = NULL };
	if (has_space) {
		const char *space = scan_word(&text, &len);

		snprintf(ret->space, sizeof(ret->space), "%.*s", (int)len, space);
	}
	if (!take_name(&text, ret))
		return false;
	if (shape == DEPLOYMENTS ? !take_number(&text, '/', &ret->ready) || !take_number(&text, ' ', &ret->desired) :
				   !take_number(&text, ' ', &ret->desired) || !take_number(&text, ' ', &current) ||
					   !take_number(&text, ' ', &ret->ready))
		return false;
	if (!take_number(&text, ' ', &ret->up_to_date))
		return false;
	ret->age_s = age_of(text);
	return true;
}

static bool is_bad(const struct workload *workload)
{
	if (workload->ready >= workload->desired || workload->age_s < INSTALLING_S)
		return false;
	return !workload->ready || workload->up_to_date == workload->desired;
}

/* The last column may be broken off its row, and off the head: "          45m", "          AGE". */
static bool take_last_word(const char *text, struct workloads *all)
{
	size_t len;
	const char *word = scan_word(&text, &len);
	uint64_t age_s = kube_duration_s(word, len);

	if (!scan_end(text))
		return false;
	if (age_s && all->nr && !all->v[all->nr - 1].age_s)
		all->v[all->nr - 1].age_s = age_s;
	return age_s || kube_is_word(word, len, "AGE");
}

/* Of a whole cluster's rows few are of the stack; the last one stays until the next comes, as its age may follow. */
static void add_workload(struct reading *reading, const struct workload *workload, struct workloads *all)
{
	if (!all->v)
		all->v = arena_alloc(reading->arena, MOST_WORKLOADS * sizeof(*all->v));
	if (all->nr && !kube_pods_stack_name(all->v[all->nr - 1].name))
		all->nr--;
	if (all->nr < MOST_WORKLOADS)
		all->v[all->nr++] = *workload;
}

static void add_workloads(struct reading *reading, const struct dump_part *part, struct workloads *all)
{
	enum shape shape = NO_TABLE;
	bool has_space = false, head_has_space;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		enum shape head = shape_of(line->text, &head_has_space);
		struct workload workload;

		if (head != NO_TABLE) {
			shape = head;
			has_space = head_has_space;
			line->is_taken = true;
		} else if (shape != NO_TABLE && row_of(line->text, shape, has_space, &workload)) {
			line->is_taken = true;
			workload.part = part;
			workload.line = line;
			add_workload(reading, &workload, all);
		} else if (shape != NO_TABLE && !take_last_word(line->text, all)) {
			shape = NO_TABLE;
		}
	}
}

static bool is_same(const struct workload *a, const struct workload *b)
{
	return !strcmp(a->name, b->name) && (!*a->space || !*b->space || !strcmp(a->space, b->space));
}

static bool is_told_again(const struct workloads *all, const struct workload *workload)
{
	for (const struct workload *later = workload + 1; later < all->v + all->nr; later++)
		if (is_same(later, workload))
			return true;
	return false;
}

/* Several are ready, and fewer are not: it is one node or another that lacks it, and none is named. */
static bool is_of_some(const struct workload *workload)
{
	return workload->ready > 1 && workload->desired - workload->ready < workload->ready;
}

static void put_workload(struct reading *reading, const struct workload *workload, uint64_t nr)
{
	struct program_error *to = list_element(reading->arena, reading->snapshot, program_errors, program_error,
						is_of_some(workload) ? "gpu-pod-of-some" : "gpu-pod");
	const char *more = nr > 1 ? arena_printf(reading->arena, " and %llu more", (unsigned long long)(nr - 1)) : "";
	struct reading of = *reading;

	of.part = workload->part;
	put(&of, workload->line, to->words,
	    val_str(arena_strdup(reading->arena, kube_pods_stack_name(workload->name))));
	put(&of, workload->line, to->line,
	    val_str(arena_printf(reading->arena, "%s: %llu of %llu ready%s", workload->name,
				 (unsigned long long)workload->ready, (unsigned long long)workload->desired, more)));
	put(&of, workload->line, to->lines, val_u64(nr));
}

void kube_workloads_read(struct reading *reading)
{
	struct workloads all = { .nr = 0 };
	const struct workload *firsts[2] = { NULL };
	uint64_t nr[2] = { 0 };

	for (const struct dump_part *part = NULL; (part = reading_next_part(reading, part)); )
		add_workloads(reading, part, &all);
	for (size_t i = 0; i < all.nr; i++) {
		size_t kind;

		if (!is_bad(&all.v[i]) || !kube_pods_stack_name(all.v[i].name) || is_told_again(&all, &all.v[i]))
			continue;
		kind = is_of_some(&all.v[i]);
		firsts[kind] = firsts[kind] ? firsts[kind] : &all.v[i];
		nr[kind]++;
	}
	for (size_t kind = 0; kind < ARRAY_SIZE(firsts); kind++)
		if (firsts[kind])
			put_workload(reading, firsts[kind], nr[kind]);
}
