/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_folder.h - a folder of dumps: what a ticket had attached, or an unpacked report of a whole machine. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

bool input_is_folder(const char *path);

/*
 * Calls take with each file in it and below, by name; links are not followed, other file systems not entered. Of a report
 * of a machine only what is read of one (report_file()). Files that cannot be read, or are too many or too large, are
 * named on standard error. Dies with status 64 where the folder is a recorded tree, which has an option of its own.
 */
typedef void input_folder_fn(void *to, const char *path, const struct strbuf *text);
void input_folder(const char *folder, input_folder_fn *take, void *to);
