// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/explanation.h"

#include <stdarg.h>

#include "render/lines.h"

enum {
	HANG = 8,		/* below "means   " */
	DEEP_HANG = 10,		/* below a step: its command, or what to expect of it */
};

static void add(struct explanation *to, enum explained_kind kind, const char *label, const char *text)
{
	to->parts = arena_grow(&to->arena, to->parts, to->nr, sizeof(*to->parts));
	to->parts[to->nr++] = (struct explained){ .kind = kind, .label = label, .text = text };
}

static const char *PRINTF_LIKE(2, 0) formatted(struct arena *arena, const char *format, va_list args)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_vaddf(&text, format, args);
	return arena_strdup(arena, text.buf);
}

void explain_head(struct explanation *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(to, EXPLAINED_HEAD, "", formatted(&to->arena, format, args));
	va_end(args);
}

/* The label of the fact before, of the same head. */
static const char *label_before(const struct explanation *to)
{
	for (size_t i = to->nr; i-- > 0 && to->parts[i].kind != EXPLAINED_HEAD;)
		if (*to->parts[i].label)
			return to->parts[i].label;
	return "";
}

void explain_fact(struct explanation *to, const char *label, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(to, EXPLAINED_FACT, strcmp(label, label_before(to)) ? label : "", formatted(&to->arena, format, args));
	va_end(args);
}

void explain_below(struct explanation *to, enum explained_kind kind, const char *text)
{
	add(to, kind, "", text);
}

void explain_gap(struct explanation *to)
{
	add(to, EXPLAINED_GAP, "", "");
}

const char *explained_template(struct explanation *to, const char *template)
{
	STRBUF_AUTO text = STRBUF_INIT;

	render_template(&text, template);
	return arena_strdup(&to->arena, text.buf);
}

void explanation_release(struct explanation *explanation)
{
	arena_release(&explanation->arena);
	*explanation = (struct explanation){ .nr = 0 };
}

/* What a part below a fact begins with. */
static const char *lead(enum explained_kind kind)
{
	return kind == EXPLAINED_EXPECT ? "expect: " : kind == EXPLAINED_IF ? "if " : "";
}

void render_explanation(struct strbuf *out, const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->nr; i++) {
		const struct explained *part = &explanation->parts[i];

		if (part->kind == EXPLAINED_FACT)
			strbuf_addf(out, "%-*s", HANG, part->label);
		else if (part->kind != EXPLAINED_HEAD && part->kind != EXPLAINED_GAP)
			strbuf_addf(out, "%*s%s", DEEP_HANG, "", lead(part->kind));
		strbuf_addf(out, "%s\n", part->text);
	}
}

static void put_part(struct term_writer *term, const struct explained *part)
{
	switch (part->kind) {
	case EXPLAINED_HEAD:
		term_line(term, part->text);
		return;
	case EXPLAINED_FACT:
		term_put(term, STYLE_PLAIN, part->label);
		term_move(term, HANG);
		term_flow(term, HANG, part->text);
		break;
	case EXPLAINED_COMMAND:
		term_command(term, DEEP_HANG, part->text);
		return;		/* it ends its lines itself */
	case EXPLAINED_EXPECT:
	case EXPLAINED_IF:
		term_move(term, DEEP_HANG);
		term_put(term, STYLE_PLAIN, lead(part->kind));
		term_flow(term, DEEP_HANG + strlen(lead(part->kind)), part->text);
		break;
	case EXPLAINED_GAP:
		break;
	}
	term_end_line(term);
}

void render_explanation_wrapped(struct strbuf *out, const struct explanation *explanation,
				const struct render_options *options)
{
	struct term_writer term;

	term_open(&term, out, options);
	for (size_t i = 0; i < explanation->nr; i++)
		put_part(&term, &explanation->parts[i]);
}
