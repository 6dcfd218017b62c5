// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/collective_group.h"

#include "base/strbuf.h"
#include "snapshot/under_test.h"

#define MIB ((uint64_t)1 << 20)

enum {
	LEAST_MIB = 8, MOST_MIB = 512,
	BUFFERS = 4,			/* it sends, receives and expects that much; one to spare */
	RUNTIME_MIB = 1024,		/* context, and the library's own buffers for each peer */
};

static bool is_kind(const struct gpu *gpu, const char *driver)
{
	return str_is(gpu->pci.driver, driver);
}

/* The number that ROCm's mask takes: 16 digits of the chip's, as KFD and amdgpu tell it. */
static const char *uuid_of(struct arena *arena, const struct gpu *gpu, const char *driver)
{
	const char *unique;

	if (!strcmp(driver, "nvidia"))
		return str_or(gpu->nvml.uuid, str_or(gpu->nvidia.uuid, NULL));
	unique = str_or(gpu->amdgpu.unique_id, NULL);
	return unique ? arena_printf(arena, "GPU-%s", unique) : NULL;
}

/* Is every GPU of that driver that this run could reach in the group? */
static bool is_all(const struct snapshot *snapshot, const struct collective_group *group)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += is_kind(&snapshot->gpus[i], group->driver) && gpu_is_under_test(snapshot, &snapshot->gpus[i]);
	return nr == group->nr;
}

static void set_mask(struct arena *arena, const struct snapshot *snapshot, struct collective_group *group)
{
	STRBUF_AUTO mask = STRBUF_INIT;

	strbuf_addstr(&mask, strcmp(group->driver, "nvidia") ? "ROCR_VISIBLE_DEVICES=" : "CUDA_VISIBLE_DEVICES=");
	for (size_t i = 0; i < group->nr; i++) {
		const char *uuid = uuid_of(arena, group->gpus[i], group->driver);

		if (!uuid && !is_all(snapshot, group))
			group->why_not =
				arena_printf(arena, "the UUID of GPU %zu is unknown: only all GPUs can be selected",
					     gpu_number(snapshot, group->gpus[i]));
		if (!uuid)
			return;
		strbuf_addf(&mask, "%s%s", i ? "," : "", uuid);
	}
	group->mask = arena_strdup(arena, mask.buf);
}

static void add(struct collective_group *group, const struct gpu *gpu)
{
	const char *driver = is_kind(gpu, "nvidia") ? "nvidia" : is_kind(gpu, "amdgpu") ? "amdgpu" : NULL;

	if (!driver)
		return;
	if (group->driver && strcmp(group->driver, driver) != 0)
		group->why_not = "GPUs of two vendors: select those of one (--gpu)";
	group->driver = driver;
	if (group->nr < COLLECTIVE_MAX_GPUS)
		group->gpus[group->nr++] = gpu;
}

/* By its number, as everything that people read has it. */
static void sort(const struct snapshot *snapshot, struct collective_group *group)
{
	for (size_t i = 1; i < group->nr; i++)
		for (size_t k = i; k && gpu_number(snapshot, group->gpus[k]) < gpu_number(snapshot, group->gpus[k - 1]);
		     k--) {
			const struct gpu *gpu = group->gpus[k];

			group->gpus[k] = group->gpus[k - 1];
			group->gpus[k - 1] = gpu;
		}
}

/* A part of a GPU is no rank of NCCL's; of AMD's parts each would be a device of its own. */
static const char *divided(struct arena *arena, const struct snapshot *snapshot, const struct gpu *gpu)
{
	const char *partition = str_or(gpu->amdgpu.compute_partition, "SPX");

	if (bool_or(gpu->nvml.mig_enabled, false))
		return arena_printf(arena, "GPU %zu is in MIG mode", gpu_number(snapshot, gpu));
	if (strcmp(partition, "SPX") != 0)
		return arena_printf(arena, "GPU %zu is divided (compute partition %s)", gpu_number(snapshot, gpu),
				    partition);
	return NULL;
}

/*
 * What the caller hid from programs is somebody else's as a rule, as in a batch job without a device cgroup: loaded
 * only where it is selected by name.
 */
static const char *hidden(struct arena *arena, const struct snapshot *snapshot, const char *driver)
{
	static const char *const nvidia[] = { "CUDA_VISIBLE_DEVICES=", NULL };
	static const char *const amd[] = { "ROCR_VISIBLE_DEVICES=", "HIP_VISIBLE_DEVICES=", NULL };
	const struct strs *environment = &snapshot->host.environment;

	for (const char *const *mask = strcmp(driver, "nvidia") ? amd : nvidia; *mask && !snapshot->request.gpus.nr;
	     mask++)
		for (size_t i = 0; i < environment->nr; i++)
			if (!strncmp(environment->v[i], *mask, strlen(*mask)))
				return arena_printf(arena, "%.*s is set: select GPUs by --gpu, or unset it",
						    (int)strlen(*mask) - 1, *mask);
	return NULL;
}

void collective_group_of(struct arena *arena, const struct snapshot *snapshot, struct collective_group *ret)
{
	*ret = (struct collective_group){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_judged(snapshot, &snapshot->gpus[i]))
			add(ret, &snapshot->gpus[i]);
	sort(snapshot, ret);
	for (size_t i = 0; i < ret->nr && !ret->why_not; i++)
		ret->why_not = divided(arena, snapshot, ret->gpus[i]);
	if (!ret->why_not && ret->nr < 2)
		ret->why_not = arena_printf(
			arena, "an all-reduce takes two or more GPUs bound to the nvidia or amdgpu driver: %zu %s",
			ret->nr, snapshot->request.gpus.nr ? "selected" : "found");
	if (!ret->why_not)
		ret->why_not = hidden(arena, snapshot, ret->driver);
	if (!ret->why_not)
		set_mask(arena, snapshot, ret);
}

static struct val_u64 free_bytes(const struct gpu *gpu)
{
	struct val_u64 total = gpu->nvml.vram_total_bytes, used = gpu->nvml.vram_used_bytes;

	if (!is_known(total) || !is_known(used)) {
		total = gpu->amdgpu.vram_total_bytes;
		used = gpu->amdgpu.vram_used_bytes;
	}
	if (!is_known(total) || !is_known(used))
		return no_u64(VAL_ABSENT, "not reported");
	return val_u64(u64_or(total, 0) > u64_or(used, 0) ? u64_or(total, 0) - u64_or(used, 0) : 0);
}

uint64_t collective_largest_bytes(const struct collective_group *group)
{
	uint64_t least = UINT64_MAX, size = MOST_MIB * MIB;

	for (size_t i = 0; i < group->nr; i++) {
		uint64_t bytes = u64_or(free_bytes(group->gpus[i]), UINT64_MAX);

		least = bytes < least ? bytes : least;
	}
	while (size >= LEAST_MIB * MIB && size * BUFFERS + RUNTIME_MIB * MIB > least)
		size /= 2;
	return size >= LEAST_MIB * MIB ? size : 0;
}
