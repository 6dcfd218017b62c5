// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/drm_devices.h"

#include <libudev.h>

#include "probe/library.h"

#define CALLS(CALL)                                                                                                    \
	CALL(udev_new) CALL(udev_unref) CALL(udev_enumerate_new) CALL(udev_enumerate_unref)                            \
	CALL(udev_enumerate_add_match_subsystem) CALL(udev_enumerate_scan_devices) CALL(udev_enumerate_get_list_entry) \
	CALL(udev_list_entry_get_next) CALL(udev_list_entry_get_name) CALL(udev_device_new_from_syspath)               \
	CALL(udev_device_unref) CALL(udev_device_get_devnode) CALL(udev_device_get_sysname)                            \
	CALL(udev_device_get_parent_with_subsystem_devtype)

static struct {
#define MEMBER(call) __typeof__(call) *call;
	CALLS(MEMBER)
} libudev;

static const struct library_symbol symbols[] = {
#define SYMBOL(call) { .name = #call, .fallback = NULL, .required = true, .to = LIBRARY_TO(libudev.call) },
	CALLS(SYMBOL)
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
	struct udev_device *device = libudev.udev_device_new_from_syspath(context, place), *parent;
	const char *path = device ? libudev.udev_device_get_devnode(device) : NULL;

	if (path) {
		parent = libudev.udev_device_get_parent_with_subsystem_devtype(device, "pci", NULL);
		visitor->each(visitor->data, path, parent ? libudev.udev_device_get_sysname(parent) : NULL);
	}
	if (device)
		libudev.udev_device_unref(device);
}

static bool visit_all(struct udev *context, const struct visitor *visitor)
{
	struct udev_enumerate *enumerate = libudev.udev_enumerate_new(context);
	bool ok = enumerate && libudev.udev_enumerate_add_match_subsystem(enumerate, "drm") >= 0 && libudev.udev_enumerate_scan_devices(enumerate) >= 0;

	for (struct udev_list_entry *entry = ok ? libudev.udev_enumerate_get_list_entry(enumerate) : NULL; entry; entry = libudev.udev_list_entry_get_next(entry))
		visit(context, libudev.udev_list_entry_get_name(entry), visitor);
	if (enumerate)
		libudev.udev_enumerate_unref(enumerate);
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
	context = libudev.udev_new();
	ok = context && visit_all(context, &visitor);
	if (context)
		libudev.udev_unref(context);
	return ok;
}
