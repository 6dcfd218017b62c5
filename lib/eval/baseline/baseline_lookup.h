/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline_lookup.h - what the baseline says of what a check asks about: nothing,
 * where there is none or it may not be compared.
 */
#pragma once

#include "eval/baseline/baseline.h"

/*
 * The link at that place of the judged GPU's path (eval/facts/link.h), when the GPU, or another of its model, was at
 * the same address. 0: not known.
 */
struct baseline_link {
	uint64_t width;			/* the widest seen */
	uint64_t speed_mtps;		/* the fastest seen */
	bool speed_at_work;		/* that was seen while the GPU worked */
};
void baseline_link(const struct judgement *j, size_t place, struct baseline_link *ret);

/* Is the judged device's figure of that test below the recorded one, beyond the noise? Then *ret is that one. */
bool figure_is_below_baseline(const struct judgement *j, const char *test, double *ret);

/* What was measured at that path when the baseline was saved; NULL: nothing, or it may not be compared. */
const struct storage_path *baseline_storage(const struct judgement *j, const char *path);

/*
 * A run of all_reduce_perf of the baseline with as many GPUs, the same arguments and settings, that has a figure; NULL:
 * there is none, or it may not be compared.
 */
const struct collective_test *baseline_collective(const struct judgement *j, const struct collective_test *now);

/* That NVMe controller when the baseline was saved, by its serial number; NULL: it was not there. */
const struct nvme_controller *baseline_nvme(const struct judgement *j, const struct nvme_controller *now);

/* The network card or NVMe disk at that address when the baseline was saved; NULL: there was none. */
const struct io_device *baseline_io_device(const struct judgement *j, const char *address);

/* GPUs under test that the baseline has; false where it does not tell. */
bool baseline_gpu_count(const struct judgement *j, uint64_t *ret);
/* The first of the baseline's GPUs under test that is not on the bus now, in words; NULL: all are there. */
const char *baseline_gpu_gone(const struct judgement *j);
