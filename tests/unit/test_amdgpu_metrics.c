// SPDX-License-Identifier: GPL-2.0-or-later
/* test_amdgpu_metrics.c - gpu_metrics of each version, built here, and tables that are none. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/amdgpu_metrics.h"

enum { ROOM = 4096 };

struct table {
	unsigned char bytes[ROOM];
	size_t len;
};

/* As the driver begins one: all ones below its header. */
static struct table begin(unsigned format, unsigned content, size_t len)
{
	struct table table = { .len = len };

	memset(table.bytes, 0xff, sizeof(table.bytes));
	table.bytes[0] = (unsigned char)len;
	table.bytes[1] = (unsigned char)(len >> 8);
	table.bytes[2] = (unsigned char)format;
	table.bytes[3] = (unsigned char)content;
	return table;
}

static void put(struct table *table, size_t at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes; i++, value >>= 8)
		table->bytes[at + i] = (unsigned char)value;
}

static struct amdgpu_metrics decode(const struct table *table)
{
	struct amdgpu_metrics metrics;
	const char *why;

	assert_int_equal(amdgpu_metrics_decode(table->bytes, table->len, &metrics, &why), 0);
	return metrics;
}

#define assert_u64(value, expected) assert_true(is_known(value) && u64_or((value), 0) == (expected))
#define assert_c(value, expected) assert_true(is_known(value) && f64_or((value), -1) == (expected))

static void table_1_0_has_small_links(void **state)
{
	struct table table = begin(1, 0, 80);
	struct amdgpu_metrics metrics;

	(void)state;
	put(&table, 16, 2, 41);
	put(&table, 34, 2, 215);
	put(&table, 54, 2, 1801);
	put(&table, 74, 1, 8);
	put(&table, 75, 1, 80);
	metrics = decode(&table);
	assert_string_equal(amdgpu_metrics_version(&metrics), "1.0");
	assert_c(metrics.edge_c, 41);
	assert_u64(metrics.socket_power_mw, 215000);
	assert_u64(metrics.current_gfxclk_mhz, 1801);
	assert_u64(metrics.pcie_link_width, 8);
	assert_u64(metrics.pcie_link_speed_mtps, 8000);
	assert_int_equal(metrics.memory_c.state, VAL_UNSUPPORTED);
	assert_int_equal(metrics.indep_throttle_status.state, VAL_ABSENT);
}

/* 1.1, 1.2 and 1.3 have the same places; the last has the bits that every chip shares. */
static void tables_1_1_to_1_3_grow_at_their_end(void **state)
{
	static const size_t sizes[] = { 96, 104, 120 };

	(void)state;
	for (unsigned content = 1; content <= 3; content++) {
		struct table table = begin(1, content, sizes[content - 1]);
		struct amdgpu_metrics metrics;

		put(&table, 4, 2, 56);
		put(&table, 6, 2, 59);
		put(&table, 8, 2, 54);
		put(&table, 22, 2, 36);
		put(&table, 68, 4, 2);
		put(&table, 74, 2, 16);
		put(&table, 76, 2, 160);
		put(&table, 112, 8, (uint64_t)1 << 36);
		metrics = decode(&table);
		assert_int_equal(metrics.content, content);
		assert_c(metrics.hotspot_c, 59);
		assert_u64(metrics.socket_power_mw, 36000);
		assert_u64(metrics.throttle_status, 2);
		assert_u64(metrics.pcie_link_speed_mtps, 16000);
		assert_int_equal(is_known(metrics.indep_throttle_status), content == 3);
		assert_true(u64_or(metrics.indep_throttle_status, (uint64_t)1 << 36) == (uint64_t)1 << 36);
	}
}

static void tables_1_4_and_1_5_count_errors_of_the_link(void **state)
{
	static const struct { unsigned content; size_t size, throttle, width, recoveries, clocks; } forms[] = {
		{ .content = 4, .size = 288, .throttle = 40, .width = 48, .recoveries = 80, .clocks = 240 },
		{ .content = 5, .size = 360, .throttle = 104, .width = 112, .recoveries = 144, .clocks = 312 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct table table = begin(1, forms[i].content, forms[i].size);
		struct amdgpu_metrics metrics;

		put(&table, 4, 2, 43);
		put(&table, 10, 2, 140);
		put(&table, forms[i].throttle, 4, 0);
		put(&table, forms[i].width, 2, 16);
		put(&table, forms[i].width + 2, 2, 320);
		put(&table, forms[i].width + 4, 2, 16);
		put(&table, forms[i].width + 6, 2, 32);
		put(&table, forms[i].recoveries, 8, 3);
		put(&table, forms[i].recoveries + 8, 8, 7);
		put(&table, forms[i].clocks, 2, 132);
		put(&table, forms[i].clocks + 6, 2, 2100);
		metrics = decode(&table);
		assert_int_equal(metrics.edge_c.state, VAL_ABSENT);
		assert_c(metrics.hotspot_c, 43);
		assert_u64(metrics.throttle_status, 0);
		assert_u64(metrics.pcie_link_width, 16);
		assert_u64(metrics.pcie_link_speed_mtps, 32000);
		assert_u64(metrics.xgmi_link_width, 16);
		assert_u64(metrics.xgmi_link_speed_mtps, 32000);
		assert_u64(metrics.pcie_recoveries, 3);
		assert_u64(metrics.pcie_replays, 7);
		assert_u64(metrics.current_gfxclk_mhz, 2100);
		assert_int_equal(metrics.accumulation_counter.state, VAL_ABSENT);
	}
}

static void tables_1_6_to_1_8_count_residencies(void **state)
{
	static const struct { unsigned content; size_t size, counter, width, recoveries; } forms[] = {
		{ .content = 6, .size = 1664, .counter = 32, .width = 60, .recoveries = 96 },
		{ .content = 7, .size = 2208, .counter = 40, .width = 68, .recoveries = 104 },
		{ .content = 8, .size = 3872, .counter = 40, .width = 68, .recoveries = 104 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct table table = begin(1, forms[i].content, forms[i].size);
		struct amdgpu_metrics metrics;

		for (size_t field = 0; field < 6; field++)
			put(&table, forms[i].counter + 4 * field, 4, 1000 + field);
		put(&table, forms[i].width, 2, 16);
		put(&table, forms[i].recoveries, 8, 1);
		put(&table, 264, 2, 1);		/* of 1.7 on links; of 1.6 a clock */
		put(&table, 266, 2, 0);
		put(&table, 278, 2, 2);
		metrics = decode(&table);
		assert_u64(metrics.accumulation_counter, 1000);
		assert_u64(metrics.prochot_residency, 1001);
		assert_u64(metrics.ppt_residency, 1002);
		assert_u64(metrics.socket_thm_residency, 1003);
		assert_u64(metrics.vr_thm_residency, 1004);
		assert_u64(metrics.hbm_thm_residency, 1005);
		assert_u64(metrics.pcie_link_width, 16);
		assert_u64(metrics.pcie_recoveries, 1);
		assert_int_equal(metrics.throttle_status.state, VAL_ABSENT);
		if (forms[i].content == 6) {
			assert_int_equal(metrics.xgmi_link_status[0].state, VAL_ABSENT);
			continue;
		}
		assert_u64(metrics.xgmi_link_status[0], AMDGPU_XGMI_ACTIVE);
		assert_u64(metrics.xgmi_link_status[1], AMDGPU_XGMI_INACTIVE);
		assert_int_equal(metrics.xgmi_link_status[2].state, VAL_UNSUPPORTED);
		assert_u64(metrics.xgmi_link_status[7], AMDGPU_XGMI_NOT_AVAILABLE);
	}
}

static void apus_measure_in_hundredths(void **state)
{
	static const struct { unsigned content; size_t size, at, throttle, clock; } forms[] = {
		{ .content = 0, .size = 120, .at = 16, .throttle = 112, .clock = 80 },
		{ .content = 1, .size = 120, .at = 4, .throttle = 108, .clock = 76 },
		{ .content = 2, .size = 128, .at = 4, .throttle = 108, .clock = 76 },
		{ .content = 3, .size = 152, .at = 4, .throttle = 108, .clock = 76 },
		{ .content = 4, .size = 168, .at = 4, .throttle = 108, .clock = 76 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct table table = begin(2, forms[i].content, forms[i].size);
		struct amdgpu_metrics metrics;

		put(&table, forms[i].at, 2, 4275);
		put(&table, 40, 2, 3401);	/* of power nobody tells the unit */
		put(&table, forms[i].throttle, 4, 0);
		put(&table, forms[i].clock, 2, 800);
		if (forms[i].content >= 2)
			put(&table, 120, 8, 5);
		metrics = decode(&table);
		assert_c(metrics.edge_c, 42.75);
		assert_u64(metrics.throttle_status, 0);
		assert_u64(metrics.current_gfxclk_mhz, 800);
		assert_int_equal(metrics.socket_power_mw.state, VAL_ABSENT);
		assert_int_equal(is_known(metrics.indep_throttle_status), forms[i].content >= 2);
	}
}

static void table_3_0_counts_by_reason(void **state)
{
	struct table table = begin(3, 0, 264);
	struct amdgpu_metrics metrics;

	(void)state;
	put(&table, 4, 2, 5100);
	put(&table, 112, 4, 14250);
	put(&table, 228, 4, 9);
	put(&table, 232, 4, 10);
	put(&table, 240, 4, 20);	/* 236 is not filled in */
	put(&table, 244, 4, 1);
	put(&table, 248, 4, 2);
	put(&table, 252, 4, 4);
	metrics = decode(&table);
	assert_c(metrics.edge_c, 51);
	assert_u64(metrics.socket_power_mw, 14250);
	assert_u64(metrics.prochot_residency, 9);
	assert_u64(metrics.ppt_residency, 30);
	assert_u64(metrics.socket_thm_residency, 7);
	assert_int_equal(metrics.hbm_thm_residency.state, VAL_ABSENT);
}

/* Version 1.9: unit, type, field and how many, then so many numbers. */
static void attribute(struct table *table, unsigned type, unsigned id, unsigned nr, const uint64_t *values)
{
	put(table, table->len, 8, (uint64_t)type << 20 | (uint64_t)id << 10 | nr);
	table->len += 8;
	for (unsigned i = 0; i < nr; i++) {
		put(table, table->len, 1u << (type >> 1), values[i]);
		table->len += (size_t)1 << (type >> 1);
	}
	put(table, 0, 2, table->len);
}

static void table_1_9_names_its_fields(void **state)
{
	struct table table = begin(1, 9, 8);
	struct amdgpu_metrics metrics;

	(void)state;
	put(&table, 4, 4, 8);
	attribute(&table, 3, 0, 1, (const uint64_t[]){ 47 });
	attribute(&table, 3, 1, 1, (const uint64_t[]){ 0xffff });
	attribute(&table, 2, 3, 1, (const uint64_t[]){ 701 });
	attribute(&table, 4, 9, 1, (const uint64_t[]){ 123456 });
	attribute(&table, 4, 11, 1, (const uint64_t[]){ 600 });
	attribute(&table, 6, 25, 1, (const uint64_t[]){ 2 });
	attribute(&table, 2, 31, 10,
		  (const uint64_t[]){ 1, 0, 2, 1, 1, 1, 1, 1, 0, 0 });	/* two more than known */
	attribute(&table, 7, 1000, 2, (const uint64_t[]){ 1, 2 });				/* one nobody knows */
	metrics = decode(&table);
	assert_string_equal(amdgpu_metrics_version(&metrics), "1.9");
	assert_c(metrics.hotspot_c, 47);
	assert_int_equal(metrics.memory_c.state, VAL_UNSUPPORTED);
	assert_u64(metrics.socket_power_mw, 701000);
	assert_u64(metrics.accumulation_counter, 123456);
	assert_u64(metrics.ppt_residency, 600);
	assert_u64(metrics.pcie_replays, 2);
	assert_u64(metrics.xgmi_link_status[1], AMDGPU_XGMI_INACTIVE);
	assert_u64(metrics.xgmi_link_status[7], AMDGPU_XGMI_ACTIVE);
	assert_int_equal(metrics.throttle_status.state, VAL_ABSENT);
}

/* Refused, with words, and without a value left behind. */
static void refused(const struct table *table, size_t len, int error, const char *words)
{
	struct amdgpu_metrics metrics;
	const char *why = NULL;

	assert_int_equal(amdgpu_metrics_decode(table->bytes, len, &metrics, &why), error);
	assert_string_equal(why, words);
	for (size_t at = offsetof(struct amdgpu_metrics, edge_c); at < sizeof(metrics); at += sizeof(union any_value)) {
		struct val_head head;

		memcpy(&head, (const char *)&metrics + at, sizeof(head));
		assert_int_equal(head.state, VAL_ABSENT);
	}
}

static void what_is_no_table_gives_no_value(void **state)
{
	struct table table = begin(1, 3, 120);

	(void)state;
	put(&table, 4, 2, 56);
	refused(&table, 0, -EMSGSIZE, "cut short before its version");
	refused(&table, 3, -EMSGSIZE, "cut short before its version");
	refused(&table, 4, -EMSGSIZE, "cut short");
	refused(&table, 119, -EMSGSIZE, "cut short");
	put(&table, 0, 2, 119);
	refused(&table, 120, -EMSGSIZE, "its size is not that of its version");
	put(&table, 0, 2, 4096);
	refused(&table, 4096, -EMSGSIZE, "its size is not that of its version");
	table = begin(4, 1, 120);
	put(&table, 4, 2, 56);
	refused(&table, 120, -EPROTONOSUPPORT, "its version is not known");
	table = begin(1, 3, 120);
	refused(&table, 120, -ENODATA, "the firmware filled nothing in");
	memset(table.bytes, 0xff, sizeof(table.bytes));
	refused(&table, 4096, -ENODATA, "all ones: the firmware filled nothing in");
	memset(table.bytes, 0, sizeof(table.bytes));
	refused(&table, 4096, -EPROTONOSUPPORT, "its version is not known");
}

static void a_list_that_runs_past_its_end_gives_no_value(void **state)
{
	struct table table = begin(1, 9, 8);

	(void)state;
	put(&table, 4, 4, 2);
	attribute(&table, 3, 0, 1, (const uint64_t[]){ 47 });
	refused(&table, table.len, -EPROTO, "its list of fields runs past its end");
	put(&table, 4, 4, 1);
	put(&table, 8, 8, (uint64_t)3 << 20 | 2);	/* says two numbers and has one */
	refused(&table, table.len, -EPROTO, "its list of fields runs past its end");
	put(&table, 8, 8, (uint64_t)9 << 20 | 1);	/* a type that is none */
	refused(&table, table.len, -EPROTO, "its list of fields runs past its end");
	put(&table, 4, 4, 0);
	refused(&table, table.len, -ENODATA, "the firmware filled nothing in");
}

/* A file that is padded to a page, as one of an RX 6900 XT was recorded. */
static void what_follows_a_table_is_not_looked_at(void **state)
{
	struct table table = begin(1, 3, 120);
	struct amdgpu_metrics metrics;

	(void)state;
	put(&table, 4, 2, 56);
	memset(table.bytes + 120, 0, ROOM - 120);
	table.len = ROOM;
	metrics = decode(&table);
	assert_c(metrics.edge_c, 56);
	assert_int_equal(metrics.indep_throttle_status.state, VAL_UNSUPPORTED);
}

/* Energy, PCIe and xGMI, by the places of each version (kgd_pp_interface.h of Linux 7.2). */
static void traffic_of_each_version(void **state)
{
	static const struct { unsigned content; size_t len, energy, pcie, xgmi; } versions[] = {
		{ 4, 288, 24, 72, 104 }, { 5, 360, 88, 136, 176 }, { 6, 1664, 16, 88, 128 }, { 7, 2208, 24, 96, 136 },
		{ 8, 3872, 24, 96, 136 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		struct table table = begin(1, versions[i].content, versions[i].len);
		struct amdgpu_metrics metrics;

		put(&table, 6, 2, 40);
		metrics = decode(&table);
		assert_int_equal(metrics.xgmi_read_kib.state, VAL_UNSUPPORTED);
		put(&table, versions[i].energy, 8, 7000);
		put(&table, versions[i].pcie, 8, 8001);
		/* Seven links: the eighth is none. */
		for (unsigned link = 0; link < 7; link++) {
			put(&table, versions[i].xgmi + 8 * link, 8, 100 + link);
			put(&table, versions[i].xgmi + 64 + 8 * link, 8, 200 + link);
		}
		metrics = decode(&table);
		assert_u64(metrics.energy_counts, 7000);
		assert_u64(metrics.pcie_mbps, 8001);
		assert_u64(metrics.xgmi_read_kib, 721);
		assert_u64(metrics.xgmi_written_kib, 1421);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_1_0_has_small_links),
		cmocka_unit_test(tables_1_1_to_1_3_grow_at_their_end),
		cmocka_unit_test(tables_1_4_and_1_5_count_errors_of_the_link),
		cmocka_unit_test(tables_1_6_to_1_8_count_residencies),
		cmocka_unit_test(apus_measure_in_hundredths),
		cmocka_unit_test(table_3_0_counts_by_reason),
		cmocka_unit_test(table_1_9_names_its_fields),
		cmocka_unit_test(what_is_no_table_gives_no_value),
		cmocka_unit_test(a_list_that_runs_past_its_end_gives_no_value),
		cmocka_unit_test(what_follows_a_table_is_not_looked_at),
		cmocka_unit_test(traffic_of_each_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
