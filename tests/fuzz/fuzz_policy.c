// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_policy.c - policy files from anywhere: refused with a place, or taken
 * within their ranges and written back the same.
 */
#include "base/compat.h"

#include "checks/playbook.h"
#include "render/render.h"
#include "tests/fuzz/fuzz.h"

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

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void compare_parts(const struct policy *a, const struct policy *b)
{
	MUST(a->nr_overrides == b->nr_overrides && a->nr_regrades == b->nr_regrades && a->nr_quiets == b->nr_quiets);
	for (size_t i = 0; i < a->nr_regrades; i++)
		MUST(a->regrades[i].finding == b->regrades[i].finding &&
		     a->regrades[i].outcome == b->regrades[i].outcome);
	for (size_t i = 0; i < a->nr_quiets; i++)
		MUST(is_same(a->quiets[i].finding, b->quiets[i].finding) &&
		     is_same(a->quiets[i].gpu, b->quiets[i].gpu) && is_same(a->quiets[i].node, b->quiets[i].node) &&
		     is_same(a->quiets[i].until, b->quiets[i].until) &&
		     is_same(a->quiets[i].reason, b->quiets[i].reason));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct arena arena = { .blocks = NULL };
	struct policy_errors errors;
	struct policy policy, again;
	struct strs checks = playbook_checks(&arena, &playbook);

	if (policy_parse(&policy, &arena, &checks, "policy.json", (const char *)data, size, &errors)) {
		MUST(errors.nr);
		for (size_t i = 0; i < errors.nr; i++)
			MUST(errors.items[i].what[0] && (!i || errors.items[i].line >= errors.items[i - 1].line));
	} else {
		render_policy(&text, &policy);
		MUST(!policy_parse(&again, &arena, &checks, "again", text.buf, text.len, &errors));
		compare(&policy, &again);
		compare_parts(&policy, &again);
		compare(policy_resolve(&arena, &policy, "gpu-17", "NVIDIA H100"),
			policy_resolve(&arena, &again, "gpu-17", "NVIDIA H100"));
		policy_warn(&arena, &policy, "2026-11-22", &errors);
		for (size_t i = 0; i < errors.nr; i++)
			MUST(errors.items[i].line && errors.items[i].what[0]);
	}
	arena_release(&arena);
	return 0;
}
