// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_link_modes.c - link modes of a network card: their speeds, and the kernel's answers, which this program gives.
 */
#include "base/compat.h"
#include "format/link_modes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <cmocka.h>

#include "probe/system/system_internal.h"

enum { NR_WORDS = 4 };

static void set(uint32_t *mask, unsigned bit)
{
	mask[bit / 32] |= UINT32_C(1) << bit % 32;
}

static uint64_t speed_of(unsigned bit)
{
	uint32_t mask[NR_WORDS] = { 0 };

	set(mask, bit);
	return link_modes_fastest_mbps(mask, mask, NR_WORDS);
}

/* Against the kernel's own header, each form once and both ends of the long rows. */
static void test_speeds(void **state)
{
	(void)state;
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_10baseT_Half_BIT), 10);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_100baseT_Full_BIT), 100);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_1000baseT_Full_BIT), 1000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_2500baseT_Full_BIT), 2500);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_5000baseT_Full_BIT), 5000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_10000baseT_Full_BIT), 10000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_10000baseER_Full_BIT), 10000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_20000baseKR2_Full_BIT), 20000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_25000baseCR_Full_BIT), 25000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_40000baseLR4_Full_BIT), 40000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT), 50000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_50000baseDR_Full_BIT), 50000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_56000baseKR4_Full_BIT), 56000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT), 100000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_100000baseDR2_Full_BIT), 100000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_100000baseDR_Full_BIT), 100000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT), 200000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_200000baseCR2_Full_BIT), 200000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_400000baseKR8_Full_BIT), 400000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT), 400000);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_Autoneg_BIT), 0);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_FEC_RS_BIT), 0);
	assert_int_equal(speed_of(ETHTOOL_LINK_MODE_FEC_LLRS_BIT), 0);
	assert_int_equal(speed_of(121), 0);
}

/* ---- the kernel's answers */

static struct { int first, second; bool is_fixed, is_silent; signed char nr_words; } kernel;

/* Instead of libc's. */
int ioctl(int fd, unsigned long what, ...)
{
	struct ethtool_link_settings *settings;
	va_list arguments;
	int error;

	(void)fd;
	va_start(arguments, what);
	settings = (struct ethtool_link_settings *)va_arg(arguments, struct ifreq *)->ifr_data;
	va_end(arguments);
	assert_int_equal(what, SIOCETHTOOL);
	error = settings->link_mode_masks_nwords ? kernel.second : kernel.first;
	if (error) {
		errno = error;
		return -1;
	}
	if (!settings->link_mode_masks_nwords) {
		settings->link_mode_masks_nwords = (__s8)-kernel.nr_words;
		return 0;
	}
	assert_int_equal(settings->link_mode_masks_nwords, kernel.nr_words);
	settings->autoneg = kernel.is_fixed ? AUTONEG_DISABLE : AUTONEG_ENABLE;
	set(settings->link_mode_masks, ETHTOOL_LINK_MODE_100000baseCR2_Full_BIT);
	set(settings->link_mode_masks + kernel.nr_words, ETHTOOL_LINK_MODE_50000baseCR_Full_BIT);
	set(settings->link_mode_masks + kernel.nr_words, ETHTOOL_LINK_MODE_25000baseCR_Full_BIT);
	if (kernel.is_silent)
		return 0;
	set(settings->link_mode_masks + 2 * kernel.nr_words, ETHTOOL_LINK_MODE_100000baseCR2_Full_BIT);
	set(settings->link_mode_masks + 2 * kernel.nr_words, ETHTOOL_LINK_MODE_25000baseCR_Full_BIT);
	return 0;
}

static void check(enum val_state state, const char *why)
{
	struct val_u64 told = network_speed_able("eth0");

	assert_int_equal(told.state, state);
	assert_string_equal(told.why, why);
}

static void test_both_ends(void **state)
{
	(void)state;
	kernel.nr_words = 3;
	/* Neither what this end supports and does not advertise, nor what only one end has. */
	assert_int_equal(u64_or(network_speed_able("eth0"), 0), 25000);
	kernel.nr_words = 127;
	assert_int_equal(u64_or(network_speed_able("eth0"), 0), 25000);
}

static void test_no_answer(void **state)
{
	(void)state;
	kernel.nr_words = 3;
	kernel.is_silent = true;
	check(VAL_ABSENT, "the other end told no link modes");
	kernel.is_fixed = true;
	check(VAL_ABSENT, "its speed is not negotiated");
	kernel.first = EOPNOTSUPP;
	check(VAL_UNSUPPORTED, "its driver tells no link modes");
	kernel.first = EPERM;
	check(VAL_DENIED, "EPERM");
	kernel.first = 0;
	kernel.second = EIO;
	check(VAL_ERROR, "EIO");
	kernel.second = 0;
	/* A length that is none, and one with the wrong sign. */
	kernel.nr_words = 0;
	check(VAL_ERROR, "EPROTO");
	kernel.nr_words = -3;
	check(VAL_ERROR, "EPROTO");
	assert_false(is_known(network_speed_able("a-name-that-is-longer-than-any")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speeds),
		cmocka_unit_test(test_both_ends),
		cmocka_unit_test(test_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
