// SPDX-License-Identifier: GPL-2.0-or-later
/* test_report_tree.c - which files of a report of a whole machine are read. */
#include "base/compat.h"
#include "format/report_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void expect(const char *path, enum report_file file, const char *inside)
{
	const char *got;

	assert_int_equal(report_file(path, false, &got), file);
	assert_string_equal(got, inside);
}

static void test_known(void **state)
{
	(void)state;
	expect("proc/cmdline", REPORT_FILE_HOST, "proc/cmdline");
	expect("a/sosreport-n-1/proc/driver/nvidia/version", REPORT_FILE_HOST, "proc/driver/nvidia/version");
	expect("/s/sos_commands/kernel/dmesg", REPORT_FILE_DUMP, "sos_commands/kernel/dmesg");
	expect("s/sos_commands/pci/lspci_-nnvv", REPORT_FILE_DUMP, "sos_commands/pci/lspci_-nnvv");
	expect("s/sos_commands/nvme/nvme_smart-log_.dev.nvme0n1", REPORT_FILE_DUMP,
	       "sos_commands/nvme/nvme_smart-log_.dev.nvme0n1");
	expect("s/sosreport-n/proc/mdstat", REPORT_FILE_DUMP, "proc/mdstat");
	expect("s/sos_commands/logs/journalctl_--no-pager_--boot", REPORT_FILE_JOURNAL,
	       "sos_commands/logs/journalctl_--no-pager_--boot");
	expect("s/var/log/messages-20240612", REPORT_FILE_SYSLOG, "var/log/messages-20240612");
	expect("n/insights_commands/nvidia-smi_-L", REPORT_FILE_DUMP, "insights_commands/nvidia-smi_-L");
	expect("s/sos_commands/logs/journalctl_--no-pager_--boot_-1", REPORT_FILE_JOURNAL_BEFORE,
	       "sos_commands/logs/journalctl_--no-pager_--boot_-1");
}

/* Of a report what is not known is left; of any other folder it may be anything. */
static void test_others(void **state)
{
	static const char *const left[] = {
		"a/sosreport-n/etc/fstab", "s/sos_commands/kernel/dmesg_-T", "s/sos_commands/boot/ls_-lanR_.boot",
		"s/sos_strings/logs/journalctl", "n/insights_commands/df_-alP",
	};
	/* What a ticket has beside its reports, in folders of any name. */
	static const char *const none[] = {
		"etc/fstab", "smi.txt", "xproc/cmdline", "my-sosreport-n/etc/fstab", "", "sosreport-n.tar.xz",
		"sosreport-n/dmesg.txt",
		"nvidia-bug-report-n/dmesg.txt", "sosreport-n/nvidia-bug-report.log.gz", "dmesg.txt",
	};
	const char *got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		expect(left[i], REPORT_FILE_LEFT,
		       strstr(left[i], "sos_commands/kernel") ? "sos_commands/kernel/dmesg_-T" : left[i]);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		expect(none[i], REPORT_FILE_NONE, none[i]);
	assert_int_equal(report_file("etc/fstab", true, &got), REPORT_FILE_LEFT);
	assert_int_equal(report_file("smi.txt", true, &got), REPORT_FILE_NONE);
}

/* Of a log that was rotated the older before the newer; all else by name. */
static void test_order(void **state)
{
	static const char *const names[] = {
		"auth.log", "kern.log.10.gz", "kern.log.2.gz", "kern.log.1", "kern.log", "messages-20240612.xz",
		"messages-20240619",
		"messages", "smi.1", "smi.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			int order = report_file_order(names[i], names[k]);

			assert_int_equal(order < 0, i < k);
			assert_int_equal(order > 0, i > k);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known), cmocka_unit_test(test_others), cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
