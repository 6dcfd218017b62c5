// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smi_list.c - what nvidia-smi prints below "GPU 0: NAME (UUID: GPU-…)": of -L the MIG devices, of nvlink -s, -e and -R
 * a line or more for each link.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/nvidia/smi_value.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_LINKS = 64 };

/* Behind "GPU 3: ", and the index; NULL: no such line. */
static const char *gpu_of_line(const char *text, uint64_t *ret_index)
{
	bool fits = true;

	text += strspn(text, " ");
	if (strncmp(text, "GPU ", 4) != 0)
		return NULL;
	text += 4;
	if (!scan_u64(&text, 10, ret_index, &fits) || !fits || strncmp(text, ": ", 2) != 0)
		return NULL;
	/* A name may be missing: "GPU 0: (UUID: ". */
	return strstr(text, " (UUID: ") ? text + 2 : NULL;
}

enum dump_begins smi_list_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t index;

	(void)nr;
	return gpu_of_line(lines->text, &index) ? BEGINS_MORE : BEGINS_NOT;
}

struct list {
	struct reading *reading;
	const char *key;		/* of the GPU at hand; NULL: none yet */
	struct dump_line *line;		/* that named it */
	uint64_t nr_states, nr_active;	/* of its links, in the order of their numbers */
	uint64_t nr_most;		/* links that any GPU has */
	bool is_broken;			/* something was left out, or this says other things of links */
	uint64_t nr_gpus;		/* so far */
	bool is_part;			/* of the GPUs: their numbers, or other lines between them, say so */
	bool is_over;			/* a blank line is behind it, or what people write below */
};

static struct gpu *gpu_at(struct list *list)
{
	return list_element(list->reading->arena, list->reading->snapshot, gpus, gpu, list->key);
}

/*
 * The links of a GPU are over. What was cut off has no links that are down, and proves nothing of how many there are.
 */
static void end_gpu(struct list *list)
{
	if (list->key && list->nr_states && !list->is_broken && list->nr_states >= list->nr_most) {
		struct nvml_gpu *nvml = &gpu_at(list)->nvml;

		put(list->reading, list->line, nvml->nvlinks, val_u64(list->nr_states));
		put(list->reading, list->line, nvml->nvlinks_active, val_u64(list->nr_active));
		list->nr_most = list->nr_states;
	}
	list->nr_states = list->nr_active = 0;
	list->is_broken = false;
}

static void begin_gpu(struct list *list, struct dump_line *line, uint64_t index, const char *name)
{
	struct reading *reading = list->reading;
	struct gpu *gpu = reading_gpu_by_index(reading, index);
	const char *end = strstr(name - 1, " (UUID: "), *uuid = end + strlen(" (UUID: ");

	end_gpu(list);
	list->is_part |= index != list->nr_gpus++;
	list->key = str_or(gpu->key, NULL);
	list->line = line;
	put(reading, line, gpu->nvml.index, val_u64(index));
	put(reading, line, gpu->nvml.handle, val_str("ok"));
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	if (end > name)
		put(reading, line, gpu->nvml.name, val_str(arena_strndup(reading->arena, name, (size_t)(end - name))));
	if (!strncmp(uuid, "GPU-", 4))
		put(reading, line, gpu->nvml.uuid, val_str(arena_strndup(reading->arena, uuid, strcspn(uuid, ") "))));
}

/* ---- links */

static bool take_counter(struct reading *reading, struct dump_line *line, const char *text, const char *name,
			 struct val_u64 *to)
{
	size_t len = strlen(name);
	uint64_t number;

	if (strncmp(text, name, len) != 0)
		return false;
	if (!parse_u64(text + len + strspn(text + len, " "), &number))
		put(reading, line, *to, val_u64(number));
	return true;
}

/* "25.781 GB/s", "<inactive>", "Replay Errors: 0", "Remote Device 00000000:BB:00.0: Link 1". */
static void take_link(struct list *list, struct dump_line *line, uint64_t number, const char *text)
{
	static const char remote[] = "Remote Device ";
	struct reading *reading = list->reading;
	struct gpu *gpu = gpu_at(list);
	struct gpu_link *link = list_element(reading->arena, gpu, links, gpu_link,
					     arena_printf(reading->arena, "%llu", (unsigned long long)number));
	size_t len = strspn(text, "0123456789.");
	double speed;

	if (take_counter(reading, line, text, "Replay Errors:", &link->replays) ||
	    take_counter(reading, line, text, "Recovery Errors:", &link->recoveries) ||
	    take_counter(reading, line, text, "CRC Errors:", &link->crc_errors))
		return;
	if (!strncmp(text, remote, strlen(remote))) {
		const char *address = dump_address(reading->arena, text + strlen(remote));

		if (address)
			put(reading, line, link->remote, val_str(address));
		return;
	}
	if (len && !strncmp(text + len, " GB/s", 5) && !parse_f64(arena_strndup(reading->arena, text, len), &speed)) {
		put(reading, line, link->state, val_str("active"));
		put(reading, line, link->speed_gbps, val_f64(speed));
		list->nr_active++;
	} else if (!strcasecmp(text, "<inactive>") || !strcasecmp(text, "inactive")) {
		put(reading, line, link->state, val_str("inactive"));
	} else {
		list->is_broken = true;
		return;
	}
	put(reading, line, link->kind, val_str("nvlink"));
	list->is_broken |= number != list->nr_states;
	list->nr_states++;
}

/* Behind "Link 3: "; NULL: no such line. */
static const char *link_of_line(const char *text, uint64_t *ret_number)
{
	bool fits = true;

	if (strncmp(text, "Link ", 5) != 0)
		return NULL;
	text += 5;
	if (!scan_u64(&text, 10, ret_number, &fits) || !fits || *ret_number >= MAX_LINKS || strncmp(text, ": ", 2) != 0)
		return NULL;
	return text + 2 + strspn(text + 2, " ");
}

/*
 * In place of the links of a GPU: as many are down as the GPUs around it have; where none shows any, their number is
 * open.
 */
static void take_all_inactive(struct list *list, struct dump_line *line)
{
	struct reading *reading = list->reading;
	struct gpu *gpu = gpu_at(list);

	for (uint64_t i = 0; i < list->nr_most; i++) {
		struct gpu_link *link = list_element(reading->arena, gpu, links, gpu_link,
						     arena_printf(reading->arena, "%llu", (unsigned long long)i));

		put(reading, line, link->state, val_str("inactive"));
		put(reading, line, link->kind, val_str("nvlink"));
	}
	if (list->nr_most)
		put(reading, line, gpu->nvml.nvlinks, val_u64(list->nr_most));
	put(reading, line, gpu->nvml.nvlinks_active, val_u64(0));
}

static bool says_all_inactive(const char *text)
{
	return strcasestr(text, "all links are inactive") != NULL;
}

/* ---- MIG devices: "MIG 1g.10gb     Device  0: (UUID: MIG-…)" */

static bool take_mig(struct list *list, struct dump_line *line, const char *text)
{
	const char *device = strstr(text, " Device "), *uuid = strstr(text, "(UUID: MIG-");
	struct nvml_gpu *nvml;

	if (strncmp(text, "MIG ", 4) != 0 || !device || !uuid)
		return false;
	nvml = &gpu_at(list)->nvml;
	put(list->reading, line, nvml->mig_enabled, val_bool(true));
	put(list->reading, line, nvml->mig_instances, val_u64(u64_or(nvml->mig_instances, 0) + 1));
	return true;
}

/* "[...]", "…", "<snip>": people leave lines out. */
static bool is_gap(const char *text)
{
	return strstr(text, "..") || strchr("[<(", *text) || (unsigned char)*text >= 0x80;
}

/* "One is missing?", "# two are gone": what somebody wrote below, and not what the tool says of a GPU. */
static bool is_of_people(const char *text)
{
	return *text == '#' || text[strlen(text) - 1] == '?';
}

static void take_line(struct list *list, struct dump_line *line)
{
	const char *text = line->text + strspn(line->text, " "), *rest;
	uint64_t number;

	rest = gpu_of_line(text, &number);
	if (rest) {
		list->is_part |= list->is_over;
		begin_gpu(list, line, number, rest);
		return;
	}
	list->is_over |= list->key && (!*text || is_of_people(text));
	if (!list->key || !*text || take_mig(list, line, text))
		return;
	list->is_part |= !list->is_over;
	rest = link_of_line(text, &number);
	if (rest) {
		take_link(list, line, number, rest);
	} else if (is_gap(text)) {
		list->is_broken = true;
	} else if (!says_all_inactive(text)) {
		end_gpu(list);
		list->key = NULL;
	}
}

/* The output of -L by its command, or a file that holds nothing else: nothing in it tells its end. */
static bool is_whole_list(const struct reading *reading)
{
	const struct dump_part *part = reading->part;

	if (smi_is_choice(part) || smi_is_elsewhere(reading))
		return false;
	if (part->about)
		return strstr(part->about, "nvidia-smi -L") || strstr(part->about, "nvidia-smi --list-gpus");
	for (size_t i = 0; reading->parts && i < reading->parts->nr; i++)
		if (&reading->parts->v[i] != part && !strcmp(reading->parts->v[i].file, part->file))
			return false;
	return part->lines[0].number == 1;
}

/*
 * Which GPU a line is of goes by the lines before it; those that only say that no link is up are read when all others
 * were.
 */
void smi_list_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct list list = { .reading = reading };
	uint64_t number;

	for (size_t i = 0; i < part->nr_lines; i++)
		take_line(&list, &part->lines[i]);
	end_gpu(&list);
	if (list.nr_gpus && !list.is_part && is_whole_list(reading))
		put(reading, &part->lines[0], reading->snapshot->nvml.gpus, val_u64(list.nr_gpus));
	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *text = part->lines[i].text;

		if (gpu_of_line(text, &number))
			list.key = str_or(reading_gpu_by_index(reading, number)->key, NULL);
		else if (list.key && says_all_inactive(text))
			take_all_inactive(&list, &part->lines[i]);
	}
}
