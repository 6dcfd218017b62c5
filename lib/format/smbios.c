// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smbios.c - structures of the System Management BIOS (DMTF DSP0134, 6.1, 7.10
 * and 7.42): a header, a formatted area of the length the header names, then
 * strings that end in a NUL each and in one more.
 */
#include "base/compat.h"
#include "format/smbios.h"

enum {
	SLOT = 9, ONBOARD_DEVICE = 41, END_OF_TABLE = 127,
	HEADER_BYTES = 4,
	NAME = 4,		/* in both types: the number of the string that names it */
	SLOT_PLACE = 0x0d,	/* segment, two bytes, then bus, then device and function; since 2.6 */
	ONBOARD_PLACE = 0x07,
	PLACE_BYTES = 4,
};

struct structure {
	const unsigned char *data;	/* header and formatted area */
	size_t len;
	const unsigned char *strings;
	size_t strings_len;
};

/* The structure at *at, which moves past it; false at the end or where nothing fits any more. */
static bool next_structure(const unsigned char *table, size_t len, size_t *at, struct structure *ret)
{
	size_t end;

	if (*at > len || len - *at < HEADER_BYTES)
		return false;
	ret->data = table + *at;
	ret->len = ret->data[1];
	if (ret->data[0] == END_OF_TABLE || ret->len < HEADER_BYTES || ret->len > len - *at)
		return false;
	end = *at + ret->len;
	ret->strings = table + end;
	while (end + 1 < len && (table[end] || table[end + 1]))
		end++;
	if (end + 1 >= len)
		return false;
	ret->strings_len = (size_t)(table + end - ret->strings);
	*at = end + 2;
	return true;
}

/* The string of that number, from 1; without blanks around it. False where there is none, or nothing in it. */
static bool add_string(const struct structure *structure, unsigned number, struct strbuf *ret)
{
	const unsigned char *at = structure->strings, *end = at + structure->strings_len;

	while (number > 1 && at < end) {
		const unsigned char *nul = memchr(at, '\0', (size_t)(end - at));

		if (!nul)
			return false;
		at = nul + 1;
		number--;
	}
	if (!number || at >= end)
		return false;
	end = at + strnlen((const char *)at, (size_t)(end - at));
	while (at < end && *at <= ' ')
		at++;
	while (end > at && end[-1] <= ' ')
		end--;
	strbuf_add(ret, (const char *)at, (size_t)(end - at));
	return end > at;
}

static bool is_at(const struct structure *structure, size_t place, const struct pci_address *address)
{
	const unsigned char *at = structure->data + place;

	if (structure->len < place + PLACE_BYTES)
		return false;
	/* All ones: not on this bus, or unknown. */
	if (at[2] == 0xff && at[3] == 0xff)
		return false;
	return (uint32_t)(at[0] | at[1] << 8) == address->domain && at[2] == address->bus &&
	       at[3] >> 3 == address->device;
}

static bool find(const unsigned char *table, size_t len, unsigned type, size_t place,
		 const struct pci_address *address, struct strbuf *ret)
{
	struct structure structure;
	size_t at = 0;

	while (next_structure(table, len, &at, &structure)) {
		if (structure.data[0] == type && is_at(&structure, place, address) &&
		    add_string(&structure, structure.data[NAME], ret))
			return true;
	}
	return false;
}

bool smbios_slot_label(const unsigned char *table, size_t len, const struct pci_address *address, struct strbuf *ret)
{
	return find(table, len, SLOT, SLOT_PLACE, address, ret) ||
	       find(table, len, ONBOARD_DEVICE, ONBOARD_PLACE, address, ret);
}
