// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/power_cap.h"
#include "eval/log/kernel_log.h"

#define DAY_US (86400.0 * 1e6)

/* Does the log reach back to boot, so that it has all resets? */
static bool covers_boot(const struct kernel_log *facts)
{
	return bool_or(facts->since_boot, false) && !u64_or(facts->lines_lost, 0);
}

static void judge_loads(struct judgement *j)
{
	static const struct {
		enum klog_family family;
		const char *driver;
	} families[] = { { KLOG_FAMILY_NVIDIA, "nvidia" }, { KLOG_FAMILY_AMDGPU, "amdgpu" } };

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		unsigned loads = j->log->log->loads[families[i].family];

		question(j);
		if (loads < 2)
			continue;
		derive(j, "loads", UNIT_COUNT, loads, "lines of the kernel log that a driver begins with");
		derive_str(j, "driver", families[i].driver, "the kernel log");
		finding_add_of(j, DRIVER_RESTARTS_LOADED_AGAIN, families[i].driver);
	}
}

/* Resets of that GPU in the log: since boot, and of them those of the last 24 hours. */
static void count_resets(const struct judgement *j, uint64_t *ret_all, uint64_t *ret_today)
{
	const struct klog_log *log = j->log->log;
	double now_us = (double)j->log->now.boot_us;

	*ret_all = *ret_today = 0;
	for (size_t i = 0; i < log->nr_events; i++) {
		const struct klog_event *event = &log->events[i];
		uint64_t nr = event_count(j->log, event);

		if (!event->heals || event->currency == KLOG_BEFORE_BOOT || !str_is(j->gpu->key, event->device))
			continue;
		*ret_all += nr;
		if (!event->first.has_boot || !event->last.has_boot || !j->log->now.has_boot)
			continue;
		if (now_us - (double)event->first.boot_us <= DAY_US)
			*ret_today += nr;
		else
			*ret_today += now_us - (double)event->last.boot_us <= DAY_US;
	}
}

static void judge_resets(struct judgement *j)
{
	uint64_t all, today;

	question(j);
	count_resets(j, &all, &today);
	derive(j, "resets", UNIT_COUNT, (double)all, "resets with success in the kernel log");
	derive(j, "resets_today", UNIT_COUNT, (double)today, "of them, those of the last 24 hours");
	phrase_power_cap(j);
	if ((double)today >= j->policy->resets_per_day)
		finding_add(j, DRIVER_RESTARTS_RESET_OFTEN);
	else if (all > 1)
		finding_add(j, DRIVER_RESTARTS_RESET);
}

static void eval(struct judgement *j)
{
	const struct kernel_log *facts = &j->snapshot->kernel_log;

	if (!is_known(facts->lines_read)) {
		if (j->gpu)
			skip_check(j, "kernel log not readable (klog-errors)");
		else
			need(j, kernel_log, facts, lines_read);
		return;
	}
	want(j, kernel_log, facts, lines_read);
	if (j->gpu)
		judge_resets(j);
	else
		judge_loads(j);
	/* What it does tell stands; that there was no more it cannot. */
	question(j);
	want(j, kernel_log, facts, lines_read);
	if (!covers_boot(facts) && j->gpu)
		skip_check(j, "the log does not reach back to boot (klog-errors)");
	else if (!covers_boot(facts))
		unknown(j, "the log does not reach back to boot: {lines_read|line|lines}");
}

const struct check check_driver_restarts = {
	.name = "driver-restarts",
	.title = "Driver restarts and GPU resets",
	.doc = "How often was a GPU driver loaded since boot, and how often was each GPU reset, by the kernel log? A "
	       "reloaded driver is a note: an update, a restarted driver container, or an attempt at repair. A GPU "
	       "reset repeatedly within a day is a warning. NVIDIA's driver does not log resets.",
	.per = SUBJECT_NODE_AND_GPUS,
	.needs = NEEDS_LINKS,
	.says = "no driver restarts, no GPU resets",
	.may_emit = IDS(DRIVER_RESTARTS_LOADED_AGAIN, DRIVER_RESTARTS_RESET_OFTEN, DRIVER_RESTARTS_RESET),
	.eval = eval,
};
