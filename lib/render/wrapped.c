// SPDX-License-Identifier: GPL-2.0-or-later
/* wrapped.c - an explanation as a terminal shows it: labels on the left, what they say wrapped beside them. */
#include "base/compat.h"
#include "render/page.h"

enum {
	HANG = 8,		/* below "means   " */
	DEEP_HANG = 10,		/* below a step: its command, or what to expect of it */
	EXPECT_HANG = DEEP_HANG + 8,
};

/* "means   " or blanks, and something after it. */
static bool is_labelled(const char *line)
{
	size_t label = strspn(line, "abcdefghijklmnopqrstuvwxyz");

	return strlen(line) > HANG && label < HANG && label + strspn(line + label, " ") >= HANG;
}

static void put_deep(struct page *page, const char *text)
{
	bool expects = !strncmp(text, "expect: ", strlen("expect: "));

	page_move(page, DEEP_HANG);
	if (expects || !strncmp(text, "if ", strlen("if ")))
		page_flow(page, expects ? EXPECT_HANG : DEEP_HANG + 3, text);
	else
		page_command(page, DEEP_HANG, text);
}

static void put_line(struct page *page, const char *line)
{
	size_t blanks = strspn(line, " ");
	STRBUF_AUTO label = STRBUF_INIT;

	if (blanks == DEEP_HANG) {
		put_deep(page, line + blanks);
	} else if (is_labelled(line)) {
		strbuf_add(&label, line, strcspn(line, " "));
		page_put(page, INK_PLAIN, label.buf);
		page_move(page, HANG);
		page_flow(page, HANG, line + HANG);
	} else {
		page_put(page, INK_PLAIN, line);
	}
}

void render_wrapped(struct strbuf *out, const char *text, const struct render_options *options)
{
	struct page page;

	page_open(&page, out, options);
	while (*text) {
		size_t len = strcspn(text, "\n");
		STRBUF_AUTO line = STRBUF_INIT;

		strbuf_add(&line, text, len);
		put_line(&page, line.buf);
		if (page.at || !len)
			page_end_line(&page);
		text += len + (text[len] == '\n');
	}
}
