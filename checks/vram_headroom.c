// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/holders.h"
#include "eval/facts/memory_use.h"
#include "eval/judge/vendor.h"
#include "eval/log/kernel_log.h"

/* True, with what the policy says as evidence, where a team wants to be warned of so much. */
static bool is_above_limit(struct judgement *j, uint64_t used, uint64_t total)
{
	double limit = j->policy->vram_warn_ratio * (double)total;

	if (limit <= 0.0 || (double)used < limit)
		return false;
	derive(j, "vram_limit_bytes", UNIT_BYTES, limit, "vram.warn_ratio × vram_total_bytes");
	derive_str(j, "limited_by", policy_origin(j->arena, j->policy, POLICY_ROW_vram_warn_ratio),
		   "the policy in force");
	return true;
}

/* The kernel log has a failed allocation on this GPU, and no event since that ended it. */
static const struct klog_event *refusal(struct judgement *j)
{
	for (size_t i = 0; i < j->log->nr; i++) {
		const struct log_incident *incident = &j->log->incidents[i];

		if (incident->place != INCIDENT_OF_GPU || incident->gpu != j->gpu)
			continue;
		for (size_t k = 0; k < incident->incident->nr; k++) {
			const struct klog_event *event = incident->incident->events[k];

			if (event->row == KLOG_ROW_AMDGPU_OUT_OF_MEMORY && event->currency == KLOG_CURRENT &&
			    !log_is_old(event, j->log->now, j->log->limits.current_s))
				return event;
		}
	}
	return NULL;
}

/*
 * What shows that somebody wants more than is left, as words that go on after the figures; NULL: nothing does. Several
 * tenants that took theirs in advance do not: many a GPU is shared so on purpose.
 */
static const char *effect(struct judgement *j)
{
	const struct klog_event *event = refusal(j);
	const char *when;

	if (!event)
		return NULL;
	when = event_time(j->arena, j->log, &event->last);
	return arena_printf(j->arena, "allocations failed (kernel log%s%s)", *when ? ", " : "", when);
}

static enum finding_id finding_of(struct judgement *j, uint64_t used, uint64_t total)
{
	double share = (double)used / (double)total;
	const char *words;

	if (is_above_limit(j, used, total))
		return VRAM_HEADROOM_LIMIT;
	words = share >= j->policy->vram_short_ratio ? effect(j) : NULL;
	if (words) {
		derive_str(j, "effect", words, "the kernel log");
		return VRAM_HEADROOM_SHORT;
	}
	if (share >= j->policy->vram_full_ratio)
		return VRAM_HEADROOM_NONE;
	return share >= j->policy->vram_note_ratio ? VRAM_HEADROOM_LOW : NO_FINDING;
}

static void judge_memory(struct judgement *j, uint64_t used, uint64_t total, const char *instance)
{
	const char *holders = instance ? NULL : gpu_holders(j->arena, j->snapshot, j->users, j->gpu);
	enum finding_id id = finding_of(j, used, total);

	if (id == NO_FINDING)
		return;
	phrase(j, "part", instance ? arena_printf(j->arena, " of MIG instance %s", instance) : "");
	phrase(j, "held", holders ? arena_printf(j->arena, ", held by %s", holders) : "");
	finding_add_of(j, id, instance);
}

/* Each has memory of its own: the GPU's sum says nothing of the one that is full. */
static void judge_instances(struct judgement *j)
{
	const struct gpu_instance *fullest = NULL;
	double most = -1.0;

	for (size_t i = 0; i < j->gpu->nr_instances; i++) {
		const struct gpu_instance *instance = &j->gpu->instances[i];
		uint64_t used, total;

		question(j);
		about(j, arena_printf(j->arena, "instance %s", str_or(instance->key, "?")));
		total = need(j, gpu_instance, instance, vram_total_bytes);
		used = need(j, gpu_instance, instance, vram_used_bytes);
		if (!all_known(j) || !total)
			continue;
		judge_memory(j, used, total, str_or(instance->key, "?"));
		if ((double)used / (double)total <= most)
			continue;
		most = (double)used / (double)total;
		fullest = instance;
	}
	if (!fullest)
		return;
	/* Evidence shown on the stage line when the check passes: the fullest GPU instance. */
	question(j);
	about(j, arena_printf(j->arena, "instance %s", str_or(fullest->key, "?")));
	want(j, gpu_instance, fullest, vram_total_bytes);
	want(j, gpu_instance, fullest, vram_used_bytes);
	phrase(j, "per", "in the fullest MIG instance");
}

static void judge_gpu(struct judgement *j)
{
	uint64_t total, used;

	if (!vendor_reports(j, "vram_total_bytes") || !vendor_reports(j, "vram_used_bytes"))
		return;
	total = need_vendor_u64(j, "vram_total_bytes");
	used = need_vendor_u64(j, "vram_used_bytes");
	phrase(j, "per", "per GPU");
	if (!all_known(j))
		return;
	if (!total)
		skip_check(j, "no VRAM");
	else
		judge_memory(j, used, total, NULL);
}

/* Used memory is an application's affair: frameworks take nearly all of it and share it out themselves. */
static void eval(struct judgement *j)
{
	if (gpu_shares_main_memory(j->snapshot, j->gpu))
		skip_check(j, "shares host memory with the CPU (memory-available)");
	else if (bool_or(j->gpu->nvml.mig_enabled, false) && j->gpu->nr_instances)
		judge_instances(j);
	else
		judge_gpu(j);
}

const struct check check_vram_headroom = {
	.name = "vram-headroom",
	.title = "VRAM headroom",
	.doc = "How much VRAM of each GPU or MIG instance is in use, and by which processes? Frameworks preallocate "
	       "nearly all of it, so a full GPU is a note and no fault. A warning if the kernel log reports failed "
	       "allocations. To be warned by the figure alone, set vram.warn_ratio.",
	.per = SUBJECT_GPU,
	.needs = NEEDS_LINKS | NEEDS_VENDOR,
	.says = "{vram_used_bytes} of {vram_total_bytes} VRAM in use {per}",
	.may_emit = IDS(VRAM_HEADROOM_LOW, VRAM_HEADROOM_NONE, VRAM_HEADROOM_LIMIT, VRAM_HEADROOM_SHORT),
	.eval = eval,
};
