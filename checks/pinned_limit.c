// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "snapshot/under_test.h"

/* Daemons whose children are users' own processes, with the daemon's limit and without root's rights. */
static bool starts_users_work(const struct daemon *daemon)
{
	return str_is(daemon->comm, "slurmd") || str_is(daemon->comm, "pbs_mom") || str_is(daemon->comm, "sbatchd") ||
	       str_is(daemon->comm, "sge_execd");
}

/* Daemons whose containers get its limit, and often rights that make it no limit. */
static bool starts_containers(const struct daemon *daemon)
{
	return str_is(daemon->comm, "containerd") || str_is(daemon->comm, "crio") || str_is(daemon->comm, "dockerd") ||
	       str_is(daemon->comm, "kubelet") || str_is(daemon->comm, "k3s-agent") ||
	       str_is(daemon->comm, "k3s-server");
}

/* The first RDMA device whose port is not down; NULL: none. */
static const struct network_interface *rdma_interface(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &snapshot->network_interfaces[i];

		if (is_known(interface->rdma_device) && !str_is(interface->state, "down"))
			return interface;
	}
	return NULL;
}

/* Notes the limit; false where there is none, or none that is small. */
static bool is_small(struct judgement *j, const struct val_u64 *limit)
{
	if (limit->state == VAL_ABSENT)
		return false;
	return (double)u64_or(*limit, 0) < j->policy->memlock_min_bytes;
}

/* False: it starts no jobs. */
static bool judge_daemon(struct judgement *j, const struct network_interface *rdma, const struct daemon *daemon)
{
	bool users = starts_users_work(daemon);

	question(j);
	if (!users && !starts_containers(daemon))
		return false;
	about(j, str_or(daemon->comm, NULL));
	if (daemon->memlock_limit_bytes.state != VAL_ABSENT)
		need(j, daemon, daemon, memlock_limit_bytes);
	about(j, NULL);
	need(j, network_interface, rdma, rdma_device);
	if (!all_known(j) || !is_small(j, &daemon->memlock_limit_bytes))
		return true;
	need(j, daemon, daemon, comm);
	derive_str(j, "daemon_pid", str_or(daemon->key, "?"), "/proc");
	finding_add_of(j, users ? PINNED_LIMIT_SCHEDULER : PINNED_LIMIT_CONTAINERS, str_or(daemon->comm, "?"));
	return true;
}

static bool is_bound_by_limits(const struct holding *holding)
{
	enum val_state state = holding->process->memlock_limit_bytes.state;

	/* Root is not; and without a limit there is none to be bound by. */
	return !holder_is_idle(&holding->all) && u64_or(holding->all.user_id, 0) &&
	       (state == VAL_OK || state == VAL_ABSENT);
}

/* Of the processes that hold GPUs: how many there are to judge is returned. */
static size_t judge_holders(struct judgement *j, const struct network_interface *rdma)
{
	const struct holding *first = NULL;
	struct holding_list holdings;
	size_t nr = 0, nr_judged = 0;

	question(j);
	holdings_of(j->arena, j->snapshot, &holdings);
	for (size_t i = 0; i < holdings.nr; i++) {
		const struct holding *holding = &holdings.items[i];

		if (!is_bound_by_limits(holding))
			continue;
		nr_judged++;
		if (!is_small(j, &holding->process->memlock_limit_bytes))
			continue;
		if (!nr++)
			first = holding;
	}
	if (!first)
		return nr_judged;
	need(j, gpu_process, first->process, memlock_limit_bytes);
	need(j, network_interface, rdma, rdma_device);
	derive(j, "processes", UNIT_COUNT, (double)nr, "/proc/PID/limits of those that hold GPUs");
	derive_str(j, "process", holding_words(j->arena, first), "/proc/PID/fd");
	finding_add(j, PINNED_LIMIT_PROCESS);
	return nr_judged;
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct network_interface *rdma = rdma_interface(snapshot);
	size_t nr = 0;

	if (!gpus_under_test(snapshot)) {
		skip_check(j, "no GPU under test");
		return;
	}
	need(j, listed, &snapshot->listed, network_interfaces);
	need(j, processes, &snapshot->processes, seen);
	if (!all_known(j))
		return;
	if (!rdma) {
		skip_check(j, "no active RDMA device");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_daemons; i++)
		nr += judge_daemon(j, rdma, &snapshot->daemons[i]);
	nr += judge_holders(j, rdma);
	if (!nr)
		skip_check(j, "no scheduler, container runtime or GPU process with visible limits");
}

const struct check check_pinned_limit = {
	.name = "pinned-limit",
	.title = "Pinned memory limit",
	.doc = "May the processes that hold GPUs, and those started by a scheduler or container runtime, pin enough "
	       "memory for RDMA (memlock.min_bytes)? Only on a node with an RDMA device. A scheduler's daemon with a "
	       "small limit, which every job inherits, is a warning. A container runtime's limit, which often does "
	       "not apply to its containers, and a process's own are notes.",
	.per = SUBJECT_NODE,
	.says = "pinned memory limit sufficient for RDMA",
	.may_emit = IDS(PINNED_LIMIT_SCHEDULER, PINNED_LIMIT_CONTAINERS, PINNED_LIMIT_PROCESS),
	.eval = eval,
};
