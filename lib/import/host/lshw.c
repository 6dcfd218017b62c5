// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lshw.c - lshw, or lshw -class display: a line that begins a device, and a line for each of its properties:
 *
 *	*-display UNCLAIMED
 *	     description: 3D controller
 *	     product: GA107M [GeForce RTX 3050 Mobile] [10DE:25A2]
 *	     vendor: NVIDIA Corporation [10DE]
 *	     bus info: pci@0000:01:00.0
 *	     configuration: latency=0
 *
 * Each is read as a function of lspci's, with -numeric by its ids, else by its names. "UNCLAIMED" says that no driver
 * is bound.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/host/lspci.h"
#include "import/host/lshw.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_DEVICES = 1024, HEAD_LINES = 4 };

/* What stands behind the mark of a device's first line, "display:0 UNCLAIMED"; NULL: it is none. */
static const char *past_mark(const char *text)
{
	const char *at = scan_behind(text, "*-");

	return at && is_letter_or_digit(*at) ? at : NULL;
}

/* The value of a property, or NULL. */
static const char *value_of(const char *text, const char *name)
{
	const char *value = scan_value(text, name);

	return value && *value ? value : NULL;
}

static bool is_property(const char *text)
{
	return value_of(text, "description") || value_of(text, "product") || value_of(text, "vendor") ||
	       value_of(text, "bus info");
}

enum dump_begins lshw_begins(const struct dump_line *lines, size_t nr)
{
	static const char *const names[] = { "display", "generic", "processing" };
	const char *name = past_mark(lines->text);
	size_t seen = 0;

	if (!name || !text_begins_any(name, names, ARRAY_SIZE(names)))
		return BEGINS_NOT;
	for (size_t i = 1; i < nr && seen < HEAD_LINES; i++) {
		if (is_property(lines[i].text))
			return BEGINS_MORE;
		seen += *lines[i].text ? 1 : 0;
	}
	return BEGINS_NOT;
}

/* Where the number of "NVIDIA Corporation [10DE]" or "GA107M [GeForce] [10DE:25A2]" stands; NULL: there is none. */
static const char *last_number(const char *text, const char *form)
{
	size_t len = strlen(text), len_form = strlen(form);

	return len > len_form && lspci_has_form(text + len - len_form, form) ? text + len - len_form : NULL;
}

/* As lspci has it: "NVIDIA Corporation GA107M [GeForce RTX 3050 Mobile] [10DE:25A2]". */
static const char *description_of(struct arena *arena, const struct lshw_device *device)
{
	const char *id = last_number(device->vendor, " [xxxx]");
	int len_vendor = (int)(id ? id - device->vendor : (ptrdiff_t)strlen(device->vendor));
	const char *product = device->product;

	/* Of a device that it has no name of lshw says the vendor's once more. */
	if (!product || !strncmp(product, device->vendor, (size_t)len_vendor))
		product = last_number(product ? product : "", " [xxxx:xxxx]");
	return arena_printf(arena, "%.*s %s", len_vendor, device->vendor, product ? past_blanks(product) : "Device");
}

void lshw_put(struct reading *reading, struct lspci_listing *listing, const struct lshw_device *device)
{
	const char *address = device->bus_info ? scan_behind(device->bus_info, "pci@") : NULL;
	struct lspci_device function = { .key = NULL }, *to = NULL;

	if (!address || !device->vendor || !device->description || listing->nr_all == MAX_DEVICES)
		return;
	lspci_device_begin_at(reading, device->line, address, &function);
	if (!function.key)
		return;
	function.is_of_command = false;
	lspci_describe(reading, &function, device->description, description_of(reading->arena, device));
	if (device->driver)
		put(reading, device->driver_line, function.pci.driver, val_str(device->driver));
	else if (device->is_unclaimed)
		put(reading, device->line, function.pci.driver, no_str(VAL_ABSENT, "no driver is bound"));
	/* A device that is listed twice was looked at again. */
	for (size_t i = 0; i < listing->nr_all && !to; i++)
		to = strcmp(listing->devices[i].key, function.key) ? NULL : &listing->devices[i];
	if (!to) {
		listing->devices =
			arena_grow(reading->arena, listing->devices, listing->nr_all, sizeof(*listing->devices));
		to = &listing->devices[listing->nr_all];
		listing->nr = ++listing->nr_all;
	}
	*to = function;
}

/* The driver of "driver=nvidia latency=0"; NULL: there is none. */
static const char *driver_of(struct arena *arena, const char *settings)
{
	static const char name[] = "driver=";
	size_t len;

	for (const char *word; (word = scan_word(&settings, &len), len);)
		if (text_begins(word, name) && len > strlen(name))
			return arena_strndup(arena, word + strlen(name), len - strlen(name));
	return NULL;
}

static void take(const char **to, const char *text, const char *name)
{
	const char *value = value_of(text, name);

	if (value && !*to)
		*to = value;
}

static void read_property(struct reading *reading, struct lshw_device *device, struct dump_line *line)
{
	const char *settings = value_of(line->text, "configuration");

	take(&device->description, line->text, "description");
	take(&device->product, line->text, "product");
	take(&device->vendor, line->text, "vendor");
	take(&device->bus_info, line->text, "bus info");
	if (settings && !device->driver) {
		device->driver = driver_of(reading->arena, settings);
		device->driver_line = line;
	}
	line->is_taken = line->is_taken || settings || is_property(line->text);
}

void lshw_read(struct reading *reading)
{
	struct lspci_listing listing = { .is_closed = true };
	struct lshw_device device = { .line = NULL };

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *name = past_mark(line->text);

		if (name) {
			if (device.line)
				lshw_put(reading, &listing, &device);
			device = (struct lshw_device){ .line = line, .is_unclaimed = strstr(name, " UNCLAIMED") };
			line->is_taken = true;
		} else if (device.line) {
			read_property(reading, &device, line);
		}
	}
	if (device.line)
		lshw_put(reading, &listing, &device);
	lspci_put_gpus(reading, &listing);
}
