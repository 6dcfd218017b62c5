// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "format/throttle_reasons.h"

#include <stdbool.h>

enum { MAX_LIST_BYTES = 512 };
#define BETWEEN ", "

static bool has_reason(const char *list, const char *name, size_t len)
{
	for (const char *at = list; *at; at += strspn(at, BETWEEN)) {
		size_t word = strcspn(at, BETWEEN);

		if (word == len && !memcmp(at, name, len))
			return true;
		at += word;
	}
	return false;
}

void throttle_reasons_add(struct strbuf *list, const char *reasons)
{
	for (const char *at = reasons; *at; at += strspn(at, BETWEEN)) {
		size_t len = strcspn(at, BETWEEN);
		bool is_none = len == strlen("none") && !memcmp(at, "none", len);

		if (!is_none && !has_reason(list->buf, at, len) && list->len < MAX_LIST_BYTES)
			strbuf_addf(list, "%s%.*s", list->len ? BETWEEN : "", (int)len, at);
		at += len;
	}
}
