// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"
#include "snapshot/under_test.h"

static bool is_compressed_memory(const struct swap *swap)
{
	return !strncmp(str_or(swap->key, ""), "/dev/zram", strlen("/dev/zram"));
}

static size_t nr_compressed(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_swaps; i++)
		nr += is_compressed_memory(&snapshot->swaps[i]);
	return nr;
}

static void judge_rate(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	double rate = need(j, window, &snapshot->window, swap_in_bytes_per_s);

	if (!all_known(j) || rate <= j->policy->swap_in_bytes_per_s)
		return;
	/* The kernel counts both kinds in one number. */
	if (nr_compressed(snapshot)) {
		unknown(j, "swap-in at {swap_in_bytes_per_s}, from disk or compressed memory (zram)");
		return;
	}
	/* Both are the host's numbers. */
	if (is_in_container(snapshot)) {
		finding_add(j, SWAP_RATE_OF_HOST);
		return;
	}
	if (need(j, pressure, &snapshot->pressure, memory_full_avg10) > j->policy->memory_pressure_percent)
		finding_add(j, SWAP_RATE_THRASHING);
	else
		finding_add(j, SWAP_RATE_SWAPPING);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!has_window(j))
		return;
	if (is_known(snapshot->memory.swap_total_bytes) && !u64_or(snapshot->memory.swap_total_bytes, 1))
		skip_check(j, "no swap");
	else if (snapshot->nr_swaps && nr_compressed(snapshot) == snapshot->nr_swaps)
		skip_check(j, "no swap on a disk");
	else
		judge_rate(j);
}

const struct check check_swap_rate = {
	.name = "swap-rate",
	.title = "Swap traffic",
	.doc = "Are pages swapped in from a disk, and do tasks wait for them? Both together are a warning, traffic "
	       "alone is a note, as is the host's swap seen from a container; compressed memory (zram, zswap) never "
	       "counts.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = "swap-in {swap_in_bytes_per_s}",
	.may_emit = IDS(SWAP_RATE_THRASHING, SWAP_RATE_SWAPPING, SWAP_RATE_OF_HOST),
	.eval = eval,
};
