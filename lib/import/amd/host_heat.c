// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host_heat.c - alarms of lm-sensors by parts of the host that set their limits themselves: processors and NVMe disks.
 * Chips of boards have alarms of limits that nobody set, high = +0.0 or +127.0, and of inputs that nothing is wired to.
 */
#include "base/compat.h"
#include "import/amd/host_heat.h"
#include "import/dump/error_put.h"

#include "base/text.h"
#include "base/text_scan.h"

enum { LOWEST_LIMIT = 60, HIGHEST_LIMIT = 125 };

/* "+97.0°C", "+97.0C", "+97.0 C"; false: it is none. */
static bool celsius_of(const char *text, double *ret)
{
	char digits[16];
	size_t len;

	text = past_blanks(text);
	text += *text == '+';
	len = strspn(text, "0123456789.");
	if (!len || len >= sizeof(digits) || !strchr(" \xc2\xb0" "C", text[len]))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return !parse_f64(digits, ret);
}

static bool limit_of(const char *text, const char *words, double *ret)
{
	const char *at = strstr(text, words);

	return at && celsius_of(at + strlen(words), ret) && *ret >= LOWEST_LIMIT && *ret <= HIGHEST_LIMIT;
}

bool host_heat_is_in(const char *text)
{
	static const char *const labels[] = { "Core ", "Package id ", "Physical id ", "Composite" };
	const char *colon = strchr(text, ':'), *alarm = strstr(text, "ALARM");
	double now, high, crit;

	text = past_blanks(text);
	if (!colon || !alarm || alarm < colon || !text_begins_any(text, labels, ARRAY_SIZE(labels)) ||
	    !celsius_of(colon + 1, &now) || !limit_of(text, "crit = ", &crit) || now > 2 * HIGHEST_LIMIT)
		return false;
	/* The bit stays set once that temperature was reached: of a processor that is cool again it tells the past. */
	if (strstr(alarm, "(CRIT)") && now >= LOWEST_LIMIT)
		return true;
	return now >= crit || (limit_of(text, "high = ", &high) && now >= high);
}

bool host_heat_take(struct reading *reading, struct dump_line *line)
{
	const char *text = past_blanks(line->text);

	if (!host_heat_is_in(text))
		return false;
	program_error_put(reading, line, "host-hot", arena_strdup(reading->arena, text), NULL);
	return true;
}
