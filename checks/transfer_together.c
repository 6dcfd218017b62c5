// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/judge/subject.h"
#include "eval/timing/concurrent_transfer.h"
#include "snapshot/under_test.h"

static size_t nr_measured(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		nr += snapshot->ocl_devices[i].nr_timings > 0 && is_known(snapshot->ocl_devices[i].pci_address);
	return nr;
}

static void raise_shared(struct judgement *j, const struct shared_uplink *uplink)
{
	question(j);
	derive(j, "together", UNIT_GBPS, uplink->together_gbps, "sum of their copies to the device, medians");
	derive(j, "shared_bandwidth", UNIT_GBPS, uplink->carries_gbps, "lanes × rate of the link, before packets");
	derive(j, "alone", UNIT_GBPS, uplink->alone_gbps, "sum of what their own links carry, before packets");
	derive_str(j, "link_address", uplink->address, "the lower end of the link that they share");
	phrase(j, "members", gpu_ranges(j->arena, uplink->gpus, uplink->nr));
	finding_add_of(j, TRANSFER_TOGETHER_SHARED_UPLINK, uplink->address);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;

	if (!bool_or(snapshot->request.together, false)) {
		skip_check(j, "devices were not measured at once (--together)");
		return;
	}
	if (nr_measured(snapshot) < 2) {
		skip_check(j, "fewer than two PCI devices measured");
		return;
	}
	need(j, request, &snapshot->request, together);
	derive(j, "devices", UNIT_COUNT, (double)nr_measured(snapshot), "OpenCL devices on the bus with timings");
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];
		struct shared_uplink uplink;

		/* Told once, by the first that is below it. */
		if (gpu_is_under_test(snapshot, gpu) && shared_uplink_of(j, gpu, &uplink) &&
		    uplink.gpus[0] == gpu_index(snapshot, gpu))
			raise_shared(j, &uplink);
	}
}

const struct check check_transfer_together = {
	.name = "transfer-together",
	.title = "Concurrent transfers",
	.doc = "With --together: did GPUs below one switch wait for each other because their shared link carries less "
	       "than their own links together? A limit of the platform and a note, which explains why each is slower "
	       "than alone. Judged if their copies overlapped in time, filled the shared link, and used clearly less "
	       "than their own links carry.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS | NEEDS_LOAD,
	.says = "{devices} measured at once, no shared link at its limit",
	.may_emit = IDS(TRANSFER_TOGETHER_SHARED_UPLINK),
	.eval = eval,
};
