// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/delivery.h"

#include <errno.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/acquire.h"

/* Two documents, one behind the other, are none that a program can read. */
static bool stdout_is_taken;

bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* After a failure: what is in the way, in words. */
static const char *reason(const struct delivery *delivery, int err)
{
	return err == -EPERM && delivery->target.refused[0] ? delivery->target.refused : strerror(-err);
}

void delivery_open(struct delivery *ret, const char *path)
{
	int err = 0;

	*ret = (struct delivery){ .path = path, .target = { .own_fd = STDOUT_FILENO, .folder = -1 } };
	if (is_stdout(path))
		stdout_is_taken = true;
	else
		err = write_target_find(&ret->target, path);
	if (!err)
		err = write_try(&ret->target);
	if (err)
		die(EXIT_USAGE, "%s: cannot write: %s%s", path, reason(ret, err),
		    ret->target.refused[0] ? "; remove it or name another file" : "");
}

bool delivery_may_wait(const struct delivery *delivery)
{
	return write_may_wait(&delivery->target);
}

static int put_to_stdout(const char *data, size_t len)
{
	int err;

	acquire_release_signals();
	err = write_all(STDOUT_FILENO, data, len);
	if (!err || err == -EPIPE)
		return 0;
	complain("standard output: cannot write: %s", strerror(-err));
	return EXIT_INTERNAL;
}

int delivery_put(struct delivery *delivery, const char *data, size_t len)
{
	bool is_file, falls_back;
	int err;

	if (is_stdout(delivery->path))
		return put_to_stdout(data, len);
	is_file = !write_may_wait(&delivery->target);
	if (!is_file)
		acquire_release_signals();
	err = write_to(&delivery->target, data, len);
	write_target_close(&delivery->target);
	if (!err)
		return 0;
	falls_back = !stdout_is_taken;
	stdout_is_taken = true;
	complain("%s: cannot write: %s%s%s", delivery->path, reason(delivery, err),
		 is_file ? "; the old file is unchanged" : "", falls_back ? "; written to standard output instead" : "");
	if (falls_back)
		put_to_stdout(data, len);
	return EXIT_INTERNAL;
}

int deliver(const char *data, size_t len)
{
	return put_to_stdout(data, len);
}

void check_not_replaced(const char *input, const char *output)
{
	if (!is_stdout(input) && !is_stdout(output) && is_same_file(input, output))
		die(EXIT_USAGE, "%s: would be replaced by the output %s: it is the input", input, output);
}
