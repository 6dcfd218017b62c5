/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology.h - what hangs where in a node: as a matrix and a tree, as data, and drawn. */
#pragma once

#include "eval/facts/topology.h"
#include "render/render.h"

#define TOPOLOGY_SCHEMA "gpudiag.topology/1"

struct topology_format {
	const char *name;	/* "text" */
	void (*render)(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);
};

/* The default first; ends with a NULL name. */
extern const struct topology_format topology_formats[];

/* What the matrix says between two devices, and what that means; ends with a NULL word. */
struct topology_word {
	const char *word, *meaning;
};
extern const struct topology_word topology_words[];

void render_topology_json(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);
void render_topology_svg(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);

/* The tree alone. title: who it is of. is_document: a file of its own, on white, or a part of a page of HTML. */
void topology_svg(struct strbuf *out, const struct topology *topology, const char *title, bool is_document, bool ascii);
