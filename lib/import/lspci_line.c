// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_line.c - the line that names a function:
 *
 *	[DDDD:]BB:dd.f CLASS[ [cccc]]: VENDOR DEVICE[ [vvvv:dddd]][ (rev xx)][ (prog-if xx [name])]
 *	[DDDD:]BB:dd.f [Class ]cccc: [Device ]vvvv:dddd[ (rev xx)]
 *	DDDD:BB:dd.f cccccc: Vendor vvvv Device dddd (rev xx)
 *
 * The second is lspci without its list of names, the last nvidia-bug-report.sh without lspci. lspci_machine.c has the forms
 * for programs.
 */
#include "base/compat.h"
#include "import/lspci.h"

#include "base/text_scan.h"

const char *lspci_after(const char *text, const char *name)
{
	size_t len = strlen(name);

	text += strspn(text, " ");
	if (strncmp(text, name, len) != 0)
		return NULL;
	return text + len + strspn(text + len, " ");
}

/* x stands for a digit of a hexadecimal number in a form, # for one of an octal: "xx:xx.#". */
static bool has_form(const char *text, const char *form)
{
	for (; *form; form++, text++)
		if (*form == 'x' ? hex_digit(*text) < 0 : *form == '#' ? *text < '0' || *text > '7' : *text != *form)
			return false;
	return true;
}

static bool is_end(char c)
{
	return !c || c == ' ' || c == '/';
}

/* How long the address is that the text begins with, 0: it does with none. */
static size_t address_len(const char *text)
{
	static const char form[] = "xx:xx.#";
	size_t domain = strcspn(text, ": ");

	if (has_form(text, form))
		return is_end(text[strlen(form)]) ? strlen(form) : 0;
	if (domain < 4 || domain > 8 || text[domain] != ':' || !has_form(text + domain + 1, form))
		return 0;
	if (strspn(text, "0123456789abcdef") != domain || !is_end(text[domain + 1 + strlen(form)]))
		return 0;
	return domain + 1 + strlen(form);
}

/*
 * What stands before the class: the address, with lspci -PP behind those of the bridges above,
 * "0001:00:01.1/01:00.0/02:00.0", of which only the first has a domain. *ret: the address; NULL: only where it ends is
 * asked for. 0: it is none.
 */
static size_t prefix_len(struct arena *arena, const char *text, const char **ret)
{
	size_t len = address_len(text), domain = strcspn(text, ":") == 2 ? 0 : strcspn(text, ":") + 1;
	const char *at = text;

	while (len && at[len] == '/') {
		at += len + 1;
		len = address_len(at);
	}
	if (!len)
		return 0;
	if (ret)
		*ret = arena_printf(arena, "%.*s%.*s", at == text ? 0 : (int)domain, text, (int)len, at);
	return (size_t)(at - text) + len;
}

/* "0302: 10de:2330", "030200: Vendor 10de Device 2330" */
static bool is_numeric(const char *text)
{
	return has_form(text, "xxxx: xxxx:xxxx") || has_form(text, "xxxx: Device xxxx:xxxx") ||
	       has_form(text, "xxxxxx: Vendor xxxx Device xxxx");
}

/*
 * A script that many have copied lists the functions of each group: "IOMMU Group 16 2e:00.0 VGA compatible …". *ret: the
 * group's digits, or NULL.
 */
static const char *past_group(const char *text, const char **ret)
{
	static const char words[] = "IOMMU Group ";
	size_t digits;

	*ret = NULL;
	text += strspn(text, " ");
	if (strncasecmp(text, words, strlen(words)) != 0)
		return text;
	*ret = text + strlen(words);
	digits = strspn(*ret, "0123456789");
	text = *ret + digits + strspn(*ret + digits, ": ");
	if (!digits || digits > 5)
		*ret = NULL;
	return text;
}

/* "Slot:    0000:5d:00.0", and nothing behind it. */
static bool is_slot_line(const char *text)
{
	const char *address = lspci_slot_address(text);
	size_t len = address ? prefix_len(NULL, address, NULL) : 0;

	return len && !address[len];
}

bool lspci_is_device_line(const char *text)
{
	const char *class, *group;
	size_t len;

	if (is_slot_line(text))
		return true;
	text = past_group(text, &group);
	len = prefix_len(NULL, text, NULL);
	if (!len)
		return false;
	class = text + len + strspn(text + len, " ");
	if (is_numeric(class) || lspci_is_quoted(text + len))
		return true;
	return ((*class >= 'A' && *class <= 'Z') || !strncmp(class, "3D ", 3)) && strstr(class, ": ") &&
	       strcspn(class, ":") < 80;
}

/* ---- names and numbers */

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
	{ "PCI bridge", 0x0604 }, { "Bridge", 0x0680 },
};

/* The names of vendors, the longer before the shorter: one name is one vendor, of which many devices have one name. */
static const struct { const char *name; const char *id; } vendors[] = {
	{ "NVIDIA Corporation", "0x10de" }, { "nVidia Corporation", "0x10de" },
	{ "Advanced Micro Devices, Inc. [AMD/ATI]", "0x1002" }, { "Advanced Micro Devices [AMD/ATI]", "0x1002" },
	{ "Advanced Micro Devices, Inc. [AMD] nee ATI", "0x1002" }, { "Advanced Micro Devices [AMD] nee ATI", "0x1002" },
	{ "ATI Technologies Inc", "0x1002" }, { "AMD/ATI", "0x1002" },
	{ "Advanced Micro Devices, Inc. [AMD]", "0x1022" }, { "Advanced Micro Devices [AMD]", "0x1022" },
	{ "Intel Corporation", "0x8086" }, { "Red Hat, Inc.", "0x1af4" }, { "Red Hat, Inc", "0x1af4" },
	{ "VMware", "0x15ad" }, { "InnoTek Systemberatung GmbH", "0x80ee" }, { "XenSource, Inc.", "0x5853" },
};

static void take_class(struct reading *reading, struct lspci_device *device, const char *text, size_t len)
{
	uint64_t code = 0;

	if (has_form(text, "xxxx:") || has_form(text, "xxxxxx:"))
		code = hex(text, 4);
	else if (len > 7 && has_form(text + len - 6, "[xxxx]"))
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

/* "NVIDIA Corporation Device 2330" is how an unknown device is named, with "[10de:2330]" behind "Device" where ids are. */
static void take_name(struct reading *reading, struct lspci_device *device, const char *name)
{
	size_t len = strlen(name);
	const char *last = len > 11 ? name + len - 11 : "";

	for (size_t i = 0; i < ARRAY_SIZE(vendors) && !is_known(device->pci.vendor_id); i++)
		if (!strncmp(name, vendors[i].name, strlen(vendors[i].name)))
			put(reading, device->line, device->pci.vendor_id, val_str(vendors[i].id));
	if (has_form(last, "Device xxxx")) {
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
		if (has_form(at, "[xxxx:xxxx]"))
			found = at;
	return found;
}

/* No device has revision ff: it is what is read of one that does not answer. */
void lspci_take_revision(struct reading *reading, struct lspci_device *device, const char *digits)
{
	if (!has_form(digits, "xx"))
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

	if (end && has_form(end, " (rev xx)"))
		lspci_take_revision(reading, device, end + strlen(" (rev "));
	if (!end || (interface && interface < end))
		end = interface ? interface : text + strlen(text);
	name = arena_strndup(reading->arena, text, (size_t)(end - text));
	ids = last_ids(name);
	if (ids) {
		take_ids(reading, device, ids + 1);
		name[ids - name] = '\0';
	} else if (has_form(name, "xxxx:xxxx") || has_form(name, "Device xxxx:xxxx")) {
		take_ids(reading, device, name + (*name == 'D' ? strlen("Device ") : 0));
		return;
	} else if (has_form(name, "Vendor xxxx Device xxxx")) {
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

/* false: the address is none. */
static bool begin_at(struct reading *reading, struct dump_line *line, const char *address, struct lspci_device *ret)
{
	*ret = (struct lspci_device){ .part = reading->part, .line = line, .secondary_bus = -1 };
	ret->key = dump_address(reading->arena, address);
	if (ret->key && parse_pci_address(ret->key, &ret->address))
		ret->key = NULL;
	return ret->key != NULL;
}

void lspci_device_begin_at(struct reading *reading, struct dump_line *line, const char *address, struct lspci_device *ret)
{
	if (begin_at(reading, line, address, ret))
		ret->is_of_command = true;
}

void lspci_device_begin(struct reading *reading, struct dump_line *line, struct lspci_device *ret)
{
	const char *class, *colon, *group, *address = "", *text = past_group(line->text, &group);
	bool is_slot = is_slot_line(line->text);
	size_t len = is_slot ? 0 : prefix_len(reading->arena, text, &address);

	if (is_slot)
		address = lspci_slot_address(line->text);
	if (!begin_at(reading, line, address, ret))
		return;
	line->is_taken = true;
	ret->is_slot = is_slot;
	if (is_slot)
		return;
	if (lspci_is_quoted(text + len)) {
		lspci_take_quoted(reading, ret, text + len);
		return;
	}
	if (group)
		put(reading, line, ret->iommu_group,
		    val_str(arena_strndup(reading->arena, group, strspn(group, "0123456789"))));
	class = text + len + strspn(text + len, " ");
	if (!strncmp(class, "Class ", 6) && has_form(class + 6, "xxxx:"))
		class += 6;
	colon = strstr(class, ": ");
	if (!colon)
		return;
	take_class(reading, ret, class, (size_t)(colon - class));
	take_description(reading, ret, colon + 2 + strspn(colon + 2, " "));
}

/* An option that ends in s has the address as its next word, or behind it: "-s 1b:00.0", "-vvvs 1b:00.0", "-s1b:00.0". */
const char *lspci_address_of_command(const char *command)
{
	const char *at = strstr(command, "lspci "), *word, *address;
	size_t len, option;

	if (!at)
		return NULL;
	at += strlen("lspci ");
	for (word = scan_word(&at, &len); len; word = scan_word(&at, &len)) {
		if (*word == '|' || *word == ';' || *word == '&')
			return NULL;
		option = *word == '-' ? strcspn(word, "s ") : 0;
		if (!option || word[option] != 's')
			continue;
		address = word + option + 1;
		address += strspn(address, " \"'");
		return prefix_len(NULL, address, NULL) ? address : NULL;
	}
	return NULL;
}

uint64_t lspci_class(const struct lspci_device *device)
{
	uint64_t code;

	return parse_u64(str_or(device->pci.class_code, "0"), &code) ? 0 : code;
}

/*
 * QEMU's and Red Hat's, VMware's, VirtualBox's, Hyper-V's and Xen's; and the host bridge of 1996 that QEMU and Xen still
 * show, above which no PCI Express device ever was.
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
