// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/load_throttle.h"

#define BETWEEN ", "

const char *load_throttle_name(enum load_throttle kind)
{
	static const char *const names[NR_LOAD_THROTTLES] = {
		[LOAD_POWER_CAP] = "power-cap", [LOAD_CURRENT] = "current", [LOAD_THERMAL] = "thermal",
		[LOAD_HW_THERMAL] = "hw-thermal", [LOAD_BRAKE] = "brake", [LOAD_SLOWDOWN] = "slowdown",
		[LOAD_SET] = "set",
	};

	return names[kind];
}

void load_throttles_write(unsigned kinds, char ret[LOAD_THROTTLES_BYTES])
{
	size_t len = 0;

	snprintf(ret, LOAD_THROTTLES_BYTES, "none");
	for (unsigned kind = 0; kind < NR_LOAD_THROTTLES; kind++)
		if (kinds >> kind & 1)
			len += (size_t)snprintf(ret + len, LOAD_THROTTLES_BYTES - len, "%s%s", len ? BETWEEN : "",
						load_throttle_name((enum load_throttle)kind));
}

bool load_throttles_have(const char *text, enum load_throttle kind)
{
	const char *name = load_throttle_name(kind);
	size_t len = strlen(name);

	for (const char *at = text; *at; at += strspn(at, BETWEEN)) {
		size_t word = strcspn(at, BETWEEN);

		if (word == len && !memcmp(at, name, len))
			return true;
		at += word;
	}
	return false;
}
