// SPDX-License-Identifier: GPL-2.0-or-later
/* test_frames.c - what a worker may say, and what makes it garbled. */
#include "base/compat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "collect/frames.h"

static const char *const paths[] = { "host", NULL };

static int say(struct frame_reader *reader, const char *line)
{
	return frame_read(reader, line, strlen(line));
}

static void test_a_whole_conversation(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct frame_reader reader = { .snapshot = &snapshot, .scope.paths = paths };

	(void)state;
	assert_int_equal(say(&reader, "{\"step\":\"uname\",\"t_ns\":1}"), 0);
	assert_string_equal(reader.call, "uname");
	assert_int_equal(reader.quiet_ms, 0);
	assert_int_equal(say(&reader, "{\"step\":\"build\",\"quiet_ms\":60000}"), 0);
	assert_int_equal(reader.quiet_ms, 60000);
	assert_int_equal(say(&reader, "{\"step\":\"build\",\"quiet_ms\":1e300}"), 0);
	assert_int_equal(reader.quiet_ms, 0);
	assert_int_equal(say(&reader, "{\"fact\":{\"host\":{\"name\":\"a\"}}}"), 0);
	assert_int_equal(say(&reader, "{\"fact\":{}}"), 0);
	assert_false(reader.ended);
	assert_int_equal(say(&reader, "{\"end\":true,\"outcome\":\"partial\",\"why\":\"half\"}"), 0);
	assert_true(reader.ended);
	assert_int_equal(reader.outcome, PROBE_PARTIAL);
	assert_string_equal(reader.why, "half");
	assert_int_equal(say(&reader, "{\"step\":\"more\"}"), -EINVAL);
	assert_true(str_is(snapshot.host.name, "a"));
	snapshot_release(&snapshot);
}

static void test_which_probe_begins(void **state)
{
	size_t number = 7;

	(void)state;
	assert_true(frame_begins("{\"begin\":3}", &number));
	assert_int_equal(number, 3);
	assert_false(frame_begins("{\"begin\":-1}", &number));
	assert_false(frame_begins("{\"begin\":\"3\"}", &number));
	assert_false(frame_begins("{\"begin\":3,\"step\":\"read\"}", &number));
	assert_false(frame_begins("{\"begin\":", &number));
	assert_false(frame_begins("{\"step\":\"read\"}", &number));
}

static void test_garbled(void **state)
{
	static const char *const lines[] = {
		"",
		"{",
		"not json",
		"[]",
		"{}",
		"{\"end\":true}",
		"{\"end\":true,\"outcome\":\"splendid\"}",
		"{\"end\":false}",
		"{\"step\":7}",
		"{\"fact\":[]}",
		"{\"fact\":{\"host\":{\"shoe_size\":1}}}",
		"{\"fact\":{\"memory\":{}}}",
		"{\"fact\":{\"schema\":\"x\",\"moons\":1}}",
		"{\"fact\":{\"host\":{\"name\":\"\\u0000\"}}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct snapshot snapshot = { .nr_gpus = 0 };
		struct frame_reader reader = { .snapshot = &snapshot, .scope.paths = paths };

		if (say(&reader, lines[i]) != -EINVAL)
			fail_msg("accepted: %s", lines[i]);
		assert_true(*reader.error.what != '\0');
		snapshot_release(&snapshot);
	}
}

/* What a run gathers in many frames, a snapshot of it must be able to hold. */
static void test_lists_have_an_end(void **state)
{
	struct snapshot snapshot = { .nr_gpus = 0 };
	struct frame_reader reader = { .snapshot = &snapshot };
	char line[128];

	(void)state;
	for (int i = 0; i < MAX_LIST; i++) {
		snprintf(line, sizeof(line), "{\"fact\":{\"daemons\":[{\"key\":\"%d\"}]}}", i + 1);
		assert_int_equal(say(&reader, line), 0);
	}
	assert_int_equal(say(&reader, "{\"fact\":{\"daemons\":[{\"key\":\"1\",\"comm\":\"a\"}]}}"), 0);
	assert_int_equal(say(&reader, "{\"fact\":{\"daemons\":[{\"key\":\"5000\"}]}}"), -EINVAL);
	assert_non_null(strstr(reader.error.what, "more than 4096"));
	assert_int_equal(snapshot.nr_daemons, MAX_LIST);
	for (int i = 0; i <= MAX_LIST; i++) {
		snprintf(line, sizeof(line), "{\"fact\":{\"holders\":[{\"key\":\"%d:/dev/nvidia0\"}]}}", i + 1);
		assert_int_equal(say(&reader, line), 0);
	}
	for (unsigned i = 0; i <= MAX_GPUS; i++) {
		snprintf(line, sizeof(line), "{\"fact\":{\"gpus\":[{\"key\":\"0000:%02x:%02x.%u\"}]}}", i / 256,
			 i / 8 % 32, i % 8);
		assert_int_equal(say(&reader, line), i < MAX_GPUS ? 0 : -EINVAL);
	}
	assert_non_null(strstr(reader.error.what, "more than 1024"));
	snapshot_release(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_have_an_end),
		cmocka_unit_test(test_a_whole_conversation),
		cmocka_unit_test(test_which_probe_begins),
		cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
