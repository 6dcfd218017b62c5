// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/watch_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/inherited_signals.h"
#include "cmd/screen_mode.h"

volatile int watch_ended_by;

/* What handlers know; they can be given nothing. */
static int pipe_fds[2] = { -1, -1 };
static volatile pid_t owner, passed_to;
static volatile sig_atomic_t held_back;	/* a signal that came before the command was started */
static volatile sig_atomic_t has_command;

static void wake(char why)
{
	int before = errno;

	/* A full pipe wakes as well. */
	if (write(pipe_fds[1], &why, 1) < 0)
		errno = before;
}

/* Again, as it would have been without us. */
static void end_by(int signal_number)
{
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void on_end(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	/* In a fork of ours, which has a life of its own. */
	if (getpid() != owner) {
		end_by(signal_number);
		return;
	}
	if (has_command) {
		/* From a terminal it went to the command as well, which is in the same process group. */
		if (passed_to && info->si_code <= 0)
			kill(passed_to, signal_number);
		else if (!passed_to)
			held_back = signal_number;
		return;
	}
	if (watch_ended_by) {
		screen_mode_leave();
		end_by(signal_number);
	}
	watch_ended_by = signal_number;
	wake('e');
}

static void on_child(int signal_number)
{
	(void)signal_number;
	wake('c');
}

static void on_resize(int signal_number)
{
	(void)signal_number;
	wake('d');
}

static void set(int signal_number, void (*handler)(int signal_number), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal_number, &action, NULL);
}

static void on_stop(int signal_number)
{
	screen_mode_suspend();
	signal(signal_number, SIG_DFL);
	raise(signal_number);	/* and goes on here, once somebody continues it */
	set(SIGTSTP, on_stop, SA_RESTART | SA_NODEFER);
	screen_mode_resume();
	wake('d');
}

/* Also after SIGSTOP, which cannot be caught: whoever used the terminal meanwhile left it otherwise. */
static void on_continue(int signal_number)
{
	(void)signal_number;
	screen_mode_resume();
	wake('d');
}

/* A crash must not leave the terminal without echo. */
static void on_crash(int signal_number)
{
	screen_mode_leave();
	end_by(signal_number);
}

void watch_signals_begin(bool with_command)
{
	static const int for_command[] = { SIGQUIT, SIGUSR1, SIGUSR2 };
	struct sigaction action = { .sa_sigaction = on_end, .sa_flags = (int)(SA_SIGINFO | SA_NODEFER) };

	owner = getpid();
	has_command = with_command;
	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK))
		die(EXIT_INTERNAL, "watch: %s", strerror(errno));
	inherited_signals_catch_ending(&action);
	if (!with_command)
		return;
	inherited_signals_catch(for_command, ARRAY_SIZE(for_command), &action);
	set(SIGCHLD, on_child, SA_RESTART | SA_NOCLDSTOP);
}

void watch_signals_pass_to(pid_t child)
{
	passed_to = child;
	if (held_back)
		kill(child, held_back);
}

void watch_signals_without_command(void)
{
	passed_to = 0;
	has_command = false;
}

void watch_signals_with_screen(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT };
	struct sigaction old;

	set(SIGWINCH, on_resize, SA_RESTART);
	set(SIGTSTP, on_stop, SA_RESTART | SA_NODEFER);
	set(SIGCONT, on_continue, SA_RESTART);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		/* A sanitizer's own handler stays. */
		if (!sigaction(crashes[i], NULL, &old) && old.sa_handler == SIG_DFL)
			set(crashes[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER));
}

int watch_signals_fd(void)
{
	return pipe_fds[0];
}

bool watch_signals_take(void)
{
	bool is_to_draw = false;
	char why[64];
	ssize_t got;

	while ((got = read(pipe_fds[0], why, sizeof(why))) > 0)
		for (ssize_t i = 0; i < got; i++)
			is_to_draw = is_to_draw || why[i] == 'd';
	return is_to_draw;
}
