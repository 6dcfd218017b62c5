// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/baseline/baseline_lookup.h"

#include "eval/baseline/drift.h"
#include "eval/facts/link_evidence.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

/* A card that took another's place has its link. */
static const struct gpu *gpu_at_same_place(const struct judgement *j, const struct baseline *baseline)
{
	const struct gpu *then = gpu_at(&baseline->snapshot, str_or(j->gpu->key, NULL));

	if (!then || !str_is(then->pci.vendor_id, str_or(j->gpu->pci.vendor_id, "")) ||
	    !str_is(then->pci.device_id, str_or(j->gpu->pci.device_id, "")))
		return NULL;
	return then;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void baseline_link(const struct judgement *j, size_t place, struct baseline_link *ret)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);
	const struct gpu *gpu = baseline ? gpu_at_same_place(j, baseline) : NULL;
	struct judgement then = *j;
	struct link_at_work work;
	struct link_path path;

	*ret = (struct baseline_link){ .width = 0 };
	if (!gpu)
		return;
	gpu_links(gpu, &path);
	if (place >= path.nr)
		return;
	ret->width = u64_or(path.links[place].lower->link_width, 0);
	ret->speed_mtps = u64_or(path.links[place].lower->link_speed_mtps, 0);
	if (place)
		return;
	then.snapshot = &baseline->snapshot;
	then.gpu = gpu;
	link_at_work(&then, gpu, &work);
	ret->speed_at_work = work.speed_mtps > 0;
	ret->width = larger(ret->width, work.width);
	ret->speed_mtps = larger(ret->speed_mtps, work.speed_mtps);
}

bool figure_is_below_baseline(const struct judgement *j, const char *test, double *ret)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);
	struct drift_list drifts;

	if (!baseline)
		return false;
	drifts_of(&drifts, j->arena, j->policy, baseline, j->snapshot, j->device);
	for (size_t i = 0; i < drifts.nr; i++) {
		if (strcmp(drifts.items[i].then->test, test) != 0)
			continue;
		*ret = drifts.items[i].then->median;
		return drifts.items[i].kind == DRIFT_WORSE || drifts.items[i].kind == DRIFT_MUCH_WORSE;
	}
	return false;
}

const struct storage_path *baseline_storage(const struct judgement *j, const char *path)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	return baseline ? list_find(&baseline->snapshot, storage_paths, storage_path, path) : NULL;
}

static bool is_same_list(const struct strs *a, const struct strs *b)
{
	for (size_t i = 0; i < a->nr; i++)
		if (!strs_has(b, a->v[i]))
			return false;
	return a->nr == b->nr;
}

const struct collective_test *baseline_collective(const struct judgement *j, const struct collective_test *now)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	for (size_t i = 0; baseline && i < baseline->snapshot.nr_collective_tests; i++) {
		const struct collective_test *then = &baseline->snapshot.collective_tests[i];

		if (is_known(then->best_bus_bytes_per_s) && then->gpus.nr == now->gpus.nr &&
		    str_is(then->arguments, str_or(now->arguments, "?")) &&
		    is_same_list(&then->settings, &now->settings))
			return then;
	}
	return NULL;
}

const struct io_device *baseline_io_device(const struct judgement *j, const char *address)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	return baseline ? list_find(&baseline->snapshot, io_devices, io_device, address) : NULL;
}

const struct nvme_controller *baseline_nvme(const struct judgement *j, const struct nvme_controller *now)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	for (size_t i = 0; baseline && is_known(now->serial) && i < baseline->snapshot.nr_nvme_controllers; i++)
		if (str_is(baseline->snapshot.nvme_controllers[i].serial, str_or(now->serial, "")))
			return &baseline->snapshot.nvme_controllers[i];
	return NULL;
}

bool baseline_gpu_count(const struct judgement *j, uint64_t *ret)
{
	const char *why;
	const struct baseline *baseline = baseline_to_compare(j, &why);

	if (!baseline || !is_known(baseline->snapshot.bus.gpus))
		return false;
	*ret = baseline_gpus(baseline);
	return true;
}

static bool is_here(const struct judgement *j, const struct gpu_identity *then)
{
	const bool by_place = j->baseline->another_is_meant;

	for (size_t i = 0; i < j->snapshot->nr_gpus; i++) {
		struct gpu_identity now = gpu_identity_of(j->arena, j->snapshot, &j->snapshot->gpus[i]);

		if (is_same_gpu(then, &now) ||
		    (by_place && then->address && now.address && !strcmp(then->address, now.address)))
			return true;
	}
	return false;
}

const char *baseline_gpu_gone(const struct judgement *j)
{
	const struct snapshot *then = &j->baseline->snapshot;

	for (size_t i = 0; i < then->nr_gpus; i++) {
		struct gpu_identity gpu = gpu_identity_of(j->arena, then, &then->gpus[i]);

		if (gpu_is_under_test(then, &then->gpus[i]) && !is_here(j, &gpu))
			return arena_printf(j->arena, "%s at %s%s%s", gpu.model, gpu.address ? gpu.address : "?",
					    gpu.serial ? ", serial " : "", gpu.serial ? gpu.serial : "");
	}
	return NULL;
}
