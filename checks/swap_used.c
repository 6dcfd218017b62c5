// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "snapshot/under_test.h"

/* Compressed memory is not a disk: swapping to it costs no I/O. */
static bool is_disk_swap(const struct swap *swap)
{
	return strncmp(str_or(swap->key, ""), "/dev/zram", strlen("/dev/zram")) != 0;
}

/* A team that wants none counts every kind: a kubelet refuses to start with any. */
static void judge_required_off(struct judgement *j)
{
	if (!j->policy->swap_require_off)
		return;
	question(j);
	if (!need(j, memory, &j->snapshot->memory, swap_total_bytes))
		return;
	derive_str(j, "required_by", policy_origin(j->arena, j->policy, POLICY_ROW_swap_require_off),
		   "the policy in force");
	finding_add(j, SWAP_USED_NOT_OFF);
}

/* With zswap on, pages count as swapped that were compressed and never left memory: how many went on to a disk? */
static void judge_short(struct judgement *j)
{
	if (want(j, memory, &j->snapshot->memory, zswap_enabled))
		unknown(j, "{used_bytes} of {size_bytes} swap in use, on a disk or compressed in memory (zswap)");
	else
		finding_add(j, SWAP_USED_SHORT);
}

static bool is_unused(const struct memory *memory)
{
	return is_known(memory->swap_free_bytes) &&
	       u64_or(memory->swap_free_bytes, 0) == u64_or(memory->swap_total_bytes, 0);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	double used = 0.0, size = 0.0, available, total;
	size_t areas = 0;

	judge_required_off(j);
	question(j);
	if (need(j, memory, &snapshot->memory, swap_total_bytes) && !snapshot->nr_swaps &&
	    !is_unused(&snapshot->memory))
		unknown(j,
			str_is(snapshot->run.source, "import")
				? "{swap_total_bytes} of swap, on a disk or compressed in memory (zram): no list of its areas"
				: "{swap_total_bytes} of swap, but /proc/swaps is empty");
	for (size_t i = 0; i < snapshot->nr_swaps; i++) {
		const struct swap *swap = &snapshot->swaps[i];

		if (!is_disk_swap(swap))
			continue;
		about(j, str_or(swap->key, "?"));
		size += (double)need(j, swap, swap, size_bytes);
		used += (double)need(j, swap, swap, used_bytes);
		areas++;
	}
	about(j, NULL);
	available = (double)need(j, memory, &snapshot->memory, available_bytes);
	total = (double)need(j, memory, &snapshot->memory, total_bytes);
	if (!all_known(j) || used <= 0.0)
		return;
	derive(j, "used_bytes", UNIT_BYTES, used, "sum over swap on disks");
	derive(j, "size_bytes", UNIT_BYTES, size, "sum over swap on disks");
	derive(j, "swap_areas", UNIT_COUNT, (double)areas, "/proc/swaps without zram");
	if (is_in_container(snapshot) && used > j->policy->swap_used_ratio * size)
		finding_add(j, SWAP_USED_OF_HOST);
	else if (used > j->policy->swap_used_ratio * size && available < j->policy->memory_available_ratio * total)
		judge_short(j);
	else
		finding_add(j, SWAP_USED_IDLE);
}

const struct check check_swap_used = {
	.name = "swap-used",
	.title = "Swap in use",
	.doc = "Is much disk swap in use while memory is short? Swap in use without traffic costs nothing and is a "
	       "note, as is the host's swap seen from a container; compressed memory (zram, zswap) never counts. If "
	       "the policy requires swap off (swap.require_off), any swap is a fail.",
	.per = SUBJECT_NODE,
	.says = "no disk swap in use",
	.may_emit = IDS(SWAP_USED_IDLE, SWAP_USED_SHORT, SWAP_USED_OF_HOST, SWAP_USED_NOT_OFF),
	.eval = eval,
};
