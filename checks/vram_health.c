// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/all_ones.h"
#include "base/strbuf.h"
#include "checks/playbook.h"
#include "eval/judge/vendor.h"

/* Does the source have such a value? One that it does not have says nothing; one that was not read is missing. */
static bool applies(struct val_head head)
{
	return head.state != VAL_UNSET && head.state != VAL_UNSUPPORTED && head.state != VAL_ABSENT;
}

#define APPLIES(value) applies((struct val_head){ .state = (value).state })

/* ---- NVIDIA */

/* " (4 replaced so far)"; "" if unknown. */
static const char *rows_words(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t rows = want(j, nvml_gpu, nvml, rows_remapped_uncorrected);

	rows += want(j, nvml_gpu, nvml, rows_remapped_corrected);
	return rows ? arena_printf(j->arena, " (%llu remapped so far)", (unsigned long long)rows) : "";
}

/* Of lines that were searched for one may be there without the other. */
static bool remaps_rows(const struct nvml_gpu *nvml)
{
	return APPLIES(nvml->remap_failed) || bool_or(nvml->remap_pending, false);
}

static void judge_rows(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t none;

	question(j);
	if (!remaps_rows(nvml))
		return;
	if (need(j, nvml_gpu, nvml, remap_failed)) {
		want(j, nvml_gpu, nvml, banks_no_spares);
		phrase(j, "rows", rows_words(j, nvml));
		finding_add(j, VRAM_HEALTH_REMAP_FAILED);
	}
	question(j);
	if (need(j, nvml_gpu, nvml, remap_pending)) {
		phrase(j, "rows", rows_words(j, nvml));
		finding_add(j, VRAM_HEALTH_REMAP_PENDING);
	}
	question(j);
	if ((double)need(j, nvml_gpu, nvml, rows_remapped_uncorrected) >= j->policy->vram_rows_remapped_max) {
		derive(j, "rows_limit", UNIT_COUNT, j->policy->vram_rows_remapped_max, "the policy in force");
		finding_add(j, VRAM_HEALTH_MANY_ROWS);
	}
	question(j);
	none = want(j, nvml_gpu, nvml, banks_no_spares);
	if (none && !bool_or(nvml->remap_failed, false))
		finding_add(j, VRAM_HEALTH_NO_SPARES);
}

static void judge_pages(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t pages;

	question(j);
	if (!APPLIES(nvml->retirement_pending))
		return;
	pages = want(j, nvml_gpu, nvml, pages_retired_single_bit) + want(j, nvml_gpu, nvml, pages_retired_double_bit);
	if (need(j, nvml_gpu, nvml, retirement_pending)) {
		phrase(j, "pages", pages ? arena_printf(j->arena, " (%llu so far)", (unsigned long long)pages) : "");
		finding_add(j, VRAM_HEALTH_RETIREMENT_PENDING);
	}
	if ((double)pages < j->policy->vram_pages_retired_max)
		return;
	derive(j, "pages_retired", UNIT_COUNT, (double)pages, "pages_retired_single_bit + pages_retired_double_bit");
	derive(j, "pages_limit", UNIT_COUNT, j->policy->vram_pages_retired_max, "the policy in force");
	finding_add(j, VRAM_HEALTH_MANY_PAGES);
}

/* " (DRAM)", " (SRAM)": the GPU's memory, and on-chip memory; "" if unknown. */
static const char *where_words(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t dram = want(j, nvml_gpu, nvml, dram_uncorrected), sram = want(j, nvml_gpu, nvml, sram_uncorrected);

	if (dram && sram)
		return " (DRAM and SRAM)";
	return dram ? " (DRAM)" : sram ? " (SRAM)" : "";
}

static void judge_counts(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t errors;

	question(j);
	if (!APPLIES(nvml->ecc_uncorrected))
		return;
	errors = need(j, nvml_gpu, nvml, ecc_uncorrected);
	if (errors) {
		derive(j, "errors", UNIT_COUNT, (double)errors, "ecc_uncorrected");
		phrase(j, "where", where_words(j, nvml));
		finding_add(j, VRAM_HEALTH_UNCORRECTED);
	}
	question(j);
	if ((double)want(j, nvml_gpu, nvml, ecc_corrected) >= j->policy->vram_ecc_corrected_note)
		finding_add(j, VRAM_HEALTH_MANY_CORRECTED);
}

/* Not all of its past is mended. */
static bool is_failing(const struct nvml_gpu *nvml)
{
	return u64_or(nvml->ecc_uncorrected, 0) || bool_or(nvml->remap_failed, false) ||
	       bool_or(nvml->memory_unrepairable, false);
}

/* What its counters remember and is mended: "2 errors not corrected", "1 row replaced", "3 pages taken out of use". */
static void judge_past(struct judgement *j, const struct nvml_gpu *nvml)
{
	STRBUF_AUTO past = STRBUF_INIT;
	uint64_t errors, rows, pages;

	question(j);
	errors = want(j, nvml_gpu, nvml, ecc_uncorrected_lifetime);
	rows = want(j, nvml_gpu, nvml, rows_remapped_uncorrected);
	pages = want(j, nvml_gpu, nvml, pages_retired_double_bit) + want(j, nvml_gpu, nvml, pages_retired_single_bit);
	if (is_failing(nvml) || (!errors && !rows && !pages))
		return;
	if (errors)
		strbuf_addf(&past, "lifetime uncorrected errors: %llu", (unsigned long long)errors);
	if (rows)
		strbuf_addf(&past, "%srows remapped: %llu", past.len ? ", " : "", (unsigned long long)rows);
	if (pages)
		strbuf_addf(&past, "%spages retired: %llu", past.len ? ", " : "", (unsigned long long)pages);
	derive_str(j, "past", arena_strdup(j->arena, past.buf), "its lifetime counters");
	finding_add(j, VRAM_HEALTH_PAST);
}

/* ECC that is off because the board comes so (GeForce, workstation cards) was not set by anyone. */
static void judge_mode(struct judgement *j, const struct nvml_gpu *nvml)
{
	bool is_on, will_be_on;

	question(j);
	if (!APPLIES(nvml->ecc_enabled))
		return;
	is_on = need(j, nvml_gpu, nvml, ecc_enabled);
	if (!is_on && bool_or(nvml->ecc_default, true))
		finding_add(j, VRAM_HEALTH_ECC_OFF);
	if (!is_known(nvml->ecc_pending))
		return;
	will_be_on = want(j, nvml_gpu, nvml, ecc_pending);
	if (all_known(j) && is_on != will_be_on) {
		phrase(j, "now", is_on ? "on" : "off");
		phrase(j, "then", will_be_on ? "on" : "off");
		finding_add(j, VRAM_HEALTH_ECC_PENDING);
	}
}

/* What may be denied to some users or unknown to older drivers, and says no more than yes or no. */
static void judge_flags(struct judgement *j, const struct nvml_gpu *nvml)
{
	uint64_t errors;

	question(j);
	if (want(j, nvml_gpu, nvml, memory_unrepairable))
		finding_add(j, VRAM_HEALTH_UNREPAIRABLE);
	question(j);
	if (want(j, nvml_gpu, nvml, sram_threshold_exceeded)) {
		errors = want(j, nvml_gpu, nvml, sram_uncorrected_lifetime);
		phrase(j, "so_many", errors ? arena_printf(j->arena, " (%llu in its lifetime)",
							   (unsigned long long)errors) : "");
		finding_add(j, VRAM_HEALTH_SRAM_THRESHOLD);
	}
	question(j);
	if (want(j, nvml_gpu, nvml, channel_repair_pending)) {
		phrase(j, "part", "memory channel");
		finding_add_of(j, VRAM_HEALTH_REPAIR_PENDING, "channel");
	}
	question(j);
	if (want(j, nvml_gpu, nvml, tpc_repair_pending)) {
		phrase(j, "part", "processor cluster (TPC)");
		finding_add_of(j, VRAM_HEALTH_REPAIR_PENDING, "tpc");
	}
	question(j);
	if (is_known(nvml->inforom_valid) && !want(j, nvml_gpu, nvml, inforom_valid))
		finding_add(j, VRAM_HEALTH_INFOROM);
}

static void judge_recovery(struct judgement *j, const struct nvml_gpu *nvml)
{
	static const struct {
		const char *action;
		enum finding_id id;
	} asked[] = {
		{ "none", NO_FINDING },
		{ "reset-gpu", VRAM_HEALTH_ASKS_RESET },
		{ "reboot-node", VRAM_HEALTH_ASKS_REBOOT },
		{ "drain-p2p", VRAM_HEALTH_ASKS_DRAIN_P2P },
		{ "drain-and-reset", VRAM_HEALTH_ASKS_DRAIN },
	};
	enum finding_id id = VRAM_HEALTH_ASKS_OTHER;

	question(j);
	if (!is_known(nvml->recovery_action))
		return;
	want(j, nvml_gpu, nvml, recovery_action);
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (str_is(nvml->recovery_action, asked[i].action))
			id = asked[i].id;
	if (id != NO_FINDING)
		finding_add(j, id);
}

/* What a pass stands on: totals that this GPU does not count are no "no errors". */
static const char *health_words(const struct nvml_gpu *nvml)
{
	if (APPLIES(nvml->ecc_uncorrected))
		return "no VRAM errors";
	if (APPLIES(nvml->remap_failed))
		return "no VRAM row failed or pending; error totals not supported";
	return "no VRAM page retirement pending; error totals not supported";
}

static void judge_nvidia(struct judgement *j)
{
	const struct nvml_gpu *nvml = &j->gpu->nvml;

	if (!vendor_reports(j, "handle"))
		return;
	need(j, nvml_gpu, nvml, handle);
	if (!all_known(j))
		return;
	phrase(j, "health", health_words(nvml));
	judge_mode(j, nvml);
	judge_counts(j, nvml);
	judge_rows(j, nvml);
	judge_pages(j, nvml);
	judge_past(j, nvml);
	judge_flags(j, nvml);
	judge_recovery(j, nvml);
	if (!APPLIES(nvml->ecc_uncorrected) && !remaps_rows(nvml) && !APPLIES(nvml->retirement_pending))
		skip_check(j, is_known(nvml->ecc_enabled) ? "ECC is off: no memory error counters" :
							    "no ECC: no memory error counters");
}

/* ---- AMD */

/* "unknown" is no block's name: its counts are of all together. */
static void tell_block(struct judgement *j, const struct ras_block *block)
{
	const char *name = str_or(block->key, "?");

	derive_str(j, "block", name, "ras/*_err_count");
	phrase(j, "where", strcmp(name, "unknown") ? arena_printf(j->arena, " in block %s", name) : "");
}

static void judge_block(struct judgement *j, const struct ras_block *block)
{
	bool is_memory = str_is(block->key, "umc");
	uint64_t errors;

	question(j);
	errors = need(j, ras_block, block, uncorrected);
	if (is_all_ones_errors(errors)) {
		derive_str(j, "block", str_or(block->key, "?"), "ras/*_err_count");
		finding_add_of(j, VRAM_HEALTH_BLOCK_UNREADABLE, str_or(block->key, NULL));
		unknown(j, "failed: the error counter reads all ones");
		return;
	}
	if (errors && is_memory) {
		derive(j, "errors", UNIT_COUNT, (double)errors, "uncorrected of block umc");
		phrase(j, "where", "");
		finding_add(j, VRAM_HEALTH_UNCORRECTED);
	} else if (errors) {
		tell_block(j, block);
		finding_add_of(j, VRAM_HEALTH_BLOCK, str_or(block->key, NULL));
	}
	question(j);
	if (want(j, ras_block, block, deferred)) {
		tell_block(j, block);
		finding_add_of(j, VRAM_HEALTH_DEFERRED, str_or(block->key, NULL));
	}
	question(j);
	if (is_memory && (double)want(j, ras_block, block, corrected) >= j->policy->vram_ecc_corrected_note) {
		derive(j, "ecc_corrected", UNIT_COUNT, (double)u64_or(block->corrected, 0), "corrected of block umc");
		finding_add(j, VRAM_HEALTH_MANY_CORRECTED);
	}
}

/* What is left of a total where the blocks of other dumps account for the rest. */
static void take_off(struct val_u64 *total, struct val_u64 part)
{
	uint64_t number = u64_or(*total, 0), counted = u64_or(part, 0);
	uint32_t from = total->from;

	if (!is_known(*total) || value_from_source(from) == value_from_source(part.from))
		return;
	*total = val_u64(number > counted ? number - counted : 0);
	total->from = from;
}

/*
 * Block "unknown" is a total, without what the blocks of the same dump account for. Two commands of one node tell of
 * the same errors, one by a total and one by blocks, which are to be counted once.
 */
static const struct ras_block *without_others(struct judgement *j, const struct ras_block *block,
					      const struct amdgpu_files *files)
{
	struct ras_block *ret;

	if (!str_is(block->key, "unknown") || !value_from_source(block->uncorrected.from))
		return block;
	ret = arena_alloc(j->arena, sizeof(*ret));
	*ret = *block;
	for (size_t i = 0; i < files->nr_ras; i++) {
		const struct ras_block *other = &files->ras[i];

		if (other == block)
			continue;
		take_off(&ret->uncorrected, other->uncorrected);
		take_off(&ret->corrected, other->corrected);
		take_off(&ret->deferred, other->deferred);
	}
	return ret;
}

static void judge_bad_pages(struct judgement *j, const struct amdgpu_files *files)
{
	uint64_t pages, pending;

	question(j);
	if (want(j, amdgpu_files, files, bad_page_threshold_exceeded))
		finding_add(j, VRAM_HEALTH_PAGE_THRESHOLD);
	question(j);
	/* A dump may tell of one kind of them only. */
	if (APPLIES(files->unretired_bad_pages) && need(j, amdgpu_files, files, unretired_bad_pages))
		finding_add(j, VRAM_HEALTH_UNRETIRED);
	question(j);
	pages = want(j, amdgpu_files, files, bad_pages);
	pending = want(j, amdgpu_files, files, pending_bad_pages);
	if (pending) {
		phrase(j, "pages", arena_printf(j->arena, " (%llu)", (unsigned long long)pending));
		finding_add(j, VRAM_HEALTH_RETIREMENT_PENDING);
	}
	if (pages) {
		derive_str(j, "past", arena_printf(j->arena, "pages taken out of use: %llu", (unsigned long long)pages),
			   "ras/gpu_vram_bad_pages");
		finding_add(j, VRAM_HEALTH_PAST);
	}
}

static bool tells_of_pages(const struct amdgpu_files *files)
{
	return is_known(files->bad_pages) || is_known(files->pending_bad_pages) ||
	       is_known(files->unretired_bad_pages) || bool_or(files->bad_page_threshold_exceeded, false);
}

/* Of a dump that tells of pages, by what it tells of them. */
static const char *pages_words(const struct amdgpu_files *files)
{
	if (is_known(files->pending_bad_pages))
		return "no bad VRAM page pending; error counts not collected";
	if (is_known(files->unretired_bad_pages))
		return "no bad VRAM page left in use; error counts not collected";
	return "no retired VRAM page; pending pages and error counts not collected";
}

static void judge_amd(struct judgement *j)
{
	const struct amdgpu_files *files = &j->gpu->amdgpu;
	/* A dump may tell of its pages alone. */
	bool only_pages = files->ras_blocks.state == VAL_UNSET && tells_of_pages(files);

	if (!only_pages && !vendor_reports(j, "ras_blocks"))
		return;
	if (!only_pages && !need(j, amdgpu_files, files, ras_blocks) && all_known(j)) {
		skip_check(j, "its driver counts no errors of its memory");
		return;
	}
	phrase(j, "health", only_pages ? pages_words(files) : "no VRAM errors");
	for (size_t i = 0; i < files->nr_ras; i++)
		judge_block(j, without_others(j, &files->ras[i], files));
	judge_bad_pages(j, files);
}

/* Its driver's files have no counters; xpu-smi has them from the firmware. */
static void judge_intel(struct judgement *j)
{
	const struct intel_files *files = &j->gpu->intel;

	phrase(j, "health", "no VRAM errors");
	need(j, intel_files, files, error_counters);
	for (size_t i = 0; i < files->nr_ras; i++)
		judge_block(j, &files->ras[i]);
}

static void eval(struct judgement *j)
{
	switch (gpu_vendor(j->gpu)) {
	case VENDOR_NVIDIA:
		judge_nvidia(j);
		break;
	case VENDOR_AMD:
		judge_amd(j);
		break;
	default:
		/* Of Gaudi hl-smi has counters, too. */
		if (is_known(j->gpu->intel.error_counters)) {
			judge_intel(j);
			break;
		}
		/* Says why: given away, no driver, or one that counts none. */
		if (vendor_reports(j, "ras_blocks"))
			skip_check(j, "its driver counts no errors of its memory");
		break;
	}
}

const struct check check_vram_health = {
	.name = "vram-health",
	.title = "VRAM health",
	.doc = "Is the GPU's memory losing data, or is a repair pending? Uncorrected errors since the driver was "
	       "loaded, failed row remaps or page retirements, and actions required by the driver are faults; repairs "
	       "pending until a reset are warnings. Corrected and repaired errors are what ECC and spare rows are "
	       "for. Reported by NVIDIA's library (NVML) and amdgpu's files (RAS) only.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_VENDOR,
	.says = "{health}",
	.may_emit = IDS(
		VRAM_HEALTH_REMAP_FAILED, VRAM_HEALTH_UNREPAIRABLE, VRAM_HEALTH_SRAM_THRESHOLD, VRAM_HEALTH_MANY_ROWS,
		VRAM_HEALTH_MANY_PAGES, VRAM_HEALTH_UNRETIRED, VRAM_HEALTH_PAGE_THRESHOLD, VRAM_HEALTH_UNCORRECTED,
		VRAM_HEALTH_BLOCK, VRAM_HEALTH_BLOCK_UNREADABLE, VRAM_HEALTH_ASKS_REBOOT, VRAM_HEALTH_ASKS_RESET,
		VRAM_HEALTH_ASKS_DRAIN, VRAM_HEALTH_ASKS_DRAIN_P2P, VRAM_HEALTH_REMAP_PENDING,
		VRAM_HEALTH_RETIREMENT_PENDING, VRAM_HEALTH_REPAIR_PENDING, VRAM_HEALTH_INFOROM,
		VRAM_HEALTH_ASKS_OTHER, VRAM_HEALTH_NO_SPARES, VRAM_HEALTH_PAST, VRAM_HEALTH_MANY_CORRECTED,
		VRAM_HEALTH_DEFERRED, VRAM_HEALTH_ECC_OFF, VRAM_HEALTH_ECC_PENDING),
	.eval = eval,
};
