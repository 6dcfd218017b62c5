// SPDX-License-Identifier: GPL-2.0-or-later
/* amd_metrics.c - what AMD's device-metrics-exporter tells of GPUs: gpu_health{gpu_id="3",hostname="node7"} 0 */
#include "base/compat.h"
#include "import/amd/amd_value.h"
#include "import/fleet/node_check.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { MAX_NUMBER = 64 };

/* The value behind the labels of that metric of a GPU, which may have AMD's prefix, or NULL. */
static const char *value_of(const char *text, const char *metric, uint64_t *ret_gpu)
{
	const char *at;
	bool fits = true;

	text = past_blanks(text);
	text += text_begins(text, "amd_") ? strlen("amd_") : 0;
	if (!text_begins(text, metric) || !(at = strstr(text + strlen(metric), "gpu_id=\"")))
		return NULL;
	at += strlen("gpu_id=\"");
	if (!scan_u64(&at, 10, ret_gpu, &fits) || !fits || *at != '"' || *ret_gpu >= MAX_NUMBER ||
	    !(at = strrchr(at, '}')))
		return NULL;
	return past_blanks(at + 1);
}

/* 1: well, 0: not; what has another prefix counts otherwise. */
static bool health_in(const char *text, uint64_t *ret_gpu, bool *ret_is_well)
{
	const char *at = value_of(text, "gpu_health{", ret_gpu);

	if (!at)
		return false;
	*ret_is_well = *at == '1';
	return (*at == '0' || *at == '1') && (!at[1] || at[1] == ' ');
}

/* gpu_ecc_uncorrect_total{gpu_id="3",…} 2 */
static const char *errors_in(const char *text, uint64_t *ret_gpu)
{
	const char *at = value_of(text, "gpu_ecc_uncorrect_total{", ret_gpu),
		   *end = at ? at + strspn(at, "0123456789") : NULL;

	return at && (!*end || *end == ' ') ? at : NULL;
}

/* Metrics of several hosts have a GPU 0 each, which would be one here: then none is read. */
static bool has_one_host(const struct dump_part *part)
{
	static const char label[] = "hostname=\"";
	const char *host = NULL;
	size_t len = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		const char *text = part->lines[i].text, *at;
		uint64_t number;
		bool is_well;

		if (!health_in(text, &number, &is_well) && !errors_in(text, &number))
			continue;
		at = strstr(text, label);
		if (!at)
			continue;
		at += strlen(label);
		if (host && (strncmp(host, at, len) != 0 || at[len] != '"'))
			return false;
		host = at;
		len = strcspn(at, "\"");
	}
	return true;
}

static void read_errors(struct reading *reading, struct dump_line *line, uint64_t number, const char *count)
{
	struct amd_gpu gpu;

	amd_gpu_begin(reading, &gpu, line, number, NULL);
	amd_take_total(&gpu, arena_strndup(reading->arena, count, strspn(count, "0123456789")), line);
	amd_gpu_end(reading, &gpu);
}

static void read_health(struct reading *reading, struct dump_line *line, uint64_t number, bool is_well)
{
	struct amd_gpu gpu;
	const struct dcgm_result result = {
		.test = "the metrics exporter's gpu_health", .status = is_well ? "pass" : "fail",
		.words = is_well ? NULL : "unhealthy",
	};

	amd_gpu_begin(reading, &gpu, line, number, NULL);
	dcgm_put_result_of(reading, line, &result, gpu.gpu);
}

bool amd_metrics_is_in(const char *text)
{
	uint64_t number;
	bool is_well;

	return errors_in(text, &number) || health_in(text, &number, &is_well);
}

void amd_metrics_read(struct reading *reading)
{
	if (!has_one_host(reading->part))
		return;
	for (size_t i = 0; i < reading->part->nr_lines; i++) {
		struct dump_line *line = &reading->part->lines[i];
		const char *count;
		uint64_t number;
		bool is_well;

		if (health_in(line->text, &number, &is_well))
			read_health(reading, line, number, is_well);
		else if ((count = errors_in(line->text, &number)))
			read_errors(reading, line, number, count);
	}
}
