/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render.h - a report in words or data. A renderer decides nothing.
 *
 * To add one: a file here, a row in formats.c. See CONTRIBUTING.md.
 */
#pragma once

#include "base/strbuf.h"
#include "eval/judge/report.h"

struct render_options {
	bool colour;
	bool ascii;		/* ASCII only */
	unsigned columns;	/* of the text report; 0: 100 */
	/* of the JSON report: nothing of what passed, was skipped or read without trouble, but how many */
	bool compact;
};

struct format {
	const char *name;	/* "text" */
	const char *help;	/* one line */
	bool is_json;
	bool has_compact;	/* options.compact shortens it, or it is compact itself */
	bool is_for_others;	/* another user's program reads the file that it is written to */
	void (*render)(struct strbuf *out, const struct report *report, const struct render_options *options);
};

/* In the order of `gpudiag list formats`; ends with a NULL name. */
extern const struct format formats[];
const struct format *format_by_name(const char *name);

/* Adds text from anywhere as a terminal may show it: valid UTF-8 (or ASCII), control characters as \x1b, on one line.
 */
void render_clean(struct strbuf *out, const char *text, bool ascii);

/* The GPUs of a snapshot, those under test first: number, address, name, UUID, serial number, driver, role. */
void render_gpu_list(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options);

/* The JSON Schema of a snapshot, from the field tables; ends in a line feed. */
void render_snapshot_schema(struct strbuf *out);

/* A finding's template as it reads of one subject: "{runs|run}" is "runs". Evidence keeps its braces. */
void render_template(struct strbuf *out, const char *template);

/*
 * A baseline for people: whose it is, and each figure with its spread, its noise and from where on it has drifted. With
 * a report, which was judged by it: what it came to, each figure as it is now, and what changed in parts, versions and
 * settings.
 */
void render_baseline(struct strbuf *out, const struct baseline *baseline, const struct policy *policy,
		     const struct report *report, bool ascii);

/* The policy as a policy file, with what each value means. */
void render_policy(struct strbuf *out, const struct policy *policy);
