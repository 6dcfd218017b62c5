// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lspci_machine.c - lspci for programs:
 *
 *	-mm	[DDDD:]BB:dd.f "CLASS[ [cccc]]" "VENDOR[ [vvvv]]" "DEVICE[ [dddd]]" [-rxx] [-pxx] "SUBVENDOR" "SUBDEVICE"
 *	-vmm	Slot:, Class:, Vendor:, Device: and others, a line each; an empty line ends the function
 *
 * With -n the number alone stands for the name. Of both the line that names a function is made as lspci prints it for
 * people, and read as that.
 */
#include "base/compat.h"
#include "import/host/lspci.h"

#include "base/text_scan.h"

enum { NR_QUOTED = 3 };

/* ---- a name and a number */

struct named {
	const char *name;	/* "" with -n */
	const char *id;		/* "10de"; "": not told */
};

static bool is_id(const char *text)
{
	return strspn(text, "0123456789abcdef") == 4 && !text[4];
}

/* "NVIDIA Corporation [10de]", "NVIDIA Corporation", "10de" */
static struct named named_of(struct arena *arena, const char *text)
{
	size_t len = strlen(text);
	struct named ret = { .name = text, .id = "" };

	if (is_id(text))
		return (struct named){ .name = "", .id = text };
	if (len > 7 && text[len - 7] == ' ' && text[len - 6] == '[' && text[len - 1] == ']') {
		ret.id = arena_strndup(arena, text + len - 5, 4);
		if (is_id(ret.id))
			ret.name = arena_strndup(arena, text, len - 7);
		else
			ret.id = "";
	}
	return ret;
}

/* The rest of the line as people get it: "NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330]". */
static void describe(struct reading *reading, struct lspci_device *device, const char *class, const char *vendor_text,
		     const char *device_text)
{
	struct arena *arena = reading->arena;
	struct named vendor = named_of(arena, vendor_text), model = named_of(arena, device_text);
	bool has_ids = *vendor.id && *model.id;
	const char *ids = has_ids ? arena_printf(arena, "%s:%s", vendor.id, model.id) : "";

	if (is_id(class))
		class = arena_printf(arena, "%s:", class);
	if (!*vendor.name && !*model.name)
		lspci_describe(reading, device, class, ids);
	else
		lspci_describe(reading, device, class,
			       arena_printf(arena, "%s %s%s%s%s", vendor.name, model.name, has_ids ? " [" : "", ids,
					    has_ids ? "]" : ""));
}

/* ---- -mm */

bool lspci_is_quoted(const char *behind_address)
{
	return !strncmp(behind_address, " \"", 2);
}

/* A text in quotes, in which a backslash stands before another quote; *at goes on behind it. NULL: there is none. */
static const char *quoted(struct arena *arena, const char **at)
{
	STRBUF_AUTO text = STRBUF_INIT;
	const char *from = *at + strspn(*at, " ");

	if (*from++ != '"')
		return NULL;
	for (; *from && *from != '"'; from++) {
		if (*from == '\\' && from[1])
			from++;
		strbuf_addch(&text, *from);
	}
	if (*from != '"')
		return NULL;
	*at = from + 1;
	return arena_strdup(arena, text.buf);
}

void lspci_take_quoted(struct reading *reading, struct lspci_device *device, const char *text)
{
	const char *fields[NR_QUOTED];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = quoted(reading->arena, &text);
		if (!fields[i])
			return;
	}
	text += strspn(text, " ");
	describe(reading, device, fields[0], fields[1], fields[2]);
	if (!strncmp(text, "-r", 2))
		lspci_take_revision(reading, device, text + 2);
}

/* ---- -vmm: the lines that name the function; those of its driver, slot and node are in lspci_words.c */

const char *lspci_slot_address(const char *text)
{
	return scan_behind(text, "Slot:");
}

bool lspci_take_slot_line(struct reading *reading, struct lspci_device *device, struct dump_line *line)
{
	const char *rest;

	if (!device->is_slot)
		return false;
	rest = scan_behind(line->text, "Class:");
	if (rest) {
		device->class_text = arena_strdup(reading->arena, rest);
	} else if ((rest = scan_behind(line->text, "Vendor:"))) {
		device->vendor_text = arena_strdup(reading->arena, rest);
	} else if ((rest = scan_behind(line->text, "Device:"))) {
		if (device->class_text && device->vendor_text)
			describe(reading, device, device->class_text, device->vendor_text,
				 arena_strdup(reading->arena, rest));
	} else if ((rest = scan_behind(line->text, "Rev:"))) {
		lspci_take_revision(reading, device, rest);
	} else {
		return false;
	}
	device->has_body = true;
	line->is_taken = true;
	return true;
}
