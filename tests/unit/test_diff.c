// SPDX-License-Identifier: GPL-2.0-or-later
/* test_diff.c - what is a difference between two snapshots, what is noise, and what is worse. */
#include "base/compat.h"
#include "eval/diff/diff_side.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void load(struct snapshot *ret, const char *facts)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct merge_unknown unknown = { .nr = 0 };
	struct json_error error = { .line = 0 };

	/* Apostrophes stand for quotation marks. */
	strbuf_addf(&text, "{'schema': '" SNAPSHOT_SCHEMA "', %s}", facts);
	for (size_t i = 0; i < text.len; i++)
		if (text.buf[i] == '\'')
			text.buf[i] = '"';
	if (snapshot_load(ret, text.buf, text.len, &unknown, &error))
		fail_msg("line %u: %s", error.line, error.what);
	assert_int_equal(unknown.nr, 0);
}

/* One line for each difference, and one with ! for each message. */
static void tell(struct strbuf *out, const struct diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++) {
		const struct difference *item = &diff->items[i];

		strbuf_addf(out, "%s %s: %s: %s: %s -> %s", diff_group_name(item->group),
			    diff_weight_name(item->weight), item->thing, item->what,
			    item->before ? item->before : "(none)", item->after ? item->after : "(none)");
		if (item->why)
			strbuf_addf(out, " (%s)", item->why);
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < diff->messages.nr; i++)
		strbuf_addf(out, "! %s\n", diff->messages.v[i]);
}

struct diff_case {
	const char *before, *after, *told;
};

static void check_cases(const struct diff_case *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct snapshot before, after;
		struct diff diff;
		STRBUF_AUTO told = STRBUF_INIT;

		load(&before, cases[i].before);
		load(&after, cases[i].after);
		diff_facts(&diff, &before, &after);
		tell(&told, &diff);
		assert_string_equal(told.buf, cases[i].told);
		assert_int_equal(diff.is_worse, strstr(told.buf, " worse: ") != NULL);
		diff_release(&diff);
		snapshot_release(&after);
		snapshot_release(&before);
	}
}
#define CHECK(cases) check_cases((cases), ARRAY_SIZE(cases))

/* What stands before each: one machine and one boot, an hour apart; another boot. */
#define FIRST "'host': {'machine_serial': 'M1', 'boot_id': 'b1', 'uptime_s': 7200}"
#define LATER "'host': {'machine_serial': 'M1', 'boot_id': 'b1', 'uptime_s': 10800}"
#define REBOOTED "'host': {'machine_serial': 'M1', 'boot_id': 'b2', 'uptime_s': 600}"
#define BOOT_MESSAGE "! booted in between: counters reset by a boot are since then\n"
#define GPU(facts) "'bus': {'gpus': 1}, 'gpus': [{'key': '0000:5d:00.0', " facts "}]"

static void noise_is_no_difference(void **state)
{
	static const struct diff_case cases[] = {
		{ FIRST, FIRST, "" },
		{ FIRST ", " GPU("'nvml': {'temperature_c': 40, 'energy_mj': 5, 'power_mw': 1000}"),
		  LATER ", " GPU("'nvml': {'temperature_c': 71, 'energy_mj': 900, 'power_mw': 700000}"), "" },
		{ FIRST ", 'memory': {'total_bytes': 2164000000000}", LATER ", 'memory': {'total_bytes': "
		  "2163000000000}", "" },
		{ FIRST ", 'daemons': [{'key': '812', 'comm': 'kubelet', 'memlock_limit_bytes': 65536}]",
		  REBOOTED ", 'daemons': [{'key': '790', 'comm': 'kubelet', 'memlock_limit_bytes': 65536}]",
		  BOOT_MESSAGE },
		{ FIRST ", 'log_lines': [{'key': '1', 'text': 'a'}]", LATER ", 'log_lines': [{'key': '2', 'text': "
		  "'b'}]", "" },
	};

	(void)state;
	CHECK(cases);
}

static void groups_have_an_order(void **state)
{
	static const struct diff_case cases[] = {
		{ "'host': {'machine_serial': 'M1', 'kernel': '6.8.0', 'numa_balancing': 0}, "
		  "'modules': [{'key': 'nvidia', 'version': '550.54.14', 'source_version': 'A'}], 'listed': "
		  "{'modules': 1}, "
		  GPU("'nvml': {'vbios': '96.00', 'power_limit_mw': 700000}, 'nvidia': {'vbios': '96.00'}"),
		  "'host': {'machine_serial': 'M1', 'kernel': '6.11.0', 'numa_balancing': 1}, "
		  "'modules': [{'key': 'nouveau'}, {'key': 'nvidia', 'version': '580.65.06', 'source_version': "
		  "'B'}], "
		  "'listed': {'modules': 2}, "
		  GPU("'nvml': {'vbios': '96.01', 'power_limit_mw': 500000}, 'nvidia': {'vbios': '96.01'}"),
		  "firmware other: GPU 0 (0000:5d:00.0): vbios: 96.00 -> 96.01\n"
		  "driver other: module nvidia: version: 550.54.14 -> 580.65.06\n"
		  "driver other: module nouveau: presence: (none) -> present\n"
		  "kernel other: host: kernel: 6.8.0 -> 6.11.0\n"
		  "settings other: host: numa_balancing: 0 -> 1\n"
		  "settings other: GPU 0 (0000:5d:00.0): power_limit_mw: 700 W -> 500 W\n" },
	};

	(void)state;
	CHECK(cases);
}

static void counters_know_of_boots(void **state)
{
	static const struct diff_case cases[] = {
		/* grew within a boot; a corrected one is told and is no worse */
		{ FIRST ", " GPU("'nvml': {'ecc_uncorrected': 1, 'ecc_corrected': 5}"),
		  LATER ", " GPU("'nvml': {'ecc_uncorrected': 3, 'ecc_corrected': 9}"),
		  "health other: GPU 0 (0000:5d:00.0): ecc_corrected: 5 -> 9 (4 more in 1 h)\n"
		  "health worse: GPU 0 (0000:5d:00.0): ecc_uncorrected: 1 -> 3 (2 more in 1 h)\n" },
		/* set to 0 by the boot: not better */
		{ FIRST ", " GPU("'nvml': {'ecc_uncorrected': 4}"), REBOOTED ", " GPU("'nvml': {'ecc_uncorrected': "
		  "0}"),
		  BOOT_MESSAGE },
		/* fewer, and counted since */
		{ FIRST ", " GPU("'nvml': {'ecc_uncorrected': 4}"), REBOOTED ", " GPU("'nvml': {'ecc_uncorrected': "
		  "2}"),
		  "health worse: GPU 0 (0000:5d:00.0): ecc_uncorrected: 4 -> 2 (set to 0 by a boot in between: "
		  "counted since "
		  "then)\n" BOOT_MESSAGE },
		/* over the board's life a boot is nothing */
		{ FIRST ", " GPU("'nvml': {'rows_remapped_uncorrected': 1}"),
		  REBOOTED ", " GPU("'nvml': {'rows_remapped_uncorrected': 2}"),
		  "health worse: GPU 0 (0000:5d:00.0): rows_remapped_uncorrected: 1 -> 2 (1 more)\n" BOOT_MESSAGE },
		/* it fell within a boot: the driver was loaded again */
		{ FIRST ", " GPU("'nvml': {'pcie_replays': 40}"), LATER ", " GPU("'nvml': {'pcie_replays': 3}"),
		  "health other: GPU 0 (0000:5d:00.0): pcie_replays: 40 -> 3 (it fell, so something set it to 0 in "
		  "between: "
		  "counted since then)\n" },
		{ FIRST ", " GPU("'nvml': {'pcie_replays': 40}"), LATER ", " GPU("'nvml': {'pcie_replays': 0}"), "" },
	};

	(void)state;
	CHECK(cases);
}

static void unknown_is_no_value(void **state)
{
	static const struct diff_case cases[] = {
		{ FIRST ", " GPU("'nvml': {'power_limit_mw': 700000, 'persistence': true}"),
		  LATER ", " GPU("'nvml': {'power_limit_mw': null, 'persistence': null, 'unknown': "
		  "{'power_limit_mw': "
		  "'timeout: 5 s', 'persistence': 'timeout: 5 s'}}"),
		  "health worse: GPU 0 (0000:5d:00.0): power_limit_mw and 1 more: 700 W -> timeout: 5 s (cannot be "
		  "read any "
		  "more)\n" },
		{ LATER ", " GPU("'nvml': {'persistence': null, 'unknown': {'persistence': 'lost'}}"),
		  LATER ", " GPU("'nvml': {'persistence': true}"),
		  "health better: GPU 0 (0000:5d:00.0): persistence: lost -> yes (could not be read before)\n" },
		{ FIRST ", " GPU("'nvml': {'persistence': true}"),
		  LATER ", " GPU("'nvml': {'persistence': null, 'unknown': {'persistence': 'denied: EACCES'}}"),
		  "! 1 value known of the first could not be read for the second: no rights, or a device was "
		  "left asleep; no change of the node\n" },
		{ FIRST ", " GPU("'nvml': {'persistence': true}"), LATER ", " GPU("'slot': '3'"), "" },
		{ FIRST ", " GPU("'pci': {'driver': 'nvidia'}"),
		  LATER ", " GPU("'pci': {'driver': null, 'unknown': {'driver': 'absent'}}"),
		  "driver other: GPU 0 (0000:5d:00.0): driver: nvidia -> absent\n" },
	};

	(void)state;
	CHECK(cases);
}

/* Two GPUs with serial numbers. */
#define TWO(key_a, serial_a, key_b, serial_b) \
	"'bus': {'gpus': 2}, 'gpus': [{'key': '" key_a "', 'nvml': {'serial': '" serial_a "'}}, {'key': '" key_b \
	"', 'nvml': {'serial': '" serial_b "'}}]"

static void cards_are_told_apart(void **state)
{
	static const struct diff_case cases[] = {
		/* one tells its serial number, the other not: both are named by their UUIDs */
		{ FIRST ", " GPU("'nvml': {'uuid': 'GPU-1', 'serial': 's1'}"),
		  LATER ", " GPU("'nvml': {'uuid': 'GPU-2'}"),
		  "hardware other: GPU 0 (0000:5d:00.0): card: unknown GPU, UUID GPU-1 -> unknown GPU, UUID GPU-2 (another card: its "
		  "counters are its own)\n" },
		/* gone, and come */
		{ FIRST ", " TWO("0000:01:00.0", "s1", "0000:02:00.0", "s2"),
		  LATER ", 'bus': {'gpus': 1}, 'gpus': [{'key': '0000:02:00.0', 'nvml': {'serial': 's2'}}]",
		  "hardware worse: GPU 0 (0000:01:00.0): card: unknown GPU, serial s1 -> (none) (it is not on the bus any "
		  "more)\n" },
		{ FIRST ", 'bus': {'gpus': 1}, 'gpus': [{'key': '0000:02:00.0', 'nvml': {'serial': 's2'}}]",
		  LATER ", " TWO("0000:01:00.0", "s1", "0000:02:00.0", "s2"),
		  "hardware better: GPU 0 (0000:01:00.0): card: (none) -> unknown GPU, serial s1\n" },
		/* a bus that was not read has lost nothing */
		{ FIRST ", " TWO("0000:01:00.0", "s1", "0000:02:00.0", "s2"), LATER,
		  "! the second has no whole list of GPUs: none is reported as missing\n" },
		/* they changed places */
		{ FIRST ", " TWO("0000:01:00.0", "s1", "0000:02:00.0", "s2"),
		  LATER ", " TWO("0000:01:00.0", "s2", "0000:02:00.0", "s1"),
		  "hardware other: GPU 0 (0000:01:00.0): address: 0000:02:00.0 -> 0000:01:00.0 (the same card in "
		  "another "
		  "place)\n"
		  "hardware other: GPU 1 (0000:02:00.0): address: 0000:01:00.0 -> 0000:02:00.0 (the same card in "
		  "another "
		  "place)\n" },
		/* another card: its errors are its own */
		{ FIRST ", " GPU("'nvml': {'serial': 's1', 'ecc_uncorrected_lifetime': 1}"),
		  LATER ", " GPU("'nvml': {'serial': 's9', 'ecc_uncorrected_lifetime': 7}"),
		  "hardware other: GPU 0 (0000:5d:00.0): card: unknown GPU, serial s1 -> unknown GPU, serial s9 (another card: its "
		  "counters "
		  "are its own)\n" },
	};

	(void)state;
	CHECK(cases);
}

static void links_and_what_they_can_do(void **state)
{
	static const struct diff_case cases[] = {
		{ FIRST ", " GPU("'pci': {'link_width': 16, 'link_width_able': 16, 'link_speed_mtps': 32000}"),
		  LATER ", " GPU("'pci': {'link_width': 8, 'link_width_able': 16, 'link_speed_mtps': 2500}"),
		  "hardware worse: GPU 0 (0000:5d:00.0): link_width: x16 -> x8\n" },
		/* narrow while idle, wide at work */
		{ FIRST ", " GPU("'pci': {'link_width': 16}"), LATER ", " GPU("'pci': {'link_width': 1}, 'use': "
		  "{'link_width_busy': 16}"), "" },
		{ FIRST ", " GPU("'use': {'link_speed_busy_mtps': 16000}"),
		  LATER ", " GPU("'use': {'link_speed_busy_mtps': 32000}"),
		  "hardware better: GPU 0 (0000:5d:00.0): link_speed_mtps: 16 GT/s -> 32 GT/s\n" },
		{ FIRST ", " GPU("'pci': {'link_speed_able_mtps': 32000}"),
		  LATER ", " GPU("'pci': {'link_speed_able_mtps': 16000}"),
		  "hardware worse: GPU 0 (0000:5d:00.0): link_speed_able_mtps: 32 GT/s -> 16 GT/s\n" },
	};

	(void)state;
	CHECK(cases);
}

static void versions_in_keys(void **state)
{
	static const struct diff_case cases[] = {
		{ FIRST ", 'listed': {'user_libraries': 1, 'software': 1}, 'user_libraries': "
		  "[{'key': '/usr/lib/libcuda.so.550.54.14', 'name': 'libcuda', 'version': '550.54.14'}], "
		  "'software': "
		  "[{'key': 'nvidia-driver-550', 'name': 'nvidia-driver', 'version': '550.54.14'}]",
		  LATER ", 'listed': {'user_libraries': 2, 'software': 1}, 'user_libraries': "
		  "[{'key': '/usr/lib/libcuda.so.580.65.06', 'name': 'libcuda', 'version': '580.65.06'}, "
		  "{'key': '/usr/lib/libnvidia-ml.so.580.65.06', 'name': 'libnvidia-ml', 'version': '580.65.06'}], "
		  "'software': "
		  "[{'key': 'nvidia-driver-580', 'name': 'nvidia-driver', 'version': '580.65.06'}]",
		  "driver other: library /usr/lib/libcuda: version: 550.54.14 -> 580.65.06\n"
		  "driver other: library /usr/lib/libnvidia-ml: presence: (none) -> 580.65.06\n"
		  "driver other: software nvidia-driver: version: 550.54.14 -> 580.65.06\n" },
	};

	(void)state;
	CHECK(cases);
}

static void words_of_the_command_line(void **state)
{
	static const struct diff_case cases[] = {
		{ "'host': {'boot_id': 'b', 'kernel_command_line': 'BOOT_IMAGE=/a ro iommu=pt quiet'}",
		  "'host': {'boot_id': 'b', 'kernel_command_line': 'BOOT_IMAGE=/b ro quiet pci=noaer'}",
		  "kernel other: host: kernel_command_line: iommu=pt -> pci=noaer\n" },
		{ "'host': {'boot_id': 'b', 'kernel_command_line': 'BOOT_IMAGE=/a ro'}",
		  "'host': {'boot_id': 'b', 'kernel_command_line': 'BOOT_IMAGE=/b ro'}", "" },
	};

	(void)state;
	CHECK(cases);
}

static void machines_and_clocks(void **state)
{
	static const struct diff_case cases[] = {
		/* by number, and said so */
		{ "'host': {'machine_serial': 'M1', 'name': 'n1'}, 'bus': {'gpus': 1}, 'gpus': [{'key': "
		  "'0000:01:00.0', "
		  "'nvml': {'serial': 's1', 'cores': 100}}]",
		  "'host': {'machine_serial': 'M2', 'name': 'n2'}, 'bus': {'gpus': 1}, 'gpus': [{'key': "
		  "'0000:02:00.0', "
		  "'nvml': {'serial': 's2', 'cores': 90}}]",
		  "hardware other: GPU 0 (0000:02:00.0): card: unknown GPU, serial s1 -> unknown GPU, serial s2 (another card: its "
		  "counters "
		  "are its own)\n"
		  "hardware worse: GPU 0 (0000:02:00.0): cores: 100 -> 90\n"
		  "! two machines: n1 (serial M1) and n2 (serial M2); GPUs are compared by their number\n" },
		/* by the time since boot, whatever the clock says */
		{ FIRST ", 'run': {'taken_at': '2026-05-02T00:00:00.000Z'}, " GPU("'nvml': {'ecc_uncorrected': 1}"),
		  LATER ", 'run': {'taken_at': '2026-05-01T00:00:00.000Z'}, " GPU("'nvml': {'ecc_uncorrected': 2}"),
		  "health worse: GPU 0 (0000:5d:00.0): ecc_uncorrected: 1 -> 2 (1 more in 1 h)\n"
		  "! the clock was set back between the two: by the time since boot the second is the later\n" },
		{ LATER ", 'run': {'taken_at': '2026-05-02T00:00:00.000Z'}, " GPU("'nvml': {'ecc_uncorrected': 2}"),
		  FIRST ", 'run': {'taken_at': '2026-05-01T00:00:00.000Z'}, " GPU("'nvml': {'ecc_uncorrected': 1}"),
		  "health other: GPU 0 (0000:5d:00.0): ecc_uncorrected: 2 -> 1 (the second was taken first: read it "
		  "from "
		  "right to left)\n"
		  "! the second was taken before the first (2026-05-01T00:00:00.000Z, 2026-05-02T00:00:00.000Z) by "
		  "the time "
		  "since boot: swap them to compare forwards\n" },
		{ "'host': {'name': 'a'}", "'memory': {'swappiness': 1}",
		  "! unknown whether this is one machine\n! no common values to compare\n" },
		/* a container's host name is its own */
		{ "'host': {'name': 'pod-1', 'container': 'docker'}",
		  "'host': {'name': 'pod-2', 'container': "
		  "'docker'}",
		  "! unknown whether this is one machine\n" },
	};

	(void)state;
	CHECK(cases);
}

static void redacted_ones(void **state)
{
	static const struct diff_case cases[] = {
		{ "'run': {'redacted': true}, 'host': {'machine_serial': 'x'}, " GPU("'nvml': {'serial': 'anon-1', "
		  "'cores': 1}"),
		  FIRST ", " GPU("'nvml': {'serial': 's1', 'cores': 1}"),
		  "! one of the two is redacted: names, serial numbers and UUIDs are not compared, and GPUs are "
		  "taken to be "
		  "the same by their PCI address\n" },
		{ "'run': {'redacted': true}, 'host': {'machine_serial': 'x'}, " GPU("'nvml': {'serial': 'anon-1', "
		  "'cores': 1}"),
		  "'run': {'redacted': true}, 'host': {'machine_serial': 'y'}, " GPU("'nvml': {'serial': 'anon-2', "
		  "'cores': 1}"),
		  "! both are redacted and have no name in common: two machines, or two keys; names, serial numbers "
		  "and UUIDs "
		  "are not compared\n" },
	};

	(void)state;
	CHECK(cases);
}

/* ---- what was judged */

/* A side of one check and, where it found something, one finding; and of one figure. */
struct made {
	struct diff_side side;
	struct snapshot snapshot;
	struct diff_result result;
	struct diff_finding finding;
	struct diff_figure figure;
};

static void make(struct made *made, enum outcome outcome, bool required, enum outcome found)
{
	*made = (struct made){ .side = { .is_judged = true } };
	load(&made->snapshot, FIRST);
	made->side.snapshot = &made->snapshot;
	made->result = (struct diff_result){ .place = "", .check = "c", .outcome = outcome, .required = required };
	made->side.results = &made->result;
	made->side.nr_results = 1;
	made->finding = (struct diff_finding){
		.place = "", .id = "c.f", .check = "c", .title = "T", .key = "k", .outcome = found,
	};
	made->side.findings = &made->finding;
	made->side.nr_findings = found != OUTCOME_PASS;
}

static void check_sides(struct made *before, struct made *after, const char *wanted)
{
	STRBUF_AUTO told = STRBUF_INIT;
	struct diff diff;

	diff_sides(&diff, &before->side, &after->side);
	tell(&told, &diff);
	assert_string_equal(told.buf, wanted);
	diff_release(&diff);
	snapshot_release(&before->snapshot);
	snapshot_release(&after->snapshot);
}

static void findings_come_and_go(void **state)
{
	static const struct {
		enum outcome before, found_before, after, found_after;
		bool required;
		const char *told;
	} cases[] = {
		{ OUTCOME_PASS, OUTCOME_PASS, OUTCOME_WARN, OUTCOME_WARN, false,
		  "verdict worse: node: c.f: (none) -> warn: T\n" },
		{ OUTCOME_FAIL, OUTCOME_FAIL, OUTCOME_PASS, OUTCOME_PASS, false,
		  "verdict better: node: c.f: fail: T -> (none)\n" },
		{ OUTCOME_WARN, OUTCOME_WARN, OUTCOME_FAIL, OUTCOME_FAIL, false,
		  "verdict worse: node: c.f: warn: T -> fail: T\n" },
		/* a note is no change, but for what it becomes */
		{ OUTCOME_PASS, OUTCOME_PASS, OUTCOME_NOTE, OUTCOME_NOTE, false, "" },
		{ OUTCOME_NOTE, OUTCOME_NOTE, OUTCOME_WARN, OUTCOME_WARN, false,
		  "verdict worse: node: c.f: note: T -> warn: T\n" },
		/* not gone: not looked at any more */
		{ OUTCOME_FAIL, OUTCOME_FAIL, OUTCOME_SKIP, OUTCOME_PASS, false,
		  "verdict other: node: c.f: fail: T -> (none) (its check was skipped in the second)\n" },
		/* not new: not looked at before; but a failure nobody wants to miss */
		{ OUTCOME_SKIP, OUTCOME_PASS, OUTCOME_WARN, OUTCOME_WARN, false,
		  "verdict other: node: c.f: (none) -> warn: T (its check was skipped in the first)\n" },
		{ OUTCOME_SKIP, OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_FAIL, false,
		  "verdict worse: node: c.f: (none) -> fail: T (its check was skipped in the first)\n" },
		/* what can no longer be judged */
		{ OUTCOME_PASS, OUTCOME_PASS, OUTCOME_UNKNOWN, OUTCOME_PASS, true,
		  "verdict worse: node: c: pass -> unknown (a required check)\n" },
		{ OUTCOME_PASS, OUTCOME_PASS, OUTCOME_UNKNOWN, OUTCOME_PASS, false,
		  "verdict other: node: c: pass -> unknown\n" },
		{ OUTCOME_UNKNOWN, OUTCOME_PASS, OUTCOME_PASS, OUTCOME_PASS, true,
		  "verdict better: node: c: unknown -> pass (a required check)\n" },
		{ OUTCOME_SKIP, OUTCOME_PASS, OUTCOME_UNKNOWN, OUTCOME_PASS, false, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made before, after;

		make(&before, cases[i].before, cases[i].required, cases[i].found_before);
		make(&after, cases[i].after, cases[i].required, cases[i].found_after);
		check_sides(&before, &after, cases[i].told);
	}
}

static void figures_have_noise(void **state)
{
	static const struct {
		enum unit unit;
		double before, after, mad;
		size_t n;
		const char *clock, *told;
	} cases[] = {
		{ UNIT_GBPS, 50, 40, 0.2, 20, "events", "timing worse: node: t: 50 GB/s -> 40 GB/s (0.80 ×, noise "
		  "0.8 %)\n" },
		{ UNIT_GBPS, 40, 50, 0.2, 20, "events", "timing better: node: t: 40 GB/s -> 50 GB/s (1.25 ×, noise "
		  "1.0 %)\n" },
		{ UNIT_NS, 1000, 1400, 5, 20, "events", "timing worse: node: t: 1 µs -> 1.4 µs (1.40 ×, noise 1.0 "
		  "%)\n" },
		/* a twentieth, and less than the samples' own spread, is none */
		{ UNIT_GBPS, 50, 48, 0.1, 20, "events", "" },
		{ UNIT_GBPS, 50, 40, 3.0, 20, "events", "" },
		{ UNIT_NS, 1000, 1100, 1, 20, "events", "" },
		{ UNIT_GBPS, 50, 40, 0.0, 2, "events", "" },
		{ UNIT_GBPS, 50, 40, 0.2, 20, "host",
		  "! 1 timing was measured differently (clock, size, method or node), not compared\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made before, after;

		make(&before, OUTCOME_PASS, false, OUTCOME_PASS);
		make(&after, OUTCOME_PASS, false, OUTCOME_PASS);
		before.figure = (struct diff_figure){
			.place = "", .key = "t", .unit = cases[i].unit, .median = cases[i].before,
			.mad = cases[i].mad,
			.n = cases[i].n, .clock = "events",
		};
		after.figure = before.figure;
		after.figure.median = cases[i].after;
		after.figure.clock = cases[i].clock;
		before.side.figures = &before.figure;
		after.side.figures = &after.figure;
		before.side.nr_figures = after.side.nr_figures = 1;
		check_sides(&before, &after, cases[i].told);
	}
}

static void opencl_devices_go_by_their_gpu(void **state)
{
	/* One GPU is gone: those after it have other numbers, and did not change. */
#define ICDS "'icds': [{'key': 'a.icd', 'devices': 2}], "
#define DEVICE(number, address) "{'key': 'opencl:a.icd:" number "', 'icd': 'a.icd', 'name': 'N" address \
	"', 'pci_address': '0000:0" address ":00.0', 'driver_version': '1'}"
	static const struct diff_case cases[] = {
		{ FIRST ", " ICDS TWO("0000:01:00.0", "s1", "0000:02:00.0",
				      "s2") ", 'ocl_devices': [" DEVICE("0", "1") ", " DEVICE("1", "2") "]",
		  LATER ", " ICDS "'bus': {'gpus': 1}, 'gpus': [{'key': '0000:02:00.0', 'nvml': {'serial': 's2'}}], "
			"'ocl_devices': [" DEVICE("0", "2") "]",
		  "hardware worse: GPU 0 (0000:01:00.0): card: unknown GPU, serial s1 -> (none) (it is not on the bus any "
		  "more)\n"
		  "driver worse: GPU 0 (0000:01:00.0), OpenCL a.icd: device: N1 -> (none)\n" },
	};

	(void)state;
	CHECK(cases);
}

/* ---- a host and its container */

static void tell_losses(struct strbuf *out, const struct container_diff *container)
{
	for (size_t i = 0; i < container->nr; i++) {
		const struct container_loss *loss = &container->losses[i];

		strbuf_addf(out, "%s: %s: %s -> %s; %s; %s\n", loss->what, loss->thing, loss->host, loss->inside,
			    loss->option ? loss->option : "-", loss->kubernetes ? loss->kubernetes : "-");
	}
	for (size_t i = 0; i < container->not_compared.nr; i++)
		strbuf_addf(out, "? %s\n", container->not_compared.v[i]);
}

/* told NULL: they are no host and its container. Both orders tell the same. */
static void check_losses(const char *host, const char *inside, const char *told)
{
	for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
		struct snapshot before, after;
		STRBUF_AUTO text = STRBUF_INIT;
		struct diff diff;

		load(&before, is_reversed ? inside : host);
		load(&after, is_reversed ? host : inside);
		diff_facts(&diff, &before, &after);
		tell_losses(&text, &diff.container);
		assert_string_equal(text.buf ? text.buf : "", told ? told : "");
		assert_int_equal(diff.container.is_pair, told != NULL);
		if (told)
			assert_int_equal(diff.container.inside_is_after, !is_reversed);
		diff_release(&diff);
		snapshot_release(&after);
		snapshot_release(&before);
	}
}

#define HOST_OF(facts) "'host': {'machine_serial': 'M1', 'boot_id': 'b1', 'container': 'none'" facts "}"
#define INSIDE(kind, facts) "'host': {'name': 'c', 'boot_id': 'b1', 'container': '" kind "'" facts "}"
#define NODE(path, gpu) "{'key': '" path "', 'gpu': '" gpu "', 'mode': '0666'}"
#define UNKNOWN_GPUS "? GPUs\n"
#define UNKNOWN_NODES "? device nodes\n"
#define UNKNOWN_LIMITS "? size of /dev/shm\n? memlock limit\n? CPUs\n? CPU limit\n? memory limit\n? RDMA devices\n" \
		       "? RDMA device nodes\n"
#define TWO_GPUS() "'bus': {'gpus': 2}, 'gpus': [" \
	"{'key': '0000:19:00.0', 'pci': {'vendor_id': '0x10de', 'driver': 'nvidia'}, 'nvidia': {'uuid': 'GPU-a'}}, " \
	"{'key': '0000:3b:00.0', 'pci': {'vendor_id': '0x10de', 'driver': 'nvidia'}, 'nvidia': {'uuid': 'GPU-b'}}]"
#define LIBRARY(name, version) "{'key': '/usr/lib/" name ".so." version "', 'name': '" name "', 'version': '" version \
	"', 'is_loaded_first': true}"

static void a_container_lacks_a_gpu(void **state)
{
	(void)state;
	check_losses(HOST_OF("") ", " TWO_GPUS() ", 'device_nodes': [" NODE("/dev/nvidia0", "0000:19:00.0") ", "
		     NODE("/dev/nvidia1", "0000:3b:00.0") ", {'key': '/dev/nvidia-uvm', 'mode': '0666'}], "
		     "'listed': {'device_nodes': 3, 'user_libraries': 2}, 'user_libraries': ["
		     LIBRARY("libcuda", "550.54.14") ", " LIBRARY("libnvidia-ml", "550.54.14") "]",
		     INSIDE("docker", "") ", " TWO_GPUS() ", 'device_nodes': [" NODE("/dev/nvidia1", "0000:3b:00.0") "], "
		     "'listed': {'device_nodes': 1, 'user_libraries': 1}, 'user_libraries': ["
		     LIBRARY("libnvidia-ml", "535.183.01") "]",
		     "gpu: GPU 0 (0000:19:00.0): present -> no device node; --gpus all; resources.limits nvidia.com/gpu: 2\n"
		     "device-node: /dev/nvidia-uvm: present -> none; --device /dev/nvidia-uvm; -\n"
		     "library: libcuda: 550.54.14 -> none; -e NVIDIA_DRIVER_CAPABILITIES=compute,utility; "
		     "env NVIDIA_DRIVER_CAPABILITIES: compute,utility\n"
		     "library: libnvidia-ml: 550.54.14 -> 535.183.01; recreate the container; "
		     "delete the pod, its owner starts a new one\n" UNKNOWN_LIMITS);
	/* All of them: podman's word, and the nodes that all share come with them. */
	check_losses(HOST_OF("") ", " TWO_GPUS() ", 'device_nodes': [" NODE("/dev/nvidia0", "0000:19:00.0") ", "
		     NODE("/dev/nvidia1", "0000:3b:00.0") ", {'key': '/dev/nvidiactl', 'mode': '0666'}], "
		     "'listed': {'device_nodes': 3}",
		     INSIDE("podman", "") ", 'bus': {'gpus': 0}, 'listed': {'device_nodes': 0}",
		     "gpu: GPU 0 (0000:19:00.0): present -> not listed; --device nvidia.com/gpu=all; "
		     "resources.limits nvidia.com/gpu: 2\n"
		     "gpu: GPU 1 (0000:3b:00.0): present -> not listed; --device nvidia.com/gpu=all; "
		     "resources.limits nvidia.com/gpu: 2\n"
		     "device-node: /dev/nvidiactl: present -> none; --device nvidia.com/gpu=all; "
		     "resources.limits nvidia.com/gpu\n? libraries of the driver\n" UNKNOWN_LIMITS);
	/* It has lost its access since it was started. */
	check_losses(HOST_OF("") ", " TWO_GPUS() ", 'device_nodes': [" NODE("/dev/nvidia0", "0000:19:00.0") ", " NODE(
			     "/dev/nvidia1", "0000:3b:00.0") "], 'listed': {'device_nodes': 2}",
		     INSIDE("docker",
			    "") ", " TWO_GPUS() ", 'device_nodes': [{'key': '/dev/nvidia0', 'gpu': '0000:19:00.0', "
						"'mode': '0666', 'refused_by': 'device cgroup'}, " NODE(
							"/dev/nvidia1", "0000:3b:00.0") "], "
											"'listed': {'device_nodes': 2}",
		     "gpu: GPU 0 (0000:19:00.0): present -> device cgroup refuses its node; --gpus all; "
		     "resources.limits nvidia.com/gpu: 2\n? libraries of the driver\n" UNKNOWN_LIMITS);
}

static void a_container_of_amd_lacks_nodes(void **state)
{
	static const char gpu[] = "'bus': {'gpus': 1}, 'gpus': [{'key': '0000:05:00.0', 'pci': {'vendor_id': '0x1002', "
				  "'driver': 'amdgpu'}}]";
	STRBUF_AUTO host = STRBUF_INIT;
	STRBUF_AUTO inside = STRBUF_INIT;

	(void)state;
	strbuf_addf(&host, HOST_OF("") ", %s, 'device_nodes': [" NODE("/dev/dri/renderD128", "0000:05:00.0") ", "
		    "{'key': '/dev/kfd', 'mode': '0660', 'group_id': 110}], 'listed': {'device_nodes': 2}", gpu);
	strbuf_addf(&inside, INSIDE("docker", "") ", %s, 'device_nodes': [" NODE("/dev/dri/renderD128", "0000:05:00.0")
		    "], 'listed': {'device_nodes': 1}", gpu);
	check_losses(host.buf, inside.buf, "device-node: /dev/kfd: present -> none; --device /dev/kfd; "
					   "resources.limits amd.com/gpu\n" UNKNOWN_LIMITS);
	strbuf_reset(&inside);
	strbuf_addf(&inside, INSIDE("docker", "") ", %s, 'device_nodes': [" NODE("/dev/dri/renderD128", "0000:05:00.0") ", "
		    "{'key': '/dev/kfd', 'mode': '0660', 'group_id': 110, 'refused_by': 'permissions'}], "
		    "'listed': {'device_nodes': 2}", gpu);
	check_losses(host.buf, inside.buf, "device-node: /dev/kfd: present -> permissions; --group-add 110; "
					   "securityContext.supplementalGroups: [110]\n" UNKNOWN_LIMITS);
}

#define UNLIMITED(name) "'" name "': null"
#define ABSENT(name) "'" name "': 'absent: no limit'"
#define LIMITS_OF_HOST HOST_OF(", 'shm_size_bytes': 1081258016768, " UNLIMITED("memlock_limit_bytes") \
	", 'rdma_node_count': 2, 'rdma_nodes': ['/dev/infiniband/rdma_cm', '/dev/infiniband/uverbs0'], 'unknown': {" \
	ABSENT("memlock_limit_bytes") "}") ", 'cpu': {'allowed': '0-63'}, 'memory': {'total_bytes': 2199023255552}, " \
	"'cgroup': {" UNLIMITED("memory_limit_bytes") ", " UNLIMITED("cpu_limit") ", 'unknown': {" \
	ABSENT("memory_limit_bytes") ", " ABSENT("cpu_limit") "}}, 'listed': {'network_interfaces': 1}, " \
	"'network_interfaces': [{'key': 'ib0', 'rdma_device': 'mlx5_0'}]"

static void a_container_has_limits(void **state)
{
	(void)state;
	check_losses(
		LIMITS_OF_HOST,
		INSIDE("kubernetes",
		       ", 'shm_size_bytes': 67108864, 'memlock_limit_bytes': 8388608, 'rdma_node_count': 0") ", 'cpu': {'allowed': '0-7'}, 'memory': {'total_bytes': 2199023255552}, 'cgroup': "
													     "{'memory_limit_bytes': 68719476736, 'cpu_limit': 4}, 'listed': {'network_interfaces': 0}",
		"shm-size: size of /dev/shm: 1007 GiB -> 64 MiB; --shm-size=1007g; "
		"a volume emptyDir with medium: Memory, mounted at /dev/shm\n"
		"memlock: memlock limit: no limit -> 8 MiB; --ulimit memlock=-1; none in a pod: LimitMEMLOCK=infinity "
		"of the container runtime's service, or IPC_LOCK in securityContext.capabilities.add\n"
		"cpus: CPUs: 64 (0-63) -> 8 (0-7); --cpuset-cpus=0-63; "
		"resources.requests and limits cpu, where kubelet's cpuManagerPolicy is static\n"
		"cpu-limit: CPU limit: no limit -> 4 CPUs; a higher --cpus, or none; resources.limits cpu\n"
		"memory: memory: 2 TiB -> 64 GiB; --memory=2048g, or none; resources.limits memory\n"
		"rdma-device: mlx5_0: present -> none; --network host; hostNetwork: true, or resources.limits: the "
		"resource of the RDMA device plugin\n"
		"rdma-node: /dev/infiniband/rdma_cm: present -> none; --device /dev/infiniband; resources.limits: the "
		"resource of the RDMA device plugin\n"
		"rdma-node: /dev/infiniband/uverbs0: present -> none; --device /dev/infiniband; resources.limits: the "
		"resource of the RDMA device plugin\n" UNKNOWN_GPUS UNKNOWN_NODES);
}

static void a_container_was_given_all(void **state)
{
	(void)state;
	/* A limit above what there is limits nothing; and not to know of one is not to have none. */
	check_losses(
		LIMITS_OF_HOST,
		INSIDE("docker",
		       ", 'shm_size_bytes': 1081258016768, " UNLIMITED(
			       "memlock_limit_bytes") ", "
						      "'rdma_node_count': 2, 'rdma_nodes': ['/dev/infiniband/rdma_cm', '/dev/infiniband/uverbs0'], "
						      "'unknown': {" ABSENT(
							      "memlock_limit_bytes") "}") ", 'cpu': {'allowed': '0-63'}, 'memory': {'total_bytes': 2199023255552}, 'cgroup': "
											  "{'memory_limit_bytes': 4398046511104, 'cpu_limit': null, 'unknown': {'cpu_limit': "
											  "'absent: not mounted'}}, 'listed': {'network_interfaces': 1}, "
											  "'network_interfaces': [{'key': 'mlx5_0', 'rdma_device': 'mlx5_0'}]",
		"? GPUs\n? device nodes\n? CPU limit\n");
}

static void other_pairs_lost_nothing(void **state)
{
	static const char gpus[] = ", 'bus': {'gpus': 0}, 'listed': {'device_nodes': 0}";
	STRBUF_AUTO inside = STRBUF_INIT;

	(void)state;
	strbuf_addf(&inside, INSIDE("docker", "") "%s", gpus);
	/* two looks at a host, or at a container */
	check_losses(HOST_OF("") ", " TWO_GPUS(), HOST_OF("") ", 'bus': {'gpus': 0}", NULL);
	check_losses(inside.buf, inside.buf, NULL);
	/* another boot, another machine, a side that does not say what it is */
	check_losses("'host': {'machine_serial': 'M1', 'name': 'c', 'boot_id': 'b2', 'container': 'none'}, " TWO_GPUS(),
		     inside.buf, NULL);
	check_losses("'host': {'machine_serial': 'M1', 'boot_id': 'b1', 'container': 'none'}, " TWO_GPUS(),
		     "'host': {'machine_serial': 'M2', 'boot_id': 'b1', 'container': 'docker'}, 'bus': {'gpus': 0}",
		     NULL);
	check_losses("'host': {'name': 'n', 'container': 'none'}, " TWO_GPUS(),
		     "'host': {'name': 'c', 'container': 'docker'}, 'bus': {'gpus': 0}", NULL);
	check_losses("'host': {'boot_id': 'b1'}, " TWO_GPUS(), inside.buf, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_no_difference),
		cmocka_unit_test(groups_have_an_order),
		cmocka_unit_test(counters_know_of_boots),
		cmocka_unit_test(unknown_is_no_value),
		cmocka_unit_test(cards_are_told_apart),
		cmocka_unit_test(links_and_what_they_can_do),
		cmocka_unit_test(versions_in_keys),
		cmocka_unit_test(words_of_the_command_line),
		cmocka_unit_test(machines_and_clocks),
		cmocka_unit_test(redacted_ones),
		cmocka_unit_test(findings_come_and_go),
		cmocka_unit_test(figures_have_noise),
		cmocka_unit_test(opencl_devices_go_by_their_gpu),
		cmocka_unit_test(a_container_lacks_a_gpu),
		cmocka_unit_test(a_container_of_amd_lacks_nodes),
		cmocka_unit_test(a_container_has_limits),
		cmocka_unit_test(a_container_was_given_all),
		cmocka_unit_test(other_pairs_lost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
