// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_bonds.c - /proc/net/bonding, as root and as a user reads it (Documentation/networking/bonding.rst; Linux 6.1).
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#define HEAD "Ethernet Channel Bonding Driver: v6.1.0\n\nBonding Mode: IEEE 802.3ad Dynamic link aggregation\n" \
	"Transmit Hash Policy: layer3+4 (1)\nMII Status: up\nMII Polling Interval (ms): 100\n\n802.3ad info\n"
#define ACTIVE                                                                                                         \
	"Active Aggregator Info:\n\tAggregator ID: 1\n\tNumber of ports: 2\n\tPartner Mac Address: 00:1c:73:00:00:01\n"

#define MEMBER(name, status, aggregator) \
	"\nSlave Interface: " name "\nMII Status: " status "\nSpeed: 100000 Mbps\nLink Failure Count: 0\n" \
	"Aggregator ID: " aggregator "\n"
#define PARTNER(mac) \
	"details actor lacp pdu:\n    system mac address: b8:3f:d2:00:00:01\ndetails partner lacp pdu:\n" \
	"    system mac address: " mac "\n"

static struct arena arena;

static struct bond parsed(const char *text)
{
	struct bond bond = { 0 };

	bond_parse(&arena, text, &bond);
	return bond;
}

static void test_whole(void **state)
{
	struct bond bond = parsed(HEAD ACTIVE MEMBER("ens1f0", "up", "1") PARTNER("00:1c:73:00:00:01")
				  MEMBER("ens1f1", "up", "1") PARTNER("00:1c:73:00:00:01"));

	(void)state;
	assert_int_equal(u64_or(bond.members, 0), 2);
	assert_string_equal(str_or(bond.mode, ""), "IEEE 802.3ad Dynamic link aggregation");
	assert_int_equal(bond.members_down.nr + bond.members_apart.nr, 0);
}

static void test_down_and_apart(void **state)
{
	struct bond bond = parsed(HEAD ACTIVE MEMBER("ens1f0", "up", "1") PARTNER("00:1c:73:00:00:01")
				  MEMBER("ens1f1", "down", "2") PARTNER("00:00:00:00:00:00")
				  MEMBER("ens2f0", "up", "3") PARTNER("00:00:00:00:00:00")
				  MEMBER("ens2f1", "up", "4") PARTNER("00:1c:73:00:00:09"));

	(void)state;
	assert_int_equal(bond.members_down.nr, 1);
	assert_string_equal(bond.members_down.v[0], "ens1f1");
	/* One whose switch does not answer, and one that another switch took. */
	assert_int_equal(bond.members_apart.nr, 2);
	assert_string_equal(bond.members_apart.v[0], "ens2f0");
	assert_string_equal(bond.members_apart.v[1], "ens2f1");
}

static void test_without_root(void **state)
{
	struct bond bond = parsed(HEAD MEMBER("ens1f0", "up", "1") MEMBER("ens1f1", "up", "2"));

	(void)state;
	assert_int_equal(bond.members_apart.nr, 0);
}

/* No switch takes part in these modes. */
static void test_active_backup(void **state)
{
	struct bond bond = parsed("Bonding Mode: fault-tolerance (active-backup)\nMII Status: up\n"
				  MEMBER("eno1", "up", "1") PARTNER("00:00:00:00:00:00") MEMBER("eno2", "down", "2"));

	(void)state;
	assert_int_equal(bond.members_apart.nr, 0);
	assert_int_equal(bond.members_down.nr, 1);
}

static void test_torn(void **state)
{
	struct bond bond = parsed("Slave Interface");

	(void)state;
	assert_int_equal(u64_or(bond.members, 9), 0);
	assert_int_equal(parsed("").mode.state, VAL_ABSENT);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_down_and_apart),
		cmocka_unit_test(test_without_root),
		cmocka_unit_test(test_active_backup),
		cmocka_unit_test(test_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
