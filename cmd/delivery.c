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

const char *delivery_reason(const struct write_target *target, int err)
{
	return err == -EPERM && target->refused[0] ? target->refused : strerror(-err);
}

void delivery_try(struct write_target *ret, const char *path)
{
	int err = is_stdout(path) ? 0 : write_target_find(ret, path);

	if (!err)
		err = write_try(ret);
	if (err)
		die(EXIT_USAGE, "%s: cannot write: %s%s", path, delivery_reason(ret, err),
		    ret->refused[0] ? "; remove it or name another file" : "");
}

void delivery_open(struct delivery *ret, const char *path)
{
	*ret = (struct delivery){ .path = path, .target = { .own_fd = STDOUT_FILENO, .folder = -1 } };
	stdout_is_taken |= is_stdout(path);
	delivery_try(&ret->target, path);
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
	complain("%s: cannot write: %s%s%s", delivery->path, delivery_reason(&delivery->target, err),
		 is_file ? "; the old file is unchanged" : "",
		 falls_back ? "; written to standard output instead" : "");
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
