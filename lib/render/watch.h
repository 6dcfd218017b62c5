/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - gpudiag watch: its screen, its lines, its JSON, and the story at its end. Pure. */
#pragma once

#include "eval/load/load.h"
#include "render/render.h"

#define WATCH_SCHEMA "gpudiag.watch/1"

/* What the screen remembers between ticks: sparklines, the selected GPU. */
struct watch_screen;

struct watch_screen_size { unsigned columns, rows; };

/* Beside what was judged. */
struct watch_screen_state {
	bool paused;
	const char *message;		/* in place of the keys: "saved: FILE"; NULL none */
};

struct watch_screen *watch_screen_new(const struct snapshot *sealed, bool utf8, bool color);
void watch_screen_free(struct watch_screen *screen);
/* Adds the figures of that view to the sparklines. */
void watch_screen_add(struct watch_screen *screen, const struct load_view *view);
void watch_screen_select(struct watch_screen *screen, int step);	/* arrows */
/*
 * One whole screen that overwrites the one before, with the cursor moved by ECMA-48: never more than its rows and
 * columns. view may be NULL: no tick yet.
 */
void watch_screen_draw(struct strbuf *out, struct watch_screen *screen, const struct load_view *view,
		       struct watch_screen_size size, const struct watch_screen_state *state);

/* A line per tick, where standard output is no terminal. */
void render_watch_line(struct strbuf *out, const struct load_view *view, bool ascii);
/* One JSON object and a line feed: the judgement of a tick with its raw values (schema gpudiag.watch/1). */
void render_watch_json(struct strbuf *out, const struct load_view *view, const struct tick *tick);

/* The end: what the time went to. */
void render_watch_story(struct strbuf *out, const struct load_story *story, const struct render_options *how);
void render_watch_story_json(struct strbuf *out, const struct load_story *story);

/* The end as one page of HTML, of what was remembered from the first tick on. */
struct watch_trace;
struct watch_trace *watch_trace_new(void);
void watch_trace_free(struct watch_trace *trace);	/* or NULL */
void watch_trace_add(struct watch_trace *trace, const struct load_view *view);
/* view: after the last tick; NULL: there was none. */
void render_watch_html(struct strbuf *out, const struct load_story *story, const struct load_view *view,
		       const struct watch_trace *trace, const struct snapshot *sealed,
		       const struct render_options *how);
