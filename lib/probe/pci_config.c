// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/pci_config.h"

#include <pci/header.h>

/* Capabilities are four bytes at least and lie behind the header: no list is longer. */
enum { MAX_CAPABILITIES = (PCI_CONFIG_BYTES - PCI_CONFIG_HEADER_BYTES) / 4 };

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

struct val_str pci_config_port_type(struct arena *arena, const unsigned char *config, size_t len)
{
	unsigned type;
	size_t at;

	if (len < PCI_CONFIG_HEADER_BYTES)
		return no_str(VAL_ERROR, "less than 64 bytes of configuration space");
	if (is_all_ones(config))
		return no_str(VAL_LOST, "configuration space reads as all ones");
	if (len < PCI_CONFIG_BYTES)
		return no_str(VAL_DENIED, "needs root: 64 bytes of configuration space");
	at = find_capability(config, len, PCI_CAP_ID_EXP);
	if (!at)
		return no_str(VAL_ABSENT, "no PCI Express capability");
	type = (config[at + PCI_EXP_FLAGS] & PCI_EXP_FLAGS_TYPE) >> 4;
	if (!port_types[type])
		return no_str(VAL_ERROR, arena_printf(arena, "reads type %u", type));
	return val_str(port_types[type]);
}
