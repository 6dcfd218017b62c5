// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rvs.c - the ROCm Validation Suite: "[RESULT] [ 52.6] [gpustress-9000-sgemm] [GPU:: 50599] … met: FALSE", older
 * "… gst 50599 pass: FALSE", and its summary.
 */
#include "base/compat.h"
#include "import/dump/layout.h"
#include "import/fleet/node_check.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *const failures[] = { "pass: FALSE", "met: FALSE", "CRC-32 mismatch detected" };
static const char *const passes[] = { "pass: TRUE", "met: TRUE" };

/* "RVS-PEBB: internal error, src: 0   dst: 2   current size: 1024 status -1": the module did not come to a result. */
static bool is_error(const char *text)
{
	text = past_blanks(text);
	return text_begins(text, "RVS-") && strstr(text, ": internal error, ");
}

static bool is_result(const char *text)
{
	size_t row;

	if (!strstr(text, "[RESULT]"))
		return false;
	return text_find_row(text, failures, sizeof(*failures), ARRAY_SIZE(failures), false, &row) ||
	       text_find_row(text, passes, sizeof(*passes), ARRAY_SIZE(passes), false, &row);
}

/* Its number of the GPU is the kernel's, which nothing else shows: it stays in the words. */
static const char *gpu_in(struct arena *arena, const char *text)
{
	static const char *const modules[] = { "[GPU:: ", "] gst ", "] iet ", "] pebb ", "] pbqt ", "] peqt ",
					       "] babel ", "] mem " };
	size_t row;
	const char *at = text_find_row(text, modules, sizeof(*modules), ARRAY_SIZE(modules), false, &row);
	size_t digits;

	if (!at)
		return "";
	at = past_blanks(at + strlen(modules[row]));
	digits = strspn(at, "0123456789");
	return digits ? arena_printf(arena, "GPU id %.*s, ", (int)digits, at) : "";
}

/* The action, in the brackets behind those of the time. */
static const char *action_in(struct arena *arena, const char *text)
{
	const char *at = strstr(text, "[RESULT]") + strlen("[RESULT]");

	for (; (at = strchr(at, '[')); at++) {
		size_t len = strcspn(at + 1, "]");

		if (len && at[1 + len] && strspn(at + 1, " 0123456789.") < len && !text_begins(at, "[GPU::"))
			return arena_strndup(arena, at + 1, len);
	}
	return "test";
}

static void read_error(struct reading *reading, struct dump_line *line)
{
	const char *module = past_blanks(line->text) + strlen("RVS-");
	const char *words = strchr(module, ':');
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, "RVS's " "%.*s", (int)(words - module), module),
		.gpu = DCGM_NO_GPU,
		.words = arena_strdup(reading->arena, past_blanks(words + 1)), .status = "warn",
	};

	dcgm_put_result(reading, line, &result);
}

static void read_result(struct reading *reading, struct dump_line *line)
{
	const char *text = line->text, *gpu = gpu_in(reading->arena, text);
	size_t row;
	const char *failure = text_find_row(text, failures, sizeof(*failures), ARRAY_SIZE(failures), false, &row);
	const struct dcgm_result result = {
		.test = arena_printf(reading->arena, "RVS's " "%s", action_in(reading->arena, text)),
		.gpu = DCGM_NO_GPU,
		.words = failure ? arena_printf(reading->arena, "%s%s", gpu, failures[row]) : NULL,
		.status = failure ? "fail" : "pass",
	};

	dcgm_put_result(reading, line, &result);
}

/*
 * Its summary: "| gpustress-120000-bf16 | gst | FAIL |" below "| ID - Node ID - BDF | 0 - 2 - 0000:cc:00.0 |". Of
 * several GPUs it does not say which.
 */
struct summary_row {
	const char *action, *status;
};

/* The three cells of a row; false: it has not as many, or is of no module. */
static bool summary_row(struct arena *arena, const char *text, struct summary_row *ret)
{
	static const char *const modules[] = { "gst", "iet", "pebb", "pbqt", "peqt", "pesm", "babel", "mem", "rcqt",
					       "gpup", "gm", "tst" };
	const char *cells[4];

	if (layout_cells(arena, text, cells, ARRAY_SIZE(cells)) != 3 || text[strlen(text) - 1] != '|')
		return false;
	*ret = (struct summary_row){ cells[0], cells[2] };
	return text_is_any(cells[1], modules, ARRAY_SIZE(modules)) &&
	       (text_begins(cells[2], "PASS") || text_begins(cells[2], "FAIL"));
}

static bool is_summary(const char *text)
{
	return strstr(text, "ROCm Validation Suite (RVS) Summary") != NULL;
}

/* The address of the only GPU of the part's summaries, or NULL; *ret_line has it. */
static const char *summary_address(const struct reading *reading, struct dump_line **ret_line)
{
	static const char words[] = "ID - Node ID - BDF";
	const char *address = NULL;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		const char *at = strstr(reading->part->lines[i].text, words),
			   *told = at ? strrchr(at + strlen(words), '-') : NULL;

		if (!told)
			continue;
		told = past_blanks(told + 1);
		told = dump_address(reading->arena, arena_strndup(reading->arena, told, strcspn(told, " |")));
		if (!told || (address && strcmp(told, address) != 0))
			return NULL;
		address = told;
		*ret_line = &reading->part->lines[i];
	}
	return address;
}

/* One from that line to the end of the part. */
static void read_summary(struct reading *reading, size_t first)
{
	struct dump_line *gpu_line = NULL;
	const char *address = summary_address(reading, &gpu_line);

	for (size_t i = first; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		struct gpu *gpu = NULL;
		struct dcgm_result result;
		struct summary_row row;

		if (!summary_row(reading->arena, line->text, &row))
			continue;
		result = (struct dcgm_result){
			.test = arena_printf(reading->arena, "RVS's " "%s", row.action), .status = row.status,
		};
		if (address && (gpu = reading_gpu(reading, address)))
			put(reading, gpu_line, gpu->pci.vendor_id, val_str("0x1002"));
		dcgm_put_result_of(reading, line, &result, gpu);
	}
}

bool rvs_is_in(const char *text)
{
	return is_result(text) || is_error(text) || is_summary(text);
}

void rvs_read(struct reading *reading)
{
	size_t summary = reading->part->nr_lines;

	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];

		if (is_summary(line->text) && i < summary)
			summary = i;
		if (is_result(line->text))
			read_result(reading, line);
		else if (is_error(line->text))
			read_error(reading, line);
	}
	if (summary < reading->part->nr_lines)
		read_summary(reading, summary);
}
