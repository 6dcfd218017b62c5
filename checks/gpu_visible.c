// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/subject.h"

static void judge_count(struct judgement *j, uint64_t seen)
{
	uint64_t expected = need(j, request, &j->snapshot->request, expect_gpus);

	expect_f64(j, "gpus_under_test", (double)expected);
	if (seen < expected)
		finding_add(j, seen ? GPU_VISIBLE_MISSING : GPU_VISIBLE_NONE);
	else if (seen > expected)
		finding_add(j, GPU_VISIBLE_MORE);
}

/*
 * Seven of eight must not pass: where nothing says how many belong here, a
 * GPU on the bus proves nothing about the one that is not.
 */
static void eval(struct judgement *j)
{
	const struct bus *bus = &j->snapshot->bus;
	uint64_t counted;
	double seen;

	if (str_is(j->snapshot->host.virtualisation, "wsl")) {
		skip_check(j, "under WSL the GPU is not on the bus (/dev/dxg)");
		return;
	}
	need(j, bus, bus, functions);
	counted = need(j, bus, bus, gpus);
	if (!all_known(j))
		return;
	if (counted != j->snapshot->nr_gpus) {
		unknown(j, "{gpus} were counted, and not as many are described");
		return;
	}
	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		if (gpu_role(&j->snapshot->gpus[i]) != GPU_ROLE_UNKNOWN)
			continue;
		about(j, str_or(j->snapshot->gpus[i].key, NULL));
		need(j, pci_function, &j->snapshot->gpus[i].pci, vendor_id);
	}
	about(j, NULL);
	if (!all_known(j))
		return;
	seen = derive(j, "gpus_under_test", UNIT_COUNT, (double)gpus_under_test(j->snapshot),
		      "functions of class display or processing accelerator, without management displays, "
		      "integrated graphics and virtual functions");
	if (is_known(j->snapshot->request.expect_gpus))
		judge_count(j, (uint64_t)seen);
	else if (seen < 1.0)
		finding_add(j, GPU_VISIBLE_NONE);
	else
		skip_check(j, "{gpus_under_test} on the bus, nothing says how many belong here (--expect-gpus)");
}

const struct check check_gpu_visible = {
	.name = "gpu-visible",
	.title = "GPUs on the bus",
	.doc = "Are as many GPUs on the PCI bus as belong here? Without --expect-gpus only none at all is a fault. "
	       "Displays of management controllers and hypervisors, integrated graphics and virtual functions do not "
	       "count.",
	.per = SUBJECT_NODE,
	.says = "{gpus_under_test} on the bus, as expected",
	.may_emit = IDS(GPU_VISIBLE_NONE, GPU_VISIBLE_MISSING, GPU_VISIBLE_MORE),
	.eval = eval,
};
