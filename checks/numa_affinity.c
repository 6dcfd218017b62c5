// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "eval/facts/numa.h"
#include "eval/judge/subject.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

/* A process whose place is judged, and where its GPUs are. */
struct subject_process {
	const struct gpu_process *process;
	const char *words;
	const struct gpu *gpu;		/* the first of its GPUs whose node is known; NULL: none */
	uint64_t near;			/* sockets of its GPUs */
};

/* Processes of one kind: the first is named, the others are counted. */
struct told {
	struct subject_process first;
	size_t nr;
};

struct tally {
	struct told far, loose, near;
};

static void add_gpu(struct judgement *j, struct subject_process *subject, const struct gpu *gpu)
{
	uint64_t packages = packages_of_gpu(j->snapshot, str_or(gpu->key, ""));

	if (packages && !subject->gpu)
		subject->gpu = gpu;
	subject->near |= packages;
}

static void judge_process(struct judgement *j, const struct subject_process *subject, struct tally *tally)
{
	const char *allowed;
	uint64_t packages;
	struct told *told;

	/* Where no GPU of it has a node there is no near or far; numa-known reports that. */
	if (!subject->near)
		return;
	about(j, subject->words);
	allowed = need(j, gpu_process, subject->process, cpus_allowed);
	about(j, NULL);
	packages = packages_of_cpus(j->snapshot, allowed);
	if (!packages)
		return;
	told = !(packages & subject->near) ? &tally->far : packages & ~subject->near ? &tally->loose : &tally->near;
	if (!told->nr++)
		told->first = *subject;
}

static void judge_holders(struct judgement *j, struct tally *tally)
{
	struct holding_list holdings;

	holdings_of(j->arena, j->snapshot, &holdings);
	for (size_t i = 0; i < holdings.nr; i++) {
		const struct holding *holding = &holdings.items[i];
		struct subject_process subject = {
			.process = holding->process, .words = holding_words(j->arena, holding),
		};

		for (size_t k = 0; k < holding->nr_gpus; k++) {
			const struct gpu *gpu = gpu_at(j->snapshot, holding->gpus[k]);

			if (gpu && gpu_is_judged(j->snapshot, gpu))
				add_gpu(j, &subject, gpu);
		}
		if (!holder_is_idle(&holding->all))
			judge_process(j, &subject, tally);
	}
	derive_str(j, "placement", arena_printf(j->arena, "%zu process%s on CPUs near the GPUs held", tally->near.nr,
						tally->near.nr == 1 ? "" : "es"), "Cpus_allowed_list");
}

static const struct holding *holding_of_pid(const struct holding_list *holdings, uint64_t pid)
{
	for (size_t i = 0; i < holdings->nr; i++)
		if (holdings->items[i].pid == pid && holdings->items[i].nr_gpus)
			return &holdings->items[i];
	return NULL;
}

/* "python3 (pid 77) may run on CPUs 0-31, near GPUs 0-3": for the one asked about. */
static const char *near_gpus(struct judgement *j, const struct subject_process *subject)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t *indexes = arena_alloc(j->arena, snapshot->nr_gpus * sizeof(*indexes)), nr = 0;
	const char *allowed = str_or(subject->process->cpus_allowed, "");
	uint64_t packages = packages_of_cpus(snapshot, allowed);

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_is_judged(snapshot, gpu) && packages_of_gpu(snapshot, str_or(gpu->key, "")) & packages)
			indexes[nr++] = gpu_number(snapshot, gpu);
	}
	return arena_printf(j->arena, "%s may run on CPUs %s, near %s", subject->words,
			    short_cpulist(j->arena, allowed), nr ? gpu_ranges(j->arena, indexes, nr) : "no GPU");
}

/* The process asked about: by the GPUs it holds, or by all where it holds none (yet). */
static void judge_requested(struct judgement *j, struct tally *tally)
{
	const struct snapshot *snapshot = j->snapshot;
	const char *key = arena_printf(j->arena, "%llu", (unsigned long long)u64_or(snapshot->request.pid, 0));
	struct subject_process subject = { .process = list_find(snapshot, gpu_processes, gpu_process, key) };
	const struct holding *holding;
	struct holding_list holdings;

	derive_str(j, "pid", key, "--pid");
	if (!subject.process) {
		unknown(j, "no process {pid}");
		return;
	}
	subject.words = arena_printf(j->arena, "%s (pid %s)", str_or(subject.process->comm, "a process"), key);
	holdings_of(j->arena, snapshot, &holdings);
	holding = holding_of_pid(&holdings, u64_or(snapshot->request.pid, 0));
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu_is_judged(snapshot, gpu) && (!holding || holding_has(holding, str_or(gpu->key, ""))))
			add_gpu(j, &subject, gpu);
	}
	judge_process(j, &subject, tally);
	derive_str(j, "placement", near_gpus(j, &subject), "Cpus_allowed_list");
}

/* "python3 (pid 18422, job 4711)", "python3 (pid 18422, job 4711) and 3 more processes". */
static const char *who(struct judgement *j, const struct told *told)
{
	if (told->nr == 1)
		return told->first.words;
	return arena_printf(j->arena, "%s and %zu more process%s", told->first.words, told->nr - 1,
			    told->nr == 2 ? "" : "es");
}

/* What the sentences and steps of both findings need; the GPU's own node, where a program is best started. */
static void describe(struct judgement *j, const struct told *told)
{
	const struct subject_process *subject = &told->first;
	const struct numa_node *node;
	const char *near = cpus_of_packages(j->arena, j->snapshot, subject->near);
	uint64_t number;

	derive_str(j, "who", who(j, told), "/proc/PID/fd, --pid");
	need(j, gpu_process, subject->process, pid);
	need(j, gpu_process, subject->process, cpus_allowed);
	derive_str(j, "allowed", short_cpulist(j->arena, str_or(subject->process->cpus_allowed, "")),
		   "Cpus_allowed_list");
	about(j, str_or(subject->gpu->key, NULL));
	number = need(j, pci_function, &subject->gpu->pci, numa_node);
	about(j, NULL);
	node = numa_node_at(j->snapshot, number);
	derive_str(j, "of_gpu", arena_printf(j->arena, "GPU %zu", gpu_number(j->snapshot, subject->gpu)),
		   "the first GPU it holds");
	derive_str(j, "near_cpus", short_cpulist(j->arena, near), "cpulist of the nodes of its GPUs' sockets");
	if (node && is_known(node->cpus))
		derive_str(j, "node_cpus", str_or(node->cpus, ""), "cpulist of the GPU's node");
}

static void tell(struct judgement *j, const struct tally *tally)
{
	if (tally->far.nr) {
		question(j);
		describe(j, &tally->far);
		finding_add(j, NUMA_AFFINITY_REMOTE);
	}
	if (tally->loose.nr) {
		question(j);
		describe(j, &tally->loose);
		finding_add(j, NUMA_AFFINITY_LOOSE);
	}
	if (!tally->far.nr && !tally->loose.nr && !tally->near.nr)
		skip_check(j, "no visible process uses a GPU with a known NUMA node");
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;
	struct tally tally = { 0 };

	if (!gpus_under_test(j->snapshot)) {
		skip_check(j, "no GPU under test");
		return;
	}
	if (!numa_matters(j))
		return;
	need(j, processes, &j->snapshot->processes, seen);
	if (is_known(request->pid))
		judge_requested(j, &tally);
	else if (bool_or(request->pid_is_self, false))
		skip_check(j, "not possible on a recording");
	else
		judge_holders(j, &tally);
	tell(j, &tally);
}

const struct check check_numa_affinity = {
	.name = "numa-affinity",
	.title = "NUMA affinity",
	.doc = "May each process that holds GPUs, or the one of --pid, run on CPUs of the GPUs' own sockets? Pinned "
	       "to another socket is a warning, not pinned a note. CPUs of the same socket are near, even if it has "
	       "several NUMA nodes (SNC, NPS). The CPUs of this run itself count with --pid self only.",
	.per = SUBJECT_NODE,
	.says = "{placement}",
	.may_emit = IDS(NUMA_AFFINITY_REMOTE, NUMA_AFFINITY_LOOSE),
	.eval = eval,
};
