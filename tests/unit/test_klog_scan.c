// SPDX-License-Identifier: GPL-2.0-or-later
/* test_klog_scan.c - what is folded, what is joined, what splits the time line. */
#include "tests/unit/klog_feed.h"

#define LOST XID_LINE("0000:5d:00", "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
#define LOADED "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"
#define AER(device) "pcieport " device ": PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)"
#define TIMEOUT(device) "amdgpu " device ": amdgpu: ring gfx_0.0.0 timeout, signaled seq=5, emitted seq=7"
#define PROCESS(device, pid) \
	"amdgpu " device ": amdgpu: Process information: process p" pid " pid " pid " thread t pid 1"

static void folds_repeats(void **state)
{
	struct feed feed = feed_begin();
	const struct klog_event *event;

	(void)state;
	for (int i = 0; i < 1000; i++)
		feed_at(&feed, 10 + i, XID_LINE("0000:2b:00", "13, pid=77, name=train, Graphics Exception"));
	feed_at(&feed, 2000, XID_LINE("0000:2c:00", "13, pid=77, name=train, Graphics Exception"));
	feed_at(&feed, 2001, XID_LINE("0000:2b:00", "79, GPU has fallen off the bus."));
	assert_int_equal(feed_end(&feed)->nr_events, 3);
	event = &feed.log->events[0];
	assert_int_equal(event->count, 1000);
	assert_int_equal(event->first_line, 1);
	assert_int_equal(event->last_line, 1000);
	assert_int_equal(event->first.boot_us, 10000000);
	assert_int_equal(event->last.boot_us, 1009000000);
	assert_int_equal(event->processes_seen, 1);
	assert_int_equal(event->nr_processes, 1);
	assert_string_equal(event->processes[0].name, "train");
	assert_string_equal(feed.log->events[1].device, "0000:2c:00.0");
	feed_free(&feed);
}

/* The first process stays, and the newest; how many there were is told. */
static void keeps_the_first_and_the_newest_processes(void **state)
{
	struct feed feed = feed_begin();
	const struct klog_event *event;
	char text[128];

	(void)state;
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), XID_LINE("0000:2b:00", "13, pid=%d, name=job%d, x"), 100 + i, i);
		feed_at(&feed, i, text);
	}
	/* One of them again: it is the newest now. */
	feed_at(&feed, 20, XID_LINE("0000:2b:00", "13, pid=108, name=job8, x"));
	assert_int_equal(feed_end(&feed)->nr_events, 1);
	event = &feed.log->events[0];
	assert_int_equal(event->processes_seen, 10);
	assert_int_equal(event->nr_processes, 4);
	assert_int_equal(event->processes[0].pid, 100);
	assert_int_equal(event->processes[1].pid, 107);
	assert_int_equal(event->processes[2].pid, 109);
	assert_int_equal(event->processes[3].pid, 108);
	assert_int_equal(event->processes[3].time.boot_us, 20000000);
	feed_free(&feed);
}

static void joins_lines_of_interleaved_gpus(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	assert_true(feed_at(&feed, 1, TIMEOUT("0000:03:00.0")) > 0);
	feed_at(&feed, 1, TIMEOUT("0000:08:00.0"));
	feed_at(&feed, 1, PROCESS("0000:03:00.0", "33"));
	feed_at(&feed, 1, PROCESS("0000:08:00.0", "88"));
	feed_end(&feed);
	assert_int_equal(feed.log->nr_events, 2);
	assert_int_equal(feed.log->events[0].processes[0].pid, 33);
	assert_int_equal(feed.log->events[1].processes[0].pid, 88);
	assert_string_equal(feed.log->events[1].processes[0].name, "p88");
	assert_string_equal(feed.log->events[0].details, PROCESS("0000:03:00.0", "33"));
	assert_string_equal(feed.log->events[0].unit, "gfx_0.0.0");
	feed_free(&feed);
}

/* A line that says which process it was comes late, or is of another GPU: it belongs to nobody. */
/* A record of journald's export takes a dozen lines of its source. */
static void counts_lines_by_those_that_came(void **state)
{
	static const char *const lines[] = {
		"{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1",
		"{1}[Hardware Error]: event severity: fatal", "{1}[Hardware Error]:   section_type: PCIe error",
		"{1}[Hardware Error]:   device_id: 0000:80:03.0", "{1}[Hardware Error]:   port_type: 4, root port",
	};
	struct feed feed = feed_begin();
	const struct klog_log *log;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		feed.lines += 20;
		feed_at(&feed, -1, lines[i]);
	}
	log = feed_end(&feed);
	assert_int_equal(log->nr_events, 1);
	assert_int_equal(log->events[0].row, KLOG_ROW_AER_FATAL);
	assert_string_equal(log->events[0].device, "0000:80:03.0");
	assert_non_null(strstr(log->events[0].details, "port_type: 4"));
	assert_int_equal(log->events[0].first_line, 21);
	feed_free(&feed);
}

static void leaves_lines_that_belong_to_nothing(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, 1, PROCESS("0000:03:00.0", "1"));
	feed_at(&feed, 1, TIMEOUT("0000:03:00.0"));
	feed_at(&feed, 1, PROCESS("0000:04:00.0", "2"));
	for (int i = 0; i < 20; i++)
		feed_at(&feed, 2, "usb 1-1: reset high-speed USB device");
	feed_at(&feed, 3, PROCESS("0000:03:00.0", "3"));
	feed_end(&feed);
	assert_int_equal(feed.log->nr_events, 1);
	assert_int_equal(feed.log->events[0].nr_processes, 0);
	assert_string_equal(feed.log->events[0].details, "");
	feed_free(&feed);
}

static void keeps_long_details_in_bounds(void **state)
{
	struct feed feed = feed_begin();
	char text[600];

	(void)state;
	feed_at(&feed, 1, AER("0000:00:01.0"));
	for (int i = 0; i < 40; i++) {
		snprintf(text, sizeof(text),
			 "pcieport 0000:00:01.0:   device [8086:1901] error status/mask=%08x/00002000 %0500d", i, i);
		feed_at(&feed, 1, text);
	}
	feed_end(&feed);
	assert_int_equal(feed.log->nr_events, 1);
	assert_true(strlen(feed.log->events[0].details) < EVENT_DETAILS_BYTES);
	feed_free(&feed);
}

/* ---- the time line */

static void splits_boots_by_what_the_kernel_says_first(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, -1, LOST);
	feed_at(&feed, -1, "Linux version 6.8.0-31-generic");
	feed_at(&feed, -1, LOST);
	feed_at(&feed, -1, LOST);
	feed_end(&feed);
	assert_int_equal(feed.log->boots, 2);
	assert_int_equal(feed.log->nr_events, 2);
	assert_int_equal(feed.log->events[0].currency, KLOG_BEFORE_BOOT);
	assert_int_equal(feed.log->events[1].currency, KLOG_CURRENT);
	assert_int_equal(feed.log->events[1].count, 2);
	feed_free(&feed);
}

static void counts_a_boot_once(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, 0, "Linux version 6.8.0-31-generic");
	feed_at(&feed, 400, LOST);
	/* Back to 0: it and the words after it are one boot; those of the next one follow at once. */
	feed_at(&feed, 0, "Linux version 6.8.0-31-generic");
	feed_at(&feed, 0, "Linux version 6.8.0-31-generic");
	feed_at(&feed, 3, LOST);
	assert_int_equal(feed_end(&feed)->boots, 3);
	feed_free(&feed);
}

/* journalctl marks boots, and the kernel's own first words follow. */
static void a_marked_boot_is_one_boot(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, -1, "-- Boot 0123456789abcdef0123456789abcdef --");
	feed_at(&feed, -1, "Linux version 6.8.0");
	feed_at(&feed, -1, "-- Boot 1123456789abcdef0123456789abcdef --");
	feed_at(&feed, -1, "Linux version 6.8.0");
	feed_at(&feed, -1, LOST);
	feed_at(&feed, -1, "-- Boot 2123456789abcdef0123456789abcdef --");
	assert_int_equal(feed_end(&feed)->boots, 3);
	assert_int_equal(feed.log->events[0].currency, KLOG_BEFORE_BOOT);
	feed_free(&feed);

	feed = feed_begin();
	feed_at(&feed, 0.1, AER("0000:00:01.0"));
	feed_at(&feed, 0, "Linux version 6.8.0");
	assert_int_equal(feed_end(&feed)->boots, 1);
	feed_free(&feed);
}

static void splits_boots_by_stamps_that_go_back(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, 400, LOST);
	/* Another processor's line, late. */
	feed_at(&feed, 399.5, LOST);
	assert_int_equal(feed.lines, 2);
	feed_at(&feed, 7, LOST);
	feed_end(&feed);
	assert_int_equal(feed.log->boots, 2);
	assert_int_equal(feed.log->nr_events, 2);
	assert_int_equal(feed.log->events[0].count, 2);
	feed_free(&feed);
}

static void splits_boots_by_their_ids(void **state)
{
	struct klog_time none = { .has_boot = false };
	struct feed feed = feed_begin();

	(void)state;
	feed_line(&feed, none, "aaaa", LOST);
	feed_line(&feed, none, "", LOST);
	feed_line(&feed, none, "aaaa", LOST);
	feed_line(&feed, none, "bbbb", "Linux version 6.8.0");
	feed_line(&feed, none, "bbbb", LOST);
	assert_int_equal(feed_end(&feed)->boots, 2);
	assert_int_equal(feed.log->events[0].count, 3);
	feed_free(&feed);
}

/* A clock that is set is no boot; neither is a log with the newest line first. */
static void tolerates_clocks_that_jump(void **state)
{
	struct klog_time time = { .has_boot = true, .has_wall = true, .boot_us = 5000000, .wall_us = 1000 };
	struct feed feed = feed_begin();

	(void)state;
	feed_line(&feed, time, "", LOST);
	time.boot_us += 1000000;
	time.wall_us = INT64_C(1795000000000000);
	feed_line(&feed, time, "", LOST);
	time.boot_us += 1000000;
	time.wall_us -= INT64_C(7200000000);
	feed_line(&feed, time, "", LOST);
	assert_int_equal(feed_end(&feed)->boots, 1);
	feed_free(&feed);

	feed = feed_begin();
	time.boot_us = UINT64_C(900000000);
	for (int i = 0; i < 5; i++) {
		feed_line(&feed, time, "", LOST);
		time.boot_us -= 100000000;
		time.wall_us -= 100000000;
	}
	assert_int_equal(feed_end(&feed)->boots, 1);
	feed_free(&feed);
}

static void knows_what_was_before_the_driver_was_loaded(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, 5, LOADED);
	feed_at(&feed, 400, LOST);
	feed_at(&feed, 410, TIMEOUT("0000:03:00.0"));
	feed_at(&feed, 420, "Out of memory: Killed process 4711 (python3) total-vm:1kB");
	feed_at(&feed, 500, LOADED);
	feed_at(&feed, 600, XID_LINE("0000:5d:00", "13, pid=1, name=x, y"));
	feed_at(&feed, 700, LOST);
	feed_end(&feed);
	assert_int_equal(feed.log->nr_events, 5);
	assert_int_equal(feed.log->events[0].currency, KLOG_BEFORE_DRIVER_LOAD);
	/* Neither another vendor's driver nor the host. */
	assert_int_equal(feed.log->events[1].currency, KLOG_CURRENT);
	assert_int_equal(feed.log->events[2].currency, KLOG_CURRENT);
	assert_int_equal(feed.log->events[3].currency, KLOG_CURRENT);
	assert_int_equal(feed.log->events[4].currency, KLOG_CURRENT);
	assert_int_equal(feed.log->events[4].row, KLOG_ROW_XID_79);
	feed_free(&feed);
}

/* The bus speaks of a device as of any other; the driver's word makes it a GPU, before or after. */
static void knows_gpus_by_their_drivers(void **state)
{
	struct feed feed = feed_begin();

	(void)state;
	feed_at(&feed, 1, AER("0000:5d:00.0"));
	feed_at(&feed, 2, AER("0000:5e:00.0"));
	feed_at(&feed, 3,
		"nvidia 0000:2b:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)");
	feed_at(&feed, 4, LOST);
	feed_end(&feed);
	assert_int_equal(feed.log->nr_events, 4);
	assert_true(feed.log->events[0].is_gpu);
	assert_false(feed.log->events[1].is_gpu);
	assert_true(feed.log->events[2].is_gpu);
	assert_true(feed.log->events[3].is_gpu);
	feed_free(&feed);
}

/* ---- limits */

/* A storm of different mild events, more than fit, and what comes in it and after it. */
static void keeps_what_is_worse_and_newer(void **state)
{
	struct feed feed = feed_begin();
	uint64_t lines = 0;
	char text[160];

	(void)state;
	feed_at(&feed, 1, LOST);
	for (int i = 0; i < 3 * MAX_LOG_EVENTS; i++) {
		snprintf(text, sizeof(text), AER("%04x:00:01.0"), i);
		feed_at(&feed, 2, text);
	}
	feed_at(&feed, 3, XID_LINE("0000:2b:00", "79, GPU has fallen off the bus."));
	feed_end(&feed);
	assert_true(feed.log->nr_events <= MAX_LOG_EVENTS);
	assert_string_equal(feed.log->events[0].device, "0000:5d:00.0");
	assert_string_equal(feed.log->events[feed.log->nr_events - 1].device, "0000:2b:00.0");
	snprintf(text, sizeof(text), "%04x:00:01.0", 3 * MAX_LOG_EVENTS - 1);
	assert_string_equal(feed.log->events[feed.log->nr_events - 2].device, text);
	for (size_t i = 0; i < feed.log->nr_events; i++)
		lines += feed.log->events[i].count;
	assert_int_equal(lines + feed.log->dropped, 3 * MAX_LOG_EVENTS + 2);
	feed_free(&feed);
}

struct heard {
	size_t nr;
	struct klog_event last;
};

static void hear(void *to, const struct klog_event *event)
{
	struct heard *heard = to;

	heard->nr++;
	heard->last = *event;
}

/* Who follows a log hears of each repeat, once its lines are complete. */
static void tells_each_time_to_who_follows(void **state)
{
	struct feed feed = feed_begin();
	struct heard heard = { .nr = 0 };

	(void)state;
	klog_scan_watch(feed.scan, hear, &heard);
	feed_at(&feed, 1, TIMEOUT("0000:03:00.0"));
	feed_at(&feed, 1, PROCESS("0000:03:00.0", "33"));
	assert_int_equal(heard.nr, 0);
	klog_scan_settle(feed.scan);
	assert_int_equal(heard.nr, 1);
	assert_int_equal(heard.last.processes[0].pid, 33);
	assert_int_equal(heard.last.count, 1);
	assert_true(heard.last.is_gpu);
	feed_at(&feed, 9, TIMEOUT("0000:03:00.0"));
	klog_scan_settle(feed.scan);
	assert_int_equal(heard.nr, 2);
	assert_int_equal(heard.last.first_line, 3);
	assert_int_equal(feed_end(&feed)->nr_events, 1);
	assert_int_equal(heard.nr, 2);
	feed_free(&feed);
}

/* What a user's program quotes is nothing. */
static void hears_the_kernel_only(void **state)
{
	struct klog_line line = { .text = span_of(LOST), .number = 1, .origin = KLOG_ORIGIN_USER };
	struct feed feed = feed_begin();

	(void)state;
	assert_int_equal(klog_scan_line(feed.scan, &line), 0);
	assert_int_equal(feed_end(&feed)->nr_events, 0);
	feed_free(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds_repeats),
		cmocka_unit_test(keeps_the_first_and_the_newest_processes),
		cmocka_unit_test(joins_lines_of_interleaved_gpus),
		cmocka_unit_test(counts_lines_by_those_that_came),
		cmocka_unit_test(leaves_lines_that_belong_to_nothing),
		cmocka_unit_test(keeps_long_details_in_bounds),
		cmocka_unit_test(splits_boots_by_what_the_kernel_says_first),
		cmocka_unit_test(counts_a_boot_once),
		cmocka_unit_test(a_marked_boot_is_one_boot),
		cmocka_unit_test(splits_boots_by_stamps_that_go_back),
		cmocka_unit_test(splits_boots_by_their_ids),
		cmocka_unit_test(tolerates_clocks_that_jump),
		cmocka_unit_test(knows_what_was_before_the_driver_was_loaded),
		cmocka_unit_test(knows_gpus_by_their_drivers),
		cmocka_unit_test(keeps_what_is_worse_and_newer),
		cmocka_unit_test(tells_each_time_to_who_follows),
		cmocka_unit_test(hears_the_kernel_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
