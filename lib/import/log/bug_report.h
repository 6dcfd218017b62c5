/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bug_report.h - the frame of nvidia-bug-report.log, as nvidia-bug-report.sh writes it.
 *
 * A section begins with a line of 44 underscores, an empty line and a banner: a file ("*** PATH", then "*** ls: …"), a
 * command's path and arguments, or words ("dmesg:"). Most sections are of no use here, and more than half of the bytes
 * can be build logs and base64: only the sections known to be of use are read.
 */
#pragma once

#include "import/dump/dump.h"

/* In the first of its lines that no other text has. */
#define BUG_REPORT_START "Start of NVIDIA bug report log file"

/* What is known of a report while its lines pass by. */
struct bug_report {
	bool is_open;			/* its beginning was there, its end not yet */
	bool awaits_banner;
	enum { SECTION_SKIPPED, SECTION_TOOLS, SECTION_PART } section;
	bool searches_logs;		/* the section in which headings name the log that lines were searched from */
	const char *banner;		/* the last one; NULL: none yet */
	int64_t newest_us;		/* of the files it shows: when they were looked at; 0: none yet */
};

enum bug_report_line {
	REPORT_NO_FRAME,	/* a line as in any other text */
	REPORT_GOES_ON,		/* a line of the part that is open */
	REPORT_ENDS_PART,	/* of the frame, or of no use: no part is open from here on */
	REPORT_BEGINS_PART,	/* of the frame: a part begins with it, which *ret describes */
};

enum bug_report_line bug_report_line(struct bug_report *report, const char *text, struct dump_part *ret);

/* When it was taken, RFC 3339, or NULL: "Date:" is in words of its user's language, the stamps of files are not. */
const char *bug_report_time(struct arena *arena, const struct bug_report *report);

/*
 * The file's path in a banner, "*** /proc/version" and "*** /proc/driver/nvidia/./version", or NULL; see
 * recorded_file.c.
 */
bool recorded_file_is_read(const char *path);
