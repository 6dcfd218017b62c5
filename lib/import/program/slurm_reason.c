// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_reason.h"

#include "base/text.h"

/* As slurmctld writes them (node_mgr.c), also where sinfo has no room for the rest. */
static bool is_of_settings(const char *words)
{
	static const char *const settings[] = { "Low RealMemory", "Low socket*core", "Low CPUs", "Low TmpDisk", "Low Cores",
						"CoreSpec differ" };

	return text_has_any(words, settings, ARRAY_SIZE(settings));
}

/* One that a GPU failed is over. */
static bool is_test_to_come(const char *words)
{
	return text_has_word_of(words, "test") && !text_has_word_of(words, "failed|fails|failing|failure");
}

/* Of a trouble of GPUs somebody may say what is to be done about it, too. */
enum slurm_reason slurm_reason_of(const char *words)
{
	if (text_has_word_of(words, "maint|upgrad|install|reserv|reimag") || is_test_to_come(words))
		return SLURM_PLANNED;
	if (text_has_word_of(words, "gpu|xid|nvlink|nvidia|check_nv|nvsmi|nvml|dcgm|cuda|rocm|amdgpu|ecc"))
		return SLURM_OF_GPUS;
	if (text_has_word_of(words, "updat|reboot asap|reboot requested|reboot issued|reboot complete|rebooting|planned|scheduled|patch|"
				    "migrat|decommission|firmware|powered down"))
		return SLURM_PLANNED;
	return is_of_settings(words) ? SLURM_SETTINGS : SLURM_OTHER;
}

const char *slurm_reason_key(enum slurm_reason reason)
{
	switch (reason) {
	case SLURM_OF_GPUS:
		return "drained";
	case SLURM_SETTINGS:
		return "slurm-config";
	case SLURM_OTHER:
		return "slurm-out";
	case SLURM_PLANNED:
		break;
	}
	return NULL;
}

/* ---- states */

/* By sinfo's compact names and whole ones, and by scontrol's flags. */
static const struct { const char *name; enum { IN_USE, OUT, PLANNED } is; } states[] = {
	{ "idle", IN_USE }, { "alloc", IN_USE }, { "allocated", IN_USE }, { "mix", IN_USE }, { "mixed", IN_USE },
	{ "comp", IN_USE }, { "completing", IN_USE }, { "plnd", IN_USE }, { "planned", IN_USE }, { "blocked", IN_USE },
	{ "block", IN_USE }, { "cloud", IN_USE }, { "dynamic_norm", IN_USE }, { "dynamic_future", IN_USE }, { "npc", IN_USE },
	{ "perfctrs", IN_USE }, { "unk", IN_USE }, { "unknown", IN_USE },
	{ "down", OUT }, { "drain", OUT }, { "drained", OUT }, { "drng", OUT }, { "draining", OUT }, { "fail", OUT },
	{ "failg", OUT }, { "failing", OUT }, { "inval", OUT }, { "invid", OUT }, { "invalid_reg", OUT }, { "err", OUT },
	{ "error", OUT }, { "not_responding", OUT }, { "no_respond", OUT },
	{ "maint", PLANNED }, { "maintenance", PLANNED }, { "resv", PLANNED }, { "reserved", PLANNED }, { "futr", PLANNED },
	{ "future", PLANNED }, { "boot", PLANNED }, { "reboot", PLANNED }, { "reboot_issued", PLANNED },
	{ "reboot_requested", PLANNED }, { "reboot^", PLANNED }, { "pow_dn", PLANNED }, { "pow_up", PLANNED },
	{ "power_down", PLANNED }, { "power_up", PLANNED }, { "powered_down", PLANNED }, { "powering_down", PLANNED },
	{ "powering_up", PLANNED }, { "power_drain", PLANNED }, { "drain_power", PLANNED },
};

static const char *next_state(const char *at, const char *end)
{
	static const char marks[] = "*~#!%$@^-";

	while (at < end && !strchr(marks, *at) && *at != '+')
		at++;
	return at;
}

bool slurm_is_state(const char *word, size_t len, bool *ret_is_out)
{
	const char *at = word, *end = word + len;
	bool is_out = false, is_planned = false;

	while (at < end) {
		const char *stop = next_state(at, end);
		size_t i = 0;

		while (i < ARRAY_SIZE(states) && (strlen(states[i].name) != (size_t)(stop - at) ||
						  strncasecmp(states[i].name, at, (size_t)(stop - at)) != 0))
			i++;
		if (i == ARRAY_SIZE(states))
			return false;
		is_out |= states[i].is == OUT;
		is_planned |= states[i].is == PLANNED;
		for (; stop < end && *stop != '+'; stop++) {
			is_out |= *stop == '*';
			is_planned |= *stop != '*' && *stop != '-';
		}
		at = stop + (stop < end);
	}
	*ret_is_out = is_out && !is_planned;
	return len;
}
