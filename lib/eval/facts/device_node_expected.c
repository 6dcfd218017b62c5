// SPDX-License-Identifier: GPL-2.0-or-later
/* device_node_expected.c - whether a GPU's device node should have been made. */
#include "base/compat.h"
#include "eval/facts/device_node_expected.h"

#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* Other GPUs of this driver, whose node was made. */
static size_t others_with_theirs(const struct snapshot *snapshot, const struct gpu *gpu)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *other = &snapshot->gpus[i];
		const struct device_node *node = gpu_compute_node(snapshot, other);

		nr += other != gpu && node && node_is_there(node) && is_known(gpu->pci.driver) &&
		      str_is(other->pci.driver, str_or(gpu->pci.driver, ""));
	}
	return nr;
}

/*
 * A node that somebody should have made. The kernel makes those of a driver
 * all at once. NVIDIA's are made for who asks: a rule of a distribution, or a
 * display server, for the first GPU alone; a program that computes, for all.
 */
bool device_node_is_expected(const struct snapshot *snapshot, const struct gpu *gpu)
{
	size_t others = others_with_theirs(snapshot, gpu);

	/* A container may have been started before the node was made. */
	if (!others || is_in_container(snapshot))
		return false;
	return others > 1 || !str_is(gpu->pci.driver, "nvidia") || persistenced_runs(snapshot);
}
