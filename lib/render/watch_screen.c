// SPDX-License-Identifier: GPL-2.0-or-later
/* watch_screen.c - the screen of watch: which parts it has room for, and where they stand. */
#include "base/compat.h"
#include "render/watch.h"

#include "base/alloc.h"
#include "render/watch_gpus.h"

enum { MOST_SENTENCE_LINES = 3, MOST_NEXT_LINES = 2, MOST_HOST_LINES = 2, NEXT_HANG = 6 };

struct watch_screen {
	bool color, ascii;
	size_t selected;		/* place among the view's GPUs */
	size_t nr_sparks;
	struct spark *sparks;		/* one a GPU */
	struct spark host;		/* of the CPUs */
};

struct watch_screen *watch_screen_new(const struct snapshot *sealed, bool utf8, bool color)
{
	struct watch_screen *screen = xcalloc(1, sizeof(*screen));

	screen->color = color;
	screen->ascii = !utf8;
	screen->nr_sparks = sealed->nr_gpus;
	screen->sparks = xcalloc(screen->nr_sparks ? screen->nr_sparks : 1, sizeof(*screen->sparks));
	return screen;
}

void watch_screen_free(struct watch_screen *screen)
{
	if (!screen)
		return;
	free(screen->sparks);
	free(screen);
}

void watch_screen_add(struct watch_screen *screen, const struct load_view *view)
{
	for (size_t i = 0; i < view->nr_gpus && i < screen->nr_sparks; i++)
		spark_add(&screen->sparks[i], view->gpus[i].busy_percent);
	spark_add(&screen->host, view->host.cpu_busy_percent);
}

void watch_screen_select(struct watch_screen *screen, int step)
{
	if (step < 0 && screen->selected)
		screen->selected--;
	else if (step > 0)
		screen->selected++;
}

/* ---- the plan: lines of each part */

struct plan {
	size_t sentence, trouble, next, head, gpus, host, footer;
	size_t left;		/* for blank lines and what is known of the selected GPU */
};

static void give(struct plan *plan, size_t *part, size_t wanted)
{
	while (*part < wanted && plan->left) {
		(*part)++;
		plan->left--;
	}
}

/* What there must be of each part first, in the order in which a small screen loses them; then what there should be. */
static void make_plan(struct plan *ret, const struct page *page, const struct load_view *view, const char *sentence,
		      const char *next)
{
	size_t sentence_lines = page_lines_of(page, 0, sentence);
	size_t next_lines = next ? page_lines_of(page, NEXT_HANG, next) : 0;

	*ret = (struct plan){ .left = page->rows };
	give(ret, &ret->sentence, 1);
	give(ret, &ret->gpus, 1);
	give(ret, &ret->footer, 1);
	give(ret, &ret->trouble, view->trouble ? 1 : 0);
	give(ret, &ret->host, 1);
	give(ret, &ret->head, 1);
	give(ret, &ret->sentence, sentence_lines < MOST_SENTENCE_LINES ? sentence_lines : MOST_SENTENCE_LINES);
	give(ret, &ret->next, next ? 1 : 0);
	give(ret, &ret->gpus, view->nr_gpus);
	give(ret, &ret->next, next_lines < MOST_NEXT_LINES ? next_lines : MOST_NEXT_LINES);
	give(ret, &ret->host, MOST_HOST_LINES);
}

/* ---- its parts */

static void put_gpus(struct page *page, const struct watch_screen *screen, const struct load_view *view, size_t lines)
{
	size_t first = screen->selected > lines / 2 ? screen->selected - lines / 2 : 0;
	struct watch_columns columns;

	if (!view->nr_gpus) {
		page_put(page, STYLE_DIM, "no GPU");
		page_end_line(page);
		return;
	}
	watch_columns_fit(&columns, view, page->term.columns);
	if (first + lines > view->nr_gpus)
		first = view->nr_gpus > lines ? view->nr_gpus - lines : 0;
	for (size_t i = first; i < view->nr_gpus && i < first + lines; i++)
		watch_columns_put_gpu(page, &columns, &view->gpus[i],
				      i < screen->nr_sparks ? &screen->sparks[i] : &screen->host,
				      i == screen->selected);
}

static void put_head(struct page *page, const struct load_view *view, size_t lines)
{
	struct watch_columns columns;

	if (!lines || !view->nr_gpus)
		return;
	watch_columns_fit(&columns, view, page->term.columns);
	watch_columns_put_head(page, &columns);
}

static void put_details(struct page *page, const struct watch_screen *screen, const struct load_view *view,
			size_t lines)
{
	/* A blank line parts them from the table; alone it would be none. */
	if (lines < 2 || !view->nr_gpus)
		return;
	page_end_line(page);
	watch_put_details(page, view, screen->selected, lines - 1);
}

static void put_footer(struct page *page, const struct load_view *view, const struct watch_screen_state *state)
{
	while (page->row + 1 < page->rows)
		page_end_line(page);
	watch_put_footer(page, view, state);
	page_end_line(page);
}

static void put_all(struct page *page, struct watch_screen *screen, const struct load_view *view,
		    const struct watch_screen_state *state)
{
	enum style style = view->nr_groups ? watch_style(view->groups[0].word) : STYLE_PLAIN;
	STRBUF_AUTO sentence = STRBUF_INIT;
	STRBUF_AUTO next = STRBUF_INIT;
	struct plan plan;

	watch_sentence(&sentence, view);
	if (view->nr_groups && view->groups[0].next)
		strbuf_addf(&next, "Next: %s", view->groups[0].next);
	make_plan(&plan, page, view, sentence.buf, next.len ? next.buf : NULL);
	page_flow(page, style, 0, sentence.buf, plan.sentence);
	page_flow(page, STYLE_WARN, 0, view->trouble ? view->trouble : "", plan.trouble);
	page_flow(page, STYLE_PLAIN, NEXT_HANG, next.buf, plan.next);
	put_head(page, view, plan.head);
	put_gpus(page, screen, view, plan.gpus);
	watch_put_host(page, &view->host, &screen->host, plan.host);
	put_details(page, screen, view, page->rows - page->row - plan.footer);
	if (plan.footer)
		put_footer(page, view, state);
}

void watch_screen_draw(struct strbuf *out, struct watch_screen *screen, const struct load_view *view,
		       struct watch_screen_size size, const struct watch_screen_state *state)
{
	struct page page;

	page_open(&page, out, size.columns, size.rows, screen->color, screen->ascii);
	if (view && screen->selected >= view->nr_gpus)
		screen->selected = view->nr_gpus ? view->nr_gpus - 1 : 0;
	if (view) {
		put_all(&page, screen, view, state);
	} else {
		page_flow(&page, STYLE_DIM, 0, "Waiting for the first tick …", 1);
	}
	page_close(&page);
}
