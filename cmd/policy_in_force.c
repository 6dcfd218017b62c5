// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/policy_in_force.h"

#include <errno.h>
#include <sys/stat.h>

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/input.h"

/* "policy.json:14: …", or without the line where there is none. */
static void put_error(const char *name, const struct policy_error *error)
{
	if (error->line)
		complain("%s:%u: %s", name, error->line, error->what);
	else
		complain("%s: %s", name, error->what);
}

const char *policy_read(struct policy *ret, struct arena *arena, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct policy_errors errors;
	struct strs checks = playbook_checks(arena, &playbook);
	const char *name = input_text(path, "a policy", &text);

	if (!policy_parse(ret, arena, &checks, name, text.buf, text.len, &errors))
		return name;
	for (size_t i = 0; i < errors.nr; i++)
		put_error(name, &errors.items[i]);
	exit(EXIT_USAGE);
}

/* One that is there and cannot be read is an error: the thresholds meant for this machine are others. */
static bool machine_has_policy(void)
{
	struct stat st;

	/* A link that leads nowhere is there. */
	if (lstat(POLICY_OF_MACHINE, &st))
		return errno != ENOENT && errno != ENOTDIR;
	/*
	 * It was not named on the command line: if it is a pipe it may have no writer, and opening it would block for
	 * ever.
	 */
	if (!stat(POLICY_OF_MACHINE, &st) && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
		die(EXIT_USAGE, "%s: a pipe or device, not a file", POLICY_OF_MACHINE);
	return true;
}

void policy_in_force(struct policy *ret, struct arena *arena, const char *path, bool is_this_machine)
{
	*ret = policy_built_in;
	if (path && !strcmp(path, POLICY_BUILT_IN_WORD))
		return;
	if (!path && is_this_machine && machine_has_policy())
		path = POLICY_OF_MACHINE;
	if (path)
		policy_read(ret, arena, path);
}
