// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times waits. */
#include "base/compat.h"
#include "sys/follow.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/time.h>
#include <cmocka.h>

#include "sys/clock.h"
#include "tests/unit/support.h"

static char path[PATH_MAX];

static int begin(void **state)
{
	(void)state;
	if (!scratch_make())
		return -1;
	snprintf(path, sizeof(path), "%s", scratch("log"));
	return 0;
}

static int end(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

static void on_alarm(int signal_number)
{
	(void)signal_number;
}

static void append(const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Who follows reads this next. */
static void assert_next(struct follow *follow, const char *wanted)
{
	char buf[64] = "";
	ssize_t got;

	do
		got = follow_read(follow, buf, sizeof(buf) - 1);
	while (got == -EAGAIN);
	assert_int_equal(got, strlen(wanted));
	assert_string_equal(buf, wanted);
}

static void assert_another(struct follow *follow)
{
	char byte;

	ssize_t got;

	do
		got = follow_read(follow, &byte, 1);
	while (got == -EAGAIN);
	assert_int_equal(got, -ESTALE);
}

static void reads_what_is_added(void **state)
{
	struct follow follow;

	(void)state;
	append("one");
	assert_int_equal(follow_open(&follow, path), 0);
	assert_next(&follow, "one");
	append("two");
	assert_next(&follow, "two");
	follow_close(&follow);
}

static void sees_that_it_was_cut(void **state)
{
	struct follow follow;

	(void)state;
	append("a long line");
	assert_int_equal(follow_open(&follow, path), 0);
	assert_next(&follow, "a long line");
	assert_int_equal(truncate(path, 0), 0);
	append("new");
	assert_another(&follow);
	assert_next(&follow, "new");
	follow_close(&follow);
}

static void goes_on_with_the_file_that_took_its_name(void **state)
{
	struct follow follow;

	(void)state;
	append("old");
	assert_int_equal(follow_open(&follow, path), 0);
	assert_next(&follow, "old");
	assert_int_equal(rename(path, scratch("log.1")), 0);
	/* What was still written to the old one is not lost. */
	snprintf(path, sizeof(path), "%s", scratch("log.1"));
	append(" and more");
	snprintf(path, sizeof(path), "%s", scratch("log"));
	append("fresh");
	assert_next(&follow, " and more");
	assert_another(&follow);
	assert_next(&follow, "fresh");
	append("er");
	assert_next(&follow, "er");
	follow_close(&follow);
}

static void waits_while_there_is_no_file_of_that_name(void **state)
{
	struct follow follow;
	char byte;
	uint64_t began_ns = clock_now_ns(), cpu_ns = clock_cpu_ns();

	(void)state;
	append("old");
	assert_int_equal(follow_open(&follow, path), 0);
	assert_next(&follow, "old");
	assert_int_equal(rename(path, scratch("log.1")), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(follow_read(&follow, &byte, 1), -EAGAIN);
	assert_true(clock_now_ns() - began_ns >= 700 * UINT64_C(1000000));
	/* It slept. */
	assert_true(clock_cpu_ns() - cpu_ns < 100 * UINT64_C(1000000));
	append("new");
	assert_another(&follow);
	assert_next(&follow, "new");
	follow_close(&follow);
}

static void a_pipe_ends(void **state)
{
	struct follow follow;
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	follow_descriptor(&follow, ends[0]);
	assert_int_equal(write(ends[1], "text", 4), 4);
	assert_next(&follow, "text");
	assert_int_equal(follow_read(&follow, &byte, 1), -EAGAIN);
	close(ends[1]);
	assert_int_equal(follow_read(&follow, &byte, 1), 0);
	follow_close(&follow);
}

static void a_signal_ends_the_wait(void **state)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = { .it_value = { .tv_usec = 20000 } };
	uint64_t began_ns = clock_now_ns();
	struct follow follow;
	char byte;

	(void)state;
	append("x");
	assert_int_equal(follow_open(&follow, path), 0);
	assert_next(&follow, "x");
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
	assert_int_equal(follow_read(&follow, &byte, 1), -EAGAIN);
	assert_true(clock_now_ns() - began_ns < 200 * UINT64_C(1000000));
	follow_close(&follow);
}

static void refuses_what_cannot_be_read(void **state)
{
	struct follow follow;

	(void)state;
	assert_int_equal(follow_open(&follow, scratch("none")), -ENOENT);
	assert_int_equal(follow_open(&follow, scratch_folder), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_what_is_added, begin, end),
		cmocka_unit_test_setup_teardown(sees_that_it_was_cut, begin, end),
		cmocka_unit_test_setup_teardown(goes_on_with_the_file_that_took_its_name, begin, end),
		cmocka_unit_test_setup_teardown(waits_while_there_is_no_file_of_that_name, begin, end),
		cmocka_unit_test_setup_teardown(a_pipe_ends, begin, end),
		cmocka_unit_test_setup_teardown(a_signal_ends_the_wait, begin, end),
		cmocka_unit_test_setup_teardown(refuses_what_cannot_be_read, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
