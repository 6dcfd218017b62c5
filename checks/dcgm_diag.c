// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "checks/playbook.h"
#include "eval/facts/models.h"
#include "eval/judge/vendor.h"

enum { MAX_SAID = 160 };	/* of what a sentence quotes */

/* Of DCGM before 4 and of its table the words alone tell what is a setting of the node, or other work on it. */
static bool is_setting(const struct diagnostic_result *result)
{
	static const char *const settings[] = {
		"ersistence mode", "graphics process", "is running graphics", "environment variable", "root privileges",
		"CUDA_VISIBLE_DEVICES",
	};
	const char *words = str_or(result->words, "");

	/* The daemon that joins nodes of a rack runs only where somebody set it up. */
	if (str_is(result->key, "IMEX_UNHEALTHY") || strstr(words, "IMEX daemon status"))
		return true;
	if (is_known(result->severity))
		return str_is(result->severity, "configure");
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (strcasestr(words, settings[i]))
			return true;
	return false;
}

/* The same of heat: "Thermal violations totaling 13.3 seconds". */
static bool is_thermal(const struct diagnostic_result *result)
{
	if (is_known(result->category))
		return str_is(result->category, "thermal") || str_is(result->category, "power");
	return strcasestr(str_or(result->words, ""), "thermal violation") ||
	       strcasestr(str_or(result->words, ""), "power violation");
}

/* And of the memory, whose words are plain. */
static bool is_hardware(const struct diagnostic_result *result)
{
	static const char *const faults[] = { "uncorrectable memory error", "row remap", "volatile DBE", "double bit",
					      "double-bit", "fallen off the bus", "fell off the bus", "fallen off bus",
					      "corrupt InfoROM" };

	if (is_known(result->category))
		return str_is(result->category, "hardware");
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (strcasestr(str_or(result->words, ""), faults[i]))
			return true;
	return false;
}

/* Not DCGM's, and not gpu-burn's: node_check.c and rocm_bandwidth.c say before the test's name whose it is. */
static bool is_of_others(const struct diagnostic_result *result)
{
	static const char *const whose[] = { "NHC's ", "RVS's ", "the metrics exporter's ", "gpud's ",
					     "the node's condition ", "rocm_bandwidth_test's " };

	return text_begins_any(str_or(result->key, ""), whose, ARRAY_SIZE(whose));
}

/* What their words point to: sites write such checks themselves. */
static enum finding_id finding_of_others(const struct diagnostic_result *result)
{
	static const char *const hardware[] = { "uncorrectable ecc", "row remap", "retirement table full",
						"crc-32 mismatch", "fallen off", "double bit", "doublebit",
						"wrong data from" };
	static const char *const link[] = { "nvlinks inactive", "inactive nvlink", "nvlink inactive",
					    "nvlinkstatusinactive", "nvidianvlinkerror" };
	const char *words = str_or(result->words, "");
	size_t row;

	if (!str_is(result->status, "fail"))
		return str_is(result->status, "warn") ? DCGM_DIAG_CHECK_WARNED : NO_FINDING;
	if (text_find_row(words, hardware, sizeof(*hardware), ARRAY_SIZE(hardware), true, &row))
		return DCGM_DIAG_CHECK_HARDWARE;
	return text_find_row(words, link, sizeof(*link), ARRAY_SIZE(link), true, &row) ? DCGM_DIAG_CHECK_LINK :
											   DCGM_DIAG_CHECK_FAILED;
}

/* DCGM's own: "There was an internal error during the test: 'A child process (152) exited with non-zero status 1'". */
static bool is_internal(const struct diagnostic_result *result)
{
	static const char *const said[] = { "A child process", "Output of child process" };
	const char *words = str_or(result->words, "");

	return strstr(words, "internal error during the test") && text_has_any(words, said, ARRAY_SIZE(said));
}

/* "GPU 0's NvLink link 3 is currently down", or by its name. */
static bool is_nvlink_down(const struct diagnostic_result *result)
{
	const char *words = str_or(result->words, "");

	return strstr(str_or(result->key, ""), "NVLINK_DOWN") ||
	       (strcasestr(words, "NvLink link") && strstr(words, "currently down"));
}

/* Transfers are repeated: no failure of the GPU. */
static bool is_repeating(const struct diagnostic_result *result)
{
	return strstr(str_or(result->words, ""), "PCIe replays per minute");
}

static bool has_link_up(const struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->nr_links; i++)
		if (str_is(gpu->links[i].state, "active") || str_is(gpu->links[i].state, "sleep"))
			return true;
	return u64_or(gpu->nvml.nvlinks_active, 0) > 0;
}

/* DCGM does not ask whether a card has a bridge. Modules are joined by their board, cards if a twin has a link up. */
static bool should_have_links(const struct judgement *j)
{
	static const char *const modules[] = { "SXM", "HGX" };
	const char *name = j->gpu ? str_or(j->gpu->nvml.name, str_or(j->gpu->pci.model, "")) : "";

	if (!j->gpu)
		return false;
	if (gpu_is_module_by_name(j->gpu) || text_has_any(name, modules, ARRAY_SIZE(modules)))
		return true;
	for (size_t i = 0; *name && i < j->snapshot->nr_gpus; i++) {
		const struct gpu *twin = &j->snapshot->gpus[i];

		if (!strcmp(str_or(twin->nvml.name, str_or(twin->pci.model, "")), name) && has_link_up(twin))
			return true;
	}
	return false;
}

/*
 * dcgmi's health report names each link that is down, of a card without a bridge all from 0 on: a GPU whose link 0 is
 * not among them has others.
 */
static bool has_other_links(const struct judgement *j, const struct diagnostic_result *result)
{
	return j->gpu && list_find(j->gpu, diagnostics, diagnostic_result, "health") &&
	       !strcasestr(str_or(result->words, ""), "NvLink link 0 ");
}

/* Full load at the power limit, and errors that were corrected, are no fault, whatever is to be done. */
static bool is_no_fault(const struct diagnostic_result *result)
{
	static const char *const said[] = { "power cap", "single-bit", "single bit", "volatile SBE" };
	const char *words = str_or(result->words, "");
	size_t row;

	return strstr(str_or(result->key, ""), "VOLATILE_SBE") ||
	       text_find_row(words, said, sizeof(*said), ARRAY_SIZE(said), true, &row);
}

static enum finding_id finding_of(const struct judgement *j, const struct diagnostic_result *result)
{
	bool is_failure = str_is(result->status, "fail");

	if (is_of_others(result))
		return finding_of_others(result);
	if (!is_failure && !str_is(result->status, "warn"))
		return NO_FINDING;
	if (str_is(result->key, "gpu-burn"))
		return is_failure ? DCGM_DIAG_BURN_WRONG : DCGM_DIAG_BURN_STOPPED;
	if (str_is(result->key, "memtest_vulkan"))
		return DCGM_DIAG_MEMORY_WRONG;
	if (is_setting(result))
		return DCGM_DIAG_SETTING;
	if (is_internal(result))
		return DCGM_DIAG_INTERNAL;
	if (is_nvlink_down(result) && !should_have_links(j) && !has_other_links(j, result))
		return DCGM_DIAG_NVLINK_DOWN;
	if (is_nvlink_down(result) || is_repeating(result))
		return DCGM_DIAG_LINK;
	if (!is_failure && is_no_fault(result))
		return DCGM_DIAG_MILD;
	if (is_thermal(result))
		return is_failure ? DCGM_DIAG_THERMAL_POWER : DCGM_DIAG_THERMAL_WARNED;
	if (!is_failure)
		return DCGM_DIAG_WARNED;
	return is_hardware(result) ? DCGM_DIAG_HARDWARE : DCGM_DIAG_FAILED;
}

/*
 * A test that did not get as far as the hardware: a call of CUDA or of the driver failed before it began. DCGM 4 says
 * so by its category, others in their words.
 */
static bool is_of_driver(const struct diagnostic_result *result)
{
	static const char *const said[] = { "Error using CUDA API", "system not yet initialized", "busy or unavailable",
					    "unable to initialize", "Unable to initialize", "initialization error" };

	return str_is(result->category, "software") || text_has_any(str_or(result->words, ""), said, ARRAY_SIZE(said));
}

/* ": \"Thermal violations totaling …\"", and nothing where it gave no reason. */
static const char *said(struct judgement *j, const struct diagnostic_result *result)
{
	const char *words = str_or(result->words, "");
	size_t len = strlen(words);

	while (len && strchr(". ", words[len - 1]))
		len--;
	if (len <= MAX_SAID)
		return len ? arena_printf(j->arena, ": \"%.*s\"", (int)len, words) : "";
	for (len = MAX_SAID; (len > MAX_SAID / 2 && words[len] != ' ') || ((unsigned char)words[len] & 0xc0) == 0x80;)
		len--;
	return arena_printf(j->arena, ": \"%.*s …\"", (int)len, words);
}

/* "…: 'system not yet initialized'": no test began, and what programs were told says why. */
static bool is_not_ready(const struct judgement *j, const struct diagnostic_result *result)
{
	return strstr(str_or(result->words, ""), "system not yet initialized") &&
	       list_find(j->snapshot, program_errors, program_error, "not-ready");
}

/*
 * gpu-burn ended on the GPU by an error of CUDA. Where it did so on each, they have the cause in common; one of several
 * may be at fault itself.
 */
static void point_for_burn(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	size_t nr_died = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct diagnostic_result *burn =
			list_find(&snapshot->gpus[i], diagnostics, diagnostic_result, "gpu-burn");

		nr_died += burn && str_is(burn->status, "warn");
	}
	/* What it had in common with others, or not, one GPU alone does not tell. */
	if (snapshot->nr_gpus < 2)
		return;
	if (nr_died == snapshot->nr_gpus)
		question_blames(j, BLAME_APPLICATION,
				"It died on each GPU: it was built for other GPUs or another CUDA, or found no memory left.");
	else
		question_blames(j, BLAME_HARDWARE, "It died on this GPU, and not on all of the machine.");
}

static void judge_result(struct judgement *j, const struct diagnostic_result *result)
{
	enum finding_id id = finding_of(j, result);

	question(j);
	need(j, diagnostic_result, result, status);
	if (str_is(result->status, "not-run")) {
		phrase(j, "words", str_or(result->words, "no reason given"));
		unknown(j, "DCGM's diagnostic did not run: {words}");
		return;
	}
	if (id != NO_FINDING && is_not_ready(j, result)) {
		unknown(j, "DCGM's diagnostic did not run: system not yet initialized");
		return;
	}
	if (id == NO_FINDING)
		return;
	want(j, diagnostic_result, result, severity);
	want(j, diagnostic_result, result, category);
	want(j, diagnostic_result, result, words);
	phrase(j, "said", said(j, result));
	phrase(j, "test", str_or(result->key, ""));
	phrase(j, "device", j->gpu ? "" : "The node ");
	if ((id == DCGM_DIAG_FAILED || id == DCGM_DIAG_WARNED) && is_of_driver(result))
		question_blames(
			j, BLAME_DRIVER,
			"By its words the driver, or what it needs, failed before the test reached the hardware.");
	if (id == DCGM_DIAG_BURN_STOPPED)
		point_for_burn(j);
	finding_add_of(j, id, str_or(result->key, ""));
	if (id == DCGM_DIAG_INTERNAL)
		unknown(j, "DCGM's test {test} failed itself");
}

/* What a report of health watches says of all of them, beside what it says of each. */
static bool is_told_by_others(const struct diagnostic_result *results, size_t nr, const struct diagnostic_result *all)
{
	if (!str_is(all->key, "health") || is_known(all->words))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (&results[i] != all && (str_is(results[i].status, "fail") || str_is(results[i].status, "warn")))
			return true;
	return false;
}

/* How many tests of all GPUs failed, where one of them is told by itself. Of a GPU it is the test of that name. */
static bool is_sum_of_others(const struct judgement *j, const struct diagnostic_result *sum)
{
	const struct snapshot *snapshot = j->snapshot;

	if (j->gpu || !str_is(sum->key, "diagnostic") || is_hardware(sum))
		return false;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		for (size_t k = 0; k < snapshot->gpus[i].nr_diagnostics; k++)
			if (str_is(snapshot->gpus[i].diagnostics[k].status, "fail"))
				return true;
	for (size_t i = 0; i < snapshot->nr_diagnostics; i++)
		if (&snapshot->diagnostics[i] != sum && str_is(snapshot->diagnostics[i].status, "fail"))
			return true;
	return false;
}

static void eval(struct judgement *j)
{
	const struct diagnostic_result *results = j->gpu ? j->gpu->diagnostics : j->snapshot->diagnostics;
	size_t nr = j->gpu ? j->gpu->nr_diagnostics : j->snapshot->nr_diagnostics, nr_skipped = 0;

	/* Of Intel's GPUs xpu-smi told them: check xpu-health. */
	nr = j->gpu && gpu_vendor(j->gpu) == VENDOR_INTEL ? 0 : nr;
	for (size_t i = 0; i < nr; i++)
		nr_skipped += str_is(results[i].status, "skip");
	if (nr_skipped == nr) {
		skip_check(j, nr ? "DCGM skipped its tests" : "no result of DCGM's diagnostic among imported dumps");
		return;
	}
	for (size_t i = 0; i < nr; i++)
		if (!str_is(results[i].status, "skip") && !is_told_by_others(results, nr, &results[i]) &&
		    !is_sum_of_others(j, &results[i]))
			judge_result(j, &results[i]);
}

const struct check check_dcgm_diag = {
	.name = "dcgm-diag",
	.title = "DCGM's diagnostic",
	.doc = "What did a run of NVIDIA's dcgmi diag say, whose output was imported? Each test that it failed or warned "
	       "of is a finding in DCGM's own words; a test that it skipped is no pass. That persistence mode is off, "
	       "or that other programs use the GPU, is a note; so are warnings of power capping and of corrected errors, "
	       "and NVLinks that are down on a card none of whose twins has one up. What gpu-burn and memtest_vulkan found is judged here too, "
	       "and what health checks of nodes (NHC, RVS, gpud, AMD's metrics exporter) say of GPUs, and copies of "
	       "rocm_bandwidth_test that arrived wrong. gpudiag runs none of them.",
	.per = SUBJECT_NODE_AND_GPUS,
	.says = "no test of a diagnostic or health check failed",
	.may_emit = IDS(DCGM_DIAG_HARDWARE, DCGM_DIAG_THERMAL_POWER, DCGM_DIAG_THERMAL_WARNED, DCGM_DIAG_LINK,
			DCGM_DIAG_NVLINK_DOWN, DCGM_DIAG_MILD, DCGM_DIAG_FAILED, DCGM_DIAG_WARNED, DCGM_DIAG_SETTING,
			DCGM_DIAG_INTERNAL, DCGM_DIAG_BURN_WRONG, DCGM_DIAG_BURN_STOPPED, DCGM_DIAG_MEMORY_WRONG,
			DCGM_DIAG_CHECK_HARDWARE,
			DCGM_DIAG_CHECK_LINK, DCGM_DIAG_CHECK_FAILED, DCGM_DIAG_CHECK_WARNED),
	.eval = eval,
};
