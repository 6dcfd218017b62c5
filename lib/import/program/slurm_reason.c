// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "import/program/slurm_reason.h"

#include "base/text.h"

/* As slurmctld writes them (node_mgr.c), also where sinfo has no room for the rest. */
static bool is_of_settings(const char *words)
{
	static const char *const settings[] = { "Low RealMemory", "Low socket*core", "Low CPUs", "Low TmpDisk",
						"Low Cores", "CoreSpec differ" };

	return text_has_any(words, settings, ARRAY_SIZE(settings));
}

/* One that a GPU failed is over. */
static bool is_test_to_come(const char *words)
{
	return text_has_word_of(words, "test") && !text_has_word_of(words, "failed|fails|failing|failure");
}

/* What somebody does to a node, or has it wait for. */
static bool is_of_plan(const char *words)
{
	return text_has_word_of(
		words,
		"rollout|roll out|rolling|deploy|updat|patch|firmware|flash|migrat|moving|moved to|burn-in|burn in|"
		"burnin|benchmark|hpl|acceptance|commission|decommission|retire|await|waiting for new|delivery|"
		"course|training|workshop|hackathon|demo|enabl|disabl|toggle|conf change|config change|"
		"configuration change|change gres|planned|scheduled|powered down");
}

/* "replace GPU 3": it is that one, and hardly for its age. */
static bool names_one_gpu(const char *words)
{
	for (const char *at = words; (at = strcasestr(at, "gpu")); at++) {
		size_t marks = strspn(at + 3, " #:"), digits = strspn(at + 3 + marks, "0123456789");

		if (digits == 1 || (digits == 2 && at[3 + marks] != '0'))
			return true;
	}
	return false;
}

static bool is_of_exchange(const char *words)
{
	return text_has_word_of(words, "swap|replac") && !names_one_gpu(words);
}

/* "ECC toggle" says of no error. */
static bool is_of_failure(const char *words)
{
	if (text_has_word_of(words, "ecc") && !text_has_word_of(words, "toggle|enabl|disabl"))
		return true;
	if (text_has_word_of(words, "not") && !text_has_word_of(words, "do not"))
		return true;
	if (text_has_word_of(words, "down") && !text_has_word_of(words, "powered down|downtime"))
		return true;
	return text_has_word_of(
		words,
		"fail|error|err|xid|lost|losing|fell|fall|dead|died|dying|missing|hang|hung|broken|bad|fault|defect|"
		"problem|issue|trouble|degraded|uncorrect|dbe|remap|retired page|page retire|crash|"
		"stuck|unresponsive|timeout|timed out|overheat|hot|mismatch|rma|suspect|unhealthy|wrong|inactive|"
		"corrupt|throttl|slow|drop|unavailable|cannot|can't|unable|no gpu|fewer");
}

/* Of a trouble of GPUs somebody may say what is to be done about it, too. */
enum slurm_reason slurm_reason_of(const char *words)
{
	bool is_of_gpus =
		text_has_word_of(words, "gpu|xid|nvlink|nvidia|check_nv|nvsmi|nvml|dcgm|cuda|rocm|amdgpu|vbios|ecc");

	if (text_has_word_of(words, "maint|upgrad|install|reserv|reimag") || is_test_to_come(words))
		return SLURM_PLANNED;
	if ((is_of_plan(words) || is_of_exchange(words)) && !is_of_failure(words))
		return SLURM_PLANNED;
	if (is_of_gpus)
		return SLURM_OF_GPUS;
	if (text_has_word_of(words, "reboot asap|reboot requested|reboot issued|reboot complete|rebooting"))
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
	{ "block", IN_USE }, { "cloud", IN_USE }, { "dynamic_norm", IN_USE }, { "dynamic_future", IN_USE },
	{ "npc", IN_USE },
	{ "perfctrs", IN_USE }, { "unk", IN_USE }, { "unknown", IN_USE },
	{ "down", OUT }, { "drain", OUT }, { "drained", OUT }, { "drng", OUT }, { "draining", OUT }, { "fail", OUT },
	{ "failg", OUT }, { "failing", OUT }, { "inval", OUT }, { "invid", OUT }, { "invalid_reg", OUT },
	{ "err", OUT },
	{ "error", OUT }, { "not_responding", OUT }, { "no_respond", OUT },
	{ "maint", PLANNED }, { "maintenance", PLANNED }, { "resv", PLANNED }, { "reserved", PLANNED },
	{ "futr", PLANNED },
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

static bool state_of(const char *word, size_t len, bool *ret_is_out, bool *ret_is_planned)
{
	const char *at = word, *end = word + len;

	*ret_is_out = *ret_is_planned = false;
	while (at < end) {
		const char *stop = next_state(at, end);
		size_t i = 0;

		while (i < ARRAY_SIZE(states) && (strlen(states[i].name) != (size_t)(stop - at) ||
						  strncasecmp(states[i].name, at, (size_t)(stop - at)) != 0))
			i++;
		if (i == ARRAY_SIZE(states))
			return false;
		*ret_is_out |= states[i].is == OUT;
		*ret_is_planned |= states[i].is == PLANNED;
		for (; stop < end && *stop != '+'; stop++) {
			*ret_is_out |= *stop == '*';
			*ret_is_planned |= *stop != '*' && *stop != '-';
		}
		at = stop + (stop < end);
	}
	return len;
}

bool slurm_is_state(const char *word, size_t len, bool *ret_is_out)
{
	bool is_out, is_planned, ret = state_of(word, len, &is_out, &is_planned);

	*ret_is_out = is_out && !is_planned;
	return ret;
}

bool slurm_is_in_use(const char *word, size_t len)
{
	bool is_out, is_planned;

	return !text_begins(word, "unk") && !text_begins(word, "UNK") && state_of(word, len, &is_out, &is_planned) &&
	       !is_out && !is_planned;
}
