// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * straggler.c - a rank that all others of its job wait for, where it is another one every few seconds: over the whole
 * span the figures of all of them are even, and only slot by slot one of them differs.
 *
 * What changes faster than a slot lasts, and what the others wait for only a part of a slot, does not show.
 */
#include "base/compat.h"
#include "eval/load/rule.h"

/* Of two that differ, neither is the odd one; more than a node has at work are not compared. */
enum { LEAST_RANKS = 3, MAX_RANKS = 64 };
/* Slots to judge by. */
enum { LEAST_SLOTS = 5 };

/* What a GPU does in a slot. */
enum part { PART_UNKNOWN, PART_WORKS, PART_MAY_WAIT, PART_WAITS };

struct rank {
	const struct scene *scene;
	enum part part;
	double busy, power;		/* per cent, milliwatts */
	struct val_f64 memory;
	size_t slots;			/* in which the others waited for it */
};

struct crew {
	size_t nr;
	struct rank ranks[MAX_RANKS];
};

/* Energy where it is counted, as of the whole span. */
static struct val_f64 power_in_slot(const struct track *track, size_t slot)
{
	struct val_f64 power = figure_in_slot(figure_of(track, tick_gpu, energy_mj), slot);

	return is_known(power) ? power : figure_in_slot(figure_of(track, tick_gpu, power_mw), slot);
}

static enum part part_of(const struct rank *rank, struct val_f64 tensor)
{
	const struct scene *scene = rank->scene;

	if (rank->busy < WAITS_BUSY_PERCENT || f64_or(tensor, 0.0) >= WAITS_TENSOR_PERCENT ||
	    f64_or(rank->memory, 0.0) >= WAITS_MEMORY_PERCENT)
		return PART_WORKS;
	if (rank->power < scene->policy->watch_spin_power_ratio * f64_or(scene->gpu.power_limit_mw, 0.0))
		return PART_WAITS;
	return is_known(tensor) && is_known(rank->memory) ? PART_MAY_WAIT : PART_WORKS;
}

static void look(struct rank *rank, size_t slot)
{
	const struct track *track = &rank->scene->gpu.folded->track;
	struct val_f64 busy = figure_in_slot(figure_of(track, tick_gpu, busy_percent), slot);
	struct val_f64 power = power_in_slot(track, slot);

	rank->part = PART_UNKNOWN;
	if (!is_known(busy) || !is_known(power))
		return;
	rank->busy = busy.v_;
	rank->power = power.v_;
	rank->memory = figure_in_slot(figure_of(track, tick_gpu, memory_active_percent), slot);
	rank->part = part_of(rank, figure_in_slot(figure_of(track, tick_gpu, tensor_active_percent), slot));
}

/* It works while that one draws far less, or has nothing to do while that one spins. */
static bool is_awaited_by(const struct rank *rank, const struct rank *other)
{
	const struct policy *policy = rank->scene->policy;

	if (other->power < policy->watch_twin_power_ratio * rank->power)
		return true;
	return rank->busy < policy->watch_busy_percent && other->part == PART_WAITS &&
	       f64_or(other->memory, 0.0) < policy->watch_spin_memory_percent;
}

/* The one that all others wait for in this slot, or NULL. */
static struct rank *straggler_in(struct crew *crew, size_t slot)
{
	struct rank *straggler = NULL;

	for (size_t i = 0; i < crew->nr; i++) {
		struct rank *rank = &crew->ranks[i];

		look(rank, slot);
		if (rank->part == PART_UNKNOWN || (straggler && rank->part == PART_WORKS))
			return NULL;
		if (rank->part == PART_WORKS)
			straggler = rank;
	}
	for (size_t i = 0; straggler && i < crew->nr; i++)
		if (&crew->ranks[i] != straggler && !is_awaited_by(straggler, &crew->ranks[i]))
			return NULL;
	return straggler;
}

/* No need to look for others of the job of one that works in each slot. */
static bool ever_waits(const struct scene *scene)
{
	struct rank rank = { .scene = scene };

	for (size_t i = 0; i < scene->fold->span.nr; i++) {
		look(&rank, span_slot(&scene->fold->span, i));
		if (rank.part == PART_WAITS || rank.part == PART_MAY_WAIT)
			return true;
	}
	return false;
}

static void gather(const struct scene *scene, struct crew *ret)
{
	ret->nr = 0;
	for (size_t i = 0; i < scene->nr_others && ret->nr < MAX_RANKS; i++) {
		const struct scene *other = &scene->others[i];

		if (is_of_process(other))
			continue;
		if (other == scene || gpus_are_of_one_job(scene->fold, scene->roles, scene->place, other->place))
			ret->ranks[ret->nr++] = (struct rank){ .scene = other };
	}
}

/* Two of them in two slots each, or three: a slot that reads so by chance does not make one that moves. */
static size_t different_ones(const struct crew *crew)
{
	size_t once = 0, more = 0;

	for (size_t i = 0; i < crew->nr; i++) {
		once += crew->ranks[i].slots == 1;
		more += crew->ranks[i].slots > 1;
	}
	return more >= 2 || once + more >= 3 ? once + more : 0;
}

void find_straggler(struct scene *scene)
{
	const struct watch_span *span = &scene->fold->span;
	const struct rank *newest = NULL;
	struct crew crew;
	size_t slots = 0;

	if (span->nr < LEAST_SLOTS || !ever_waits(scene))
		return;
	gather(scene, &crew);
	for (size_t i = 0; crew.nr >= LEAST_RANKS && i < span->nr; i++) {
		struct rank *straggler = straggler_in(&crew, span_slot(span, i));

		if (!straggler)
			continue;
		newest = newest ? newest : straggler;
		straggler->slots++;
		slots++;
	}
	if (2 * slots <= span->nr)
		return;
	scene->stragglers = different_ones(&crew);
	scene->straggler = newest->scene;
}
