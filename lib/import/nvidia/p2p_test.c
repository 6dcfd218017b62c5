// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * p2p_test.c - p2pBandwidthLatencyTest of the CUDA samples: a matrix of rates or times below each heading. A matrix of
 * times is there twice, as the GPU and as the CPU took them; the diagonal is a copy within one device.
 */
#include "base/compat.h"
#include "import/dump/readers.h"
#include "import/dump/tool_figure.h"

#include "base/text_scan.h"

enum { MAX_HEADING = 80 };

/* "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)": how long what names it is; 0: no such line. */
static size_t heading_len(const char *text, enum tool_unit *ret)
{
	const char *end = strstr(text, " Matrix (");
	size_t len = end ? (size_t)(end - text) : 0;

	if (!len || len > MAX_HEADING || !memmem(text, len, "P2P=", 4))
		return 0;
	*ret = TOOL_BYTES_PER_S;
	if (!strcmp(end, " Matrix (GB/s)"))
		return len;
	*ret = TOOL_NS;
	return !strcmp(end, " Matrix (us)") ? len : 0;
}

static bool is_connectivity(const char *text)
{
	return !strcmp(text, "P2P Connectivity Matrix");
}

static bool is_banner(const char *text)
{
	return strstr(text, "P2P (Peer-to-Peer) GPU Bandwidth Latency Test") != NULL;
}

enum dump_begins p2p_test_begins(const struct dump_line *lines, size_t nr)
{
	const char *text = past_blanks(lines->text);
	enum tool_unit unit;

	(void)nr;
	if (is_banner(text))
		return BEGINS_NEW;
	return heading_len(text, &unit) || is_connectivity(text) ? BEGINS_MORE : BEGINS_NOT;
}

struct state {
	struct tool_place place;	/* test: NULL: no matrix of figures */
	const char *heading;
	struct tool_matrix matrix;
	bool is_connectivity;
};

static void begin_matrix(struct reading *reading, struct state *state, struct dump_line *line, size_t len)
{
	state->heading = arena_strndup(reading->arena, past_blanks(line->text), len);
	state->place.test = state->heading;
	state->place.method = state->heading;
	state->matrix.nr_columns = 0;
	state->is_connectivity = false;
	line->is_taken = true;
}

/* Of times there are two: the test is named by who took them. */
static bool take_head(struct reading *reading, struct state *state, struct dump_line *line)
{
	static const char *const takers[] = { "GPU", "CPU" };

	if (tool_matrix_head(&state->matrix, line->text, "D\\D")) {
		line->is_taken = true;
		return true;
	}
	for (size_t i = 0; state->heading && state->place.unit == TOOL_NS && i < ARRAY_SIZE(takers); i++) {
		if (!tool_matrix_head(&state->matrix, line->text, takers[i]))
			continue;
		state->place.test = arena_printf(reading->arena, "%s, by the %s", state->heading, takers[i]);
		line->is_taken = true;
		return true;
	}
	return false;
}

static bool is_about_devices(const char *text)
{
	return !strncmp(text, "Device: ", 8) || !strncmp(text, "Device=", 7) || is_banner(text);
}

static void read_line(struct reading *reading, struct state *state, struct dump_line *line)
{
	const char *text = past_blanks(line->text);
	enum tool_unit unit;
	size_t len = heading_len(text, &unit);

	if (len) {
		state->place.unit = unit;
		begin_matrix(reading, state, line, len);
	} else if (is_connectivity(text)) {
		state->heading = NULL;
		state->matrix.nr_columns = 0;
		state->is_connectivity = line->is_taken = true;
	} else if (is_about_devices(text)) {
		line->is_taken = true;
	} else if (!take_head(reading, state, line) && state->heading) {
		tool_put_row(reading, line, &state->place, &state->matrix, TOOL_ROW_TO_COLUMN,
			     state->place.unit == TOOL_NS ? 1e3 : 1e9);
	} else if (state->is_connectivity) {
		double values[TOOL_MAX_COLUMNS];
		uint64_t row;

		line->is_taken |= tool_matrix_row(&state->matrix, line->text, &row, values);
	}
}

void p2p_test_read(struct reading *reading)
{
	struct state state = { .place = { .tool = "p2pBandwidthLatencyTest" } };

	for (size_t i = 0; i < reading->part->nr_lines; i++)
		read_line(reading, &state, &reading->part->lines[i]);
}
