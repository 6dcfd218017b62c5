// SPDX-License-Identifier: GPL-2.0-or-later
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

/* ---- what to do */

static const char *next_of_stuck(struct arena *arena, const struct scene *scene)
{
	const struct scene *peer = scene->peer;

	if (peer && peer->job.main)
		return arena_printf(arena, "Look at %s on GPU %zu, which the others wait for.",
				    process_text(arena, peer->job.main), peer->gpu.folded->index);
	if (peer)
		return arena_printf(arena, "Look at the process on GPU %zu, which the others wait for.",
				    peer->gpu.folded->index);
	return "Look for the rank that does not reach the collective, on other nodes too.";
}

static const char *next_of_capped(const char *key)
{
	if (!strcmp(key, "heat"))
		return "Check fans, air flow and inlet temperature.";
	if (!strcmp(key, "brake"))
		return "Check power supplies, cables and the chassis' power budget.";
	return "Raise the power limit, if it is not lowered on purpose.";
}

static const char *next_of_quota(struct arena *arena, const char *key, const struct scene *scene)
{
	if (!strcmp(key, "quota"))
		return "Raise the CPU quota of the job, or run as many workers as it allows.";
	if (f64_or(scene->node.steal, 0.0) >= 5.0)
		return arena_printf(arena, "The hypervisor takes %s of the CPU time: ask for dedicated CPUs.",
				    figure_text(arena, UNIT_PERCENT, scene->node.steal.v_));
	return "Give the job more CPUs, or run fewer threads and workers.";
}

static const char *next_of_loader(const struct scene *scene, const struct set_jobs *jobs)
{
	double allowed = f64_or(scene->job.cpus_allowed, 0.0);

	if (allowed > 0.0 && (double)jobs->workers >= allowed)
		return "Give the job more CPUs, or decode on the GPU.";
	return "Run more loader workers, or decode on the GPU.";
}

static const char *next_of_pcie(const struct scene *scene)
{
	if (scene->gpu.width > 0.0 && scene->gpu.width < scene->gpu.width_able)
		return "Repair the link first: it is narrower than the GPU supports (gpudiag run).";
	return "Copy less: keep data on the GPU, or overlap copies with compute.";
}

static const char *next_of(struct arena *arena, enum bottleneck word, const char *key, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	struct set_jobs jobs;

	set_jobs_of(set, &jobs);
	switch (word) {
	case BOTTLENECK_STUCK:
		return next_of_stuck(arena, scene);
	case BOTTLENECK_CAPPED:
		return next_of_capped(key);
	case BOTTLENECK_THRASHING:
		return !strcmp(key, "vram") ? "Use a smaller batch or model, or a GPU with more VRAM." :
					      "Raise the job's memory limit, or run fewer loader workers.";
	case BOTTLENECK_PCIE_BOUND:
		return next_of_pcie(scene);
	case BOTTLENECK_STARVED_QUOTA:
		return next_of_quota(arena, key, scene);
	case BOTTLENECK_STARVED_LOADER:
		return next_of_loader(scene, &jobs);
	default:
		return NULL;
	}
}

void words_of(struct arena *arena, enum bottleneck word, const char *key, const struct scene_set *set, uint64_t held_ns,
	      struct load_words *ret)
{
	STRBUF_AUTO figures = STRBUF_INIT;

	if (word >= BOTTLENECK_CHECKPOINT && word <= BOTTLENECK_STARVED_THREAD)
		say_host(&figures, arena, word, key, set);
	else
		say_gpu(&figures, arena, word, key, set, held_ns);
	*ret = (struct load_words){
		.figures = arena_strdup(arena, figures.buf), .next = next_of(arena, word, key, set),
		.process = set->items[0]->job.main,
	};
}
