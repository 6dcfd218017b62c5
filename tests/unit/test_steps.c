// SPDX-License-Identifier: GPL-2.0-or-later
/* test_steps.c - the table of steps: who runs a command knows what it will show. */
#include "base/compat.h"
#include "eval/findings/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_EXPECT_BYTES = 150 };	/* two lines of the screen */

static void commands_say_what_to_expect(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++)
		if (step_defs[i].command && !step_defs[i].expect)
			fail_msg("of \"%s\": what will it show?", step_defs[i].command);
}

/* A merge may take both sides of a row. */
static void no_step_is_there_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++)
		for (size_t k = 0; k < i; k++)
			if (step_defs[i].finding == step_defs[k].finding &&
			    step_defs[i].action == step_defs[k].action &&
			    !strcmp(step_defs[i].text, step_defs[k].text) &&
			    !strcmp(step_defs[i].command ? step_defs[i].command : "",
				    step_defs[k].command ? step_defs[k].command : ""))
				fail_msg("\"%s\" twice", step_defs[i].text);
}

static void what_to_expect_is_a_clause(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++) {
		const char *expect = step_defs[i].expect;
		size_t len = expect ? strlen(expect) : 0;

		if (!expect)
			continue;
		if (!len || len > MAX_EXPECT_BYTES || expect[len - 1] == '.' || strchr(expect, '\n'))
			fail_msg("%zu bytes: \"%s\"", len, expect);
	}
}

/* Words of a step that stops somebody's work. "The next reset" asks for none. */
static const char *const stopping_words[] = {
	"drain", "reseat", "reboot", "power-cycle", "power cycle", "power it off", "node off", "powered off", "unload",
	"reinstall", "restart", "start it anew", "kill ", "end it", "end them", "reset it", "reset the",
	"out of service",
	"replace", "flash ", "swap it", "off this node",
};
static const char *const stopping_commands[] = {
	"systemctl restart", "systemctl stop", "systemctl reboot", "reboot ", "shutdown -", "poweroff", "modprobe -r",
	"rmmod",
	"--gpu-reset", "-mig 0", "swapoff", "kill ", "drivers_probe", "/remove", "/reset ", "/unbind", "autoremove",
	"purge",
};

static const char *word_in(const char *text, const char *const *words, size_t nr)
{
	for (size_t i = 0; text && i < nr; i++)
		if (strcasestr(text, words[i]))
			return words[i];
	return NULL;
}

static void what_is_safe_stops_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_step_defs; i++) {
		const struct step_def *step = &step_defs[i];
		const char *word = word_in(step->text, stopping_words, ARRAY_SIZE(stopping_words));

		if (!word)
			word = word_in(step->command, stopping_commands, ARRAY_SIZE(stopping_commands));
		if (word && !step->disruptive)
			fail_msg("SAFE, with \"%s\": \"%s\" %s", word, step->text, step->command ? step->command : "");
	}
}

/* Whoever is to drain a node wants to see for himself first. */
static void what_costs_is_looked_at_first(void **state)
{
	(void)state;
	for (int id = NO_FINDING + 1; id < NR_FINDINGS; id++) {
		const struct step_def *first = NULL;
		bool has_look = false;

		if (finding_defs[id].action < ACTION_RESET_GPU)
			continue;
		for (int own = 1; own >= 0 && !first; own--) {
			for (size_t i = 0; i < nr_step_defs; i++) {
				if (!step_is_for(&step_defs[i], (enum finding_id)id, own))
					continue;
				first = first ? first : &step_defs[i];
				has_look |= !step_defs[i].disruptive && step_defs[i].command;
			}
		}
		if (!first || first->disruptive || !has_look)
			fail_msg("%s asks for %s: no safe command comes first", finding_defs[id].name,
				 action_name(finding_defs[id].action));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_say_what_to_expect),
		cmocka_unit_test(no_step_is_there_twice),
		cmocka_unit_test(what_to_expect_is_a_clause),
		cmocka_unit_test(what_is_safe_stops_nothing),
		cmocka_unit_test(what_costs_is_looked_at_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
