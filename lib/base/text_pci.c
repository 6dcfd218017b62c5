// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"

#include <errno.h>

#include "base/text_scan.h"

/* A hexadecimal number of so many digits, no fewer and no more. */
static bool scan_hex_field(const char **at, size_t least, size_t most, uint32_t *ret)
{
	bool fits = true;
	uint64_t value;
	size_t nr = scan_u64(at, 16, &value, &fits);

	*ret = (uint32_t)value;
	return nr >= least && nr <= most;
}

int parse_pci_address(const char *text, struct pci_address *ret)
{
	uint32_t domain, bus, device, function;
	const char *at = text;

	if (!scan_hex_field(&at, 4, 8, &domain) || !scan_char(&at, ':') ||
	    !scan_hex_field(&at, 2, 2, &bus) || !scan_char(&at, ':') ||
	    !scan_hex_field(&at, 2, 2, &device) || !scan_char(&at, '.') ||
	    !scan_hex_field(&at, 1, 1, &function) || !scan_end(at))
		return -EINVAL;
	if (device > 0x1f || function > 7)
		return -ERANGE;
	*ret = (struct pci_address){
		.domain = domain,
		.bus = (uint8_t)bus,
		.device = (uint8_t)device,
		.function = (uint8_t)function,
	};
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int pci_address_compare(const struct pci_address *a, const struct pci_address *b)
{
	if (a->domain != b->domain)
		return compare_u64(a->domain, b->domain);
	if (a->bus != b->bus)
		return compare_u64(a->bus, b->bus);
	if (a->device != b->device)
		return compare_u64(a->device, b->device);
	return compare_u64(a->function, b->function);
}

/* A key as key_compare() understands it. */
struct key {
	enum { KEY_NUMBER, KEY_ADDRESS, KEY_TEXT } kind;	/* in their order */
	uint64_t number;
	struct pci_address address;
};

static struct key key_of(const char *text)
{
	struct key key = { .kind = KEY_TEXT };

	if (!parse_u64(text, &key.number))
		key.kind = KEY_NUMBER;
	else if (!parse_pci_address(text, &key.address))
		key.kind = KEY_ADDRESS;
	return key;
}

int key_compare(const char *a, const char *b)
{
	struct key left = key_of(a), right = key_of(b);
	int order = 0;

	if (left.kind != right.kind)
		return left.kind < right.kind ? -1 : 1;
	if (left.kind == KEY_NUMBER)
		order = compare_u64(left.number, right.number);
	else if (left.kind == KEY_ADDRESS)
		order = pci_address_compare(&left.address, &right.address);
	if (order)
		return order;
	/* "1" and "01" are two keys: only equal bytes are equal. */
	order = strcmp(a, b);
	return (order > 0) - (order < 0);
}
