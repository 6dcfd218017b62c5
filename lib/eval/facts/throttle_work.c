// SPDX-License-Identifier: GPL-2.0-or-later
/* throttle_work.c - a GPU at work, seen over the window or under our own load, in one form. */
#include "base/compat.h"
#include "eval/facts/throttle.h"

#include "eval/judge/vendor.h"

#define NOT_ITS "not reported by its driver"
#define OF_THE_WINDOW "the counters are of the window"

bool gpu_under_load(const struct judgement *j, const struct gpu *gpu, struct conditions *ret)
{
	return conditions_at_work(j->snapshot, gpu, ret) && (double)ret->nr >= j->policy->throttle_load_samples;
}

struct gpu_work gpu_in_window(const struct gpu *gpu)
{
	return (struct gpu_work){ .throttle = &gpu->throttle, .use = &gpu->use };
}

/* Of the kinds that drivers of that vendor tell. */
static struct val_f64 share_of(const struct conditions *load, enum throttle_kind kind, bool is_its)
{
	return is_its ? val_f64(load->throttle_percent[kind]) : no_f64(VAL_UNSUPPORTED, NOT_ITS);
}

static void fill_throttle(const struct conditions *load, const struct gpu *gpu, struct arena *arena,
			  struct throttle *ret)
{
	bool by_nvml = gpu_vendor(gpu) == VENDOR_NVIDIA;

	*ret = gpu->throttle;
	ret->samples = val_u64(gpu->nr_load_samples);
	ret->samples_loaded = val_u64(load->nr_throttle_told);
	ret->power_cap_percent = share_of(load, THROTTLE_POWER_CAP, true);
	ret->current_percent = share_of(load, THROTTLE_CURRENT, !by_nvml);
	ret->thermal_percent = share_of(load, THROTTLE_THERMAL, true);
	ret->hw_thermal_percent = share_of(load, THROTTLE_HW_THERMAL, by_nvml);
	ret->brake_percent = share_of(load, THROTTLE_BRAKE, true);
	ret->slowdown_percent = share_of(load, THROTTLE_SLOWDOWN, by_nvml);
	ret->set_percent = share_of(load, THROTTLE_SET, by_nvml);
	ret->slowdown_run = by_nvml ? val_u64(load->longest_slowdown) : no_u64(VAL_UNSUPPORTED, NOT_ITS);
	ret->reasons = val_str(conditions_throttle_words(arena, load));
	ret->hw_thermal_all_percent = ret->brake_all_percent = no_f64(VAL_ABSENT, OF_THE_WINDOW);
	ret->power_cap_counter_percent = ret->thermal_counter_percent = ret->board_limit_counter_percent =
		no_f64(VAL_ABSENT, OF_THE_WINDOW);
}

struct gpu_work gpu_at_work(const struct judgement *j, const struct gpu *gpu)
{
	struct gpu_work work = gpu_in_window(gpu);
	struct conditions load;
	struct throttle *throttle;
	struct gpu_use *use;

	if (gpu_worked(j->policy, gpu) || !gpu_under_load(j, gpu, &load) ||
	    (double)load.nr_throttle_told < j->policy->throttle_load_samples)
		return work;
	throttle = arena_alloc(j->arena, sizeof(*throttle));
	use = arena_alloc(j->arena, sizeof(*use));
	fill_throttle(&load, gpu, j->arena, throttle);
	*use = (struct gpu_use){
		.busy_percent = load.busy_percent, .clock_busy_mhz = load.clock_mhz, .power_mw = load.power_mean_mw,
		.temperature_max_c = load.temperature_max_c,
	};
	return (struct gpu_work){
		.throttle = throttle, .use = use, .by_load = true, .length_ms = load.last_ms - load.first_ms,
	};
}
