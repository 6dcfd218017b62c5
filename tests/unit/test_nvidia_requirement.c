// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/nvidia/nvidia_requirement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/* As nvidia/cuda:12.4.1 has it, shortened. */
#define OF_12_4 "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=tesla,driver>=535,driver<536"

static void the_driver_offers_the_cuda(void **state)
{
	(void)state;
	assert_int_equal(nvidia_requirement_by(OF_12_4, "550.54.14"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "580.95.05"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "550"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by("cuda>=12.4", "550.40.07"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "545.23.06"), REQUIREMENT_NOT_MET);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "525"), REQUIREMENT_NOT_MET);
}

static void another_way_out_depends_on_the_brand(void **state)
{
	(void)state;
	assert_int_equal(nvidia_requirement_by(OF_12_4, "535.183.01"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "470.256.02"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by(OF_12_4, "535"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda>=12.4,driver>=560", "550.54.14"), REQUIREMENT_NOT_MET);
	assert_int_equal(nvidia_requirement_by("cuda>=12.4,driver<=550.54.14", "550.54.14"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by("cuda>=12.4,driver>550.54.14", "550.54.14"), REQUIREMENT_NOT_MET);
}

static void each_comparison_holds_as_the_hook_has_it(void **state)
{
	static const struct {
		const char *requirement, *driver;
		enum requirement_answer answer;
	} asked[] = {
		{ "driver=550.54.14", "550.54.14", REQUIREMENT_MET },
		{ "driver=550.54.14", "550.54.15", REQUIREMENT_NOT_MET },
		{ "driver!=535", "535.54.03", REQUIREMENT_MET },
		{ "driver!=550.54.14", "550.54.14", REQUIREMENT_NOT_MET },
		{ "driver>535", "535.54.03", REQUIREMENT_MET },
		{ "driver<=535", "535.54.03", REQUIREMENT_NOT_MET },
		{ "cuda<13.0", "550.54.14", REQUIREMENT_MET },
		{ "cuda<12.4", "550.54.14", REQUIREMENT_NOT_MET },
		{ "cuda<15.0", "620.10.01", REQUIREMENT_UNSURE },
		{ "cuda>12.4", "550.54.14", REQUIREMENT_UNSURE },
		/* Of a branch alone it is open which version comes. */
		{ "driver<450.80", "450", REQUIREMENT_UNSURE },
		{ "driver>450.80", "450", REQUIREMENT_UNSURE },
		{ "driver=450.80.02", "450", REQUIREMENT_UNSURE },
		{ "driver>=450.80", "450", REQUIREMENT_MET },
		{ "driver>=450,driver<451", "450", REQUIREMENT_MET },
		{ "driver<450", "450", REQUIREMENT_NOT_MET },
		{ "driver>450", "450", REQUIREMENT_MET },
		{ "driver=450.80.02", "460", REQUIREMENT_NOT_MET },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (nvidia_requirement_by(asked[i].requirement, asked[i].driver) != asked[i].answer)
			fail_msg("%s by %s", asked[i].requirement, asked[i].driver);
}

static void one_alternative_is_enough(void **state)
{
	static const char either[] = "cuda>=13.0 cuda>=12.4,driver>=550.54", empty[] = " ,cuda>=12.4,,driver>=550 ";

	(void)state;
	assert_int_equal(nvidia_requirement_by(either, "580.95.05"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by(either, "550.54.14"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by(either, "545.23.08"), REQUIREMENT_NOT_MET);
	/* Nothing between two commas or spaces asks for nothing. */
	assert_int_equal(nvidia_requirement_by(empty, "550.54.14"), REQUIREMENT_MET);
	assert_int_equal(nvidia_requirement_by(empty, "545.23.08"), REQUIREMENT_NOT_MET);
	assert_int_equal(nvidia_requirement_by(",", "545.23.08"), REQUIREMENT_MET);
}

static void what_is_not_understood_refuses_nobody(void **state)
{
	(void)state;
	assert_int_equal(nvidia_requirement_by("", "550.54.14"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("  ", "550.54.14"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda", "550.54.14"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda>=", "550.54.14"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda=12.4", "535.54.03"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("arch>=8.0", "535.54.03"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda==12.4", "550.54.14"), REQUIREMENT_UNSURE);
	/* What is no version is compared with nothing. */
	assert_int_equal(nvidia_requirement_by("driver<abc", "535.54.03"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda>=>=15", "535.54.03"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda>=15.000000000000000000000000000000", "535.54.03"),
			 REQUIREMENT_UNSURE);
	/* A CUDA newer than the table: what is older than the last one known has it not; of others nobody knows. */
	assert_int_equal(nvidia_requirement_by("cuda>=15.0", "535.54.03"), REQUIREMENT_NOT_MET);
	assert_int_equal(nvidia_requirement_by("cuda>=15.0", "620.10.01"), REQUIREMENT_UNSURE);
	assert_int_equal(nvidia_requirement_by("cuda>=9.0", "390.157"), REQUIREMENT_UNSURE);
}

static void the_cuda_stands_in_it(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_string_equal(nvidia_requirement_cuda(&arena, OF_12_4), "12.4");
	assert_string_equal(nvidia_requirement_cuda(&arena, "brand=tesla,cuda>=11.8,driver<550"), "11.8");
	/* The alternative that would do with the oldest; of one alternative all must hold. */
	assert_string_equal(nvidia_requirement_cuda(&arena, "cuda>=13.0 cuda>=12.4 brand=tesla,cuda>=12.9"), "12.4");
	assert_string_equal(nvidia_requirement_cuda(&arena, "cuda>=9.0,cuda>=12.4 cuda>=13.0"), "12.4");
	assert_string_equal(nvidia_requirement_cuda(&arena, "cuda<13.0,cuda>=12.10 cuda>=12.9,notcuda>=11.0"), "12.9");
	assert_null(nvidia_requirement_cuda(&arena, "driver>=550"));
	assert_null(nvidia_requirement_cuda(&arena, "cuda<13.0 cuda=12.4"));
	assert_null(nvidia_requirement_cuda(&arena, "cuda>="));
	assert_null(nvidia_requirement_cuda(&arena, "cuda>=>=12"));
	assert_null(nvidia_requirement_cuda(&arena, "cuda>=12.4.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_driver_offers_the_cuda),
		cmocka_unit_test(another_way_out_depends_on_the_brand),
		cmocka_unit_test(each_comparison_holds_as_the_hook_has_it),
		cmocka_unit_test(one_alternative_is_enough),
		cmocka_unit_test(what_is_not_understood_refuses_nobody),
		cmocka_unit_test(the_cuda_stands_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
