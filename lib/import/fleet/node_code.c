// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/fleet/node_code.h"

#include "base/text.h"
#include "base/text_scan.h"
#include "import/program/dcgm_result.h"

static const char error_code[] = "ErrorCode:", action[] = "Recommended Action=";

/* A line may be as long as a file: of each code no more is looked at than what is about it, up to the next. */
static const char *found_before(const char *text, const char *end, const char *words)
{
	return memmem(text, (size_t)(end - text), words, strlen(words));
}

/* What stands behind it up to the blank, or NULL. */
static const char *entity(struct arena *arena, const char *text, const char *end, const char *name)
{
	const char *at = found_before(text, end, name);

	return at ? arena_strndup(arena, at + strlen(name), strcspn(at + strlen(name), " ;\"")) : NULL;
}

static bool is_entity(const char *text)
{
	return text_begins(text, " GPU:") || text_begins(text, " PCI:") || text_begins(text, " GPU_UUID:");
}

/* The next code with whom it is about behind it, or NULL; *ret_end is where the code ends. */
static const char *error_code_in(const char *text, const char **ret_end)
{
	for (const char *at = text; (at = strstr(at, error_code)); at++) {
		const char *code = at + strlen(error_code);
		size_t len = strspn(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

		if (len && is_entity(code + len) && xid_report_is_code(code)) {
			*ret_end = code + len;
			return code;
		}
	}
	return NULL;
}

/* The kernel's own line tells more, where it is there. */
bool node_code_is(const char *text)
{
	const char *end;

	return error_code_in(text, &end) && !strstr(text, "Xid (PCI:");
}

/* What was said of it, between the names of the GPU and what is to be done. */
static const char *words_of(struct arena *arena, const char *text, const char *end)
{
	const char *to = found_before(text, end, action);

	while (is_entity(text))
		text += 1 + strcspn(text + 1, " ;");
	text = past_blanks(text);
	to = to ? to : end;
	while (to > text && strchr(" ;", to[-1]))
		to--;
	return to > text ? arena_strndup(arena, text, (size_t)(to - text)) : NULL;
}

/* Nothing is to be done about what is no failure. */
static bool is_mild(const char *text, const char *end)
{
	const char *asked = found_before(text, end, action);

	return asked && text_begins(asked + strlen(action), "NONE");
}

bool node_code_take(struct arena *arena, const char **at, struct xid_report *ret)
{
	const char *text, *code = error_code_in(*at, &text);
	const char *end = code ? strstr(text, error_code) : NULL, *address, *index;

	if (!code)
		return false;
	end = end ? end : text + strlen(text);
	*at = end;
	address = entity(arena, text, end, " PCI:");
	index = entity(arena, text, end, " GPU:");
	ret->address = address ? dump_address(arena, address) : NULL;
	ret->uuid = entity(arena, text, end, " GPU_UUID:");
	if (!index || parse_u64(index, &ret->index) || ret->index >= DCGM_MAX_GPUS)
		ret->index = UINT64_MAX;
	xid_report_code(arena, arena_strndup(arena, code, (size_t)(text - code)), words_of(arena, text, end),
			is_mild(text, end), ret);
	return true;
}
