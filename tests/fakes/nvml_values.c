// SPDX-License-Identifier: GPL-2.0-or-later
/* nvml_values.c - the values of nvml.json, as they are by now. See nvml.c. */
#include "nvml_machine.h"

#include <stdlib.h>
#include <time.h>

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double machine_s(void)
{
	const char *told = machine.is_told_time ? getenv("GPUDIAG_FAKE_NVML_MS") : NULL;

	return told ? strtod(told, NULL) / 1e3 : seconds_now() - machine.loaded_s;
}

cJSON *member(const cJSON *said, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(said, key);
}

double number_of(const cJSON *said, const char *key)
{
	const cJSON *item = member(said, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* One after the other, over and over. */
static const cJSON *next_sample(cJSON *list)
{
	cJSON *first = cJSON_DetachItemFromArray(list, 0);

	cJSON_AddItemToArray(list, first);
	return first;
}

/* A counter; one of 32 bits wraps. */
static double grown(const cJSON *item)
{
	double value = number_of(item, "base") +
		       number_of(item, "per_s") * (machine_s() - number_of(item, "from_ms") / 1e3);
	double wraps = number_of(item, "wraps");

	return wraps > 0 ? value - wraps * (double)(long long)(value / wraps) : value;
}

int tell_item(const cJSON *item, long long otherwise, long long *value)
{
	cJSON *samples;

	if (!item && otherwise <= OTHERWISE(0))
		return (int)(OTHERWISE(0) - otherwise);
	if (!item) {
		*value = otherwise;
		return NVML_SUCCESS;
	}
	if (cJSON_IsNull(item))
		return NVML_NOT_SUPPORTED;
	if (cJSON_IsString(item))
		return error_code(item->valuestring);
	samples = cJSON_IsObject(item) ? cJSON_GetObjectItemCaseSensitive(item, "samples") : NULL;
	if (samples)
		return tell_item(next_sample(samples), otherwise, value);
	if (cJSON_IsObject(item))
		*value = (long long)grown(item);
	else
		*value = cJSON_IsBool(item) ? cJSON_IsTrue(item) : (long long)item->valuedouble;
	return NVML_SUCCESS;
}

int tell(const cJSON *said, const char *key, long long otherwise, long long *value)
{
	return tell_item(member(said, key), otherwise, value);
}

int tell_fraction(const cJSON *said, const char *key, double *value)
{
	const cJSON *item = member(said, key);
	long long number = 0;
	int error = tell_item(item, OTHERWISE(NVML_NOT_SUPPORTED), &number);

	*value = cJSON_IsNumber(item) ? item->valuedouble : (double)number;
	return error;
}

/* A text is a text; an error is {"error": "NO_PERMISSION"}, or null. */
int tell_text(const cJSON *said, const char *key, const char *otherwise, const char **text)
{
	const cJSON *item = member(said, key);

	if (cJSON_IsObject(item))
		return error_code(member(item, "error")->valuestring);
	*text = item ? item->valuestring : otherwise;
	return *text ? NVML_SUCCESS : NVML_NOT_SUPPORTED;
}
