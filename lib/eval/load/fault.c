// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault.c - a GPU that is broken: the kernel says so, it is lost, its driver asks for a reset, or a task does not come
 * back from its driver.
 */
#include "base/compat.h"
#include "eval/load/rule.h"

#include "eval/judge/vendor.h"

/* Ticks without the GPU, while others of its driver are in them, from which it is gone. */
enum { GONE_TICKS = 3 };

static void say(struct scene *scene, const char *what, const char *detail)
{
	snprintf(scene->fault_text, sizeof(scene->fault_text), "%s%s", what, detail);
	scene->fault = scene->fault_text;
}

/* Any figure of the newest tick says that the device does not answer any more. */
static bool answers_lost(const struct track *track, const char **ret_why)
{
	for (size_t i = 0; i < track->record->nr; i++)
		if (track->figures[i].latest.state == VAL_LOST) {
			*ret_why = track->figures[i].latest.why ? track->figures[i].latest.why : "no answer";
			return true;
		}
	return false;
}

static bool sources_are_well(const struct fold *fold)
{
	for (size_t i = 0; i < fold->sources.nr; i++)
		if (((const struct fold_source *)fold->sources.items[i])->silent_ns)
			return false;
	return true;
}

static bool is_gone(const struct scene *scene)
{
	const struct fold_gpu *gpu = scene->gpu.folded;

	if (!gpu->was_seen || gpu->track.unseen < GONE_TICKS || !sources_are_well(scene->fold))
		return false;
	for (size_t i = 0; i < scene->fold->nr_gpus; i++)
		if (!scene->fold->gpus[i].track.unseen && gpu_vendor(scene->fold->gpus[i].gpu) == gpu_vendor(gpu->gpu))
			return true;
	return false;
}

/* A task that has slept in the driver for longer than any healthy request takes. */
static const struct fold_process *stuck_in_driver(const struct scene *scene)
{
	for (size_t i = 0; i < scene->fold->processes.nr; i++) {
		const struct fold_process *process = fold_process_at(scene->fold, i);

		if (has_gpu(process, scene->place) && !has_ended(scene->fold, process) &&
		    (double)process->in_driver_ns >= scene->policy->task_stuck_s * 1e9)
			return process;
	}
	return NULL;
}

/* What the snapshot said before the watch began. */
static const char *asked_for(const struct gpu *gpu)
{
	static const char *const fatal[] = { "GPU_IS_LOST", "RESET_REQUIRED" };
	const char *action = str_or(gpu->nvml.recovery_action, "none");

	if (gpu->nvml.handle.state == VAL_LOST)
		return "GPU is lost";
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		if (str_is(gpu->nvml.trouble, fatal[i]))
			return fatal[i];
	return strcmp(action, "none") != 0 && strcmp(action, "recover-imex") != 0 ? action : NULL;
}

void find_fault(struct scene *scene)
{
	struct rule rule = RULE_FITS;
	const struct fold_process *process;
	const char *why = NULL;
	char detail[120];

	if (scene->gpu.folded->log_fault[0]) {
		say(scene, "the kernel logged ", scene->gpu.folded->log_fault);
	} else if (answers_lost(&scene->gpu.folded->track, &why)) {
		say(scene, "the GPU does not respond any more: ", why);
	} else if (asked_for(scene->gpu.gpu)) {
		say(scene, "its driver reports ", asked_for(scene->gpu.gpu));
	} else if (is_gone(scene)) {
		say(scene, "its driver does not report it any more, and reports others", "");
	} else if ((process = stuck_in_driver(scene))) {
		snprintf(detail, sizeof(detail), "%s (pid %llu) for %.0f s, in %s", process->comm,
			 (unsigned long long)process->pid, (double)process->in_driver_ns / 1e9, process->driver_wchan);
		say(scene, "a process does not come back from its driver: ", detail);
	}
	rule_requires(&rule, scene->fault);
	scene->rules[BOTTLENECK_FAULTED] = rule;
}
