// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_tell.c - a tick is judged and told, and at the end the story. */
#include "base/compat.h"
#include "cmd/watch.h"

#include <stdarg.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/delivery.h"
#include "sys/write_file.h"

void watch_complain(struct watch *watch, const char *format, ...)
{
	STRBUF_AUTO text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	if (!watch->screen) {
		complain("%s", text.buf);
		return;
	}
	strbuf_reset(&watch->message);
	strbuf_addstr(&watch->message, text.buf);
	strbuf_addf(&watch->later, "%s\n", text.buf);
}

void watch_put(struct watch *watch, struct watch_file *file, const char *data, size_t len, const char *also)
{
	bool is_output = file == &watch->output;
	const char *why;

	if (watch_file_put(file, data, len, &why))
		return;
	/* A pipe's reader that went away has seen enough. */
	if (is_output)
		watch->is_over = true;
	if (!*why && is_stdout(file->path))
		return;
	watch->has_failed = true;
	watch_complain(watch, "%s: cannot write: %s%s", is_stdout(file->path) ? "standard output" : file->path,
		       *why ? why : "broken pipe", also);
}

void watch_begin(struct watch *watch)
{
	struct series *series = &watch->series;

	watch->load = load_new(&series->sealed, series_policy(series), series->pid);
	if (watch->format == WATCH_HTML)
		watch->trace = watch_trace_new();
}

/* With a command lines go to a file alone: standard output is the command's. A page comes at the end. */
static bool has_lines(const struct watch *watch)
{
	return !watch->screen && !watch->trace && (!watch->command || watch->output_path);
}

static void tell_line(struct watch *watch, const struct tick *tick)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (watch->format == WATCH_JSON)
		render_watch_json(&text, watch->view, tick);
	else
		render_watch_line(&text, watch->view, watch->ascii);
	watch_put(watch, &watch->output, text.buf, text.len, "");
}

static void judge_tick(struct watch *watch, const struct tick *tick)
{
	load_add(watch->load, tick);
	watch->view = load_now(watch->load);
	if (watch->screen)
		watch_screen_add(watch->screen, watch->view);
	if (watch->trace)
		watch_trace_add(watch->trace, watch->view);
	if (has_lines(watch))
		tell_line(watch, tick);
}

int watch_take(struct watch *watch, const char *line, size_t len, struct json_error *error)
{
	struct tick tick;
	int r = series_tick(&watch->series, line, len, &tick, error);

	if (r)
		return r;
	judge_tick(watch, &tick);
	tick_release(&tick);
	return 0;
}

void watch_take_tick(struct watch *watch, const struct tick *tick)
{
	watch->series.ticks++;
	judge_tick(watch, tick);
}

/* ---- the end */

static void add_story(struct strbuf *out, const struct watch *watch, const struct load_story *story,
		      const struct render_options *how)
{
	if (watch->format == WATCH_JSON)
		render_watch_story_json(out, story);
	else if (watch->trace)
		render_watch_html(out, story, watch->view, watch->trace, &watch->series.sealed, how);
	else
		render_watch_story(out, story, how);
}

/* Standard error is there for what is no output of the command. */
static void tell_story_beside(const struct watch *watch, const struct load_story *story)
{
	struct render_options how = terminal_options(NULL, watch->colour, watch->ascii);
	STRBUF_AUTO text = STRBUF_INIT;

	if (watch->colour == COLOUR_AUTO && !isatty(STDERR_FILENO))
		how.colour = false;
	/* A page that has a file is not for people who look at a terminal. */
	if (watch->trace && watch->output_path)
		render_watch_story(&text, story, &how);
	else
		add_story(&text, watch, story, &how);
	/* Where it is gone as well there is no other place. */
	if (write_all(STDERR_FILENO, text.buf, text.len))
		return;
}

static void tell_story(struct watch *watch, const struct load_story *story)
{
	struct render_options how = terminal_options(watch->output_path, watch->colour, watch->ascii);
	STRBUF_AUTO text = STRBUF_INIT;

	if (watch->command)
		tell_story_beside(watch, story);
	if (watch->command && !watch->output_path)
		return;
	add_story(&text, watch, story, &how);
	watch_put(watch, &watch->output, text.buf, text.len, "");
}

static void close_file(struct watch *watch, struct watch_file *file)
{
	const char *why;

	if (watch_file_close(file, &why))
		return;
	watch->has_failed = true;
	complain("%s: cannot write: %s", file->path, why);
}

/* What was kept from a screen that was not to be spoilt. */
static void tell_later(struct watch *watch)
{
	const char *next;

	for (const char *line = watch->later.buf; *line; line = next) {
		size_t len = strcspn(line, "\n");

		complain("%.*s", (int)len, line);
		next = line + len + (line[len] ? 1 : 0);
	}
	strbuf_release(&watch->later);
}

int watch_end(struct watch *watch)
{
	struct series *series = &watch->series;
	const struct load_story *story;
	int status;

	story = load_story(watch->load);
	status = story->exit_status;
	tell_story(watch, story);
	tell_later(watch);
	if (series->unknown.nr)
		complain("%zu unknown key%s of the recording ignored by " TOOL " (first: \"%s\")", series->unknown.nr,
			 series->unknown.nr == 1 ? "" : "s", series->unknown.first);
	if (series->nr_strangers)
		complain("GPU \"%s\" of a tick is not in the recording's snapshot, which has %s%s: not judged",
			 series->first_stranger,
			 series->sealed.nr_gpus ? str_or(series->sealed.gpus[0].key, "") : "none",
			 series->sealed.nr_gpus > 1 ? ", …" : "");
	close_file(watch, &watch->record);
	close_file(watch, &watch->output);
	watch_trace_free(watch->trace);
	load_free(watch->load);
	return watch->has_failed ? EXIT_INTERNAL : status;
}
