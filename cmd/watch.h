/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - gpudiag watch, whose files are cmd/watch*.c: what was asked for, and the watch under way. */
#pragma once

#include <poll.h>

#include "cmd/acquire.h"
#include "cmd/line_queue.h"
#include "cmd/terminal.h"
#include "cmd/watch_file.h"
#include "cmd/watch_series.h"
#include "eval/log/kernel_log.h"
#include "render/watch.h"

/* In the order of the option's words. */
enum { WATCH_TEXT, WATCH_JSON, WATCH_HTML };

struct watch {
	/* asked for */
	struct acquisition acq;
	uint64_t interval_ns, length_ns;	/* length 0: until it is ended */
	const char *record_path, *replay_path, *output_path;
	char **command;				/* after "--", ends with NULL; NULL none */
	unsigned format;			/* WATCH_TEXT … */
	bool ascii;
	enum terminal_colour colour;

	/* under way */
	struct series series;
	const struct policy *policy;		/* of this node, */
	struct node_log log;			/* and its kernel log, while ticks are taken */
	struct load *load;
	const struct load_view *view;		/* NULL: no tick yet */
	struct watch_trace *trace;		/* for WATCH_HTML; else NULL */
	struct watch_file record, output;
	bool has_failed;			/* something could not be written: exit status 70 */
	bool is_over;				/* key q, or nothing is there to be told of more ticks */
	pid_t child;				/* of the command, until it has ended */
	int child_status;

	/* the screen; NULL: there is none */
	struct watch_screen *screen;
	struct pollfd fds[2];			/* signals, keys */
	size_t nr_fds;
	bool paused, skips;			/* skips: a replay's next tick is shown at once */
	unsigned key_state;			/* of an arrow's sequence */
	struct strbuf message;			/* for the last line of the screen */
	struct strbuf later;			/* to be said on standard error once the screen is gone */
	struct line_queue recent;		/* ticks that key s saves */
	struct line_queue waiting;		/* that came while it was paused */
};

/* watch_options.c: dies with status 64 where they do not fit one another. */
extern const struct option_row watch_options[];
void watch_parse(struct watch *watch, int argc, char **argv);

/* watch_live.c, watch_replay.c: the whole watch; the exit status. */
int watch_live(struct watch *watch, int argc, char **argv);
int watch_replay(struct watch *watch);

/* watch_tell.c */
void watch_begin(struct watch *watch);		/* once the series has begun */
/* A tick as a line of the series: it is judged and shown. -EINVAL with *error where it is none. */
int watch_take(struct watch *watch, const char *line, size_t len, struct json_error *error) MUST_CHECK;
/* The same of one that nobody records. */
void watch_take_tick(struct watch *watch, const struct tick *tick);
/* The story, once the screen has ended, and what was not to spoil it; what the watch alone gives as exit status. */
int watch_end(struct watch *watch);
/* On standard error, or on the screen where there is one and behind it. */
void watch_complain(struct watch *watch, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds to a file, and says once that it could not. */
void watch_put(struct watch *watch, struct watch_file *file, const char *data, size_t len, const char *also);

/* watch_show.c: the screen. */
void watch_show_begin(struct watch *watch);
void watch_show_end(struct watch *watch);
void watch_show_draw(struct watch *watch);
/* Keeps a tick for key s, and while it is paused holds it back: true. */
bool watch_show_holds(struct watch *watch, const char *line, size_t len);
/* A descriptor of watch.fds has something. False: it is to end. */
bool watch_show_event(struct watch *watch, const struct pollfd *fd);

/* watch_child.c: the command. */
/* 0, or the exit status of one that cannot be started: 126, 127. */
int watch_child_start(struct watch *watch);
/* Has it ended? Takes orphans of its tree that have ended, too. */
bool watch_child_has_ended(struct watch *watch);
/* Waits for it; its exit status, or 128 and its signal. */
int watch_child_wait(struct watch *watch);
