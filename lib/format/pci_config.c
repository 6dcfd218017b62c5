// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/pci_config.h"

#include <pci/header.h>

#include "base/text.h"

/* Capabilities are four bytes at least and lie behind the header: no list is longer. */
enum { MAX_CAPABILITIES = (PCI_CONFIG_BYTES - PCI_CONFIG_HEADER_BYTES) / 4 };

/* Of the header type: its highest bit says that the device has several functions. */
enum { HEADER_TYPE = 0x7f };

/* PCI Express Capabilities Register, bits 7:4. */
static const char *const port_types[16] = {
	[PCI_EXP_TYPE_ENDPOINT] = "endpoint",
	[PCI_EXP_TYPE_LEG_END] = "legacy-endpoint",
	[PCI_EXP_TYPE_ROOT_PORT] = "root-port",
	[PCI_EXP_TYPE_UPSTREAM] = "upstream-port",
	[PCI_EXP_TYPE_DOWNSTREAM] = "downstream-port",
	[PCI_EXP_TYPE_PCI_BRIDGE] = "pcie-to-pci-bridge",
	[PCI_EXP_TYPE_PCIE_BRIDGE] = "pci-to-pcie-bridge",
	[PCI_EXP_TYPE_ROOT_INT_EP] = "root-complex-endpoint",
	[PCI_EXP_TYPE_ROOT_EC] = "root-complex-event-collector",
};

static bool is_all_ones(const unsigned char *config)
{
	for (size_t i = 0; i < PCI_CONFIG_HEADER_BYTES; i++) {
		if (config[i] != 0xff)
			return false;
	}
	return true;
}

struct val_bool pci_config_all_ones(const unsigned char *config, size_t len)
{
	if (len < PCI_CONFIG_HEADER_BYTES)
		return no_bool(VAL_ERROR, "less than 64 bytes of configuration space");
	return val_bool(is_all_ones(config));
}

/* Where the capability of that id begins; 0: there is none, or the list leads nowhere. */
static size_t find_capability(const unsigned char *config, size_t len, unsigned char id)
{
	size_t at = config[PCI_CAPABILITY_LIST] & ~3u;

	if (!(config[PCI_STATUS] & PCI_STATUS_CAP_LIST))
		return 0;
	for (int i = 0; i < MAX_CAPABILITIES; i++) {
		if (at < PCI_CONFIG_HEADER_BYTES || at + 4 > len)
			return 0;
		if (config[at + PCI_CAP_LIST_ID] == id)
			return at;
		at = config[at + PCI_CAP_LIST_NEXT] & ~3u;
	}
	return 0;
}

/* Why so many bytes of the PCI Express capability cannot be had; VAL_OK: *ret_at is where it begins. */
static struct val_head find_express(const unsigned char *config, size_t len, size_t bytes, size_t *ret_at)
{
	if (len < PCI_CONFIG_HEADER_BYTES)
		return (struct val_head){ .state = VAL_ERROR, .why = "less than 64 bytes of configuration space" };
	if (is_all_ones(config))
		return (struct val_head){ .state = VAL_LOST, .why = "configuration space reads as all ones" };
	if (len < PCI_CONFIG_BYTES)
		return (struct val_head){ .state = VAL_DENIED, .why = "needs root: 64 bytes of configuration space" };
	*ret_at = find_capability(config, len, PCI_CAP_ID_EXP);
	if (!*ret_at)
		return (struct val_head){ .state = VAL_ABSENT, .why = "no PCI Express capability" };
	if (*ret_at + bytes > len)
		return (struct val_head){ .state = VAL_ERROR,
					  .why = "the PCI Express capability leads out of configuration space" };
	return (struct val_head){ .state = VAL_OK };
}

static unsigned word_at(const unsigned char *config, size_t at)
{
	return config[at] | (unsigned)config[at + 1] << 8;
}

/* Sizes are 128 bytes, doubled code times; codes above 5 are reserved. */
static struct val_u64 size_of_code(struct arena *arena, unsigned code)
{
	if (code > 5)
		return no_u64(VAL_ERROR, arena_printf(arena, "reads code %u", code));
	return val_u64(UINT64_C(128) << code);
}

/* A function without a link of its own has no Link Control. */
static bool has_link(unsigned type)
{
	return type != PCI_EXP_TYPE_ROOT_INT_EP && type != PCI_EXP_TYPE_ROOT_EC;
}

void pci_config_no_settings(struct pci_function *ret, enum val_state state, const char *why)
{
	ret->max_payload_bytes = ret->max_payload_able_bytes = ret->max_read_request_bytes = no_u64(state, why);
	ret->aspm = no_str(state, why);
}

void pci_config_settings(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret)
{
	static const char *const aspm[] = { "off", "L0s", "L1", "L0s+L1" };
	struct val_head found;
	unsigned control;
	size_t at;

	found = find_express(config, len, PCI_EXP_LNKCTL + 2, &at);
	if (found.state != VAL_OK) {
		pci_config_no_settings(ret, found.state, found.why);
		return;
	}
	control = word_at(config, at + PCI_EXP_DEVCTL);
	ret->max_payload_able_bytes = size_of_code(arena, config[at + PCI_EXP_DEVCAP] & PCI_EXP_DEVCAP_PAYLOAD);
	ret->max_payload_bytes = size_of_code(arena, (control & PCI_EXP_DEVCTL_PAYLOAD) >> 5);
	ret->max_read_request_bytes = size_of_code(arena, (control & PCI_EXP_DEVCTL_READRQ) >> 12);
	ret->aspm = no_str(VAL_ABSENT, "no link of its own");
	if (has_link((config[at + PCI_EXP_FLAGS] & PCI_EXP_FLAGS_TYPE) >> 4))
		ret->aspm = val_str(aspm[config[at + PCI_EXP_LNKCTL] & PCI_EXP_LNKCTL_ASPM]);
}

void pci_config_identity(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret)
{
	if (len < PCI_CONFIG_HEADER_BYTES || is_all_ones(config))
		return;
	/* A virtual function has none of its own. */
	if (word_at(config, PCI_VENDOR_ID) != 0xffff) {
		ret->vendor_id = val_str(arena_printf(arena, "0x%04x", word_at(config, PCI_VENDOR_ID)));
		ret->device_id = val_str(arena_printf(arena, "0x%04x", word_at(config, PCI_DEVICE_ID)));
	}
	ret->class_code = val_str(arena_printf(arena, "0x%04x%02x", word_at(config, PCI_CLASS_DEVICE),
					       config[PCI_CLASS_PROG]));
	ret->revision = val_str(arena_printf(arena, "0x%02x", config[PCI_REVISION_ID]));
	/* A bridge has the board's ids in a capability. */
	if ((config[PCI_HEADER_TYPE] & HEADER_TYPE) == PCI_HEADER_TYPE_NORMAL)
		ret->subsystem_id =
			val_str(arena_printf(arena, "0x%04x:0x%04x", word_at(config, PCI_SUBSYSTEM_VENDOR_ID),
					     word_at(config, PCI_SUBSYSTEM_ID)));
}

int pci_config_secondary_bus(const unsigned char *config, size_t len)
{
	if (len < PCI_CONFIG_HEADER_BYTES || is_all_ones(config) ||
	    (config[PCI_HEADER_TYPE] & HEADER_TYPE) != PCI_HEADER_TYPE_BRIDGE)
		return -1;
	return config[PCI_SECONDARY_BUS];
}

static bool is_pcie_width(uint64_t lanes)
{
	return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12 || lanes == 16 || lanes == 32;
}

struct val_u64 pci_width(struct arena *arena, uint64_t lanes)
{
	switch (lanes) {
	case 0:
		return no_u64(VAL_UNSUPPORTED, "reads 0");
	case 63:
		return no_u64(VAL_LOST, "reads 63: the device does not answer");
	case 255:
		return no_u64(VAL_UNSUPPORTED, "reads 255: the capability reads as zero");
	}
	if (!is_pcie_width(lanes))
		return no_u64(VAL_ERROR, arena_printf(arena, "reads %llu", (unsigned long long)lanes));
	return val_u64(lanes);
}

/* Width and speed of a pair stand in one register: a width that cannot be condemns the speed as well. */
static void decode_link(struct arena *arena, unsigned bits, struct val_u64 *ret_width, struct val_u64 *ret_speed)
{
	uint64_t speed = link_generation_mtps(bits & PCI_EXP_LNKCAP_SPEED);

	*ret_width = pci_width(arena, (bits & PCI_EXP_LNKCAP_WIDTH) >> 4);
	if (!is_known(*ret_width))
		*ret_speed = no_u64(ret_width->state, ret_width->why);
	else if (!speed)
		*ret_speed = no_u64(VAL_ERROR, arena_printf(arena, "reads code %u", bits & PCI_EXP_LNKCAP_SPEED));
	else
		*ret_speed = val_u64(speed);
}

static void set_no_link(struct pci_function *ret, enum val_state state, const char *why)
{
	ret->link_width = ret->link_width_able = no_u64(state, why);
	ret->link_speed_mtps = ret->link_speed_able_mtps = no_u64(state, why);
}

void pci_config_link(struct arena *arena, const unsigned char *config, size_t len, struct pci_function *ret)
{
	struct val_head found;
	size_t at;

	found = find_express(config, len, PCI_EXP_LNKSTA + 2, &at);
	if (found.state != VAL_OK) {
		set_no_link(ret, found.state, found.why);
	} else if (!has_link((config[at + PCI_EXP_FLAGS] & PCI_EXP_FLAGS_TYPE) >> 4)) {
		set_no_link(ret, VAL_ABSENT, "no link of its own");
	} else {
		decode_link(arena, word_at(config, at + PCI_EXP_LNKCAP), &ret->link_width_able,
			    &ret->link_speed_able_mtps);
		decode_link(arena, word_at(config, at + PCI_EXP_LNKSTA), &ret->link_width, &ret->link_speed_mtps);
	}
}

struct val_bool pci_config_slot_present(const unsigned char *config, size_t len)
{
	struct val_head found;
	size_t at;

	found = find_express(config, len, PCI_EXP_SLTSTA + 2, &at);
	if (found.state != VAL_OK)
		return no_bool(found.state, found.why);
	if (!(word_at(config, at + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_SLOT))
		return no_bool(VAL_ABSENT, "no slot below it");
	return val_bool(word_at(config, at + PCI_EXP_SLTSTA) & PCI_EXP_SLTSTA_PRES);
}

struct val_bool pci_config_link_active(const unsigned char *config, size_t len)
{
	enum { DLL_ACTIVE = 0x2000 };	/* Link Status; header.h has no name for it */
	struct val_head found;
	size_t at;

	found = find_express(config, len, PCI_EXP_LNKSTA + 2, &at);
	if (found.state != VAL_OK)
		return no_bool(found.state, found.why);
	if (!(word_at(config, at + PCI_EXP_LNKCAP + 2) & PCI_EXP_LNKCAP_DLLA >> 16))
		return no_bool(VAL_ABSENT, "it does not report its link");
	return val_bool(word_at(config, at + PCI_EXP_LNKSTA) & DLL_ACTIVE);
}

unsigned pci_config_extended_id(const unsigned char header[4])
{
	return word_at(header, 0);
}

size_t pci_config_extended_next(const unsigned char header[4])
{
	size_t next = word_at(header, 2) >> 4 & ~3u;

	return next >= PCI_CONFIG_BYTES && next + 8 <= PCI_CONFIG_EXTENDED_BYTES ? next : 0;
}

struct val_bool pci_config_acs_redirects(const unsigned char *config, size_t len)
{
	enum { MAX_EXTENDED = (PCI_CONFIG_EXTENDED_BYTES - PCI_CONFIG_BYTES) / 8 };
	size_t at = PCI_CONFIG_BYTES;

	if (len < PCI_CONFIG_EXTENDED_BYTES)
		return no_bool(VAL_ABSENT, "no extended configuration space");
	for (int i = 0; i < MAX_EXTENDED && at; i++) {
		if (pci_config_extended_id(config + at) == PCI_EXT_CAP_ID_ACS)
			return val_bool(config[at + PCI_ACS_CTRL] & PCI_ACS_CTRL_REQ_RED);
		at = pci_config_extended_next(config + at);
	}
	return no_bool(VAL_ABSENT, "no ACS capability");
}

struct val_str pci_config_port_type(struct arena *arena, const unsigned char *config, size_t len)
{
	struct val_head found;
	unsigned type;
	size_t at;

	found = find_express(config, len, PCI_EXP_FLAGS + 2, &at);
	if (found.state != VAL_OK)
		return no_str(found.state, found.why);
	type = (config[at + PCI_EXP_FLAGS] & PCI_EXP_FLAGS_TYPE) >> 4;
	if (!port_types[type])
		return no_str(VAL_ERROR, arena_printf(arena, "reads type %u", type));
	return val_str(port_types[type]);
}
