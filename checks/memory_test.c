// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/timing/timing_precondition.h"

/* "0x00000010" */
static uint64_t hexadecimal(const char *text)
{
	return strtoull(text, NULL, 16);
}

/* One place of the memory, or several: a place may be wrong in many patterns. */
static bool is_one_place(const struct memory_test *test)
{
	for (size_t i = 1; i < test->nr_errors; i++)
		if (!str_is(test->errors[i].offset, str_or(test->errors[0].offset, "")))
			return false;
	/* More than were kept are of more places: no place has as many patterns. */
	return u64_or(test->words_wrong, 0) <= test->nr_errors;
}

static const char *spread(const struct memory_test *test)
{
	uint64_t bits = hexadecimal(str_or(test->bits_wrong, str_or(test->errors[0].flipped, "0x0")));
	bool is_one_bit = bits && !(bits & (bits - 1));

	if (is_one_place(test))
		return is_one_bit ? "one bit of one word" : "several bits of one word";
	return is_one_bit ? "the same bit of a word in several places" : "in several places";
}

static void judge_errors(struct judgement *j, const struct memory_test *test)
{
	const struct memory_error *first = test->nr_errors ? &test->errors[0] : NULL;
	uint64_t wrong = need(j, memory_test, test, words_wrong);

	if (!first && !wrong)
		return;
	/* A device that hung after the first errors has reported these, but not their number. */
	if (!is_known(test->words_wrong)) {
		question(j);
		derive(j, "words_wrong", UNIT_COUNT, (double)test->nr_errors, "errors, before it ended early");
	}
	want(j, memory_test, test, tested_bytes);
	want(j, memory_test, test, bits_wrong);
	about(j, "the first that was found");
	need(j, memory_error, first, pattern);
	need(j, memory_error, first, offset);
	need(j, memory_error, first, expected);
	need(j, memory_error, first, got);
	about(j, NULL);
	if (!all_known(j) || !first)
		return;
	derive_str(j, "spread", spread(test), "errors, bits_wrong");
	finding_add(j, MEMORY_TEST_ERRORS);
}

/* Untested memory is no fault, and no pass. */
static void judge_extent(struct judgement *j, const struct memory_test *test)
{
	uint64_t asked, tested, passes;

	question(j);
	asked = need(j, memory_test, test, asked_bytes);
	tested = need(j, memory_test, test, tested_bytes);
	passes = need(j, memory_test, test, passes);
	need(j, memory_test, test, ended);
	if (!all_known(j))
		return;
	if (!passes || !tested)
		unknown(j, "no pattern was verified: {ended}");
	else if (!str_is(test->ended, "done") || (double)tested < j->policy->memory_tested_ratio * (double)asked)
		finding_add(j, MEMORY_TEST_PARTIAL);
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;
	const struct memory_test *test = &j->device->memory_test;

	if (!load_is_permitted(j))
		return;
	if (!str_is(request->level, "deep")) {
		skip_check(j, "level deep tests memory");
	} else if (request->tests.nr || (is_known(request->memory_share_percent) &&
					 !u64_or(request->memory_share_percent, 0))) {
		skip_check(j, "memory test not requested");
	} else {
		judge_errors(j, test);
		judge_extent(j, test);
	}
}

const struct check check_memory_test = {
	.name = "memory-test",
	.title = "Memory test",
	.doc = "Does the device's memory return what was written to it? Level deep fills --memory-share of the free "
	       "memory with patterns, one after the other, and reads each back. One wrong word is a fail: ECC did not "
	       "detect it. Less memory or fewer patterns than requested is a note.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.level = "deep",
	.says = "{tested_bytes} of its memory keep what is written",
	.may_emit = IDS(MEMORY_TEST_ERRORS, MEMORY_TEST_PARTIAL),
	.eval = eval,
};
