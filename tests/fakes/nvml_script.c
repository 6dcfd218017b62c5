// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_script.c - what changes over time. See nvml.c. */
#include "nvml_machine.h"

#include <string.h>

/* Whose values an entry changes: those of a GPU, of an instance of it, or of the machine. */
static cJSON *changed_by(const cJSON *entry)
{
	const cJSON *where = member(entry, "gpu"), *instance = member(entry, "instance");
	unsigned int domain, bus, device;

	if (!where)
		return machine.said;
	if (!parse_address(where->valuestring, &domain, &bus, &device))
		refuse("no address in the script", where->valuestring);
	for (unsigned int i = 0; i < machine.gpu_count; i++) {
		const struct gpu *gpu = &machine.gpus[i];

		if (gpu->domain != domain || gpu->bus != bus || gpu->device != device)
			continue;
		return instance ? gpu->instances[instance->valueint].said : gpu->said;
	}
	refuse("no such GPU in the script", where->valuestring);
}

/* Counters go on from where they are, but where the entry says otherwise. */
static void change(cJSON *said, const cJSON *to, double at_ms)
{
	cJSON *new = cJSON_Duplicate(to, true);
	long long now = 0;

	if (member(new, "per_s")) {
		cJSON_AddNumberToObject(new, "from_ms", at_ms);
		if (!member(new, "base") && !tell_item(member(said, to->string), 0, &now))
			cJSON_AddNumberToObject(new, "base", (double)now);
	}
	/* What was there before stays in memory: instances may point into it. */
	cJSON_AddItemToArray(machine.past, cJSON_DetachItemFromObjectCaseSensitive(said, to->string));
	cJSON_AddItemToObject(said, to->string, new);
}

void follow_script(void)
{
	while (machine.next && number_of(machine.next, "t_ms") <= 1e3 * machine_s()) {
		cJSON *said = changed_by(machine.next);
		const cJSON *to;

		cJSON_ArrayForEach(to, machine.next)
		{
			if (strcmp(to->string, "t_ms") && strcmp(to->string, "gpu") && strcmp(to->string, "instance"))
				change(said, to, number_of(machine.next, "t_ms"));
		}
		machine.next = machine.next->next;
	}
}
