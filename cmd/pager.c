// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/inherited_signals.h"
#include "cmd/terminal.h"
#include "render/lines.h"
#include "sys/write_file.h"

/* NULL: none is wanted. */
static const char *pager_command(void)
{
	static const char *const names[] = { "GPUDIAG_PAGER", "PAGER" };
	const char *ret = "less", *term = getenv("TERM");

	/* There a pager can neither move nor ask. */
	if (!term || !*term || !strcmp(term, "dumb"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value) {
			ret = value;
			break;
		}
	}
	return *ret && strcmp(ret, "cat") != 0 ? ret : NULL;
}

static bool fits_screen(const char *text, size_t len)
{
	struct winsize size;
	size_t lines = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return true;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	/* The shell's prompt takes a line. */
	return lines < size.ws_row;
}

NORETURN static void become(const char *command, int text_fd)
{
	inherited_signals_restore();
	/* What git and man give them: less and lv pass colours through, and less leaves the text on the screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (dup2(text_fd, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(EXIT_NO_COMMAND);
}

static int wait_for(pid_t pager)
{
	int status;

	while (waitpid(pager, &status, 0) != pager)
		if (errno != EINTR)
			return 0;
	return status;
}

static bool was_shown(const char *command, int status)
{
	if (WIFSIGNALED(status)) {
		complain("%s: the pager died: %s", command, strsignal(WTERMSIG(status)));
		return false;
	}
	/* The shell has said why. */
	return WEXITSTATUS(status) != EXIT_CANNOT_RUN && WEXITSTATUS(status) != EXIT_NO_COMMAND;
}

/* The keyboard's signals are the pager's while it is there: it has the terminal. */
static bool show(const char *command, const char *text, size_t len)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	int fds[2], status, err;
	pid_t pager;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	pager = fork();
	if (!pager)
		become(command, fds[0]);
	close(fds[0]);
	if (pager < 0) {
		close(fds[1]);
		return false;
	}
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	err = write_all(fds[1], text, len);
	close(fds[1]);
	status = wait_for(pager);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	/* A reader who has seen enough closes it. */
	return (!err || err == -EPIPE) && was_shown(command, status);
}

/* false: the text was not shown. */
static bool pager_shows(const char *text, size_t len)
{
	const char *command;

	if (!isatty(STDOUT_FILENO) || fits_screen(text, len))
		return false;
	command = pager_command();
	return command && show(command, text, len);
}

int page(const char *text, size_t len)
{
	return pager_shows(text, len) ? 0 : deliver(text, len);
}

int page_delivery(struct delivery *to, const char *text, size_t len)
{
	return is_stdout(to->path) && pager_shows(text, len) ? 0 : delivery_put(to, text, len);
}

static int tell_lines(const char *text, size_t len, int (*tell)(const char *text, size_t len))
{
	const struct render_options options = terminal_options(NULL, COLOUR_NEVER, false);
	STRBUF_AUTO wrapped = STRBUF_INIT;

	if (!isatty(STDOUT_FILENO))
		return deliver(text, len);
	render_lines(&wrapped, text, &options);
	return tell(wrapped.buf, wrapped.len);
}

int page_lines(const char *text, size_t len)
{
	return tell_lines(text, len, page);
}

int print_lines(const char *text, size_t len)
{
	return tell_lines(text, len, deliver);
}
