// SPDX-License-Identifier: GPL-2.0-or-later
/* cause_words.c - the arithmetic of causes in words, with the shares that cause_arithmetic.c calculates with. */
#include "base/compat.h"
#include "eval/causes/cause_arithmetic.h"

#define AS_TEXT(share) #share
#define TEXT_OF(share) AS_TEXT(share)
#define AT_LEAST " is at least " TEXT_OF(CAUSE_EXPLAINED_SHARE) " x "
#define LESS "; a lower value has a second cause"
#define UNTOLD "; if that is unknown, it may be"
#define PACE \
	"its rate" AT_LEAST "(its clock at work / the highest of its twins) x the twins' rate, and its clock is below " \
	TEXT_OF(CAUSE_SAME_CLOCKS) " of theirs" LESS

const char *cause_fit_words(cause_fits_fn *fits)
{
	static const struct {
		cause_fits_fn *fits;
		const char *words;
	} rows[] = {
		{ fits_kill, "the OOM kill is the node's: neither a control group's limit nor before the window" },
		{ fits_link, "its rate" AT_LEAST "(lanes / lanes it could have) x (speed / speed it could have) x the twins' rate, "
			     "or without twins " TEXT_OF(CAUSE_USUAL_SHARE) " of what the link could carry" LESS },
		{ fits_drifted_link, "all tests that drifted are copies, and the figure" AT_LEAST
				     "(lanes or speed / those recorded) x the recorded figure" LESS },
		{ fits_drifted_copy, "all tests that drifted are copies; of a transfer, if it is the same timing" },
		{ fits_drifted_pace, "no test that drifted is a copy, and the figure" AT_LEAST
				     "(its clock at work / the highest of its twins) x the recorded figure, with its clock below "
				     TEXT_OF(CAUSE_SAME_CLOCKS) " of theirs" LESS UNTOLD },
		{ fits_own_cpus, "the CPUs are this run's own (--pid self), and its rate" AT_LEAST
				 "the rate from memory of the other socket" LESS UNTOLD },
		{ fits_stall, "the twins are no faster, and its rate" AT_LEAST
			      "(1 - share of the time in which all tasks wait for memory) x " TEXT_OF(CAUSE_USUAL_SHARE)
			      " of what the link carries" LESS UNTOLD },
		{ fits_clocks, PACE UNTOLD ", unless all twins are throttled alike" },
		{ fits_power_limit, PACE "; without clocks its power limit / the twins', or its default, counts for them" UNTOLD },
		{ fits_clock_limit, PACE "; without clocks the one that is set / the highest it may have counts for them" UNTOLD },
		{ fits_driver, "both are of one driver, as far as is known" },
		{ fits_nvidia, "it is of NVIDIA's driver" },
		{ fits_maintenance, "it is of that driver or of a GPU of its vendor, and no hang during a build" },
		{ fits_mig_change, "of settings that differ from those of twins, it is one of MIG" },
		{ fits_held_gpu, "the VRAM without a process is this GPU's" },
		{ fits_dead_memory, "the VRAM without a process is this GPU's, and without it less than " TEXT_OF(CAUSE_NO_ROOM)
				    " of the whole would be in use" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].fits == fits)
			return rows[i].words;
	return NULL;
}
