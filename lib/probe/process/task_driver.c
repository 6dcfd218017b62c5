// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/process/task_driver.h"

/* The modules a function may be tagged with, and what functions are called where a driver is built in. */
static const struct driver_names {
	const char *driver;
	const char *modules[5];
	const char *prefixes[8];
} drivers[] = {
	{
		.driver = "nvidia",
		.modules = { "nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_drm" },
		.prefixes = { "nvidia_", "nv_drm_", "nvkms_", "uvm_", "os_acquire_", "_nv0" },
	},
	{
		.driver = "amdgpu",
		.modules = { "amdgpu", "amdkfd" },
		.prefixes = { "amdgpu_", "amdkfd_", "kfd_", "svm_range_" },
	},
	{
		.driver = "i915",
		.modules = { "i915" },
		.prefixes = { "i915_", "intel_gt_", "__intel_gt_", "intel_context_" },
	},
	{
		.driver = "xe",
		.modules = { "xe" },
		.prefixes = { "xe_" },
	},
};

/* What every DRM driver waits in. */
static const char *const shared[] = { "dma_fence_", "dma_resv_", "drm_", "ttm_" };
static const char *const shared_modules[] = { "drm", "ttm", "gpu_sched", "drm_kms_helper" };

/* What a task waits in that waits for a disk, a network or memory. */
static const char *const elsewhere[] = {
	"bio_", "blk_", "btrfs_", "cephfs_", "ext4_", "folio_wait", "fuse_", "io_schedule", "jbd2_", "ll_", "nfs",
	"request_wait_answer", "rpc_", "rq_qos_", "wait_on_page", "xfs_", "zfs_", "cv_wait",
};

/* "name [module]", or "name", up to the comma. */
struct frame {
	const char *name, *module;
	size_t name_len, module_len;
};

static struct frame frame_at(const char *text)
{
	struct frame frame = { .name = text, .module = NULL, .name_len = strcspn(text, " ,"), .module_len = 0 };
	const char *rest = text + frame.name_len;

	if (!strncmp(rest, " [", 2)) {
		frame.module = rest + 2;
		frame.module_len = strcspn(frame.module, "],");
	}
	return frame;
}

static const char *next_frame(const char *text)
{
	const char *comma = strstr(text, ", ");

	return comma ? comma + 2 : NULL;
}

static bool begins_with_one_of(const struct frame *frame, const char *const *prefixes, size_t nr)
{
	for (size_t i = 0; i < nr && prefixes[i]; i++) {
		size_t len = strlen(prefixes[i]);

		if (frame->name_len >= len && !strncmp(frame->name, prefixes[i], len))
			return true;
	}
	return false;
}

static bool is_of_module(const struct frame *frame, const char *const *modules, size_t nr)
{
	for (size_t i = 0; i < nr && modules[i]; i++) {
		if (strlen(modules[i]) == frame->module_len &&
		    !memcmp(modules[i], frame->module, frame->module_len))
			return true;
	}
	return false;
}

/* A module's tag settles it; a name's beginning counts only where there is none. */
static enum task_waits classify(const struct frame *frame, const char **ret_driver)
{
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		if (frame->module ? is_of_module(frame, drivers[i].modules, ARRAY_SIZE(drivers[i].modules)) :
		    begins_with_one_of(frame, drivers[i].prefixes, ARRAY_SIZE(drivers[i].prefixes))) {
			*ret_driver = drivers[i].driver;
			return WAITS_IN_DRIVER;
		}
	}
	if (begins_with_one_of(frame, shared, ARRAY_SIZE(shared)) ||
	    (frame->module && is_of_module(frame, shared_modules, ARRAY_SIZE(shared_modules))))
		return WAITS_FOR_GPU;
	if (begins_with_one_of(frame, elsewhere, ARRAY_SIZE(elsewhere)))
		return WAITS_ELSEWHERE;
	return WAITS_UNKNOWN;
}

enum task_waits task_driver(const char *stack, const char *wchan, const char **ret_driver)
{
	enum task_waits result = WAITS_UNKNOWN;

	for (const char *at = stack; at && *at; at = next_frame(at)) {
		struct frame frame = frame_at(at);
		enum task_waits found = classify(&frame, ret_driver);

		if (found == WAITS_IN_DRIVER)
			return found;
		if (found == WAITS_FOR_GPU || result == WAITS_UNKNOWN)
			result = found;
	}
	if (wchan && result == WAITS_UNKNOWN) {
		struct frame frame = frame_at(wchan);

		result = classify(&frame, ret_driver);
	}
	/* A stack that was read to its end and names no GPU code is a wait for something else. */
	if (stack && *stack && result == WAITS_UNKNOWN)
		result = WAITS_ELSEWHERE;
	return result;
}
