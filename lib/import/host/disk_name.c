// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/host/disk_name.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *past_letters(const char *text)
{
	while (is_letter_or_digit(*text) && !is_digit(*text))
		text++;
	return text;
}

static const char *past_digits(const char *text)
{
	while (is_digit(*text))
		text++;
	return text;
}

bool disk_name_is_nvme(const char *name)
{
	return text_begins(name, "nvme");
}

const char *disk_name(struct arena *arena, const char *text)
{
	static const char dev[] = "/dev/", *const kinds[] = { "nvme", "sd", "hd", "vd" };
	const char *end, *rest;

	if (text_begins(text, dev))
		text += strlen(dev);
	if (!text_begins_any(text, kinds, ARRAY_SIZE(kinds)))
		return NULL;
	end = past_letters(text);
	if (disk_name_is_nvme(text))
		end = end == text + strlen("nvme") && is_digit(*end) ? past_digits(end) : text;
	if (end < text + strlen("sda"))
		return NULL;
	/* "nvme0n1p2", "sda1": which part of it does not matter. A pattern of a shell is no name. */
	rest = end;
	while (is_letter_or_digit(*rest))
		rest++;
	return !*rest || strchr(" ,;|&)\"'`", *rest) ? arena_strndup(arena, text, (size_t)(end - text)) : NULL;
}

/* "megaraid,4" of "-d sat+megaraid,4": disks behind one controller have its device. NULL: it is none of these. */
static const char *place_of(struct arena *arena, const char *command)
{
	static const char *const options[] = { " -d ", " --device=" };
	const char *at = NULL, *plus;
	size_t len;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !at; i++) {
		at = strstr(command, options[i]);
		at = at ? past_blanks(at + strlen(options[i])) : NULL;
	}
	if (!at)
		return NULL;
	len = strcspn(at, " ");
	plus = memchr(at, '+', len);
	if (!memchr(at, ',', len) || memchr(at, '$', len) || text_begins(at, "nvme"))
		return NULL;
	return plus ? arena_strndup(arena, plus + 1, len - (size_t)(plus + 1 - at)) : arena_strndup(arena, at, len);
}

/*
 * The one device that a command names; NULL: it names none, or goes through several, of which any may have said what
 * stands below. awk's "$2" is no variable of the shell.
 */
static const char *only_name(struct arena *arena, const char *command)
{
	const char *ret = NULL;

	if (strstr(command, "for "))
		return NULL;
	for (const char *at = command; (at = strchr(at, '$')); at++)
		if (!is_digit(at[1]))
			return NULL;
	for (const char *at = command; (at = strstr(at, "/dev/")); at++) {
		const char *device = disk_name(arena, at);

		if (device && ret && strcmp(device, ret) != 0)
			return NULL;
		ret = device ? device : ret;
	}
	return ret;
}

const char *disk_name_of_part(struct arena *arena, const struct dump_part *part)
{
	static const char mangled[] = ".dev.";
	const char *name, *place, *at;

	if (part->about) {
		name = only_name(arena, part->about);
		place = name ? place_of(arena, part->about) : NULL;
		return place ? arena_printf(arena, "%s (%s)", name, place) : name;
	}
	/* "sos_commands/nvme/nvme_smart-log_.dev.nvme0" */
	at = strstr(part->file, mangled);
	return at ? disk_name(arena, at + strlen(mangled)) : NULL;
}

/* The how manieth part without a name it is; behind many of any kind the number of the part serves as well. */
static unsigned number_of_unknown(const struct reading *reading)
{
	enum { MOST_COUNTED = 64 };
	const struct dump_parts *parts = reading->parts;
	unsigned ret = 1;

	if (reading->part->number > MOST_COUNTED)
		return reading->part->number;
	for (size_t i = 0; parts && i < parts->nr && &parts->v[i] != reading->part; i++)
		ret += parts->v[i].kind == reading->part->kind && !disk_name_of_part(reading->arena, &parts->v[i]);
	return ret;
}

const char *disk_name_for_unknown(const struct reading *reading, const char *stem, unsigned nr_before)
{
	unsigned nr;

	if (nr_before)
		return arena_printf(reading->arena, "%s.%u-%u", stem, reading->part->number, nr_before + 1);
	nr = number_of_unknown(reading);
	return nr == 1 ? stem : arena_printf(reading->arena, "%s.%u", stem, nr);
}
