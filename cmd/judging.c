// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/judging.h"

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/ids.h"
#include "eval/judge/selection.h"

const char *const judging_exit_styles[] = {
	[EXIT_STYLE_DEFAULT] = "default", [EXIT_STYLE_BOOL] = "bool", [EXIT_STYLE_NPD] = "npd", NULL,
};

/* The words among the given that are levels; the rest are names. */
static void set_fail_on(struct exit_rules *rules, struct arena *arena, const struct option_parser *parser)
{
	static const char *const levels[] = { "fail", "warn", "none", NULL };
	struct strs words = { .nr = 0 };

	option_ids(parser, IDS_OF_CHECKS | IDS_OF_FINDINGS, levels, arena, &words);
	rules->has_fail_on = true;
	for (size_t i = 0; i < words.nr; i++) {
		if (!strcmp(words.v[i], "fail"))
			rules->fail_on.failures = true;
		else if (!strcmp(words.v[i], "warn"))
			rules->fail_on.warnings = true;
		else if (strcmp(words.v[i], "none") != 0)
			strs_add(arena, &rules->fail_on.names, words.v[i]);
	}
}

bool judging_option(struct judging_options *judging, struct arena *arena, const struct option_parser *parser, int id)
{
	switch (id) {
	case JUDGE_REQUIRE:
		option_ids(parser, IDS_OF_CHECKS, NULL, arena, &judging->require);
		return true;
	case JUDGE_FAIL_ON:
		set_fail_on(&judging->exit, arena, parser);
		return true;
	case JUDGE_EXIT:
		judging->exit.style = (enum exit_style)option_choice(parser);
		return true;
	case JUDGE_STRICT:
		judging->exit.strict = true;
		return true;
	case JUDGE_BASELINE:
		judging->baseline_path = option_path(parser, parser->argument);
		return true;
	case JUDGE_ANOTHER:
		judging->another_is_meant = true;
		return true;
	default:
		return false;
	}
}

static const struct playbook_row *row_of(const char *name)
{
	for (size_t i = 0; i < playbook.nr; i++)
		if (!strcmp(playbook.rows[i].check->name, name))
			return &playbook.rows[i];
	return NULL;
}

void judging_require(const struct judging_options *judging, const struct request *request, struct arena *arena,
		     struct policy *policy)
{
	for (size_t i = 0; i < judging->require.nr; i++) {
		const char *name = judging->require.v[i];
		const struct playbook_row *row = row_of(name);

		if (row && !row_is_selected(request, row))
			die(EXIT_USAGE, "--require: %s is %s", name, row->gate_only && !bool_or(request->gate, false) ?
			    "a check of gpudiag gate only" : "excluded by --check or --skip");
		strs_add(arena, &policy->require, name);
	}
}

void judging_exit_status(const struct judging_options *judging, struct report *report)
{
	const struct exit_rules *rules = &judging->exit;
	int by_default = report->exit_status;

	report->exit_status = exit_status_by(report, rules);
	if (report->exit_status == by_default)
		return;
	strs_add(&report->arena, &report->messages,
		 arena_printf(&report->arena, "exit status %d by%s%s%s%s; by the verdict alone %d",
			      report->exit_status, rules->strict ? " --strict" : "", rules->has_fail_on ? " --fail-on" : "",
			      rules->style == EXIT_STYLE_DEFAULT ? "" : " --exit ",
			      rules->style == EXIT_STYLE_DEFAULT ? "" : judging_exit_styles[rules->style], by_default));
}
