// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/dcgm_result.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/program_error.h"

/*
 * Of one GPU, or of the node: DCGM has a few dozen tests. What passed has no more than half of it, so that a failure
 * has room.
 */
enum { MOST_RESULTS = 128 };

/* The better ones first. */
static const char *const statuses[] = { "skip", "pass", "not-run", "warn", "fail" };

static size_t badness(struct val_str status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (str_is(status, statuses[i]))
			return i + 1;
	return 0;
}

const char *dcgm_status(const char *text)
{
	if (!strncasecmp(text, "not run", 7))
		return "not-run";
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!strncasecmp(text, statuses[i], strlen(statuses[i])))
			return statuses[i];
	return NULL;
}

const char *dcgm_health_status(const char *text)
{
	static const struct { const char *word, *status; } words[] = {
		{ "Healthy", "pass" }, { "Warning", "warn" }, { "Failure", "fail" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (text_begins(text, words[i].word))
			return words[i].status;
	return NULL;
}

/* enum dcgmErrorSeverity_enum */
static const char *severity_name(int severity)
{
	static const char *const names[] = { NULL, "monitor", "isolate", NULL, "triage", "configure", "reset" };

	return severity >= 0 && (size_t)severity < ARRAY_SIZE(names) ? names[severity] : NULL;
}

/* enum dcgmErrorCategory_enum */
static const char *category_name(int category)
{
	static const char *const names[] = {
		NULL, "performance", "performance", "software", "software", "xid", "software", "software", "software",
		"thermal", "hardware", "hardware", "hardware", "hardware", "power", "hardware", "internal",
	};

	return category >= 0 && (size_t)category < ARRAY_SIZE(names) ? names[category] : NULL;
}

struct gpu *dcgm_gpu(struct reading *reading, struct dump_line *line, int number)
{
	struct gpu *gpu = reading_gpu_by_index(reading, (uint64_t)number);

	put(reading, line, gpu->nvml.index, val_u64((uint64_t)number));
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	return gpu;
}

int dcgm_gpu_of_words(const char *words)
{
	const char *at = strstr(words, "GPU ");
	uint64_t number;
	bool fits = true;

	at = at ? at + strlen("GPU ") : "";
	return scan_u64(&at, 10, &number, &fits) && fits && number < DCGM_MAX_GPUS ? (int)number : DCGM_NO_GPU;
}

/* A fabric that is not ready is no GPU's fault, and no test of any GPU can begin. */
void dcgm_put_words(struct reading *reading, struct dump_line *line, struct diagnostic_result *to, const char *words)
{
	put(reading, line, to->words, val_str(words));
	if (strstr(words, DCGM_NOT_READY))
		program_error_take(reading, line, words);
}

struct diagnostic_result *dcgm_put_result(struct reading *reading, struct dump_line *line,
					  const struct dcgm_result *result)
{
	bool has_gpu = result->gpu != DCGM_NO_GPU && dcgm_status(result->status);

	return dcgm_put_result_of(reading, line, result, has_gpu ? dcgm_gpu(reading, line, result->gpu) : NULL);
}

struct diagnostic_result *dcgm_put_result_of(struct reading *reading, struct dump_line *line,
					     const struct dcgm_result *result, struct gpu *gpu)
{
	const char *status = dcgm_status(result->status);
	const struct snapshot *snapshot = reading->snapshot;
	size_t nr = gpu ? gpu->nr_diagnostics : snapshot->nr_diagnostics;
	struct diagnostic_result *to;
	bool is_known_test;

	if (!status)
		return NULL;
	is_known_test = gpu ? list_find(gpu, diagnostics, diagnostic_result, result->test) :
			      list_find(snapshot, diagnostics, diagnostic_result, result->test);
	if (nr >= (strcmp(status, "pass") != 0 ? MOST_RESULTS : MOST_RESULTS / 2) && !is_known_test) {
		line->is_taken = true;
		return NULL;
	}
	to = gpu ? list_element(reading->arena, gpu, diagnostics, diagnostic_result, result->test) :
		   list_element(reading->arena, reading->snapshot, diagnostics, diagnostic_result, result->test);
	line->is_taken = true;
	if (badness(to->status) >= badness(val_str(status)))
		return to;
	put(reading, line, to->status, val_str(status));
	if (result->words)
		dcgm_put_words(reading, line, to, result->words);
	if (result->error > 0)
		put(reading, line, to->error, val_u64((uint64_t)result->error));
	if (category_name(result->category))
		put(reading, line, to->category, val_str(category_name(result->category)));
	if (severity_name(result->severity))
		put(reading, line, to->severity, val_str(severity_name(result->severity)));
	return to;
}

void dcgm_put_driver(struct reading *reading, struct dump_line *line, const char *version)
{
	if (*version >= '0' && *version <= '9')
		put(reading, line, reading->snapshot->nvml.driver_version, val_str(version));
}
