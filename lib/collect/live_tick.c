// SPDX-License-Identifier: GPL-2.0-or-later
/* live_tick.c - a tick is put together: what came, and of what did not, why. */
#include "base/compat.h"
#include "collect/live_internal.h"

/* Values of one GPU that a source gives. */
static void fill_gpu(struct tick *tick, const struct live_source *source, const char *gpu, enum val_state state,
		     const char *why)
{
	const struct merge_scope scope = { .paths = source->of_gpus, .key = gpu };

	list_element(&tick->arena, tick, gpus, tick_gpu, gpu);
	tick_fill_unset(tick, &scope, state, why);
}

/* All that a source gives, of its own GPUs alone: others have theirs from other sources. */
static void fill_source(struct tick *tick, const struct live_source *source, enum val_state state, const char *why)
{
	const struct merge_scope beside = { .paths = source->beside_gpus };

	for (size_t i = 0; i < source->gpus.nr; i++)
		fill_gpu(tick, source, source->gpus.v[i], state, why);
	tick_fill_unset(tick, &beside, state, why);
}

static const char *state_name(const struct live_source *source)
{
	if (source->state == LIVE_STUCK)
		return "stuck";
	if (source->state != LIVE_RUNS)
		return source->is_to_start ? "restarted" : "ended";
	if (source->was_restarted)
		return "restarted";
	return source->has_answered ? "ok" : "late";
}

static void fill_answered(struct tick_source *element, const struct live_source *source)
{
	element->at_ns = val_u64(source->at_ns);
	element->took_ns = val_u64(source->took_ns);
	element->cpu_ns = val_u64(source->cpu_ns);
}

/* Late: its worker is there, and in some call. */
static void fill_late(struct tick *tick, struct tick_source *element, const struct live_source *source)
{
	const char *call = live_call(source, &tick->arena), *why = "no answer in time";

	if (!*call && !source->has_opened)
		call = "its start";
	if (*call) {
		element->call = val_str(call);
		why = arena_printf(&tick->arena, "in %s", call);
	}
	element->at_ns = element->took_ns = element->cpu_ns = no_u64(VAL_TIMEOUT, why);
	fill_source(tick, source, VAL_TIMEOUT, why);
}

/* What became of its worker is the reason. */
static void fill_gone(struct tick *tick, struct tick_source *element, const struct live_source *source)
{
	const char *why = arena_strdup(&tick->arena, source->lack_why);

	element->at_ns = element->took_ns = element->cpu_ns = no_u64(source->lack, why);
	fill_source(tick, source, source->lack, why);
}

static void seal_source(struct live *live, struct live_source *source)
{
	struct tick *tick = &live->tick;
	struct tick_source *element = list_element(&tick->arena, tick, sources, tick_source, source->source->name);

	/* Why a GPU is not asked says more than that its source did not answer. */
	for (size_t i = 0; i < source->nr_skipped; i++)
		fill_gpu(tick, source, source->skipped[i].gpu, source->skipped[i].state, source->skipped[i].why);
	if (source->state == LIVE_NEVER)
		element->state = no_str(source->lack, arena_strdup(&tick->arena, source->lack_why));
	else
		element->state = val_str(state_name(source));
	element->dropped = val_u64(source->dropped);
	/* Where it was when it hung or crashed. */
	if ((source->was_restarted || source->state != LIVE_RUNS) && *source->lack_call)
		element->call = val_str(arena_strdup(&tick->arena, source->lack_call));
	if (source->has_answered && !*source->error.what)
		fill_answered(element, source);
	else if (source->state == LIVE_RUNS && !source->was_restarted)
		fill_late(tick, element, source);
	else
		fill_gone(tick, element, source);
	source->has_answered = source->was_restarted = false;
}

void live_tick_seal(struct live *live)
{
	live->tick.seq = val_u64(live->seq);
	live->tick.at_ns = val_u64(live->seq * live->options->interval_ns);
	for (size_t i = 0; i < live->nr; i++)
		seal_source(live, &live->sources[i]);
}
