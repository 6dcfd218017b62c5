// SPDX-License-Identifier: GPL-2.0-or-later
/* html_node.c - what was judged: a row for each GPU, and which machine it is. */
#include "base/compat.h"
#include "render/html_report.h"

#include "eval/facts/holders.h"
#include "eval/judge/subject.h"
#include "render/phrases.h"

/* A value that identifies a thing; if unknown, the reason, unless it was not collected. */
static const char *identity(struct html *html, struct val_str value)
{
	if (is_known(value))
		return html_code_cell(html, str_or(value, ""));
	if (value.state == VAL_UNSET || value.state == VAL_ABSENT)
		return "";
	return html_cell(html, arena_printf(&html->arena, "%s%s%s", val_state_name(value.state), value.why ? ": " : "",
					    value.why ? value.why : ""));
}

/* ---- GPUs */

static enum style state_style(const struct report_gpu *gpu)
{
	static const enum style styles[] = {
		[GPU_USABLE] = STYLE_PASS, [GPU_SUSPECT] = STYLE_WARN, [GPU_UNUSABLE] = STYLE_FAIL,
		[GPU_NOT_JUDGED] = STYLE_UNKNOWN,
	};

	return gpu->under_test ? styles[gpu->state] : STYLE_DIM;
}

/* "x8 at 32 GT/s", as it runs now. */
static const char *link_of(struct html *html, const struct gpu *gpu)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (is_known(gpu->pci.link_width))
		unit_format_u64(&text, UNIT_LANES, u64_or(gpu->pci.link_width, 0));
	if (is_known(gpu->pci.link_speed_mtps)) {
		strbuf_addstr(&text, text.len ? " at " : "");
		unit_format_u64(&text, UNIT_MTPS, u64_or(gpu->pci.link_speed_mtps, 0));
	}
	return html_cell(html, text.buf);
}

static void add_gpu(struct html_table *table, const struct report *report, const struct holding_list *users,
		    const struct report_gpu *gpu)
{
	struct html *html = table->html;
	const struct gpu *seen = gpu->gpu;

	html_table_add(table, (const char *[]){
		arena_printf(&html->arena, "%zu", gpu->index),
		html_word_cell(html, state_style(gpu), gpu->under_test ? gpu_state_name(gpu->state) : gpu->role),
		html_cell(html, gpu->model), identity(html, seen->key), link_of(html, seen),
		html_cell(html, gpu_holders(&html->arena, report->snapshot, users, seen)),
		identity(html, gpu_slot_label(seen)),
		identity(html, gpu_serial(seen)), identity(html, gpu_uuid(report->snapshot, seen)),
		identity(html, gpu_vbios(seen)), identity(html, seen->pci.driver),
	});
}

void html_gpus(struct html_page *page)
{
	static const struct html_column columns[] = {
		{ .head = "GPU", .right = true }, { .head = "State" }, { .head = "Model" }, { .head = "PCI" },
		{ .head = "Link now" }, { .head = "Processes" }, { .head = "Slot" }, { .head = "Serial" },
		{ .head = "UUID" },
		{ .head = "VBIOS" }, { .head = "Driver" },
	};
	const struct report *report = page->report;
	struct html *html = &page->html;
	struct holding_list users;
	struct html_table table;

	html_section(html, "gpus", "GPUs");
	users_of(&html->arena, report->snapshot, &users);
	html_table_open(&table, html, "GPUs", columns, ARRAY_SIZE(columns));
	table.is_wide = true;
	for (size_t i = 0; i < report->nr_gpus; i++)
		add_gpu(&table, report, &users, &report->gpus[i]);
	html_table_put(&table);
	if (!report->nr_gpus)
		html_element(html, "p", NULL, is_known(report->snapshot->bus.gpus) ? "No GPU found." :
			     "GPUs not known: the PCI bus was not read.");
	html_section_end(html);
}

/* ---- the machine, and the run */

static void add_fact(struct html_table *table, const char *name, const char *cell)
{
	if (*cell)
		html_table_add(table, (const char *[]){ name, cell });
}

static void add_host(struct html_table *table, const struct report *report)
{
	const struct host *host = &report->snapshot->host;
	struct html *html = table->html;

	add_fact(table, "Host", identity(html, host->name));
	add_fact(table, "Product", identity(html, host->product));
	add_fact(table, "Serial", identity(html, host->machine_serial));
	add_fact(table, "OS", identity(html, host->os));
	add_fact(table, "Kernel", identity(html, host->kernel));
	add_fact(table, "Boot", identity(html, host->boot_id));
	add_fact(table, "Virtualisation", identity(html, host->virtualisation));
	add_fact(table, "Container", identity(html, host->container));
	add_fact(table, "GPU driver", html_code_cell(html, phrase_drivers(&html->arena, report)));
}

static void add_run(struct html_table *table, const struct report *report)
{
	const struct run *run = &report->snapshot->run;
	struct html *html = table->html;
	STRBUF_AUTO elapsed = STRBUF_INIT;

	if (is_known(run->elapsed_ms))
		unit_format_u64(&elapsed, UNIT_MS, u64_or(run->elapsed_ms, 0));
	add_fact(table, "Taken at", html_code_cell(html, str_or(run->taken_at, NULL)));
	add_fact(table, "Recorded in", html_cell(html, elapsed.buf));
	add_fact(table, "Level", html_cell(html, str_or(report->snapshot->request.level, NULL)));
	add_fact(table, "Tool", html_code_cell(html, str_or(run->tool, "gpudiag")));
	add_fact(table, "Policy", html_cell(html, report->policy->path ? report->policy->path : "built-in"));
	add_fact(table, "Checks", arena_printf(&html->arena, "%zu, %zu skipped, %zu not judged", report->nr_checks,
					       report->nr_skipped, report->nr_unknown));
	add_fact(table, "Exit status", arena_printf(&html->arena, "%d", report->exit_status));
}

void html_machine(struct html_page *page)
{
	static const struct html_column columns[] = { { .head = "Of" }, { .head = "Value" } };
	const struct report *report = page->report;
	struct html *html = &page->html;
	struct html_table table;

	html_section(html, "machine", "Machine and run");
	html_table_open(&table, html, "Machine and run", columns, ARRAY_SIZE(columns));
	add_host(&table, report);
	add_run(&table, report);
	html_table_put(&table);
	html_section_end(html);
}
