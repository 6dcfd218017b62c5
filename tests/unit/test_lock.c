// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs beside one: it times waits. */
#include "base/compat.h"
#include "sys/lock.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "sys/clock.h"
#include "tests/unit/support.h"

enum { NOBODY = 65534 };

static size_t open_before;

static int begin(void **state)
{
	(void)state;
	open_before = count_open_files();
	return scratch_make() ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	scratch_remove();
	return count_open_files() == open_before ? 0 : -1;
}

/* A process that holds a lock until it is killed. */
struct other {
	pid_t pid;
	int from;	/* it writes a byte here when it has done something */
};

/* in_grandchild: the holder itself ends, and a child that it forked has the descriptor still. */
static struct other start_other(const char *name, const char *call, bool in_grandchild)
{
	struct other other;
	int ends[2], fd;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	other.pid = fork();
	if (!other.pid) {
		pid_t note = getpid();

		fd = lock_take(scratch_folder, name, 0, NULL);
		if (fd >= 0 && call)
			lock_note_call(fd, call, 0);
		if (in_grandchild) {
			note = fork();
			if (note)
				_exit(0);
			note = getpid();
		}
		(void)!write(ends[1], &note, fd >= 0 ? sizeof(note) : 0);
		for (;;)
			pause();
	}
	close(ends[1]);
	other.from = ends[0];
	if (in_grandchild)
		assert_int_equal(waitpid(other.pid, NULL, 0), other.pid);
	assert_int_equal(read(other.from, &other.pid, sizeof(other.pid)), sizeof(other.pid));
	return other;
}

static void end_other(const struct other *other)
{
	char byte;

	kill(other->pid, SIGKILL);
	waitpid(other->pid, NULL, 0);
	/* Not a child of ours, perhaps: its pipe closes when it is gone. */
	assert_int_equal(read(other->from, &byte, 1), 0);
	close(other->from);
}

static struct lock_note blank_note(void)
{
	return (struct lock_note){ .pid = 1, .since_boot_s = 1, .call = "unset" };
}

static void takes_a_lock(void **state)
{
	struct lock_note holder = blank_note();
	struct stat st;
	int fd = lock_take(scratch_folder, "nvml-gpu-0000:5d:00.0", 0, &holder);

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(stat(scratch("nvml-gpu-0000:5d:00.0"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_string_equal(holder.call, "unset");

	/* Another descriptor of the same process is another all the same. */
	assert_int_equal(lock_take(scratch_folder, "nvml-gpu-0000:5d:00.0", 0, &holder), -EWOULDBLOCK);
	assert_int_equal(holder.pid, getpid());
	assert_true(holder.since_boot_s <= clock_since_boot_s() && holder.since_boot_s + 5 > clock_since_boot_s());
	assert_string_equal(holder.call, "");
	assert_true(lock_is_held(scratch_folder, "nvml-gpu-0000:5d:00.0", &holder));
	assert_int_equal(lock_take(scratch_folder, "nvml-gpu-0000:5d:00.0", 0, NULL), -EWOULDBLOCK);
	close(fd);

	assert_false(lock_is_held(scratch_folder, "nvml-gpu-0000:5d:00.0", &holder));
	fd = lock_take(scratch_folder, "nvml-gpu-0000:5d:00.0", 0, &holder);
	assert_true(fd >= 0);
	close(fd);
}

static void knows_the_holder(void **state)
{
	struct other other = start_other("gpu", "nvmlDeviceGetPowerUsage", false);
	struct lock_note holder = blank_note();
	int fd;

	(void)state;
	assert_int_equal(lock_take(scratch_folder, "gpu", 0, &holder), -EWOULDBLOCK);
	assert_int_equal(holder.pid, other.pid);
	assert_string_equal(holder.call, "nvmlDeviceGetPowerUsage");
	holder = blank_note();
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_int_equal(holder.pid, other.pid);
	assert_string_equal(holder.call, "nvmlDeviceGetPowerUsage");
	assert_true(lock_is_held(scratch_folder, "gpu", NULL));
	assert_false(lock_is_held(scratch_folder, "another", &holder));
	assert_int_equal(access(scratch("another"), F_OK), -1);	/* asking makes no file */

	end_other(&other);
	holder = blank_note();
	assert_false(lock_is_held(scratch_folder, "gpu", &holder));
	assert_string_equal(holder.call, "unset");
	fd = lock_take(scratch_folder, "gpu", 0, &holder);
	assert_true(fd >= 0);
	close(fd);
}

/* A helper that the holder forked has the lock still; who hung is gone. */
static void tells_a_dead_holder(void **state)
{
	struct other other = start_other("gpu", "call", true);
	struct lock_note holder = blank_note();

	(void)state;
	assert_false(lock_is_held(scratch_folder, "gpu", &holder));
	assert_int_equal(lock_take(scratch_folder, "gpu", 0, &holder), -EWOULDBLOCK);
	assert_int_equal(holder.pid, 0);
	assert_string_equal(holder.call, "");
	end_other(&other);
}

static void tells_an_earlier_boot(void **state)
{
	char note[128];
	int fd;

	(void)state;
	snprintf(note, sizeof(note), "pid %d\nsince 5\nboot 00000000-0000-0000-0000-000000000000\ncall x\n", getpid());
	assert_true(scratch_write("gpu", note, strlen(note)));
	fd = open(scratch("gpu"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_false(lock_is_held(scratch_folder, "gpu", NULL));
	close(fd);
}

/* Held, but whoever holds it has not written its note, or something else is in the file. */
static void accepts_any_note(void **state)
{
	static const char *const notes[] = { "", "\n", "pid", "pid x\n", "pid 99999999999999999999\n", "\xff\xfe" };
	struct lock_note holder;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		int fd;

		assert_true(scratch_write("gpu", notes[i], strlen(notes[i])));
		fd = open(scratch("gpu"), O_RDWR | O_CLOEXEC);
		assert_int_equal(flock(fd, LOCK_EX), 0);
		holder = blank_note();
		assert_true(lock_is_held(scratch_folder, "gpu", &holder));
		assert_int_equal(holder.pid, 0);
		holder = blank_note();
		assert_int_equal(lock_take(scratch_folder, "gpu", 0, &holder), -EWOULDBLOCK);
		assert_int_equal(holder.pid, 0);
		close(fd);
		fd = lock_take(scratch_folder, "gpu", 0, &holder);
		assert_true(fd >= 0);
		assert_true(lock_is_held(scratch_folder, "gpu", &holder));
		assert_int_equal(holder.pid, getpid());
		close(fd);
	}
}

static void notes_calls(void **state)
{
	struct lock_note holder;
	char longest[200];
	int fd = lock_take(scratch_folder, "gpu", 0, NULL);

	(void)state;
	memset(longest, 'c', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	lock_note_call(fd, longest, 0);
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_int_equal(strlen(holder.call), sizeof(holder.call) - 1);
	lock_note_call(fd, "two words\nand\ta line", 0);
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_string_equal(holder.call, "two words and a line");
	lock_note_call(fd, "", 0);
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_string_equal(holder.call, "");
	assert_int_equal(holder.pid, getpid());
	assert_non_null(strstr(scratch_content("gpu"), "\ncall \n"));
	close(fd);
	lock_note_call(-1, "nothing to write to", 0);
}

static void notes_the_deadline(void **state)
{
	struct lock_note holder;
	int fd = lock_take(scratch_folder, "gpu", 15000, NULL);

	(void)state;
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_int_equal(holder.deadline_ms, 15000);
	assert_string_equal(holder.call, "");
	lock_note_call(fd, "nvmlInit_v2", 0);
	assert_true(lock_is_held(scratch_folder, "gpu", &holder));
	assert_int_equal(holder.deadline_ms, 15000);
	assert_string_equal(holder.call, "nvmlInit_v2");
	close(fd);
}

static void makes_a_file_name_of_any_name(void **state)
{
	static const struct {
		const char *name, *file;
	} cases[] = {
		{ .name = "ocl /etc/OpenCL/x.icd", .file = "ocl__etc_OpenCL_x.icd" },
		{ .name = "..", .file = "_." },
		{ .name = "../../escape", .file = "_._.._escape" },
		{ .name = "", .file = "_" },
		{ .name = "a\nb\x7f\xc3\xa9", .file = "a_b___" },
	};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = lock_take(scratch_folder, cases[i].name, 0, NULL);

		assert_true(fd >= 0);
		assert_int_equal(access(scratch(cases[i].file), F_OK), 0);
		assert_true(lock_is_held(scratch_folder, cases[i].name, NULL));
		close(fd);
	}
	assert_int_equal(count_entries(scratch_folder), ARRAY_SIZE(cases));
	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(lock_take(scratch_folder, longest, 0, NULL), -ENAMETOOLONG);
}

static void trusts_only_own_files(void **state)
{
	(void)state;
	assert_true(scratch_write("elsewhere", "kept", 4));
	assert_int_equal(symlink("elsewhere", scratch("link")), 0);
	assert_int_equal(lock_take(scratch_folder, "link", 0, NULL), -ELOOP);
	assert_false(lock_is_held(scratch_folder, "link", NULL));
	assert_string_equal(scratch_content("elsewhere"), "kept");
	assert_int_equal(mkfifo(scratch("fifo"), 0600), 0);
	assert_int_equal(lock_take(scratch_folder, "fifo", 0, NULL), -EPERM);
	assert_int_equal(mkdir(scratch("folder"), 0700), 0);
	assert_int_equal(lock_take(scratch_folder, "folder", 0, NULL), -EISDIR);
	assert_int_equal(lock_take(scratch("none"), "gpu", 0, NULL), -ENOENT);
	assert_false(lock_is_held(scratch("none"), "gpu", NULL));
	if (geteuid())
		return;
	assert_int_equal(chown(scratch("elsewhere"), NOBODY, NOBODY), 0);
	assert_int_equal(lock_take(scratch_folder, "elsewhere", 0, NULL), -EPERM);
}

static void finds_the_folder(void **state)
{
	char path[PATH_MAX], small[8];
	struct stat st;

	(void)state;
	unsetenv("XDG_RUNTIME_DIR");
	setenv("GPUDIAG_RUNTIME_DIR", scratch("locks"), 1);
	umask(022);
	assert_int_equal(lock_folder(path, sizeof(path)), 0);
	assert_string_equal(path, scratch("locks"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(lock_folder(path, sizeof(path)), 0);	/* it is there now */
	assert_int_equal(lock_folder(small, sizeof(small)), -ENAMETOOLONG);
	setenv("GPUDIAG_RUNTIME_DIR", scratch("no/such"), 1);
	assert_int_equal(lock_folder(path, sizeof(path)), -ENOENT);
	assert_true(scratch_write("file", "", 0));
	setenv("GPUDIAG_RUNTIME_DIR", scratch("file"), 1);
	assert_int_equal(lock_folder(path, sizeof(path)), -ENOTDIR);
	setenv("GPUDIAG_RUNTIME_DIR", scratch("locks"), 1);
	assert_false(lock_folder_is_open(scratch("locks")));
	for (unsigned i = 0; i < 3; i++) {
		static const mode_t open_to_others[] = { 0777, 0720, 01702 };

		assert_int_equal(chmod(scratch("locks"), open_to_others[i]), 0);
		assert_int_equal(lock_folder(path, sizeof(path)), -EPERM);
		assert_true(lock_folder_is_open(scratch("locks")));
	}
	assert_int_equal(chmod(scratch("locks"), 0755), 0);
	assert_int_equal(lock_folder(path, sizeof(path)), 0);
	if (!geteuid()) {
		assert_int_equal(chown(scratch("locks"), NOBODY, NOBODY), 0);
		assert_int_equal(lock_folder(path, sizeof(path)), -EPERM);
	}
	unsetenv("GPUDIAG_RUNTIME_DIR");
}

/* What people who are not root get. */
static void finds_the_folder_of_a_user(void **state)
{
	char path[PATH_MAX];
	int none, named;
	bool is_root = !geteuid();

	(void)state;
	assert_int_equal(chmod(scratch_folder, 0777), 0);
	unsetenv("GPUDIAG_RUNTIME_DIR");
	unsetenv("XDG_RUNTIME_DIR");
	if (is_root)
		assert_int_equal(seteuid(NOBODY), 0);
	none = lock_folder(path, sizeof(path));
	setenv("XDG_RUNTIME_DIR", scratch_folder, 1);
	named = lock_folder(path, sizeof(path));
	unsetenv("XDG_RUNTIME_DIR");
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(none, -ENOENT);
	assert_int_equal(named, 0);
	assert_string_equal(path, scratch("gpudiag"));
}

/* Somebody who asks again and again is not taken for a holder. */
static void asking_disturbs_nobody(void **state)
{
	int refused = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		for (;;) {
			lock_is_held(scratch_folder, "gpu", NULL);
			usleep(500);
		}
	}
	for (int i = 0; i < 200; i++) {
		int fd = lock_take(scratch_folder, "gpu", 0, NULL);

		refused += fd < 0;
		if (fd >= 0)
			close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(refused, 0);
}

#define lock_test(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		lock_test(takes_a_lock),
		lock_test(knows_the_holder),
		lock_test(tells_a_dead_holder),
		lock_test(tells_an_earlier_boot),
		lock_test(accepts_any_note),
		lock_test(notes_calls),
		lock_test(notes_the_deadline),
		lock_test(makes_a_file_name_of_any_name),
		lock_test(trusts_only_own_files),
		lock_test(finds_the_folder),
		lock_test(finds_the_folder_of_a_user),
		lock_test(asking_disturbs_nobody),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
