/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_tree.h - the files of a report of a whole machine, by their paths: of sos (sos_commands/PLUGIN/COMMAND, beside
 * the host's own files) and of Red Hat's Insights (insights_commands/COMMAND). A command's name has "_" for what a file
 * name cannot have (sos: Plugin._mangle_command).
 */
#pragma once

enum report_file {
	REPORT_FILE_NONE,	/* of no such report, as far as its path tells */
	REPORT_FILE_LEFT,	/* of one, and nothing that is read */
	REPORT_FILE_HOST,	/* a file as it stands on the machine */
	REPORT_FILE_DUMP,	/* what a command printed */
	REPORT_FILE_JOURNAL,	/* the journal of one boot: repeats what dmesg has */
	REPORT_FILE_SYSLOG,	/* a log that goes on for many boots, and repeats both */
};

/* path in any folder, "case/sosreport-node7/proc/cmdline". *ret_inside: as it is in the report, "proc/cmdline". */
enum report_file report_file(const char *path, const char **ret_inside);
