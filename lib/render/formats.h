/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formats.h - the renderers, for the table in formats.c. */
#pragma once

#include "render/render.h"

#define REPORT_SCHEMA "gpudiag.report/1"

void render_text(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_short(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_line(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_markdown(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_html(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_junit(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_github(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_nagios(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_jsonl(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_json(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_prometheus(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_picture(struct strbuf *out, const struct report *report, const struct render_options *options);
void render_snapshot(struct strbuf *out, const struct report *report, const struct render_options *options);
