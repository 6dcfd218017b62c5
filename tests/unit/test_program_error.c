// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_program_error.c - what a program says above the runtime hides no grave error of the runtime in the same line.
 */
#include "base/compat.h"
#include "import/program/program_error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"

static const struct { const char *key, *text, *with; } rows[] = {
#define ERROR(key, text, with) { key, text, with },
#include "import/program/program_error.def"
};

/* Keys of notes, which programs print above a runtime. */
static bool is_of_note(size_t row)
{
	static const char *const notes[] = { "access", "launch", "memory", "busy", "none", "other-gpu", "symbol",
					     "nccl" };

	return text_is_any(rows[row].key, notes, ARRAY_SIZE(notes));
}

/* What a line counts as; NULL: as nothing. */
static const char *key_of(struct arena *arena, const char *text)
{
	struct snapshot snapshot = { .nr_program_errors = 0 };
	struct dump_line line = { .text = text, .number = 1 };
	const struct dump_part part = { .lines = &line, .nr_lines = 1 };
	struct reading reading = { .part = &part, .snapshot = &snapshot, .arena = arena };

	program_error_take(&reading, &line, text);
	return snapshot.nr_program_errors ? str_or(snapshot.program_errors[0].key, "") : NULL;
}

static void no_note_hides_an_ecc_error(void **state)
{
	struct arena arena = { .blocks = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *with = rows[i].with ? rows[i].with : "";
		const char *text, *key;

		/* What stands behind an "assert" reads as a source. */
		if (!is_of_note(i) || strstr(rows[i].text, "assert"))
			continue;
		text = arena_printf(&arena, "%.*s %s (CUDA error: uncorrectable ECC error encountered)",
				    (int)strcspn(with, "|"), with, rows[i].text);
		key = key_of(&arena, text);
		if (!key || strcmp(key, "ecc") != 0)
			fail_msg("%s: %s", text, key ? key : "nothing");
	}
	arena_release(&arena);
}

static void a_note_stays_before_a_note(void **state)
{
	struct arena arena = { .blocks = NULL };

	(void)state;
	assert_string_equal(key_of(&arena, "No CUDA GPUs are available: CUDA error: out of memory"), "none");
	assert_string_equal(key_of(&arena, "Out of memory in cuMemAlloc_v2: HIP error: hipErrorECCNotCorrectable"), "ecc");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_note_hides_an_ecc_error),
		cmocka_unit_test(a_note_stays_before_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
