// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/drm_devices.h"

#include <libudev.h>

#include "probe/library.h"

static __typeof__(udev_new) *context_new;
static __typeof__(udev_unref) *context_unref;
static __typeof__(udev_enumerate_new) *enumerate_new;
static __typeof__(udev_enumerate_unref) *enumerate_unref;
static __typeof__(udev_enumerate_add_match_subsystem) *match_subsystem;
static __typeof__(udev_enumerate_scan_devices) *scan_devices;
static __typeof__(udev_enumerate_get_list_entry) *first_entry;
static __typeof__(udev_list_entry_get_next) *next_entry;
static __typeof__(udev_list_entry_get_name) *entry_name;
static __typeof__(udev_device_new_from_syspath) *device_new;
static __typeof__(udev_device_unref) *device_unref;
static __typeof__(udev_device_get_devnode) *device_node;
static __typeof__(udev_device_get_parent_with_subsystem_devtype) *parent_of;
static __typeof__(udev_device_get_sysname) *system_name;

#define SYMBOL(name_, pointer) { .name = (name_), .fallback = NULL, .required = true, .to = LIBRARY_TO(pointer) }
static const struct library_symbol symbols[] = {
	SYMBOL("udev_new", context_new),
	SYMBOL("udev_unref", context_unref),
	SYMBOL("udev_enumerate_new", enumerate_new),
	SYMBOL("udev_enumerate_unref", enumerate_unref),
	SYMBOL("udev_enumerate_add_match_subsystem", match_subsystem),
	SYMBOL("udev_enumerate_scan_devices", scan_devices),
	SYMBOL("udev_enumerate_get_list_entry", first_entry),
	SYMBOL("udev_list_entry_get_next", next_entry),
	SYMBOL("udev_list_entry_get_name", entry_name),
	SYMBOL("udev_device_new_from_syspath", device_new),
	SYMBOL("udev_device_unref", device_unref),
	SYMBOL("udev_device_get_devnode", device_node),
	SYMBOL("udev_device_get_parent_with_subsystem_devtype", parent_of),
	SYMBOL("udev_device_get_sysname", system_name),
	{ .name = NULL, .fallback = NULL, .required = false, .to = NULL },
};

static const char *const library_names[] = { "libudev.so.1", NULL };

struct visitor {
	void (*each)(void *data, const char *path, const char *address);
	void *data;
};

/* Connectors are DRM devices too, and have no node. */
static void visit(struct udev *context, const char *place, const struct visitor *visitor)
{
	struct udev_device *device = device_new(context, place), *parent;
	const char *path = device ? device_node(device) : NULL;

	if (path) {
		parent = parent_of(device, "pci", NULL);
		visitor->each(visitor->data, path, parent ? system_name(parent) : NULL);
	}
	if (device)
		device_unref(device);
}

static bool visit_all(struct udev *context, const struct visitor *visitor)
{
	struct udev_enumerate *enumerate = enumerate_new(context);
	bool ok = enumerate && match_subsystem(enumerate, "drm") >= 0 && scan_devices(enumerate) >= 0;

	for (struct udev_list_entry *entry = ok ? first_entry(enumerate) : NULL; entry; entry = next_entry(entry))
		visit(context, entry_name(entry), visitor);
	if (enumerate)
		enumerate_unref(enumerate);
	return ok;
}

bool drm_devices_each(struct sink *sink, void (*each)(void *data, const char *path, const char *address), void *data)
{
	const struct visitor visitor = { .each = each, .data = data };
	char why[LIBRARY_WHY_BYTES];
	struct udev *context;
	bool ok;

	sink_step(sink, "dlopen libudev.so.1");
	if (library_open(library_names, symbols, NULL, why))
		return false;
	sink_step(sink, "udev_enumerate_scan_devices");
	context = context_new();
	ok = context && visit_all(context, &visitor);
	if (context)
		context_unref(context);
	return ok;
}
