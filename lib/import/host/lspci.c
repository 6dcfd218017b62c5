// SPDX-License-Identifier: GPL-2.0-or-later
/* lspci.c - a listing of lspci's: its functions, line by line. */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

/* More than any machine has, and than anybody asks. */
enum { MAX_FUNCTIONS = 4096, MAX_OTHER_PARTS = 16 };

enum dump_begins lspci_begins(const struct dump_line *lines, size_t nr)
{
	if (lspci_echoed_address(NULL, lines, nr))
		return BEGINS_MORE;
	return lspci_is_device_line(lines->text) || lspci_is_link_line(lines->text) ? BEGINS_MORE : BEGINS_NOT;
}

bool lspci_is_command_of_one(const char *command)
{
	return lspci_address_of_command(command) != NULL;
}

static struct lspci_device *find_device(const struct lspci_listing *listing, const char *key)
{
	for (size_t i = 0; i < listing->nr_all; i++)
		if (!strcmp(listing->devices[i].key, key))
			return &listing->devices[i];
	return NULL;
}

static void put_u64_over(struct val_u64 *to, struct val_u64 from)
{
	if (from.state != VAL_UNSET)
		*to = from;
}

static void put_str_over(struct val_str *to, struct val_str from)
{
	if (from.state != VAL_UNSET)
		*to = from;
}

/* A function that is listed twice, as by lspci and lspci -vvv: what was pasted last counts. */
static void put_again(struct lspci_device *to, const struct lspci_device *from)
{
	lspci_put_over(&to->pci, &from->pci);
	put_str_over(&to->slot, from->slot);
	put_str_over(&to->iommu_group, from->iommu_group);
	put_u64_over(&to->bar_bytes, from->bar_bytes);
	put_u64_over(&to->bar_able_bytes, from->bar_able_bytes);
	if (from->secondary_bus >= 0)
		to->secondary_bus = from->secondary_bus;
	to->dead_line = from->dead_line ? from->dead_line : to->dead_line;
}

/* What drives it would stand above what could; the name alone, or lines that were searched for, prove nothing. */
static void judge_driver(struct reading *reading, struct lspci_device *device)
{
	if (device->modules_line && device->has_body && !device->is_mixed && device->pci.driver.state == VAL_UNSET)
		put(reading, device->modules_line, device->pci.driver, no_str(VAL_ABSENT, "no driver is bound"));
}

static void end_device(struct reading *reading, struct lspci_listing *listing, struct lspci_device *device)
{
	struct lspci_device *known;

	if (!device->key)
		return;
	judge_driver(reading, device);
	lspci_decode_bytes(reading, device);
	if (device->dead_line)
		put(reading, device->dead_line, device->pci.config_all_ones, val_bool(true));
	known = find_device(listing, device->key);
	if (known && !listing->is_closed) {
		put_again(known, device);
	} else if (!known && listing->nr_all < MAX_FUNCTIONS) {
		listing->devices = arena_grow(reading->arena, listing->devices, listing->nr_all, sizeof(*device));
		listing->devices[listing->nr_all++] = *device;
	}
	*device = (struct lspci_device){ .key = NULL };
}

/*
 * Lines of one link, and none that names a function: whoever pastes them has asked for that one. Where there are more,
 * each may be of anything.
 */
static bool has_link_of_one(const struct dump_part *part)
{
	size_t nr_states = 0, nr_abilities = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *text = part->lines[i].text;

		if (lspci_is_device_line(text) || lspci_echoed_address(NULL, &part->lines[i], part->nr_lines - i))
			return false;
		nr_states += scan_behind(text, "LnkSta:") ? 1 : 0;
		nr_abilities += scan_behind(text, "LnkCap:") ? 1 : 0;
	}
	return nr_states == 1 && nr_abilities <= 1;
}

static void read_functions(struct reading *reading, struct lspci_listing *listing)
{
	const struct dump_part *part = reading->part;
	const char *address = part->about ? lspci_address_of_command(part->about) : NULL;
	struct lspci_device device = { .key = NULL };

	/* Lines that were searched for lack the one that names the function: it is the one that was asked for. */
	if (address && part->nr_lines && !lspci_is_device_line(part->lines[0].text))
		lspci_device_begin_at(reading, &part->lines[0], address, &device);
	else if (has_link_of_one(part))
		lspci_device_begin_nameless(reading, &part->lines[0], &device);
	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *next = i + 1 < part->nr_lines ? part->lines[i + 1].text : NULL;
		const char *echoed = lspci_echoed_address(reading->arena, line, part->nr_lines - i);

		if (echoed) {
			end_device(reading, listing, &device);
			lspci_device_begin_at(reading, line, echoed, &device);
			line->is_taken = true;
		} else if (lspci_is_device_line(line->text)) {
			end_device(reading, listing, &device);
			lspci_device_begin(reading, line, &device);
		} else if (!strcmp(line->text, "--")) {
			/* grep -A: what follows is of another function. */
			end_device(reading, listing, &device);
		} else if (device.key && *line->text && !lspci_take_bytes(reading, &device, line) &&
			   !lspci_take_slot_line(reading, &device, line)) {
			lspci_take_words(reading, &device, line, next);
		}
	}
	end_device(reading, listing, &device);
}

/* A GPU and the port above it are often asked for one after the other: lspci -s 17:01.0 -vvv, lspci -s 18:00.0 -vvv. */
static void read_other_parts(const struct reading *reading, struct lspci_listing *listing)
{
	const struct dump_parts *parts = reading->parts;
	size_t nr_read = 0;

	for (size_t i = parts ? parts->nr : 0; i > 0 && nr_read < MAX_OTHER_PARTS; i--) {
		struct reading other = *reading;

		other.part = &parts->v[i - 1];
		if (other.part->kind != DUMP_LSPCI || other.part == reading->part)
			continue;
		read_functions(&other, listing);
		nr_read++;
	}
}

void lspci_read(struct reading *reading)
{
	struct lspci_listing listing = { .nr = 0 };

	read_functions(reading, &listing);
	listing.nr = listing.nr_all;
	listing.is_closed = true;
	read_other_parts(reading, &listing);
	lspci_put_gpus(reading, &listing);
}
