// SPDX-License-Identifier: GPL-2.0-or-later
/* collect_plan.c - which workers there are to be, and in which order. */
#include "base/compat.h"
#include "collect/collect_internal.h"

static const struct probe *const *probes_of(const struct collection *c)
{
	return c->options->probes ? c->options->probes : probes;
}

static void add_job(struct arena *arena, struct job_list *list, const struct job *job)
{
	list->v = arena_grow(arena, list->v, list->nr, sizeof(*list->v));
	list->v[list->nr++] = *job;
}

static void plan_worker(const struct collection *c, struct job_list *list, const struct probe *probe,
			const char *target)
{
	struct arena *arena = &c->snapshot->arena;
	struct job job = {
		.probe = probe, .target = target,
		.key = target ? arena_printf(arena, "%s %s", probe->name, target) : probe->name,
		.reader = { .snapshot = c->snapshot, .scope = { .paths = probe->provides, .key = target } },
	};

	if (target && probe->target_is_prefix)
		job.reader.scope.key_prefix = arena_printf(arena, "opencl:%s:", target);
	add_job(arena, list, &job);
}

/* A recorded tree has no library of its own; one that was put beside it stands for that machine's. */
static bool is_library_given(const struct collection *c, const struct probe *probe)
{
	return probe->takes_driver_root && is_known(c->snapshot->request.driver_root);
}

static bool is_to_run(const struct collection *c, const struct probe *probe)
{
	if (probe->beside)
		return false;
	if (probe->live_only && !root_is_live(c->options->root) && !is_library_given(c, probe))
		return false;
	if (c->options->wanted && !c->options->wanted(probe, c->options->data))
		return false;
	return !probe->applies || probe->applies(c->snapshot);
}

static void plan_probe(const struct collection *c, struct job_list *list, const struct probe *probe)
{
	struct strs targets = { .nr = 0 };

	if (!probe->targets) {
		plan_worker(c, list, probe, NULL);
		return;
	}
	probe->targets(c->snapshot, &c->snapshot->arena, &targets);
	for (size_t i = 0; i < targets.nr; i++)
		plan_worker(c, list, probe, targets.v[i]);
}

static bool is_to_wait(const struct collection *c, const struct job *job)
{
	const struct collect_options *options = c->options;

	return options->serially && job->target && options->serially(c->snapshot, job->probe, options->data);
}

/* Those that wait for the others come last, the rest in their order. */
static struct job_list put_waiting_last(const struct collection *c, const struct job_list *list)
{
	struct job_list sorted = { .nr = 0 };

	for (int waits = 0; waits < 2; waits++) {
		for (size_t i = 0; i < list->nr; i++)
			if (is_to_wait(c, &list->v[i]) == waits)
				add_job(&c->snapshot->arena, &sorted, &list->v[i]);
		if (!waits)
			sorted.nr_at_once = sorted.nr;
	}
	return sorted;
}

struct job_list plan_phase(const struct collection *c, enum probe_phase phase)
{
	struct job_list list = { .nr = 0 };

	for (const struct probe *const *probe = probes_of(c); *probe; probe++)
		if ((*probe)->phase == phase && is_to_run(c, *probe))
			plan_probe(c, &list, *probe);
	return put_waiting_last(c, &list);
}

/* Does a later one of these put its load on that place, too? */
static bool is_watched_later(const struct collection *c, const struct probe *watch, const char *target,
			     const struct job *loads, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *other = watch->target_beside(c->snapshot, loads[i].target);

		if (loads[i].probe == watch->beside && other && !strcmp(other, target))
			return true;
	}
	return false;
}

struct job_list plan_watches(const struct collection *c, const struct job *loads, size_t nr)
{
	struct job_list list = { .nr = 0 };

	for (size_t i = 0; i < nr; i++) {
		for (const struct probe *const *watch = probes_of(c); *watch; watch++) {
			const char *target = (*watch)->beside == loads[i].probe && (*watch)->target_beside ?
						     (*watch)->target_beside(c->snapshot, loads[i].target) : NULL;

			if (target && !(c->is_side_by_side &&
					is_watched_later(c, *watch, target, &loads[i + 1], nr - i - 1)))
				plan_worker(c, &list, *watch, target);
		}
		add_job(&c->snapshot->arena, &list, &loads[i]);
	}
	for (size_t i = list.nr, load = 0; i-- > 0;) {
		if (!list.v[i].probe->beside)
			load = i;
		else
			list.v[i].beside = &list.v[load];
	}
	list.nr_at_once = list.nr;
	return list;
}
