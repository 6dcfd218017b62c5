// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the PCI core and of the host: what a pattern takes out of them, and which go on with an event. */
#include "base/compat.h"
#include "klog/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void assert_span(struct span span, const char *text)
{
	assert_int_equal(span_len(span), strlen(text));
	assert_memory_equal(span.at, text, strlen(text));
}

/* ---- places */

static void requester_ids(void **state)
{
	static const struct {
		const char *source, *text, *device;	/* NULL: no id */
	} cases[] = {
		{ "", "[5d:00.0] ", "0000:5d:00.0" },
		{ "", "[0x5d:0x1f.7] ", "0000:5d:1f.7" },
		{ "", "[00e4] ", "0000:00:1c.4" },
		{ "0000:00:1c.4", "[0700] ", "0000:07:00.0" },
		{ "10000:00:02.0", "[0100] ", "10000:01:00.0" },
		{ "10000:00:02.0", "[01:00.0] ", "10000:01:00.0" },
		{ "10000:00:02.0", "[0001:01:00.0] ", "0001:01:00.0" },
		{ "", "[0] ", NULL }, { "", "[100e4] ", NULL }, { "", "[5d:20.0] ", NULL }, { "", "[5d:00.8] ", NULL },
		{ "", "[5d:00] ", NULL }, { "", "[15d:00.0] ", NULL }, { "", "[] ", NULL },
	};

	(void)state;
	assert_true(klog_pattern_valid("[{rid}] "));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_fields fields = { .pci = "" };

		memcpy(fields.pci, cases[i].source, strlen(cases[i].source) + 1);
		assert_int_equal(klog_pattern_match("[{rid}] ", span_of(cases[i].text), &fields), !!cases[i].device);
		if (cases[i].device)
			assert_string_equal(fields.pci, cases[i].device);
	}
}

static void tasks(void **state)
{
	static const char pattern[] = "task {task} blocked";
	struct klog_fields fields = { .pci = "" };

	(void)state;
	assert_true(klog_pattern_valid(pattern));
	assert_false(klog_pattern_valid("task {task}{*}"));
	assert_true(klog_pattern_match(pattern, span_of("task kworker/u64:2+e:1234 blocked for"), &fields));
	assert_span(fields.process, "kworker/u64:2+e");
	assert_true(fields.has_pid);
	assert_int_equal(fields.pid, 1234);
	assert_true(klog_pattern_match(pattern, span_of("task two words:7 blocked for"), &fields));
	assert_span(fields.process, "two words");
	assert_false(klog_pattern_match(pattern, span_of("task nvidia-smi blocked for"), &fields));
	assert_false(klog_pattern_match(pattern, span_of("task nvidia-smi:x blocked for"), &fields));
}

/* The kernel fills error names up with blanks. */
static void kept_text_has_no_blanks_behind(void **state)
{
	struct klog_fields fields = { .pci = "" };

	(void)state;
	assert_true(klog_pattern_match("[{? }{n}] {status} (First)", span_of("[18] Malformed TLP          (First)"),
				       &fields));
	assert_span(fields.status, "Malformed TLP");
}

/* ---- prefixes */

static void prefixes(void **state)
{
	static const struct {
		const char *line, *body;
		enum klog_family family;
	} cases[] = {
		{ "pcieport 0000:00:07.0: pciehp: Slot(5): Link Down", "Slot(5): Link Down", KLOG_FAMILY_PCI },
		{ "pciehp 0000:00:1c.0:pcie004: Slot(6): Link Down", "Slot(6): Link Down", KLOG_FAMILY_PCI },
		{ "dpc 0000:10:00.0:pcie010: DPC containment event", "DPC containment event", KLOG_FAMILY_PCI },
		{ "pcieport 0000:5c:01.0: DPC: containment event", "containment event", KLOG_FAMILY_PCI },
		{ "mce: [Hardware Error]: Machine check", "Machine check", KLOG_FAMILY_GHES },
		{ "{7}[Hardware Error]: event severity", "event severity", KLOG_FAMILY_GHES },
		{ "[Hardware Error]: Corrected error", "Corrected error", KLOG_FAMILY_GHES },
		{ "mce: CPU supports 22 MCE banks", "mce: CPU supports 22 MCE banks", KLOG_FAMILY_HOST },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct klog_source source;

		klog_source_find(span_of(cases[i].line), &source);
		assert_int_equal(source.family, cases[i].family);
		assert_span(source.body, cases[i].body);
	}
}

/* ---- lines that go on */

static bool turn(struct klog_open *open, const char *text, struct klog_match *match)
{
	struct klog_source source;

	klog_source_find(span_of(text), &source);
	if (!klog_match_reclassify(&source, open, match))
		return false;
	open->row = match->row;
	open->pattern = match->pattern;
	if (!open->device[0])
		memcpy(open->device, match->fields.pci, sizeof(open->device));
	return true;
}

static struct klog_open begin(const char *text)
{
	struct klog_line line = { .text = span_of(text) };
	struct klog_match match;
	struct klog_open open = { .row = KLOG_NO_ROW };

	assert_true(klog_match(&line, &match));
	assert_int_equal(match.role, KLOG_ROLE_EVENT);
	open.row = match.row;
	open.pattern = match.pattern;
	memcpy(open.device, match.fields.pci, sizeof(open.device));
	memcpy(open.reporter, match.source.pci, sizeof(open.reporter));
	return open;
}

static void header_and_error_are_one_event(void **state)
{
	static const char header[] = "pcieport 0000:00:01.0: AER: Corrected error received: 0000:01:00.0";
	static const char of_device[] = "nvidia 0000:01:00.0: PCIe Bus Error: severity=Corrected, "
					"type=Physical Layer, x";
	struct klog_open open = begin(header);
	struct klog_match match;

	(void)state;
	assert_string_equal(open.device, "0000:01:00.0");
	assert_true(turn(&open, of_device, &match));
	assert_int_equal(open.row, KLOG_ROW_AER_CORRECTABLE);
	/* The next one without a header is another. */
	assert_false(turn(&open, of_device, &match));

	/* Of the port itself: it told of the error. */
	open = begin(header);
	assert_true(turn(&open, "pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=x", &match));
	/* Of another device, of another severity. */
	open = begin(header);
	assert_false(turn(&open, "nvidia 0000:02:00.0: PCIe Bus Error: severity=Corrected, type=x", &match));
	assert_false(turn(&open, "nvidia 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=x", &match));

	open = begin(of_device);
	assert_false(turn(&open, of_device, &match));
}

static void a_block_becomes_what_it_says(void **state)
{
	struct klog_open open = begin("{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1");
	struct klog_match match;

	(void)state;
	assert_int_equal(open.row, KLOG_ROW_APEI_OTHER);
	assert_true(klog_follow(&(struct klog_match){ .row = open.row }) > 1);
	assert_false(turn(&open, "{1}[Hardware Error]:   section_type: PCIe error", &match));
	assert_true(turn(&open, "{1}[Hardware Error]: event severity: fatal", &match));
	assert_true(turn(&open, "{1}[Hardware Error]:   section_type: PCIe error", &match));
	assert_int_equal(open.row, KLOG_ROW_AER_FATAL);
	assert_true(turn(&open, "{1}[Hardware Error]:   device_id: 0000:80:03.0", &match));
	assert_string_equal(open.device, "0000:80:03.0");
	/* The second one of the block is a number. */
	assert_false(turn(&open, "{1}[Hardware Error]:   vendor_id: 0x8086, device_id: 0x2f08", &match));
}

/* A guess of the kernel's and a list of modules are no stack. */
static void stacks(void **state)
{
	struct klog_open open = begin("INFO: task nvidia-smi:7 blocked for more than 120 seconds.");
	struct klog_match match;

	(void)state;
	assert_false(turn(&open, "Modules linked in: nvidia_uvm(POE) nvidia(POE)", &match));
	assert_false(turn(&open, " ? os_acquire_mutex+0x3a/0x50 [nvidia]", &match));
	assert_false(turn(&open, " jbd2_journal_commit_transaction+0x123/0x1a40 [jbd2]", &match));
	assert_true(turn(&open, " os_acquire_mutex+0x3a/0x50 [nvidia]", &match));
	assert_int_equal(open.row, KLOG_ROW_HUNG_IN_DRIVER);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requester_ids),
		cmocka_unit_test(tasks),
		cmocka_unit_test(kept_text_has_no_blanks_behind),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(header_and_error_are_one_event),
		cmocka_unit_test(a_block_becomes_what_it_says),
		cmocka_unit_test(stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
