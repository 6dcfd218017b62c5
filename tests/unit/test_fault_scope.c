// SPDX-License-Identifier: GPL-2.0-or-later
/* test_fault_scope.c - a fault of all GPUs is the node's, that of one among several is the card's. */
#include "base/compat.h"
#include "eval/causes/fault_scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { NR = 4 };

static const struct check brake_check;
static const struct gpu gpus[NR];

/* A node of four GPUs, of which so many were judged, and so many of those brake. */
struct board {
	struct arena arena;
	struct step steps[2];
	struct finding brakes[NR];
	struct finding *findings[NR];
	struct result results[NR];
};

static void judge_board(struct board *board, size_t judged, size_t braked)
{
	memset(board, 0, sizeof(*board));
	board->steps[0] = (struct step){ .text = "Look" };
	board->steps[1] = (struct step){ .text = "Check the cables of GPU 0", .disruptive = true };
	for (size_t i = 0; i < NR; i++) {
		const struct subject subject = { .kind = SUBJECT_GPU, .gpu = &gpus[i] };

		board->results[i] = (struct result){
			.check = &brake_check, .subject = subject, .outcome = i < judged ? OUTCOME_PASS : OUTCOME_SKIP,
		};
		board->brakes[i] = (struct finding){
			.id = THROTTLE_POWER_BRAKE, .def = &finding_defs[THROTTLE_POWER_BRAKE], .outcome = OUTCOME_FAIL,
			.check = &brake_check, .subject = subject, .why = "Braked.", .nr_steps = 2,
			.steps = board->steps,
		};
		board->findings[i] = &board->brakes[i];
	}
	fault_scope(&board->arena, board->results, NR, board->findings, braked);
}

static void all_of_them_is_the_node(void **state)
{
	struct board board;

	(void)state;
	judge_board(&board, NR, NR);
	for (size_t i = 0; i < NR; i++) {
		assert_non_null(strstr(board.brakes[i].why,
				       "Braked. All 4 GPUs at work have it: suspect the power supplies"));
		assert_int_equal(board.brakes[i].nr_steps, 2);
		assert_string_equal(board.brakes[i].steps[0].text, "Look");
		assert_null(strstr(board.brakes[i].steps[1].text, "GPU 0"));
		assert_true(board.brakes[i].steps[1].disruptive);
	}
	arena_release(&board.arena);
	/* Idle ones say nothing for it or against it. */
	judge_board(&board, 2, 2);
	assert_non_null(strstr(board.brakes[0].why, "All 2 GPUs at work have it"));
	arena_release(&board.arena);
}

static void one_of_several_is_the_card(void **state)
{
	struct board board;

	(void)state;
	judge_board(&board, NR, 1);
	assert_non_null(
		strstr(board.brakes[0].why, "Braked. The other 3 do not have it: suspect this card's power cable"));
	assert_ptr_equal(board.brakes[0].steps, board.steps);
	arena_release(&board.arena);
}

static void else_nobody_knows(void **state)
{
	static const size_t cases[][2] = { { 1, 1 }, { 2, 1 }, { NR, 2 }, { NR, 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct board board;

		judge_board(&board, cases[i][0], cases[i][1]);
		assert_string_equal(board.brakes[0].why, "Braked.");
		assert_ptr_equal(board.brakes[0].steps, board.steps);
		arena_release(&board.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_them_is_the_node),
		cmocka_unit_test(one_of_several_is_the_card),
		cmocka_unit_test(else_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
