// SPDX-License-Identifier: GPL-2.0-or-later
/* test_causes.c - what a narrow or slow link explains of a copy's rate, and what it does not. */
#include "base/compat.h"
#include "eval/causes.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_the_lanes_explain_half_the_rate),
		cmocka_unit_test(lanes_and_speed_multiply),
		cmocka_unit_test(asks_the_link_where_there_is_no_twin),
		cmocka_unit_test(another_gpu_explains_nothing),
		cmocka_unit_test(what_is_over_explains_nothing),
		cmocka_unit_test(notes_explain_only_where_the_rule_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
