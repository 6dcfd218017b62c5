// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "render/watch_gpus.h"

#include "base/text.h"
#include "base/units.h"

enum { HOST_HANG = 6, DETAIL_HANG = 2, REASON_HANG = 12, HOST_SPARK = 16 };

#define NS_PER_S UINT64_C(1000000000)

void watch_sentence(struct strbuf *out, const struct load_view *view)
{
	strbuf_addstr(out, view->headline ? view->headline : "");
	if (view->nr_groups && view->groups[0].confidence != LOAD_SURE)
		strbuf_addf(out, " (%s)", load_confidence_name(view->groups[0].confidence));
}

/* ---- the host */

static void add_fact(struct strbuf *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	strbuf_addf(out, "%s%s%s", out->len > HOST_HANG ? " · " : "", name, text);
}

static void add_percent(struct strbuf *out, const char *name, struct val_f64 value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!is_known(value))
		return;
	unit_format(&text, UNIT_PERCENT, f64_or(value, 0.0));
	add_fact(out, name, text.buf);
}

void watch_put_host(struct page *page, const struct load_host *host, const struct spark *cpu, size_t most)
{
	STRBUF_AUTO text = STRBUF_INIT;
	STRBUF_AUTO workers = STRBUF_INIT;
	STRBUF_AUTO bars = STRBUF_INIT;
	STRBUF_AUTO swap = STRBUF_INIT;

	strbuf_addstr(&text, "host  ");
	add_percent(&text, "CPU ", host->cpu_busy_percent);
	add_fact(&text, "thread ", host->busiest_thread);
	if (host->workers)
		strbuf_addf(&workers, "%zu of %zu workers pegged", host->workers_pegged, host->workers);
	add_fact(&text, "", workers.buf);
	add_percent(&text, "I/O stall ", host->io_full_percent);
	add_percent(&text, "memory stall ", host->memory_full_percent);
	if (f64_or(host->swap_in_bytes_per_s, 0.0) > 0.0)
		unit_format(&swap, UNIT_BYTES_PER_S, f64_or(host->swap_in_bytes_per_s, 0.0));
	add_fact(&text, "swap in ", swap.buf);
	add_fact(&text, "disk ", host->disk);
	add_fact(&text, "network ", host->network);
	spark_put(&bars, cpu, HOST_SPARK, page->term.ascii);
	if (most > 1 && bars.buf[strspn(bars.buf, " ")])
		add_fact(&text, "CPU, last ticks ", bars.buf);
	if (text.len == HOST_HANG)
		strbuf_addstr(&text, "not collected");
	page_flow(page, STYLE_PLAIN, HOST_HANG, text.buf, most);
}

/* ---- a GPU */

static const struct load_group *group_with(const struct load_view *view, size_t place)
{
	for (size_t i = 0; i < view->nr_groups; i++)
		for (size_t k = 0; k < view->groups[i].nr_gpus; k++)
			if (view->groups[i].gpus[k] == place)
				return &view->groups[i];
	return NULL;
}

static void add_of(struct strbuf *out, const char *name, enum unit unit, struct val_u64 value, struct val_u64 most)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (!is_known(value))
		return;
	unit_format_u64(&text, unit, u64_or(value, 0));
	if (is_known(most)) {
		strbuf_addstr(&text, " of ");
		unit_format_u64(&text, unit, u64_or(most, 0));
	}
	strbuf_addf(out, "%s%s %s", out->len ? " · " : "", name, text.buf);
}

static void add_rate(struct strbuf *out, const char *name, struct val_f64 value, const char *after)
{
	if (!is_known(value))
		return;
	strbuf_addf(out, "%s%s ", out->len ? " · " : "", name);
	unit_format(out, UNIT_BYTES_PER_S, f64_or(value, 0.0));
	strbuf_addstr(out, after);
}

static void add_figures(struct strbuf *out, const struct load_gpu *gpu)
{
	STRBUF_AUTO limit = STRBUF_INIT;

	add_of(out, "power", UNIT_MW, gpu->power_mw, gpu->power_limit_mw);
	add_of(out, "clock", UNIT_MHZ, gpu->clock_mhz, gpu->clock_max_mhz);
	if (is_known(gpu->temperature_c)) {
		strbuf_addstr(out, out->len ? " · " : "");
		unit_format(out, UNIT_CELSIUS, f64_or(gpu->temperature_c, 0.0));
	}
	add_of(out, "VRAM", UNIT_BYTES, gpu->vram_used_bytes, gpu->vram_total_bytes);
	if (is_known(gpu->link_limit_bytes_per_s)) {
		strbuf_addstr(&limit, " of ");
		unit_format(&limit, UNIT_BYTES_PER_S, f64_or(gpu->link_limit_bytes_per_s, 0.0));
	}
	add_rate(out, "PCIe in", gpu->link_received_bytes_per_s, "");
	add_rate(out, "out", gpu->link_sent_bytes_per_s, limit.buf);
}

/* Those lines of the rest that it takes. */
static void put_text(struct page *page, size_t last_row, enum style style, size_t hang, const char *text)
{
	if (page->row < last_row && *text)
		page_flow(page, style, hang, text, last_row - page->row);
}

static void put_reasons(struct page *page, size_t last_row, const char *name, const struct load_reason *reasons,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		STRBUF_AUTO text = STRBUF_INIT;

		strbuf_addf(&text, "%-*s", REASON_HANG, i ? "" : name);
		if (reasons[i].what && *reasons[i].what)
			strbuf_addf(&text, "%s: ", reasons[i].what);
		strbuf_addstr(&text, reasons[i].text);
		put_text(page, last_row, STYLE_PLAIN, REASON_HANG, text.buf);
	}
}

void watch_put_details(struct page *page, const struct load_view *view, size_t place, size_t most)
{
	const struct load_gpu *gpu = &view->gpus[place];
	const struct load_group *group = group_with(view, place);
	const size_t last_row = page->row + most;
	STRBUF_AUTO head = STRBUF_INIT;
	STRBUF_AUTO figures = STRBUF_INIT;

	strbuf_addf(&head, "GPU %zu %s: ", gpu->index, gpu->gpu ? str_or(gpu->gpu->key, "") : "");
	strbuf_addf(&head, "%s for ", bottleneck_defs[gpu->word].word);
	unit_format_u64(&head, UNIT_S, gpu->held_ns / NS_PER_S);
	strbuf_addf(&head, ", %s", load_confidence_name(gpu->confidence));
	put_text(page, last_row, STYLE_DIM, 0, head.buf);
	put_text(page, last_row, watch_style(gpu->word), DETAIL_HANG, gpu->sentence ? gpu->sentence : "");
	add_figures(&figures, gpu);
	put_text(page, last_row, STYLE_PLAIN, DETAIL_HANG, figures.buf);
	if (!group)
		return;
	put_reasons(page, last_row, "shown by", group->shown, group->nr_shown);
	put_reasons(page, last_row, "ruled out", group->ruled_out, group->nr_ruled_out);
}

/* ---- the last line */

static void add_time(struct strbuf *out, const struct load_view *view)
{
	unit_format_u64(out, UNIT_S, view->at_ns / NS_PER_S);
	strbuf_addf(out, ", %llu tick%s", (unsigned long long)view->ticks, view->ticks == 1 ? "" : "s");
	if (view->late)
		strbuf_addf(out, ", %llu late", (unsigned long long)view->late);
}

void watch_put_footer(struct page *page, const struct load_view *view, const struct watch_screen_state *state)
{
	static const char *const keys[] = { "q quit  p pause  s save  arrows GPU", "q p s arrows", "q" };
	const char *left = state->message;
	STRBUF_AUTO right = STRBUF_INIT;
	size_t columns, room;

	add_time(&right, view);
	if (state->paused) {
		page_put(page, STYLE_WARN, "paused");
		page_put(page, STYLE_PLAIN, "  ");
	}
	columns = page->term.columns - page->term.at;
	room = columns > right.len + 2 ? columns - right.len - 2 : 0;
	for (size_t i = 0; !left && i < ARRAY_SIZE(keys); i++)
		if (utf8_columns(keys[i]) <= room || i + 1 == ARRAY_SIZE(keys))
			left = keys[i];
	/* A message is read once; the time is there again after it. */
	if (utf8_columns(left) > room) {
		page_cell(page, STYLE_NOTE, left, columns, false);
		return;
	}
	page_cell(page, state->message ? STYLE_NOTE : STYLE_DIM, left, columns - right.len, false);
	page_put(page, STYLE_DIM, right.buf);
}
