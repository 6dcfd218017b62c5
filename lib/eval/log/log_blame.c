// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/log/log_blame.h"

#include "base/text.h"

enum blame log_xid_blame(uint64_t number)
{
	return finding_defs[log_finding(klog_xid_row(number))].blame;
}

/* A start takes no job and no load: that one GPU fails at it and others do not is its own affair. */
static bool is_of_start(enum klog_row_id row)
{
	static const enum klog_row_id rows[] = {
		KLOG_ROW_RM_INIT_ADAPTER, KLOG_ROW_NVIDIA_GSP_BOOT, KLOG_ROW_NVIDIA_PROBE_FAILED, KLOG_ROW_XID_143,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i] == row)
			return true;
	return false;
}

/* Why a start could not go well: no window for its memory, no firmware, no power, not there. */
static bool hinders_start(enum klog_row_id row)
{
	return (klog_rows[row].kind == KLOG_INIT_FAILED || klog_rows[row].kind == KLOG_GPU_LOST) && !is_of_start(row);
}

/* What comes of something else: a reset, a lock-up, an end. */
static bool is_consequence(enum klog_row_id row)
{
	static const enum klog_row_id rows[] = {
		KLOG_ROW_AMDGPU_RESET, KLOG_ROW_INTEL_GPU_RESET, KLOG_ROW_RADEON_RESET, KLOG_ROW_NVIDIA_WATCHDOG,
		KLOG_ROW_NVIDIA_UVM_FATAL, KLOG_ROW_AMDGPU_RING_RESET, KLOG_ROW_PANIC, KLOG_ROW_AER_NO_WAY_BACK,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i] == row)
			return true;
	return finding_defs[log_finding(row)].blame == BLAME_NONE;
}

static bool has_row(const struct klog_incident *incident, enum klog_row_id row)
{
	for (size_t i = 0; i < incident->nr; i++)
		if (incident->events[i]->row == row)
			return true;
	return false;
}

/* Of how many devices that are so now. */
static size_t count_devices(const struct node_log *log, enum klog_row_id row)
{
	size_t nr = 0;

	for (size_t i = 0; i < log->nr; i++)
		nr += log->incidents[i].is_current && *log->incidents[i].address &&
		      has_row(log->incidents[i].incident, row);
	return nr;
}

/* Another model may need another driver. */
static bool may_be_twins(const struct gpu *a, const struct gpu *b)
{
	if (a && is_known(a->pci.device_id) && is_known(b->pci.device_id))
		return str_is(a->pci.device_id, str_or(b->pci.device_id, ""));
	return !a || !is_known(a->nvml.name) || str_is(b->nvml.name, str_or(a->nvml.name, ""));
}

/* A GPU that NVIDIA's library opens, by the same driver. */
static bool does_another_work(const struct snapshot *snapshot, const struct log_incident *incident)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		const struct gpu *gpu = &snapshot->gpus[i];

		if (gpu != incident->gpu && !str_is(gpu->key, incident->address) && is_known(gpu->nvml.handle) &&
		    may_be_twins(incident->gpu, gpu))
			return true;
	}
	return false;
}

/* What stands before it in its incident has a blame of its own. */
static enum blame blame_of_cause(struct arena *arena, const struct log_incident *incident,
				 bool (*may_be)(enum klog_row_id row), const char **ret_why)
{
	for (size_t i = 0; i < incident->incident->nr && incident->incident->events[i] != incident->worst; i++) {
		const struct klog_event *event = incident->incident->events[i];
		enum blame blame = finding_defs[log_finding(event->row)].blame;

		if (blame == BLAME_NONE || !may_be(event->row))
			continue;
		*ret_why = arena_printf(arena, "%s stands before it, and points there.", log_name(arena, event));
		return blame;
	}
	return BLAME_NONE;
}

static enum blame blame_of_start(struct arena *arena, const struct node_log *log, const struct snapshot *snapshot,
				 const struct log_incident *incident, const char **ret_why)
{
	size_t nr = count_devices(log, incident->worst->row);
	enum blame of_cause = blame_of_cause(arena, incident, hinders_start, ret_why);

	if (of_cause != BLAME_NONE)
		return of_cause;
	if (nr > 1) {
		*ret_why = arena_printf(arena, "%zu GPUs do not start: what they have in common, the driver first.", nr);
		return BLAME_DRIVER;
	}
	if (!*incident->address || !does_another_work(snapshot, incident))
		return BLAME_NONE;
	*ret_why = "The same driver has started another GPU here: this one, its power or its slot first.";
	return BLAME_HARDWARE;
}

/*
 * A job that hung is what a reset is for, and no cause of it: that the whole GPU had to be reset, and all work was
 * lost, is the driver's until something else shows.
 */
static bool is_cause(enum klog_row_id row)
{
	return finding_defs[log_finding(row)].blame != BLAME_APPLICATION;
}

enum blame log_blame(struct arena *arena, const struct node_log *log, const struct snapshot *snapshot,
		     const struct log_incident *incident, const char **ret_why)
{
	enum klog_row_id row = incident->worst->row;

	if (is_of_start(row))
		return blame_of_start(arena, log, snapshot, incident, ret_why);
	return is_consequence(row) ? blame_of_cause(arena, incident, is_cause, ret_why) : BLAME_NONE;
}
