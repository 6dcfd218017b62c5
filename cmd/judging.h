/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judging.h - the options that say how to judge. They are no part of a
 * snapshot's request: whoever replays one says them again.
 */
#pragma once

#include "cmd/opts.h"
#include "eval/summary/exit_status.h"

struct judging_options {
	struct strs require;		/* --require */
	struct exit_rules exit;		/* --fail-on, --exit, --strict */
	const char *baseline_path;	/* --baseline, or NULL */
	bool another_is_meant;		/* --baseline-of-another */
};

/* Ids of their own, which a command's must not reach. */
enum { JUDGE_REQUIRE = 1000, JUDGE_FAIL_ON, JUDGE_EXIT, JUDGE_STRICT, JUDGE_BASELINE, JUDGE_ANOTHER };
extern const char *const judging_exit_styles[];
#define JUDGE_OPTION_ROWS                                                                                              \
	{"require", 0, "ID,…", "required checks: unknown or skipped gives exit status 3", JUDGE_REQUIRE,       \
	 COMPLETE_CHECKS, NULL},                                                                                       \
		{"fail-on", 0, "WHAT,…", "what gives exit status 2: fail (default), warn, none, checks, findings", \
		 JUDGE_FAIL_ON, COMPLETE_IDS, NULL},                                                                   \
		{"exit", 0, "STYLE", "default; bool: 0 or 1; npd: 0 healthy, 1 a problem, 2 unknown", JUDGE_EXIT,     \
		 COMPLETE_WORDS, judging_exit_styles},                                                                 \
	{                                                                                                              \
		"strict", 0, NULL, "a warning counts as a failure, and every check as required", JUDGE_STRICT,         \
			COMPLETE_NOTHING, NULL                                                                         \
	}

#define BASELINE_OPTION_ROWS                                                                                           \
	{"baseline", 0, "FILE", "baseline file (gpudiag baseline); none: no baseline",                \
	 JUDGE_BASELINE, COMPLETE_FILE, NULL},                                                                         \
	{                                                                                                              \
		"baseline-of-another", 0, NULL, "also use another machine's baseline, by the GPUs' slots",             \
			JUDGE_ANOTHER, COMPLETE_NOTHING, NULL                                                          \
	}

/* Takes one of them; false: it is none. Texts are kept in the arena. */
bool judging_option(struct judging_options *judging, struct arena *arena, const struct option_parser *parser, int id);

/*
 * Adds what is required to the policy. Dies with status 64 where the request
 * leaves such a check out.
 */
void judging_require(const struct judging_options *judging, const struct request *request, struct arena *arena,
		     struct policy *policy);

/* Gives the report its exit status, with a message where it is another than by default. */
void judging_exit_status(const struct judging_options *judging, struct report *report);
