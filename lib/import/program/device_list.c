// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device_list.c - "crw------- 1 root root 234, 0 May 21 05:13 /dev/kfd". Of a list of /dev the name alone stands there.
 * What opens a MIG instance (/dev/nvidia-caps) is root's to read, as is right, and no file that is read here.
 */
#include "base/compat.h"
#include "import/program/device_list.h"

#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

struct device {
	const char *mode, *name;	/* in the line; the name without its folder */
	bool is_roots;
};

static bool is_numbered(const char *name, const char *begin)
{
	size_t len = strlen(begin);

	return text_begins(name, begin) && name[len] && !name[len + strspn(name + len, "0123456789")];
}

/* Without one of these a GPU's programs do not run; a display's file is the display server's. */
static bool is_of_gpu(const char *name)
{
	static const char *const names[] = { "kfd", "nvidiactl", "nvidia-uvm" };

	return text_is_any(name, names, ARRAY_SIZE(names)) || is_numbered(name, "renderD") ||
	       is_numbered(name, "nvidia") || is_numbered(name, "hl");
}

static bool take_device(const char *text, struct device *ret)
{
	const char *at = past_blanks(text), *word;
	size_t len, nr = 0;

	*ret = (struct device){ .mode = at };
	if (!text_begins(at, "crw") || strlen("crw-rw----") > strcspn(at, " "))
		return false;
	while (word = scan_word(&at, &len), len) {
		ret->name = word;
		ret->is_roots |= nr == 2 && len == strlen("root") && text_begins(word, "root");
		nr++;
	}
	for (const char *slash = ret->name; slash && *slash; slash++)
		if (*slash == '/')
			ret->name = slash + 1;
	return nr >= 8 && is_of_gpu(ret->name);
}

/* The bits of group and others; with "+" at their end a list of users stands beside them. */
static bool is_closed(const struct device *device)
{
	return device->is_roots && text_begins(device->mode, "crw-------") && device->mode[strlen("crw-------")] != '+';
}

bool device_list_says(const char *text)
{
	struct device device;

	return take_device(text, &device) && is_closed(&device);
}

static struct device_open *entry_of(struct devices_open *open, const struct device *device)
{
	for (size_t i = 0; i < open->nr; i++)
		if (!strcmp(open->v[i].name, device->name))
			return &open->v[i];
	return open->nr < MOST_OPEN_DEVICES ? &open->v[open->nr++] : NULL;
}

static void find_open(const struct reading *reading, struct devices_open *open)
{
	struct file_lines lines = { .text = 0 };
	const struct dump_line *line;
	struct device device;

	open->is_asked = true;
	while ((line = file_lines_next(reading, &lines))) {
		struct device_open *entry = NULL;

		if (take_device(line->text, &device) && !is_closed(&device))
			entry = entry_of(open, &device);
		if (entry)
			*entry = (struct device_open){ .name = device.name, .line = line->number };
	}
}

/* A list below has it as it is now. */
static bool is_opened_later(const struct devices_open *open, const struct dump_line *line, const char *name)
{
	for (size_t i = 0; i < open->nr; i++)
		if (open->v[i].line > line->number && !strcmp(open->v[i].name, name))
			return true;
	return false;
}

void device_list_read(struct reading *reading, struct dump_line *line, struct devices_open *open)
{
	struct device device;

	line->is_taken = true;
	if (!open->is_asked)
		find_open(reading, open);
	if (!take_device(line->text, &device) || is_opened_later(open, line, device.name))
		return;
	program_error_put(reading, line, "denied",
			  arena_printf(reading->arena, "%s: only root may open it", device.name),
			  arena_strdup(reading->arena, past_blanks(line->text)));
}
