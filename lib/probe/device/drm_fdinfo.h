/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drm_fdinfo.h - what DRM drivers say of a client in /proc/PID/fdinfo (Documentation/gpu/drm-usage-stats.rst). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

struct drm_fdinfo {
	bool has_client;
	uint64_t client;		/* unique on its device; descriptors that share it are one client */
	bool has_memory;		/* the driver counts memory of the device itself */
	uint64_t memory_bytes;
};

/*
 * 0; -ENOMSG: no DRM client's; -EINVAL: a line of memory makes no sense.
 * Memory is what sits in regions of the device (vram, vram0, local0), not in
 * the machine's: what is resident where the driver says so, else what the
 * older drm-memory-, else what drm-total- says.
 */
int drm_fdinfo_parse(const char *text, struct drm_fdinfo *ret) MUST_CHECK;
