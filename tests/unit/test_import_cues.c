// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_import_cues.c - no line in which a kind of dump begins is kept from it by its cues (lib/import/kind/cues.def).
 */
#include "base/compat.h"
#include "import/kind/cues.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char *id_of(enum dump_kind kind)
{
	return dump_source(kind)->id;
}

static bool has_cue(enum dump_kind kind, const char *text)
{
	const struct dump_kinds kinds = dump_cues(text);

	return dump_kinds_has(&kinds, kind);
}

static void cues_are_found_anywhere_in_any_case(void **state)
{
	(void)state;
	assert_true(has_cue(DUMP_SMI_QUERY, "==============NVSMI LOG=============="));
	assert_true(has_cue(DUMP_SMI_FAILURE, "failed to INITIALIZE nvml: Driver/library version mismatch"));
	assert_true(has_cue(DUMP_SMI_TOPO, "\tGPU"));
	assert_true(has_cue(DUMP_CLPEAK, "x(GB/s)"));
	assert_true(has_cue(DUMP_SMI_TABLE, "|"));
	assert_true(has_cue(DUMP_AMD_SMI_JSON, "x ["));
	assert_false(has_cue(DUMP_SMI_TOPO, "GP U, GP"));
	assert_false(has_cue(DUMP_CLPEAK, "GB/s"));
	assert_false(has_cue(DUMP_LSPCI, "Jun 12 10:00:00 node7 kernel: x"));
	assert_false(has_cue(DUMP_LOG, "NVRM: Xid (PCI:0000:61:00): 79"));
}

static void assert_cues(const char *path, struct dump_line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (enum dump_kind kind = 0; kind < NR_DUMP_KINDS; kind++)
			if (dump_source(kind)->begins && dump_source(kind)->begins(&lines[i], nr - i) != BEGINS_NOT &&
			    !has_cue(kind, lines[i].text))
				fail_msg("%s:%u: begins %s, and no CUE in lib/import/kind/cues.def is in it: %s", path,
					 lines[i].number, id_of(kind), lines[i].text);
}

static void every_dump_begins_with_a_cue(void **state)
{
	glob_t paths;

	(void)state;
	assert_int_equal(glob("tests/imports/*.txt", 0, NULL, &paths), 0);
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		FILE *file = fopen(paths.gl_pathv[i], "r");
		struct arena arena = { .blocks = NULL };
		static char bytes[1 << 20];
		size_t nr;
		bool is_cut;
		struct dump_line *lines;

		assert_non_null(file);
		lines = dump_clean(&arena,
				   &(struct dump_text){ .bytes = bytes, .len = fread(bytes, 1, sizeof(bytes), file) },
				   &nr, &is_cut);
		fclose(file);
		assert_cues(paths.gl_pathv[i], lines, nr);
		arena_release(&arena);
	}
	globfree(&paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cues_are_found_anywhere_in_any_case),
		cmocka_unit_test(every_dump_begins_with_a_cue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
