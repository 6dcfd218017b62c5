// SPDX-License-Identifier: GPL-2.0-or-later
/* words_text.c - figures and processes in words, and what several GPUs have in common. */
#include "base/compat.h"
#include "eval/load/words.h"

#include <math.h>

struct val_f64 set_mean_(const struct scene_set *set, size_t offset)
{
	struct val_f64 missing = no_f64(VAL_UNSET, NULL);
	double sum = 0.0;
	size_t nr = 0;

	for (size_t i = 0; i < set->nr; i++) {
		const struct val_f64 *value = (const void *)((const char *)set->items[i] + offset);

		if (is_known(*value)) {
			sum += value->v_;
			nr++;
		} else {
			missing = *value;
		}
	}
	return nr ? val_f64(sum / (double)nr) : missing;
}

/* Means of noisy samples: per cents are whole, other figures have three digits, and none of a whole number is lost. */
static double rounded(enum unit unit, double value)
{
	double step = 1.0;

	if (unit == UNIT_PERCENT || unit == UNIT_MHZ || unit == UNIT_CELSIUS || unit == UNIT_S)
		return round(value);
	if (unit == UNIT_RATIO)
		return round(value * 100.0) / 100.0;
	if (value <= 0.0 || unit == UNIT_MTPS || unit == UNIT_LANES)
		return value;
	while (value / step >= 1000.0)
		step *= 10.0;
	while (value / step < 100.0)
		step /= 10.0;
	return round(value / step) * step;
}

const char *figure_text(struct arena *arena, enum unit unit, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, unit, rounded(unit, value));
	return arena_strdup(arena, text.buf);
}

/* "71 W" and "700 W" are "71 of 700 W"; with other units both keep theirs. */
const char *of_text(struct arena *arena, enum unit unit, struct val_f64 value, struct val_f64 limit)
{
	const char *part, *whole, *unit_of_part, *unit_of_whole;

	if (!is_known(value))
		return "?";
	part = figure_text(arena, unit, value.v_);
	if (!is_known(limit))
		return part;
	whole = figure_text(arena, unit, limit.v_);
	unit_of_part = strrchr(part, ' ');
	unit_of_whole = strrchr(whole, ' ');
	if (unit_of_part && unit_of_whole && !strcmp(unit_of_part, unit_of_whole))
		return arena_printf(arena, "%.*s of %s", (int)(unit_of_part - part), part, whole);
	return arena_printf(arena, "%s of %s", part, whole);
}

const char *process_text(struct arena *arena, const struct fold_process *process)
{
	return arena_printf(arena, "%s (pid %llu)", process->comm[0] ? process->comm : "a process",
			    (unsigned long long)process->pid);
}

void set_jobs_of(const struct scene_set *set, struct set_jobs *ret)
{
	double sum = 0.0;

	*ret = (struct set_jobs){ .written = no_f64(VAL_UNSET, NULL), .read = no_f64(VAL_UNSET, NULL) };
	for (size_t i = 0; i < set->nr; i++) {
		const struct job *job = &set->items[i]->job;
		bool is_new = job->main;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = set->items[k]->job.main != job->main;
		if (!is_new)
			continue;
		ret->nr++;
		ret->workers += job->workers;
		ret->pegged += job->pegged;
		sum += job->workers_percent * (double)job->workers;
		if (is_known(job->written))
			ret->written = val_f64(f64_or(ret->written, 0.0) + job->written.v_);
		if (is_known(job->read))
			ret->read = val_f64(f64_or(ret->read, 0.0) + job->read.v_);
	}
	ret->pegged_percent = ret->workers ? sum / (double)ret->workers : 0.0;
}
