// SPDX-License-Identifier: GPL-2.0-or-later
/* test_nvme_log.c - the health log of an NVMe controller, byte by byte. */
#include "base/compat.h"
#include "format/nvme_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void test_fields(void **state)
{
	unsigned char log[NVME_HEALTH_LOG_BYTES] = { 0 };
	struct nvme_health health = { 0 };

	(void)state;
	log[0] = NVME_SPARE_LOW | NVME_READ_ONLY;
	log[1] = 0x52, log[2] = 0x01;	/* 338 K */
	log[3] = 4, log[4] = 10, log[5] = 255;
	log[128] = 0xb9, log[129] = 0x1f;
	log[144] = 24;
	log[160] = 0x10, log[164] = 1;
	log[192] = 7, log[196] = 3, log[199] = 1;
	nvme_health_decode(log, &health);
	assert_int_equal(u64_or(health.critical_warning, 0), 9);
	assert_int_equal((int)f64_or(health.temperature_c, 0), 65);
	assert_int_equal(u64_or(health.spare_percent, 0), 4);
	assert_int_equal(u64_or(health.spare_threshold_percent, 0), 10);
	assert_int_equal(u64_or(health.used_percent, 0), 255);
	assert_int_equal(u64_or(health.power_on_hours, 0), 8121);
	assert_int_equal(u64_or(health.unsafe_shutdowns, 0), 24);
	assert_int_equal(u64_or(health.media_errors, 0), 0x100000010);
	assert_int_equal(u64_or(health.hot_minutes, 0), 7);
	assert_int_equal(u64_or(health.too_hot_minutes, 0), 0x01000003);
}

static void test_what_is_no_value(void **state)
{
	unsigned char log[NVME_HEALTH_LOG_BYTES] = { 0 };
	struct nvme_health health = { 0 };

	(void)state;
	/* 0 K is not measured; a counter above 64 bits stops there. */
	log[160 + 9] = 1;
	nvme_health_decode(log, &health);
	assert_int_equal(health.temperature_c.state, VAL_ABSENT);
	assert_true(u64_or(health.media_errors, 0) == UINT64_MAX);
	/* Nothing answers: no warning of every kind, but none that is known. */
	memset(log, 0xff, sizeof(log));
	nvme_health_decode(log, &health);
	assert_int_equal(health.critical_warning.state, VAL_LOST);
	assert_int_equal(health.media_errors.state, VAL_LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_what_is_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
