/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_folder.h - a folder of dumps: what a ticket had attached, or an unpacked report of a whole machine. */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

bool input_is_folder(const char *path);

/* What becomes of a folder; `to` is handed to each. */
struct input_folder_sink {
	void (*take)(void *to, const char *path, const char *inside, const struct strbuf *text);
	/* the same of what is neither text nor packed: its first bytes */
	void (*pass)(void *to, const char *path, const char *inside, const struct strbuf *first);
	void (*tree)(void *to, const char *folder);	/* it is a recorded tree (input_is_tree()) */
	void (*note)(void *to, const char *text);	/* what was not read, and why; on standard error, too */
	void *to;
};

/*
 * Calls take with each file in it and below, by name (report_file_order()); inside: its path from the folder, or the
 * tree that it is in, on. Links to files elsewhere are followed but out of a tree, those to folders not, and other file
 * systems not entered. Of a report of a machine, and of what stands in a tree, only what is read of one
 * (report_file()). What is no text and not packed is passed over.
 */
void input_folder(const char *folder, const struct input_folder_sink *sink);

/* A text has no NUL, but for UTF-16, which begins with its mark. */
bool input_is_text(const char *bytes, size_t len);
