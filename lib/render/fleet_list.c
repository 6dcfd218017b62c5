// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_list.c - a fleet as plain rows: nodes for a scheduler, figures for a spreadsheet or a data base. */
#include "base/compat.h"
#include "render/fleet.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hostlist.h"

static bool is_picked(const struct fleet_record *record, enum fleet_pick pick)
{
	enum node_state state = fleet_node_state(record);

	if (pick == FLEET_BAD)
		return state == NODE_NO_GO || state == NODE_OUTLIER;
	return state == NODE_GOOD || state == NODE_WARNED;
}

void render_fleet_nodes(struct strbuf *out, const struct fleet *fleet, enum fleet_pick pick)
{
	const char **names = xcalloc(fleet->nr_nodes + fleet->nr_missing + 1, sizeof(char *));
	size_t nr = 0;

	for (size_t i = 0; i < fleet->nr_nodes && pick != FLEET_MISSING; i++) {
		const struct fleet_record *record = &fleet->records[fleet->nodes[i]];

		if (is_picked(record, pick))
			names[nr++] = fleet_node_name(fleet, record);
	}
	for (size_t i = 0; i < fleet->nr_missing && pick == FLEET_MISSING; i++)
		names[nr++] = fleet->missing[i].name;
	hostlist_fold(names, nr, out);
	if (nr)
		strbuf_addch(out, '\n');
	free(names);
}

/* RFC 4180: in quotes where it has to be. A field that a spreadsheet would take for a formula begins with one, too. */
static void put_field(struct strbuf *out, const char *text, char behind)
{
	bool quote = text && (strpbrk(text, ",\"\r\n") || (*text && strchr("=+-@", *text)));

	if (quote)
		strbuf_addch(out, '"');
	for (; text && *text; text++) {
		if (*text == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *text);
	}
	if (quote)
		strbuf_addch(out, '"');
	strbuf_addch(out, behind);
}

void render_fleet_csv(struct strbuf *out, const struct fleet *fleet, const struct render_options *options)
{
	(void)options;
	strbuf_addstr(out, "node,gpu,pci,serial,uuid,model,vbios,driver_version,metric,unit,value\n");
	for (size_t m = 0; m < fleet->nr_metrics; m++) {
		const struct fleet_metric *metric = &fleet->metrics[m];

		for (size_t i = 0; i < metric->nr; i++) {
			const struct fleet_gpu *gpu = &fleet->gpus[metric->values[i].gpu];
			const text_id texts[] = { gpu->pci, gpu->serial, gpu->uuid, gpu->model, gpu->vbios,
						  gpu->driver_version, metric->key };

			if (record_of(fleet, gpu)->standing != RECORD_JUDGES)
				continue;
			put_field(out, fleet_node_name(fleet, record_of(fleet, gpu)), ',');
			strbuf_addf(out, "%u,", gpu->index);
			for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
				put_field(out, texts_get(&fleet->texts, texts[k]), ',');
			strbuf_addf(out, "%s,%.7g\n", unit_symbol(metric->unit), (double)metric->values[i].value);
		}
	}
}
