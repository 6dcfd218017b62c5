/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_list.h - files of GPUs in the output of ls -l, which root alone may open. */
#pragma once

#include "import/dump/dump.h"

enum { MOST_OPEN_DEVICES = 128 };

/* Which of them others may open, too, by the last list of a text. One that is zero knows nothing yet. */
struct devices_open {
	struct device_open {
		const char *name;
		unsigned line;
	} v[MOST_OPEN_DEVICES];
	size_t nr;
	bool is_asked;
};

bool device_list_says(const char *text);
/* A line of which device_list_says(); open: of the text that is read. */
void device_list_read(struct reading *reading, struct dump_line *line, struct devices_open *open);
