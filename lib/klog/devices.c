// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "klog/devices.h"

/* A node has a handful: as a rule it is the one spoken about last. */
static struct klog_device *find(const struct klog_devices *devices, const char *address)
{
	const struct klog_device *items = devices->items;

	if (devices->nr && !strcmp(items[devices->last].address, address))
		return (struct klog_device *)(uintptr_t)&items[devices->last];
	for (size_t i = 0; i < devices->nr; i++)
		if (!strcmp(items[i].address, address))
			return (struct klog_device *)(uintptr_t)&items[i];
	return NULL;
}

void klog_devices_note(struct klog_devices *devices, const char *address, enum klog_family group)
{
	struct klog_device *device = find(devices, address);

	if (!device) {
		if (devices->nr == MAX_LOG_GPUS)
			return;
		device = &devices->items[devices->nr++];
		*device = (struct klog_device){ .reset_line = 0 };
		memcpy(device->address, address, sizeof(device->address));
	}
	device->group = group;
	devices->last = (size_t)(device - devices->items);
}

bool klog_devices_is_gpu(const struct klog_devices *devices, const char *address)
{
	return address[0] && find(devices, address);
}

enum klog_family klog_devices_group(const struct klog_devices *devices, const char *address, enum klog_family group)
{
	const struct klog_device *device = address[0] ? find(devices, address) : NULL;

	return device ? device->group : group;
}

void klog_devices_reset(struct klog_devices *devices, const char *address, enum klog_family group, uint64_t line)
{
	struct klog_device *device = address[0] ? find(devices, address) : NULL;

	if (!address[0] && devices->nr && devices->items[devices->last].group == group)
		device = &devices->items[devices->last];
	if (device)
		device->reset_line = line;
}

static const struct klog_device *only_one_of(const struct klog_devices *devices, enum klog_family group)
{
	const struct klog_device *only = NULL;

	for (size_t i = 0; i < devices->nr; i++) {
		if (devices->items[i].group != group)
			continue;
		if (only)
			return NULL;
		only = &devices->items[i];
	}
	return only;
}

const char *klog_devices_only(const struct klog_devices *devices, enum klog_family group)
{
	const struct klog_device *only = only_one_of(devices, group);

	return only ? only->address : NULL;
}

static enum klog_family maker_of(enum klog_family group)
{
	if (group == KLOG_FAMILY_NOUVEAU)
		return KLOG_FAMILY_NVIDIA;
	return group == KLOG_FAMILY_RADEON ? KLOG_FAMILY_AMDGPU : group;
}

const char *klog_devices_only_of_maker(const struct klog_devices *devices, enum klog_family group)
{
	const char *only = klog_devices_only(devices, group);

	for (size_t i = 0; only && i < devices->nr; i++)
		if (maker_of(devices->items[i].group) == maker_of(group) && devices->items[i].address != only)
			return NULL;
	return only;
}

uint64_t klog_devices_reset_line(const struct klog_devices *devices, const char *address, enum klog_family group)
{
	const struct klog_device *device = address[0] ? find(devices, address) : only_one_of(devices, group);

	return device ? device->reset_line : 0;
}

void klog_devices_bound(struct klog_devices *devices, const char *address, uint64_t line)
{
	struct klog_device *device = find(devices, address);

	if (device)
		device->bound_line = line;
}

uint64_t klog_devices_bound_line(const struct klog_devices *devices, const char *address)
{
	const struct klog_device *device = find(devices, address);

	return device ? device->bound_line : 0;
}
