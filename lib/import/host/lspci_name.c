// SPDX-License-Identifier: GPL-2.0-or-later
/* lspci_name.c - what a function is: class, ids, names and revision, as lspci words them. */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

bool lspci_has_form(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == 'x' ? hex_digit(*text) < 0 : *form == '#' ? *text < '0' || *text > '7' : *text != *form)
			return false;
	return true;
}

static uint64_t hex(const char *text, size_t digits)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < digits; i++)
		ret = ret << 4 | (uint64_t)hex_digit(text[i]);
	return ret;
}

/* The names of classes that matter here, as pci.ids has them. */
static const struct { const char *name; uint64_t class_code; } classes[] = {
	{ "VGA compatible controller", 0x0300 }, { "XGA compatible controller", 0x0301 }, { "3D controller", 0x0302 },
	{ "Display controller", 0x0380 }, { "Processing accelerators", 0x1200 }, { "Host bridge", 0x0600 },
	{ "PCI bridge", 0x0604 }, { "Bridge", 0x0680 }, { "Non-Volatile memory controller", 0x0108 },
};

/* The names of vendors, the longer before the shorter: one name is one vendor, of which many devices have one name. */
static const struct { const char *name; const char *id; } vendors[] = {
	{ "NVIDIA Corporation", "0x10de" }, { "nVidia Corporation", "0x10de" },
	{ "Advanced Micro Devices, Inc. [AMD/ATI]", "0x1002" }, { "Advanced Micro Devices [AMD/ATI]", "0x1002" },
	{ "Advanced Micro Devices, Inc. [AMD] nee ATI", "0x1002" },
	{ "Advanced Micro Devices [AMD] nee ATI", "0x1002" },
	{ "ATI Technologies Inc", "0x1002" }, { "AMD/ATI", "0x1002" },
	{ "Advanced Micro Devices, Inc. [AMD]", "0x1022" }, { "Advanced Micro Devices [AMD]", "0x1022" },
	{ "Intel Corporation", "0x8086" }, { "Red Hat, Inc.", "0x1af4" }, { "Red Hat, Inc", "0x1af4" },
	{ "VMware", "0x15ad" }, { "InnoTek Systemberatung GmbH", "0x80ee" }, { "XenSource, Inc.", "0x5853" },
};

static void take_class(struct reading *reading, struct lspci_device *device, const char *text, size_t len)
{
	uint64_t code = 0;

	if (lspci_has_form(text, "xxxx:") || lspci_has_form(text, "xxxxxx:"))
		code = hex(text, 4);
	else if (len > 7 && lspci_has_form(text + len - 6, "[xxxx]"))
		code = hex(text + len - 5, 4);
	for (size_t i = 0; !code && i < ARRAY_SIZE(classes); i++)
		if (strlen(classes[i].name) == len && !strncmp(text, classes[i].name, len))
			code = classes[i].class_code;
	if (code)
		put(reading, device->line, device->pci.class_code,
		    val_str(arena_printf(reading->arena, "0x%04llx00", (unsigned long long)code)));
}

static void take_ids(struct reading *reading, struct lspci_device *device, const char *ids)
{
	put(reading, device->line, device->pci.vendor_id,
	    val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)hex(ids, 4))));
	put(reading, device->line, device->pci.device_id,
	    val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)hex(ids + 5, 4))));
}

/*
 * "NVIDIA Corporation Device 2330" is how an unknown device is named, with "[10de:2330]" behind "Device" where ids are.
 */
static void take_name(struct reading *reading, struct lspci_device *device, const char *name)
{
	size_t len = strlen(name);
	const char *last = len > 11 ? name + len - 11 : "";

	for (size_t i = 0; i < ARRAY_SIZE(vendors) && !is_known(device->pci.vendor_id); i++)
		if (!strncmp(name, vendors[i].name, strlen(vendors[i].name)))
			put(reading, device->line, device->pci.vendor_id, val_str(vendors[i].id));
	if (lspci_has_form(last, "Device xxxx")) {
		if (!is_known(device->pci.device_id))
			put(reading, device->line, device->pci.device_id,
			    val_str(arena_printf(reading->arena, "0x%04llx", (unsigned long long)hex(last + 7, 4))));
	} else if (len > 7 && strcmp(name + len - 7, " Device") != 0) {
		put(reading, device->line, device->pci.model, val_str(name));
	}
}

/* The last "[vvvv:dddd]" of a text, or NULL. */
static const char *last_ids(const char *text)
{
	const char *found = NULL;

	for (const char *at = text; (at = strchr(at, '[')); at++)
		if (lspci_has_form(at, "[xxxx:xxxx]"))
			found = at;
	return found;
}

/* No device has revision ff: it is what is read of one that does not answer. */
void lspci_take_revision(struct reading *reading, struct lspci_device *device, const char *digits)
{
	if (!lspci_has_form(digits, "xx"))
		return;
	if (hex(digits, 2) == 0xff) {
		device->dead_line = device->line;
		return;
	}
	put(reading, device->line, device->pci.revision,
	    val_str(arena_printf(reading->arena, "0x%02llx", (unsigned long long)hex(digits, 2))));
}

static void take_description(struct reading *reading, struct lspci_device *device, const char *text)
{
	const char *end = strstr(text, " (rev "), *interface = strstr(text, " (prog-if "), *ids;
	char *name;

	if (end && lspci_has_form(end, " (rev xx)"))
		lspci_take_revision(reading, device, end + strlen(" (rev "));
	if (!end || (interface && interface < end))
		end = interface ? interface : text + strlen(text);
	name = arena_strndup(reading->arena, text, (size_t)(end - text));
	ids = last_ids(name);
	if (ids) {
		take_ids(reading, device, ids + 1);
		name[ids - name] = '\0';
	} else if (lspci_has_form(name, "xxxx:xxxx") || lspci_has_form(name, "Device xxxx:xxxx")) {
		take_ids(reading, device, name + (*name == 'D' ? strlen("Device ") : 0));
		return;
	} else if (lspci_has_form(name, "Vendor xxxx Device xxxx")) {
		take_ids(reading, device, arena_printf(reading->arena, "%.4s:%.4s", name + 7, name + 19));
		return;
	}
	for (size_t len = strlen(name); len && name[len - 1] == ' '; len--)
		name[len - 1] = '\0';
	take_name(reading, device, name);
}

void lspci_describe(struct reading *reading, struct lspci_device *device, const char *class, const char *description)
{
	size_t len = strlen(class);

	take_class(reading, device, class, len && class[len - 1] == ':' ? len - 1 : len);
	take_description(reading, device, description);
}

uint64_t lspci_class(const struct lspci_device *device)
{
	uint64_t code;

	return parse_u64(str_or(device->pci.class_code, "0"), &code) ? 0 : code;
}

/*
 * QEMU's and Red Hat's, VMware's, VirtualBox's, Hyper-V's and Xen's; and the host bridge of 1996 that QEMU and Xen
 * still show, above which no PCI Express device ever was.
 */
const char *lspci_hypervisor(const struct lspci_device *device)
{
	static const struct { const char *vendor, *device, *name; } signs[] = {
		{ "0x1af4", NULL, "kvm" }, { "0x1b36", NULL, "kvm" }, { "0x1234", "0x1111", "kvm" },
		{ "0x15ad", NULL, "vmware" }, { "0x80ee", NULL, "virtualbox" }, { "0x1414", NULL, "hyperv" },
		{ "0x5853", NULL, "xen" }, { "0x8086", "0x1237", "vm" },
	};
	const char *model = str_or(device->pci.model, "");

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (str_is(device->pci.vendor_id, signs[i].vendor) &&
		    (!signs[i].device || str_is(device->pci.device_id, signs[i].device)))
			return signs[i].name;
	if (strstr(model, "Hyper-V"))
		return "hyperv";
	return strstr(model, "82441FX PMC [Natoma]") ? "vm" : NULL;
}
