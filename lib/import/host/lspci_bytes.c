// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_bytes.c - configuration space as lspci -x, -xxx and -xxxx print it: 64, 256 or 4096 bytes, 16 a line. A byte
 * that is not shown is unknown, whatever stands around it.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

enum { LINE_BYTES = 16 };

/* Lines of fewer bytes are what a terminal's width left of them. */
static bool parse_line(const char *text, size_t *ret_offset, unsigned char ret[LINE_BYTES])
{
	size_t digits = 0;

	text += strspn(text, " ");
	for (*ret_offset = 0; hex_digit(text[digits]) >= 0; digits++)
		*ret_offset = *ret_offset << 4 | (size_t)hex_digit(text[digits]);
	if (digits < 2 || digits > 3 || text[digits] != ':' || *ret_offset % LINE_BYTES)
		return false;
	text += digits + 1;
	for (int i = 0; i < LINE_BYTES; i++, text += 3) {
		int high = text[0] == ' ' ? hex_digit(text[1]) : -1, low = high < 0 ? -1 : hex_digit(text[2]);

		if (low < 0)
			return false;
		ret[i] = (unsigned char)((unsigned)high << 4 | (unsigned)low);
	}
	return !*text;
}

bool lspci_take_bytes(struct reading *reading, struct lspci_device *device, struct dump_line *line)
{
	unsigned char bytes[LINE_BYTES];
	size_t offset;

	if (!parse_line(line->text, &offset, bytes) || offset >= PCI_CONFIG_EXTENDED_BYTES)
		return false;
	if (!device->config) {
		device->config = arena_alloc(reading->arena, PCI_CONFIG_EXTENDED_BYTES);
		device->is_shown = arena_alloc(reading->arena, PCI_CONFIG_EXTENDED_BYTES * sizeof(*device->is_shown));
		device->config_line = line;
	}
	memcpy(device->config + offset, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		device->is_shown[offset + i] = true;
	line->is_taken = true;
	return true;
}

/* How many are there without a gap, as a file of that length would have them. */
static size_t shown_len(const struct lspci_device *device)
{
	static const size_t lengths[] = { PCI_CONFIG_EXTENDED_BYTES, PCI_CONFIG_BYTES, PCI_CONFIG_HEADER_BYTES };
	size_t len = 0;

	while (len < PCI_CONFIG_EXTENDED_BYTES && device->is_shown[len])
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (len >= lengths[i])
			return lengths[i];
	return 0;
}

/* Only what is known, or lost, goes above what words said: that bytes do not reach far enough is no news then. */
void lspci_put_over(struct pci_function *to, const struct pci_function *from)
{
	for (size_t i = 0; i < record_pci_function.nr; i++) {
		const struct field *field = &record_pci_function.fields[i];
		struct val_head *old = (void *)((char *)to + field->offset);
		const struct val_head *new = (const void *)((const char *)from + field->offset);

		if (new->state == VAL_OK || new->state == VAL_LOST || old->state == VAL_UNSET)
			memcpy(old, new, value_size(field));
	}
}

static void name_source(const struct reading *reading, const struct dump_line *line, struct pci_function *pci)
{
	for (size_t i = 0; i < record_pci_function.nr; i++) {
		struct val_head *head = (void *)((char *)pci + record_pci_function.fields[i].offset);

		if (head->state != VAL_UNSET)
			head->from = value_from(reading->part->number, line->number);
	}
}

static bool faces_down(struct val_str type)
{
	return str_is(type, "root-port") || str_is(type, "downstream-port");
}

void lspci_decode_bytes(struct reading *reading, struct lspci_device *device)
{
	struct pci_function pci = { .link_width = { .state = VAL_UNSET } };
	size_t len = device->config ? shown_len(device) : 0;
	int secondary;

	if (!len)
		return;
	pci.config_all_ones = pci_config_all_ones(device->config, len);
	pci_config_identity(reading->arena, device->config, len, &pci);
	pci.port_type = pci_config_port_type(reading->arena, device->config, len);
	pci_config_settings(reading->arena, device->config, len, &pci);
	pci_config_link(reading->arena, device->config, len, &pci);
	if (faces_down(pci.port_type) && len == PCI_CONFIG_EXTENDED_BYTES)
		pci.acs_redirects = pci_config_acs_redirects(device->config, len);
	name_source(reading, device->config_line, &pci);
	lspci_put_over(&device->pci, &pci);
	secondary = pci_config_secondary_bus(device->config, len);
	if (secondary >= 0)
		device->secondary_bus = secondary;
}
