// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/kube_table.h"

#include "base/text_scan.h"

uint64_t kube_duration_s(const char *word, size_t len)
{
	static const struct { char unit; uint64_t s; } units[] = {
		{ 'y', 365 * 86400 }, { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 },
	};
	const char *at = word, *end = word + len;
	uint64_t ret = 0;

	while (at < end) {
		uint64_t value;
		bool fits = true;
		size_t i = 0;

		if (!scan_u64(&at, 10, &value, &fits) || !fits || value > UINT32_MAX || at >= end)
			return 0;
		while (i < ARRAY_SIZE(units) && units[i].unit != *at)
			i++;
		if (i == ARRAY_SIZE(units))
			return 0;
		ret += value * units[i].s;
		at++;
	}
	return ret;
}

bool kube_is_word(const char *word, size_t len, const char *other)
{
	return other && len == strlen(other) && !strncmp(word, other, len);
}

bool kube_has_columns(const char *text, const char *const *columns, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t len;
		const char *word = scan_word(&text, &len);

		if (!kube_is_word(word, len, columns[i]))
			return false;
	}
	return true;
}
