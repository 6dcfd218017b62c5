// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fleet_sql.c - a fleet as text for sqlite3: tables, and what is in them, in one transaction. gpudiag-fleet(1) has the
 * tables and questions to ask of them.
 */
#include "base/compat.h"
#include "render/fleet.h"

#include "base/text.h"

static const char tables[] =
	"BEGIN;\n"
	"CREATE TABLE nodes(id INTEGER PRIMARY KEY, node TEXT, machine_id TEXT, boot_id TEXT, product TEXT, kernel TEXT,"
	" taken_at TEXT, state TEXT, verdict TEXT, action TEXT, headline TEXT);\n"
	"CREATE TABLE gpus(id INTEGER PRIMARY KEY, node_id INTEGER, gpu INTEGER, pci TEXT, slot TEXT, serial TEXT, uuid TEXT,"
	" model TEXT, vbios TEXT, driver_version TEXT, partition TEXT, power_limit_mw INTEGER, clock_max_mhz INTEGER,"
	" vram_total_bytes INTEGER);\n"
	"CREATE TABLE figures(gpu_id INTEGER, metric TEXT, unit TEXT, value REAL);\n"
	"CREATE TABLE findings(node_id INTEGER, gpu_id INTEGER, finding TEXT, outcome TEXT);\n"
	"CREATE TABLE outliers(gpu_id INTEGER, metric TEXT, value REAL, median REAL, worse REAL, level TEXT, place TEXT);\n"
	"CREATE TABLE odd_settings(gpu_id INTEGER, what TEXT, value TEXT, usual TEXT);\n"
	"CREATE TABLE labels(node_id INTEGER, label TEXT, value TEXT);\n"
	"CREATE TABLE missing(node TEXT, known TEXT);\n";

/* A row of a table, value by value. */
struct row {
	struct strbuf *out;
	bool has_values;
};

static struct row row_begin(struct strbuf *out, const char *table)
{
	strbuf_addf(out, "INSERT INTO %s VALUES(", table);
	return (struct row){ .out = out };
}

static void row_end(struct row *row)
{
	strbuf_addstr(row->out, ");\n");
}

static void put_separator(struct row *row)
{
	if (row->has_values)
		strbuf_addch(row->out, ',');
	row->has_values = true;
}

/* A quote within is doubled; nothing else means anything within quotes. */
static void put_text(struct row *row, const char *text)
{
	put_separator(row);
	if (!text) {
		strbuf_addstr(row->out, "NULL");
		return;
	}
	strbuf_addch(row->out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_addch(row->out, '\'');
		strbuf_addch(row->out, *text);
	}
	strbuf_addch(row->out, '\'');
}

static void put_id(struct row *row, const struct fleet *fleet, text_id id)
{
	put_text(row, texts_get(&fleet->texts, id));
}

static void put_number(struct row *row, uint64_t number)
{
	put_separator(row);
	strbuf_addf(row->out, "%llu", (unsigned long long)number);
}

/* 0 is not known. */
static void put_known(struct row *row, uint64_t number)
{
	if (number)
		put_number(row, number);
	else
		put_text(row, NULL);
}

static void put_figure(struct row *row, double value)
{
	put_separator(row);
	strbuf_addf(row->out, "%.7g", value);
}

static void put_gpus(struct strbuf *out, const struct fleet *fleet, uint32_t number, const struct fleet_record *record)
{
	for (uint32_t g = 0; g < record->nr_gpus; g++) {
		const struct fleet_gpu *gpu = &fleet->gpus[record->first_gpu + g];
		const text_id texts[] = { gpu->pci, gpu->slot, gpu->serial, gpu->uuid, gpu->model, gpu->vbios,
					  gpu->driver_version, gpu->partition };
		struct row row = row_begin(out, "gpus");

		put_number(&row, record->first_gpu + g);
		put_number(&row, number);
		put_number(&row, gpu->index);
		for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
			put_id(&row, fleet, texts[i]);
		put_known(&row, gpu->power_limit_mw);
		put_known(&row, gpu->clock_max_mhz);
		put_known(&row, gpu->vram_total_bytes);
		row_end(&row);
	}
}

static void put_findings(struct strbuf *out, const struct fleet *fleet, uint32_t number,
			 const struct fleet_record *record)
{
	for (uint32_t i = 0; i < record->nr_findings; i++) {
		const struct fleet_finding *finding = &fleet->findings[record->first_finding + i];
		struct row row = row_begin(out, "findings");

		put_number(&row, number);
		if (finding->gpu >= 0)
			put_number(&row, record->first_gpu + (uint32_t)finding->gpu);
		else
			put_text(&row, NULL);
		put_id(&row, fleet, finding->id);
		put_text(&row, finding->is_failure ? "fail" : "warn");
		row_end(&row);
	}
}

static void put_labels(struct strbuf *out, const struct fleet *fleet, uint32_t number)
{
	for (size_t i = 0; i < fleet->nr_labels; i++) {
		struct row row;

		if (!fleet->labels[i].of_record[number])
			continue;
		row = row_begin(out, "labels");
		put_number(&row, number);
		put_text(&row, fleet->labels[i].name);
		put_id(&row, fleet, fleet->labels[i].of_record[number]);
		row_end(&row);
	}
}

static void put_node(struct strbuf *out, const struct fleet *fleet, uint32_t number)
{
	const struct fleet_record *record = &fleet->records[number];
	struct row row = row_begin(out, "nodes");
	char taken_at[32];

	format_rfc3339(record->taken_ms / 1000, (unsigned)(record->taken_ms % 1000), taken_at);
	put_number(&row, number);
	put_text(&row, fleet_node_name(fleet, record));
	put_id(&row, fleet, record->machine);
	put_id(&row, fleet, record->boot);
	put_id(&row, fleet, record->product);
	put_id(&row, fleet, record->kernel);
	put_text(&row, taken_at);
	put_text(&row, node_state_name(fleet_node_state(record)));
	put_text(&row, verdict_name(record->verdict));
	put_id(&row, fleet, record->action);
	put_text(&row, record->headline);
	row_end(&row);
	put_gpus(out, fleet, number, record);
	put_findings(out, fleet, number, record);
	put_labels(out, fleet, number);
}

static void put_figures(struct strbuf *out, const struct fleet *fleet, const struct fleet_metric *metric)
{
	for (size_t i = 0; i < metric->nr; i++) {
		const struct fleet_value *value = &metric->values[i];
		struct row row;

		if (record_of(fleet, &fleet->gpus[value->gpu])->standing != RECORD_JUDGES)
			continue;
		row = row_begin(out, "figures");
		put_number(&row, value->gpu);
		put_id(&row, fleet, metric->key);
		put_text(&row, unit_symbol(metric->unit));
		put_figure(&row, (double)value->value);
		row_end(&row);
	}
}

static void put_outlier(struct strbuf *out, const struct fleet *fleet, const struct fleet_outlier *outlier)
{
	const struct fleet_cause *cause = &fleet->causes[outlier->cause - 1];
	struct row row = row_begin(out, "outliers");

	put_number(&row, outlier->gpu);
	put_id(&row, fleet, fleet->metrics[outlier->metric].key);
	put_figure(&row, outlier->value);
	put_figure(&row, outlier->median);
	put_figure(&row, outlier->worse);
	put_text(&row, cause->level);
	put_text(&row, cause->value);
	row_end(&row);
}

static void put_odd_setting(struct strbuf *out, const struct fleet *fleet, const struct fleet_odd_setting *odd)
{
	struct row row = row_begin(out, "odd_settings");

	put_number(&row, odd->gpu);
	put_text(&row, odd->what);
	put_id(&row, fleet, odd->value);
	put_id(&row, fleet, odd->usual);
	row_end(&row);
}

void render_fleet_sql(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	(void)options;
	strbuf_addstr(out, tables);
	for (size_t i = 0; i < fleet->nr_nodes; i++)
		put_node(out, fleet, fleet->nodes[i]);
	for (size_t i = 0; i < fleet->nr_metrics; i++)
		put_figures(out, fleet, &fleet->metrics[i]);
	for (size_t i = 0; i < fleet->nr_outliers; i++)
		put_outlier(out, fleet, &fleet->outliers[i]);
	for (size_t i = 0; i < fleet->nr_odd_settings; i++)
		put_odd_setting(out, fleet, &fleet->odd_settings[i]);
	for (size_t i = 0; i < fleet->nr_missing; i++) {
		struct row row = row_begin(out, "missing");

		put_text(&row, fleet->missing[i].name);
		put_text(&row, fleet->missing[i].known);
		row_end(&row);
	}
	strbuf_addstr(out, "COMMIT;\n");
}
