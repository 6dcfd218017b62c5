// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/facts/upgrade.h"
#include "snapshot/under_test.h"

enum { MAX_NAMED = 4 };		/* packages in a sentence */

/* "/run/reboot-required is there (linux-image-generic, libc6 and 3 more)" */
static const char *asker_words(struct arena *arena, const struct upgrade *upgrade)
{
	const struct strs *packages = &upgrade->reboot_packages;
	STRBUF_AUTO words = STRBUF_INIT;

	strbuf_addf(&words, "%s is there", str_or(upgrade->reboot_required_by, "?"));
	for (size_t i = 0; i < packages->nr && i < MAX_NAMED; i++)
		strbuf_addf(&words, "%s%s", i ? ", " : " (", packages->v[i]);
	if (packages->nr > MAX_NAMED)
		strbuf_addf(&words, " and %zu more", packages->nr - MAX_NAMED);
	strbuf_addstr(&words, packages->nr ? ")" : "");
	return arena_strdup(arena, words.buf);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct upgrade *upgrade = &snapshot->upgrade;
	const struct installed_kernel *next = kernels_in_use(snapshot).next;
	const char *kernel, *asker = NULL;

	if (is_in_container(snapshot)) {
		skip_check(j, "checked on the host only, this is a container");
		return;
	}
	if (upgrade->reboot_required_by.state == VAL_UNSET) {
		skip_check(j, "pending reboots not collected");
		return;
	}
	kernel = need(j, host, &snapshot->host, kernel);
	if (upgrade->reboot_required_by.state != VAL_ABSENT) {
		need(j, upgrade, upgrade, reboot_required_by);
		asker = asker_words(j->arena, upgrade);
	}
	if (!all_known(j) || (!asker && !next))
		return;
	if (next)
		derive_str(j, "next_kernel", str_or(next->key, "?"), "/lib/modules");
	if (asker && next)
		asker = arena_printf(j->arena, "%s, and kernel %s is installed where %s runs", asker,
				     str_or(next->key, "?"), kernel);
	else if (next)
		asker = arena_printf(j->arena, "kernel %s is installed where %s runs", str_or(next->key, "?"), kernel);
	phrase(j, "sign", asker);
	finding_add(j, is_known(snapshot->request.to_driver) ? REBOOT_PENDING_BEFORE_UPGRADE : REBOOT_PENDING_WAITS);
}

const struct check check_reboot_pending = {
	.name = "reboot-pending",
	.title = "Reboot pending",
	.doc = "Is a reboot pending: requested by a package manager (/run/reboot-required and similar), or for a "
	       "kernel newer than the running one? A note; a warning before a driver change (--to-driver), as that "
	       "reboot then changes two things at once.",
	.per = SUBJECT_NODE,
	.says = "kernel {kernel} is the newest installed, no reboot pending",
	.may_emit = IDS(REBOOT_PENDING_WAITS, REBOOT_PENDING_BEFORE_UPGRADE),
	.eval = eval,
};
