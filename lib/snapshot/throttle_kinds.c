// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/throttle_kinds.h"

#include <stdbool.h>

#define BETWEEN ", "
enum { MAX_LIST_BYTES = 512 };

static bool has_word(const char *list, const char *word, size_t word_len)
{
	for (const char *at = list; *at; at += strspn(at, BETWEEN)) {
		size_t len = strcspn(at, BETWEEN);

		if (len == word_len && !memcmp(at, word, len))
			return true;
		at += len;
	}
	return false;
}

const char *throttle_kind_name(enum throttle_kind kind)
{
	static const char *const names[NR_THROTTLE_KINDS] = {
		[THROTTLE_POWER_CAP] = "power-cap", [THROTTLE_CURRENT] = "current", [THROTTLE_THERMAL] = "thermal",
		[THROTTLE_HW_THERMAL] = "hw-thermal", [THROTTLE_BRAKE] = "brake", [THROTTLE_SLOWDOWN] = "slowdown",
		[THROTTLE_SET] = "set",
	};

	return names[kind];
}

void throttle_kinds_write(unsigned kinds, char ret[THROTTLE_KINDS_BYTES])
{
	size_t len = 0;

	snprintf(ret, THROTTLE_KINDS_BYTES, "none");
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		if (kinds >> kind & 1)
			len += (size_t)snprintf(ret + len, THROTTLE_KINDS_BYTES - len, "%s%s", len ? BETWEEN : "",
						throttle_kind_name((enum throttle_kind)kind));
}

unsigned throttle_kinds_parse(const char *text)
{
	unsigned kinds = 0;

	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++) {
		const char *name = throttle_kind_name((enum throttle_kind)kind);

		kinds |= has_word(text, name, strlen(name)) ? 1U << kind : 0;
	}
	return kinds;
}

void throttle_reasons_add(struct strbuf *list, const char *reasons)
{
	for (const char *at = reasons; *at; at += strspn(at, BETWEEN)) {
		size_t len = strcspn(at, BETWEEN);
		bool is_none = len == strlen("none") && !memcmp(at, "none", len);

		if (!is_none && !has_word(list->buf, at, len) && list->len < MAX_LIST_BYTES)
			strbuf_addf(list, "%s%.*s", list->len ? BETWEEN : "", (int)len, at);
		at += len;
	}
}
