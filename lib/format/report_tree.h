/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_tree.h - the files of a report of a whole machine, by their paths: of sos (sos_commands/PLUGIN/COMMAND, beside
 * the host's own files) and of Red Hat's Insights (insights_commands/COMMAND). A command's name has "_" for what a file
 * name cannot have (sos: Plugin._mangle_command).
 */
#pragma once

#include <stdbool.h>

enum report_file {
	REPORT_FILE_NONE,	/* of no such report, as far as its path tells */
	REPORT_FILE_LEFT,	/* of one, and nothing that is read */
	REPORT_FILE_HOST,	/* a file as it stands on the machine */
	REPORT_FILE_DUMP,	/* what a command printed */
	REPORT_FILE_JOURNAL,	/* the journal of this boot: repeats what dmesg has */
	REPORT_FILE_JOURNAL_BEFORE,	/* that of the boot before */
	REPORT_FILE_SYSLOG,	/* a log that goes on for many boots, and repeats both */
};

/*
 * path in any folder, "case/sosreport-node7/proc/cmdline"; in_report: that folder is known to be a report, whatever its name.
 * *ret_inside: as it is in the report, "proc/cmdline".
 */
enum report_file report_file(const char *path, bool in_report, const char **ret_inside);

/* By name, as strcmp(); of a log that was rotated the older before the newer: kern.log.2.gz, kern.log.1, kern.log. */
int report_file_order(const char *a, const char *b);
