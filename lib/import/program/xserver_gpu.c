// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xserver_gpu.c - "(--) PCI:*(41@0:0:0) 1002:6981:1002:0b0d rev 16", bus, domain, device and function as decimal numbers:
 * the star is at the one that the firmware started. "(ChipID = 0x6981)" names the one that the server took.
 */
#include "base/compat.h"
#include "import/program/xserver_gpu.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LINES_OF_START = 512 };

struct place {
	unsigned bus, domain, device, function, vendor, chip;
	bool is_first;
};

static bool take(const char **at, const char *before, int base, uint64_t most, unsigned *ret)
{
	uint64_t value;
	bool fits = true;

	if (!text_begins(*at, before))
		return false;
	*at += strlen(before);
	if (!scan_u64(at, base, &value, &fits) || !fits || value > most)
		return false;
	*ret = (unsigned)value;
	return true;
}

static bool place_of(const char *text, struct place *ret)
{
	static const char listed[] = "(--) PCI:";
	const char *at = strstr(text, listed);

	if (!at)
		return false;
	at += strlen(listed);
	ret->is_first = *at == '*';
	at += strspn(at, "* ");
	return take(&at, "(", 10, 255, &ret->bus) && take(&at, "@", 10, UINT16_MAX, &ret->domain) &&
	       take(&at, ":", 10, 31, &ret->device) && take(&at, ":", 10, 7, &ret->function) &&
	       take(&at, ") ", 16, UINT16_MAX, &ret->vendor) && take(&at, ":", 16, UINT16_MAX, &ret->chip);
}

/* 0: none is named, or more than one. */
static unsigned chip_taken(const struct dump_part *part)
{
	unsigned ret = 0, chip;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *at = strstr(part->lines[i].text, "(ChipID = 0x");

		if (!at || !take(&at, "(ChipID = 0x", 16, UINT16_MAX, &chip))
			continue;
		if (ret && ret != chip)
			return 0;
		ret = chip;
	}
	return ret;
}

const char *xserver_gpu(struct arena *arena, const struct dump_part *part)
{
	const unsigned taken = chip_taken(part);
	struct place place = { .bus = 0 }, found = { .bus = 0 };
	unsigned nr = 0, nr_listed = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		if (!place_of(part->lines[i].text, &place))
			continue;
		nr_listed++;
		if (taken ? place.chip != taken : !place.is_first)
			continue;
		found = place;
		nr++;
	}
	/* A machine that has several is asked for one of them by its settings. */
	if (nr != 1 || (!taken && nr_listed > 1))
		return NULL;
	return arena_printf(arena, "%04x:%02x:%02x.%x", found.domain, found.bus, found.device, found.function);
}

bool xserver_list_begins(const struct dump_line *lines, size_t nr)
{
	struct place place;

	if (!place_of(lines->text, &place))
		return false;
	for (size_t i = 1; i < nr && i < LINES_OF_START; i++)
		if (strstr(lines[i].text, "(EE) no screens found"))
			return true;
	return false;
}
