/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explanation.h - what is to be explained, in parts, and how a program and a terminal read it. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "base/compat.h"
#include "base/strbuf.h"
#include "render/render.h"

enum explained_kind {
	EXPLAINED_HEAD,		/* a line as it is */
	EXPLAINED_FACT,		/* "means   …" */
	/* below a fact: */
	EXPLAINED_COMMAND,
	EXPLAINED_EXPECT,	/* what to expect of it */
	EXPLAINED_IF,		/* what must be true as well */
	EXPLAINED_GAP,
};

struct explained {
	enum explained_kind kind;
	const char *label;	/* of a fact; "": of the one before, too */
	const char *text;
};

struct explanation {
	struct arena arena;
	struct explained *parts;
	size_t nr;
};

void explain_head(struct explanation *to, const char *format, ...) PRINTF_LIKE(2, 3);
/* label: one word, shown once of several facts in a row that have the same. */
void explain_fact(struct explanation *to, const char *label, const char *format, ...) PRINTF_LIKE(3, 4);
/* kind: one that stands below a fact. */
void explain_below(struct explanation *to, enum explained_kind kind, const char *text);
void explain_gap(struct explanation *to);
/* render_template(), for a part's text. */
const char *explained_template(struct explanation *to, const char *template);
void explanation_release(struct explanation *explanation);

/* For a program: each part is a line. */
void render_explanation(struct strbuf *out, const struct explanation *explanation);
/* For a terminal: no line is longer than the page but a command that cannot be broken. */
void render_explanation_wrapped(struct strbuf *out, const struct explanation *explanation,
				const struct render_options *options);
