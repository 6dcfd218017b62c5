// SPDX-License-Identifier: GPL-2.0-or-later
/* test_window_rates.c - from two readings to rates: wraps, resets, jumps, torn lines. */
#include "base/compat.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/gpu/drm_clients.h"
#include "probe/window_rates.h"

#define S_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%.17g, not %.17g", value, expected);
}

static void test_growth(void **state)
{
	static const struct {
		uint64_t start, end, grown, grown_32;
		bool known, known_32;
	} cases[] = {
		{ 5, 12, 7, 7, true, true },
		{ 5, 5, 0, 0, true, true },
		{ 12, 5, 0, 0, false, false },				/* a reset */
		{ 4294967290, 4, 0, 10, false, true },			/* a wrap of 32 bits */
		{ 3000000000, 2, 0, 1294967298, false, true },
		{ 1000000, 10, 0, 0, false, false },			/* near zero after little: a reset */
		{ 0, UINT64_MAX, 0, 0, false, false },			/* below zero, as the kernel writes it */
		{ UINT64_MAX - 1, 3, 0, 0, false, false },
		{ 4294967295, 4294967297, 2, 2, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct val_u64 grown = growth_of(val_u64(cases[i].start), val_u64(cases[i].end));
		struct val_u64 grown_32 = growth_of_32_bits(val_u64(cases[i].start), val_u64(cases[i].end));

		assert_int_equal(is_known(grown), cases[i].known);
		assert_int_equal(is_known(grown_32), cases[i].known_32);
		assert_int_equal(u64_or(grown, 0), cases[i].grown);
		assert_int_equal(u64_or(grown_32, 0), cases[i].grown_32);
	}
}

static void test_what_is_missing_stays_so(void **state)
{
	struct val_u64 known = val_u64(1), denied = no_u64(VAL_DENIED, "EACCES"), lost = no_u64(VAL_LOST, "ENODEV");

	(void)state;
	assert_int_equal(growth_of(denied, known).state, VAL_DENIED);
	assert_int_equal(growth_of(known, lost).state, VAL_LOST);
	assert_int_equal(growth_of_32_bits(known, lost).state, VAL_LOST);
	assert_int_equal(rate_of(lost, 1.0, S_NS).state, VAL_LOST);
	assert_string_equal(rate_of(denied, 1.0, S_NS).why, "EACCES");
	assert_int_equal(share_of(lost, MS_NS, S_NS).state, VAL_LOST);
}

static void test_rates_and_shares(void **state)
{
	(void)state;
	assert_near(f64_or(rate_of(val_u64(100), 4096.0, S_NS / 2), -1), 819200.0);
	assert_near(f64_or(rate_of(val_u64(0), 4096.0, S_NS), -1), 0.0);
	assert_false(is_known(rate_of(val_u64(100), 1.0, 0)));
	assert_near(f64_or(share_of(val_u64(250), MS_NS, S_NS), -1), 25.0);
	/* The clock was read a little before the counter. */
	assert_near(f64_or(share_of(val_u64(1004), MS_NS, S_NS), -1), 100.0);
	/* Of a short window a tick is much. */
	assert_near(f64_or(share_of(val_u64(6), 10 * MS_NS, 50 * MS_NS), -1), 100.0);
	assert_false(is_known(share_of(val_u64(1500), MS_NS, S_NS)));
	assert_false(is_known(share_of(val_u64(1), MS_NS, 0)));
}

static void test_cpus(void **state)
{
	struct cpu_ticks start, end;
	struct cpu_shares shares;

	(void)state;
	assert_true(cpu_ticks_parse(" 100 10 20 1000 50 3 2 5 40 0\n", &start));
	/* user +30, system +10, idle +50, iowait +5, steal +5; guest time is in user's */
	assert_true(cpu_ticks_parse(" 130 10 30 1050 55 3 2 10 70 0\n", &end));
	assert_true(cpu_shares_of(&start, &end, 200.0, &shares));
	assert_near(shares.busy, 40.0);
	assert_near(shares.iowait, 5.0);
	assert_near(shares.steal, 5.0);
	/* More ticks than fit, and none at all. */
	assert_false(cpu_shares_of(&start, &end, 99.0, &shares));
	assert_false(cpu_shares_of(&start, &start, 200.0, &shares));
	/* Idle and iowait may fall; work may not. */
	end.kind[4] = 40;
	assert_true(cpu_shares_of(&start, &end, 200.0, &shares));
	assert_near(shares.iowait, 0.0);
	assert_near(shares.busy, 100.0 * 40.0 / 95.0);
	end.kind[0] = 99;
	assert_false(cpu_shares_of(&start, &end, 200.0, &shares));
	/* Linux 2.6.0 had seven, without steal; fewer than four is torn. */
	assert_true(cpu_ticks_parse(" 1 2 3 4 5 6 7\n", &start));
	assert_int_equal(start.kind[7], 0);
	assert_false(cpu_ticks_parse(" 1 2 3\n", &start));
	assert_false(cpu_ticks_parse("", &start));
	assert_false(cpu_ticks_parse(" nonsense", &start));
}

static void test_pressure(void **state)
{
	static const char text[] = "some avg10=0.00 avg60=0.01 avg300=0.00 total=123456\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=77\n";

	(void)state;
	assert_int_equal(u64_or(pressure_total(text, "some "), 0), 123456);
	assert_int_equal(u64_or(pressure_total(text, "full "), 0), 77);
	/* Kernels before 5.13 have no full line for CPUs; a torn one has no total. */
	assert_int_equal(pressure_total("some avg10=0.00 total=5\n", "full ").state, VAL_ABSENT);
	assert_int_equal(pressure_total("some avg10=0.00\nfull total=5\n", "some ").state, VAL_ABSENT);
	assert_int_equal(pressure_total("some avg10=0.00 total=-3\n", "some ").state, VAL_ERROR);
	assert_int_equal(pressure_total("", "some ").state, VAL_ABSENT);
}

static void test_disks(void **state)
{
	struct disk_counts counts;
	char name[64];

	(void)state;
	assert_true(disk_counts_parse(" 259       0 nvme0n1 11 12 13 14 15 16 17 18 0 19 20 0 0 0 0 0 0\n",
				      name, &counts));
	assert_string_equal(name, "nvme0n1");
	assert_int_equal(counts.reads, 11);
	assert_int_equal(counts.sectors_read, 13);
	assert_int_equal(counts.read_ms, 14);
	assert_int_equal(counts.sectors_written, 17);
	assert_int_equal(counts.busy_ms, 19);
	/* As old kernels wrote a partition; torn; nothing. */
	assert_false(disk_counts_parse("   8       1 sda1 1 2 3 4\n", name, &counts));
	assert_false(disk_counts_parse("   8       0 sda 1 2 3 4 5 6 7 8 9\n", name, &counts));
	assert_false(disk_counts_parse("   8       0\n", name, &counts));
	assert_false(disk_counts_parse("", name, &counts));
}

static void test_network(void **state)
{
	struct network_counts counts;
	char name[64];

	(void)state;
	assert_true(network_counts_parse("  eth0: 1000 10 3 4 0 0 0 0 2000 20 5 6 0 0 0 0\n", name, &counts));
	assert_string_equal(name, "eth0");
	assert_int_equal(counts.received_bytes, 1000);
	assert_int_equal(counts.sent_bytes, 2000);
	assert_int_equal(counts.errors, 8);
	assert_int_equal(counts.drops, 10);
	assert_true(network_counts_parse("eth0:1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\n", name, &counts));
	assert_false(network_counts_parse(" face |bytes    packets errs drop fifo frame compressed multicast|\n", name,
					  &counts));
	assert_false(network_counts_parse("  eth0: 1000 10 3\n", name, &counts));
	assert_false(network_counts_parse("\n", name, &counts));
}

static void test_tasks(void **state)
{
	static const char text[] = "18422 (a b) c) R 1 2 3 0 -1 4194560 5 6 7 8 150 50 9 10 20 0 4 0 777 11 12 "
				   "13 14 15 16 17 18 19 20 21 22 23 0 0 17 7 0 0 0 0 0\n";
	struct task_times times;

	(void)state;
	assert_true(task_times_parse(text, &times));
	assert_int_equal(times.ticks, 200);
	assert_int_equal(times.started, 777);
	assert_int_equal(times.cpu, 7);
	assert_false(task_times_parse("18422 (x) R 1 2 3", &times));
	assert_false(task_times_parse("18422 (x", &times));
	assert_false(task_times_parse("", &times));
}

/* ---- engines */

static struct engines engines_in(const char *text)
{
	struct drm_client client;

	assert_true(drm_client_parse(text, &client));
	return client.engines;
}

static void test_fdinfo(void **state)
{
	struct drm_client client;

	(void)state;
	assert_true(drm_client_parse("pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\ndrm-client-id:\t42\n"
				     "drm-pdev:\t0000:03:00.0\ndrm-engine-render:\t123456 ns\n"
				     "drm-engine-video:\t9 ns\ndrm-engine-capacity-video:\t2\n", &client));
	assert_true(client.has_id);
	assert_int_equal(client.id, 42);
	assert_string_equal(client.address, "0000:03:00.0");
	assert_int_equal(client.engines.nr, 2);
	assert_string_equal(client.engines.engine[0].name, "render");
	assert_int_equal(client.engines.engine[0].busy, 123456);
	assert_int_equal(client.engines.engine[1].capacity, 2);
	assert_false(drm_client_parse("pos:\t0\nflags:\t02\n", &client));
	assert_false(drm_client_parse("", &client));
	/* An address that is none of ours, names too long, lines cut short. */
	assert_true(drm_client_parse("drm-driver:\tx\ndrm-pdev:\t0000000000000000000000000000000000000000000000\n"
				     "drm-engine-0123456789012345678901234567890123456789:\t7 ns\ndrm-engine-render",
				     &client));
	assert_string_equal(client.address, "");
	assert_int_equal(client.engines.nr, 0);
}

static void test_engines_by_time(void **state)
{
	struct engines start = engines_in("drm-driver:\ti915\ndrm-engine-render:\t100000000 ns\n"
					  "drm-engine-copy:\t0 ns\n");
	struct engines end = engines_in("drm-driver:\ti915\ndrm-engine-render:\t600000000 ns\n"
					"drm-engine-copy:\t100000000 ns\n");
	struct engines grown = { .nr = 0 };

	(void)state;
	engines_add_growth(&grown, &start, &end);
	assert_near(engines_busiest(&grown, S_NS), 50.0);
	/* A second client of the same GPU. */
	engines_add_growth(&grown, &start, &end);
	assert_near(engines_busiest(&grown, S_NS), 100.0);
	/* More than there was time for is all of it. */
	assert_near(engines_busiest(&grown, S_NS / 2), 100.0);
	/* Two alike engines behind one name. */
	grown.engine[0].capacity = 2;
	assert_near(engines_busiest(&grown, S_NS), 50.0);
	/* Backwards is no use, and no wild one. */
	grown.nr = 0;
	engines_add_growth(&grown, &end, &start);
	assert_near(engines_busiest(&grown, S_NS), 0.0);
	assert_near(engines_busiest(&grown, 0), 0.0);
	/* What fell for a moment keeps its larger number. */
	engines_update(&end, &start);
	assert_int_equal(end.engine[0].busy, 600000000);
}

static void test_engines_by_cycles(void **state)
{
	struct engines start = engines_in("drm-driver:\txe\ndrm-cycles-rcs:\t1000\ndrm-total-cycles-rcs:\t50000\n");
	struct engines end = engines_in("drm-driver:\txe\ndrm-cycles-rcs:\t3500\ndrm-total-cycles-rcs:\t60000\n");
	struct engines grown = { .nr = 0 }, nothing = { .nr = 0 };

	(void)state;
	engines_add_growth(&grown, &start, &end);
	assert_near(engines_busiest(&grown, S_NS), 25.0);
	/* The cycles of the engine are the same ones for a second client. */
	engines_add_growth(&grown, &start, &end);
	assert_near(engines_busiest(&grown, S_NS), 50.0);
	/* One that was not named at the start: its cycles since boot are none of this window. */
	grown.nr = 0;
	engines_add_growth(&grown, &nothing, &end);
	assert_near(engines_busiest(&grown, S_NS), 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_what_is_missing_stays_so),
		cmocka_unit_test(test_rates_and_shares),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_pressure),
		cmocka_unit_test(test_disks),
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_fdinfo),
		cmocka_unit_test(test_engines_by_time),
		cmocka_unit_test(test_engines_by_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
