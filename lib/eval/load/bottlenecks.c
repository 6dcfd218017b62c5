// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/load.h"

const struct bottleneck_def bottleneck_defs[NR_BOTTLENECKS] = {
	[BOTTLENECK_NOT_JUDGED] = {
		.word = "not-judged", .counts = COUNTS_NOTHING, .blame = BLAME_NONE, .phase = "not judged",
		.title = "{is|are} not judged: {figures}", .why = "No figure that would show a bottleneck is known.",
	},
#define BOTTLENECK(id, word_, counts_, blame_, seconds_, phase_, title_, why_, next_, command_)                        \
	[BOTTLENECK_##id] = {                                                                                          \
		.word = (word_), .counts = (counts_), .blame = (blame_), .seconds = (seconds_), .phase = (phase_),     \
		.title = (title_), .why = (why_), .next = (next_), .command = (command_),                              \
	},
#include "eval/load/bottlenecks.def"
};

const char *load_confidence_name(enum load_confidence confidence)
{
	static const char *const names[] = {
		[LOAD_SETTLING] = "settling", [LOAD_COARSE] = "coarse", [LOAD_SURE] = "sure",
	};

	return names[confidence];
}
