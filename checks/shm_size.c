// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "snapshot/under_test.h"

static void eval(struct judgement *j)
{
	const struct host *host = &j->snapshot->host;
	double size, available;

	if (is_known(j->snapshot->bus.gpus) && !gpus_under_test(j->snapshot)) {
		skip_check(j, "no GPU to feed");
		return;
	}
	if (host->shm_size_bytes.state == VAL_ABSENT) {
		skip_check(j, "size of /dev/shm not collected");
		return;
	}
	size = (double)need(j, host, host, shm_size_bytes);
	if (size < j->policy->shm_size_bytes) {
		expect_f64(j, "shm_size_bytes", j->policy->shm_size_bytes);
		finding_add(j, SHM_SIZE_SMALL);
	}
	if (!is_known(host->shm_available_bytes))
		return;		/* a recording knows its size only */
	question(j);
	size = (double)need(j, host, host, shm_size_bytes);
	available = (double)need(j, host, host, shm_available_bytes);
	if (available < j->policy->shm_available_ratio * size)
		finding_add(j, SHM_SIZE_FULL);
}

const struct check check_shm_size = {
	.name = "shm-size",
	.title = "Shared memory",
	.doc = "Is /dev/shm large enough for data loaders, and is space free? Containers get 64 MiB by default. What "
	       "a job needs is not known: a note at most.",
	.per = SUBJECT_NODE,
	.says = "{shm_size_bytes} of shared memory",
	.may_emit = IDS(SHM_SIZE_SMALL, SHM_SIZE_FULL),
	.eval = eval,
};
