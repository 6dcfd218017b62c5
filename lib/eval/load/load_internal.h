/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_internal.h - what the files of eval/load share of a watch. */
#pragma once

#include "eval/load/words.h"

enum { NR_VOTES = 5, VOTES_TO_WIN = 3 };
/* Less than this is no time to judge by: CPU time is counted in steps of 10 ms. */
#define LEAST_S 0.95

/* A GPU over the whole watch; and, behind the GPUs, the process of --pid. */
struct watched {
	enum bottleneck votes[NR_VOTES];
	size_t nr_votes;
	bool has_word;
	enum bottleneck word;
	const char *key;		/* which of its reasons, when it fitted last */
	uint64_t held_ns, pending_ns;	/* pending: before the first word */
	uint64_t fits_ns[NR_BOTTLENECKS];	/* for how long each rule has fitted without a break */
	uint64_t spent_ns[NR_BOTTLENECKS];	/* with that word, in all */
	double worked_s;		/* how long the present job did real work, by its power */
	uint64_t worker_pid;		/* whose work that is */
	bool is_mine;			/* the process of --pid held it once */
	char *figures, *group_figures;	/* of it, and of those like it, in the newest tick in which its word fitted */
};

/* A word over the whole watch. */
struct word_story {
	uint64_t ns;
	size_t times;
	bool is_on;			/* in the newest tick */
	char *sentence, *next, *command;
};

struct load {
	const struct snapshot *sealed;
	const struct policy *policy;
	const struct policy **policies;	/* of each GPU by place in the fold: its model may have its own */
	struct arena policy_arena;
	uint64_t pid;
	struct fold fold;
	struct watched *watched;	/* by place in the fold; the process is the last */
	bool holds_any;			/* the process of --pid held a GPU once */
	struct word_story words[NR_BOTTLENECKS];
	struct arena arena;		/* of the view; a new one with each tick */
	struct arena story_arena;
	struct load_view view;
	struct load_story story;
};

/* A tick's scenes; in the arena of the view. */
struct scenes {
	size_t nr;
	struct scene *items;
	uint64_t elapsed_ns;
};

static inline struct watched *watched_of(struct load *load, const struct scene *scene)
{
	return &load->watched[is_of_process(scene) ? load->fold.nr_gpus : scene->place];
}

/* judge.c: whose scenes there are in this tick, all rules of each, and the words that won. */
void load_judge(struct load *load, struct scenes *ret);
/* view.c */
void load_fill_view(struct load *load, const struct scenes *scenes);
/* story.c */
void load_spend(struct load *load, const struct scenes *scenes);
void load_keep_sentences(struct load *load);
