// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_line.c - a tick as a line: when, and what holds the GPUs back. */
#include "base/compat.h"
#include "render/watch.h"

enum { MOST_GROUPS = 3 };

#define NS_PER_S 1e9

static bool is_main(const struct load_view *view, const struct load_group *group)
{
	return group->sentence && view->headline && !strcmp(group->sentence, view->headline);
}

/* What the headline leaves out, as long as a line can hold it. */
static void add_other_groups(struct strbuf *text, const struct load_view *view)
{
	size_t told = 0, left = 0;

	for (size_t i = 0; i < view->nr_groups; i++) {
		const struct load_group *group = &view->groups[i];

		if (is_main(view, group))
			continue;
		if (told + 1 < MOST_GROUPS && group->sentence) {
			strbuf_addf(text, " · %s", group->sentence);
			told++;
		} else {
			left++;
		}
	}
	if (left)
		strbuf_addf(text, " · %zu more", left);
}

void render_watch_line(struct strbuf *out, const struct load_view *view, bool ascii)
{
	const char *confidence = NULL;
	STRBUF_AUTO text = STRBUF_INIT;

	if (view->nr_groups && view->groups[0].confidence != LOAD_SURE)
		confidence = load_confidence_name(view->groups[0].confidence);
	strbuf_addf(&text, "%7.1f s  %s", (double)view->at_ns / NS_PER_S, view->headline ? view->headline : "");
	if (confidence)
		strbuf_addf(&text, " (%s)", confidence);
	add_other_groups(&text, view);
	if (view->trouble)
		strbuf_addf(&text, " · %s", view->trouble);
	render_clean(out, text.buf, ascii);
	strbuf_addch(out, '\n');
}
