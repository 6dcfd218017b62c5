// SPDX-License-Identifier: GPL-2.0-or-later
/* fleet_label.c - what a site knows of its nodes: rack, switch, row. */
#include "base/compat.h"
#include "eval/fleet/fleet_internal.h"

#include <stdlib.h>

#include "base/alloc.h"

/* The label of that name, which is made where it is new. */
static struct fleet_label *label_of(struct fleet *fleet, const char *name)
{
	struct fleet_label *label;

	for (size_t i = 0; i < fleet->nr_labels; i++)
		if (!strcmp(fleet->labels[i].name, name))
			return &fleet->labels[i];
	fleet->labels = fleet_append(fleet->labels, fleet->nr_labels, sizeof(*fleet->labels));
	label = &fleet->labels[fleet->nr_labels++];
	label->name = arena_strdup(&fleet->arena, name);
	label->of_record = xcalloc(fleet->nr_records + 1, sizeof(*label->of_record));
	return label;
}

/* Reports of each name, so that ten thousand labels do not each go over ten thousand reports. */
static void index_names(struct fleet *fleet)
{
	fleet->nr_names = fleet->texts.nr;
	fleet->first_of_name = xcalloc(fleet->texts.nr + 1, sizeof(*fleet->first_of_name));
	fleet->next_of_name = xcalloc(fleet->nr_records + 1, sizeof(*fleet->next_of_name));
	for (uint32_t i = (uint32_t)fleet->nr_records; i--;) {
		uint32_t *first = &fleet->first_of_name[fleet->records[i].name];

		fleet->next_of_name[i] = *first;
		*first = i + 1;
	}
}

bool fleet_label(struct fleet *fleet, const char *label_name, const char *name, const char *value)
{
	struct fleet_label *label = label_of(fleet, label_name);
	text_id id = texts_find(&fleet->texts, name, strlen(name));
	text_id value_id;

	if (!fleet->first_of_name)
		index_names(fleet);
	/* Texts that came after the reports are no node's name. */
	if (!id || id > fleet->nr_names)
		return false;
	value_id = texts_add(&fleet->texts, value, strlen(value));
	for (uint32_t i = fleet->first_of_name[id]; i; i = fleet->next_of_name[i - 1])
		label->of_record[i - 1] = value_id;
	return fleet->first_of_name[id] != 0;
}
