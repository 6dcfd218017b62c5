/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hwmon.h - where a device's driver has its sensors (Linux 7.2 Documentation/hwmon/sysfs-interface.rst). */
#pragma once

#include "sys/root.h"

enum { HWMON_BYTES = 48 };

/*
 * "hwmon/hwmon3/", below the folder of the device at that PCI address; empty: it has none. Of several the first whose
 * file name has one of names, which end with NULL; names is NULL: any. Looks at folders and names alone, which asks
 * the driver nothing. 0, or -errno where the device's hwmon folder cannot be listed.
 */
int hwmon_find(const struct root *root, const char *address, const char *const *names, char ret[HWMON_BYTES]);
