// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nagios.c - one line for a monitoring system of the Nagios family: its word
 * for the state, the headline, performance data.
 *
 * The form is that of the Monitoring Plugins Development Guidelines: text,
 * " | ", then 'label'=value[unit];[warn];[crit];[min];[max] with blanks between
 * them; units are s, % and none. The state is the exit status, which is what
 * such a system goes by, so that the word never says another thing. Of what is
 * not known there is no figure: a graph has a gap then and not a zero.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/phrases.h"

#include <math.h>

#include "base/arena.h"
#include "eval/facts/key_figures.h"
#include "eval/judge/vendor.h"
#include "snapshot/under_test.h"

/* By exit status; one beyond them is none that such a system knows. */
static const char *state_word(int exit_status)
{
	static const char *const words[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

	return words[exit_status >= 0 && exit_status < (int)ARRAY_SIZE(words) ? exit_status : 3];
}

/* ---- performance data */

enum { NR_LIMITS = 4 };		/* warning, critical, least, most; NAN: none */
static const double from_0[NR_LIMITS] = { NAN, NAN, 0, NAN };

static void add_number(struct strbuf *out, double value)
{
	if (!isfinite(value))
		return;
	strbuf_addf(out, "%.2f", value);
	while (out->buf[out->len - 1] == '0')
		strbuf_setlen(out, out->len - 1);
	if (out->buf[out->len - 1] == '.')
		strbuf_setlen(out, out->len - 1);
}

/* label: ours, without quote and "=". Nothing where the value is not known. */
static void add_figure(struct strbuf *out, const char *label, double value, const char *unit,
		       const double limits[NR_LIMITS])
{
	if (!isfinite(value))
		return;
	strbuf_addf(out, " '%s'=", label);
	add_number(out, value);
	strbuf_addstr(out, unit);
	for (size_t i = 0; i < NR_LIMITS; i++) {
		strbuf_addch(out, ';');
		add_number(out, limits[i]);
	}
	while (out->buf[out->len - 1] == ';')
		strbuf_setlen(out, out->len - 1);
}

/* The median of a copy over that GPU's link: from pinned memory where that was measured. */
static double copy_gbps(const struct report *report, const struct gpu *gpu, const char *pinned, const char *pageable)
{
	double found = NAN;

	for (size_t i = 0; i < report->nr_timings; i++) {
		const struct report_timing *timing = &report->timings[i];

		if (timing->subject.gpu != gpu || timing->unit != UNIT_GBPS)
			continue;
		if (!strcmp(timing->key, pinned))
			return timing->median;
		if (!strcmp(timing->key, pageable))
			found = timing->median;
	}
	return found;
}

/* Warning and critical of a temperature are where the GPU slows itself and where it turns itself off. */
static void add_gpu(struct arena *arena, struct strbuf *out, const struct report *report, const struct report_gpu *gpu)
{
	const struct gpu *seen = gpu->gpu;
	const struct key_figures figures = key_figures_of(seen);
	double vram_bytes = phrase_number(figures.vram_total_bytes);
	size_t n = gpu->index;

	add_figure(out, arena_printf(arena, "gpu%zu_temperature_c", n),
		   f64_or(figures.temperature_c, NAN), "",
		   (const double[]){ f64_or(vendor_f64(seen, "temperature_max_c"), NAN),
				     f64_or(vendor_f64(seen, "temperature_shutdown_c"), NAN), NAN, NAN });
	add_figure(out, arena_printf(arena, "gpu%zu_vram_used", n),
		   vram_bytes > 0.0 ? 100.0 * phrase_number(figures.vram_used_bytes) / vram_bytes : NAN, "%",
		   (const double[]){ NAN, NAN, 0, 100 });
	add_figure(out, arena_printf(arena, "gpu%zu_link_width", n), phrase_number(figures.link_width), "",
		   (const double[]){ NAN, NAN, 0, phrase_number(figures.link_width_able) });
	add_figure(out, arena_printf(arena, "gpu%zu_h2d_gbps", n),
		   copy_gbps(report, seen, "h2d-pinned", "h2d-pageable"), "", from_0);
	add_figure(out, arena_printf(arena, "gpu%zu_d2h_gbps", n),
		   copy_gbps(report, seen, "d2h-pinned", "d2h-pageable"), "", from_0);
}

static size_t nr_usable(const struct report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_gpus; i++)
		nr += report->gpus[i].under_test && report->gpus[i].state == GPU_USABLE;
	return nr;
}

static void add_node(struct strbuf *out, const struct report *report)
{
	const struct snapshot *snapshot = report->snapshot;
	double under_test = (double)gpus_under_test(snapshot), expected = phrase_number(snapshot->request.expect_gpus);

	if (is_known(snapshot->bus.gpus)) {
		add_figure(out, "gpus", under_test, "", (const double[]){ NAN, NAN, 0, expected });
		add_figure(out, "gpus_usable", (double)nr_usable(report), "",
			   (const double[]){ NAN, NAN, 0, under_test });
	}
	add_figure(out, "failures", (double)phrase_nr_findings(report, OUTCOME_FAIL), "", from_0);
	add_figure(out, "warnings", (double)phrase_nr_findings(report, OUTCOME_WARN), "", from_0);
	add_figure(out, "not_judged", (double)report->nr_unknown, "", from_0);
	add_figure(out, "elapsed", phrase_number(snapshot->run.elapsed_ms) / 1000.0, "s", from_0);
}

/* ---- the line */

void render_nagios(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct arena arena = { 0 };
	size_t from = out->len;

	strbuf_addf(&text, "GPUDIAG %s - ", state_word(report->exit_status));
	phrase_verdict(&text, report);
	render_clean(out, text.buf, options->ascii);
	/* All after the first "|" is performance data. */
	for (char *c = out->buf + from; *c; c++)
		if (*c == '|')
			*c = '/';
	strbuf_addstr(out, " |");
	add_node(out, report);
	for (size_t i = 0; i < report->nr_gpus; i++)
		if (report->gpus[i].under_test)
			add_gpu(&arena, out, report, &report->gpus[i]);
	strbuf_addch(out, '\n');
	arena_release(&arena);
}
