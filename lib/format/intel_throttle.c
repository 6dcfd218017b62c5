// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/intel_throttle.h"

#define SPACE " \t\r\n"
#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_"

enum { MAX_NAME_BYTES = 31 };

/*
 * pl1, pl2: power over a long and a short time; pl4: peak current; ratl: the
 * running average of the temperature; vr_tdc: current of a voltage regulator;
 * psys: power of the whole platform. Those from soc_thermal on came with
 * Crescent Island. Its p0_freq, a clock that was asked for, is no fault of the card.
 */
static const struct reason {
	const char *name;
	enum throttle_kind kind;
	bool is_vr;			/* a voltage regulator's own signal that it is too hot */
} reasons[] = {
	{ .name = "pl1", .kind = THROTTLE_POWER_CAP },
	{ .name = "pl2", .kind = THROTTLE_POWER_CAP },
	{ .name = "pl4", .kind = THROTTLE_CURRENT },
	{ .name = "thermal", .kind = THROTTLE_THERMAL },
	{ .name = "prochot", .kind = THROTTLE_BRAKE },
	{ .name = "ratl", .kind = THROTTLE_THERMAL },
	{ .name = "vr_thermalert", .kind = THROTTLE_THERMAL, .is_vr = true },
	{ .name = "vr_tdc", .kind = THROTTLE_CURRENT },
	{ .name = "soc_thermal", .kind = THROTTLE_THERMAL },
	{ .name = "mem_thermal", .kind = THROTTLE_THERMAL },
	{ .name = "vr_thermal", .kind = THROTTLE_THERMAL, .is_vr = true },
	{ .name = "soc_avg_thermal", .kind = THROTTLE_THERMAL },
	{ .name = "iccmax", .kind = THROTTLE_CURRENT },
	{ .name = "fastvmode", .kind = THROTTLE_CURRENT },
	{ .name = "pwrbrk", .kind = THROTTLE_BRAKE },
	{ .name = "psys_pl1", .kind = THROTTLE_POWER_CAP },
	{ .name = "psys_pl2", .kind = THROTTLE_POWER_CAP },
	{ .name = "psys_crit", .kind = THROTTLE_POWER_CAP },
	{ .name = "p0_freq", .kind = THROTTLE_OTHER },
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* The kind of a reason; of a name that is not known THROTTLE_OTHER. */
static enum throttle_kind intel_throttle_kind(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (is_word(name, len, reasons[i].name))
			return reasons[i].kind;
	return THROTTLE_OTHER;
}

bool intel_throttle_parse(const char *text, struct strbuf *list)
{
	const char *at = text + strspn(text, SPACE);

	if (!*at)
		return false;
	for (size_t len; *at; at += len + strspn(at + len, SPACE)) {
		len = strcspn(at, SPACE);
		if (len > MAX_NAME_BYTES || strspn(at, NAME) < len)
			return false;
	}
	at = text + strspn(text, SPACE);
	for (size_t len; *at; at += len + strspn(at + len, SPACE)) {
		char name[MAX_NAME_BYTES + 1];

		len = strcspn(at, SPACE);
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		throttle_reasons_add(list, name);
	}
	return true;
}

unsigned intel_throttle_kinds(const char *list)
{
	unsigned kinds = 0;

	for (const char *at = list; *at; at += strspn(at, ", ")) {
		size_t len = strcspn(at, ", ");
		enum throttle_kind kind = intel_throttle_kind(at, len);

		if (kind != THROTTLE_OTHER)
			kinds |= 1U << kind;
		at += len;
	}
	return kinds;
}

bool intel_throttle_is_too_hot(const char *list)
{
	for (const char *at = list; *at; at += strspn(at, ", ")) {
		size_t len = strcspn(at, ", ");

		for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
			if (reasons[i].is_vr && is_word(at, len, reasons[i].name))
				return true;
		at += len;
	}
	return false;
}
