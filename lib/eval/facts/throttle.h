/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle.h - what the checks of stage 4 share: did the GPU work enough to be
 * judged, does a reason that held its clocks back count, and is a limit
 * somebody's choice for all GPUs of a model or for this one alone.
 *
 * A bit that is set in one sample says nothing: clocks change with a flash of
 * HwSlowdown, an idle GPU reports its power limit, firmware of some AMD cards
 * its hotspot. What counts is the share of the samples in which the GPU worked,
 * and the driver's own counters.
 */
#pragma once

#include "eval/facts/conditions.h"
#include "eval/facts/twins.h"
#include "eval/judge/check.h"

/*
 * A GPU at work: over the window, where it worked in that; else under our own
 * load, where enough samples were taken then. Never both: what is judged twice
 * is counted twice.
 */
struct gpu_work {
	const struct throttle *throttle;
	const struct gpu_use *use;	/* of a load its clock, temperature and power alone */
	bool by_load;
	uint64_t length_ms;		/* from the first to the last sample; 0: of the window, which has its own */
};
struct gpu_work gpu_at_work(const struct judgement *j, const struct gpu *gpu);
/* Over the window alone. */
struct gpu_work gpu_in_window(const struct gpu *gpu);
/* The samples under our own load, enough of them to judge by: the GPU at work in throttle.load_samples or more. */
bool gpu_under_load(const struct judgement *j, const struct gpu *gpu, struct conditions *ret);

/* Why throttling of the judged GPU cannot be judged: idle, not collected, not supported; NULL: it can. */
const char *throttle_unseen(struct judgement *j, const struct gpu_work *work);
/* True where it can; notes the samples as evidence. Else the check is skipped for that reason. */
bool throttle_seen(struct judgement *j, const struct gpu_work *work);

/* Was that GPU at work in as many samples as it takes to judge? */
bool gpu_worked(const struct policy *policy, const struct gpu *gpu);

/*
 * Does a dump show the judged GPU slowed down for that reason while it was at work? It has one reading: of an idle GPU
 * that proves nothing; without a utilization the driver's own word for idle decides. A laptop is slowed down as it is
 * made to be.
 */
enum { DUMP_IDLE = 0x1, DUMP_HW_SLOWDOWN = 0x8, DUMP_SW_THERMAL = 0x20, DUMP_HW_THERMAL = 0x40, DUMP_HW_BRAKE = 0x80 };
bool throttle_in_dump(const struct judgement *j, uint64_t reason);
/* Does it report that reason at all, with or without work? */
bool throttle_reported(const struct judgement *j, uint64_t reason);

/* A value that does not exist needs no judging; one that failed to be read leaves the question open. */
bool is_asked(enum val_state state);
/* The share of a reason, as evidence: throttle_share(j, work, thermal_percent). */
#define throttle_share(j, work, field) \
	(is_asked((work)->throttle->field.state) ? need(j, throttle, (work)->throttle, field) : 0.0)

/*
 * Does a reason count: in the policy's share of the loaded samples and in more
 * than one of them, or in one and for that share of the time by the driver's
 * counter (0 where there is none).
 */
bool throttle_counts(const struct judgement *j, const struct gpu_work *work, double percent, double counter_percent);

/*
 * What held its clocks back, in words, by the first of the reasons that count; NULL where none does. A power limit of
 * full height is none: what it leaves is what the GPU is made for.
 */
const char *throttle_reason(const struct judgement *j, const struct gpu_work *work);

/*
 * Of a GPU that did not work enough to be judged: was a reason told in every sample of the window, and in as many as it
 * takes to judge? share: throttle->brake_all_percent or hw_thermal_all_percent. Phrases {load}: "at idle".
 */
bool throttle_throughout(struct judgement *j, struct val_f64 share);

/* Any time slowed for heat during the window, by samples or by the driver's counter. */
bool was_slowed_for_heat(const struct gpu *gpu);

/*
 * A GPU made for laptops, by its name: its limits are shared with the processor and move with charger, lid and
 * profile. Nothing of it is more than a note here.
 */
bool gpu_is_mobile(const struct gpu *gpu);

/* "700 W": a figure for words that are no evidence. */
const char *figure_words(struct judgement *j, enum unit unit, double value);
/* Where a temperature is from its limit: "2 °C below", "1 °C above", "just". */
const char *margin_words(struct judgement *j, double margin);
/* {at}: ", at 84 °C" by the hottest sample, noted as evidence; "" where that is not known. */
void phrase_temperature(struct judgement *j, const struct gpu_work *work);
/* The GPU's address for the steps of its vendor's tools: {nvidia_address} or {amd_address}. */
void phrase_address(struct judgement *j);

/* ---- limits that somebody set */

/* Does its vendor's record have such a value, known or to be asked again? Not where it sleeps or says it has none. */
bool is_told(const struct gpu *gpu, const char *name);

/* A field of a vendor's record, as vendor_head() names it, that holds a limit below what the GPU could have. */
bool is_lowered(const struct policy *policy, const struct gpu *gpu, const char *name);

enum lowered {
	NOT_LOWERED,
	LOWERED_ALONE,		/* nothing to compare it with */
	LOWERED_AS_TWINS,	/* as most of its twins, or all */
	LOWERED_UNLIKE_TWINS,	/* one odd one out of three or more */
	LOWERED_UNDECIDED,	/* its twins have other values, none of them a majority */
};
/* look (of eval/facts/twins.h) is filled unless it is NOT_LOWERED. */
enum lowered lowered_among_twins(struct judgement *j, const char *name, struct twin_look *look);

/* Is a difference of that field between twins told by a check of stage 4? */
bool throttle_tells_difference(struct judgement *j, const struct twin_list *twins, const struct twin_field *field);
