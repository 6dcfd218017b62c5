// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/screen_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"

/* xterm's private modes, which every terminal of today has: alternate screen, no cursor, no automatic margins. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"
#define LEAVE "\x1b[?7h\x1b[?25h\x1b[?1049l"

enum { DEFAULT_COLUMNS = 80, DEFAULT_ROWS = 24 };

/* What handlers know; they can be given nothing. */
static volatile sig_atomic_t is_wanted, is_on;
static pid_t owner;		/* a fork of ours has nothing to put right */
static int keys = -1;
static struct termios before, raw;
static void (*alloc_failed_before)(size_t size_bytes);

bool screen_mode_can(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static void say(const char *sequence, size_t len)
{
	int err = errno;

	/* A terminal that is gone needs nothing. */
	if (write(STDOUT_FILENO, sequence, len) < 0)
		errno = err;
}

static void turn_on(void)
{
	if (is_on)
		return;
	if (keys >= 0)
		tcsetattr(keys, TCSANOW, &raw);
	say(ENTER, sizeof(ENTER) - 1);
	is_on = 1;
}

static void turn_off(void)
{
	if (!is_on || getpid() != owner)
		return;
	is_on = 0;
	if (keys >= 0 && tcgetpgrp(keys) != getpgrp())
		return;
	say(LEAVE, sizeof(LEAVE) - 1);
	if (keys >= 0)
		tcsetattr(keys, TCSANOW, &before);
}

static void out_of_memory(size_t size_bytes)
{
	screen_mode_leave();
	alloc_failed_before(size_bytes);
}

static void find_keys(void)
{
	keys = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (keys >= 0 && tcgetattr(keys, &before))
		keys = -1;
	raw = before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
}

void screen_mode_enter(void)
{
	find_keys();
	if (!alloc_failed_before) {
		alloc_failed_before = alloc_failed;
		alloc_failed = out_of_memory;
		atexit(screen_mode_leave);
	}
	owner = getpid();
	is_wanted = 1;
	turn_on();
}

void screen_mode_leave(void)
{
	is_wanted = 0;
	turn_off();
}

void screen_mode_suspend(void)
{
	turn_off();
}

void screen_mode_resume(void)
{
	/* In the background the terminal is somebody else's, and setting it would stop us again. */
	if (!is_wanted || (keys >= 0 && tcgetpgrp(keys) != getpgrp()))
		return;
	/* After SIGSTOP it seems to be on, and is not. */
	is_on = 0;
	turn_on();
}

int screen_mode_keys(void)
{
	return keys;
}

struct watch_screen_size screen_mode_size(void)
{
	struct watch_screen_size ret = { .columns = DEFAULT_COLUMNS, .rows = DEFAULT_ROWS };
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row)
		ret = (struct watch_screen_size){ .columns = size.ws_col, .rows = size.ws_row };
	return ret;
}
