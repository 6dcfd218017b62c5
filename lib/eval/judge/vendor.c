// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/judge/vendor.h"

#include "snapshot/under_test.h"

enum vendor gpu_vendor(const struct gpu *gpu)
{
	if (str_is(gpu->pci.driver, "nvidia"))
		return VENDOR_NVIDIA;
	if (str_is(gpu->pci.driver, "amdgpu"))
		return VENDOR_AMD;
	if (str_is(gpu->pci.driver, "i915") || str_is(gpu->pci.driver, "xe"))
		return VENDOR_INTEL;
	/* xpu-smi does not tell which of the two drivers it is. */
	if (gpu->pci.driver.state == VAL_UNSET && str_is(gpu->pci.vendor_id, "0x8086"))
		return VENDOR_INTEL;
	return VENDOR_OTHER;
}

size_t gpus_bound_to(const struct snapshot *snapshot, const char *driver)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += str_is(snapshot->gpus[i].pci.driver, driver) && gpu_is_under_test(snapshot, &snapshot->gpus[i]);
	return nr;
}

bool nvidia_drives_any(const struct snapshot *snapshot)
{
	return gpus_bound_to(snapshot, "nvidia");
}

struct vendor_field vendor_field_of(const struct gpu *gpu, const char *name)
{
	const struct record *record;
	struct vendor_field told = { 0 };

	switch (gpu_vendor(gpu)) {
	case VENDOR_NVIDIA:
		record = &record_nvml_gpu;
		told.record = &gpu->nvml;
		break;
	case VENDOR_AMD:
		record = &record_amdgpu_files;
		told.record = &gpu->amdgpu;
		break;
	case VENDOR_INTEL:
		record = &record_intel_files;
		told.record = &gpu->intel;
		break;
	default:
		return told;
	}
	/* Called often, for every GPU: most names differ in their first letter. */
	for (size_t i = 0; i < record->nr && !told.field; i++)
		if (record->fields[i].name[0] == name[0] && !strcmp(record->fields[i].name, name))
			told.field = &record->fields[i];
	return told;
}

struct val_head vendor_head(const struct gpu *gpu, const char *name)
{
	struct vendor_field told = vendor_field_of(gpu, name);
	struct val_head head = { .state = VAL_UNSET };

	if (told.field)
		memcpy(&head, (const char *)told.record + told.field->offset, sizeof(head));
	return head;
}

static union any_value value_of(struct vendor_field told, enum field_kind kind)
{
	union any_value value = { .head = { .state = VAL_UNSET } };

	if (told.field && told.field->kind == kind)
		memcpy(&value, (const char *)told.record + told.field->offset, value_size(told.field));
	return value;
}

struct val_u64 vendor_u64(const struct gpu *gpu, const char *name)
{
	return value_of(vendor_field_of(gpu, name), FIELD_U64).u64;
}

struct val_u64 vendor_u64_of_twin(struct vendor_field told, const struct gpu *gpu, const struct gpu *twin)
{
	if (told.field)
		told.record = (const char *)twin + ((const char *)told.record - (const char *)gpu);
	return value_of(told, FIELD_U64).u64;
}

struct val_f64 vendor_f64(const struct gpu *gpu, const char *name)
{
	return value_of(vendor_field_of(gpu, name), FIELD_F64).f64;
}

struct val_str vendor_str(const struct gpu *gpu, const char *name)
{
	return value_of(vendor_field_of(gpu, name), FIELD_STR).str;
}

/* Why a value cannot be asked for at all, or NULL. */
static const char *silence(struct judgement *j, const char *name)
{
	struct vendor_field told = vendor_field_of(j->gpu, name);
	struct val_head head = vendor_head(j->gpu, name);

	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH)
		return "assigned to a virtual machine or another driver (gpu-bound)";
	if (j->gpu->pci.driver.state == VAL_ABSENT)
		return "no driver bound (gpu-bound)";
	if (!told.field)
		return arena_printf(j->arena, "not supported by %s", str_or(j->gpu->pci.driver, "its driver"));
	switch (head.state) {
	case VAL_UNSET:
		return gpu_vendor(j->gpu) == VENDOR_NVIDIA ?
			       "not collected (only NVIDIA's library NVML reports it)" :
			       "driver files not collected";
	case VAL_ASLEEP:
		return "GPU suspended (--wake reads it)";
	case VAL_UNSUPPORTED:
		return "not supported by this GPU or its driver";
	case VAL_ABSENT:
		return arena_printf(j->arena, "not reported%s%s", head.why ? ": " : "", head.why ? head.why : "");
	default:
		return NULL;
	}
}

bool vendor_reports(struct judgement *j, const char *name)
{
	const char *reason = silence(j, name);

	if (reason)
		skip_check(j, reason);
	return !reason;
}

#define ASK(how, kind, type, none)                                                    \
	type how##_vendor_##kind(struct judgement *j, const char *name)                 \
	{                                                                             \
		struct vendor_field told = vendor_field_of(j->gpu, name);                            \
                                                                                      \
		return told.field ? how##_##kind(j, told.record, told.field) : (none); \
	}

ASK(need, u64, uint64_t, 0)
ASK(want, u64, uint64_t, 0)
ASK(need, f64, double, 0.0)
ASK(want, f64, double, 0.0)
ASK(need, str, const char *, "")
ASK(want, str, const char *, "")
