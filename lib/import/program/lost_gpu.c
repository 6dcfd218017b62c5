// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost_gpu.c - "…: GPU is lost" in the logs of whoever asks NVIDIA's library: device plugins, exporters, slurmd,
 * scripts. The words stand at the end of a chain of errors, and the chain names the GPU, or nobody does.
 */
#include "base/compat.h"
#include "import/program/lost_gpu.h"

#include "import/dump/named_gpu.h"
#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

static const char *const words[] = { "GPU is lost", "ERROR_GPU_IS_LOST", "GPUIsLost" };

static bool has_any(const char *text, const char *end, const char *const *any, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *at = strcasestr(text, any[i]);

		if (at && at < end)
			return true;
	}
	return false;
}

static bool stands_behind(const char *text, const char *at, const char *what)
{
	size_t nr = strlen(what);

	return (size_t)(at - text) >= nr && !strncmp(at - nr, what, nr);
}

/* The library's words, or its name for them, are what an error ends in: behind a colon, or in brackets. */
static bool is_end_of_chain(const char *text, const char *at, const char *end)
{
	static const char *const before[] = { ": ", "(", "[", "=\"", "= ", " - " };
	static const char number[] = " (15)";
	static const char advice[] = " and must be reset";

	at -= stands_behind(text, at, "The ") ? strlen("The ") : 0;
	end += text_begins(end, advice) ? strlen(advice) : 0;
	end += text_begins(end, number) ? strlen(number) : 0;
	at -= stands_behind(text, at, "NVML_") || stands_behind(text, at, "nvml.") ? strlen("NVML_") : 0;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (stands_behind(text, at, before[i]))
			return !*end || strchr(")],.;\"'`", *end) || !strncmp(past_blanks(end), "Reboot", 6);
	return false;
}

/* Miners print the library's number of it: "WARN: NVML: can't get temperature for GPU #0, error code 15". */
static const char *number_at(const char *text)
{
	static const char *const ends[] = { ", error code 15", ", error 15" };
	const char *at = strstr(text, "NVML: can");

	for (size_t i = 0; at && i < ARRAY_SIZE(ends); i++) {
		const char *end = strstr(at, ends[i]);

		if (end && !*past_blanks(end + strlen(ends[i])))
			return end;
	}
	return NULL;
}

static const char *error_at(const char *text)
{
	static const char *const failing[] = { "error", "fail", "unable", "cannot", "could not", "nvml", "nvidia-smi" };
	size_t row;
	const char *at = text_find_row(text, words, sizeof(*words), ARRAY_SIZE(words), false, &row);

	if (!at)
		return number_at(text);
	if (!is_end_of_chain(text, at, at + strlen(words[row])) || past_mention(text, at, strlen(words[row])))
		return NULL;
	return has_any(text, at, failing, ARRAY_SIZE(failing)) ? at : NULL;
}

bool lost_gpu_says(const char *text)
{
	return error_at(text) != NULL;
}

void lost_gpu_read(struct reading *reading, struct dump_line *line)
{
	const char *end = error_at(line->text);
	struct named_gpu named = named_gpu_in(reading->arena, line->text, end);
	const char *uuid = named.uuid;
	struct gpu *gpu;

	if (!named.has_index)
		named.has_index = named_gpu_number(line->text, end, "index", &named.index);
	if (named.address) {
		gpu = reading_gpu(reading, named.address);
	} else if (!uuid && named.has_index) {
		gpu = reading_gpu_by_index(reading, named.index);
		put(reading, line, gpu->nvml.index, val_u64(named.index));
	} else {
		gpu = list_element(reading->arena, reading->snapshot, gpus, gpu, "gpu?");
	}
	if (uuid && !is_known(gpu->nvml.uuid))
		put(reading, line, gpu->nvml.uuid, val_str(uuid));
	put(reading, line, gpu->pci.vendor_id, val_str("0x10de"));
	put(reading, line, gpu->pci.driver, val_str("nvidia"));
	put(reading, line, gpu->nvml.handle, no_str(VAL_LOST, "NVML_ERROR_GPU_IS_LOST"));
}
