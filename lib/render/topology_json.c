// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * topology_json.c - devices with their ways to the processor, and the matrix. Within a schema number keys are only
 * added.
 */
#include "base/compat.h"
#include "render/topology.h"

#include "eval/facts/near_network.h"
#include "eval/facts/topology.h"
#include "render/json_internal.h"

static void put_function(struct json_writer *w, const char *address, const struct pci_function *pci)
{
	const struct record *record = &record_pci_function;

	json_object_begin(w);
	json_str(w, "address", address);
	json_value(w, "port_type", &record->fields[FIELD_pci_function_port_type], &pci->port_type);
	json_value(w, "link_width", &record->fields[FIELD_pci_function_link_width], &pci->link_width);
	json_value(w, "link_width_able", &record->fields[FIELD_pci_function_link_width_able], &pci->link_width_able);
	json_value(w, "link_speed_mtps", &record->fields[FIELD_pci_function_link_speed_mtps], &pci->link_speed_mtps);
	json_value(w, "link_speed_able_mtps", &record->fields[FIELD_pci_function_link_speed_able_mtps],
		  &pci->link_speed_able_mtps);
	json_object_end(w);
}

static void put_device(struct json_writer *w, const struct topology_device *device)
{
	const struct record *record = &record_pci_function;
	const char *weakest;
	double rate = topology_weakest(device, &weakest);

	json_object_begin(w);
	json_str(w, "name", device->name);
	json_str(w, "kind", topology_kind_name(device->kind));
	json_str(w, "address", device->address);
	json_str(w, "label", device->label);
	json_value(w, "numa_node", &record->fields[FIELD_pci_function_numa_node], &device->pci->numa_node);
	json_value(w, "cpus", &record->fields[FIELD_pci_function_local_cpus], &device->pci->local_cpus);
	json_str(w, "weakest_hop", rate > 0.0 ? weakest : NULL);
	if (rate > 0.0)
		json_f64_member(w, "weakest_bytes_per_s", rate);
	else
		json_null_member(w, "weakest_bytes_per_s");
	json_bool_member(w, "path_known", device->knows_bridges);
	json_array_member(w, "path");
	put_function(w, device->address, device->pci);
	for (size_t i = 0; i < device->nr_hops; i++)
		put_function(w, str_or(device->hops[i].address, "?"), &device->hops[i].pci);
	json_array_end(w);
	json_object_end(w);
}

void render_topology_json(struct strbuf *out, const struct snapshot *snapshot, const struct render_options *options)
{
	struct json_writer w = { .out = out, .indent = 2 };
	struct arena arena = { .blocks = NULL };
	struct topology topology;

	(void)options;
	topology_of(&arena, snapshot, &topology);
	json_object_begin(&w);
	json_str(&w, "schema", TOPOLOGY_SCHEMA);
	json_run(&w, &snapshot->run);
	json_host(&w, snapshot);
	json_array_member(&w, "devices");
	for (size_t i = 0; i < topology.nr; i++)
		put_device(&w, &topology.devices[i]);
	json_array_end(&w);
	json_array_member(&w, "matrix");
	for (size_t i = 0; i < topology.nr; i++) {
		json_array_begin(&w);
		for (size_t k = 0; k < topology.nr; k++)
			json_put_str(&w, topology_path(&arena, snapshot, &topology.devices[i], &topology.devices[k]));
		json_array_end(&w);
	}
	json_array_end(&w);
	json_str(&w, "nccl_ib_hca", near_network_nccl_ib_hca(&arena, snapshot));
	json_object_end(&w);
	strbuf_addch(out, '\n');
	arena_release(&arena);
}
