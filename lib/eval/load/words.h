/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - the figures of a judgement in words: what shows a word, what to do, what was ruled out. */
#pragma once

#include "eval/load/rule.h"

/* Scenes that are told as one. */
struct scene_set {
	size_t nr;
	const struct scene *const *items;
};

/* A figure's mean over those of a set that know it. */
#define set_mean(set, member) set_mean_((set), offsetof(struct scene, member))
struct val_f64 set_mean_(const struct scene_set *set, size_t offset);

const char *figure_text(struct arena *arena, enum unit unit, double value);
/* "71 of 700 W", or "71 W" where the limit is not known. */
const char *of_text(struct arena *arena, enum unit unit, struct val_f64 value, struct val_f64 limit);
const char *process_text(struct arena *arena, const struct fold_process *process);

struct load_words {
	const char *figures;		/* for {figures} of the title */
	const char *next;		/* for {next}; NULL: nothing to add */
	const struct fold_process *process;	/* main process, or NULL */
};
void words_of(struct arena *arena, enum bottleneck word, const char *key, const struct scene_set *set, uint64_t held_ns,
	      struct load_words *ret);

/* words_gpu.c and words_host.c: the figures of their words. */
void say_gpu(struct strbuf *out, struct arena *arena, enum bottleneck word, const char *key,
	     const struct scene_set *set, uint64_t held_ns);
void say_host(struct strbuf *out, struct arena *arena, enum bottleneck word, const char *key,
	      const struct scene_set *set);
const char *disk_text(struct arena *arena, const struct disk_figures *disk);
const char *mount_text(struct arena *arena, const struct mount_figures *mount);
const char *port_text(struct arena *arena, const struct port_figures *port);
const char *thread_text(struct arena *arena, const struct job *job);

/* Sums over the jobs of a set, each once. */
struct set_jobs {
	size_t workers, pegged, nr;
	struct val_f64 written, read;
	double pegged_percent;
};
void set_jobs_of(const struct scene_set *set, struct set_jobs *ret);

struct load_reasons {
	size_t nr;
	struct load_reason items[16];
};
/* reasons.c */
void reasons_shown(struct arena *arena, enum bottleneck word, const struct scene_set *set, struct load_reasons *ret);
void reasons_ruled_out(struct arena *arena, enum bottleneck word, const struct scene_set *set,
		       struct load_reasons *ret);
/* Why nothing could be told: "SM activity: not supported", or NULL. */
const char *reason_not_judged(struct arena *arena, const struct scene *scene);
