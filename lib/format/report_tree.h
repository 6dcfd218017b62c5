/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_tree.h - the files of a report of a whole machine, by their paths: of sos (sos_commands/PLUGIN/COMMAND, beside
 * the host's own files) and of Red Hat's Insights (insights_commands/COMMAND). A command's name has "_" for what a file
 * name cannot have (sos: Plugin._mangle_command). And recorded trees: folders with a copy of /sys, /proc or both.
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
 * path in any folder, "case/sosreport-node7/proc/cmdline"; in_report: that folder is known to be a report, whatever its
 * name. *ret_inside: as it is in the report, "proc/cmdline".
 */
enum report_file report_file(const char *path, bool in_report, const char **ret_inside);

/* By name, as strcmp(); of a log that was rotated the older before the newer: kern.log.2.gz, kern.log.1, kern.log. */
int report_file_order(const char *a, const char *b);

/*
 * Where a file's path on its machine begins, if /sys or /proc or what stands beside them was copied: at "sys/class/drm"
 * of "case/node7/sys/class/drm". The folder before it may be a tree (recorded_tree_file()). NULL: it is no such path.
 */
const char *recorded_path(const char *path);

enum recorded_file {
	RECORDED_BESIDE,	/* what a tree may hold as well */
	RECORDED_PROC,		/* of /proc, as a machine that runs has it: makes a tree, of what is no report */
	RECORDED_SYS,		/* of /sys: makes a tree */
};
/* What such a path, from its beginning on the machine, proves. */
enum recorded_file recorded_file(const char *path);
