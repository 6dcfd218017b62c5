/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - who speaks in a line of the kernel, and about which device: the
 * driver's prefix in all the forms it had over the years, taken off.
 */
#pragma once

#include "klog/catalogue.h"
#include "klog/pattern.h"

struct klog_source {
	enum klog_family family;
	struct span driver;		/* "amdgpu", "pcieport"; empty where the family says it */
	bool is_device_line;		/* "DRIVER ADDRESS: ": PCI's patterns may fit too */
	bool is_relayed;		/* a program's words for what the kernel said */
	char pci[PCI_TEXT_BYTES];	/* the device it is about, or "" */
	struct span body;		/* what is left to match */
	/* of a device line: what stands after the address, driver's own prefixes and all */
	struct span plain;
	struct klog_fields fields;	/* from the prefix: pid and process of an Xid */
};

void klog_source_find(struct span text, struct klog_source *ret);

/* Does a driver of accelerators that are no GPUs, and are judged as such, speak of its device by its address? */
bool klog_source_is_of_accelerator(const struct klog_source *source);
/*
 * Does the kernel itself list a GPU in that line? At boot, "pci 0000:65:00.0: [10de:2204] type 00 class 0x030000 …",
 * and of a card that a virtual machine has, "vfio-pci 0000:65:00.0: vgaarb: changed VGA decodes: …" or, by module
 * vendor-reset, "vfio-pci 0000:65:00.0: AMD_VEGA10: performing reset". The makers are those whose GPUs are judged: a
 * management controller has a display, too. *ret_family: its maker's, KLOG_FAMILY_PCI where that is not told;
 * *ret_words: what of the line says so.
 */
bool klog_source_lists_gpu(const struct klog_source *source, enum klog_family *ret_family, struct span *ret_words);

/* Of the driver of that name; KLOG_FAMILY_PCI where it is none of a GPU's. */
enum klog_family klog_driver_family(struct span driver);

/* Is this family a driver of GPUs, so that the device it speaks about is one? */
bool klog_family_drives_gpus(enum klog_family family);

/* Families whose lines one driver logs are one: that of NVIDIA. */
enum klog_family klog_driver_group(enum klog_family family);
