// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_gpus.c - which functions of a listing are GPUs, the bridges above them, and what the listing tells of the node.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

enum { MAX_DEPTH = 32 };

/*
 * As the live probe has them: displays and processing accelerators, of the makers whose GPUs are judged. On its root
 * bus Intel's processors have accelerators that are none.
 */
bool lspci_is_gpu(const struct lspci_device *device)
{
	static const char *const makers[] = { "0x10de", "0x1002", "0x8086" };
	uint64_t code = lspci_class(device);
	bool is_accelerator = code >> 8 == 0x1200;

	if (!text_is_any(str_or(device->pci.vendor_id, ""), makers, ARRAY_SIZE(makers)))
		return false;
	if (is_accelerator && str_is(device->pci.vendor_id, "0x8086") && !device->address.bus)
		return false;
	return code >> 16 == 0x03 || is_accelerator;
}

/* What only a command names: whether it is a GPU, its driver tells, or another dump has to. */
static bool may_be_gpu(const struct lspci_device *device)
{
	static const char *const drivers[] = { "nvidia", "nouveau", "amdgpu", "radeon", "i915", "xe" };

	return device->is_of_command && !lspci_class(device) && !is_known(device->pci.vendor_id) &&
	       (!is_known(device->pci.driver) ||
		text_is_any(str_or(device->pci.driver, ""), drivers, ARRAY_SIZE(drivers)));
}

/* ---- the way up */

static const struct lspci_device *bridge_to(const struct lspci_listing *listing, const struct pci_address *address)
{
	for (size_t i = 0; i < listing->nr_all; i++) {
		const struct lspci_device *device = &listing->devices[i];

		if (device->secondary_bus == address->bus && device->address.domain == address->domain &&
		    device->address.bus != address->bus)
			return device;
	}
	return NULL;
}

static bool has_host_bridge(const struct lspci_listing *listing, const struct pci_address *address)
{
	for (size_t i = 0; i < listing->nr_all; i++)
		if (lspci_class(&listing->devices[i]) >> 8 == 0x0600 &&
		    listing->devices[i].address.bus == address->bus &&
		    listing->devices[i].address.domain == address->domain)
			return true;
	return false;
}

/* Is there nothing above it? Otherwise the bridge was left out of the paste. */
static bool is_at_root(const struct lspci_listing *listing, const struct lspci_device *top)
{
	return !top->address.bus || str_is(top->pci.port_type, "root-port") || has_host_bridge(listing, &top->address);
}

static void put_hops(struct reading *reading, const struct lspci_listing *listing, const struct lspci_device *device,
		     struct gpu *gpu)
{
	const struct lspci_device *at = device, *above;
	size_t nr = 0;

	for (; nr < MAX_DEPTH && (above = bridge_to(listing, &at->address)); at = above) {
		struct hop *hop =
			list_element(reading->arena, gpu, hops, hop, arena_printf(reading->arena, "%zu", nr++));

		hop->address = val_str(above->key);
		hop->address.from = value_from(above->part->number, above->line->number);
		hop->pci = above->pci;
		/* The root port belongs to the board: a slot at its own place is not the card's. */
		if (gpu->slot.state == VAL_UNSET && bridge_to(listing, &above->address))
			gpu->slot = above->slot;
	}
	if (nr < MAX_DEPTH && is_at_root(listing, at))
		put(reading, device->line, gpu->bridges, val_u64(nr));
}

/* ---- GPUs */

/* A port has one device below it, whose functions beyond the first, where they are of its kind, are virtual ones. */
static const struct lspci_device *physical_function(const struct lspci_listing *listing,
						    const struct lspci_device *device)
{
	for (size_t i = 0; i < listing->nr; i++) {
		const struct lspci_device *other = &listing->devices[i];

		if (other->address.domain == device->address.domain && other->address.bus == device->address.bus &&
		    !other->address.device && !other->address.function && other != device && lspci_is_gpu(other) &&
		    device->address.bus &&
		    str_is(other->pci.vendor_id, str_or(device->pci.vendor_id, "?")))
			return other;
	}
	return NULL;
}

/* Another GPU shows the picture meanwhile: that of the processor, in a laptop. */
static bool has_other_display(const struct lspci_listing *listing, const struct lspci_device *device,
			      bool of_other_maker)
{
	for (size_t i = 0; i < listing->nr; i++) {
		const struct lspci_device *other = &listing->devices[i];

		if (other != device && lspci_is_gpu(other) && !other->dead_line &&
		    (!of_other_maker || !str_is(other->pci.vendor_id, str_or(device->pci.vendor_id, "?"))))
			return true;
	}
	return false;
}

/*
 * "GM108M [GeForce 940MX]", "Sun XT [Radeon HD 8670A/8670M/8690M]", "[Radeon R7 M260]", "[Radeon RX 6700S / 6800S]": an
 * M at one end of a number, or an S behind it.
 */
static bool is_of_laptop(const struct lspci_device *device)
{
	const char *name = str_or(device->pci.model, "");
	bool is_radeon = strstr(name, "Radeon");

	if (strstr(name, "Mobile") || strstr(name, "Max-Q") || strstr(name, "GeForce MX") ||
	    strstr(name, "Laptop") || strstr(name, "GLM "))
		return true;
	for (const char *at = name; *at; at++) {
		bool begins = at > name && strchr(" /", at[-1]), ends = !at[1] || strchr(" ]/", at[1]);

		if (ends && at > name && is_digit(at[-1]) && (*at == 'M' || (is_radeon && *at == 'S')))
			return true;
		if (begins && is_radeon && *at == 'M' && is_digit(at[1]))
			return true;
	}
	return false;
}

/* Programs that run something on a laptop's second GPU, which is off otherwise; its first one, as Mesa names it. */
static bool names_optimus(const struct dump_parts *parts)
{
	static const char *const words[] = { "optirun", "bbswitch", "umblebee", "primusrun", "prime-run",
					     "prime-select", "switcheroo", "bridge Mobile", "Haswell Mobile" };

	for (size_t i = 0; parts && i < parts->nr; i++) {
		if (parts->v[i].about && text_has_any(parts->v[i].about, words, ARRAY_SIZE(words)))
			return true;
		for (size_t k = 0; k < parts->v[i].nr_lines; k++)
			if (text_has_any(parts->v[i].lines[k].text, words, ARRAY_SIZE(words)))
				return true;
	}
	return false;
}

/*
 * A laptop's second GPU that was switched off reads as all ones, too (bbswitch, vga_switcheroo). Those are switched off
 * that nothing drives, or a driver of the kernel's own that does so by itself; what drives it may not be told. A
 * workstation has a picture from its processor, too: what counts is the name, where there is one.
 */
static bool is_switched_off(const struct reading *reading, const struct lspci_listing *listing,
			    const struct lspci_device *device)
{
	const struct val_str *driver = &device->pci.driver;
	bool of_laptop = is_of_laptop(device), has_name = is_known(device->pci.model);
	bool may_be = has_name ? of_laptop : has_other_display(listing, device, true);

	if (!bool_or(device->pci.config_all_ones, false))
		return false;
	may_be = may_be || names_optimus(reading->parts);
	if (driver->state == VAL_UNSET)
		return may_be;
	if (str_is(*driver, "amdgpu"))
		return of_laptop && has_other_display(listing, device, false);
	return may_be &&
	       (driver->state == VAL_ABSENT || str_is(*driver, "nouveau") || str_is(*driver, "radeon"));
}

/* Part of a processor, by its name. Intel's DG1 is a card. */
static bool is_integrated(const struct lspci_device *device)
{
	static const char *const of_amd[] = {
		"Raphael", "Cezanne", "Renoir", "Rembrandt", "Phoenix", "Granite Ridge", "Picasso", "Lucienne",
		"Barcelo", "Mendocino", "Raven", "Strix", "Vega Series",
	};
	static const char *const of_intel[] = { "HD Graphics", "Iris" };
	const char *name = str_or(device->pci.model, "");

	if (str_is(device->pci.vendor_id, "0x1002"))
		return text_has_any(name, of_amd, ARRAY_SIZE(of_amd));
	return str_is(device->pci.vendor_id, "0x8086") && text_has_any(name, of_intel, ARRAY_SIZE(of_intel)) &&
	       !strstr(name, "DG1");
}

/* The processor's own picture is left without a driver where a card beside it has one and is the one that is used. */
static bool is_unused(const struct lspci_listing *listing, const struct lspci_device *device)
{
	if (device->pci.driver.state != VAL_ABSENT || !is_integrated(device))
		return false;
	for (size_t i = 0; i < listing->nr; i++) {
		const struct lspci_device *other = &listing->devices[i];

		if (lspci_is_gpu(other) && is_known(other->pci.driver) && !is_integrated(other))
			return true;
	}
	return false;
}

static void put_gpu(struct reading *reading, const struct lspci_listing *listing, const struct lspci_device *device)
{
	static const char off[] = "reads as all ones: switched off";
	struct gpu *gpu = lspci_is_nameless(device)
				  ? list_element(reading->arena, reading->snapshot, gpus, gpu, device->key)
				  : reading_gpu(reading, device->key);
	const struct lspci_device *physical = physical_function(listing, device);

	if (!gpu)
		return;
	gpu->pci = device->pci;
	gpu->slot = device->slot;
	gpu->iommu_group = device->iommu_group;
	gpu->bar_bytes = device->bar_bytes;
	gpu->bar_able_bytes = device->bar_able_bytes;
	if (physical)
		put(reading, device->line, gpu->pci.physical_function, val_str(physical->key));
	if (is_switched_off(reading, listing, device)) {
		put(reading, device->line, gpu->pci.config_all_ones, no_bool(VAL_ASLEEP, off));
		put(reading, device->line, gpu->pci.link_width, no_u64(VAL_ASLEEP, off));
		gpu->pci.driver = no_str(VAL_UNSET, NULL);
	}
	if (is_unused(listing, device))
		gpu->pci.driver = no_str(VAL_UNSET, NULL);
	put_hops(reading, listing, device, gpu);
}

/* ---- the node */

/*
 * Is every function of the machine listed? Where lspci was run without a filter, and its first lines are there: they
 * are of the host bridge. What is pasted without its command may be any part of it.
 */
static bool is_whole(const struct dump_part *part, const struct lspci_listing *listing)
{
	const char *command = part->about ? strstr(part->about, "lspci") : NULL;
	const struct pci_address *first = listing->nr ? &listing->devices[0].address : NULL;

	if (!command || part->is_cut || !first || first->bus || first->device || first->function)
		return false;
	if (strchr(command, '|') || strstr(command, " -s") || strstr(command, " -d"))
		return false;
	for (size_t i = 0; i < part->nr_lines; i++)
		if (*part->lines[i].text && !part->lines[i].is_taken)
			return false;
	return true;
}

/* An NVSwitch is a bridge device of NVIDIA; those of its nForce chipsets have ids below 0x1000. */
static bool is_nvswitch(const struct lspci_device *device)
{
	uint64_t id;

	return lspci_class(device) >> 8 == 0x0680 && str_is(device->pci.vendor_id, "0x10de") &&
	       !parse_u64(str_or(device->pci.device_id, "0"), &id) && id >= 0x1000;
}

static void put_counts(struct reading *reading, const struct lspci_listing *listing)
{
	struct bus *bus = &reading->snapshot->bus;
	uint64_t gpus = 0, nvswitches = 0;

	for (size_t i = 0; i < listing->nr; i++) {
		gpus += lspci_is_gpu(&listing->devices[i]) ? 1 : 0;
		nvswitches += is_nvswitch(&listing->devices[i]) ? 1 : 0;
	}
	put(reading, listing->devices[0].line, bus->functions, val_u64(listing->nr));
	put(reading, listing->devices[0].line, bus->gpus, val_u64(gpus));
	put(reading, listing->devices[0].line, bus->nvswitches, val_u64(nvswitches));
}

void lspci_put_gpus(struct reading *reading, const struct lspci_listing *listing)
{
	struct host *host = &reading->snapshot->host;

	for (size_t i = 0; i < listing->nr; i++) {
		const struct lspci_device *device = &listing->devices[i];
		const char *hypervisor = lspci_hypervisor(device);

		if (lspci_is_gpu(device) || may_be_gpu(device))
			put_gpu(reading, listing, device);
		if (hypervisor && (!is_known(host->virtualisation) || str_is(host->virtualisation, "vm")))
			put(reading, device->line, host->virtualisation, val_str(hypervisor));
	}
	if (is_whole(reading->part, listing))
		put_counts(reading, listing);
}
