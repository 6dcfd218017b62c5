/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff.h - what changed between two looks at a node, in words and as data. A renderer decides nothing. */
#pragma once

#include "eval/diff/diff.h"
#include "render/render.h"

#define DIFF_SCHEMA "gpudiag.diff/1"

struct diff_format {
	const char *name;
	void (*render)(struct strbuf *out, const struct diff *diff, const struct render_options *options);
};

/* The default first; ends with a NULL name. */
extern const struct diff_format diff_formats[];

/* Its differences alone, as the text has them: by group, each with its head. */
void render_diff_groups(struct strbuf *out, const struct diff *diff, const struct render_options *options);
void render_diff_text(struct strbuf *out, const struct diff *diff, const struct render_options *options);
void render_diff_json(struct strbuf *out, const struct diff *diff, const struct render_options *options);
void render_diff_markdown(struct strbuf *out, const struct diff *diff, const struct render_options *options);
void render_diff_html(struct strbuf *out, const struct diff *diff, const struct render_options *options);
