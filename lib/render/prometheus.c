// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prometheus.c - a report as metrics, for the textfile collector of node_exporter.
 *
 * The text format of Prometheus (prometheus/docs, exposition_formats.md), its names and base units (naming.md): a
 * family with HELP and TYPE once, all its samples together, no timestamps, for which node_exporter would drop the whole
 * file.
 * Of what is not known there is no sample: a graph has a gap then and not a zero. Labels are few and of few values:
 * serial numbers and UUIDs stand in one metric alone, and no reason and no process in any.
 */
#include "base/compat.h"
#include "render/formats.h"
#include "render/phrases.h"

#include <math.h>

#include "base/arena.h"
#include "base/text.h"
#include "eval/facts/key_figures.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

struct page {
	struct strbuf *out;
	const char *name;	/* of the family whose samples follow */
	const char *type, *help;
	bool has_head;		/* it has a sample: a family without one is left out */
	bool has_labels;	/* the sample that is being written */
};

static void family(struct page *page, const char *name, const char *type, const char *help)
{
	page->name = name;
	page->type = type;
	page->help = help;
	page->has_head = false;
}

static void sample_begin(struct page *page)
{
	if (!page->has_head)
		strbuf_addf(page->out, "# HELP %s %s\n# TYPE %s %s\n", page->name, page->help, page->name, page->type);
	page->has_head = true;
	page->has_labels = false;
	strbuf_addstr(page->out, page->name);
}

/* value may be NULL, as an empty one, which is none at all for Prometheus. */
static void label(struct page *page, const char *name, const char *value)
{
	STRBUF_AUTO clean = STRBUF_INIT;

	if (!value || !*value)
		return;
	strbuf_addf(page->out, "%s%s=\"", page->has_labels ? "," : "{", name);
	page->has_labels = true;
	render_clean(&clean, value, false);
	for (const char *c = clean.buf; *c; c++) {
		if (*c == '\\' || *c == '"')
			strbuf_addch(page->out, '\\');
		strbuf_addch(page->out, *c);
	}
	strbuf_addch(page->out, '"');
}

static void sample_end(struct page *page, double value)
{
	strbuf_addf(page->out, "%s %.15g\n", page->has_labels ? "}" : "", value);
}

static void plain(struct page *page, const char *name, const char *help, double value)
{
	if (!isfinite(value))
		return;
	family(page, name, "gauge", help);
	sample_begin(page);
	sample_end(page, value);
}

static void subject_labels(struct page *page, struct arena *arena, const struct subject *subject)
{
	if (subject->gpu)
		label(page, "gpu", arena_printf(arena, "%zu", subject->gpu_index));
	label(page, "pci", subject->gpu ? str_or(subject->gpu->key, NULL) : NULL);
	if (subject->kind != SUBJECT_NODE && subject->kind != SUBJECT_GPU)
		label(page, "of", subject->name);
}

static void gpu_labels(struct page *page, struct arena *arena, const struct report_gpu *gpu)
{
	label(page, "gpu", arena_printf(arena, "%zu", gpu->index));
	label(page, "pci", str_or(gpu->gpu->key, NULL));
}

/* ---- the node */

static double taken_at_s(const struct snapshot *snapshot)
{
	const char *taken_at = str_or(snapshot->run.taken_at, NULL);
	int64_t seconds;

	return taken_at && !parse_rfc3339(taken_at, &seconds) ? (double)seconds : NAN;
}

static void put_run(struct page *page, const struct report *report)
{
	const struct run *run = &report->snapshot->run;

	family(page, "gpudiag_info", "gauge", "Program that looked at the node");
	sample_begin(page);
	label(page, "tool", str_or(run->tool, NULL));
	sample_end(page, 1);
	plain(page, "gpudiag_last_run_timestamp_seconds", "Start of the run that gave these metrics, since 1970",
	      taken_at_s(report->snapshot));
	plain(page, "gpudiag_run_duration_seconds", "What that run took", phrase_number(run->elapsed_ms) / 1e3);
	plain(page, "gpudiag_exit_status",
	      "0 pass, 1 warning, 2 failure, 3 a required check or a value that a pass depends on is not known",
	      report->exit_status);
	if (!strcmp(report->decision.schedulable, "yes") || !strcmp(report->decision.schedulable, "no"))
		plain(page, "gpudiag_schedulable", "1: work may be scheduled here, 0: it should not",
		      report->decision.schedulable[0] == 'y');
	family(page, "gpudiag_decision", "gauge", "1 for the action that the report asks for");
	sample_begin(page);
	label(page, "action", action_name(report->decision.action));
	sample_end(page, 1);
}

static void put_counts(struct page *page, const struct report *report)
{
	static const enum outcome outcomes[] = { OUTCOME_FAIL, OUTCOME_WARN, OUTCOME_NOTE };

	if (is_known(report->snapshot->bus.gpus))
		plain(page, "gpudiag_gpus", "GPUs under test", (double)gpus_under_test(report->snapshot));
	plain(page, "gpudiag_gpus_expected", "GPUs that there should be",
	      phrase_number(report->snapshot->request.expect_gpus));
	family(page, "gpudiag_findings", "gauge", "Findings by outcome");
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		sample_begin(page);
		label(page, "outcome", outcome_name(outcomes[i]));
		sample_end(page, (double)phrase_nr_findings(report, outcomes[i]));
	}
	plain(page, "gpudiag_checks_unknown", "Checks that could not be judged", (double)report->nr_unknown);
}

static void put_findings(struct page *page, struct arena *arena, const struct report *report)
{
	family(page, "gpudiag_finding", "gauge", "1 for each finding: gpudiag explain tells what it means");
	for (size_t i = 0; i < report->nr_findings; i++) {
		const struct finding *finding = report->findings[i];

		sample_begin(page);
		label(page, "id", finding->def->name);
		label(page, "outcome", outcome_name(finding->outcome));
		label(page, "action", action_name(finding->def->action));
		label(page, "blame", blame_name(finding->blame));
		subject_labels(page, arena, &finding->subject);
		/* Several of one kind and subject differ in their key alone. */
		label(page, "key", finding->key);
		sample_end(page, 1);
	}
}

/* Skipped ones are no samples: they are most, and change nothing. */
static void put_checks(struct page *page, struct arena *arena, const struct report *report)
{
	family(page, "gpudiag_check_result", "gauge", "1 for the result that the check has; none: skipped");
	for (size_t i = 0; i < report->nr_results; i++) {
		const struct result *result = &report->results[i];

		if (result->outcome == OUTCOME_SKIP)
			continue;
		sample_begin(page);
		label(page, "check", result->check->name);
		label(page, "stage", stage_name(result->stage));
		label(page, "result", outcome_name(result->outcome));
		label(page, "required", result->required ? "true" : "false");
		subject_labels(page, arena, &result->subject);
		sample_end(page, 1);
	}
}

/* ---- GPUs */

static void put_gpu_info(struct page *page, struct arena *arena, const struct report *report)
{
	family(page, "gpudiag_gpu_info", "gauge", "What the GPU is");
	for (size_t i = 0; i < report->nr_gpus; i++) {
		const struct report_gpu *gpu = &report->gpus[i];
		const char *driver = str_or(gpu->gpu->pci.driver, NULL);
		const struct module *module = driver ? list_find(report->snapshot, modules, module, driver) : NULL;

		sample_begin(page);
		gpu_labels(page, arena, gpu);
		label(page, "model", gpu->model);
		label(page, "role", gpu->role);
		label(page, "uuid", str_or(gpu_uuid(report->snapshot, gpu->gpu), NULL));
		label(page, "serial", str_or(gpu_serial(gpu->gpu), NULL));
		label(page, "vbios", str_or(gpu_vbios(gpu->gpu), NULL));
		label(page, "driver", driver);
		label(page, "driver_version", module ? str_or(module->version, NULL) : NULL);
		sample_end(page, 1);
	}
	family(page, "gpudiag_gpu_state", "gauge",
	       "1 for the state of the GPU: usable, suspect, unusable or not-judged");
	for (size_t i = 0; i < report->nr_gpus; i++) {
		if (!report->gpus[i].under_test)
			continue;
		sample_begin(page);
		gpu_labels(page, arena, &report->gpus[i]);
		label(page, "state", gpu_state_name(report->gpus[i].state));
		sample_end(page, 1);
	}
}

/* A figure of all GPUs, as a family of samples in base units. */
struct figure {
	const char *name, *type, *help;
	const char *label, *value;	/* one more label; NULL: none */
	size_t at;			/* its place in struct key_figures */
	bool is_f64;
	double each;			/* of its unit, in that of the family */
};

#define GAUGE(name_, member, each_, help_)                                                                             \
	{ .name = "gpudiag_gpu_" name_, .type = "gauge", .help = help_, .at = offsetof(struct key_figures, member),    \
	  .is_f64 = _Generic(((struct key_figures *)0)->member, struct val_f64: true, default: false), .each = each_ }
#define ECC_ERRORS(type_, member)                                                                                      \
	{ .name = "gpudiag_gpu_ecc_errors_total", .type = "counter", .help = "Memory errors since the driver was loaded", \
	  .label = "type", .value = type_, .at = offsetof(struct key_figures, member), .each = 1 }
static const struct figure figures_there_are[] = {
	GAUGE("temperature_celsius", temperature_c, 1, "Temperature of the chip"),
	GAUGE("power_watts", power_mw, 1e-3, "Power draw"),
	GAUGE("power_limit_watts", power_limit_mw, 1e-3, "Power limit in force"),
	GAUGE("utilization_ratio", busy_percent, 1e-2, "Mean utilization over the sampling window, 0 to 1"),
	GAUGE("vram_used_bytes", vram_used_bytes, 1, "VRAM in use"),
	GAUGE("vram_size_bytes", vram_total_bytes, 1, "VRAM"),
	GAUGE("pcie_link_lanes", link_width, 1, "Lanes of the PCIe link to its slot"),
	GAUGE("pcie_link_lanes_supported", link_width_able, 1, "Lanes that both ends of that link support"),
	GAUGE("pcie_link_transfers_per_second", link_speed_mtps, 1e6, "Speed of that link per lane"),
	GAUGE("pcie_link_transfers_per_second_supported", link_speed_able_mtps, 1e6, "Speed that both ends support"),
	ECC_ERRORS("corrected", ecc_corrected),
	ECC_ERRORS("uncorrected", ecc_uncorrected),
};

static double figure_of(const struct figure *figure, const struct key_figures *figures)
{
	const void *at = (const char *)figures + figure->at;
	double value =
		figure->is_f64 ? f64_or(*(const struct val_f64 *)at, NAN) : phrase_number(*(const struct val_u64 *)at);

	return value * figure->each;
}

static void put_gpu_figures(struct page *page, struct arena *arena, const struct report *report)
{
	struct key_figures *all = arena_alloc(arena, (report->nr_gpus + 1) * sizeof(*all));

	for (size_t i = 0; i < report->nr_gpus; i++)
		all[i] = key_figures_of(report->gpus[i].gpu);
	page->name = "";
	for (size_t i = 0; i < ARRAY_SIZE(figures_there_are); i++) {
		const struct figure *figure = &figures_there_are[i];

		if (strcmp(page->name, figure->name) != 0)
			family(page, figure->name, figure->type, figure->help);
		for (size_t k = 0; k < report->nr_gpus; k++) {
			double value = figure_of(figure, &all[k]);

			if (!report->gpus[k].under_test || !isfinite(value))
				continue;
			sample_begin(page);
			gpu_labels(page, arena, &report->gpus[k]);
			if (figure->label)
				label(page, figure->label, figure->value);
			sample_end(page, value);
		}
	}
}

/* ---- timings, by their unit */

static const struct timing_family {
	enum unit unit;
	const char *name, *help;
	double each;		/* of the unit, in that of the family */
} timing_families[] = {
	{ UNIT_GBPS, "gpudiag_timing_bytes_per_second", "Measured rate, median", 1e9 },
	{ UNIT_GFLOPS, "gpudiag_timing_operations_per_second", "Measured floating-point operations, median", 1e9 },
	{ UNIT_NS, "gpudiag_timing_seconds", "Measured time, median", 1e-9 },
};

static void put_timings(struct page *page, struct arena *arena, const struct report *report)
{
	for (size_t i = 0; i < ARRAY_SIZE(timing_families); i++) {
		const struct timing_family *of = &timing_families[i];

		family(page, of->name, "gauge", of->help);
		for (size_t k = 0; k < report->nr_timings; k++) {
			const struct report_timing *timing = &report->timings[k];

			if (timing->unit != of->unit || !isfinite(timing->median))
				continue;
			sample_begin(page);
			label(page, "test", timing->key);
			subject_labels(page, arena, &timing->subject);
			sample_end(page, timing->median * of->each);
		}
	}
}

void render_prometheus(struct strbuf *out, const struct report *report, const struct render_options *options)
{
	struct page page = { .out = out };
	struct arena arena = { 0 };

	(void)options;
	put_run(&page, report);
	put_counts(&page, report);
	put_findings(&page, &arena, report);
	put_checks(&page, &arena, report);
	put_gpu_info(&page, &arena, report);
	put_gpu_figures(&page, &arena, report);
	put_timings(&page, &arena, report);
	arena_release(&arena);
}
