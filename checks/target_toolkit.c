// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/nvidia/nvidia_branches.h"
#include "eval/nvidia/nvidia_requirement.h"
#include "eval/nvidia/nvidia_targets.h"
#include "snapshot/node.h"

static unsigned major_of(const char *version)
{
	return (unsigned)strtoul(version, NULL, 10);
}

/* A package and a file may tell of the same one. */
static bool is_told_before(const struct snapshot *snapshot, const struct software *toolkit)
{
	for (const struct software *earlier = snapshot->software; earlier < toolkit; earlier++)
		if (str_is(earlier->name, "cuda-toolkit") && is_known(earlier->version) &&
		    !version_compare(str_or(earlier->version, ""), str_or(toolkit->version, "")))
			return true;
	return false;
}

/* NULL: no driver is loaded, or its version is not known. */
static const char *loaded_version(const struct snapshot *snapshot)
{
	const struct module *nvidia = nvidia_module(snapshot);

	return nvidia ? str_or(nvidia->version, NULL) : NULL;
}

/* Does the driver that is loaded do for it? What does not work now is not lost by going elsewhere. */
static bool runs_now(const struct snapshot *snapshot, const char *driver_min)
{
	const char *loaded = loaded_version(snapshot);

	return !loaded || version_compare(loaded, driver_min) >= 0;
}

static void judge_toolkit(struct judgement *j, const struct software *toolkit)
{
	const char *version = str_or(toolkit->version, ""), *target = str_or(j->snapshot->request.to_driver, "");
	const char *own = nvidia_driver_for_cuda(version), *least = nvidia_driver_for_cuda_major(major_of(version));

	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	about(j, str_or(toolkit->key, "?"));
	derive_str(j, "toolkit", want(j, software, toolkit, version), "the toolkit's own version file");
	about(j, NULL);
	/* Before CUDA 11 no version ran on the driver of another. */
	least = least ? least : own;
	if (!least) {
		unknown(j, "the driver required by CUDA {toolkit} is unknown");
	} else if (nvidia_version_is_older(target, least) && runs_now(j->snapshot, least)) {
		derive_str(j, "driver_min", least, "NVIDIA's CUDA Compatibility");
		finding_add_of(j, TARGET_TOOLKIT_BELOW, str_or(toolkit->key, "?"));
	} else if (own && nvidia_version_is_older(target, own) && runs_now(j->snapshot, own)) {
		derive_str(j, "driver_min", own, "NVIDIA's CUDA release notes");
		finding_add_of(j, TARGET_TOOLKIT_LIMITED, str_or(toolkit->key, "?"));
	}
}

static bool asks_for_the_same(const struct gpu_container *a, const struct gpu_container *b)
{
	return is_known(a->requires_cuda) && str_is(b->requires_cuda, str_or(a->requires_cuda, "")) &&
	       bool_or(a->has_hook, false) == bool_or(b->has_hook, false);
}

/* Containers of one image have the same requirement: the first stands for all. */
static bool is_asked_before(const struct snapshot *snapshot, const struct gpu_container *container)
{
	for (const struct gpu_container *earlier = snapshot->gpu_containers; earlier < container; earlier++)
		if (asks_for_the_same(earlier, container))
			return true;
	return false;
}

static size_t count_alike(const struct snapshot *snapshot, const struct gpu_container *container)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpu_containers; i++)
		nr += asks_for_the_same(&snapshot->gpu_containers[i], container);
	return nr;
}

static bool is_not_met(const struct snapshot *snapshot, const char *requirement)
{
	return nvidia_requirement_by(requirement, str_or(snapshot->request.to_driver, "")) == REQUIREMENT_NOT_MET;
}

/* If the loaded driver does not meet it either, the requirement was not checked at container start. */
static bool is_met_no_more(const struct snapshot *snapshot, const char *requirement)
{
	const char *loaded = loaded_version(snapshot);

	return is_not_met(snapshot, requirement) &&
	       (!loaded || nvidia_requirement_by(requirement, loaded) != REQUIREMENT_NOT_MET);
}

/* Below the least driver of its major version nothing of a CUDA runs, whoever looks at it. */
static bool is_below_major(const struct snapshot *snapshot, const char *requirement, const char *cuda)
{
	const char *least = nvidia_driver_for_cuda_major(major_of(cuda));

	return least && is_not_met(snapshot, requirement) &&
	       nvidia_version_is_older(str_or(snapshot->request.to_driver, ""), least) && runs_now(snapshot, least);
}

/* CUDA 9 and before stand in no table; below the least of a major version there is one. */
static const char *least_for(const char *cuda)
{
	const char *least = nvidia_driver_least_for_cuda(cuda);

	return least ? least : nvidia_driver_for_cuda_major(major_of(cuda));
}

/* What is older than the table every driver offers that anybody goes to. */
static bool is_too_new_to_know(const char *cuda)
{
	return cuda && nvidia_driver_least_for_cuda(cuda) && !nvidia_driver_for_cuda(cuda);
}

/*
 * It depends on what is not looked at: the GPU's brand, what a beta offers. Where it did so with the loaded driver the
 * container runs all the same, and goes on to unless the driver to come may offer less.
 */
static bool is_unsure(const struct snapshot *snapshot, const char *requirement, const char *cuda)
{
	const char *target = str_or(snapshot->request.to_driver, ""), *loaded = loaded_version(snapshot);

	if (nvidia_requirement_by(requirement, target) != REQUIREMENT_UNSURE)
		return false;
	return !loaded || nvidia_requirement_by(requirement, loaded) == REQUIREMENT_MET ||
	       (is_too_new_to_know(cuda) && nvidia_version_is_older(target, loaded));
}

static void say_who_asks(struct judgement *j, const struct gpu_container *container)
{
	const size_t nr = count_alike(j->snapshot, container);

	derive(j, "nr_containers", UNIT_COUNT, (double)nr, "containers with that requirement");
	phrase(j, "containers", nr == 1 ? "A running GPU container asks" :
	       arena_printf(j->arena, "%zu running GPU containers ask", nr));
	phrase(j, "first", !is_known(container->name) ? "" : nr == 1 ?
	       arena_printf(j->arena, ": %s", str_or(container->name, "")) :
	       arena_printf(j->arena, ": %s and %zu more", str_or(container->name, ""), nr - 1));
}

static void tell_unsure(struct judgement *j, const struct gpu_container *container, const char *requirement,
			const char *cuda)
{
	say_who_asks(j, container);
	if (cuda)
		derive_str(j, "cuda_required", cuda, "NVIDIA_REQUIRE_CUDA");
	else
		derive_str(j, "requirement", requirement, "NVIDIA_REQUIRE_CUDA");
	unknown(j, cuda ? "{containers} for CUDA {cuda_required}; support by {to_driver} unknown{first}" :
		"{containers} for \"{requirement}\"; support by {to_driver} unknown{first}");
}

static void judge_container(struct judgement *j, const struct gpu_container *container)
{
	const char *requirement, *cuda;
	bool has_hook, is_below, is_less;

	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	about(j, str_or(container->key, "?"));
	requirement = want(j, gpu_container, container, requires_cuda);
	has_hook = want(j, gpu_container, container, has_hook);
	about(j, NULL);
	cuda = nvidia_requirement_cuda(j->arena, requirement);
	is_below = cuda && is_below_major(j->snapshot, requirement, cuda);
	is_less = is_met_no_more(j->snapshot, requirement);
	if (!is_below && !is_less) {
		if (has_hook && is_unsure(j->snapshot, requirement, cuda))
			tell_unsure(j, container, requirement, cuda);
		return;
	}
	say_who_asks(j, container);
	if (is_below || (cuda && is_not_met(j->snapshot, arena_printf(j->arena, "cuda>=%s", cuda)))) {
		derive_str(j, "cuda_required", cuda, "NVIDIA_REQUIRE_CUDA");
		derive_str(j, "driver_min", least_for(cuda), "NVIDIA's CUDA release notes");
		finding_add_of(j, is_below || has_hook ? TARGET_TOOLKIT_CONTAINER : TARGET_TOOLKIT_CONTAINER_LIMITED,
			       cuda);
	} else if (has_hook) {
		derive_str(j, "requirement", requirement, "NVIDIA_REQUIRE_CUDA");
		unknown(j, "{containers} for \"{requirement}\", which is more than a CUDA");
	}
}

static size_t judge_containers(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpu_containers; i++) {
		const struct gpu_container *container = &snapshot->gpu_containers[i];

		if (!is_known(container->requires_cuda) || is_asked_before(snapshot, container))
			continue;
		judge_container(j, container);
		nr++;
	}
	return nr;
}

/* Observed does not tell of the rest. */
static void tell_not_seen(struct judgement *j)
{
	const struct val_u64 *seen = &j->snapshot->listed.gpu_containers;

	if (is_known(*seen) || seen->state == VAL_UNSET)
		return;
	question(j);
	phrase(j, "why", seen->why ? arena_printf(j->arena, ": %s", seen->why) : "");
	unknown(j, "not all GPU containers are visible{why}");
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *why = snapshot->listed.gpu_containers.why;
	size_t nr = 0;

	if (!is_known(snapshot->request.to_driver)) {
		skip_check(j, "no other driver requested (--to-driver)");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_software; i++) {
		const struct software *toolkit = &snapshot->software[i];

		if (!str_is(toolkit->name, "cuda-toolkit") || !is_known(toolkit->version) ||
		    is_told_before(snapshot, toolkit))
			continue;
		judge_toolkit(j, toolkit);
		nr++;
	}
	nr += judge_containers(j);
	if (nr)
		tell_not_seen(j);
	else if (is_known(snapshot->listed.gpu_containers))
		skip_check(j, "no CUDA toolkit and no GPU container that requires one");
	else
		skip_check(j, arena_printf(j->arena, "no CUDA toolkit; running containers are not visible%s%s",
					   why ? ": " : "", why ? why : ""));
}

const struct check check_target_toolkit = {
	.name = "target-toolkit",
	.title = "CUDA toolkits for the requested driver",
	.doc = "Is the requested driver (--to-driver) new enough for every installed CUDA toolkit that works with the "
	       "loaded one? A toolkit's programs run on any driver from the minimum of its major version on; on a "
	       "driver older than its own, newer functions are missing and code compiled at load time (PTX) fails. "
	       "For running GPU containers, the requirement of their image counts (NVIDIA_REQUIRE_CUDA), as root "
	       "finds it with containerd, Docker, CRI-O and Podman, also for users with homes on this machine: if the "
	       "driver does not meet it, NVIDIA's hook does not start the container again. With CDI the requirement "
	       "is not checked at start, and a driver of the CUDA's major version is a note. If some containers are "
	       "not visible, or require more than a driver (the GPU's brand), the check is not judged, which does not "
	       "stop a gate unless it is required. Toolkits in other containers are not checked.",
	.per = SUBJECT_NODE,
	.says = "{to_driver} is new enough for the installed toolkits",
	.may_emit = IDS(TARGET_TOOLKIT_BELOW, TARGET_TOOLKIT_LIMITED, TARGET_TOOLKIT_CONTAINER,
			TARGET_TOOLKIT_CONTAINER_LIMITED),
	.eval = eval,
};
