// SPDX-License-Identifier: GPL-2.0-or-later
/* diff_machine.c - is it one machine, one boot, which of the two looks was first, and did both look in one place. */
#include "base/compat.h"
#include "base/text.h"
#include "eval/diff/diff_internal.h"
#include "eval/judge/machines.h"
#include "eval/judge/subject.h"
#include "snapshot/node.h"

#define LIBRARY_PATH "LD_LIBRARY_PATH="

/* Two readings of one boot's beginning differ by less, clocks being set by the network. */
#define SAME_BOOT_S 60

static bool is_redacted(const struct snapshot *snapshot)
{
	return bool_or(snapshot->run.redacted, false);
}

static bool both_known(struct val_str a, struct val_str b)
{
	return is_known(a) && is_known(b);
}

static bool same(struct val_str a, struct val_str b)
{
	return both_known(a, b) && !strcmp(str_or(a, ""), str_or(b, ""));
}

static void decide_machine(struct differ *d)
{
	const bool was_redacted = is_redacted(d->before), is_now = is_redacted(d->after);
	enum machines match = machines_match(d->arena, d->before, d->after);

	d->diff->machine_known = match != MACHINES_UNTOLD;
	d->diff->same_machine = match == MACHINES_ONE;
	d->diff->nr_compared += match == MACHINES_ONE;
	d->keeps_private = (!was_redacted && !is_now) || match != MACHINES_UNTOLD;
	if (was_redacted != is_now)
		diff_say(d, "one of the two is redacted: names, serial numbers and UUIDs are not compared, and GPUs "
			    "are taken to be the same by their PCI address");
	else if (!d->keeps_private)
		diff_say(d, "both are redacted and have no name in common: two machines, or two keys; names, serial "
			    "numbers and UUIDs are not compared");
}

static const char *machine_name(struct differ *d, const struct host *host)
{
	const char *name = str_or(host->name, "?"), *serial = str_or(host->machine_serial, NULL);

	return serial ? arena_printf(d->arena, "%s (serial %s)", name, serial) : name;
}

static void say_machine(struct differ *d)
{
	if (d->diff->machine_known && !d->diff->same_machine)
		diff_say(d, arena_printf(d->arena, "two machines: %s and %s; GPUs are compared by their number",
					 machine_name(d, &d->before->host), machine_name(d, &d->after->host)));
	else if (!d->diff->machine_known && d->keeps_private)
		diff_say(d, "unknown whether this is one machine");
}

/* ---- time */

static bool taken_at(const struct snapshot *snapshot, int64_t *ret_s)
{
	return is_known(snapshot->run.taken_at) && !parse_rfc3339(str_or(snapshot->run.taken_at, ""), ret_s);
}

static void decide_boot(struct differ *d)
{
	const struct host *a = &d->before->host, *b = &d->after->host;
	int64_t first, second;

	if (d->diff->machine_known && !d->diff->same_machine) {
		d->is_other_boot = true;
		return;
	}
	if (d->keeps_private && both_known(a->boot_id, b->boot_id)) {
		d->is_one_boot = same(a->boot_id, b->boot_id);
		d->is_other_boot = !d->is_one_boot;
		return;
	}
	if (!is_known(a->uptime_s) || !is_known(b->uptime_s) || !taken_at(d->before, &first) ||
	    !taken_at(d->after, &second))
		return;
	first -= (int64_t)(u64_or(a->uptime_s, 0) & INT64_MAX);
	second -= (int64_t)(u64_or(b->uptime_s, 0) & INT64_MAX);
	d->is_one_boot = first < second ? second - first < SAME_BOOT_S : first - second < SAME_BOOT_S;
	d->is_other_boot = !d->is_one_boot;
}

static void decide_order(struct differ *d)
{
	uint64_t up_before = u64_or(d->before->host.uptime_s, 0), up_after = u64_or(d->after->host.uptime_s, 0);
	bool has_uptime = is_known(d->before->host.uptime_s) && is_known(d->after->host.uptime_s);
	int64_t first = 0, second = 0;
	bool has_clock = taken_at(d->before, &first) && taken_at(d->after, &second);

	if (d->diff->machine_known && !d->diff->same_machine)
		return;
	if (d->is_one_boot && has_uptime) {
		d->is_reversed = up_after < up_before;
		d->between_s = up_after > up_before ? up_after - up_before : 0;
		if (has_clock && !d->is_reversed && second < first)
			diff_say(d, "the clock was set back between the two: by the time since boot the second is "
				    "the later");
	} else if (has_clock) {
		d->is_reversed = second < first;
	}
	if (d->is_reversed)
		diff_say(d, arena_printf(
				    d->arena,
				    "the second was taken before the first (%s, %s) %s: swap them to compare forwards",
				    str_or(d->after->run.taken_at, "?"), str_or(d->before->run.taken_at, "?"),
				    d->is_one_boot ? "by the time since boot" : "by the clock, or it was set back"));
}

/* ---- what the two runs could see */

static void say_runs(struct differ *d)
{
	const struct snapshot *a = d->before, *b = d->after;

	if (both_known(a->run.tool, b->run.tool) && !same(a->run.tool, b->run.tool))
		diff_say(d, arena_printf(d->arena, "taken by %s and %s: values that only one reads are not compared",
					 str_or(a->run.tool, ""), str_or(b->run.tool, "")));
	if (d->is_other_boot && d->diff->machine_known && d->diff->same_machine)
		diff_say(d, "booted in between: counters reset by a boot are since then");
	if (is_known(b->run.interrupted) && !is_known(a->run.interrupted))
		diff_say(d, "the second run was interrupted: missing values are not compared");
}

static bool is_other_driver(const struct differ *d)
{
	const struct module *a = nvidia_module(d->before);
	const struct module *b = nvidia_module(d->after);

	if (both_known(d->before->nvml.driver_version, d->after->nvml.driver_version) &&
	    !same(d->before->nvml.driver_version, d->after->nvml.driver_version))
		return true;
	return a && b && both_known(a->version, b->version) && !same(a->version, b->version);
}

/*
 * ---- where a run looked for libraries (--driver-root, LD_LIBRARY_PATH) is a fact of the run, not of the node: what
 * follows from that alone is no difference
 */

bool diff_is_search_variable(const char *variable)
{
	return !strncmp(variable, LIBRARY_PATH, strlen(LIBRARY_PATH));
}

static const char *library_path(const struct snapshot *snapshot)
{
	const struct strs *environment = &snapshot->host.environment;

	for (size_t i = 0; i < environment->nr; i++)
		if (diff_is_search_variable(environment->v[i]))
			return environment->v[i] + strlen(LIBRARY_PATH);
	return "";
}

static const char *driver_root(const struct snapshot *snapshot)
{
	return str_or(snapshot->request.driver_root, "");
}

static void decide_search(struct differ *d)
{
	d->is_other_search = strcmp(driver_root(d->before), driver_root(d->after)) != 0 ||
			     strcmp(library_path(d->before), library_path(d->after)) != 0;
	if (d->is_other_search)
		diff_say(
			d,
			"the two runs looked for libraries in other places (--driver-root, LD_LIBRARY_PATH): their paths are not compared");
}

/* Is the folder one of the path's? */
static bool is_in_path(const char *path, const char *folder, size_t len)
{
	while (*path) {
		size_t part = strcspn(path, ":;"), trimmed = part;

		while (trimmed > 1 && path[trimmed - 1] == '/')
			trimmed--;
		if (trimmed == len && !strncmp(path, folder, len))
			return true;
		path += part + (path[part] != '\0');
	}
	return false;
}

bool diff_is_library_of_search(const struct differ *d, const void *user_library, bool is_before)
{
	const char *file = str_or(((const struct user_library *)user_library)->key, "");
	const char *slash = strrchr(file, '/');
	size_t len = slash ? (size_t)(slash - file) : 0;

	return is_in_path(library_path(is_before ? d->before : d->after), file, len) &&
	       !is_in_path(library_path(is_before ? d->after : d->before), file, len);
}

bool diff_is_icd_of_search(const struct differ *d, const void *icd, bool is_before)
{
	const char *root = driver_root(is_before ? d->before : d->after);
	const char *path = str_or(((const struct icd *)icd)->path, "");

	/* A root that was named relative to a folder stands in the path's middle. */
	return d->is_other_search && *root && strstr(path, root);
}

/* ---- */

void diff_machine(struct differ *d)
{
	decide_machine(d);
	say_machine(d);
	decide_boot(d);
	decide_order(d);
	d->is_other_driver = is_other_driver(d);
	say_runs(d);
	decide_search(d);
}
