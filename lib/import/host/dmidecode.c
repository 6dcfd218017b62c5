// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dmidecode.c - what dmidecode prints of the firmware's tables: the machine's product, serial number and BIOS, and
 * whether a hypervisor wrote them.
 *
 *	Handle 0x0001, DMI type 1, 27 bytes
 *	System Information
 *		Product Name: SYS-821GE-TNHR
 */
#include "base/compat.h"
#include "format/firmware.h"
#include "import/dump/readers.h"

#include "base/text_scan.h"

enum table { TABLE_OTHER, TABLE_BIOS, TABLE_SYSTEM };

enum dump_begins dmidecode_begins(const struct dump_line *lines, size_t nr)
{
	static const char head[] = "# dmidecode ", first[] = "Handle 0x";
	const char *text = lines->text;

	(void)nr;
	if (!strncmp(text, head, strlen(head)) && is_digit(text[strlen(head)]))
		return BEGINS_NEW;
	return !strncmp(text, first, strlen(first)) && strstr(text, ", DMI type ") ? BEGINS_MORE : BEGINS_NOT;
}

/* The text behind the key, or NULL; what board makers left there is none. */
static const char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	text += strspn(text, " ");
	if (strncmp(text, key, len) != 0 || text[len] != ':')
		return NULL;
	text += len + 1 + strspn(text + len + 1, " ");
	return *text && !firmware_is_placeholder(text) ? text : NULL;
}

static void take_text(struct reading *reading, struct dump_line *line, struct val_str *to, const char *key)
{
	const char *value = value_of(line->text, key);

	if (value && to->state == VAL_UNSET)
		put(reading, line, *to, val_str(arena_strdup(reading->arena, value)));
}

static enum table table_of(const char *text)
{
	if (strstr(text, "System Information"))
		return TABLE_SYSTEM;
	return strstr(text, "BIOS Information") ? TABLE_BIOS : TABLE_OTHER;
}

void dmidecode_read(struct reading *reading)
{
	struct host *host = &reading->snapshot->host;
	const struct dump_part *part = reading->part;
	enum table table = TABLE_OTHER;
	const char *maker = "", *hypervisor;
	struct dump_line *maker_line = NULL;
	bool sells_metal;

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *value = table == TABLE_SYSTEM ? value_of(line->text, "Manufacturer") : NULL;

		line->is_taken = true;
		if (dmidecode_begins(line, 1) != BEGINS_NOT)
			table = i + 1 < part->nr_lines ? table_of(part->lines[i + 1].text) : TABLE_OTHER;
		if (table == TABLE_BIOS)
			take_text(reading, line, &host->bios, "Version");
		if (table != TABLE_SYSTEM)
			continue;
		take_text(reading, line, &host->product, "Product Name");
		take_text(reading, line, &host->machine_serial, "Serial Number");
		if (value && !maker_line) {
			maker = value;
			maker_line = line;
		}
	}
	hypervisor = firmware_hypervisor(maker, str_or(host->product, ""), &sells_metal);
	if (hypervisor && maker_line && !(sells_metal && strstr(str_or(host->product, ""), "metal")))
		put(reading, maker_line, host->virtualisation, val_str(hypervisor));
}
