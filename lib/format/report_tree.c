// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/report_tree.h"

#include <stdbool.h>
#include <string.h>

/* With a "/" at its end a folder and all below; else how the path begins. */
static const struct { const char *begins; enum report_file is; } files[] = {
	{ "proc/driver/nvidia/", REPORT_FILE_HOST },
	{ "proc/cmdline", REPORT_FILE_HOST },
	{ "proc/cpuinfo", REPORT_FILE_HOST },
	{ "etc/os-release", REPORT_FILE_HOST },
	{ "sos_commands/kernel/dmesg", REPORT_FILE_DUMP },
	{ "sos_commands/pci/lspci", REPORT_FILE_DUMP },
	{ "sos_commands/hardware/dmidecode", REPORT_FILE_DUMP },
	{ "sos_commands/nvidia/", REPORT_FILE_DUMP },
	{ "sos_commands/amdgpu/", REPORT_FILE_DUMP },
	{ "sos_commands/rocm/", REPORT_FILE_DUMP },
	{ "sos_commands/logs/journalctl_--no-pager_--boot", REPORT_FILE_JOURNAL },
	{ "sos_commands/logs/journalctl_--no-pager_--catalog_--boot", REPORT_FILE_JOURNAL },
	{ "nvidia-bug-report", REPORT_FILE_DUMP },
	{ "insights_commands/nvidia-smi", REPORT_FILE_DUMP },
	{ "insights_commands/lspci", REPORT_FILE_DUMP },
	{ "insights_commands/dmesg", REPORT_FILE_DUMP },
	{ "insights_commands/dmidecode", REPORT_FILE_DUMP },
	{ "var/log/messages", REPORT_FILE_SYSLOG },
	{ "var/log/syslog", REPORT_FILE_SYSLOG },
	{ "var/log/kern.log", REPORT_FILE_SYSLOG },
};

/* The part of the path from there on: at its beginning, or behind a "/". */
static const char *inside(const char *path, const char *begins)
{
	for (const char *at = path; (at = strstr(at, begins)) != NULL; at++)
		if (at == path || at[-1] == '/')
			return at;
	return NULL;
}

/* sos calls the archive's folder "sosreport-NODE-…"; Insights' begins with the node's name. */
static bool is_of_report(const char *path)
{
	return inside(path, "sosreport-") || inside(path, "sos_commands/") || inside(path, "sos_strings/") ||
	       inside(path, "insights_commands/");
}

/* dmesg in several forms says the same several times. */
static bool is_dmesg_again(const char *at)
{
	const char *dmesg = strstr(at, "/dmesg");

	return dmesg && dmesg[strlen("/dmesg")];
}

enum report_file report_file(const char *path, const char **ret_inside)
{
	*ret_inside = path;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *at = inside(path, files[i].begins);

		if (!at)
			continue;
		*ret_inside = at;
		return is_dmesg_again(at) ? REPORT_FILE_LEFT : files[i].is;
	}
	return is_of_report(path) ? REPORT_FILE_LEFT : REPORT_FILE_NONE;
}
