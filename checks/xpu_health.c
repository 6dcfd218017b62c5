// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text_scan.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"

static bool says(const struct diagnostic_result *result, const char *words)
{
	return strcasestr(str_or(result->words, ""), words);
}

/* Its words name one of the states that Level Zero has for memory, xpu-smi's status only how bad that is. */
static enum finding_id of_memory(const struct diagnostic_result *result, bool is_failure)
{
	if (says(result, "should be replaced"))
		return XPU_HEALTH_MEMORY_REPLACE;
	return is_failure ? XPU_HEALTH_MEMORY_REDUCED : XPU_HEALTH_MEMORY_DEGRADED;
}

/* "… exceeds the threshold 70.": one that somebody set to be told early, below that of the GPU. */
static bool is_own_threshold(const struct gpu *gpu, const struct diagnostic_result *result)
{
	static const char before[] = "exceeds the threshold ";
	const char *at = strstr(str_or(result->words, ""), before);
	double limit = f64_or(strstr(str_or(result->key, ""), "memory") ? gpu->intel.memory_temperature_max_c :
									   gpu->intel.temperature_max_c, 0.0);
	bool fits = true;
	uint64_t number;

	at = at ? at + strlen(before) : NULL;
	return at && scan_u64(&at, 10, &number, &fits) && fits && limit > 0.0 && (double)number < limit;
}

static enum finding_id of_temperature(const struct gpu *gpu, const struct diagnostic_result *result, bool is_failure)
{
	if (is_own_threshold(gpu, result))
		return XPU_HEALTH_LIMITED;
	return is_failure ? XPU_HEALTH_OVERHEATED : XPU_HEALTH_HOT;
}

static enum finding_id of_link(const struct diagnostic_result *result, bool is_failure)
{
	if (says(result, "configured down"))
		return XPU_HEALTH_SETTING;
	return is_failure ? XPU_HEALTH_LINK_FAILED : XPU_HEALTH_LINK_DEGRADED;
}

/* A power limit is what the GPU is made for; heat and the power supply are not. */
static enum finding_id of_frequency(const struct diagnostic_result *result)
{
	return says(result, "thermal") || says(result, "power supply") ? XPU_HEALTH_THROTTLED : XPU_HEALTH_LIMITED;
}

/* Tests of the diagnostic about the node, or about other programs on the GPU. */
static enum finding_id of_test(const struct diagnostic_result *result, bool is_failure)
{
	bool is_software = !strncmp(str_or(result->key, ""), "software", 8);

	return is_failure && !is_software ? XPU_HEALTH_TEST_FAILED : XPU_HEALTH_SETTING;
}

static enum finding_id finding_of(const struct gpu *gpu, const struct diagnostic_result *result)
{
	bool is_failure = str_is(result->status, "fail");

	if (!is_failure && !str_is(result->status, "warn"))
		return NO_FINDING;
	if (str_is(result->category, "memory"))
		return of_memory(result, is_failure);
	if (str_is(result->category, "temperature"))
		return of_temperature(gpu, result, is_failure);
	if (str_is(result->category, "link"))
		return of_link(result, is_failure);
	if (str_is(result->category, "frequency"))
		return of_frequency(result);
	return str_is(result->category, "power") ? XPU_HEALTH_LIMITED : of_test(result, is_failure);
}

/* ": \"All ports …\"", and nothing where it gave no reason. */
static const char *said(struct judgement *j, const struct diagnostic_result *result)
{
	const char *words = str_or(result->words, "");
	size_t len = strlen(words);

	while (len && strchr(". ", words[len - 1]))
		len--;
	return len ? arena_printf(j->arena, ": \"%.*s\"", (int)len, words) : "";
}

/* As xpu-smi takes it: the address, or of a dump that has none the number in it, of which "gpu0" was made. */
static const char *device_of(const struct gpu *gpu)
{
	const char *key = str_or(gpu->key, "");

	return !strncmp(key, "gpu", 3) && is_digit(key[3]) ? key + 3 : key;
}

static void judge_result(struct judgement *j, const struct diagnostic_result *result)
{
	enum finding_id id = finding_of(j->gpu, result);

	question(j);
	need(j, diagnostic_result, result, status);
	if (id == NO_FINDING)
		return;
	want(j, diagnostic_result, result, category);
	want(j, diagnostic_result, result, words);
	phrase(j, "said", said(j, result));
	phrase(j, "part", str_or(result->key, ""));
	phrase(j, "intel_address", device_of(j->gpu));
	finding_add_of(j, id, str_or(result->key, ""));
}

/* "skip" is the word of a part whose health could not be told. */
static bool is_told(const struct diagnostic_result *result)
{
	return is_known(result->status) && !str_is(result->status, "skip");
}

static void eval(struct judgement *j)
{
	const struct gpu *gpu = j->gpu;
	size_t nr = gpu_vendor(gpu) == VENDOR_INTEL ? gpu->nr_diagnostics : 0, nr_told = 0;

	for (size_t i = 0; i < nr; i++)
		nr_told += is_told(&gpu->diagnostics[i]);
	if (!nr_told) {
		skip_check(j, nr ? "xpu-smi could tell the health of no part"
				 : "no output of xpu-smi health among imported dumps");
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (is_told(&gpu->diagnostics[i]))
			judge_result(j, &gpu->diagnostics[i]);
}

const struct check check_xpu_health = {
	.name = "xpu-health",
	.title = "Health by xpu-smi",
	.doc = "What did Intel's xpu-smi say of the GPU's parts (health) and in its diagnostic (diag), if its output was "
	       "imported? Memory to be replaced, a failed Xe Link or a failed test is a fault; heat and a degraded link are "
	       "warnings. A power limit, a port that is configured down, and a threshold set below the GPU's own are notes. "
	       "gpudiag itself does not run it.",
	.per = SUBJECT_GPU,
	.says = "no part that xpu-smi reports on is unhealthy",
	.may_emit = IDS(XPU_HEALTH_MEMORY_REPLACE, XPU_HEALTH_MEMORY_REDUCED, XPU_HEALTH_MEMORY_DEGRADED,
			XPU_HEALTH_OVERHEATED, XPU_HEALTH_HOT, XPU_HEALTH_THROTTLED, XPU_HEALTH_LINK_FAILED,
			XPU_HEALTH_LINK_DEGRADED, XPU_HEALTH_TEST_FAILED, XPU_HEALTH_LIMITED, XPU_HEALTH_SETTING),
	.eval = eval,
};
