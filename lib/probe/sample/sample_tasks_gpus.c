// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_tasks_gpus.c - which GPUs a process has open, by the names of its open files.
 *
 * The numbers of /dev/nvidiaN are those of the sealed snapshot: the driver, which may hang, is not asked again.
 */
#include "base/compat.h"
#include "probe/sample/sample_tasks_internal.h"

#include "probe/process/open_files.h"

struct look {
	struct task_watch *watch;
	uint64_t *gpus;
	bool is_holder;
};

static void set(struct look *look, size_t gpu)
{
	look->gpus[gpu / 64] |= UINT64_C(1) << gpu % 64;
	look->is_holder = true;
}

/* One without a number could not be asked for it: it may be that one. */
static void look_at_minor(struct look *look, uint64_t minor)
{
	const struct task_watch *watch = look->watch;
	bool may_be = false;

	for (size_t i = 0; i < watch->nr_gpus; i++) {
		const struct task_gpu *gpu = &watch->gpus[i];

		may_be |= gpu->is_nvidia && !gpu->has_minor;
		if (!gpu->has_minor || gpu->minor != minor)
			continue;
		set(look, i);
		return;
	}
	look->is_holder |= may_be;
}

/* A node that serves every GPU of a driver: of one that drives a GPU under test. */
static void look_at_shared(struct look *look, const char *driver)
{
	for (size_t i = 0; i < look->watch->nr_gpus; i++) {
		const struct task_gpu *gpu = &look->watch->gpus[i];

		look->is_holder |= !driver || (gpu->is_nvidia && !strcmp(driver, "nvidia")) ||
				   (gpu->is_amd && !strcmp(driver, "amdgpu"));
	}
}

static void look_at_file(void *data, const char *descriptor, const char *name)
{
	struct look *look = data;
	struct task_watch *watch = look->watch;
	const struct gpu_node *node = gpu_nodes_find(&watch->walk.nodes, &watch->probe, name);

	(void)descriptor;
	if (!node)
		return;
	if (node->gpu.state == VAL_UNSET) {
		look_at_minor(look, node->minor);
		return;
	}
	for (size_t i = 0; i < watch->nr_gpus; i++)
		if (str_is(node->gpu, watch->gpus[i].address))
			set(look, i);
	if (!is_known(node->gpu) && strncmp(node->path, "/dev/dri/", strlen("/dev/dri/")) != 0)
		look_at_shared(look, node->driver);
}

bool task_gpus_of(struct task_watch *watch, uint64_t pid, uint64_t ret_gpus[TASKS_MAX_GPUS / 64], int *error)
{
	struct look look = { .watch = watch, .gpus = ret_gpus };
	char number[24];

	memset(ret_gpus, 0, TASKS_MAX_GPUS / 8);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)pid);
	*error = open_files_each(&watch->probe, number, look_at_file, &look);
	return look.is_holder;
}
