// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - a node at work: what holds its GPUs back, in one sentence, and at the end where the time went. */
#include "base/compat.h"
#include "cmd/watch.h"

#include "cmd/cmd.h"

static int watch_main(int argc, char **argv)
{
	struct watch watch = {
		.message = STRBUF_INIT, .later = STRBUF_INIT, .record = { .lines = { .target = { .folder = -1 } } },
	};
	int status;

	watch_parse(&watch, argc, argv);
	status = watch.replay_path ? watch_replay(&watch) : watch_live(&watch, argc, argv);
	series_release(&watch.series);
	acquire_release(&watch.acq);
	return status;
}

static const struct help_example examples[] = {
	{ "gpudiag watch", "on one screen until q" },
	{ "gpudiag watch --for 60s --record job.jsonl", "a minute, kept to look at again" },
	{ "gpudiag watch --replay job.jsonl", "look at it again" },
	{ "gpudiag watch -- python train.py", "what held the job back, at its end" },
	{ .command = NULL },
};

const struct command command_watch = {
	.name = "watch",
	.summary = "what holds the GPUs of a running job back, live",
	.usage = "watch [OPTIONS] [-- COMMAND…]",
	.doc = "Watch a node at work and say what holds its GPUs back: a sentence with its figures and what was ruled "
	       "out, a line per GPU and one for the node; at the end, where the time went. On a terminal one screen (q "
	       "quit, p pause, s save, arrows: a GPU), otherwise a line per tick. With a command: run it, say at its "
	       "end what it waited for.\n"
	       "Read-only: no GPU is loaded or woken, and no driver called that hangs.\n"
	       "Exit status: of the command; without one 0 nothing to remove (compute-bound, idle …), 1 something that "
	       "can be removed, 2 a fault, 3 not judged; 64 usage or bad input, 70 internal error, 126 and 127 command "
	       "not started.",
	.examples = examples,
	.options = watch_options,
	.operand = COMPLETE_FILE,
	.main = watch_main,
};
