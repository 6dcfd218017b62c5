// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/firmware.h"

#include "base/text.h"

/* What hypervisors write into the firmware tables of their guests. */
static const struct {
	const char *vendor;		/* sys_vendor begins so; NULL: any */
	const char *product;		/* product_name holds it; NULL: any */
	const char *name;
	bool sells_metal;		/* real machines bear the same words */
} makers[] = {
	{ .vendor = "QEMU", .product = NULL, .name = "kvm", .sells_metal = false },
	{ .vendor = NULL, .product = "KVM", .name = "kvm", .sells_metal = false },
	{ .vendor = "Red Hat", .product = NULL, .name = "kvm", .sells_metal = false },
	{ .vendor = "oVirt", .product = NULL, .name = "kvm", .sells_metal = false },
	{ .vendor = "OpenStack", .product = NULL, .name = "kvm", .sells_metal = false },
	{ .vendor = "Nutanix", .product = "AHV", .name = "kvm", .sells_metal = false },
	{ .vendor = "VMware", .product = NULL, .name = "vmware", .sells_metal = false },
	{ .vendor = NULL, .product = "VMware", .name = "vmware", .sells_metal = false },
	{ .vendor = "Microsoft Corporation", .product = "Virtual Machine", .name = "hyperv", .sells_metal = false },
	{ .vendor = "Xen", .product = NULL, .name = "xen", .sells_metal = false },
	{ .vendor = "innotek GmbH", .product = NULL, .name = "virtualbox", .sells_metal = false },
	{ .vendor = "Parallels", .product = NULL, .name = "parallels", .sells_metal = false },
	{ .vendor = "BHYVE", .product = NULL, .name = "bhyve", .sells_metal = false },
	{ .vendor = "Apple", .product = "Apple Virtualization", .name = "apple", .sells_metal = false },
	{ .vendor = "Amazon EC2", .product = NULL, .name = "amazon", .sells_metal = true },
	{ .vendor = "Google", .product = "Google Compute Engine", .name = "google", .sells_metal = true },
	{ .vendor = "Alibaba Cloud", .product = NULL, .name = "alibaba", .sells_metal = true },
};

const char *firmware_hypervisor(const char *maker, const char *product, bool *ret_sells_metal)
{
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		const char *start = makers[i].vendor, *part = makers[i].product;

		if ((start && strncmp(maker, start, strlen(start)) != 0) || (part && !strstr(product, part)))
			continue;
		*ret_sells_metal = makers[i].sells_metal;
		return makers[i].name;
	}
	*ret_sells_metal = false;
	return NULL;
}

bool firmware_is_placeholder(const char *text)
{
	static const char *const placeholders[] = {
		"0", "00000000", "0123456789", "1234567890", "Default string", "INVALID", "N/A", "None",
		"Not Applicable", "Not Specified", "O.E.M.", "OEM", "System Product Name", "System Serial Number",
		"To Be Filled By O.E.M.", "To be filled by O.E.M.", "XXXXXXXX", "empty",
	};

	return text_is_any(text, placeholders, ARRAY_SIZE(placeholders));
}
