/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_folder.h - a folder of dumps: what a ticket had attached, or an unpacked report of a whole machine. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

bool input_is_folder(const char *path);

/*
 * Calls take with each file in it and below, by name (report_file_order()); inside: its path from the folder on. Links to
 * files elsewhere are followed, those to folders not, and other file systems not entered. Of a report of a machine only
 * what is read of one (report_file()). What is no text and not packed is passed over; files that cannot be read, or are
 * too large, are named on standard error. Dies with status 64 where the folder is a recorded tree, which has an option of
 * its own.
 */
typedef void input_folder_fn(void *to, const char *path, const char *inside, const struct strbuf *text);
void input_folder(const char *folder, input_folder_fn *take, void *to);

/* A text has no NUL, but for UTF-16, which begins with its mark. */
bool input_is_text(const char *bytes, size_t len);
