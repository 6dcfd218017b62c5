// SPDX-License-Identifier: GPL-2.0-or-later
/* rules_links.c - waiting for data on its way: PCIe, NVLink, xGMI, the network, and a peer in a collective. */
#include "base/compat.h"
#include "eval/load/rule.h"

static void judge_pcie(struct scene *scene)
{
	const struct policy *policy = scene->policy;
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule rule = RULE_FITS;

	rule_at_least(&rule, "PCIe traffic", gpu->pcie_ratio, policy->watch_pcie_ratio);
	if (is_known(gpu->sm))
		rule_below(&rule, "SM activity", gpu->sm, policy->watch_pcie_sm_percent);
	else
		rule_below(&rule, "utilization", gpu->busy, policy->watch_full_percent);
	scene->rules[BOTTLENECK_PCIE_BOUND] = rule;
}

static struct rule rule_of_peers(const struct scene *scene)
{
	struct rule rule = RULE_FITS;

	rule_at_least(&rule, "NVLink or xGMI traffic", scene->gpu.peer_ratio, scene->policy->watch_link_ratio);
	rule_below_if_known(&rule, scene->gpu.tensor, scene->policy->watch_tensor_percent);
	rule.key = "peer";
	return rule;
}

/*
 * A port is the node's: it is this job's limit only if the job works, does not compute all the time, and waits for no
 * file.
 */
static struct rule rule_of_network(const struct scene *scene)
{
	const struct policy *policy = scene->policy;
	struct rule rule = RULE_FITS, stall = rule_of_io_stall(scene);

	rule_at_least(&rule, "network traffic", scene->node.port.ratio, policy->watch_network_ratio);
	rule_requires(&rule, !(is_starved(scene) && rule_fits(&stall)));
	rule.key = "network";
	if (is_of_process(scene))
		return rule;
	rule_at_least(&rule, "utilization", scene->gpu.busy, policy->gpu_idle_percent);
	rule_below_if_known(&rule, scene->gpu.tensor, policy->watch_tensor_percent);
	rule_below_if_known(&rule, scene->gpu.sm, policy->watch_sm_percent);
	rule_requires(&rule, is_held(scene));
	return rule;
}

/* The one of its job that draws most power. */
static const struct scene *hardest_working(const struct scene *scene)
{
	const struct scene *hardest = NULL;

	for (size_t i = 0; i < scene->nr_others; i++) {
		const struct scene *other = &scene->others[i];

		if (other == scene || is_of_process(other) || !is_known(other->gpu.power_ratio))
			continue;
		if (hardest && other->gpu.power_ratio.v_ <= hardest->gpu.power_ratio.v_)
			continue;
		if (gpus_are_of_one_job(scene->fold, scene->roles, scene->place, other->place))
			hardest = other;
	}
	return hardest;
}

/* Busy and doing nothing, while another of its job works: its kernels wait for that one. */
static struct rule rule_of_collective(struct scene *scene)
{
	const struct gpu_figures *gpu = &scene->gpu;
	struct rule rule = RULE_FITS;

	rule.key = "collective";
	rule_at_least(&rule, "utilization", gpu->busy, WAITS_BUSY_PERCENT);
	rule_below(&rule, "tensor activity", gpu->tensor, WAITS_TENSOR_PERCENT);
	rule_below(&rule, "DRAM activity", gpu->memory, WAITS_MEMORY_PERCENT);
	if (!rule_fits(&rule))
		return rule;
	scene->hardest = hardest_working(scene);
	rule_requires(&rule, scene->hardest);
	if (scene->hardest)
		rule_below(&rule, "power", gpu->power_ratio,
			   scene->policy->watch_twin_power_ratio * scene->hardest->gpu.power_ratio.v_);
	return rule;
}

/* The same, where the one that works is another one every few seconds, so that on the whole all are even. */
static struct rule rule_of_straggler(const struct scene *scene)
{
	struct rule rule = RULE_FITS;

	rule.key = "straggler";
	rule_requires(&rule, scene->stragglers);
	return rule;
}

void judge_links(struct scene *scene)
{
	if (is_of_process(scene)) {
		scene->rules[BOTTLENECK_LINK_BOUND] = rule_of_network(scene);
		return;
	}
	judge_pcie(scene);
	scene->rules[BOTTLENECK_LINK_BOUND] =
		rule_either(rule_either(rule_of_peers(scene), rule_of_network(scene)),
			    rule_either(rule_of_straggler(scene), rule_of_collective(scene)));
}
