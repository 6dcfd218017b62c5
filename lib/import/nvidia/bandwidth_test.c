// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bandwidth_test.c - bandwidthTest of the CUDA samples: for each direction and kind of host memory a table of sizes and
 * rates. "MB/s" are those of 2^20 bytes, "GB/s", since CUDA 10, of 10^9; from device to device reads and writes count.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/dump/tool_figure.h"

#include "base/text_scan.h"

static const struct { const char *heading, *test; } directions[] = {
	{ "Host to Device Bandwidth, ", "host to device" }, { "Device to Host Bandwidth, ", "device to host" },
	{ "Device to Device Bandwidth, ", "device to device" },
};

/* Which direction the line heads, or NULL; *ret_devices: of how many devices the rates are summed. */
static const char *direction_of(const char *text, uint64_t *ret_devices)
{
	bool fits = true;

	text = past_blanks(text);
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		const char *rest = text + strlen(directions[i].heading);

		if (!strncmp(text, directions[i].heading, strlen(directions[i].heading)) &&
		    scan_u64(&rest, 10, ret_devices, &fits) && fits && !strncmp(rest, " Device(s)", 10))
			return directions[i].test;
	}
	return NULL;
}

enum dump_begins bandwidth_test_begins(const struct dump_line *lines, size_t nr)
{
	uint64_t devices;

	(void)nr;
	if (strstr(lines->text, "[CUDA Bandwidth Test] - Starting"))
		return BEGINS_NEW;
	return direction_of(lines->text, &devices) ? BEGINS_MORE : BEGINS_NOT;
}

struct state {
	struct tool_place place;
	const char *direction;		/* NULL: none yet */
	uint64_t devices;
	const char *device;		/* "device 0"; NULL: not told, or several */
	double scale;			/* of a rate to bytes a second; 0: no table */
};

/* "Device 0: Tesla V100-SXM2-16GB" */
static bool take_device(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *at = past_blanks(line->text);
	bool fits = true;
	uint64_t number;

	if (strncmp(at, "Device ", 7) != 0)
		return false;
	at += 7;
	if (!scan_u64(&at, 10, &number, &fits) || !fits || *at != ':')
		return false;
	state->device = arena_printf(reading->arena, "device %llu", (unsigned long long)number);
	line->is_taken = true;
	return true;
}

/* "PINNED Memory Transfers", "Transfer Size (Bytes)  Bandwidth(GB/s)" */
static bool take_heading(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *text = past_blanks(line->text);

	if (strstr(text, " Memory Transfers")) {
		if (state->direction)
			state->place.test = arena_printf(reading->arena, "%s, %s", state->direction,
							 !strncmp(text, "PAGEABLE", 8) ? "pageable" : "pinned");
	} else if (!strncmp(text, "Transfer Size (Bytes)", 21)) {
		state->scale = strstr(text, "(GB/s)") ? 1e9 : strstr(text, "(MB/s)") ? 1048576.0 : 0.0;
	} else {
		return false;
	}
	line->is_taken = true;
	return true;
}

static void take_row(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *at = past_blanks(line->text), *who = state->device;
	uint64_t bytes;
	bool fits = true;
	double rate;

	if (!state->direction || state->scale <= 0.0 || !scan_u64(&at, 10, &bytes, &fits) || !fits || *at != ' ' ||
	    !tool_number(at, &rate))
		return;
	if (!state->place.test)
		state->place.test = state->direction;
	if (!who || state->devices != 1)
		who = arena_printf(reading->arena, "%llu device%s", (unsigned long long)state->devices,
				   state->devices == 1 ? "" : "s");
	line->is_taken = true;
	tool_put(reading, line, &state->place,
		 arena_printf(reading->arena, "%s, %llu bytes", who, (unsigned long long)bytes), rate * state->scale);
}

static void read_line(struct reading *reading, struct state *state, struct dump_line *line)
{
	uint64_t devices;
	const char *direction = direction_of(line->text, &devices), *text = past_blanks(line->text);

	if (direction) {
		state->direction = direction;
		state->devices = devices;
		state->place.test = NULL;
		state->scale = 0.0;
		line->is_taken = true;
	} else if (strstr(text, "[CUDA Bandwidth Test]") || !strncmp(text, "Running on", 10) || strstr(text, " Mode") ||
		   !strncmp(text, "Result = PASS", 13)) {
		line->is_taken = true;
	} else if (!strncmp(text, "Result = FAIL", 13) && state->place.test) {
		tool_put_status(reading, line, &state->place, "failed");
	} else if (!take_device(reading, state, line) && !take_heading(reading, state, line)) {
		take_row(reading, state, line);
	}
}

void bandwidth_test_read(struct reading *reading)
{
	struct state state = { .place = { .tool = "bandwidthTest", .method = "copies by the CUDA runtime" } };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &state, &reading->part->lines[i]);
}
