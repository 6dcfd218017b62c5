// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/device/drm_fdinfo.h"

#include <errno.h>

#include "base/text.h"
#include "probe/read.h"

/* The best first: a driver that gives several of them gives each region in all. */
static const char *const kinds[] = { "drm-resident-", "drm-memory-", "drm-total-" };

/* amdgpu says vram, xe vram0, i915 local0 and stolen-local0; gtt, system and the like are the machine's. */
static bool is_device_region(const char *region, size_t len)
{
	static const char *const names[] = { "vram", "local", "stolen-local" };

	while (len && region[len - 1] >= '0' && region[len - 1] <= '9')
		len--;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], region, len))
			return true;
	}
	return false;
}

/* The kernel divides by 1024 while nothing is lost: the unit may differ from line to line. */
static int parse_size(const char *text, size_t len, uint64_t *ret)
{
	static const struct {
		const char *name;
		unsigned shift;
	} units[] = { { "", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 } };
	size_t digits = strspn(text, "0123456789"), unit_len;
	const char *unit = text + digits + strspn(text + digits, " \t");
	char number[24];

	if (digits > len || digits >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (parse_u64(number, ret))
		return -EINVAL;
	unit_len = unit < text + len ? strcspn(unit, " \t\r\n") : 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) == unit_len && !memcmp(units[i].name, unit, unit_len))
			return __builtin_mul_overflow(*ret, UINT64_C(1) << units[i].shift, ret) ? -EINVAL : 0;
	}
	return -EINVAL;
}

/* Adds the line to the sum of its kind. */
static int add_line(const char *line, size_t len, const char *kind, bool *has, uint64_t *sum)
{
	const char *region = line + strlen(kind), *colon, *value;
	uint64_t bytes;

	if (len < strlen(kind) || memcmp(line, kind, strlen(kind)))
		return 0;
	colon = memchr(region, ':', len - strlen(kind));
	if (!colon || !is_device_region(region, (size_t)(colon - region)))
		return 0;
	value = colon + 1;
	value += strspn(value, " \t");
	if (value >= line + len || parse_size(value, (size_t)(line + len - value), &bytes) ||
	    __builtin_add_overflow(*sum, bytes, sum))
		return -EINVAL;
	*has = true;
	return 0;
}

int drm_fdinfo_parse(const char *text, struct drm_fdinfo *ret)
{
	bool has[ARRAY_SIZE(kinds)] = { false };
	uint64_t sums[ARRAY_SIZE(kinds)] = { 0 };
	const char *client = proc_text_value(text, "drm-client-id");

	*ret = (struct drm_fdinfo){ 0 };
	if (!proc_text_value(text, "drm-driver"))
		return -ENOMSG;
	if (client)
		ret->has_client = !parse_size(client, strcspn(client, "\n"), &ret->client);
	while (*text) {
		size_t len = strcspn(text, "\n");

		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
			int error = add_line(text, len, kinds[i], &has[i], &sums[i]);

			if (error)
				return error;
		}
		text += len + (text[len] == '\n');
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !ret->has_memory; i++) {
		ret->has_memory = has[i];
		ret->memory_bytes = sums[i];
	}
	if (!ret->has_memory)
		ret->memory_bytes = 0;
	return 0;
}
