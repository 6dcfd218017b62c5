/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - dumps of other tools into a snapshot: nvidia-smi -q, lspci, kernel logs …
 *
 *	struct import *import = import_new();
 *	import_add(import, &text);	as often as there are texts
 *	import_end(import, &snapshot, &account);
 *	import_free(import);
 */
#pragma once

#include "import/dump/dump.h"

struct import;

struct import *import_new(void);
/*
 * Copies what it keeps, or takes the text over (.own). How many parts were found in it: 0 means nothing that is known.
 */
size_t import_add(struct import *import, const struct dump_text *text);

/* Files of /sys and /proc in all texts added so far; they live as long as import. */
const struct import_file *import_files(struct import *import, size_t *ret_nr);
/* What was told of them: once, before the end. Takes its memory; *told is empty afterwards. */
void import_files_told(struct import *import, struct snapshot *told);
/* The same of a recorded tree, a folder or a part of an archive by that name. */
void import_tree_told(struct import *import, const char *name, struct snapshot *told);
/* Something that the reader of a report should know of the import: what was not read, and why. */
void import_note(struct import *import, const char *text);

/* A file without text: it is named with those texts in which nothing is known. path: as in struct dump_text */
void import_unread(struct import *import, const char *name, const char *path);

/* A stretch of lines that no reader took. */
struct import_untaken {
	const char *file;
	unsigned first_line, last_line;
	const char *text;	/* of the first */
};

/* What became of the texts. */
struct import_account {
	size_t nr_parts;		/* of which something was understood */
	size_t nr_lines, nr_taken;
	struct import_untaken *untaken;
	size_t nr_untaken;
	struct strs unread;		/* notes of the import: files of which nothing was understood */
};

/*
 * Joins what was read into *ret, which is empty, with its sources and messages; the memory of both is the snapshot's.
 * 0, or -ENODATA where nothing was understood, and -EXDEV where the texts are of two machines: *why says how it shows.
 */
int import_end(struct import *import, struct snapshot *ret, struct import_account *account,
	       const char **why) MUST_CHECK;

/* A line of a log, and where it stands. */
struct import_log_line {
	const char *text;	/* NULL: here ends a boot, and it stands nowhere */
	const char *file;
	unsigned line;
};

/* The lines of all logs in the texts, in the order in which they were said. In import's arena. */
struct import_log_line *import_log_lines(struct import *import, size_t *ret_nr);

/* Does it begin as the log of nvidia-bug-report.sh: a text with several logs of one machine in it? */
bool import_is_report(const char *bytes, size_t len);

void import_free(struct import *import);
