// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dcgmi.c - what DCGM's dcgmi prints beside its diagnostic: health -c (health watches), discovery -l (which GPUs there
 * are) and nvlink --link-status (a letter for each link).
 */
#include "base/compat.h"
#include "import/dump/error_put.h"
#include "import/dump/layout.h"
#include "import/dump/readers.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_LINKS = 64 };

static const char overall[] = "Overall Health";

/* "| Overall Health     | Failure   |", and of older releases "| Overall Health:    Warning    |" */
static bool is_overall_row(const char *text)
{
	if (!text_begins(text, "| ") || !text_begins(text + 2, overall))
		return false;
	text += 2 + strlen(overall);
	return (*text == ' ' || *text == ':') && strchr(text, '|');
}

enum dump_begins dcgmi_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = past_blanks(lines->text);

	(void)nr;
	if (*text != '|')
		return BEGINS_NOT;
	/* The report's head may have been left out. */
	if (is_overall_row(text))
		return BEGINS_MORE;
	return strstr(text, "Health Monitor Report") || strstr(text, "NvLink Link Status") ||
			       (text_begins(text, "| GPU ID ") && strstr(text, "Device Information"))
		       ? BEGINS_NEW
		       : BEGINS_NOT;
}

struct dcgmi {
	struct reading *reading;
	int gpu;			/* at hand; DCGM_NO_GPU: none */
	const char *status;		/* of that GPU by its health watches */
	struct diagnostic_result *result;	/* whose words may go on in the next line */
	uint64_t nr_links;		/* of that GPU, read so far */
	const char *address;		/* of that GPU in a discovery, once it was told */
	const char *overall;		/* of all GPUs, by the report's first line */
	struct dump_line *overall_line;
	const char *name;		/* told before the address, */
	struct dump_line *name_line;	/* on that line */
};

/* A number that is the whole text, or that stands behind "GPU ID: "; DCGM_NO_GPU: none. */
static int gpu_number(const char *text)
{
	static const char id[] = "GPU ID:";
	uint64_t number;

	if (text_begins(text, id))
		text = past_blanks(text + strlen(id));
	return !parse_u64(text, &number) && number < DCGM_MAX_GPUS ? (int)number : DCGM_NO_GPU;
}

/* Words of a result, or more of them: each link that is down has its own. */
static void add_words(struct dcgmi *at, struct dump_line *line, const char *joint, const char *words)
{
	const char *before = str_or(at->result->words, NULL);

	put(at->reading, line, at->result->words,
	    val_str(before ? arena_printf(at->reading->arena, "%s%s%s", before, joint, words) : words));
}

static void put_result(struct dcgmi *at, struct dump_line *line, const char *test, const char *words)
{
	struct dcgm_result result = { .test = test, .gpu = at->gpu, .status = at->status };
	/* "-> NVLINK system | Failure", and the words below. */
	bool has_status = dcgm_health_status(words) && !strchr(words, ' ');

	if (has_status)
		result.status = dcgm_health_status(words);
	at->result = dcgm_put_result(at->reading, line, &result);
	if (at->result && *words && !has_status)
		add_words(at, line, "; ", words);
}

/* "PCIe system: Warning - Detected …" of older releases. */
static bool take_named(struct dcgmi *at, struct dump_line *line, const char *text)
{
	const char *colon = strstr(text, " system: "), *words = colon ? strstr(colon, " - ") : NULL;

	if (!words || at->gpu == DCGM_NO_GPU || !dcgm_health_status(colon + strlen(" system: ")))
		return false;
	at->status = dcgm_health_status(colon + strlen(" system: "));
	put_result(at, line, arena_strndup(at->reading->arena, text, (size_t)(colon - text)), words + 3);
	return true;
}

/*
 *	| -> 0                      | Warning                                    |
 *	|    -> Errors              |                                            |
 *	|       -> PCIe             | Detected more than 8 PCIe replays …        |
 *	|                           | Reconnect the card.                        |
 */
static void read_health(struct dcgmi *at, struct dump_line *line, const char *const cells[2])
{
	bool is_arrow = text_begins(cells[0], "->");
	const char *name = is_arrow ? past_blanks(cells[0] + 2) : cells[0];
	int gpu = is_arrow || text_begins(name, "GPU ID") ? gpu_number(name) : DCGM_NO_GPU;

	if (gpu != DCGM_NO_GPU && dcgm_health_status(cells[1])) {
		at->gpu = gpu;
		at->status = dcgm_health_status(cells[1]);
		put_result(at, line, "health", "");
		at->result = NULL;
	} else if (take_named(at, line, cells[1])) {
		return;
	} else if (is_arrow && at->gpu != DCGM_NO_GPU && *cells[1]) {
		put_result(at, line, name, cells[1]);
	} else if (!*name && at->result && *cells[1]) {
		add_words(at, line, " ", cells[1]);
	} else if (*name && !is_arrow) {
		at->gpu = DCGM_NO_GPU;
	}
}

static bool take_overall(struct dcgmi *at, struct dump_line *line)
{
	const char *text = past_blanks(line->text);

	if (!is_overall_row(text))
		return false;
	text += 2 + strlen(overall);
	at->overall = dcgm_health_status(text + strspn(text, ":| "));
	at->overall_line = line;
	return true;
}

/* Of what is no GPU, and of a report whose rest was cut off, its first line alone tells. */
static void read_overall(struct dcgmi *at)
{
	const struct dcgm_result result = { .test = "health", .gpu = DCGM_NO_GPU, .status = at->overall };

	if (!at->overall || strcmp(at->overall, "pass") == 0)
		return;
	for (size_t i = 0; i < at->reading->snapshot->nr_gpus; i++)
		for (size_t k = 0; k < at->reading->snapshot->gpus[i].nr_diagnostics; k++)
			if (!str_is(at->reading->snapshot->gpus[i].diagnostics[k].status, "pass"))
				return;
	dcgm_put_result(at->reading, at->overall_line, &result);
}

/* The GPU of a discovery by its address, which may stand in two tables; of a table that has none by its number. */
static struct gpu *discovered(struct dcgmi *at, struct dump_line *line)
{
	struct gpu *gpu;

	if (!at->address)
		return dcgm_gpu(at->reading, line, at->gpu);
	gpu = reading_nvidia_gpu(at->reading, line, at->address);
	put(at->reading, line, gpu->nvml.index, val_u64((uint64_t)at->gpu));
	return gpu;
}

/* "<<<NULL>>>", "<<<NOT_FOUND>>>": what DCGM has in place of a text that the driver did not give it. */
static bool is_blank_value(const char *text)
{
	return text_begins(text, "<<<") && strstr(text, ">>>");
}

/*
 * "| 0      | Name: NVIDIA A100-SXM4-80GB |", "|        | PCI Bus ID: 00000000:0F:00.0 |", "|        | Device UUID:
 * GPU-… |"
 */
static void read_discovery(struct dcgmi *at, struct dump_line *line, const char *const cells[2])
{
	static const char name[] = "Name: ", address[] = "PCI Bus ID: ", uuid[] = "Device UUID: ";
	struct gpu *gpu;

	if (*cells[0]) {
		at->gpu = gpu_number(cells[0]);
		at->name = at->address = NULL;
	}
	if (at->gpu == DCGM_NO_GPU)
		return;
	if (text_begins(cells[1], name)) {
		at->name = cells[1] + strlen(name);
		at->name_line = line;
	} else if (text_begins(cells[1], address)) {
		at->address = dump_address(at->reading->arena, cells[1] + strlen(address));
	} else if (!text_begins(cells[1], uuid)) {
		return;
	}
	if (!at->address && !text_begins(cells[1], uuid))
		return;
	gpu = discovered(at, line);
	if (at->name && is_blank_value(at->name))
		program_error_put(at->reading, at->name_line, "not-read", "Name: <<<",
				  arena_printf(at->reading->arena, "GPU %d: Name: %s", at->gpu, at->name));
	else if (at->name)
		put(at->reading, at->name_line, gpu->nvml.name, val_str(at->name));
	at->name = NULL;
	if (text_begins(cells[1], uuid))
		put(at->reading, line, gpu->nvml.uuid, val_str(cells[1] + strlen(uuid)));
}

/* "U U D X _": up, down, disabled, none of its own. */
static void take_links(struct dcgmi *at, struct dump_line *line, const char *text)
{
	static const struct { char letter; const char *state; } letters[] = {
		{ 'U', "active" }, { 'D', "inactive" }, { 'X', "off" }, { '_', NULL },
	};
	struct gpu *gpu = dcgm_gpu(at->reading, line, at->gpu);
	uint64_t nr_own = 0, nr_active = 0;

	for (text = past_blanks(text); *text && at->nr_links < MAX_LINKS; text = past_blanks(text)) {
		const char *state = NULL;

		for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
			state = letters[i].letter == *text ? letters[i].state : state;
		text++;
		if (state) {
			struct gpu_link *link = list_element(
				at->reading->arena, gpu, links, gpu_link,
				arena_printf(at->reading->arena, "%llu", (unsigned long long)at->nr_links));

			put(at->reading, line, link->kind, val_str("nvlink"));
			put(at->reading, line, link->state, val_str(state));
			nr_own++;
			nr_active += !strcmp(state, "active");
		}
		at->nr_links++;
	}
	put(at->reading, line, gpu->nvml.nvlinks, val_u64(nr_own));
	put(at->reading, line, gpu->nvml.nvlinks_active, val_u64(nr_active));
}

static void read_links(struct dcgmi *at, struct dump_line *line)
{
	static const char id[] = "gpuId ";
	const char *text = past_blanks(line->text);

	if (text_begins(text, id)) {
		at->gpu = gpu_number(
			arena_strndup(at->reading->arena, text + strlen(id), strcspn(text + strlen(id), ":")));
		at->nr_links = 0;
		line->is_taken = true;
	} else if (at->gpu != DCGM_NO_GPU && *text && !text[strspn(text, "UDX_ ")]) {
		take_links(at, line, text);
	} else if (*text) {
		at->gpu = DCGM_NO_GPU;
	}
}

void dcgmi_read(struct reading *reading)
{
	const struct dump_part *part = reading->part;
	struct dcgmi at = { .reading = reading, .gpu = DCGM_NO_GPU };
	bool of_links = strstr(part->lines[0].text, "NvLink"), of_health = strstr(part->lines[0].text, "Health");

	part->lines[0].is_taken = true;
	for (size_t i = is_overall_row(past_blanks(part->lines[0].text)) ? 0 : 1; i < part->nr_lines; i++) {
		struct dump_line *line = &part->lines[i];
		const char *cells[2];

		if (of_links)
			read_links(&at, line);
		else if (of_health && take_overall(&at, line))
			continue;
		else if (layout_cells(reading->arena, line->text, cells, ARRAY_SIZE(cells)) < ARRAY_SIZE(cells))
			continue;
		else if (of_health)
			read_health(&at, line, cells);
		else
			read_discovery(&at, line, cells);
	}
	read_overall(&at);
}
