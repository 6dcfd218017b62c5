// SPDX-License-Identifier: GPL-2.0-or-later
/* test_klog_nvidia.c - NVIDIA's lines taken apart: who they name, what their numbers tell, and what is left. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "klog/match.h"
#include "klog/nvidia.h"

static bool match(const char *text, struct klog_match *ret)
{
	struct klog_line line = { .text = span_of(text), .level = -1 };

	return klog_match(&line, ret);
}

static void test_process_of_an_xid(void **state)
{
	struct klog_match got;

	(void)state;
	assert_true(match("NVRM: Xid (PCI:000f:01:00): 119, pid=3849, name=KMS thread, Timeout after 45s", &got));
	assert_true(got.fields.has_pid && got.fields.pid == 3849);
	assert_true(span_is(got.fields.process, "KMS thread"));
	assert_true(match("NVRM: Xid (PCI:0018:01:00): 45, pid='<unknown>', name=<unknown>, Ch 00000001", &got));
	assert_false(got.fields.has_pid);
	assert_int_equal(span_len(got.fields.process), 0);
	assert_true(match("NVRM: Xid (PCI:0000:01:00): 8, name=llama-server, channel 0x0000000d", &got));
	assert_false(got.fields.has_pid);
	assert_true(span_is(got.fields.process, "llama-server"));
	/* Cut right after the name. */
	assert_true(match("NVRM: Xid (PCI:0000:01:00): 109, pid=2075, name=Stray-Win64-Shi,", &got));
	assert_true(span_is(got.fields.process, "Stray-Win64-Shi"));
	assert_int_equal(got.row, KLOG_ROW_XID_109);
}

static void test_previous_xid(void **state)
{
	struct klog_match got;

	(void)state;
	/* It is no part of what the place at the end of a pattern takes. */
	assert_true(match("NVRM: Xid (PCI:0009:01:00): 120, GSP task exception: load access fault caused by "
			  "previous Xid 119", &got));
	assert_true(span_is(got.fields.status, "load access fault"));
}

static void test_page_fault(void **state)
{
	struct klog_match got;

	(void)state;
	assert_true(match("NVRM: Xid (PCI:0000:5d:00 GPU-I:05 GPU-CI:00): 31, pid=1942, name=llama-bench, channel "
			  "0x00000002, "
			  "intr 00000000. MMU Fault: ENGINE GRAPHICS GPC6 GPCCLIENT_T1_13 faulted @ "
			  "0x6f6f_320c2000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
			  &got));
	assert_int_equal(got.row, KLOG_ROW_XID_31);
	assert_string_equal(got.fields.pci, "0000:5d:00.0");
	assert_true(span_is(got.fields.unit, "GRAPHICS"));
	assert_true(got.fields.has_address && got.fields.address == 0x6f6f320c2000);
	assert_true(span_is(got.fields.status, "FAULT_PDE ACCESS_TYPE_VIRT_READ"));
}

static void test_address_in_halves(void **state)
{
	struct klog_fields fields = { 0 };

	(void)state;
	assert_true(klog_pattern_match("at {address}.", span_of("at 0x1_00000002."), &fields));
	assert_int_equal(fields.address, 0x100000002);
	/* What follows an underscore is a half only where it has a half's digits. */
	assert_true(klog_pattern_match("at {address}_beef", span_of("at 0x1_beef"), &fields));
	assert_int_equal(fields.address, 1);
	assert_true(klog_pattern_match("at {address}_00000001", span_of("at 0x123456789_00000001"), &fields));
	assert_int_equal(fields.address, 0x123456789);
}

static void test_text_ends_without_blanks(void **state)
{
	struct klog_match got;

	(void)state;
	assert_true(match("NVRM: Xid (PCI:0009:01:00): 150, MSE_WATCHDOG  Fatal   XC0 i0 Link 01 (0x0 0x0 0x0 0x0)",
			  &got));
	assert_true(span_is(got.fields.unit, "MSE_WATCHDOG"));
	assert_true(got.fields.has_link && got.fields.link == 1);
}

/* The companion of an Xid, told without the number, is that Xid. */
static void test_number_of_a_companion(void **state)
{
	struct klog_match got;

	(void)state;
	assert_true(match("NVRM: GPU 0000:91:00.0: GPU has fallen off the bus.", &got));
	assert_int_equal(got.row, KLOG_ROW_XID_79);
	assert_true(got.fields.has_code && got.fields.code == 79);
}

static void test_details(void **state)
{
	static const char *const details[] = {
		"nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Severity 1 Engine instance 60 Sub-engine instance 00",
		"NVRM: (PCI ID: 10de:2330) installed in this system has",
		"NVRM: fallen off the bus and is not responding to commands.",
		"NVRM: installed in this system is not supported by open",
		"NVRM: nvidia-bug-report.sh as root to collect this data before",
		"NVRM: this kernel module has the version 545.23.08.  Please",
		"NVRM: has the version 580.65.06, but this kernel module has",
		"NVRM: but this kernel module has the version 595.91.07",
		"NVRM: the version 580.82.07.  Please make sure that this kernel module",
		"NVRM: components have the same version.",
	};
	struct klog_match got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
		if (!match(details[i], &got) || got.role != KLOG_ROLE_DETAIL)
			fail_msg("no detail: %s", details[i]);
	}
	/* By itself this one has the number; behind the line that it goes on with it is a detail (tests/klog). */
	assert_true(match("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Data {0x10000000, 0x10000000}", &got));
	assert_int_equal(got.row, KLOG_ROW_SXID_PORT_FATAL);
	assert_true(match(details[2], &got));
	assert_true(span_is(got.fields.status, "fallen off the bus"));
}

/* What the driver found of GPUs stands between the first line of its module and its banner. */
static void test_driver_load(void **state)
{
	struct klog_match got;

	(void)state;
	assert_true(match("nvidia-nvlink: Nvlink Core is being initialized, major device number 236", &got));
	assert_int_equal(got.mark, KLOG_MARK_DRIVER_LOAD);
	assert_false(match("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  525.125.06", &got));
	assert_true(match("NVRM: Xid (PCI:0000:03:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) "
			  "to 0x0 (None)", &got));
	assert_int_equal(got.mark, KLOG_MARK_RESET_OK);
	assert_int_equal(got.role, KLOG_ROLE_EVENT);
}

static void test_nvlink_words(void **state)
{
	static const struct {
		enum klog_row_id told;
		uint64_t xid;
		const char *body;
		enum klog_row_id row;
	} rows[] = {
		{ KLOG_ROW_XID_145_NONFATAL, 145, "RLW_REMAP Nonfatal XC0 i0 Link 02 (0x4 0x20 0x0)",
		  KLOG_ROW_XID_145_FOLLOW },
		/* Two bits at once: the worse one counts. */
		{ KLOG_ROW_XID_145, 145, "RLW_REMAP XC0 i0 Link 02 (0x4 0x60 0x0)", KLOG_ROW_XID_145_FATAL },
		{ KLOG_ROW_XID_145, 145, "RLW_RSPCOL XC0 i0 Link 02 (0x4 0x80000000 0x0)", KLOG_ROW_XID_145_NONFATAL },
		{ KLOG_ROW_XID_149_FATAL, 149, "NETIR_LINK_EVT Fatal XC0 (0x02b00000 0x0", KLOG_ROW_XID_149_SIGNAL },
		/* No bits, half of them, or those of another number. */
		{ KLOG_ROW_XID_149_FATAL, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 01", KLOG_ROW_XID_149_FATAL },
		{ KLOG_ROW_XID_149_FATAL, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x02b00000",
		  KLOG_ROW_XID_149_FATAL },
		{ KLOG_ROW_XID_74, 74, "RLW_REMAP (0x4 0x40", KLOG_ROW_XID_74 },
		{ KLOG_ROW_XID_149, 149, "NETIR Link -1 (0x000fe406 0x00000000 0x0)", KLOG_ROW_XID_149_FATAL },
		{ KLOG_ROW_XID_149, 149, "NETIR_NEW Link 1 (0x000fe406 0x00000000 0x0)", KLOG_ROW_XID_149 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(klog_nvlink_row(rows[i].told, rows[i].xid, span_of(rows[i].body)), rows[i].row);
}

static void test_sxids(void **state)
{
	(void)state;
	for (size_t i = 1; i < nr_klog_sxids; i++)
		assert_true(klog_sxids[i].code > klog_sxids[i - 1].code);
	assert_int_equal(klog_sxid_by_code(20034)->class, KLOG_SXID_PORT);
	assert_null(klog_sxid_by_code(20035));
	assert_int_equal(klog_sxid_row(KLOG_ROW_SXID_PORT_FATAL, 12020), KLOG_ROW_SXID_FABRIC_FATAL);
	assert_int_equal(klog_sxid_row(KLOG_ROW_SXID_NONFATAL, 12020), KLOG_ROW_SXID_NONFATAL);
	assert_int_equal(klog_sxid_row(KLOG_ROW_SXID_OTHER, 99999), KLOG_ROW_SXID_OTHER);
}

static void test_rows(void **state)
{
	(void)state;
	assert_int_equal(klog_row_xid(KLOG_ROW_XID_79), 79);
	assert_int_equal(klog_row_xid(KLOG_ROW_XID_154_DRAIN_AND_RESET), 154);
	assert_int_equal(klog_row_xid(KLOG_ROW_XID_OTHER), -1);
	assert_int_equal(klog_row_xid(KLOG_ROW_SXID_OTHER), -1);
	/* NVIDIA names each number up to 176, and a title belongs to one row. */
	for (uint64_t code = 1; code <= 176; code++)
		assert_int_equal(klog_rows[klog_xid_row(code)].code, code);
	assert_int_equal(klog_xid_row(177), KLOG_ROW_XID_OTHER);
	for (int a = KLOG_NO_ROW + 1; a < NR_KLOG_ROWS; a++) {
		if (klog_rows[a].code < 0)
			continue;
		assert_string_not_equal(klog_rows[a].mnemonic, "");
		for (int b = a + 1; b < NR_KLOG_ROWS; b++)
			assert_string_not_equal(klog_rows[a].title, klog_rows[b].title);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_of_an_xid),
		cmocka_unit_test(test_previous_xid),
		cmocka_unit_test(test_page_fault),
		cmocka_unit_test(test_address_in_halves),
		cmocka_unit_test(test_text_ends_without_blanks),
		cmocka_unit_test(test_number_of_a_companion),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_driver_load),
		cmocka_unit_test(test_nvlink_words),
		cmocka_unit_test(test_sxids),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
