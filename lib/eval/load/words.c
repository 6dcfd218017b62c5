// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/words.h"

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

static const char *next_of_taken(struct arena *arena, const struct scene *scene)
{
	if (f64_or(scene->node.steal, 0.0) >= 5.0)
		return arena_printf(arena, "The hypervisor takes %s of the CPU time: ask for dedicated CPUs.",
				    figure_text(arena, UNIT_PERCENT, scene->node.steal.v_));
	return "End or move what uses the CPUs, or give the job CPUs of its own (cpuset).";
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

static const char *next_of_link(struct arena *arena, const char *key, const struct scene *scene)
{
	if (!strcmp(key, "straggler"))
		return "Even out the work of the ranks: batches, experts, pipeline stages; look at what they share: loader, disks, CPUs.";
	/* One that stays has more to do, or is slower itself. */
	if (!strcmp(key, "collective") && scene->hardest)
		return arena_printf(
			arena,
			"Find out why GPU %zu, which the others wait for, takes longer: it has more to do, or is "
			"slower (gpudiag run).",
			scene->hardest->gpu.folded->index);
	return NULL;
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
	case BOTTLENECK_LINK_BOUND:
		return next_of_link(arena, key, scene);
	case BOTTLENECK_STARVED_QUOTA:
		return next_of_quota(arena, key, scene);
	case BOTTLENECK_STARVED_CPU:
		return next_of_taken(arena, scene);
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
