// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "eval/facts/numa.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

static size_t nr_bits(uint64_t set)
{
	size_t nr = 0;

	for (; set; set &= set - 1)
		nr++;
	return nr;
}

static void describe_machine(struct judgement *j, uint64_t gpu_packages)
{
	derive(j, "sockets", UNIT_COUNT, (double)nr_bits(packages_of_all(j->snapshot)), "sockets of nodes with CPUs");
	derive(j, "gpu_sockets", UNIT_COUNT, (double)nr_bits(gpu_packages), "sockets of the GPUs' nodes");
}

/* The GPUs of the node, all behind one of its sockets. */
static void judge_gpus(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	uint64_t packages = 0;
	size_t nr = 0;

	question(j);
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (!gpu_is_judged(snapshot, gpu))
			continue;
		about(j, str_or(gpu->key, NULL));
		/* That firmware names none is numa-known's to tell. */
		if (gpu->pci.numa_node.state == VAL_ABSENT) {
			about(j, NULL);
			skip_check(j, "not every GPU has a NUMA node");
			return;
		}
		need(j, pci_function, &gpu->pci, numa_node);
		packages |= packages_of_gpu(snapshot, str_or(gpu->key, ""));
		nr++;
	}
	about(j, NULL);
	describe_machine(j, packages);
	derive(j, "gpus", UNIT_COUNT, (double)nr, "GPUs under test");
	if (nr > 1 && nr_bits(packages) == 1) {
		phrase(j, "all_gpus", nr == 2 ? "Both GPUs" : arena_printf(j->arena, "All %zu GPUs", nr));
		derive_str(j, "near_cpus",
			   short_cpulist(j->arena, cpus_of_packages(j->arena, snapshot, packages)),
			   "cpulist of the nodes of that socket");
		finding_add(j, NUMA_SPREAD_GPUS);
	}
}

/* What the processes of one tenant have together. */
struct ranks {
	const char *tenant;
	size_t nr;
	uint64_t gpu_packages, cpu_packages;
};

static bool is_of(struct judgement *j, const struct holding *holding, const char *tenant)
{
	const char *other = holding_tenant(j->arena, holding);

	return !holder_is_idle(&holding->all) && holding->nr_gpus && other && !strcmp(other, tenant);
}

static void add_rank(struct judgement *j, const struct holding *holding, struct ranks *ranks)
{
	ranks->nr++;
	ranks->cpu_packages |=
		packages_of_cpus(j->snapshot, str_or(holding->process->cpus_allowed, ""));
	for (size_t i = 0; i < holding->nr_gpus; i++)
		ranks->gpu_packages |= packages_of_gpu(j->snapshot, holding->gpus[i]);
}

static void judge_ranks(struct judgement *j, const struct ranks *ranks)
{
	if (ranks->nr < 2 || nr_bits(ranks->gpu_packages) < 2 || nr_bits(ranks->cpu_packages) != 1)
		return;
	question(j);
	describe_machine(j, ranks->gpu_packages);
	derive(j, "processes", UNIT_COUNT, (double)ranks->nr, "/proc/PID/fd");
	derive_str(j, "tenant", ranks->tenant, "/proc/PID/cgroup, status");
	derive_str(j, "allowed",
		   short_cpulist(j->arena, cpus_of_packages(j->arena, j->snapshot, ranks->cpu_packages)),
		   "the socket of their Cpus_allowed_list");
	finding_add_of(j, NUMA_SPREAD_RANKS, ranks->tenant);
}

/* Each tenant at its first process. */
static void judge_tenants(struct judgement *j)
{
	struct holding_list holdings;

	holdings_of(j->arena, j->snapshot, &holdings);
	for (size_t i = 0; i < holdings.nr; i++) {
		struct ranks ranks = { .tenant = holding_tenant(j->arena, &holdings.items[i]) };
		bool is_first = ranks.tenant && is_of(j, &holdings.items[i], ranks.tenant);

		for (size_t k = 0; k < i && is_first; k++)
			is_first = !is_of(j, &holdings.items[k], ranks.tenant);
		for (size_t k = i; k < holdings.nr && is_first; k++)
			if (is_of(j, &holdings.items[k], ranks.tenant))
				add_rank(j, &holdings.items[k], &ranks);
		judge_ranks(j, &ranks);
	}
}

static void eval(struct judgement *j)
{
	if (!gpus_under_test(j->snapshot)) {
		skip_check(j, "no GPU under test");
		return;
	}
	if (!numa_matters(j))
		return;
	judge_gpus(j);
	judge_tenants(j);
}

const struct check check_numa_spread = {
	.name = "numa-spread",
	.title = "NUMA spread",
	.doc = "Are the processes of one job all on one socket while their GPUs are on several, and are all GPUs of a "
	       "node behind one of its sockets? Both cost bandwidth, and some nodes and jobs are built that way: "
	       "notes.",
	.per = SUBJECT_NODE,
	.says = "GPUs on {gpu_sockets} of {sockets|socket|sockets}",
	.may_emit = IDS(NUMA_SPREAD_GPUS, NUMA_SPREAD_RANKS),
	.eval = eval,
};
