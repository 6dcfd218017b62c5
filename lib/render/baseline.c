// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - a baseline in words, alone and beside what is seen now. */
#include "base/compat.h"
#include "render/diff.h"

#include <stdarg.h>

#include "base/text.h"
#include "eval/baseline/drift.h"
#include "eval/judge/subject.h"

enum { MAX_CELLS = 6 };
static const unsigned widths[MAX_CELLS] = { 22, 16, 13, 13, 16, 14 };

struct page {
	struct strbuf *out;
	struct arena arena;
	const struct baseline *baseline;
	const struct policy *policy;	/* as the file has it; what holds for a figure is policy_of()'s */
	const struct report *report;	/* or NULL */
	bool ascii;
};

static void PRINTF_LIKE(2, 3) put_line(struct page *page, const char *format, ...)
{
	STRBUF_AUTO line = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&line, format, args);
	va_end(args);
	render_clean(page->out, line.buf, page->ascii);
	strbuf_addch(page->out, '\n');
}

static const char *in_words(struct page *page, enum unit unit, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, unit, value);
	return arena_strdup(&page->arena, text.buf);
}

static void put_row(struct page *page, const char *const *cells, size_t nr)
{
	STRBUF_AUTO line = STRBUF_INIT;
	unsigned column = 4;

	strbuf_addchars(&line, ' ', column);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addstr(&line, cells[i]);
		column += widths[i];
		if (i + 1 < nr && utf8_columns(line.buf) + 1 < column)
			strbuf_addchars(&line, ' ', column - utf8_columns(line.buf));
		else if (i + 1 < nr)
			strbuf_addstr(&line, "  ");
	}
	put_line(page, "%s", line.buf);
}

/* ---- whose it is */

static void put_head(struct page *page)
{
	const struct baseline *baseline = page->baseline;
	const struct host *host = &baseline->snapshot.host;
	const char *serial = str_or(host->machine_serial, NULL), *product = str_or(host->product, NULL);

	put_line(page, "Baseline of %s%s%s%s%s", str_or(host->name, "an unnamed machine"), product ? ", " : "",
		 product ? product : "", serial ? ", serial " : "", serial ? serial : "");
	put_line(page, "  %s", baseline->path);
	put_line(page, "  saved %s by %s, of %llu run%s at level %s%s", baseline->saved_at, baseline->tool,
		 (unsigned long long)baseline->runs, baseline->runs == 1 ? "" : "s",
		 str_or(baseline->snapshot.request.level, "quick"),
		 baseline->with_findings ? ", on a node with findings" : "");
	put_line(page, "  kernel %s, %zu GPU%s", str_or(host->kernel, "not known"), baseline_gpus(baseline),
		 baseline_gpus(baseline) == 1 ? "" : "s");
	if (bool_or(baseline->snapshot.run.redacted, false))
		put_line(page, "  redacted: it cannot be matched to its machine");
}

/* ---- its figures */

static const char *device_words(struct page *page, const struct baseline_figure *figure)
{
	const struct gpu_identity *gpu = &figure->gpu;

	if (!gpu->address)
		return figure->device;
	return arena_printf(&page->arena, "%s  %s%s%s  %s", gpu->address, gpu->model ? gpu->model : "",
			    gpu->serial ? ", serial " : "", gpu->serial ? gpu->serial : "", figure->device);
}

static const char *share(struct page *page, const struct baseline_figure *figure, double value)
{
	return drift_share_words(&page->arena, value / figure->median);
}

/* On the machine that is looked at: another's baseline may be compared with it. */
static const struct policy *policy_of(struct page *page, const struct baseline_figure *figure)
{
	const struct snapshot *snapshot = page->report ? page->report->snapshot : &page->baseline->snapshot;

	return policy_of_figure(&page->arena, page->policy, str_or(snapshot->host.name, NULL), figure);
}

static const char *limit_words(struct page *page, const struct baseline_figure *figure)
{
	const struct policy *policy = policy_of(page, figure);
	double tolerance = baseline_tolerance(policy, figure);

	if (is_too_noisy(policy, figure))
		return "too noisy to judge by";
	return in_words(page, figure->unit, figure->median + (figure->unit == UNIT_NS ? tolerance : -tolerance));
}

static const char *verdict_words(const struct drift *drift)
{
	switch (drift->kind) {
	case DRIFT_WITHIN:
		return "as it was";
	case DRIFT_BETTER:
		return "better";
	case DRIFT_WORSE:
		return "worse";
	case DRIFT_MUCH_WORSE:
		return "much worse";
	default:
		return drift->why;
	}
}

static void put_figure(struct page *page, const struct baseline_figure *figure, const struct drift *drift)
{
	const char *cells[MAX_CELLS] = {
		figure->test, in_words(page, figure->unit, figure->median), share(page, figure, figure->spread),
		share(page, figure, figure->noise), limit_words(page, figure),
	};

	if (page->report && !drift) {
		cells[4] = "-";
		cells[5] = "not measured now";
	} else if (page->report) {
		cells[4] = drift->timing && drift->now > 0.0 ? in_words(page, figure->unit, drift->now) : "-";
		cells[5] = verdict_words(drift);
	}
	put_row(page, cells, page->report ? MAX_CELLS : MAX_CELLS - 1);
}

/* The drift of that figure, by whatever device has it now. */
static struct drift drift_of(struct page *page, const struct baseline_figure *figure)
{
	const struct snapshot *now = page->report->snapshot;

	for (size_t i = 0; i < now->nr_ocl_devices; i++) {
		struct drift_list drifts;

		drifts_of(&drifts, &page->arena, policy_of(page, figure), page->baseline, now, &now->ocl_devices[i]);
		for (size_t k = 0; k < drifts.nr; k++)
			if (drifts.items[k].then == figure)
				return drifts.items[k];
	}
	return (struct drift){ .why = "not measured now" };
}

static void put_figures(struct page *page)
{
	static const char *const titles[] = { "test", "median", "spread", "noise", "drift from" };
	static const char *const titles_now[] = { "test", "recorded", "spread", "noise", "now" };
	const char *device = "";

	if (!page->baseline->nr_figures)
		put_line(page, "  no figure was measured");
	for (size_t i = 0; i < page->baseline->nr_figures; i++) {
		const struct baseline_figure *figure = &page->baseline->figures[i];

		if (strcmp(device, figure->device) != 0) {
			device = figure->device;
			put_line(page, "%s", "");
			put_line(page, "  %s", device_words(page, figure));
			put_row(page, page->report ? titles_now : titles,
				page->report ? ARRAY_SIZE(titles_now) : ARRAY_SIZE(titles));
		}
		if (page->report) {
			struct drift drift = drift_of(page, figure);

			put_figure(page, figure, &drift);
		} else {
			put_figure(page, figure, NULL);
		}
	}
}

/* ---- what else is another thing now */

static bool is_judged(const struct report *report, const char *check)
{
	for (size_t i = 0; i < report->nr_results; i++) {
		enum outcome outcome = report->results[i].outcome;

		if (!strcmp(report->results[i].check->name, check))
			return outcome != OUTCOME_SKIP && outcome != OUTCOME_UNKNOWN;
	}
	return false;
}

/* All of it, as diff has it. True: there was any. */
static bool put_changes(struct page *page)
{
	struct difference *items;
	struct diff diff, told;

	if (!is_judged(page->report, "baseline-inventory"))
		return false;
	diff_facts(&diff, &page->baseline->snapshot, page->report->snapshot);
	items = arena_alloc(&page->arena, diff.nr * sizeof(*items));
	told = (struct diff){ .before = diff.before, .after = diff.after, .items = items };
	for (size_t i = 0; i < diff.nr; i++)
		if (counts_against_baseline(&diff.items[i]))
			items[told.nr++] = diff.items[i];
	render_diff_groups(page->out, &told, &(struct render_options){ .ascii = page->ascii });
	diff_release(&diff);
	return told.nr;
}

/* ---- what it came to */

static bool is_told(const struct result *result)
{
	return (result->outcome == OUTCOME_SKIP || result->outcome == OUTCOME_UNKNOWN) &&
	       !strncmp(result->check->name, "baseline-", strlen("baseline-"));
}

static void put_findings(struct page *page)
{
	const struct report *report = page->report;
	bool any = put_changes(page);

	put_line(page, "%s", "");
	for (size_t i = 0; i < report->nr_groups; i++) {
		if (!finding_is_of_baseline(report->groups[i].first) ||
		    report->groups[i].first->id == BASELINE_INVENTORY_CHANGED)
			continue;
		any = true;
		put_line(page, "%-5s %s", outcome_name(report->groups[i].first->outcome), report->groups[i].sentence);
	}
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (is_told(result))
			put_line(page, "%-5s %s, %s: %s", outcome_name(result->outcome), result->check->name,
				 result->subject.name, result->reason ? result->reason : "no reason given");
	}
	for (size_t i = 0; i < report->messages.nr; i++)
		put_line(page, "note  %s", report->messages.v[i]);
	if (!report_compares(report))
		put_line(page, "%s", "Nothing could be compared.");
	else if (!any)
		put_line(page, "%s", "Nothing found that differs.");
}

void render_baseline(struct strbuf *out, const struct baseline *baseline, const struct policy *policy,
		     const struct report *report, bool ascii)
{
	struct page page = { .out = out, .baseline = baseline, .policy = policy, .report = report, .ascii = ascii };

	put_head(&page);
	put_figures(&page);
	if (report)
		put_findings(&page);
	arena_release(&page.arena);
}
