// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_words.c - what lspci -v and -k print below a function, but for its link. Of a line that comes twice the first
 * counts: where a paste was searched for some words, those of other functions follow.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

typedef void take_fn(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest);

/* The number behind some words, "NUMA node: 0"; false: there is none. */
static bool number_behind(const char *text, const char *words, uint64_t *ret)
{
	const char *at = strstr(text, words);
	bool fits = true;

	if (!at)
		return false;
	at += strlen(words);
	at += strspn(at, " ");
	return scan_u64(&at, 10, ret, &fits) && fits && (!*at || *at == ',' || *at == ' ');
}

static void put_numa(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *text,
		     const char *words)
{
	uint64_t node;

	if (!is_known(device->pci.numa_node) && number_behind(text, words, &node))
		put(reading, line, device->pci.numa_node, val_u64(node));
}

static void put_group(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *text,
		      const char *words)
{
	uint64_t group;

	if (!is_known(device->iommu_group) && number_behind(text, words, &group))
		put(reading, line, device->iommu_group,
		    val_str(arena_printf(reading->arena, "%llu", (unsigned long long)group)));
}

static void take_numa(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	put_numa(reading, device, line, rest, "");
}

static void take_group(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	put_group(reading, device, line, rest, "");
}

/* Of a function that does not answer lspci says so instead. */
static void put_answers(struct reading *reading, struct lspci_device *device, struct dump_line *line)
{
	if (!device->dead_line && !is_known(device->pci.config_all_ones))
		put(reading, line, device->pci.config_all_ones, val_bool(false));
}

/* "bus master, fast devsel, latency 0, IRQ 98, NUMA node 0, IOMMU group 12", of -v alone */
static void take_flags(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	put_answers(reading, device, line);
	put_numa(reading, device, line, rest, "NUMA node");
	put_group(reading, device, line, rest, "IOMMU group");
}

static void take_driver(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	if (*rest && !is_known(device->pci.driver) && !device->modules_line)
		put(reading, line, device->pci.driver, val_str(arena_strdup(reading->arena, rest)));
}

static void take_modules(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	(void)reading;
	if (device->modules_line)
		device->is_mixed = true;
	else if (*rest)
		device->modules_line = line;
}

/* Of -vmm, where each has a line of its own. */
static void take_module(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	(void)reading;
	if (*rest && !device->modules_line)
		device->modules_line = line;
}

static void take_slot(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	if (*rest && !is_known(device->slot))
		put(reading, line, device->slot, val_str(arena_strdup(reading->arena, rest)));
}

/* "NVIDIA Corporation Device [10de:16c1]", "10de:16c1" */
static void take_subsystem(struct reading *reading, struct lspci_device *device, struct dump_line *line,
			   const char *rest)
{
	size_t len = strlen(rest);
	const char *ids = len > 11 && rest[len - 1] == ']' && rest[len - 11] == '[' ? rest + len - 10 : rest;

	if (is_known(device->pci.subsystem_id) || strspn(ids, "0123456789abcdef") != 4 || ids[4] != ':' ||
	    strspn(ids + 5, "0123456789abcdef") != 4 || (ids[9] && ids[9] != ']'))
		return;
	put(reading, line, device->pci.subsystem_id,
	    val_str(arena_printf(reading->arena, "0x%.4s:0x%.4s", ids, ids + 5)));
}

/* "primary=00, secondary=5d, subordinate=60, sec-latency=0" */
static void take_bus(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	static const char words[] = "secondary=";
	const char *at = strstr(rest, words);

	(void)reading;
	(void)line;
	if (!at || device->secondary_bus >= 0)
		return;
	at += strlen(words);
	if (hex_digit(at[0]) >= 0 && hex_digit(at[1]) >= 0 && hex_digit(at[2]) < 0)
		device->secondary_bus = hex_digit(at[0]) << 4 | hex_digit(at[1]);
}

/* ---- sizes of memory */

/* "16M", "128G", "256MB"; 0: it is none. */
static uint64_t size_of(const char **at)
{
	static const char letters[] = "KMGT";
	bool fits = true;
	const char *letter;
	uint64_t bytes;

	if (!scan_u64(at, 10, &bytes, &fits) || !fits || bytes >> 20)
		return 0;
	letter = **at ? strchr(letters, **at) : NULL;
	if (!letter)
		return bytes;
	++*at;
	scan_char(at, 'B');
	return bytes << 10 * (letter - letters + 1);
}

/* One of 64 bits takes two numbers: where one is left out, a line may be missing. */
static void count_region(struct lspci_device *device, const char *text, const char *rest)
{
	int number = *rest - '0';

	if (!scan_behind(text, "Region ") || !is_digit(*rest))
		return;
	if (number != device->next_region)
		device->lacks_region = true;
	device->next_region = number + (strstr(rest, "(64-bit") ? 2 : 1);
}

/*
 * "Region 1: Memory at 380000000000 (64-bit, prefetchable) [size=128G]"; with -v alone it begins with "Memory at". Of
 * one whose size a terminal's width broke off nobody knows whether it is the largest.
 */
static void take_region(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	const char *size = strstr(rest, "[size=");
	uint64_t bytes = 0;

	count_region(device, line->text, rest);
	if (!strstr(line->text, "Memory at ") || strstr(rest, "<unassigned>") || strstr(rest, "<ignored>"))
		return;
	if (size) {
		size += strlen("[size=");
		bytes = size_of(&size);
	}
	if (!bytes || *size != ']')
		device->lacks_region = true;
	else if (bytes > u64_or(device->bar_seen_bytes, 0))
		put(reading, line, device->bar_seen_bytes, val_u64(bytes));
}

/* What stands behind the regions is there, so they were all shown. */
static void end_regions(struct lspci_device *device)
{
	if (!device->lacks_region && device->bar_bytes.state == VAL_UNSET)
		device->bar_bytes = device->bar_seen_bytes;
}

/* "BAR 1: current size: 256MB, supported: 256MB 512MB 1GB 2GB": of the BAR that is the largest by now. */
static void take_resizable(struct reading *reading, struct lspci_device *device, struct dump_line *line)
{
	const char *now = strstr(line->text, "current size: "), *able = strstr(line->text, "supported: ");
	uint64_t bytes, most = 0;

	if (!now || !able)
		return;
	now += strlen("current size: ");
	bytes = size_of(&now);
	if (*now != ',' || !bytes || bytes != u64_or(device->bar_bytes, bytes))
		return;
	able += strlen("supported: ");
	while (*able) {
		uint64_t size = size_of(&able);

		if (!size || (*able && *able != ' '))
			return;
		most = size > most ? size : most;
		able += strspn(able, " ");
	}
	if (most >= bytes)
		put(reading, line, device->bar_able_bytes, val_u64(most));
}

/* ---- capabilities */

/* Who is not root sees no capability, and so nothing of the link. */
static void take_denied(struct reading *reading, struct lspci_device *device, struct dump_line *line)
{
	static const char why[] = "lspci without root: capabilities <access denied>";
	struct pci_function denied = { .link_width = { .state = VAL_UNSET } };

	put(reading, line, denied.link_width, no_u64(VAL_DENIED, why));
	denied.link_width_able = denied.link_speed_mtps = denied.link_speed_able_mtps = denied.link_width;
	denied.max_payload_bytes = denied.max_payload_able_bytes = denied.max_read_request_bytes = denied.link_width;
	put(reading, line, denied.port_type, no_str(VAL_DENIED, why));
	denied.aspm = denied.port_type;
	lspci_put_over(&device->pci, &denied);
}

/* "Express (v2) Root Port (Slot+), MSI 00" */
static void take_express(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *kind)
{
	static const struct { const char *words, *type; } types[] = {
		{ "Endpoint", "endpoint" }, { "Legacy Endpoint", "legacy-endpoint" }, { "Root Port", "root-port" },
		{ "Upstream Port", "upstream-port" }, { "Downstream Port", "downstream-port" },
		{ "PCI-Express to PCI", "pcie-to-pci-bridge" }, { "PCI/PCI-X to PCI-Express", "pci-to-pcie-bridge" },
		{ "Root Complex Integrated Endpoint", "root-complex-endpoint" },
		{ "Root Complex Event Collector", "root-complex-event-collector" },
	};

	if (*kind == '(')
		kind += strcspn(kind, ")") + 1;
	kind += strspn(kind, " ");
	for (size_t i = 0; i < ARRAY_SIZE(types) && !is_known(device->pci.port_type); i++)
		if (!strncmp(kind, types[i].words, strlen(types[i].words)))
			put(reading, line, device->pci.port_type, val_str(types[i].type));
}

/* "[78] Express (v2) Endpoint, MSI 00", "[bb0 v1] Physical Resizable BAR", "<access denied>" */
static void take_capability(struct reading *reading, struct lspci_device *device, struct dump_line *line,
			    const char *rest)
{
	const char *name = strstr(rest, "] ");

	device->below = LSPCI_NOWHERE;
	end_regions(device);
	if (!strncmp(rest, "<access denied>", strlen("<access denied>"))) {
		take_denied(reading, device, line);
		return;
	}
	if (*rest != '[' || !name)
		return;
	name += strlen("] ");
	if (!strncmp(name, "Express ", strlen("Express ")))
		take_express(reading, device, line, name + strlen("Express "));
	else if (!strncmp(name, "Physical Resizable BAR", strlen("Physical Resizable BAR")))
		device->below = LSPCI_REBAR;
}

/* ---- */

static void take_dead(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	(void)reading;
	if (!strncmp(rest, "7f", 2))
		device->dead_line = line;
}

static void take_control(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	(void)rest;
	put_answers(reading, device, line);
}

static void take_nothing(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *rest)
{
	(void)reading;
	(void)device;
	(void)line;
	(void)rest;
}

static const struct { const char *name; take_fn *take; } words[] = {
	{ "Kernel driver in use:", take_driver }, { "Kernel modules:", take_modules }, { "NUMA node:", take_numa },
	{ "IOMMU group:", take_group }, { "Flags:", take_flags }, { "Physical Slot:", take_slot },
	{ "Subsystem:", take_subsystem }, { "Bus:", take_bus }, { "Region ", take_region },
	{ "Memory at ", take_region },
	{ "Capabilities:", take_capability }, { "!!! Unknown header type", take_dead },
	{ "Control:", take_control }, { "Status:", take_nothing }, { "Latency:", take_nothing },
	{ "Interrupt:", take_nothing }, { "DeviceName:", take_nothing },
	/* -vmm */
	{ "Driver:", take_driver }, { "Module:", take_module }, { "NUMANode:", take_numa },
	{ "IOMMUGroup:", take_group },
	{ "PhySlot:", take_slot }, { "SVendor:", take_nothing }, { "SDevice:", take_nothing },
	{ "ProgIf:", take_nothing },
};

void lspci_take_words(struct reading *reading, struct lspci_device *device, struct dump_line *line, const char *next)
{
	const char *rest;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		rest = scan_behind(line->text, words[i].name);
		if (!rest)
			continue;
		if (words[i].take != take_modules && words[i].take != take_module && words[i].take != take_driver)
			device->has_body = true;
		words[i].take(reading, device, line, rest);
		line->is_taken = true;
		return;
	}
	if (lspci_take_link(reading, device, line, next))
		return;
	if (device->below == LSPCI_REBAR && scan_behind(line->text, "BAR "))
		take_resizable(reading, device, line);
	/* What is indented is of this function; of which most is in no field. */
	line->is_taken |= *line->text == ' ';
}
