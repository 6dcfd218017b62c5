// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "cmd/policy_in_force.h"

#include <errno.h>
#include <sys/stat.h>

#include "checks/playbook.h"
#include "cmd/cmd.h"
#include "cmd/input.h"

static void read_policy(struct policy *ret, struct arena *arena, const char *path)
{
	STRBUF_AUTO text = STRBUF_INIT;
	struct json_error error = { .line = 0 };
	const char *name = input_text(path, "a policy", &text);

	if (!policy_parse(ret, arena, &playbook, name, text.buf, text.len, &error))
		return;
	if (error.line)
		die(EXIT_USAGE, "%s:%u: %s", name, error.line, error.what);
	die(EXIT_USAGE, "%s: %s", name, error.what);
}

/* One that is there and cannot be read is an error: the thresholds meant for this machine are others. */
static bool machine_has_policy(void)
{
	struct stat st;

	/* A link that leads nowhere is there. */
	if (lstat(POLICY_OF_MACHINE, &st))
		return errno != ENOENT && errno != ENOTDIR;
	/* Nobody named it, so nobody stands ready to write into it: to open a pipe would be to wait for ever. */
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
		read_policy(ret, arena, path);
}
