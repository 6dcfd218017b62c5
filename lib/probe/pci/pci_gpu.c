// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci/pci_gpu.h"

#include "base/text.h"
#include "format/smbios.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

#define DMI_TABLE "/sys/firmware/dmi/tables/DMI"

enum { NR_BARS = 6, RESOURCE_IS_MEMORY = 0x200 };	/* IORESOURCE_MEM of include/linux/ioport.h */

/* One line, "start end flags" in hexadecimal. False where it is none. */
static bool parse_resource(const char *line, uint64_t ret[3])
{
	for (int i = 0; i < 3; i++) {
		size_t len = strcspn(line, " \n");
		char word[24];

		if (!len || len >= sizeof(word))
			return false;
		memcpy(word, line, len);
		word[len] = '\0';
		if (parse_u64(word, &ret[i]))
			return false;
		line += len + strspn(line + len, " ");
	}
	return true;
}

uint64_t pci_largest_bar(const char *resource, unsigned *ret_number)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < NR_BARS && *resource; i++) {
		size_t len = strcspn(resource, "\n");
		uint64_t parts[3];

		if (parse_resource(resource, parts) && parts[2] & RESOURCE_IS_MEMORY && parts[1] > parts[0] &&
		    parts[1] - parts[0] < UINT64_MAX && parts[1] - parts[0] + 1 > largest) {
			largest = parts[1] - parts[0] + 1;
			*ret_number = i;
		}
		resource += len + (resource[len] == '\n');
	}
	return largest;
}

/* Bit n of the mask stands for 1 MiB doubled n times. It is written without 0x. */
static struct val_u64 largest_of_mask(struct arena *arena, struct val_str mask)
{
	const char *text = str_or(mask, "");
	uint64_t bits;

	if (!is_known(mask))
		return no_u64(mask.state, mask.why);
	if (parse_u64(strncmp(text, "0x", 2) ? arena_printf(arena, "0x%s", text) : text, &bits) || !bits ||
	    bits >> 44)
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", text));
	return val_u64((UINT64_C(1) << 20) << (63 - __builtin_clzll(bits)));
}

static void read_bar(struct probe_env *env, struct sink *sink, struct arena *arena, const char *address,
		     enum val_state asleep_state, const char *asleep, struct gpu *ret)
{
	struct val_str resource = read_str(env, arena, PCI_DEVICES "/%s/resource", address);
	uint64_t bytes = 0;
	unsigned number = 0;

	if (is_known(resource))
		bytes = pci_largest_bar(str_or(resource, ""), &number);
	if (!bytes) {
		ret->bar_bytes = is_known(resource) ? no_u64(VAL_ABSENT, "no memory BAR is assigned") :
						      no_u64(resource.state, resource.why);
		ret->bar_able_bytes = ret->bar_bytes;
		return;
	}
	ret->bar_bytes = val_u64(bytes);
	if (asleep) {
		ret->bar_able_bytes = no_u64(asleep_state, asleep);
		return;
	}
	sink_step(sink, arena_printf(arena, "read resource%u_resize of %s", number, address));
	ret->bar_able_bytes = largest_of_mask(
		arena, read_str(env, arena, PCI_DEVICES "/%s/resource%u_resize", address, number));
}

void pci_gpu_read(struct probe_env *env, struct sink *sink, struct arena *arena, const char *address,
		  enum val_state asleep_state, const char *asleep, struct gpu *ret)
{
	ret->iommu_group = read_link_name(env, arena, PCI_DEVICES "/%s/iommu_group", address);
	ret->iommu_type = read_str(env, arena, PCI_DEVICES "/%s/iommu_group/type", address);
	ret->virtual_functions = read_u64(env, arena, PCI_DEVICES "/%s/sriov_numvfs", address);
	read_bar(env, sink, arena, address, asleep_state, asleep, ret);
}

void pci_gpu_set_unknown(struct gpu *ret, enum val_state state, const char *why)
{
	ret->iommu_group = ret->iommu_type = no_str(state, why);
	ret->virtual_functions = ret->bar_bytes = ret->bar_able_bytes = no_u64(state, why);
}

/* Of the GPU's own place first, then of what it is on; a card's slot is named at the card's switch. */
static struct val_str firmware_label(struct probe_env *env, struct arena *arena, const char *const *chain, size_t nr)
{
	STRBUF_AUTO table = STRBUF_INIT;
	int error = root_read(env->root, &table, DMI_TABLE);

	if (error)
		return no_str(state_of_errno(error), name_of_errno(error));
	for (size_t i = 0; i < nr; i++) {
		struct pci_address address;
		STRBUF_AUTO label = STRBUF_INIT;
		STRBUF_AUTO clean = STRBUF_INIT;

		if (parse_pci_address(chain[i], &address) ||
		    !smbios_slot_label((const unsigned char *)table.buf, table.len, &address, &label))
			continue;
		utf8_clean(&clean, label.buf, label.len);
		return val_str(arena_strdup(arena, clean.buf));
	}
	return no_str(VAL_ABSENT, "the firmware names no slot there");
}

void pci_gpu_read_slot(struct probe_env *env, struct sink *sink, struct arena *arena, const char *const *chain,
		       size_t nr, struct gpu *ret)
{
	sink_step(sink, "read " DMI_TABLE);
	ret->smbios_slot = firmware_label(env, arena, chain, nr);
	sink_step(sink, "read the addresses in " PCI_SLOTS);
	/* The root port belongs to the board: a slot at its own place is not the card's. */
	ret->slot = pci_slot_label(env, arena, chain, nr > 1 ? nr - 1 : nr);
}
