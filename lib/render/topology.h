/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology.h - what hangs where in a node: as a matrix and a tree, as data, and drawn. */
#pragma once

#include "render/render.h"

#define TOPOLOGY_SCHEMA "gpudiag.topology/1"

struct topology_format {
	const char *name;	/* "text" */
	void (*render)(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);
};

/* The default first; ends with a NULL name. */
extern const struct topology_format topology_formats[];

void render_topology_json(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);
void render_topology_svg(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);
