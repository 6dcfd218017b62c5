// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/throttle.h"
#include "eval/judge/vendor.h"

/*
 * A limit on clocks that somebody can set; full names what it is by default, a text says so itself. Boards are sold
 * with a boost below what the chip can do: a low one says something beside twins only.
 */
static const struct setting {
	const char *name, *words, *full, *full_text;
	bool beside_twins;
} settings[] = {
	{ "clock_application_mhz", "application clock", "clock_application_default_mhz", NULL, false },
	{ "clock_boost_max_mhz", "highest boost clock", "clock_max_mhz", NULL, true },
	{ "clock_limit_mhz", "highest clock allowed", "clock_max_mhz", NULL, false },
	{ "performance_level", "performance level", NULL, "auto", false },
};

static const char *value_in_words(struct judgement *j, const struct setting *setting)
{
	return setting->full ? figure_words(j, UNIT_MHZ, (double)need_vendor_u64(j, setting->name))
			     : need_vendor_str(j, setting->name);
}

/* True if it was reported as lowered: what is seen at work follows from that. */
static bool judge_setting(struct judgement *j, const struct setting *setting)
{
	const char *full = setting->full_text, *own, *twins;
	struct twin_look look;
	enum lowered lowered;

	question(j);
	own = value_in_words(j, setting);
	if (setting->full)
		full = figure_words(j, UNIT_MHZ, (double)want_vendor_u64(j, setting->full));
	lowered = lowered_among_twins(j, setting->name, &look);
	if (lowered == NOT_LOWERED || (setting->beside_twins && lowered != LOWERED_UNLIKE_TWINS))
		return false;
	phrase_address(j);
	phrase(j, "setting", arena_printf(j->arena, "%s %s", setting->words, own));
	phrase(j, "setting_full", full);
	if (lowered == LOWERED_UNLIKE_TWINS && !gpu_is_mobile(j->gpu)) {
		twins = setting->full ? figure_words(j, UNIT_MHZ, (double)u64_or(look.majority.u64, 0))
				      : str_or(look.majority.str, "?");
		derive_str(j, "twin_setting", twins, "what most GPUs of this model have");
		finding_add_of(j, THROTTLE_CLOCKS_UNLIKE_TWINS, setting->name);
	} else {
		finding_add_of(j, THROTTLE_CLOCKS_SET, setting->name);
	}
	return true;
}

/* What the settings do not tell, as of clocks that were locked: they show at work. */
static void judge_held(struct judgement *j, const struct gpu_work *work)
{
	double held, clock, able;

	question(j);
	held = throttle_share(j, work, set_percent);
	clock = (double)want(j, gpu_use, work->use, clock_busy_mhz);
	able = (double)want_vendor_u64(j, "clock_max_mhz");
	/* Some cards report a setting of applications' clocks that is their default. */
	if (!throttle_counts(j, work, held, 0.0) || clock <= 0.0 || clock >= j->policy->throttle_clock_ratio * able)
		return;
	phrase(j, "clocks", arena_printf(j->arena, ": %g of %s", clock, figure_words(j, UNIT_MHZ, able)));
	phrase(j, "clocks.many", "");
	finding_add(j, THROTTLE_CLOCKS_HELD);
}

static void eval(struct judgement *j)
{
	const struct gpu_work work = gpu_at_work(j, j->gpu);
	const char *unseen = throttle_unseen(j, &work), *first = NULL;
	bool lowered = false;
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (!first && vendor_field_of(j->gpu, settings[i].name).field)
			first = settings[i].name;
		if (!is_told(j->gpu, settings[i].name))
			continue;
		lowered |= judge_setting(j, &settings[i]);
		nr++;
	}
	if (!unseen && !lowered && is_asked(work.throttle->set_percent.state))
		judge_held(j, &work);
	else if (!nr && vendor_reports(j, first ? first : settings[0].name))
		skip_check(j, unseen ? unseen : "not supported by this GPU or its driver");
}

const struct check check_throttle_clocks = {
	.name = "throttle-clocks",
	.title = "Clock settings",
	.doc = "Are the GPU's clocks set below the default: application clocks, maximum boost clock, maximum clock, "
	       "amdgpu's performance level? A note, and a warning if most of three or more GPUs of the model have "
	       "another setting. Locked clocks without a readable setting show under load.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_WINDOW | NEEDS_VENDOR | NEEDS_LINKS,
	.says = "clock settings at default",
	.may_emit = IDS(THROTTLE_CLOCKS_UNLIKE_TWINS, THROTTLE_CLOCKS_SET, THROTTLE_CLOCKS_HELD),
	.eval = eval,
};
