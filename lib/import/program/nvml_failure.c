// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_failure.c - "Failed to initialize NVML: Driver Not Loaded", "nvml init failed: ERROR_UNKNOWN",
 * "NVMLError_GpuIsLost: GPU is lost": NVML's list of errors, in its words (nvmlErrorString) or by name, behind what
 * programs in C, Go and Python put before it.
 */
#include "base/compat.h"
#include "import/program/nvml_failure.h"

#include "import/words/mention.h"

#include "base/text.h"
#include "base/text_scan.h"

#define ERROR(name, words, state) { words, state, "nvmlInit: NVML_ERROR_" name }
static const struct nvml_failure errors[] = {
	ERROR("LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch", VAL_ERROR),
	ERROR("NO_PERMISSION", "Insufficient Permissions", VAL_DENIED),
	ERROR("OPERATING_SYSTEM", "GPU access blocked", VAL_ERROR),
	ERROR("UNKNOWN", "Unknown Error", VAL_ERROR),
	ERROR("DRIVER_NOT_LOADED", "Driver Not Loaded", VAL_ERROR),
	ERROR("LIBRARY_NOT_FOUND", "NVML Shared Library Not Found", VAL_ERROR),
	ERROR("GPU_IS_LOST", "GPU is lost", VAL_ERROR),
	ERROR("RESET_REQUIRED", "GPU requires reset", VAL_ERROR),
	ERROR("INSUFFICIENT_POWER", "Insufficient External Power", VAL_ERROR),
	ERROR("IRQ_ISSUE", "Interrupt Request Issue", VAL_ERROR),
	ERROR("CORRUPTED_INFOROM", "corrupted infoROM", VAL_ERROR),
	/* Other calls return these, too: from here on only what names the start counts. */
	ERROR("FUNCTION_NOT_FOUND", "Function Not Found", VAL_ERROR),
	ERROR("GPU_NOT_FOUND", "GPU not found", VAL_ERROR),
	ERROR("NOT_FOUND", "Not Found", VAL_ERROR),
	ERROR("TIMEOUT", "Timeout", VAL_ERROR),
	ERROR("NOT_READY", "Not Ready", VAL_ERROR),
	ERROR("MEMORY", "Insufficient Memory", VAL_ERROR),
	ERROR("INSUFFICIENT_RESOURCES", "Insufficient Resources", VAL_ERROR),
};

enum { NR_OF_START_ALONE = 7 };

/* What stands before the error; before the last three it may be another call's. */
static const char *const openings[] = {
	"initialize NVML: ", "initializing NVML: ", "nvml init failed: ", "nvmlInit failed: ", "nvmlInit() failed: ",
	"nvmlInit_v2 failed: ", "nvmlInit_v2() failed: ", "`nvidia-ml` library: ", "nvml error: ", "NVMLError_",
};
enum { NR_OF_ANY_CALL = 3 };

/* "GpuIsLost: " of "NVMLError_GpuIsLost: GPU is lost": the class of an exception in Python is followed by the words. */
static const char *past_class(const char *at)
{
	const char *end = at;

	while (is_letter_or_digit(*end))
		end++;
	return text_begins(end, ": ") ? end + 2 : at;
}

static bool ends_name(char c)
{
	return !is_letter_or_digit(c) && c != '_';
}

/* "ERROR_UNKNOWN" of Go's bindings, "NVML_ERROR_UNKNOWN" of the library's header. */
static bool begins_with_name(const char *at, const struct nvml_failure *error)
{
	const char *name = error->why + strlen("nvmlInit: NVML_");

	at += text_begins(at, "NVML_") ? strlen("NVML_") : 0;
	return text_begins(at, name) && ends_name(at[strlen(name)]);
}

static const struct nvml_failure *error_at(const char *at, size_t opening)
{
	bool names_start = opening < ARRAY_SIZE(openings) - NR_OF_ANY_CALL;

	for (size_t i = 0; i < ARRAY_SIZE(errors) - (names_start ? 0 : NR_OF_START_ALONE); i++) {
		size_t len = strlen(errors[i].text);

		if ((!strncasecmp(at, errors[i].text, len) && ends_name(at[len])) || begins_with_name(at, &errors[i]))
			return &errors[i];
	}
	return NULL;
}

/* The error behind an opening; *ret_end: where the words end. */
static const struct nvml_failure *error_behind(const char *opening, size_t row, const char **ret_end)
{
	const char *words = opening + strlen(openings[row]);
	const struct nvml_failure *ret;

	if (row == ARRAY_SIZE(openings) - 1)
		words = past_class(words);
	ret = error_at(words, row);
	*ret_end = ret && !strncasecmp(words, ret->text, strlen(ret->text)) ? words + strlen(ret->text) : words;
	return ret;
}

const struct nvml_failure *nvml_failure_of(const char *text)
{
	const char *at = text;

	for (int i = 0; i < MOST_MENTIONS; i++) {
		const struct nvml_failure *ret;
		const char *past, *end;
		size_t row;

		at = text_find_row(at, openings, sizeof(*openings), ARRAY_SIZE(openings), true, &row);
		if (!at)
			return NULL;
		ret = error_behind(at, row, &end);
		past = past_mention(text, at, (size_t)(end - at));
		if (ret && !past)
			return ret;
		at = past ? past : at + 1;
	}
	return NULL;
}

const struct nvml_failure *nvml_failure_in_words(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (!strcmp(text, errors[i].text))
			return &errors[i];
	return NULL;
}
