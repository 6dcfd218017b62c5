/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_internal.h - the parts of a comparison, for each other. Private to lib/eval/diff*.c. */
#pragma once

#include "eval/diff/diff_side.h"

/* ---- diff_rules.c: what a change of a field means, where its class does not say */

enum diff_how {
	HOW_CLASS,		/* by the field's class: a gauge is left out, all else compared */
	HOW_IGNORE,		/* changes all the time, or is told elsewhere */
	HOW_COMPARE,		/* compared though it is a gauge */
	HOW_WORDS,		/* a text of words: those that are on one side only */
};

/* What sets a counter to 0. */
enum diff_since { SINCE_DRIVER, SINCE_BOOT, SINCE_EVER };

enum diff_direction { NO_SIDE, MORE_IS_BETTER, LESS_IS_BETTER };

struct diff_rule {
	enum diff_how how;
	bool has_group;
	enum diff_group group;	/* valid with has_group; else by class and record */
	enum diff_direction side;	/* of numbers, and of yes as more than no; of a counter: its growth is worse */
	enum diff_since since;	/* of counters */
	double tolerance;	/* share by which a number may change and be the same: 0.02 */
	bool absence_counts;	/* that there is no such value is a value: "absent: no limit" */
	const char *best;	/* of a text: the one that is in order; a change to another is worse */
	const char *what;	/* told under this name; NULL: its own */
	bool is_place;		/* where a library was found: of the run, where the two looked in other places */
};

struct differ;
struct record_rules {
	const struct record *record;
	const struct diff_rule *rules;	/* by field index; NULL: all by class */
	const char *word;		/* "module": what one is called; NULL: as what holds it */
	enum diff_group version_group;
	bool ignored;			/* with all below it */
	/* Of a list's elements: one more or one fewer is a difference, of that group and weight. */
	bool presence;
	enum diff_group presence_group;
	enum diff_weight gone;
	/* Of elements whose key changes with a version or a start: what stays. NULL: the key alone. */
	const char *(*alias)(struct arena *arena, const void *element);
	bool alias_only;
	/* Is it there on that side alone because that run looked in a place of its own? NULL: never. */
	bool (*is_of_search)(const struct differ *d, const void *element, bool is_before);
	/* The count, by its index in record listed, that tells that the list was made. Without one an empty list tells
	 * nothing. */
	bool is_listed;
	size_t listed;
};

const struct record_rules *rules_of_record(const struct record *record);

/* ---- diff_gpus.c */

struct gpu_side {
	const struct snapshot *snapshot;
	size_t *index;		/* of each GPU of the snapshot, its number (snapshot/under_test.h) */
	bool *under_test;
};

struct gpu_pair {
	const struct gpu *before, *after;	/* one of them may be NULL */
	bool is_other_card;	/* the same place, and another card in it */
};

/* ---- diff.c */

struct differ {
	struct diff *diff;
	struct arena *arena;	/* of diff */
	const struct snapshot *before, *after;
	bool is_one_boot, is_other_boot;	/* neither: not known */
	bool is_other_driver;	/* a GPU's driver has another version: it was loaded again */
	bool is_reversed;	/* the second was taken first */
	bool is_other_search;	/* the two runs looked for libraries in other places */
	bool keeps_private;	/* values of machines and people can be compared */
	uint64_t between_s;	/* time between the two within one boot; 0: not known */
	struct gpu_side sides[2];
	const struct strs *not_ours[2];	/* of a report: GPUs of others, by address; NULL: the snapshot tells */
	size_t nr_pairs;
	struct gpu_pair *pairs;	/* by number of the later snapshot; those that are gone last */
	ptrdiff_t *gpu_after;	/* which GPU of the later snapshot one of the earlier is; -1: none */
	struct difference *items;
	/* What is being compared. */
	const char *thing;
	size_t first_of_thing;	/* items of it begin here */
	const char *gpu;
	size_t gpu_index;
	bool is_other_card;
	size_t nr_denied;	/* values that the second run might not read, or let sleep */
};

/* Begins a thing: its name is kept as it is. */
void diff_begin_thing(struct differ *d, const char *thing, const char *gpu, size_t gpu_index);
void diff_add(struct differ *d, const struct difference *difference);
void diff_say(struct differ *d, const char *message);

/* diff_machine.c: is it one machine, one boot, in which order; and what follows from where a run looked */
void diff_machine(struct differ *d);
bool diff_is_library_of_search(const struct differ *d, const void *user_library, bool is_before);
bool diff_is_icd_of_search(const struct differ *d, const void *icd, bool is_before);
/* A variable that says where: "LD_LIBRARY_PATH=/opt/lib". */
bool diff_is_search_variable(const char *variable);

/* diff_gpus.c: which is which, and what changed of each */
struct diff_named {
	const char *place, *name;
	size_t at;
};
/* Pairs of one place and name on either side, the first with the first; others stay as they are. */
void diff_pair_names(struct diff_named *a, size_t nr_a, struct diff_named *b, size_t nr_b, ptrdiff_t *after_of,
		     ptrdiff_t *before_of);
ptrdiff_t *diff_unpaired(struct arena *arena, size_t nr);	/* as many times -1 */
void diff_pair_gpus(struct differ *d);
void diff_gpu_pairs(struct differ *d);
/* What is at a place of the earlier side, by its place at the later: an address may be another. */
const char *diff_place_after(const struct differ *d, const char *place_before);
/* Begins what is there: a GPU, "" for the node, or a thing of that name. */
void diff_begin_place(struct differ *d, const char *place, bool is_before);

/* diff_container.c: of a host and its container, what the container was not given; after diff_pair_gpus() */
void diff_container(struct differ *d);

/* diff_timings.c */
void diff_ocl_devices(struct differ *d);
void diff_figures(struct differ *d, const struct diff_side *before, const struct diff_side *after);

/* diff_verdicts.c */
void diff_verdicts(struct differ *d, const struct diff_side *before, const struct diff_side *after);

/* diff_values.c */
const char *diff_text(struct differ *d, const struct field *field, const void *value);

/* Values of one record that can no longer be told, or can be told again: one difference for all of them. */
struct diff_gap {
	size_t nr;
	const struct field *field;	/* of the first */
	const void *before, *after;
};
struct diff_gaps {
	struct diff_gap lost, found, unsupported;
};
void diff_value(struct differ *d, const struct record_rules *rules, const struct field *field, const void *before,
		const void *after, struct diff_gaps *gaps);
void diff_tell_gaps(struct differ *d, const struct diff_gaps *gaps);

/* What stands on one side only becomes before and after; NULL, where nothing does. */
void diff_series(struct differ *d, const struct strs *before, const struct strs *after, struct difference *item);

/* diff_walk.c: everything below two records of a kind, and below two lists of them */
void diff_records(struct differ *d, const struct record *record, const void *before, const void *after);
void diff_list(struct differ *d, const struct field *field, const void *before, const void *after);
