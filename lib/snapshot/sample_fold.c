// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "snapshot/sample_fold.h"

#include <float.h>

/* Shares of what a sample counts that make it one of that kind. */
#define HELD_FOR_MOST 0.5
#define HELD_AT_ALL DBL_MIN
#define NO_SAMPLE ((struct val_head){ .state = VAL_ABSENT, .why = "no sample" })

/* ---- one sample */

bool sample_is_at_work(const struct gpu_sample *sample)
{
	return f64_or(sample->busy_percent, 0.0) >= AT_WORK_PERCENT;
}

static struct val_str kinds_of(const struct gpu_sample *sample, double least, struct arena *arena)
{
	char text[THROTTLE_KINDS_BYTES];
	unsigned kinds = 0;

	if (sample->throttle.weight <= 0)
		return no_str(sample->no_throttle.state, sample->no_throttle.why);
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		kinds |= sample->throttle.share[kind] >= least ? 1U << kind : 0;
	throttle_kinds_write(kinds, text);
	return val_str(arena_strdup(arena, text));
}

void sample_write(const struct gpu_sample *sample, struct arena *arena, struct load_sample *ret)
{
	ret->busy_percent = sample->busy_percent;
	ret->link_speed_mtps = sample->link_speed_mtps;
	ret->link_width = sample->link_width;
	ret->clock_mhz = sample->clock_mhz;
	ret->memory_clock_mhz = sample->memory_clock_mhz;
	ret->power_mw = sample->power_mw;
	ret->temperature_c = sample->temperature_c;
	ret->throttle_reasons = kinds_of(sample, HELD_FOR_MOST, arena);
}

void sample_write_tick(const struct gpu_sample *sample, struct arena *arena, struct tick_gpu *ret)
{
	ret->memory_busy_percent = sample->memory_busy_percent;
	ret->power_mw = sample->power_mw;
	ret->clock_mhz = sample->clock_mhz;
	ret->memory_clock_mhz = sample->memory_clock_mhz;
	ret->temperature_c = sample->temperature_c;
	ret->link_width = sample->link_width;
	ret->link_speed_mtps = sample->link_speed_mtps;
	ret->throttle_reasons = kinds_of(sample, HELD_AT_ALL, arena);
}

void sample_read(const struct load_sample *record, struct gpu_sample *ret)
{
	unsigned kinds = throttle_kinds_parse(str_or(record->throttle_reasons, ""));

	*ret = (struct gpu_sample){
		.busy_percent = record->busy_percent, .link_speed_mtps = record->link_speed_mtps,
		.link_width = record->link_width, .clock_mhz = record->clock_mhz,
		.memory_clock_mhz = record->memory_clock_mhz, .power_mw = record->power_mw,
		.temperature_c = record->temperature_c,
	};
	if (!is_known(record->throttle_reasons)) {
		ret->no_throttle = (struct val_head){ .state = record->throttle_reasons.state,
						      .why = record->throttle_reasons.why };
		return;
	}
	ret->throttle.weight = 1;
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		ret->throttle.share[kind] = kinds >> kind & 1;
}

/* ---- many */

static void add(struct column *column, struct val_head head, double value)
{
	if (head.state != VAL_OK) {
		column->missing = head.state == VAL_UNSET ? column->missing : head;
		return;
	}
	column->sum += value;
	column->max = !column->nr || value > column->max ? value : column->max;
	column->nr++;
}

static void add_f64(struct column *column, struct val_f64 value)
{
	add(column, (struct val_head){ .state = value.state, .why = value.why }, f64_or(value, 0.0));
}

static void add_u64(struct column *column, struct val_u64 value)
{
	add(column, (struct val_head){ .state = value.state, .why = value.why }, (double)u64_or(value, 0));
}

static void add_throttle(struct throttle_fold *fold, const struct gpu_sample *sample, bool at_work)
{
	const struct throttle_sample *now = &sample->throttle;

	if (!at_work)
		fold->slowdown_run = 0;
	if (now->weight <= 0) {
		if (sample->no_throttle.state != VAL_UNSET)
			fold->missing = sample->no_throttle;
		return;
	}
	fold->told++;
	fold->braked += now->brakes;
	fold->too_hot += now->is_too_hot;
	throttle_reasons_add(&fold->reasons, now->reasons);
	if (!at_work)
		return;
	fold->at_work++;
	fold->weight += now->weight;
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		fold->sum[kind] += now->weight * now->share[kind];
	fold->slowdown_run = now->share[THROTTLE_SLOWDOWN] > 0 ? fold->slowdown_run + 1 : 0;
	if (fold->slowdown_run > fold->longest_slowdown)
		fold->longest_slowdown = fold->slowdown_run;
}

static void add_use(struct gpu_fold *fold, struct val_f64 busy)
{
	size_t last = ARRAY_SIZE(fold->use) - 1;

	if (is_known(busy) && busy.v_ >= 0.0)
		fold->use[busy.v_ < (double)last ? (size_t)(busy.v_ + 0.5) : last]++;
}

void fold_add(struct gpu_fold *fold, const struct gpu_sample *sample, bool at_work)
{
	fold->nr++;
	fold->at_work += at_work;
	add_f64(&fold->busy, sample->busy_percent);
	add_use(fold, sample->busy_percent);
	add_f64(&fold->memory_busy, sample->memory_busy_percent);
	add_f64(&fold->temperature, sample->temperature_c);
	add_u64(&fold->memory_clock, sample->memory_clock_mhz);
	add_u64(&fold->power, sample->power_mw);
	add_u64(&fold->sent, sample->sent_bytes_per_s);
	add_u64(&fold->received, sample->received_bytes_per_s);
	add_throttle(&fold->throttle, sample, at_work);
	if (!at_work)
		return;
	add_u64(&fold->clock, sample->clock_mhz);
	add_u64(&fold->speed, sample->link_speed_mtps);
	add_u64(&fold->width, sample->link_width);
}

void fold_release(struct gpu_fold *fold)
{
	strbuf_release(&fold->throttle.reasons);
}

/* ---- figures */

static struct val_f64 figure(const struct column *column, double value, struct val_head otherwise)
{
	struct val_head why = column->missing.state == VAL_UNSET ? otherwise : column->missing;

	return column->nr ? val_f64(value) : no_f64(why.state, why.why);
}

struct val_f64 column_mean(const struct column *column, struct val_head otherwise)
{
	return figure(column, column->sum / (column->nr ? (double)column->nr : 1.0), otherwise);
}

struct val_f64 column_highest(const struct column *column, struct val_head otherwise)
{
	return figure(column, column->max, otherwise);
}

struct val_f64 fold_use_percentile(const struct gpu_fold *fold, double percent)
{
	double sum = 0.0, wanted = percent / 100.0 * (double)fold->busy.nr;

	for (size_t i = 0; fold->busy.nr && i < ARRAY_SIZE(fold->use); i++) {
		sum += fold->use[i];
		if (sum >= wanted && sum > 0.0)
			return val_f64((double)i);
	}
	return column_mean(&fold->busy, NO_SAMPLE);
}

struct val_u64 val_whole(struct val_f64 value)
{
	return is_known(value) ? val_u64((uint64_t)(f64_or(value, 0.0) + 0.5)) : no_u64(value.state, value.why);
}

void fold_fill_use(const struct gpu_fold *fold, struct gpu_use *ret)
{
	struct val_head resting = { .state = VAL_ABSENT, .why = NOT_AT_WORK };

	ret->busy_percent = column_mean(&fold->busy, NO_SAMPLE);
	ret->busy_max_percent = column_highest(&fold->busy, NO_SAMPLE);
	ret->busy_p5_percent = fold_use_percentile(fold, 5.0);
	ret->busy_p95_percent = fold_use_percentile(fold, 95.0);
	ret->memory_busy_percent = column_mean(&fold->memory_busy, NO_SAMPLE);
	ret->samples_busy = fold->busy.nr ? val_u64(fold->at_work) : val_whole(ret->busy_percent);
	if (!is_known(ret->samples_busy))
		resting = (struct val_head){ .state = ret->samples_busy.state, .why = ret->samples_busy.why };
	ret->power_mw = val_whole(column_mean(&fold->power, NO_SAMPLE));
	ret->temperature_max_c = column_highest(&fold->temperature, NO_SAMPLE);
	ret->clock_busy_mhz = val_whole(column_mean(&fold->clock, resting));
	ret->link_speed_busy_mtps = val_whole(column_highest(&fold->speed, resting));
	ret->link_width_busy = val_whole(column_highest(&fold->width, resting));
}

/* ---- what held the clocks back */

/* Where its shares stand in record throttle. */
static struct val_f64 *share_in(struct throttle *ret, enum throttle_kind kind)
{
	struct val_f64 *const shares[NR_THROTTLE_KINDS] = {
		[THROTTLE_POWER_CAP] = &ret->power_cap_percent, [THROTTLE_CURRENT] = &ret->current_percent,
		[THROTTLE_THERMAL] = &ret->thermal_percent, [THROTTLE_HW_THERMAL] = &ret->hw_thermal_percent,
		[THROTTLE_BRAKE] = &ret->brake_percent, [THROTTLE_SLOWDOWN] = &ret->slowdown_percent,
		[THROTTLE_SET] = &ret->set_percent,
	};

	return shares[kind];
}

double throttle_share_of(const struct throttle_fold *fold, enum throttle_kind kind)
{
	return 100.0 * fold->sum[kind] / fold->weight;
}

/* Of all samples with known throttling, at work or not. */
static struct val_f64 share_of_all(const struct throttle_fold *fold, size_t nr, struct val_head missing)
{
	return fold->told ? val_f64(100.0 * (double)nr / (double)fold->told) : no_f64(missing.state, missing.why);
}

void throttle_fill(const struct throttle_fold *fold, struct val_u64 at_work, unsigned kinds, const char *untold,
		   struct arena *arena, struct throttle *ret)
{
	struct val_head missing = fold->missing.state == VAL_UNSET ? NO_SAMPLE : fold->missing, resting = missing;

	if (fold->told && !is_known(at_work))
		resting = (struct val_head){ .state = at_work.state, .why = at_work.why };
	else if (fold->told)
		resting = (struct val_head){ .state = VAL_ABSENT, .why = NOT_AT_WORK };
	ret->samples = fold->told ? val_u64(fold->told) : no_u64(missing.state, missing.why);
	ret->samples_loaded = fold->told && is_known(at_work) ? val_u64(fold->at_work) :
								 no_u64(resting.state, resting.why);
	ret->brake_all_percent = share_of_all(fold, fold->braked, missing);
	ret->hw_thermal_all_percent = share_of_all(fold, fold->too_hot, missing);
	ret->slowdown_run = fold->told ? val_u64(fold->longest_slowdown) : no_u64(missing.state, missing.why);
	ret->reasons = fold->told ? val_str(fold->reasons.len ? arena_strdup(arena, fold->reasons.buf) : "none") :
				    no_str(missing.state, missing.why);
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++) {
		struct val_f64 *share = share_in(ret, (enum throttle_kind)kind);

		if (!(kinds >> kind & 1))
			*share = no_f64(VAL_UNSUPPORTED, untold);
		else if (is_known(at_work) && fold->weight > 0)
			*share = val_f64(throttle_share_of(fold, (enum throttle_kind)kind));
		else
			*share = no_f64(resting.state, resting.why);
	}
	if (!(kinds >> THROTTLE_SLOWDOWN & 1))
		ret->slowdown_run = no_u64(VAL_UNSUPPORTED, untold);
}
