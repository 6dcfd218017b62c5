// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/selected.h"

#include "base/text.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

enum {
	LEAST_UUID = 4,		/* characters: fewer could be anything */
	MOST_DIGITS = 3,	/* of a number of a GPU: more are the beginning of a UUID */
};

static bool is_index(const char *selector, uint64_t *ret)
{
	return strlen(selector) <= MOST_DIGITS && strspn(selector, "0123456789") == strlen(selector) &&
	       !parse_u64(selector, ret);
}

static bool is_address_of(const char *selector, const char *address)
{
	struct pci_address wanted, is;
	char with_domain[32];

	if (parse_pci_address(address, &is))
		return false;
	if (!parse_pci_address(selector, &wanted))
		return !pci_address_compare(&wanted, &is);
	snprintf(with_domain, sizeof(with_domain), "0000:%s", selector);
	if (parse_pci_address(with_domain, &wanted))
		return false;
	wanted.domain = is.domain;
	return !pci_address_compare(&wanted, &is);
}

static bool begins_uuid(const char *selector, struct val_str uuid)
{
	return strlen(selector) >= LEAST_UUID && !strncasecmp(str_or(uuid, ""), selector, strlen(selector));
}

static bool is_uuid_of_gpu(const char *selector, const struct gpu *gpu)
{
	return begins_uuid(selector, gpu->nvml.uuid) || begins_uuid(selector, gpu->nvidia.uuid) ||
	       begins_uuid(selector, gpu->amdgpu.unique_id);
}

static bool names_device(const char *selector, const struct ocl_device *device)
{
	return str_is(device->key, selector) || begins_uuid(selector, device->uuid);
}

bool selector_is_of_gpu(const struct snapshot *snapshot, const char *selector, const struct gpu *gpu)
{
	uint64_t index;

	if (!gpu_is_under_test(snapshot, gpu))
		return false;
	if (is_index(selector, &index))
		return index == gpu_index(snapshot, gpu);
	if (is_address_of(selector, str_or(gpu->key, "")) || is_uuid_of_gpu(selector, gpu))
		return true;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		if (ocl_device_gpu(snapshot, &snapshot->ocl_devices[i]) == gpu &&
		    names_device(selector, &snapshot->ocl_devices[i]))
			return true;
	return false;
}

bool selector_is_of_device(const struct snapshot *snapshot, const char *selector, const struct ocl_device *device)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device);
	uint64_t index;

	if (names_device(selector, device))
		return true;
	if (!gpu || !gpu_is_under_test(snapshot, gpu))
		return false;
	return is_index(selector, &index) ? index == gpu_index(snapshot, gpu) :
	       is_address_of(selector, str_or(gpu->key, "")) || is_uuid_of_gpu(selector, gpu);
}

bool gpu_is_selected(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct strs *selectors = &snapshot->request.gpus;

	for (size_t i = 0; i < selectors->nr; i++)
		if (selector_is_of_gpu(snapshot, selectors->v[i], gpu))
			return true;
	return !selectors->nr;
}

bool ocl_device_is_selected(const struct snapshot *snapshot, const struct ocl_device *device)
{
	const struct strs *selectors = &snapshot->request.gpus;

	for (size_t i = 0; i < selectors->nr; i++)
		if (selector_is_of_device(snapshot, selectors->v[i], device))
			return true;
	return !selectors->nr;
}

bool gpu_is_judged(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return gpu_is_under_test(snapshot, gpu) && gpu_is_selected(snapshot, gpu);
}

size_t gpus_selected(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_is_judged(snapshot, &snapshot->gpus[i]);
	return nr;
}
