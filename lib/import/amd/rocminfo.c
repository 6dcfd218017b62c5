// SPDX-License-Identifier: GPL-2.0-or-later
/* rocminfo.c - the agents that rocminfo lists: a heading "Agent N" between stars, and lines "Name: VALUE" below it. */
#include "base/compat.h"
#include "import/dump/readers.h"

#include "base/text.h"
#include "base/text_scan.h"

struct agent {
	struct dump_line *line;		/* NULL: none is at hand */
	const char *name, *product, *uuid;
	bool is_gpu, has_address;
	uint64_t domain, address;	/* bus, device and function, as they are in one number */
};

static bool is_heading(const char *text)
{
	text = past_blanks(text);
	return text_begins(text, "Agent ") && is_digit(text[6]) && !text[6 + strspn(text + 6, "0123456789 ")];
}

enum dump_begins rocminfo_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = past_blanks(lines->text);

	(void)nr;
	return !strcmp(text, "HSA System Attributes") || !strcmp(text, "HSA Agents") || is_heading(text) ? BEGINS_MORE
													 : BEGINS_NOT;
}

static void end_agent(struct reading *reading, struct agent *agent)
{
	struct rocm *rocm = &reading->snapshot->rocm;
	struct gpu *gpu;

	if (agent->line && agent->is_gpu) {
		put(reading, agent->line, rocm->init, val_str("ok"));
		put(reading, agent->line, rocm->gpus, val_u64(u64_or(rocm->gpus, 0) + 1));
	}
	if (!agent->line || !agent->is_gpu || !agent->has_address || !agent->address)
		return;
	gpu = reading_gpu(reading,
			  arena_printf(reading->arena, "%04llx:%02llx:%02llx.%llx", (unsigned long long)agent->domain,
				       (unsigned long long)(agent->address >> 8 & 0xff),
				       (unsigned long long)(agent->address >> 3 & 0x1f),
				       (unsigned long long)(agent->address & 7)));
	if (!gpu)
		return;
	put(reading, agent->line, gpu->pci.vendor_id, val_str("0x1002"));
	put(reading, agent->line, gpu->pci.driver, val_str("amdgpu"));
	if (agent->name)
		put(reading, agent->line, gpu->amdgpu.gfx_version, val_str(agent->name));
	if (agent->product && *agent->product)
		put(reading, agent->line, gpu->amdgpu.product, val_str(agent->product));
	if (agent->uuid)
		put(reading, agent->line, gpu->amdgpu.unique_id, val_str(agent->uuid));
}

/* "BDFID: 6400", "Domain: 0"; other values of an agent are none of a GPU's health. */
static void take_value(struct agent *agent, const char *name, const char *value)
{
	static const char unknown[] = "GPU-XX";

	if (!strcmp(name, "Name") && !agent->name && text_begins(value, "gfx"))
		agent->name = value;
	else if (!strcmp(name, "Marketing Name"))
		agent->product = value;
	else if (!strcmp(name, "Uuid") && text_begins(value, "GPU-") && strcmp(value, unknown) != 0)
		agent->uuid = value + 4;
	else if (!strcmp(name, "Device Type"))
		agent->is_gpu = !strcmp(value, "GPU");
	else if (!strcmp(name, "BDFID"))
		agent->has_address = !parse_u64(value, &agent->address) && agent->address < 0x10000;
	else if (!strcmp(name, "Domain") && (parse_u64(value, &agent->domain) || agent->domain > 0xffff))
		agent->domain = 0;
}

/* A list that ends as it should and has not even the processor: the runtime below reached nothing. */
static void read_empty_list(struct reading *reading)
{
	struct dump_line *head = NULL;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *text = past_blanks(line->text);

		if (is_heading(text))
			head = NULL;
		else if (!strcmp(text, "HSA Agents"))
			head = line;
		else if (head && text_begins(text, "*** Done ***"))
			put(reading, head, reading->snapshot->rocm.init, no_str(VAL_ERROR, "rocminfo lists no agent"));
	}
}

void rocminfo_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct agent agent = { .line = NULL };

	for (size_t i = 0; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *text = past_blanks(line->text), *colon = strchr(text, ':');

		if (is_heading(text)) {
			end_agent(reading, &agent);
			agent = (struct agent){ .line = line };
			line->is_taken = true;
		} else if (agent.line && colon) {
			take_value(&agent, arena_strndup(reading->arena, text, (size_t)(colon - text)),
				   past_blanks(colon + 1));
			line->is_taken = true;
		}
	}
	end_agent(reading, &agent);
	read_empty_list(reading);
}
