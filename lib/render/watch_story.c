// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_story.c - the end of a watch: what the time went to, most of it first, and what to do. */
#include "base/compat.h"
#include "render/watch.h"

#include "base/units.h"
#include "render/watch_page.h"

enum { HANG = 6, SHARE_COLUMN = 6, SENTENCE_COLUMN = 26, MOST_PHASES = 8 };

static void put_head(struct term_writer *term, const struct load_story *story)
{
	STRBUF_AUTO text = STRBUF_INIT;

	strbuf_addstr(&text, "watched for ");
	unit_format(&text, UNIT_NS, (double)story->watched_ns);
	strbuf_addf(&text, ", %llu tick%s", (unsigned long long)story->ticks, story->ticks == 1 ? "" : "s");
	if (story->late)
		strbuf_addf(&text, ", %llu with a source that was late", (unsigned long long)story->late);
	term_put(term, STYLE_DIM, text.buf);
	term_end_line(term);
	term_flow(term, 0, story->headline ? story->headline : "");
	term_end_line(term);
}

static void put_phase(struct term_writer *term, const struct load_phase *phase)
{
	STRBUF_AUTO share = STRBUF_INIT;

	unit_format(&share, UNIT_RATIO, phase->share);
	term_move(term, SHARE_COLUMN - (share.len < SHARE_COLUMN ? share.len : SHARE_COLUMN));
	term_put(term, STYLE_PLAIN, share.buf);
	term_move(term, SHARE_COLUMN + 2);
	term_put(term, watch_style(phase->word), bottleneck_defs[phase->word].word);
	term_move(term, SENTENCE_COLUMN);
	term_flow(term, SENTENCE_COLUMN, phase->sentence ? phase->sentence : "");
	term_end_line(term);
}

/* One line: they are few, or the phases would say so. */
static void put_odd_gpus(struct term_writer *term, const struct load_story *story)
{
	bool any = false;

	for (size_t i = 0; i < story->nr_gpus; i++) {
		const struct load_gpu_story *gpu = &story->gpus[i];
		STRBUF_AUTO text = STRBUF_INIT;

		if (!gpu->differs)
			continue;
		strbuf_addf(&text, "GPU %zu: %s ", gpu->index, bottleneck_defs[gpu->word].word);
		unit_format(&text, UNIT_RATIO, gpu->share);
		if (!any)
			term_put(term, STYLE_PLAIN, "differs:");
		if (!any)
			term_move(term, SHARE_COLUMN + 4);
		term_fact(term, SHARE_COLUMN + 4, text.buf);
		any = true;
	}
	if (any)
		term_end_line(term);
}

static void put_next(struct term_writer *term, const struct load_story *story)
{
	if (!story->next && !story->command)
		return;
	term_put(term, STYLE_PLAIN, "Next:");
	if (story->next) {
		term_move(term, HANG);
		term_flow(term, HANG, story->next);
	}
	term_end_line(term);
	if (story->command)
		term_command(term, HANG, story->command);
}

void render_watch_story(struct strbuf *out, const struct load_story *story, const struct render_options *how)
{
	size_t nr = story->nr_phases < MOST_PHASES ? story->nr_phases : MOST_PHASES;
	struct term_writer term;

	term_open(&term, out, how);
	put_head(&term, story);
	for (size_t i = 0; i < nr; i++)
		put_phase(&term, &story->phases[i]);
	put_odd_gpus(&term, story);
	put_next(&term, story);
}
