/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drm_devices.h - DRM devices as udev lists them. */
#pragma once

#include "probe/probe.h"

/*
 * Calls `each` for every DRM device that has a node ("/dev/dri/renderD128"),
 * with the address of the PCI function above it or NULL. Live only. False
 * where libudev is not installed or refuses: what it would have told stands in
 * /sys/class/drm as well.
 */
bool drm_devices_each(struct sink *sink, void (*each)(void *data, const char *path, const char *address), void *data);
