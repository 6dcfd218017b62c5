/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tech_support.h - the frame of what rocm_techsupport.sh prints: "===== Section: NAME  =====" before the output of each
 * command, and in that of logs "Section: Previous boot logs" before each boot's. Logs are searched for words of
 * interest.
 */
#pragma once

#include "import/log/bug_report.h"

struct tech_support {
	bool is_open;			/* a line of its frame was there */
	enum { SUPPORT_SKIPPED, SUPPORT_TOOLS, SUPPORT_LOG } section;
};

/* As bug_report_line(); a part that begins may be of kind NR_DUMP_KINDS: what the tool prints says what it is. */
enum bug_report_line tech_support_line(struct tech_support *support, const char *text, struct dump_part *ret);
