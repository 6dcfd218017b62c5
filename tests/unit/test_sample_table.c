// SPDX-License-Identifier: GPL-2.0-or-later
/* test_sample_table.c - what the sources of ticks say they write exists, and no two write the same. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/sample/sample.h"

static const struct field *field_of(const struct record *record, const char *name, size_t len)
{
	for (size_t i = 0; record && i < record->nr; i++)
		if (strlen(record->fields[i].name) == len && !memcmp(record->fields[i].name, name, len))
			return &record->fields[i];
	return NULL;
}

static bool path_exists(const char *path)
{
	const struct record *record = &record_tick;

	for (;;) {
		size_t len = strcspn(path, ".");
		const struct field *field = field_of(record, path, len);

		if (!field || !path[len])
			return field;
		path += len + 1;
		record = field->record;
	}
}

static bool is_within(const char *outer, const char *inner)
{
	size_t len = strlen(outer);

	return !strncmp(outer, inner, len) && (!inner[len] || inner[len] == '.');
}

/* What live_run() says itself. */
static bool is_the_parents(const char *path)
{
	return is_within("sources", path) || !strcmp(path, "seq") || !strcmp(path, "at_ns");
}

static void what_is_provided_exists(void **state)
{
	(void)state;
	for (const struct sample_source *const *source = sample_sources; *source; source++)
		for (const char *const *path = (*source)->provides; *path; path++)
			if (!path_exists(*path) || is_the_parents(*path))
				fail_msg("%s: provides %s, which no source can", (*source)->name, *path);
}

/* Of GPUs each driver has its own, which its source names: without them nothing is said of one that does not answer. */
static void no_two_provide_the_same(void **state)
{
	(void)state;
	for (const struct sample_source *const *a = sample_sources; *a; a++) {
		for (const char *const *one = (*a)->provides; *one; one++) {
			if (is_within("gpus", *one) && !(*a)->reads_gpu)
				fail_msg("%s: provides %s, and does not say of which GPUs", (*a)->name, *one);
			for (const struct sample_source *const *b = a + 1; *b; b++)
				for (const char *const *other = (*b)->provides; *other; other++)
					if ((is_within(*one, *other) || is_within(*other, *one)) &&
					    !is_within("gpus", *one))
						fail_msg("%s and %s both provide %s", (*a)->name, (*b)->name, *other);
		}
	}
}

static void each_is_found_and_whole(void **state)
{
	(void)state;
	for (const struct sample_source *const *source = sample_sources; *source; source++) {
		assert_ptr_equal(sample_source_by_name((*source)->name), *source);
		assert_null(probe_by_name((*source)->name));
		assert_non_null((*source)->help);
		assert_non_null((*source)->open);
		assert_non_null((*source)->read);
		assert_non_null((*source)->close);
	}
	assert_null(sample_source_by_name("no such source"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_provided_exists),
		cmocka_unit_test(no_two_provide_the_same),
		cmocka_unit_test(each_is_found_and_whole),
	};

	return cmocka_run_group_tests_name("sample_table", tests, NULL, NULL);
}
