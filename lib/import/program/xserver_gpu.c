// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xserver_gpu.c - "(--) PCI:*(41@0:0:0) 1002:6981:1002:0b0d rev 16", bus, domain, device and function as decimal numbers,
 * older "(--) PCI:*(0:1:0:0) 10de:13bb:…" with the domain first: the star is at the one that the firmware started.
 * "(ChipID = 0x6981)" names the one that the server took, NVIDIA's driver "GPU-0 at PCI:1:0:0".
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
	if (!take(&at, "(", 10, UINT16_MAX, &ret->bus))
		return false;
	if (*at == ':') {
		ret->domain = ret->bus;
		if (!take(&at, ":", 10, 255, &ret->bus))
			return false;
	} else if (ret->bus > 255 || !take(&at, "@", 10, UINT16_MAX, &ret->domain)) {
		return false;
	}
	return take(&at, ":", 10, 31, &ret->device) && take(&at, ":", 10, 7, &ret->function) &&
	       take(&at, ") ", 16, UINT16_MAX, &ret->vendor) && take(&at, ":", 16, UINT16_MAX, &ret->chip);
}

/* "(EE) NVIDIA(0): Failed to initialize the NVIDIA graphics device PCI:5:0:0.", with the domain "PCI:5@1:0:0". */
static bool driver_place(const char *text, struct place *ret)
{
	const char *at = strstr(text, " NVIDIA(");

	*ret = (struct place){ .domain = 0 };
	at = at ? strstr(at, " PCI:") : NULL;
	if (!at)
		return false;
	at++;
	return take(&at, "PCI:", 10, 255, &ret->bus) && (*at != '@' || take(&at, "@", 10, UINT16_MAX, &ret->domain)) &&
	       take(&at, ":", 10, 31, &ret->device) && take(&at, ":", 10, 7, &ret->function);
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->domain == b->domain && a->bus == b->bus && a->device == b->device && a->function == b->function;
}

/* How many GPUs NVIDIA's driver names, which *ret is one of. */
static unsigned driver_places(const struct dump_part *part, struct place *ret)
{
	struct place place;
	unsigned nr = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		if (!driver_place(part->lines[i].text, &place) || (nr && is_same(&place, ret)))
			continue;
		*ret = place;
		nr++;
	}
	return nr;
}

/* The screen of NVIDIA's driver that a line is about, "NVIDIA(1)"; -1: none. */
static int screen_of(const char *text)
{
	const char *at = strstr(text, " NVIDIA(");
	unsigned ret;

	return at && take(&at, " NVIDIA(", 10, INT16_MAX, &ret) ? (int)ret : -1;
}

/* An error of a screen whose GPU is not named, where another's is. */
static bool fails_elsewhere(const struct dump_part *part)
{
	struct place place;
	int placed = -1;

	for (size_t i = 0; i < part->nr_lines; i++)
		if (driver_place(part->lines[i].text, &place))
			placed = screen_of(part->lines[i].text);
	for (size_t i = 0; placed >= 0 && i < part->nr_lines; i++)
		if (strstr(part->lines[i].text, "(EE) NVIDIA(") && screen_of(part->lines[i].text) != placed)
			return true;
	return false;
}

static const char *address_of(struct arena *arena, const struct place *place)
{
	return arena_printf(arena, "%04x:%02x:%02x.%x", place->domain, place->bus, place->device, place->function);
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

	if (!fails_elsewhere(part) && driver_places(part, &found) == 1)
		return address_of(arena, &found);
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
	return address_of(arena, &found);
}

/* BusID "PCI:3c:0:0" with a letter among its numbers. */
static bool hex_place(const char *text, struct place *ret)
{
	const char *at = scan_behind(text, "BusID");
	size_t len;

	*ret = (struct place){ .domain = 0 };
	if (!at || !text_begins(at, "\"PCI:"))
		return false;
	at++;
	len = strcspn(at, "\"");
	return strcspn(at + strlen("PCI:"), "abcdefABCDEF") + strlen("PCI:") < len &&
	       take(&at, "PCI:", 16, 255, &ret->bus) && take(&at, ":", 16, 31, &ret->device) &&
	       take(&at, ":", 16, 7, &ret->function) && *at == '"';
}

const char *xserver_bus_id(const struct reading *reading)
{
	struct file_lines lines = { .text = 0 };
	const struct dump_line *line;
	struct place place;

	while ((line = file_lines_next(reading, &lines)))
		if (hex_place(line->text, &place))
			return arena_printf(reading->arena, "%s, whose BusID \"PCI:%x:%x:%x\" is to be PCI:%u:%u:%u",
					    address_of(reading->arena, &place), place.bus, place.device, place.function,
					    place.bus, place.device, place.function);
	return NULL;
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
