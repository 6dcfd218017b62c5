// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inxi.c - inxi -G, or the section of that name in inxi -F: a device, and behind its name words with a colon and their
 * values, in as many lines as the terminal is narrow:
 *
 *	Graphics:  Device-1: NVIDIA GA107M [GeForce RTX 3050 Mobile] vendor: Lenovo driver: N/A
 *	           bus-ID: 01:00.0 chip-ID: 10de:25a2 class-ID: 0300
 *	           Display: x11 server: X.Org v: 1.21.1.4
 *
 * inxi 2 had "Card-1:" for that, and named no driver of the kernel. Bus and numbers are there from -x and -xx on. Each
 * is read as a function of lspci's, in whose names inxi shortens that of the maker.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/host/lspci.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_LINES = 6, MAX_DEVICES = 64 };

/* What stands behind "Device-1:" or "Card:", or NULL. */
static const char *past_number(const char *text)
{
	static const char *const words[] = { "Device-", "Card-", "Card:" };

	text = past_blanks(text);
	if (!text_begins_any(text, words, ARRAY_SIZE(words)))
		return NULL;
	text += strcspn(text, "-:");
	if (*text == '-')
		text += 1 + strspn(text + 1, "0123456789");
	return *text == ':' && text[1] == ' ' ? past_blanks(text + 1) : NULL;
}

/* The same, also behind the section's name: "Graphics:  Device-1: …". */
static const char *past_head(const char *text)
{
	const char *rest = scan_behind(text, "Graphics:");

	return past_number(rest ? rest : text);
}

/* By its name alone, without the section's. */
static bool is_gpu_by_name(const char *text)
{
	static const char *const names[] = { "[GeForce ", "[Quadro ", "[Tesla ", "[RTX ", "[NVIDIA ", "[Radeon " };

	return text_has_any(text, names, ARRAY_SIZE(names)) && !strstr(text, "Audio");
}

enum dump_begins inxi_begins(const struct dump_line *lines, size_t nr)
{
	const char *rest = scan_behind(lines->text, "Graphics:"), *device = past_head(lines->text);

	if (rest && device)
		return BEGINS_MORE;
	if (rest && !*rest && nr > 1)
		return past_number(lines[1].text) || (!*lines[1].text && nr > 2 && past_number(lines[2].text))
			       ? BEGINS_MORE
			       : BEGINS_NOT;
	return device && is_gpu_by_name(device) && strstr(device, " driver: ") ? BEGINS_MORE : BEGINS_NOT;
}

/* The value behind a word, up to the next blank, or NULL. */
static const char *value_of(struct arena *arena, const char *text, const char *word)
{
	const char *at = strstr(text, word);
	size_t len;

	if (!at)
		return NULL;
	at += strlen(word);
	at = scan_word(&at, &len);
	return len ? arena_strndup(arena, at, len) : NULL;
}

/* As lspci names it; NULL: of another maker. */
static const char *description_of(struct arena *arena, const char *text)
{
	static const struct { const char *name, *in_full; } makers[] = {
		{ "NVIDIA Corporation ", "NVIDIA Corporation" }, { "NVIDIA ", "NVIDIA Corporation" },
		{ "nVidia ", "NVIDIA Corporation" }, { "Intel ", "Intel Corporation" },
		{ "Advanced Micro Devices, Inc. [AMD/ATI] ", "AMD/ATI" },
		{ "Advanced Micro Devices [AMD/ATI] ", "AMD/ATI" }, { "Advanced Micro Devices ", "AMD/ATI" },
		{ "AMD ", "AMD/ATI" }, { "ATI ", "AMD/ATI" },
	};
	static const char *const keys[] = { " vendor: ", " driver: ", " bus-ID: ", " bus ID: ", " chip-ID: ",
					    " chip ID: ", " type: " };
	size_t len = strlen(text);

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *at = strstr(text, keys[i]);

		len = at && (size_t)(at - text) < len ? (size_t)(at - text) : len;
	}
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		size_t len_maker = strlen(makers[i].name);

		if (len > len_maker && text_begins(text, makers[i].name))
			return arena_printf(arena, "%s %.*s", makers[i].in_full, (int)(len - len_maker),
					    text + len_maker);
	}
	return NULL;
}

/* Does a tool of a vendor list GPUs in the same text? One that has no address here may be one of them. */
static bool has_list(const struct dump_parts *parts)
{
	for (size_t i = 0; parts && i < parts->nr; i++)
		switch (parts->v[i].kind) {
		case DUMP_SMI_QUERY:
		case DUMP_SMI_XML:
		case DUMP_SMI_TABLE:
		case DUMP_SMI_LIST:
		case DUMP_SMI_CSV:
		case DUMP_ROCM_SMI:
		case DUMP_AMD_SMI:
			return true;
		default:
			break;
		}
	return false;
}

/* false: nothing of it is of use. Without an address it is one that no driver has, and not the processor's own. */
static bool begin_function(struct reading *reading, struct dump_line *line, const char *text, bool has_driver,
			   struct lspci_device *ret)
{
	const char *address = value_of(reading->arena, text, " bus-ID: ");

	if (!address)
		address = value_of(reading->arena, text, " bus ID: ");
	if (address)
		lspci_device_begin_at(reading, line, address, ret);
	else if (!has_driver && !text_begins(text, "Intel ") && !has_list(reading->parts))
		lspci_device_begin_nameless(reading, line, ret);
	ret->is_of_command = false;
	return ret->key != NULL;
}

static void put_device(struct reading *reading, struct lspci_listing *listing, struct dump_line *line,
		       const char *text)
{
	struct arena *arena = reading->arena;
	const char *description = description_of(arena, text), *driver = value_of(arena, text, " driver: ");
	const char *class = value_of(arena, text, " class-ID: "), *ids = value_of(arena, text, " chip-ID: ");
	bool has_driver = !driver || strcmp(driver, "N/A") != 0;
	struct lspci_device function = { .key = NULL };

	if (!description || listing->nr == MAX_DEVICES || !begin_function(reading, line, text, has_driver, &function))
		return;
	if (!ids)
		ids = value_of(arena, text, " chip ID: ");
	if (ids && lspci_has_form(ids, "xxxx:xxxx"))
		description = arena_printf(arena, "%s [%s]", description, ids);
	/* Without its number nobody knows which display controller it is. */
	lspci_describe(reading, &function,
		       class && lspci_has_form(class, "xxxx") ? arena_printf(arena, "%.4s:", class)
							      : "Display controller",
		       description);
	if (!has_driver)
		put(reading, line, function.pci.driver, no_str(VAL_ABSENT, "no driver is bound"));
	else if (driver)
		put(reading, line, function.pci.driver, val_str(arena_strndup(arena, driver, strcspn(driver, ","))));
	listing->devices = arena_grow(arena, listing->devices, listing->nr, sizeof(*listing->devices));
	listing->devices[listing->nr++] = function;
	listing->nr_all = listing->nr;
}

/* A device with the lines that go on with it, which begin with a word in small letters. */
static const char *whole_device(struct arena *arena, const struct dump_part *part, size_t at, const char *name)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 1;

	strbuf_addstr(&text, name);
	for (size_t i = at + 1; i < part->nr_lines && nr < MAX_LINES; i++) {
		const char *more = past_blanks(part->lines[i].text);

		if (!*more)
			continue;
		if (*more < 'a' || *more > 'z')
			break;
		strbuf_addf(&text, " %s", more);
		part->lines[i].is_taken = true;
		nr++;
	}
	strbuf_addch(&text, ' ');
	return arena_strdup(arena, text.buf);
}

/* "Audio:", "Network:  Device-1: …": another section's head, whose devices are none of these. */
static bool is_other_head(const char *text)
{
	static const char *const heads[] = { "Audio:", "Network:", "Bluetooth:", "Drives:", "RAID:", "USB:", "CPU:" };

	return text_begins_any(past_blanks(text), heads, ARRAY_SIZE(heads));
}

void inxi_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct lspci_listing listing = { .is_closed = true };
	bool is_other = false;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *name = past_head(line->text);

		if (scan_behind(line->text, "Graphics:")) {
			line->is_taken = true;
			is_other = false;
		}
		is_other = is_other || is_other_head(line->text);
		if (!name || is_other)
			continue;
		line->is_taken = true;
		put_device(reading, &listing, line, whole_device(reading->arena, part, i, name));
	}
	lspci_put_gpus(reading, &listing);
}
