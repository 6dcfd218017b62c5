// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/baseline_in_force.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/input.h"

void baseline_load(struct baseline *ret, const char *path, struct merge_unknown *unknown)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	const char *name = input_text(path, "a baseline", &text);

	if (text.buf[strspn(text.buf, " \t\r\n")] != '{')
		die(EXIT_USAGE, "%s: no baseline, which gpudiag baseline save writes; a dump or snapshot is compared with one: "
		    "gpudiag baseline compare BASELINE --snapshot %s", name, name);
	if (!baseline_parse(ret, name, text.buf, text.len, unknown, &error))
		return;
	die_input(name, &error);
}

/* It may be private for its serial numbers: it was not named on the command line, so it is left out. */
static bool machine_has_baseline(bool *ret_closed)
{
	struct stat st;

	if (lstat(BASELINE_OF_MACHINE, &st)) {
		*ret_closed = errno == EACCES;
		return errno != ENOENT && errno != ENOTDIR && errno != EACCES;
	}
	/* Nobody stands ready to write into a pipe: to open it would be to wait for ever. */
	if (!stat(BASELINE_OF_MACHINE, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		die(EXIT_USAGE, "%s: a pipe or device, not a file", BASELINE_OF_MACHINE);
	*ret_closed = access(BASELINE_OF_MACHINE, R_OK) && errno == EACCES;
	return !*ret_closed;
}

void baseline_in_force(struct baseline_in_force *baseline, bool is_this_machine)
{
	const char *path = baseline->path;

	if (path && !strcmp(path, BASELINE_NONE_WORD))
		return;
	if (!path && is_this_machine && machine_has_baseline(&baseline->is_closed))
		path = BASELINE_OF_MACHINE;
	if (!path)
		return;
	baseline_load(&baseline->baseline, path, &baseline->unknown);
	baseline->baseline.another_is_meant = baseline->another_is_meant;
	baseline->in_force = &baseline->baseline;
}

void baseline_in_force_release(struct baseline_in_force *baseline)
{
	if (baseline->in_force)
		baseline_release(baseline->in_force);
}

static bool is_stdin(const char *path)
{
	return path && !strcmp(path, "-");
}

void baseline_check_input(const char *command, const char *baseline_path, const char *snapshot_path,
			  const char *policy_path)
{
	if (is_stdin(baseline_path) && (is_stdin(snapshot_path) || is_stdin(policy_path)))
		die(EXIT_USAGE, "%s: --baseline and %s cannot both be standard input", command,
		    is_stdin(snapshot_path) ? "--snapshot" : "--policy");
}

static void message(struct report *report, const char *text)
{
	strs_add(&report->arena, &report->messages, text);
}

void baseline_messages(const struct baseline_in_force *in_force, struct report *report)
{
	const struct baseline *baseline = in_force->in_force;
	struct arena *arena = &report->arena;
	const char *why, *unknown;

	if (in_force->is_closed)
		message(report, BASELINE_OF_MACHINE " may not be read by this user: nothing is compared with it");
	if (!baseline)
		return;
	if (baseline_match(arena, baseline, report->snapshot, &why) == MACHINES_ONE)
		message(report, arena_printf(arena, "compared with the baseline %s, saved %s over %llu run%s",
					     baseline->path, baseline->saved_at, (unsigned long long)baseline->runs,
					     baseline->runs == 1 ? "" : "s"));
	else
		message(report, arena_printf(arena, "%s: %s", why, baseline->another_is_meant ?
					     "GPUs are compared by their slots, as requested" : "it is not used"));
	if (strcmp(baseline->saved_at, str_or(report->snapshot->run.taken_at, baseline->saved_at)) > 0)
		message(report, arena_printf(arena,
					     "the baseline was saved at %s, after this snapshot: a clock was wrong, "
					     "or it is the later state",
					     baseline->saved_at));
	if (baseline->with_findings)
		message(report, arena_printf(arena, "the baseline of %s was saved on a node with findings",
					     baseline->saved_at));
	unknown = input_unknown_words(arena, &in_force->unknown, "the baseline's snapshot");
	if (unknown)
		message(report, unknown);
}
