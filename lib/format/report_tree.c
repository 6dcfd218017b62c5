// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/report_tree.h"

#include <string.h>

#include "base/text.h"
#include "base/text_scan.h"

/* With a "/" at its end a folder and all below; else how the path begins. */
static const struct { const char *begins; enum report_file is; } files[] = {
	{ "proc/driver/nvidia/", REPORT_FILE_HOST },
	{ "proc/cmdline", REPORT_FILE_HOST },
	{ "proc/cpuinfo", REPORT_FILE_HOST },
	{ "etc/os-release", REPORT_FILE_HOST },
	{ "sos_commands/kernel/dmesg", REPORT_FILE_DUMP },
	{ "sos_commands/pci/lspci", REPORT_FILE_DUMP },
	{ "sos_commands/hardware/dmidecode", REPORT_FILE_DUMP },
	{ "sos_commands/nvme/nvme_smart-log", REPORT_FILE_DUMP },
	{ "sos_commands/nvme/smartctl", REPORT_FILE_DUMP },
	{ "sos_commands/ata/smartctl", REPORT_FILE_DUMP },
	{ "sos_commands/scsi/smartctl", REPORT_FILE_DUMP },
	{ "sos_commands/filesys/df_", REPORT_FILE_DUMP },
	{ "sos_commands/memory/free", REPORT_FILE_DUMP },
	{ "sos_commands/memory/swapon", REPORT_FILE_DUMP },
	{ "sos_commands/ras/ras-mc-ctl", REPORT_FILE_DUMP },
	{ "sos_commands/systemd/systemctl_list-units", REPORT_FILE_DUMP },
	{ "sos_commands/md/mdadm_-D", REPORT_FILE_DUMP },
	{ "sos_commands/zfs/zpool_status", REPORT_FILE_DUMP },
	{ "proc/mdstat", REPORT_FILE_DUMP },
	{ "sos_commands/nvidia/", REPORT_FILE_DUMP },
	{ "sos_commands/amdgpu/", REPORT_FILE_DUMP },
	{ "sos_commands/rocm/", REPORT_FILE_DUMP },
	{ "sos_commands/logs/journalctl_--no-pager_--boot_-1", REPORT_FILE_JOURNAL_BEFORE },
	{ "sos_commands/logs/journalctl_--no-pager_--catalog_--boot_-1", REPORT_FILE_JOURNAL_BEFORE },
	{ "sos_commands/logs/journalctl_--no-pager_--boot", REPORT_FILE_JOURNAL },
	{ "sos_commands/logs/journalctl_--no-pager_--catalog_--boot", REPORT_FILE_JOURNAL },
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

/* What a report has beside the output of commands: copies of the node's own folders. */
static bool is_copy(const char *path)
{
	static const char *const folders[] = {
		"boot/", "dev/", "etc/", "home/", "lib/", "opt/", "proc/", "root/", "run/", "sys/", "usr/", "var/",
		"sos_logs/", "sos_reports/",
	};

	return text_begins_any(path, folders, ARRAY_SIZE(folders));
}

/* sos calls the archive's folder "sosreport-NODE-…"; a folder of that name may hold a ticket's files as well. */
static bool is_of_report(const char *path, bool in_report)
{
	const char *top = inside(path, "sosreport-");

	top = top ? strchr(top, '/') : NULL;
	if (inside(path, "sos_commands/") || inside(path, "sos_strings/") || inside(path, "insights_commands/"))
		return true;
	return (top && is_copy(top + 1)) || (in_report && is_copy(path));
}

/* dmesg in several forms says the same several times. */
static bool is_dmesg_again(const char *at)
{
	static const char *const dmesg[] = { "sos_commands/kernel/dmesg", "insights_commands/dmesg" };

	for (size_t i = 0; i < ARRAY_SIZE(dmesg); i++)
		if (!strncmp(at, dmesg[i], strlen(dmesg[i])))
			return at[strlen(dmesg[i])] != '\0';
	return false;
}

enum report_file report_file(const char *path, bool in_report, const char **ret_inside)
{
	*ret_inside = path;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *at = inside(path, files[i].begins);

		if (!at)
			continue;
		*ret_inside = at;
		return is_dmesg_again(at) ? REPORT_FILE_LEFT : files[i].is;
	}
	return is_of_report(path, in_report) ? REPORT_FILE_LEFT : REPORT_FILE_NONE;
}

/* ---- recorded trees */

static const char *component(const char *path, const char *const *names, size_t nr)
{
	for (const char *at = path; at; at = (at = strchr(at, '/')) ? at + 1 : NULL)
		if (text_begins_any(at, names, nr))
			return at;
	return NULL;
}

enum recorded_file recorded_file(const char *path)
{
	static const char *const sys[] = {
		"sys/block/", "sys/bus/", "sys/class/", "sys/dev/", "sys/devices/", "sys/firmware/", "sys/fs/",
		"sys/hypervisor/",
		"sys/kernel/", "sys/module/", "sys/power/",
	};
	static const char *const proc[] = {
		"proc/meminfo", "proc/modules", "proc/stat", "proc/mounts", "proc/self/", "proc/sys/",
	};
	const char *number = path + strlen("proc/");

	if (text_begins_any(path, sys, ARRAY_SIZE(sys)))
		return RECORDED_SYS;
	if (text_begins_any(path, proc, ARRAY_SIZE(proc)) ||
	    (!strncmp(path, "proc/", strlen("proc/")) && is_digit(*number) &&
	     number[strspn(number, "0123456789")] == '/'))
		return RECORDED_PROC;
	return RECORDED_BESIDE;
}

const char *recorded_path(const char *path)
{
	static const char *const sure[] = { "sys/", "proc/" };
	static const char *const beside[] = {
		"boot/", "dev/", "etc/", "lib/", "lib64/", "opt/", "run/", "usr/", "var/", "sos_commands/",
		".dockerenv",
		".singularity.d/",
	};

	for (const char *at = component(path, sure, ARRAY_SIZE(sure)); at;
	     at = (at = strchr(at, '/')) ? component(at + 1, sure, ARRAY_SIZE(sure)) : NULL)
		if (recorded_file(at) != RECORDED_BESIDE || !strncmp(at, "proc/", strlen("proc/")))
			return at;
	return component(path, beside, ARRAY_SIZE(beside));
}

/* ---- the order of files */

/* "kern.log.2.gz" and "messages-20240612.xz": the name without what rotation put behind it. */
struct rotated {
	size_t stem_len;
	uint64_t age;		/* 0: the log that is written to; of two others the higher is older */
};

static bool ends(const char *name, size_t len, const char *end)
{
	return len > strlen(end) && !strncmp(name + len - strlen(end), end, strlen(end));
}

static struct rotated rotated_of(const char *name)
{
	static const char *const packed[] = { ".gz", ".xz", ".bz2", ".zst" };
	size_t len = strlen(name), digits = 0;
	uint64_t number = 0;

	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		if (ends(name, len, packed[i]))
			len -= strlen(packed[i]);
	while (digits < len && is_digit(name[len - 1 - digits]))
		digits++;
	for (size_t i = len - digits; digits <= 8 && i < len; i++)
		number = number * 10 + (uint64_t)(name[i] - '0');
	if (digits && digits <= 3 && len > digits + 1 && name[len - 1 - digits] == '.')
		return (struct rotated){ .stem_len = len - digits - 1, .age = number };
	/* Of dates the lower is the older. */
	if (digits == 8 && len > digits + 1 && name[len - 1 - digits] == '-')
		return (struct rotated){ .stem_len = len - digits - 1, .age = 100000000 - number };
	return (struct rotated){ .stem_len = len };
}

int report_file_order(const char *a, const char *b)
{
	struct rotated left = rotated_of(a), right = rotated_of(b);
	size_t len = left.stem_len < right.stem_len ? left.stem_len : right.stem_len;
	int order = strncmp(a, b, len);

	if (order || left.stem_len != right.stem_len)
		return order ? order : strcmp(a, b);
	if (left.age != right.age)
		return left.age > right.age ? -1 : 1;
	return strcmp(a, b);
}
