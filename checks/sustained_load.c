// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/stats.h"
#include "checks/playbook.h"
#include "eval/facts/memory_use.h"
#include "eval/facts/throttle.h"
#include "eval/timing/timing_precondition.h"

enum {
	SPAN_MS = 60000,	/* the first and the last minute are compared */
	LEAST_SLICES = 6,	/* of each: fewer have no confidence interval */
	MOST_SLICES = 4096,
};

/* The rates of one end of the course. */
struct part {
	size_t nr;
	uint64_t begin_ms, end_ms;
	double median, uncertainty;
};

/* Arithmetic or memory. */
typedef struct val_f64 (*rate_of)(const struct load_slice *slice);

static struct val_f64 compute_of(const struct load_slice *slice)
{
	return slice->compute_gflops;
}

static struct val_f64 memory_of(const struct load_slice *slice)
{
	return slice->memory_gbps;
}

static uint64_t end_ms_of(const struct load_slice *slice)
{
	return u64_or(slice->begin_ms, 0) + u64_or(slice->length_ms, 0);
}

static void take_part(struct judgement *j, const struct sustained_load *load, rate_of rate, bool is_last,
		      struct part *ret)
{
	const uint64_t begin_ms = u64_or(load->slices[0].begin_ms, 0);
	const uint64_t end_ms = end_ms_of(&load->slices[load->nr_slices - 1]);
	const uint64_t span_ms = (end_ms - begin_ms) / 2 < SPAN_MS ? (end_ms - begin_ms) / 2 : SPAN_MS;
	double *rates = arena_alloc(j->arena, load->nr_slices * sizeof(*rates));
	struct stats stats;

	*ret = (struct part){ .begin_ms = is_last ? end_ms - span_ms : begin_ms,
			      .end_ms = is_last ? end_ms : begin_ms + span_ms };
	for (size_t i = 0; i < load->nr_slices; i++) {
		const struct load_slice *slice = &load->slices[i];

		if (is_known(rate(slice)) && u64_or(slice->begin_ms, 0) >= ret->begin_ms &&
		    end_ms_of(slice) <= ret->end_ms)
			rates[ret->nr++] = f64_or(rate(slice), 0.0);
	}
	stats_of(rates, ret->nr, &stats);
	ret->median = stats.median;
	ret->uncertainty = stats_median_uncertainty(rates, ret->nr);
}

/* ---- why */

struct causes {
	size_t nr_samples, nr_told, nr_hot, nr_power;
	double hottest_c;
};

static void look_for_causes(const struct gpu *gpu, const struct part *last, struct causes *ret)
{
	*ret = (struct causes){ .nr_samples = 0 };
	for (size_t i = 0; gpu && i < gpu->nr_load_samples; i++) {
		const struct load_sample *sample = &gpu->load_samples[i];
		const char *reasons = str_or(sample->throttle_reasons, "");
		uint64_t at_ms = u64_or(sample->at_ms, 0);

		if (at_ms < last->begin_ms || at_ms > last->end_ms)
			continue;
		ret->nr_samples++;
		ret->nr_told += is_known(sample->throttle_reasons);
		ret->nr_hot += strstr(reasons, "thermal") != NULL;
		/* Limits of current are AMD's: a chip that warms up takes more of that too. */
		ret->nr_power += strstr(reasons, "power-cap") || strstr(reasons, "current") || strstr(reasons, "brake");
		if (f64_or(sample->temperature_c, 0.0) > ret->hottest_c)
			ret->hottest_c = f64_or(sample->temperature_c, 0.0);
	}
}

static bool is_shared(struct judgement *j)
{
	struct memory_use use;

	if (!j->gpu)
		return false;
	memory_use_of(j->snapshot, j->users, j->gpu, &use);
	return use.has_users;
}

static bool counts(const struct judgement *j, size_t nr, size_t of)
{
	return nr && 100.0 * (double)nr >= j->policy->throttle_percent * (double)of;
}

static void name_cause(struct judgement *j, const struct part *last)
{
	struct causes causes;

	look_for_causes(j->gpu, last, &causes);
	phrase(j, "at", "");
	if (causes.hottest_c > 0.0) {
		derive(j, "temperature_c", UNIT_CELSIUS, causes.hottest_c, "hottest sample of the last part");
		phrase(j, "at", arena_printf(j->arena, ", at %s",
					     figure_words(j, UNIT_CELSIUS, causes.hottest_c)));
	}
	if (counts(j, causes.nr_hot, causes.nr_told))
		finding_add(j, j->gpu && gpu_is_mobile(j->gpu) ? SUSTAINED_LOAD_LAPTOP : SUSTAINED_LOAD_HOT);
	else if (counts(j, causes.nr_power, causes.nr_told))
		finding_add(j, SUSTAINED_LOAD_POWER);
	else if (is_shared(j))
		finding_add(j, SUSTAINED_LOAD_SHARED);
	else if (causes.nr_told)
		finding_add(j, SUSTAINED_LOAD_SLOWS);
	else
		finding_add(j, SUSTAINED_LOAD_UNTOLD);
}

/* ---- how much */

static double worst_jitter(const struct sustained_load *load)
{
	double worst = 0.0;

	for (size_t i = 0; i < load->nr_slices; i++) {
		double median = f64_or(load->slices[i].median_ms, 0.0);
		double ratio = median > 0.0 ? f64_or(load->slices[i].longest_ms, 0.0) / median : 0.0;

		worst = ratio > worst ? ratio : worst;
	}
	return worst;
}

/* Its loss where it is beyond policy and beyond what the rates scatter; 0.0: none. */
static double loss_of(const struct judgement *j, const struct part *first, const struct part *last)
{
	double loss = first->median > 0.0 ? 1.0 - last->median / first->median : 0.0;

	return loss >= j->policy->sustained_loss_ratio && loss > first->uncertainty + last->uncertainty ? loss : 0.0;
}

static void judge_course(struct judgement *j, const struct sustained_load *load)
{
	struct part first[2], last[2];
	rate_of const rates[] = { compute_of, memory_of };
	double losses[2];
	uint64_t span_ms;
	enum unit unit;
	unsigned worse;

	question(j);
	for (unsigned i = 0; i < 2; i++) {
		take_part(j, load, rates[i], false, &first[i]);
		take_part(j, load, rates[i], true, &last[i]);
		losses[i] = loss_of(j, &first[i], &last[i]);
	}
	worse = losses[1] > losses[0];
	need(j, sustained_load, load, length_ms);
	derive(j, "jitter", UNIT_COUNT, worst_jitter(load), "longest_ms / median_ms, of the worst slice");
	if (first[worse].nr < LEAST_SLICES || last[worse].nr < LEAST_SLICES) {
		skip_check(j, "too short for a trend");
		return;
	}
	unit = worse ? UNIT_GBPS : UNIT_GFLOPS;
	span_ms = last[worse].end_ms - last[worse].begin_ms;
	derive(j, "first_rate", unit, first[worse].median, "slices of the first part, median");
	derive(j, "last_rate", unit, last[worse].median, "slices of the last part, median");
	derive(j, "span", UNIT_MS, (double)span_ms, "a minute, or half of the load");
	phrase(j, "what", worse ? "memory" : "arithmetic");
	if (losses[worse] <= 0.0)
		return;
	/* In whole percents: no more of it is known. */
	derive(j, "loss", UNIT_RATIO, (double)(unsigned)(losses[worse] * 100.0 + 0.5) / 100.0,
	       "1 - last_rate / first_rate");
	name_cause(j, &last[worse]);
}

static void judge_results(struct judgement *j, const struct sustained_load *load)
{
	uint64_t wrong = 0, slices = 0;

	for (size_t i = 0; i < load->nr_slices; i++) {
		wrong += u64_or(load->slices[i].words_wrong, 0);
		slices += u64_or(load->slices[i].words_wrong, 0) > 0;
	}
	if (!wrong)
		return;
	derive(j, "words_wrong", UNIT_COUNT, (double)wrong, "slices' words_wrong, sum");
	derive(j, "slices_wrong", UNIT_COUNT, (double)slices, "slices with one");
	derive(j, "slices", UNIT_COUNT, (double)load->nr_slices, "slices");
	finding_add(j, SUSTAINED_LOAD_WRONG);
}

static void eval(struct judgement *j)
{
	const struct request *request = &j->snapshot->request;
	const struct sustained_load *load = &j->device->sustained_load;

	if (!load_is_permitted(j))
		return;
	if (!str_is(request->level, "deep")) {
		skip_check(j, "done at level deep");
	} else if (request->tests.nr || (is_known(request->sustain_ms) && !u64_or(request->sustain_ms, 0))) {
		skip_check(j, "sustained load not requested");
	} else if (!load->nr_slices || load->nr_slices > MOST_SLICES) {
		need(j, sustained_load, load, length_ms);
		need(j, sustained_load, load, ended);
		if (all_known(j))
			unknown(j, "it ended before its first second was over: {ended}");
	} else {
		judge_results(j, load);
		judge_course(j, load);
	}
}

const struct check check_sustained_load = {
	.name = "sustained-load",
	.title = "Sustained load",
	.doc = "Does a device under load for minutes (level deep, --sustain) keep its speed, and stay correct? A loss "
	       "of sustained.loss_ratio from the first minute to the last is reported with its reason: temperature is "
	       "a warning, except on laptops; a power limit, other jobs and unknown reasons are notes.",
	.per = SUBJECT_OCL_DEVICE,
	.needs = NEEDS_LOAD,
	.level = "deep",
	.says = "{last_rate} after {length_ms} of load",
	.may_emit = IDS(SUSTAINED_LOAD_WRONG, SUSTAINED_LOAD_HOT, SUSTAINED_LOAD_LAPTOP, SUSTAINED_LOAD_POWER,
			SUSTAINED_LOAD_SHARED, SUSTAINED_LOAD_SLOWS, SUSTAINED_LOAD_UNTOLD),
	.eval = eval,
};
