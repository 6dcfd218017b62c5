// SPDX-License-Identifier: GPL-2.0-or-later
/* test_causes.c - which finding explains which: links by their arithmetic, chains, and what is no single cause. */
#include "base/compat.h"
#include "eval/causes/causes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_EVIDENCE = 4 };

static const struct check no_check;
static const struct gpu gpu_a, gpu_b;

/* A finding with numbers as evidence. */
struct made {
	struct finding finding;
	struct field fields[MAX_EVIDENCE];
	struct evidence evidence[MAX_EVIDENCE];
};

static void make(struct made *made, const char *id, const struct gpu *gpu)
{
	memset(made, 0, sizeof(*made));
	made->finding.id = finding_by_name(id);
	assert_int_not_equal(made->finding.id, NO_FINDING);
	made->finding.def = &finding_defs[made->finding.id];
	made->finding.outcome = made->finding.def->outcome;
	made->finding.stage = strncmp(id, "transfer", 8) && strncmp(id, "compute", 7) ? STAGE_LINK : STAGE_TIMING;
	made->finding.check = &no_check;
	made->finding.subject = (struct subject){ .kind = gpu ? SUBJECT_GPU : SUBJECT_NODE, .gpu = gpu };
	made->finding.evidence.items = made->evidence;
}

static void add(struct made *made, const char *name, double number)
{
	size_t i = made->finding.evidence.nr++;

	assert_true(i < MAX_EVIDENCE);
	made->fields[i] = (struct field){ .name = name, .kind = FIELD_F64 };
	made->evidence[i].field = &made->fields[i];
	made->evidence[i].observed.f64 = val_f64(number);
}

/* GPU A takes that many of the 55 GB/s that its twins do. */
static void make_slow(struct made *made, double gbps)
{
	make(made, "transfer-h2d.below-twins", &gpu_a);
	add(made, "h2d", gbps);
	add(made, "twin_h2d", 55.0);
}

static void make_narrow(struct made *made, const struct gpu *gpu, double lanes)
{
	make(made, "pcie-width.below-twins", gpu);
	add(made, "link_width", lanes);
	add(made, "link_width_able", 16);
}

static const struct finding *cause_among(struct made *first, struct made *second, struct made *third)
{
	static const struct snapshot snapshot;
	struct arena arena = { .blocks = NULL };
	struct finding *findings[3] = { &first->finding };
	size_t nr = 1;

	if (second)
		findings[nr++] = &second->finding;
	if (third)
		findings[nr++] = &third->finding;
	causes_find(&arena, &snapshot, findings, nr);
	arena_release(&arena);
	return first->finding.caused_by;
}

static void half_the_lanes_explain_half_the_rate(void **state)
{
	static const struct {
		double gbps;
		bool explained;
	} cases[] = {
		{ 40.0, true }, { 27.5, true }, { 23.5, true }, { 23.2, false }, { 12.0, false }, { 0.0, false },
	};
	struct made slow, narrow;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_slow(&slow, cases[i].gbps);
		make_narrow(&narrow, &gpu_a, 8);
		assert_ptr_equal(cause_among(&slow, &narrow, NULL), cases[i].explained ? &narrow.finding : NULL);
		assert_null(narrow.finding.caused_by);
	}
}

static void lanes_and_speed_multiply(void **state)
{
	struct made slow, narrow, crawling;

	(void)state;
	/* x8 at 16 of 32 GT/s: a quarter of 55 */
	make_slow(&slow, 13.0);
	make_narrow(&narrow, &gpu_a, 8);
	make(&crawling, "pcie-speed.below-twins", &gpu_a);
	add(&crawling, "link_speed", 16000);
	add(&crawling, "link_speed_able", 32000);
	assert_null(cause_among(&slow, &narrow, NULL));
	assert_ptr_equal(cause_among(&slow, &narrow, &crawling), &narrow.finding);
	/* 5 GT/s carries 4 bits of 5, so x16 of it is an eighth of 63 GB/s */
	make_slow(&slow, 6.4);
	make(&crawling, "pcie-speed.below-twins", &gpu_a);
	add(&crawling, "link_speed", 5000);
	add(&crawling, "link_speed_able", 32000);
	assert_ptr_equal(cause_among(&slow, &crawling, NULL), &crawling.finding);
}

static void asks_the_link_where_there_is_no_twin(void **state)
{
	struct made slow, narrow;

	(void)state;
	make(&slow, "transfer-h2d.slow", &gpu_a);
	add(&slow, "h2d", 23.0);
	make_narrow(&narrow, &gpu_a, 8);
	assert_null(cause_among(&slow, &narrow, NULL));
	add(&slow, "link_able_bandwidth", 63.0);
	assert_ptr_equal(cause_among(&slow, &narrow, NULL), &narrow.finding);
}

static void another_gpu_explains_nothing(void **state)
{
	struct made slow, narrow;

	(void)state;
	make_slow(&slow, 27.5);
	make_narrow(&narrow, &gpu_b, 8);
	assert_null(cause_among(&slow, &narrow, NULL));
}

static void what_is_over_explains_nothing(void **state)
{
	struct made slow, hot;

	(void)state;
	make(&slow, "compute-rate.below-twins", &gpu_a);
	make(&hot, "throttle-thermal.earlier", &gpu_a);
	assert_null(cause_among(&slow, &hot, NULL));
	make(&hot, "throttle-thermal.hardware", &gpu_a);
	assert_ptr_equal(cause_among(&slow, &hot, NULL), &hot.finding);
}

static void notes_explain_only_where_the_rule_says_so(void **state)
{
	struct made slow, note;

	(void)state;
	make(&slow, "compute-rate.below-twins", &gpu_a);
	make(&note, "throttle-power.at-limit", &gpu_a);
	assert_null(cause_among(&slow, &note, NULL));
	make(&note, "sharing.several-tenants", &gpu_a);
	assert_ptr_equal(cause_among(&slow, &note, NULL), &note.finding);
}

/* Every beginning of an id in the table is that of a finding. */
static void assert_ids(const char *prefixes)
{
	for (const char *word = prefixes; *word; word += strspn(word, " ")) {
		size_t len = strcspn(word, " ");
		bool any = false;

		for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++)
			any |= !strncmp(finding_defs[id].name, word, len);
		if (!any)
			fail_msg("no finding begins with %.*s", (int)len, word);
		word += len;
	}
}

static void the_rules_name_findings(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_cause_rules; i++) {
		assert_ids(cause_rules[i].effects);
		assert_ids(cause_rules[i].causes);
		assert_non_null(cause_rules[i].fits);
		if (!cause_fit_words(cause_rules[i].fits) != (cause_rules[i].fits == fits_always))
			fail_msg("%s: what is asked has words, and nothing else", cause_rules[i].causes);
	}
}

static void a_cause_has_a_cause(void **state)
{
	struct made slow, crawling, errors;

	(void)state;
	make_slow(&slow, 13.7);
	make(&crawling, "pcie-speed.below-twins", &gpu_a);
	add(&crawling, "link_speed", 8000);
	add(&crawling, "link_speed_able", 32000);
	make(&errors, "pcie-errors.correctable-rate", &gpu_a);
	assert_ptr_equal(cause_among(&slow, &crawling, &errors), &crawling.finding);
	assert_ptr_equal(crawling.finding.caused_by, &errors.finding);
	assert_null(errors.finding.caused_by);
	assert_ptr_equal(first_cause_of(&slow.finding), &errors.finding);
}

/* Whatever is found together, and in whichever order: no chain runs in a circle. */
static void chains_end(void **state)
{
	enum { NR = 12 };
	static struct made made[NR];
	static const struct snapshot snapshot;
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct finding *findings[NR];
		struct arena arena = { .blocks = NULL };

		for (size_t i = 0; i < NR; i++) {
			seed = seed * 1103515245U + 12345U;
			make(&made[i], finding_defs[1 + (seed >> 8) % (NR_FINDINGS - 1)].name,
			     seed & 128 ? &gpu_a : NULL);
			findings[i] = &made[i].finding;
		}
		causes_find(&arena, &snapshot, findings, NR);
		for (size_t i = 0; i < NR; i++) {
			size_t steps = 0;

			for (const struct finding *at = findings[i]; at; at = at->caused_by)
				assert_true(steps++ < NR);
		}
		arena_release(&arena);
	}
}

static void two_that_fit_alike_are_no_cause(void **state)
{
	struct made slow, capped, held;

	(void)state;
	make(&slow, "compute-rate.below-twins", &gpu_a);
	add(&slow, "best_rate", 30.0);
	add(&slow, "twin_rate", 50.0);
	make(&capped, "throttle-power.capped-below-twins", &gpu_a);
	add(&capped, "power_limit_mw", 400000);
	add(&capped, "twin_limit", 700000);
	make(&held, "throttle-clocks.unlike-twins", &gpu_a);
	add(&held, "clock_boost_max_mhz", 1200);
	add(&held, "clock_max_mhz", 1980);
	assert_null(cause_among(&slow, &capped, &held));
	assert_int_equal(slow.finding.nr_possible, 2);
	assert_ptr_equal(slow.finding.possible[0], &capped.finding);
	assert_ptr_equal(slow.finding.possible[1], &held.finding);
	/* The clocks alone would leave all but a twentieth: the cap it is. */
	slow.finding.nr_possible = 0;
	held.evidence[0].observed.f64 = val_f64(1900);
	assert_ptr_equal(cause_among(&slow, &capped, &held), &capped.finding);
	assert_int_equal(slow.finding.nr_possible, 0);
}

static void a_second_cause_is_told(void **state)
{
	struct made slow, narrow;
	struct finding *findings[] = { &slow.finding, &narrow.finding };
	static const struct snapshot snapshot;
	struct arena arena = { .blocks = NULL };

	(void)state;
	make_slow(&slow, 16.2);
	slow.finding.why = "Slow.";
	make_narrow(&narrow, &gpu_a, 8);
	causes_find(&arena, &snapshot, findings, 2);
	assert_null(slow.finding.caused_by);
	assert_string_equal(slow.finding.why,
			    "Slow. By pcie-width.below-twins alone it would be 27.5 GB/s: there is a second cause.");
	arena_release(&arena);
}

/* ---- what could not be judged */

static void a_mismatch_silences_the_library_alone(void **state)
{
	static const struct check of_library = { .needs = NEEDS_VENDOR }, of_links = { .needs = NEEDS_LINKS };
	struct result results[] = {
		{ .check = &of_library, .outcome = OUTCOME_UNKNOWN, .subject = { .kind = SUBJECT_NODE } },
		{ .check = &of_links, .outcome = OUTCOME_UNKNOWN, .subject = { .kind = SUBJECT_NODE } },
		{ .check = &of_library, .outcome = OUTCOME_PASS, .subject = { .kind = SUBJECT_NODE } },
	};
	struct made mismatch;
	struct finding *findings[] = { &mismatch.finding };

	(void)state;
	make(&mismatch, "driver-match.module-older", NULL);
	causes_find_unknown(results, ARRAY_SIZE(results), findings, 1);
	assert_ptr_equal(results[0].caused_by, &mismatch.finding);
	assert_null(results[1].caused_by);
	assert_null(results[2].caused_by);
}

static void a_lost_gpu_silences_all_about_it(void **state)
{
	static const struct check of_links = { .needs = NEEDS_LINKS };
	struct result results[] = {
		{ .check = &of_links, .outcome = OUTCOME_UNKNOWN, .subject = { .kind = SUBJECT_GPU, .gpu = &gpu_a } },
		{ .check = &of_links, .outcome = OUTCOME_UNKNOWN, .subject = { .kind = SUBJECT_GPU, .gpu = &gpu_b } },
	};
	struct made lost;
	struct finding *findings[] = { &lost.finding };

	(void)state;
	make(&lost, "gpu-lost.all-ones", &gpu_a);
	causes_find_unknown(results, ARRAY_SIZE(results), findings, 1);
	assert_ptr_equal(results[0].caused_by, &lost.finding);
	assert_null(results[1].caused_by);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_the_lanes_explain_half_the_rate),
		cmocka_unit_test(lanes_and_speed_multiply),
		cmocka_unit_test(asks_the_link_where_there_is_no_twin),
		cmocka_unit_test(another_gpu_explains_nothing),
		cmocka_unit_test(what_is_over_explains_nothing),
		cmocka_unit_test(notes_explain_only_where_the_rule_says_so),
		cmocka_unit_test(the_rules_name_findings),
		cmocka_unit_test(a_cause_has_a_cause),
		cmocka_unit_test(chains_end),
		cmocka_unit_test(two_that_fit_alike_are_no_cause),
		cmocka_unit_test(a_second_cause_is_told),
		cmocka_unit_test(a_mismatch_silences_the_library_alone),
		cmocka_unit_test(a_lost_gpu_silences_all_about_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
