// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/window.h"

/* Packets of odd protocols count as dropped on healthy networks, a few all day: only many a second are worth a note. */
static void judge_interface(struct judgement *j, const struct network_interface *interface)
{
	const struct network_use *use = &interface->use;
	const char *name = str_or(interface->key, "?");
	double length_s, drops;

	question(j);
	length_s = (double)need(j, window, &j->snapshot->window, length_ms) / 1000.0;
	about(j, name);
	drops = (double)want(j, network_use, use, drops);
	if (need(j, network_use, use, errors)) {
		derive_str(j, "interface", name, "/proc/net/dev");
		finding_add_of(j, NETWORK_ERRORS_ERRORS, name);
	} else if (drops > j->policy->network_drops_per_s * length_s) {
		derive_str(j, "interface", name, "/proc/net/dev");
		finding_add_of(j, NETWORK_ERRORS_DROPS, name);
	}
}

static void eval(struct judgement *j)
{
	size_t watched = 0;

	if (!has_window(j))
		return;
	need(j, window, &j->snapshot->window, length_ms);
	if (!all_known(j))
		return;
	for (size_t i = 0; i < j->snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &j->snapshot->network_interfaces[i];

		if (!is_known(interface->use.errors))
			continue;
		judge_interface(j, interface);
		watched++;
	}
	if (!watched)
		skip_check(j, "no network interface during the whole window");
}

const struct check check_network_errors = {
	.name = "network-errors",
	.title = "Network errors",
	.doc = "Do network interfaces receive bad packets, or drop many, during the window? Notes: no GPU is known to "
	       "be affected.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_WINDOW,
	.says = NULL,
	.may_emit = IDS(NETWORK_ERRORS_ERRORS, NETWORK_ERRORS_DROPS),
	.eval = eval,
};
