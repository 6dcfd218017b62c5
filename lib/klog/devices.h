/* SPDX-License-Identifier: GPL-2.0-or-later */
/* devices.h - the GPUs named in a log, and when each was reset. Private to the scan. */
#pragma once

#include "klog/catalogue.h"
#include "klog/span.h"

enum { MAX_LOG_GPUS = 256 };

struct klog_device {
	char address[PCI_TEXT_BYTES];
	enum klog_family group;		/* whose driver it has */
	uint64_t reset_line;		/* where it was last reset with success; 0: nowhere */
	uint64_t bound_line;		/* where a driver took it last; 0: nowhere */
};

struct klog_devices {
	size_t nr;
	struct klog_device items[MAX_LOG_GPUS];
	size_t last;			/* spoken about last */
};

/* A GPU driver logged a line about this device. */
void klog_devices_note(struct klog_devices *devices, const char *address, enum klog_family group);
bool klog_devices_is_gpu(const struct klog_devices *devices, const char *address);
/* Whose driver the device has; group where that is not known. */
enum klog_family klog_devices_group(const struct klog_devices *devices, const char *address, enum klog_family group);

/* The address of the only GPU of that driver in the log; NULL: there is none, or several. */
const char *klog_devices_only(const struct klog_devices *devices, enum klog_family group);

/*
 * The same, where the log lists no other GPU of that maker either: another driver may have it, or none. A driver that
 * says nothing of the one that it has is not known by the other's address.
 */
const char *klog_devices_only_of_maker(const struct klog_devices *devices, enum klog_family group);

/* It was reset with success. Without an address: the GPU of that driver that was spoken about last. */
void klog_devices_reset(struct klog_devices *devices, const char *address, enum klog_family group, uint64_t line);
/* 0: never. Without an address: of the only GPU of that driver, where there is one. */
uint64_t klog_devices_reset_line(const struct klog_devices *devices, const char *address, enum klog_family group);

/* A driver took it, as that line says. */
void klog_devices_bound(struct klog_devices *devices, const char *address, uint64_t line);
/* 0: none did. */
uint64_t klog_devices_bound_line(const struct klog_devices *devices, const char *address);
