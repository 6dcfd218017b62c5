// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_policy.c - policy files from anywhere: refused with a place, or taken within their ranges and written back the same. */
#include "base/compat.h"

#include "checks/playbook.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

static void compare(const struct policy *a, const struct policy *b)
{
	for (unsigned row = 0; row < NR_POLICY_ROWS; row++) {
		STRBUF_AUTO left = STRBUF_INIT;
		STRBUF_AUTO right = STRBUF_INIT;
		struct json_writer to_left = { .out = &left }, to_right = { .out = &right };

		policy_value_write(&to_left, a, row);
		policy_value_write(&to_right, b, row);
		MUST(!strcmp(left.buf, right.buf));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct arena arena = { .blocks = NULL };
	struct json_error error = { .line = 0 };
	struct policy policy, again;

	if (policy_parse(&policy, &arena, &playbook, "policy.json", (const char *)data, size, &error)) {
		MUST(error.what[0] && memchr(error.what, '\0', sizeof(error.what)));
	} else {
		render_policy(&text, &policy);
		MUST(!policy_parse(&again, &arena, &playbook, "again", text.buf, text.len, &error));
		compare(&policy, &again);
	}
	arena_release(&arena);
	return 0;
}
