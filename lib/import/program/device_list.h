/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device_list.h - files of GPUs in the output of ls -l, which root alone may open. */
#pragma once

#include "import/dump/dump.h"

bool device_list_says(const char *text);
/* A line of which device_list_says(). */
void device_list_read(struct reading *reading, struct dump_line *line);
