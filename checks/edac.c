// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"

enum { DAY_S = 86400 };

/* " (most in DIMM_A1)" where a module is known, else nothing. */
static const char *module_in_words(struct judgement *j, const struct memory_controller *controller)
{
	const char *label = want(j, memory_controller, controller, worst_module);

	return *label ? arena_printf(j->arena, " (most in %s)", label) : "";
}

/* Tools that count errors do not say since when. */
static bool has_no_time(const struct judgement *j, const struct memory_controller *controller)
{
	return controller->counting_s.state == VAL_UNSET && str_is(j->snapshot->run.source, "import");
}

/* Errors a day; a counter that has run for less than a day is not stretched to one. */
static double errors_a_day(uint64_t errors, uint64_t counting_s)
{
	return (double)errors * DAY_S / (double)(counting_s > DAY_S ? counting_s : DAY_S);
}

/* Those of a file may be of a module that was replaced long ago. */
static void judge_recorded(struct judgement *j, const struct memory_controller *controller)
{
	const char *key = str_or(controller->key, "?");

	if (!u64_or(controller->recorded_uncorrected_errors, 0))
		return;
	question(j);
	derive_str(j, "controller", key, "ras-mc-ctl");
	want(j, memory_controller, controller, recorded_uncorrected_errors);
	phrase(j, "module", module_in_words(j, controller));
	finding_add_of(j, EDAC_UNCORRECTED_RECORDED, key);
}

static void judge_uncorrected(struct judgement *j, const struct memory_controller *controller)
{
	const char *key = str_or(controller->key, "?");

	if (controller->uncorrected_errors.state == VAL_UNSET && is_known(controller->recorded_uncorrected_errors))
		return;
	question(j);
	derive_str(j, "controller", key, "/sys/devices/system/edac/mc");
	if (need(j, memory_controller, controller, uncorrected_errors)) {
		phrase(j, "module", module_in_words(j, controller));
		finding_add_of(j, EDAC_UNCORRECTED, key);
	}
}

static void judge_controller(struct judgement *j, const struct memory_controller *controller)
{
	const char *key = str_or(controller->key, "?");
	uint64_t corrected;

	judge_recorded(j, controller);
	judge_uncorrected(j, controller);
	question(j);
	derive_str(j, "controller", key, "/sys/devices/system/edac/mc");
	corrected = need(j, memory_controller, controller, corrected_errors);
	if (!corrected)
		return;
	phrase(j, "module", module_in_words(j, controller));
	if (has_no_time(j, controller)) {
		finding_add_of(j, EDAC_CORRECTED, key);
		return;
	}
	derive(j, "a_day", UNIT_COUNT, errors_a_day(corrected, need(j, memory_controller, controller, counting_s)),
	       "corrected_errors / counting_s, at least a day");
	if (errors_a_day(corrected, u64_or(controller->counting_s, 0)) > j->policy->edac_corrected_per_day)
		finding_add_of(j, EDAC_CORRECTED_MANY, key);
	else
		finding_add_of(j, EDAC_CORRECTED, key);
}

/* A dump tells of the controllers that somebody asked about. */
static bool is_of_dump(const struct snapshot *snapshot)
{
	return snapshot->listed.memory_controllers.state == VAL_UNSET && snapshot->nr_memory_controllers &&
	       str_is(snapshot->run.source, "import");
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	uint64_t nr;

	if (snapshot->listed.memory_controllers.state == VAL_ABSENT) {
		skip_check(j, "no memory error counters (EDAC)");
		return;
	}
	if (is_of_dump(snapshot)) {
		nr = snapshot->nr_memory_controllers;
		derive(j, "memory_controllers", UNIT_COUNT, (double)nr, "those in the dumps");
	} else {
		nr = need(j, listed, &snapshot->listed, memory_controllers);
	}
	if (all_known(j) && !nr) {
		skip_check(j, "no memory error counters (EDAC)");
		return;
	}
	for (size_t i = 0; i < snapshot->nr_memory_controllers; i++)
		judge_controller(j, &snapshot->memory_controllers[i]);
}

const struct check check_edac = {
	.name = "edac",
	.title = "Host memory errors",
	.doc = "Has host memory had errors since its counters started? Uncorrected ones are a fail. Corrected ones "
	       "are a note, and a warning from a thousand a day on, as each interrupts the CPU. Not counted in "
	       "virtual machines and without ECC memory.",
	.per = SUBJECT_NODE,
	.says = "no host memory errors on {memory_controllers} memory controllers",
	.may_emit = IDS(EDAC_UNCORRECTED, EDAC_CORRECTED_MANY, EDAC_CORRECTED, EDAC_UNCORRECTED_RECORDED),
	.eval = eval,
};
