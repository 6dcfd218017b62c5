// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/baseline/baseline_lookup.h"

/* Of critical_warning (NVM Express Base Specification 2.0, figure 207). */
enum { SPARE_LOW = 1, TEMPERATURE = 2, UNRELIABLE = 4, READ_ONLY = 8 };

static const char *warning_words(struct judgement *j, uint64_t bits)
{
	static const struct {
		uint64_t bit;
		const char *words;
	} warnings[] = {
		{ READ_ONLY, "it became read-only" },
		{ UNRELIABLE, "it is unreliable" },
		{ SPARE_LOW, "its spare capacity is used up" },
	};
	const char *words = "";

	for (size_t i = 0; i < ARRAY_SIZE(warnings); i++)
		if (bits & warnings[i].bit)
			words = arena_printf(j->arena, "%s%s%s", words, *words ? ", and " : "", warnings[i].words);
	return words;
}

static void say_which(struct judgement *j, const struct nvme_controller *controller)
{
	const char *name = str_or(controller->key, "?"), *serial = str_or(controller->serial, NULL);

	about(j, name);
	derive_str(j, "disk", name, "/sys/class/nvme");
	derive_str(j, "model", str_or(controller->model, "model unknown"), "its model file");
	want(j, nvme_controller, controller, serial);
	phrase(j, "serial_words", serial ? arena_printf(j->arena, ", serial %s", serial) : "");
}

/* Without root nobody may read the log: its file says what there is to say. */
static bool judge_state(struct judgement *j, const struct nvme_controller *controller)
{
	const char *state = need(j, nvme_controller, controller, state);
	bool is_live = !strcmp(state, "live");

	/* The other states are on the way to this one, or to live: a reset, an update of its firmware. */
	if (all_known(j) && !is_live)
		finding_add_of(j, strcmp(state, "dead") ? NVME_HEALTH_NOT_READY : NVME_HEALTH_NOT_LIVE,
			       str_or(controller->key, "?"));
	return is_live;
}

/*
 * Disks there are that report to be unreliable when their endurance is used up (ubicloud/ubicloud#5628): wear that lost
 * nothing so far, which is a finding of its own.
 */
static bool is_wear_alone(const struct judgement *j, const struct nvme_health *health)
{
	return (double)u64_or(health->used_percent, 0) >= j->policy->nvme_used_percent &&
	       is_known(health->media_errors) && !u64_or(health->media_errors, 1) &&
	       u64_or(health->spare_percent, 0) > u64_or(health->spare_threshold_percent, 0);
}

static void judge_warnings(struct judgement *j, const struct nvme_controller *controller)
{
	const struct nvme_health *health = &controller->health;
	uint64_t bits = need(j, nvme_health, health, critical_warning);
	STRBUF_AUTO temperature = STRBUF_INIT;

	want(j, nvme_health, health, spare_percent);
	want(j, nvme_health, health, spare_threshold_percent);
	want(j, nvme_health, health, temperature_c);
	if (is_wear_alone(j, health))
		bits &= ~(uint64_t)UNRELIABLE;
	if (bits & (SPARE_LOW | UNRELIABLE | READ_ONLY)) {
		phrase(j, "warnings", warning_words(j, bits));
		finding_add_of(j, NVME_HEALTH_FAILED, str_or(controller->key, "?"));
	}
	if (bits & TEMPERATURE) {
		if (is_known(health->temperature_c)) {
			strbuf_addstr(&temperature, " (now ");
			unit_format(&temperature, UNIT_CELSIUS, f64_or(health->temperature_c, 0));
			strbuf_addstr(&temperature, ")");
		}
		phrase(j, "temperature_words", arena_strdup(j->arena, temperature.buf));
		finding_add_of(j, NVME_HEALTH_HOT, str_or(controller->key, "?"));
	}
}

static void judge_wear(struct judgement *j, const struct nvme_controller *controller)
{
	const struct nvme_health *health = &controller->health;
	const struct nvme_controller *then = baseline_nvme(j, controller);
	uint64_t errors;

	question(j);
	say_which(j, controller);
	if ((double)need(j, nvme_health, health, used_percent) >= j->policy->nvme_used_percent)
		finding_add_of(j, NVME_HEALTH_WORN, str_or(controller->key, "?"));
	question(j);
	say_which(j, controller);
	errors = need(j, nvme_health, health, media_errors);
	if (then && is_known(then->health.media_errors) && errors > u64_or(then->health.media_errors, 0)) {
		expect_u64(j, "media_errors", u64_or(then->health.media_errors, 0));
		finding_add_of(j, NVME_HEALTH_MEDIA_ERRORS_GROWING, str_or(controller->key, "?"));
	} else if (errors) {
		finding_add_of(j, NVME_HEALTH_MEDIA_ERRORS, str_or(controller->key, "?"));
	}
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t local = 0;

	/* Snapshots of older versions do not have them. */
	if (snapshot->listed.nvme_controllers.state == VAL_UNSET && !snapshot->nr_nvme_controllers) {
		skip_check(j, "not collected");
		return;
	}
	/* A dump tells of the disks that somebody asked, which is what was to be judged. */
	if (snapshot->listed.nvme_controllers.state != VAL_ABSENT &&
	    !(snapshot->listed.nvme_controllers.state == VAL_UNSET && str_is(snapshot->run.source, "import")))
		need(j, listed, &snapshot->listed, nvme_controllers);
	for (size_t i = 0; i < snapshot->nr_nvme_controllers; i++) {
		const struct nvme_controller *controller = &snapshot->nvme_controllers[i];

		if (is_known(controller->transport) && !str_is(controller->transport, "pcie"))
			continue;
		local++;
		question(j);
		say_which(j, controller);
		/* Of one that is dead there is no log; some have none, and a recording never has. */
		if (!judge_state(j, controller) || controller->health.critical_warning.state == VAL_UNSUPPORTED)
			continue;
		question(j);
		say_which(j, controller);
		judge_warnings(j, controller);
		judge_wear(j, controller);
	}
	if (!local && all_known(j))
		skip_check(j, "no NVMe disk in this machine");
}

const struct check check_nvme_health = {
	.name = "nvme-health",
	.title = "NVMe disks",
	.doc = "Is each NVMe disk of this machine usable, by its state and its own health log? A critical warning (spare "
	       "capacity, reliability, read-only) is a failure, its temperature, used endurance and growing media errors "
	       "a warning. The log takes root.",
	.per = SUBJECT_NODE,
	.needs = NEEDS_LINKS,
	.says = NULL,
	.may_emit = IDS(NVME_HEALTH_NOT_LIVE, NVME_HEALTH_NOT_READY, NVME_HEALTH_FAILED, NVME_HEALTH_HOT,
			NVME_HEALTH_WORN, NVME_HEALTH_MEDIA_ERRORS_GROWING, NVME_HEALTH_MEDIA_ERRORS),
	.eval = eval,
};
