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

	assert_int_equal(report_file(path, &got), file);
	assert_string_equal(got, inside);
}

static void test_known(void **state)
{
	(void)state;
	expect("proc/cmdline", REPORT_FILE_HOST, "proc/cmdline");
	expect("a/sosreport-n-1/proc/driver/nvidia/version", REPORT_FILE_HOST, "proc/driver/nvidia/version");
	expect("/s/sos_commands/kernel/dmesg", REPORT_FILE_DUMP, "sos_commands/kernel/dmesg");
	expect("s/sos_commands/pci/lspci_-nnvv", REPORT_FILE_DUMP, "sos_commands/pci/lspci_-nnvv");
	expect("s/sos_commands/logs/journalctl_--no-pager_--boot", REPORT_FILE_JOURNAL,
	       "sos_commands/logs/journalctl_--no-pager_--boot");
	expect("s/var/log/messages-20240612", REPORT_FILE_SYSLOG, "var/log/messages-20240612");
	expect("n/insights_commands/nvidia-smi_-L", REPORT_FILE_DUMP, "insights_commands/nvidia-smi_-L");
	expect("sosreport-n/nvidia-bug-report.log.gz", REPORT_FILE_DUMP, "nvidia-bug-report.log.gz");
}

/* Of a report what is not known is left; of any other folder it may be anything. */
static void test_others(void **state)
{
	static const char *const left[] = {
		"sosreport-n/etc/fstab", "s/sos_commands/kernel/dmesg_-T", "s/sos_commands/boot/ls_-lanR_.boot",
		"s/sos_strings/logs/journalctl", "n/insights_commands/df_-alP",
	};
	static const char *const none[] = { "etc/fstab", "smi.txt", "xproc/cmdline", "my-sosreport-n/etc/fstab", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		expect(left[i], REPORT_FILE_LEFT, strstr(left[i], "sos_commands/kernel") ? "sos_commands/kernel/dmesg_-T" : left[i]);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		expect(none[i], REPORT_FILE_NONE, none[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_known), cmocka_unit_test(test_others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
