// SPDX-License-Identifier: GPL-2.0-or-later
/* test_probe_table.c - what the probes say they write exists, and no two write the same. */
#include "base/compat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval/judge/field_words.h"
#include "probe/probe.h"

static const struct field *field_of(const struct record *record, const char *name, size_t len)
{
	for (size_t i = 0; i < record->nr; i++)
		if (strlen(record->fields[i].name) == len && !memcmp(record->fields[i].name, name, len))
			return &record->fields[i];
	return NULL;
}

static bool path_exists(const char *path)
{
	const struct record *record = &record_snapshot;

	for (;;) {
		size_t len = strcspn(path, ".");
		const struct field *field = record ? field_of(record, path, len) : NULL;

		if (!field)
			return false;
		if (!path[len])
			return true;
		path += len + 1;
		record = field->record;
	}
}

/* Is the field there, or below it? */
static bool path_leads_to(const char *path, const struct field *wanted)
{
	const struct record *record = &record_snapshot;
	const struct field *field = NULL;

	for (; *path; path += strcspn(path, "."), path += *path == '.') {
		field = field_of(record, path, strcspn(path, "."));
		record = field->record;
	}
	if (field == wanted)
		return true;
	for (size_t i = 0; record && i < record->nr; i++) {
		const struct field *inner = &record->fields[i];

		if (inner == wanted)
			return true;
		for (size_t k = 0; inner->record && k < inner->record->nr; k++)
			if (&inner->record->fields[k] == wanted)
				return true;
	}
	return false;
}

static bool is_within(const char *outer, const char *inner)
{
	size_t len = strlen(outer);

	return !strncmp(outer, inner, len) && (!inner[len] || inner[len] == '.');
}

static void test_what_is_provided_exists(void **state)
{
	(void)state;
	for (const struct probe *const *probe = probes; *probe; probe++)
		for (const char *const *path = (*probe)->provides; *path; path++)
			if (!path_exists(*path))
				fail_msg("%s: provides %s, which no record has", (*probe)->name, *path);
}

/*
 * Of a GPU the probe of its driver alone says it: of NVIDIA's "nvml-gpu", which stands before "window" so that its own
 * words are those for what it left unsaid; of the others' "gpu-files", for which NVIDIA's have no lists.
 */
static bool is_shared_by_driver(const struct probe *a, const struct probe *b)
{
	return (!strcmp(a->name, "nvml-gpu") && !strcmp(b->name, "window")) ||
	       (!strcmp(a->name, "gpu-files") && !strcmp(b->name, "nvml-gpu"));
}

static void assert_apart(const struct probe *a, const struct probe *b)
{
	if (is_shared_by_driver(a, b))
		return;
	for (const char *const *one = a->provides; *one; one++)
		for (const char *const *other = b->provides; *other; other++)
			if (is_within(*one, *other) || is_within(*other, *one))
				fail_msg("%s and %s both provide %s", a->name, b->name, *other);
}

/* What one leaves unsaid when it dies must not keep the other from saying it. */
static void test_no_two_provide_the_same(void **state)
{
	(void)state;
	for (const struct probe *const *a = probes; *a; a++)
		for (const struct probe *const *b = a + 1; *b; b++)
			assert_apart(*a, *b);
}

static void test_names_and_phases(void **state)
{
	enum probe_phase phase = PHASE_NODE;

	(void)state;
	for (const struct probe *const *probe = probes; *probe; probe++) {
		assert_ptr_equal(probe_by_name((*probe)->name), *probe);
		assert_true((*probe)->phase >= phase);
		assert_true((*probe)->deadline_ms > 0);
		phase = (*probe)->phase;
	}
	assert_null(probe_by_name("no such probe"));
}

static void check_teller(const struct record *record, const struct field *field)
{
	const char *said = field_probe(field);
	size_t nr = 0;
	bool is_right = false;

	for (const struct probe *const *probe = probes; *probe; probe++)
		for (const char *const *path = (*probe)->provides; *path; path++) {
			if (!path_leads_to(*path, field))
				continue;
			nr++;
			is_right = is_right || (said && !strcmp(said, (*probe)->name));
			break;
		}
	if (said ? nr && !is_right : nr == 1)
		fail_msg("%s.%s is not told by %s", record->name, field->name, said ? said : "nobody");
}

/* Whom people are told did not look is who would have; of what several fill, one of them or none. */
static void test_who_tells_a_field(void **state)
{
	static const struct record *const records[] = {
#define RECORD(name, doc) &record_##name,
#include "snapshot/records.def"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		for (size_t k = 0; k < records[i]->nr; k++)
			if (field_is_value(&records[i]->fields[k]) && strcmp(records[i]->fields[k].name, "key") != 0)
				check_teller(records[i], &records[i]->fields[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_provided_exists),
		cmocka_unit_test(test_no_two_provide_the_same),
		cmocka_unit_test(test_names_and_phases),
		cmocka_unit_test(test_who_tells_a_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
