// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/nvidia_branches.h"
#include "eval/nvidia_requirement.h"
#include "eval/nvidia_targets.h"

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

/* Does the driver that is loaded do for it? What does not work now is not lost by going elsewhere. */
static bool runs_now(const struct snapshot *snapshot, const char *driver_min)
{
	const struct module *nvidia = list_find(snapshot, modules, module, "nvidia");

	return !nvidia || !is_known(nvidia->version) ||
	       version_compare(str_or(nvidia->version, ""), driver_min) >= 0;
}

static void judge_toolkit(struct judgement *j, const struct software *toolkit)
{
	const char *version = str_or(toolkit->version, ""), *target = str_or(j->snapshot->request.to_driver, "");
	const char *own = nvidia_driver_for_cuda(version), *least = nvidia_driver_for_cuda_major(major_of(version));

	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	about(j, str_or(toolkit->key, "?"));
	derive_str(j, "toolkit", look(j, software, toolkit, version), "the toolkit's own word");
	about(j, NULL);
	/* Before CUDA 11 no version ran on the driver of another. */
	least = least ? least : own;
	if (!least) {
		unknown(j, "which driver CUDA {toolkit} asks for is not known");
	} else if (nvidia_version_is_older(target, least) && runs_now(j->snapshot, least)) {
		derive_str(j, "driver_min", least, "NVIDIA's CUDA Compatibility");
		finding_add_of(j, TARGET_TOOLKIT_BELOW, str_or(toolkit->key, "?"));
	} else if (own && nvidia_version_is_older(target, own) && runs_now(j->snapshot, own)) {
		derive_str(j, "driver_min", own, "NVIDIA's CUDA release notes");
		finding_add_of(j, TARGET_TOOLKIT_LIMITED, str_or(toolkit->key, "?"));
	}
}

/* Containers of one image ask for the same: the first speaks for all. */
static bool is_asked_before(const struct snapshot *snapshot, const struct gpu_container *container)
{
	for (const struct gpu_container *earlier = snapshot->gpu_containers; earlier < container; earlier++)
		if (str_is(earlier->requires_cuda, str_or(container->requires_cuda, "")))
			return true;
	return false;
}

static size_t count_alike(const struct snapshot *snapshot, const struct gpu_container *container)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpu_containers; i++)
		nr += str_is(snapshot->gpu_containers[i].requires_cuda, str_or(container->requires_cuda, ""));
	return nr;
}

/* Where the loaded driver does not meet it either, nobody looked at it when the container was started. */
static bool is_met_now(const struct snapshot *snapshot, const char *requirement)
{
	const struct module *nvidia = list_find(snapshot, modules, module, "nvidia");

	return !nvidia || !is_known(nvidia->version) ||
	       nvidia_requirement_by(requirement, str_or(nvidia->version, "")) != REQUIREMENT_NOT_MET;
}

static void judge_container(struct judgement *j, const struct gpu_container *container)
{
	const char *target = str_or(j->snapshot->request.to_driver, ""), *requirement, *cuda, *least;
	const size_t nr = count_alike(j->snapshot, container);

	question(j);
	need(j, request, &j->snapshot->request, to_driver);
	about(j, str_or(container->key, "?"));
	requirement = look(j, gpu_container, container, requires_cuda);
	about(j, NULL);
	cuda = nvidia_requirement_cuda(j->arena, requirement);
	least = cuda ? nvidia_driver_least_for_cuda(cuda) : NULL;
	/* What it asks of the driver besides is not CUDA, of which the finding speaks. */
	if (!least || !nvidia_version_is_older(target, least) || nvidia_requirement_by(requirement, target) != REQUIREMENT_NOT_MET ||
	    !is_met_now(j->snapshot, requirement))
		return;
	derive_str(j, "cuda_required", cuda, "NVIDIA_REQUIRE_CUDA");
	derive_str(j, "driver_min", least, "NVIDIA's CUDA release notes");
	derive(j, "nr_containers", UNIT_COUNT, (double)nr, "containers with that requirement");
	phrase(j, "containers", nr == 1 ? "A container that runs with a GPU asks" :
	       arena_printf(j->arena, "%zu containers that run with a GPU ask", nr));
	phrase(j, "first", is_known(container->name) ?
	       arena_printf(j->arena, ": %s", str_or(container->name, "")) : "");
	finding_add_of(j, TARGET_TOOLKIT_CONTAINER, cuda);
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

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr = 0;

	if (!is_known(snapshot->request.to_driver)) {
		skip_check(j, "no other driver is asked about (--to-driver)");
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
	if (!nr && is_known(snapshot->listed.gpu_containers))
		skip_check(j, "no CUDA toolkit was seen, and no container with a GPU that asks for one");
	else if (!nr)
		skip_check(j, "no CUDA toolkit was seen; containers bring their own, and who runs was not to be seen");
}

const struct check check_target_toolkit = {
	.name = "target-toolkit",
	.title = "CUDA toolkits and the driver to go to",
	.doc = "Is the driver that gpudiag gate was asked about (--to-driver) new enough for every CUDA toolkit that is "
	       "installed, where the loaded one is? Programs of a toolkit run on any driver from the least of its "
	       "major version on; on one older than its own they may lack what came with that, and code that has to "
	       "be compiled first does not load. Of containers that run and get a GPU the requirement of their image "
	       "counts (NVIDIA_REQUIRE_CUDA, as NVIDIA's are built), as root finds it with containerd, Docker and "
	       "CRI-O: one that the driver does not meet is not started again. Toolkits in other containers, and of "
	       "those that are yet to come, are not seen.",
	.per = SUBJECT_NODE,
	.says = "{to_driver} is new enough for what is installed",
	.may_emit = IDS(TARGET_TOOLKIT_BELOW, TARGET_TOOLKIT_LIMITED, TARGET_TOOLKIT_CONTAINER),
	.eval = eval,
};
