// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pci_probe.c - what probes of the PCI bus make of registers, counters, paths and the firmware's tables. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/pci_config.h"
#include "format/smbios.h"
#include "probe/pci/aer.h"
#include "probe/pci/pci_gpu.h"
#include "probe/pci/pci_path.h"

static struct arena arena;

static int release_arena(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* ---- configuration space */

/* The PCI Express capability at 0x60: 256 of 512 bytes, reads of 4096, L1, a slot with a card and a link that is up. */
static void make_port(unsigned char config[PCI_CONFIG_BYTES])
{
	memset(config, 0, PCI_CONFIG_BYTES);
	config[0x06] = 0x10;
	config[0x34] = 0x60;
	config[0x60] = 0x10;
	config[0x62] = 0x62;	/* downstream port */
	config[0x63] = 0x01;	/* slot implemented */
	config[0x64] = 0x02;
	config[0x68] = 0x20;
	config[0x69] = 0x50;
	config[0x6e] = 0x10;	/* reports its link */
	config[0x70] = 0x02;
	config[0x73] = 0x20;
	config[0x7a] = 0x40;
}

static void settings_are_read(void **state)
{
	unsigned char config[PCI_CONFIG_BYTES];
	struct pci_function pci = { 0 };

	(void)state;
	make_port(config);
	pci_config_settings(&arena, config, sizeof(config), &pci);
	assert_int_equal(u64_or(pci.max_payload_bytes, 0), 256);
	assert_int_equal(u64_or(pci.max_payload_able_bytes, 0), 512);
	assert_int_equal(u64_or(pci.max_read_request_bytes, 0), 4096);
	assert_string_equal(str_or(pci.aspm, ""), "L1");
	assert_true(bool_or(pci_config_slot_present(config, sizeof(config)), false));
	assert_true(bool_or(pci_config_link_active(config, sizeof(config)), false));
	config[0x73] = config[0x7a] = 0;
	assert_false(bool_or(pci_config_slot_present(config, sizeof(config)), true));
	assert_false(bool_or(pci_config_link_active(config, sizeof(config)), true));
	config[0x63] = config[0x6e] = 0;
	assert_int_equal(pci_config_slot_present(config, sizeof(config)).state, VAL_ABSENT);
	assert_int_equal(pci_config_link_active(config, sizeof(config)).state, VAL_ABSENT);
	config[0x68] = 0xc0;
	config[0x62] = 0x92;	/* an integrated endpoint */
	pci_config_settings(&arena, config, sizeof(config), &pci);
	assert_string_equal(pci.max_payload_bytes.why, "reads code 6");
	assert_int_equal(pci.aspm.state, VAL_ABSENT);
}

static void settings_that_cannot_be_read_say_why(void **state)
{
	unsigned char config[PCI_CONFIG_BYTES];
	struct pci_function pci = { 0 };

	(void)state;
	make_port(config);
	pci_config_settings(&arena, config, 64, &pci);
	assert_int_equal(pci.max_payload_bytes.state, VAL_DENIED);
	assert_int_equal(pci.aspm.state, VAL_DENIED);
	assert_int_equal(pci_config_slot_present(config, 64).state, VAL_DENIED);
	/* A capability at the very end: its type is there, and no more. */
	config[0x34] = 0xf8;
	config[0xf8] = 0x10;
	pci_config_settings(&arena, config, sizeof(config), &pci);
	assert_int_equal(pci.max_payload_bytes.state, VAL_ERROR);
	assert_int_equal(pci_config_link_active(config, sizeof(config)).state, VAL_ERROR);
	memset(config, 0xff, sizeof(config));
	pci_config_settings(&arena, config, sizeof(config), &pci);
	assert_int_equal(pci.max_payload_bytes.state, VAL_LOST);
}

static void extended_capabilities_are_followed(void **state)
{
	static const unsigned char acs[4] = { 0x0d, 0x00, 0x01, 0x14 }, last[4] = { 0x0d, 0x00, 0x01, 0x00 };
	static const unsigned char into_header[4] = { 0x01, 0x00, 0x01, 0x04 }, ones[4] = { 0xff, 0xff, 0xff, 0xff };

	(void)state;
	assert_int_equal(pci_config_extended_id(acs), 0x0d);
	assert_int_equal(pci_config_extended_next(acs), 0x140);
	assert_int_equal(pci_config_extended_next(last), 0);
	assert_int_equal(pci_config_extended_next(into_header), 0);
	assert_int_equal(pci_config_extended_next(ones), 0);
}

/* ---- counters */

static void assert_counts(const char *text, bool is_whole, uint64_t total, uint64_t unsupported, const char *words)
{
	STRBUF_AUTO kinds = STRBUF_INIT;
	struct aer_counts counts;

	aer_parse(text, &counts, &kinds);
	assert_int_equal(counts.is_whole, is_whole);
	assert_int_equal(counts.total, total);
	assert_int_equal(counts.unsupported, unsupported);
	assert_string_equal(kinds.buf ? kinds.buf : "", words);
}

static void counters_are_the_last_word_of_a_line(void **state)
{
	(void)state;
	assert_counts("RxErr 0\nBadTLP 3\nTimeout 1\nTOTAL_ERR_COR 4\n", true, 4, 0, "BadTLP 3, Timeout 1");
	assert_counts("Receiver Error 2\nRELAY_NUM Rollover 5\nTOTAL_ERR_COR 7", true, 7, 0,
		      "Receiver Error 2, RELAY_NUM Rollover 5");
	assert_counts("CmpltTO 1\nUnsupReq 4\ndev_uncor_errs_bit[27] 2\nTOTAL_ERR_NONFATAL 7\n", true, 7, 4,
		      "CmpltTO 1, UnsupReq 4, dev_uncor_errs_bit[27] 2");
	assert_counts("Unsupported Request 4\nTOTAL_ERR_NONFATAL 4\n", true, 4, 4, "Unsupported Request 4");
	assert_counts("", false, 0, 0, "");
	assert_counts("RxErr 1\nBadTLP", false, 0, 0, "RxErr 1");
	assert_counts("7\n \nBadTLP -1\nBadDLLP 99999999999999999999999999999\nTOTAL_ERR_COR x\n", false, 0, 0, "");
	assert_counts("Bad\xff 3\nTOTAL_ERR_COR 3\n", true, 3, 0, "Bad\xef\xbf\xbd 3");
}

/* ---- BARs, paths and slots */

#define NONE "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"

static void the_largest_bar_is_found(void **state)
{
	unsigned number = 9;

	(void)state;
	assert_int_equal(pci_largest_bar("0x00000000d0000000 0x00000000dfffffff 0x000000000014220c\n" NONE
					 "0x00000000e0000000 0x00000000e01fffff 0x000000000014220c\n" NONE
					 "0x000000000000d000 0x0000000fffffffff 0x0000000000040101\n", &number),
			 256 << 20);
	assert_int_equal(number, 0);
	/* An expansion ROM, the seventh line, is none. */
	assert_int_equal(pci_largest_bar(NONE NONE NONE NONE NONE NONE "0xfcb00000 0xfcb7ffff 0x40200\n", &number), 0);
	assert_int_equal(pci_largest_bar("", &number), 0);
	assert_int_equal(pci_largest_bar("0x10 0x1\n0x1\nx y z\n0x0 0xffffffffffffffff 0x200\n", &number), 0);
}

static void bridges_stand_in_the_link(void **state)
{
	struct strs bridges = { .nr = 0 };

	(void)state;
	pci_path_bridges(&arena, "../../../devices/pci0000:40/0000:40:01.0/0000:41:00.0/0000:42:00.0", &bridges);
	assert_int_equal(bridges.nr, 2);
	assert_string_equal(bridges.v[0], "0000:41:00.0");
	assert_string_equal(bridges.v[1], "0000:40:01.0");
	bridges.nr = 0;
	pci_path_bridges(&arena,
			 "../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0", &bridges);
	assert_int_equal(bridges.nr, 1);
	assert_string_equal(bridges.v[0], "10000:e0:06.0");
	bridges.nr = 0;
	pci_path_bridges(&arena, "", &bridges);
	pci_path_bridges(&arena, "0000:42:00.0", &bridges);
	assert_int_equal(bridges.nr, 0);
}

static void functions_are_in_slots(void **state)
{
	(void)state;
	assert_true(pci_is_in_slot("0000:5d:00.1", "0000:5d:00"));
	assert_true(pci_is_in_slot("0000:5d:00.0", "0000:5d"));
	assert_true(pci_is_in_slot("10000:e1:00.0", "10000:e1:00"));
	assert_false(pci_is_in_slot("0000:5d:00.0", "0000:5d:0"));
	assert_false(pci_is_in_slot("0000:5d:01.0", "0000:5d:00"));
	assert_false(pci_is_in_slot("0000:5d:00.0", ""));
	assert_false(pci_is_in_slot("0000:5d:00.0", "0000:5d:00.0 and more"));
}

/* ---- SMBIOS */

#define BIOS "\x00\x06\x00\x00\x01\x02" "Vendor\0" "2.4\0" "\0"
/* Length 0x11: designation 1, then what stands up to the place at 0x0d. */
#define SLOT_AT(place, strings) "\x09\x11\x10\x00\x01\xb6\x0d\x04\x04\x01\x00\x04\x01" place strings "\0"
#define ONBOARD_AT(place, strings) "\x29\x0b\x11\x00\x01\x83\x01" place strings "\0"
#define END "\x7f\x04\xff\xfe\0\0"

static void assert_label(const char *table, size_t len, const char *address, const char *expected)
{
	STRBUF_AUTO label = STRBUF_INIT;
	struct pci_address place;
	/* At the very end of what is ours, so that a look beyond it is seen by the sanitizer. */
	unsigned char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, table, len);
	assert_int_equal(parse_pci_address(address, &place), 0);
	assert_int_equal(smbios_slot_label(copy, len, &place, &label), expected != NULL);
	if (expected)
		assert_string_equal(label.buf, expected);
	free(copy);
}

static void slots_have_labels(void **state)
{
	static const char table[] = BIOS SLOT_AT("\x00\x00\x5d\x00", " PCIe-7 \0")
		SLOT_AT("\x00\x00\xff\xff", "Empty\0")
		ONBOARD_AT("\x01\x00\x1a\x08", "SXM 3\0") ONBOARD_AT("\x00\x00\x5d\x00", "not this\0") END;

	(void)state;
	assert_label(table, sizeof(table) - 1, "0000:5d:00.0", "PCIe-7");
	assert_label(table, sizeof(table) - 1, "0000:5d:00.3", "PCIe-7");
	assert_label(table, sizeof(table) - 1, "0001:1a:01.0", "SXM 3");
	assert_label(table, sizeof(table) - 1, "0000:1a:01.0", NULL);
	assert_label(table, sizeof(table) - 1, "10000:5d:00.0", NULL);
	assert_label(table, sizeof(table) - 1, "0000:ff:1f.7", NULL);
}

static void damaged_tables_name_nothing(void **state)
{
	static const char good[] = SLOT_AT("\x00\x00\x5d\x00", "PCIe-7\0") END;
	static const char no_string[] = SLOT_AT("\x00\x00\x5d\x00", "\0") END;
	static const char old[] = "\x09\x0d\x10\x00\x01\xb6\x0d\x04\x04\x01\x00\x04\x01" "Slot\0\0" END;
	static const char blanks[] = SLOT_AT("\x00\x00\x5d\x00", "  \t\0") END;
	static const char short_header[] = "\x09\x03\x10\x00\0\0" SLOT_AT("\x00\x00\x5d\x00", "PCIe-7\0");
	static const char after_end[] = END SLOT_AT("\x00\x00\x5d\x00", "PCIe-7\0");

	(void)state;
	/* Cut anywhere before its last string ends, it names nothing. */
	for (size_t len = 0; len < sizeof(good) - 1 - sizeof(END) + 1; len++)
		assert_label(good, len, "0000:5d:00.0", NULL);
	assert_label(good, sizeof(good) - sizeof(END), "0000:5d:00.0", "PCIe-7");
	assert_label(no_string, sizeof(no_string) - 1, "0000:5d:00.0", NULL);
	assert_label(old, sizeof(old) - 1, "0000:00:00.0", NULL);
	assert_label(blanks, sizeof(blanks) - 1, "0000:5d:00.0", NULL);
	assert_label(short_header, sizeof(short_header) - 1, "0000:5d:00.0", NULL);
	assert_label(after_end, sizeof(after_end) - 1, "0000:5d:00.0", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(settings_that_cannot_be_read_say_why),
		cmocka_unit_test(extended_capabilities_are_followed),
		cmocka_unit_test(counters_are_the_last_word_of_a_line),
		cmocka_unit_test(the_largest_bar_is_found),
		cmocka_unit_test(bridges_stand_in_the_link),
		cmocka_unit_test(functions_are_in_slots),
		cmocka_unit_test(slots_have_labels),
		cmocka_unit_test(damaged_tables_name_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, release_arena);
}
