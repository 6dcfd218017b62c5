// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_show.c - the screen of a watch and its keys. */
#include "base/compat.h"
#include "cmd/watch.h"

#include <errno.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "cmd/screen_mode.h"
#include "cmd/watch_signals.h"
#include "sys/clock.h"
#include "sys/write_file.h"

/* What key s saves, and what a pause may hold back before it goes on unseen. */
enum { MOST_RECENT = 60, MOST_RECENT_BYTES = 4 << 20, MOST_WAITING_BYTES = 8 << 20 };

void watch_show_begin(struct watch *watch)
{
	struct render_options how = terminal_options(watch->output_path, watch->colour, watch->ascii);

	if (watch->command || watch->format != WATCH_TEXT || watch->output_path || !screen_mode_can())
		return;
	watch->screen = watch_screen_new(&watch->series.sealed, !how.ascii, how.colour);
	watch_signals_with_screen();
	screen_mode_enter();
	if (screen_mode_keys() >= 0)
		watch->fds[watch->nr_fds++] = (struct pollfd){ .fd = screen_mode_keys(), .events = POLLIN };
	watch_show_draw(watch);
}

/* What was held back belongs to the story. */
static void take_waiting(struct watch *watch)
{
	struct json_error error;

	for (size_t i = 0; i < watch->waiting.nr; i++)
		if (watch_take(watch, watch->waiting.lines[i], strlen(watch->waiting.lines[i]), &error))
			watch_complain(watch, "a tick cannot be read back: %s", error.what);
	line_queue_limit(&watch->waiting, 0, 0);
}

void watch_show_end(struct watch *watch)
{
	if (!watch->screen)
		return;
	take_waiting(watch);
	screen_mode_leave();
	watch_screen_free(watch->screen);
	watch->screen = NULL;
	line_queue_release(&watch->waiting);
	line_queue_release(&watch->recent);
	strbuf_release(&watch->message);
}

void watch_show_draw(struct watch *watch)
{
	const struct watch_screen_state state = {
		.paused = watch->paused, .message = watch->message.len ? watch->message.buf : NULL,
	};
	STRBUF_AUTO text = STRBUF_INIT;

	if (!watch->screen)
		return;
	watch_screen_draw(&text, watch->screen, watch->view, screen_mode_size(), &state);
	/* Its terminal is gone. */
	if (write_all(STDOUT_FILENO, text.buf, text.len))
		watch->is_over = true;
}

bool watch_show_holds(struct watch *watch, const char *line, size_t len)
{
	if (!watch->screen)
		return false;
	line_queue_add(&watch->recent, line, len);
	line_queue_limit(&watch->recent, MOST_RECENT, MOST_RECENT_BYTES);
	if (!watch->paused)
		return false;
	line_queue_add(&watch->waiting, line, len);
	if (watch->waiting.bytes > MOST_WAITING_BYTES)
		take_waiting(watch);
	return true;
}

/* ---- keys */

/* A name of the node's, of which a file's can be made. */
static void add_file_name(struct strbuf *out, const struct watch *watch)
{
	const char *host = str_or(watch->series.sealed.host.name, "node");
	char stamp[32];

	clock_time_of_day(stamp);
	strbuf_addstr(out, "gpudiag-watch-");
	for (; *host && *host != '.'; host++)
		if (strchr("-_", *host) || (*host >= '0' && *host <= '9') ||
		    ((*host | 0x20) >= 'a' && (*host | 0x20) <= 'z'))
			strbuf_addch(out, *host);
	strbuf_addch(out, '-');
	for (const char *at = stamp; *at && *at != 'Z'; at++)
		if (!strchr(":-.", *at))
			strbuf_addch(out, *at);
	strbuf_addstr(out, ".jsonl");
}

/* The last ticks, as --record would have written them. */
static void save(struct watch *watch)
{
	const struct series *series = &watch->series;
	STRBUF_AUTO name = STRBUF_INIT;
	STRBUF_AUTO text = STRBUF_INIT;
	int err;

	add_file_name(&name, watch);
	series_write_begin(&text, &series->sealed, &series->policy, series->pid);
	for (size_t i = 0; i < watch->recent.nr; i++)
		strbuf_addf(&text, "%s\n", watch->recent.lines[i]);
	err = write_file(name.buf, text.buf, text.len);
	if (err)
		watch_complain(watch, "%s: cannot write: %s", name.buf, strerror(-err));
	else
		watch_complain(watch, "saved: %s, %zu tick%s", name.buf, watch->recent.nr,
			       watch->recent.nr == 1 ? "" : "s");
}

static void toggle_pause(struct watch *watch)
{
	watch->paused = !watch->paused;
	if (!watch->paused)
		take_waiting(watch);
}

/* False: it is to end. */
static bool take_key(struct watch *watch, char key)
{
	enum { NO_SEQUENCE, AFTER_ESCAPE, IN_SEQUENCE };
	bool is_arrow = watch->key_state == IN_SEQUENCE;

	if (key == '\x1b') {
		watch->key_state = AFTER_ESCAPE;
		return true;
	}
	if (watch->key_state == AFTER_ESCAPE && (key == '[' || key == 'O')) {
		watch->key_state = IN_SEQUENCE;
		return true;
	}
	/* Numbers of a longer sequence: its last byte is a letter or ~. */
	if (is_arrow && ((key >= '0' && key <= '9') || key == ';'))
		return true;
	watch->key_state = NO_SEQUENCE;
	strbuf_reset(&watch->message);
	if (is_arrow && (key == 'A' || key == 'B'))
		watch_screen_select(watch->screen, key == 'A' ? -1 : 1);
	else if (is_arrow ? key == 'C' : key == ' ')
		watch->skips = true;
	else if (!is_arrow && key == 'p')
		toggle_pause(watch);
	else if (!is_arrow && key == 's')
		save(watch);
	return is_arrow || key != 'q';
}

static bool take_keys(struct watch *watch, int fd)
{
	char keys[64];
	ssize_t got = read(fd, keys, sizeof(keys));

	/* The terminal is gone. */
	if (!got || (got < 0 && errno != EINTR && errno != EAGAIN))
		return false;
	for (ssize_t i = 0; i < got; i++)
		if (!take_key(watch, keys[i]))
			return false;
	watch_show_draw(watch);
	return true;
}

bool watch_show_event(struct watch *watch, const struct pollfd *fd)
{
	if (fd->fd != watch_signals_fd())
		return take_keys(watch, fd->fd) && !watch->is_over;
	if (watch_signals_take())
		watch_show_draw(watch);
	return !watch_ended_by && !watch->is_over;
}
