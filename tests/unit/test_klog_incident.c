// SPDX-License-Identifier: GPL-2.0-or-later
/* test_klog_incident.c - which events are told as one, which comes first, and how each counts now. */
#include "tests/unit/klog_feed.h"

#include "eval/log/log_outcome.h"
#include "klog/incident.h"

#define GPU "0000:5d:00"
#define OTHER "0000:2b:00"
#define LOADED "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"
#define AER(device) "pcieport " device ": PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)"
#define DBE \
	XID_LINE(GPU, "48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected")

struct told {
	struct feed feed;
	struct arena arena;
	struct klog_incidents incidents;
};

static struct told begin(void)
{
	return (struct told){ .feed = feed_begin() };
}

static void tell(struct told *told)
{
	klog_find_incidents(&told->arena, feed_end(&told->feed), &told->incidents);
}

static void release(struct told *told)
{
	arena_release(&told->arena);
	feed_free(&told->feed);
}

/* The Xids of a incident, in its order; other events are 0. */
static void assert_codes(const struct klog_incident *incident, size_t nr, const unsigned *codes)
{
	assert_int_equal(incident->nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(incident->events[i]->has_code ? incident->events[i]->code : 0, codes[i]);
}
#define ASSERT_CODES(incident, ...) \
	assert_codes(incident, sizeof((unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned), (unsigned[]){ __VA_ARGS__ })

static void a_memory_error_is_one_story(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, DBE);
	feed_at(&told.feed, 100.02,
		XID_LINE(GPU, "63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x1) marked"));
	feed_at(&told.feed, 100.02, XID_LINE(OTHER, "13, pid=7, name=a, Graphics Exception"));
	feed_at(&told.feed, 100.03, XID_LINE(GPU, "94, pid='<unknown>', name=<unknown>, Contained: SM (0x1). RST: No"));
	feed_at(&told.feed, 101,
		XID_LINE(GPU, "154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 2);
	ASSERT_CODES(&told.incidents.items[0], 48, 63, 94, 154);
	assert_string_equal(told.incidents.items[0].device, GPU ".0");
	assert_true(told.incidents.items[0].is_gpu);
	assert_int_equal(told.incidents.items[0].first.boot_us, 100000000);
	assert_int_equal(told.incidents.items[0].last.boot_us, 101000000);
	ASSERT_CODES(&told.incidents.items[1], 13);
	release(&told);
}

/* The same without stamps: lines stand for time. */
static void lines_stand_for_time(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, -1, DBE);
	feed_at(&told.feed, -1, XID_LINE(GPU, "63, Row Remapper"));
	for (int i = 0; i < 100; i++)
		feed_at(&told.feed, -1, "usb 1-1: reset high-speed USB device");
	feed_at(&told.feed, -1, XID_LINE(GPU, "154, GPU recovery action changed"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 2);
	ASSERT_CODES(&told.incidents.items[0], 154);
	ASSERT_CODES(&told.incidents.items[1], 48, 63);
	release(&told);
}

static void a_program_killed_for_memory_is_the_cause(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, "Out of memory: Killed process 4711 (python3) total-vm:1kB");
	feed_at(&told.feed, 101, XID_LINE(GPU, "13, pid=4711, name=python3, Graphics Exception"));
	feed_at(&told.feed, 101, XID_LINE(GPU, "43, pid=4711, name=python3, Ch 00000008"));
	feed_at(&told.feed, 101, XID_LINE(OTHER, "13, pid=4712, name=python3, Graphics Exception"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 2);
	ASSERT_CODES(&told.incidents.items[0], 13);
	ASSERT_CODES(&told.incidents.items[1], 0, 13, 43);
	assert_int_equal(told.incidents.items[1].events[0]->row, KLOG_ROW_OOM_KILL);
	assert_string_equal(told.incidents.items[1].device, GPU ".0");
	release(&told);
}

/* Many corrected errors of the bridge above it, not few; not of a bridge below or of another card. */
static void a_storm_on_the_link_is_the_cause(void **state)
{
	struct told told = begin();

	(void)state;
	for (int i = 0; i < 20; i++) {
		feed_at(&told.feed, 100 + i, AER("0000:5c:00.0"));
		feed_at(&told.feed, 100 + i, AER("0000:e0:00.0"));
		feed_at(&told.feed, 100 + i, AER("0001:5c:00.0"));
	}
	feed_at(&told.feed, 119, AER("0000:00:01.0"));
	feed_at(&told.feed, 125, XID_LINE(GPU, "79, GPU has fallen off the bus."));
	tell(&told);
	assert_int_equal(told.incidents.nr, 4);
	ASSERT_CODES(&told.incidents.items[0], 0, 79);
	assert_string_equal(told.incidents.items[0].events[0]->device, "0000:5c:00.0");
	assert_string_equal(told.incidents.items[0].device, GPU ".0");
	release(&told);
}

/* One that goes on while the GPU is lost began before. */
static void a_storm_that_goes_on_is_the_cause(void **state)
{
	struct told told = begin();

	(void)state;
	for (int i = 0; i < 20; i++) {
		feed_at(&told.feed, 100 + i, AER("0000:5c:00.0"));
		if (i == 10)
			feed_at(&told.feed, 100 + i, XID_LINE(GPU, "79, GPU has fallen off the bus."));
	}
	tell(&told);
	assert_int_equal(told.incidents.nr, 1);
	ASSERT_CODES(&told.incidents.items[0], 0, 79);
	release(&told);
}

static void too_late_is_another_story(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, XID_LINE(GPU, "31, pid=1, name=a, MMU Fault"));
	feed_at(&told.feed, 200, XID_LINE(GPU, "43, pid=2, name=b, Ch 00000008"));
	feed_at(&told.feed, 210, XID_LINE(OTHER, "45, pid=2, name=b, Ch 00000008"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 3);
	release(&told);
}

/* By time alone 45 is of 31, which is nearer. */
static void the_drivers_own_words_count(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, XID_LINE(GPU, "149, NETIR_LINK_EVT Fatal XC0 i0 Link 01 (0x1 0x2)"));
	feed_at(&told.feed, 400, XID_LINE(GPU, "31, pid=1, name=a, MMU Fault"));
	feed_at(&told.feed, 400, XID_LINE(GPU, "45, pid=1, name=a, Ch 00000001 caused by previous Xid 149"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 2);
	ASSERT_CODES(&told.incidents.items[0], 149, 45);
	ASSERT_CODES(&told.incidents.items[1], 31);
	release(&told);
}

static void boots_are_not_joined(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, DBE);
	feed_at(&told.feed, 1, XID_LINE(GPU, "63, Row Remapper"));
	tell(&told);
	assert_int_equal(told.incidents.nr, 2);
	assert_int_equal(told.incidents.items[0].currency, KLOG_CURRENT);
	assert_int_equal(told.incidents.items[1].currency, KLOG_BEFORE_BOOT);
	release(&told);
}

/* Nothing leads over a reset. Made by hand: which lines say so is the catalogue's affair. */
static void a_reset_ends_a_story(void **state)
{
	struct klog_event events[3];
	struct klog_log log = { .nr_events = 3, .events = events, .boots = 1 };
	struct arena arena = { .blocks = NULL };
	struct klog_incidents incidents;

	(void)state;
	memset(events, 0, sizeof(events));
	for (size_t i = 0; i < 3; i++) {
		events[i].row = KLOG_ROW_XID_OTHER;
		events[i].has_code = events[i].is_gpu = true;
		snprintf(events[i].device, sizeof(events[i].device), GPU ".0");
		events[i].first_line = events[i].last_line = i + 1;
		events[i].count = 1;
	}
	events[0].code = 119;
	events[1].code = 154;
	events[1].heals = true;
	events[2].code = 120;
	events[0].currency = KLOG_BEFORE_RESET;
	klog_find_incidents(&arena, &log, &incidents);
	assert_int_equal(incidents.nr, 2);
	ASSERT_CODES(&incidents.items[0], 120);
	assert_null(incidents.items[0].recovery);
	ASSERT_CODES(&incidents.items[1], 119, 154);
	assert_ptr_equal(incidents.items[1].recovery, &events[1]);
	assert_int_equal(incidents.items[1].currency, KLOG_BEFORE_RESET);
	/* Without the reset all three are one. */
	events[1].heals = false;
	klog_find_incidents(&arena, &log, &incidents);
	assert_int_equal(incidents.nr, 1);
	arena_release(&arena);
}

/* ---- how an event counts */

static enum outcome outcome_at(const struct klog_log *log, size_t event, double boot_s)
{
	struct klog_time now = { .has_boot = true, .boot_us = (uint64_t)(boot_s * 1e6) };

	return log_event_outcome(log, &log->events[event], now, &log_limits_built_in);
}

static void what_is_old_is_a_note(void **state)
{
	struct told told = begin();
	struct klog_time never = { .has_boot = false };

	(void)state;
	feed_at(&told.feed, 100, XID_LINE(GPU, "79, GPU has fallen off the bus."));
	tell(&told);
	assert_int_equal(outcome_at(told.feed.log, 0, 200), OUTCOME_FAIL);
	assert_int_equal(outcome_at(told.feed.log, 0, 100 + LOG_CURRENT_S - 1), OUTCOME_FAIL);
	assert_int_equal(outcome_at(told.feed.log, 0, 100 + LOG_CURRENT_S + 1), OUTCOME_NOTE);
	/* Nobody knows how old: it counts. */
	assert_int_equal(log_outcome(told.feed.log, &told.incidents, never, &log_limits_built_in), OUTCOME_FAIL);
	release(&told);
}

static void hangs_count_as_policy_says(void **state)
{
	struct told told = begin();
	struct log_limits limits = log_limits_built_in;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		feed_at(&told.feed, 1000 + i * 600,
			"i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffffb, in game [2341]");
	tell(&told);
	assert_int_equal(log_hangs_again(told.feed.log, &told.feed.log->events[0], &limits), 3);
	limits.hangs_per_day = 4;
	assert_int_equal(log_hangs_again(told.feed.log, &told.feed.log->events[0], &limits), 0);
	limits.hangs_per_day = 0;
	assert_int_equal(log_hangs_again(told.feed.log, &told.feed.log->events[0], &limits), 0);
	release(&told);
}

static void what_was_before_the_driver_was_loaded_is_a_note(void **state)
{
	struct told told = begin();

	(void)state;
	feed_at(&told.feed, 100, XID_LINE(GPU, "79, GPU has fallen off the bus."));
	feed_at(&told.feed, 200, LOADED);
	tell(&told);
	assert_int_equal(outcome_at(told.feed.log, 0, 300), OUTCOME_NOTE);
	assert_int_equal(log_outcome(told.feed.log, &told.incidents, log_end(told.feed.log), &log_limits_built_in),
			 OUTCOME_NOTE);
	release(&told);
}

static void feed_job(struct told *told, double boot_s, const char *address, unsigned pid)
{
	char text[160];

	snprintf(text, sizeof(text), "NVRM: Xid (PCI:%s): 13, pid=%u, name=job, Graphics Exception", address, pid);
	feed_at(&told->feed, boot_s, text);
}

static bool points(struct told *told, double boot_s)
{
	struct klog_time now = { .has_boot = true, .boot_us = (uint64_t)(boot_s * 1e6) };

	tell(told);
	return log_points_to_gpu(told->feed.log, &told->feed.log->events[0], now);
}

static void three_jobs_point_to_their_gpu(void **state)
{
	struct told told = begin();

	(void)state;
	feed_job(&told, 1000, GPU, 1);
	feed_job(&told, 5000, GPU, 2);
	feed_job(&told, 9000, GPU, 3);
	assert_true(points(&told, 9100));
	assert_int_equal(outcome_at(told.feed.log, 0, 9100), OUTCOME_WARN);
	/* The first of them is over a day old by then. */
	assert_false(log_points_to_gpu(told.feed.log, &told.feed.log->events[0],
				       (struct klog_time){ .has_boot = true, .boot_us = UINT64_C(88000000000) }));
	assert_int_equal(outcome_at(told.feed.log, 0, 88000), OUTCOME_NOTE);
	release(&told);
}

/* Two jobs; one job of three processes; the same on another GPU. */
static void fewer_do_not(void **state)
{
	struct told told = begin();

	(void)state;
	feed_job(&told, 1000, GPU, 1);
	feed_job(&told, 5000, GPU, 2);
	feed_job(&told, 9000, GPU, 2);
	assert_false(points(&told, 9100));
	assert_int_equal(outcome_at(told.feed.log, 0, 9100), OUTCOME_NOTE);
	release(&told);

	told = begin();
	feed_job(&told, 1000, GPU, 1);
	feed_job(&told, 1001, GPU, 2);
	feed_job(&told, 1002, GPU, 3);
	assert_false(points(&told, 9100));
	release(&told);

	told = begin();
	feed_job(&told, 1000, GPU, 1);
	feed_job(&told, 5000, GPU, 2);
	feed_job(&told, 9000, GPU, 3);
	feed_job(&told, 9000, OTHER, 4);
	assert_false(points(&told, 9100));
	release(&told);
}

static void the_worst_decides(void **state)
{
	struct klog_time now = { .has_boot = false };
	struct told told = begin();
	STRBUF_AUTO sentence = STRBUF_INIT;

	(void)state;
	feed_at(&told.feed, 100, "Out of memory: Killed process 4711 (python3) total-vm:1kB");
	feed_at(&told.feed, 101, XID_LINE(GPU, "13, pid=4711, name=python3, Graphics Exception"));
	tell(&told);
	assert_ptr_equal(log_incident_worst(told.feed.log, &told.incidents.items[0], now, &log_limits_built_in),
			 &told.feed.log->events[0]);
	log_sentence(&sentence, &told.feed.log->events[1]);
	assert_memory_equal(sentence.buf, "GPU 0000:5d:00.0 ", strlen("GPU 0000:5d:00.0 "));
	release(&told);
}

/* What a line did not tell is there in general words; a step that needs it is none. */
static void places_are_filled(void **state)
{
	struct klog_event event = { .row = KLOG_ROW_XID_13, .is_gpu = true };
	STRBUF_AUTO text = STRBUF_INIT;

	(void)state;
	log_fill(&text, &event, "{has|have} {process} {pid} {unit} {address} {status}{nothing}");
	assert_string_equal(text.buf, "has a process not told an unnamed unit an unknown address no reason logged");
	strbuf_reset(&text);
	log_fill_many(&text, &event, "{has|have}");
	assert_string_equal(text.buf, "have");
	strbuf_reset(&text);
	log_subject(&text, &event);
	assert_string_equal(text.buf, "a GPU not named in the log");
}

/* ---- after which a driver is left alone */

static bool hangs_after(const char *line)
{
	struct feed feed = feed_begin();
	bool hangs;

	feed_at(&feed, 100, line);
	assert_int_equal(feed_end(&feed)->nr_events, 1);
	hangs = klog_event_hangs(&feed.log->events[0]);
	feed_free(&feed);
	return hangs;
}

static void a_driver_is_left_alone_after_what_hangs_it_alone(void **state)
{
	(void)state;
	assert_true(hangs_after(XID_LINE(GPU, "79, GPU has fallen off the bus.")));
	assert_true(hangs_after(XID_LINE(GPU, "119, pid=1, name=a, Timeout after 6s of waiting for RPC")));
	assert_true(hangs_after(XID_LINE(GPU, "154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
					      "Required)")));
	assert_true(hangs_after(XID_LINE(GPU, "154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot "
					      "Required)")));
	assert_false(hangs_after(XID_LINE(GPU, "154, GPU recovery action changed from 0x1 (GPU Reset Required) to "
					       "0x0 (None)")));
	assert_false(hangs_after(DBE));
	assert_true(hangs_after("amdgpu 0000:03:00.0: amdgpu: GPU reset(2) failed"));
	assert_true(hangs_after("amdgpu 0000:03:00.0: [drm] device wedged, needs recovery"));
	assert_false(hangs_after("amdgpu 0000:03:00.0: amdgpu: socket: 0, die: 0, 1 new uncorrectable hardware errors "
				 "detected in umc block"));
	assert_true(hangs_after("xe 0000:03:00.0: [drm] device wedged, needs recovery"));
	/* Data was damaged; the driver answers. */
	assert_false(hangs_after("xe 0000:03:00.0: TILE0 reported SOC uncorrectable-errors, bit[1] is set"));
	/* Never taken by the driver. */
	assert_false(hangs_after("NVRM: The NVIDIA GPU 0000:5d:00.0 (PCI ID: 10de:1180) installed in this "
				 "system is not supported by open"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memory_error_is_one_story),
		cmocka_unit_test(lines_stand_for_time),
		cmocka_unit_test(a_program_killed_for_memory_is_the_cause),
		cmocka_unit_test(a_storm_on_the_link_is_the_cause),
		cmocka_unit_test(a_storm_that_goes_on_is_the_cause),
		cmocka_unit_test(too_late_is_another_story),
		cmocka_unit_test(the_drivers_own_words_count),
		cmocka_unit_test(boots_are_not_joined),
		cmocka_unit_test(a_reset_ends_a_story),
		cmocka_unit_test(what_is_old_is_a_note),
		cmocka_unit_test(what_was_before_the_driver_was_loaded_is_a_note),
		cmocka_unit_test(hangs_count_as_policy_says),
		cmocka_unit_test(three_jobs_point_to_their_gpu),
		cmocka_unit_test(fewer_do_not),
		cmocka_unit_test(the_worst_decides),
		cmocka_unit_test(places_are_filled),
		cmocka_unit_test(a_driver_is_left_alone_after_what_hangs_it_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
