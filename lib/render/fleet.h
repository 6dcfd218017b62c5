/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fleet.h - a fleet that was judged: for people and for programs. */
#pragma once

#include "eval/fleet/fleet.h"
#include "render/render.h"

#define FLEET_SCHEMA "gpudiag.fleet/1"

struct fleet_format {
	const char *name;	/* "text" */
	void (*render)(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);
};

/* The default first; ends with a NULL name. */
extern const struct fleet_format fleet_formats[];

void render_fleet_json(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);
/* For a ticket or a chat, and so bounded: the worst first, then how many more. */
void render_fleet_markdown(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);
/* One page that needs nothing else, with the figures of each kind of GPU drawn; of a bounded size. */
void render_fleet_html(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);
/* A row for each figure of each node that judges: what a spreadsheet or a data base takes. */
void render_fleet_csv(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);

/* The same and more as tables, for sqlite3. */
void render_fleet_sql(struct strbuf *out, const struct fleet *fleet, const struct render_options *options);

/* The nodes of one kind as a list for a scheduler, "gpu[001-003,007]", on one line; nothing where there are none. */
enum fleet_pick { FLEET_BAD, FLEET_GOOD, FLEET_MISSING };
void render_fleet_nodes(struct strbuf *out, const struct fleet *fleet, enum fleet_pick pick);
