// SPDX-License-Identifier: GPL-2.0-or-later
/* smi_process.c - the processes of a GPU as nvidia-smi -q lists them. */
#include "base/compat.h"
#include "import/nvidia/smi_gpu.h"
#include "import/nvidia/smi_value.h"

#include "base/text_scan.h"

/* A process is over where the next begins. */
void smi_end_client(struct reading *reading, struct smi_gpu *at)
{
	const char *key;
	struct gpu_client *client;

	if (!is_known(at->client.pid))
		return;
	key = arena_printf(reading->arena, "%llu:%s", (unsigned long long)u64_or(at->client.pid, 0),
			   str_or(at->client.kind, "compute"));
	if (at->gpu_instance)
		key = arena_printf(reading->arena, "%s:%s/%s", key, at->gpu_instance,
				   at->compute_instance ? at->compute_instance : "0");
	client = list_element(reading->arena, at->gpu, clients, gpu_client, key);
	at->client.key = client->key;
	*client = at->client;
	at->client = (struct gpu_client){ .memory_bytes = { .state = VAL_UNSET } };
	at->gpu_instance = at->compute_instance = NULL;
	at->nr_clients++;
}

bool smi_take_client(struct reading *reading, struct smi_gpu *at, const char *path, const char *value,
			struct dump_line *line)
{
	const char *name = smi_path_name(path);
	double number;

	if (!strstr(path, "processes") || strstr(path, "accounted"))
		return false;
	if (!strcmp(name, "processes")) {
		/* "None", or N/A. */
		at->clients_line = smi_first_word_is(value, "None") ? line : NULL;
	} else if (!strcmp(name, "process id") || !strcmp(name, "pid")) {
		smi_end_client(reading, at);
		if (!smi_take_number(value, NULL, &number) || number < 0)
			return false;
		put(reading, line, at->client.pid, val_u64((uint64_t)number));
		at->clients_line = line;
	} else if (!strcmp(name, "type")) {
		put(reading, line, at->client.kind, val_str(strchr(value, 'C') ? "compute" : "graphics"));
	} else if (!strcmp(name, "used gpu memory") || !strcmp(name, "used_memory")) {
		if (smi_take_number(value, "MiB", &number) && number >= 0)
			put(reading, line, at->client.memory_bytes, val_u64((uint64_t)number << 20));
	} else if (!strcmp(name, "gpu instance id") || !strcmp(name, "gpu_instance_id")) {
		/* It stands before the process it belongs to. */
		smi_end_client(reading, at);
		at->gpu_instance = is_digit(*value) ? arena_strdup(reading->arena, value) : NULL;
	} else if (!strcmp(name, "compute instance id") || !strcmp(name, "compute_instance_id")) {
		at->compute_instance = is_digit(*value) ? arena_strdup(reading->arena, value) : NULL;
	} else if (strcmp(name, "name") != 0 && strcmp(name, "process_name") != 0) {
		return false;
	}
	line->is_taken = true;
	return true;
}
