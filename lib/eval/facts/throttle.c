// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "base/compat.h"
#include "eval/facts/throttle.h"

#include <math.h>

#include "base/strbuf.h"
#include "base/text_scan.h"
#include "base/units.h"
#include "eval/facts/window.h"
#include "eval/judge/vendor.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* One sample is one bit. */
#define LEAST_HITS 2.0

static const char *silence(struct judgement *j, struct val_u64 samples)
{
	if (gpu_role(j->snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH)
		return "assigned to a virtual machine or another driver (gpu-bound)";
	if (j->gpu->pci.driver.state == VAL_ABSENT)
		return "no driver bound (gpu-bound)";
	switch (samples.state) {
	case VAL_UNSET:
		return gpu_vendor(j->gpu) == VENDOR_NVIDIA
			       ? "not collected (only NVIDIA's library NVML reports it)"
			       : "throttle reasons not collected";
	case VAL_ABSENT:
	case VAL_UNSUPPORTED:
		return arena_printf(j->arena, "throttle reasons not reported%s%s", samples.why ? ": " : "",
				    samples.why ? samples.why : "");
	case VAL_ASLEEP:
		return "GPU suspended (--wake reads it)";
	default:
		return NULL;
	}
}

const char *throttle_unseen(struct judgement *j, const struct gpu_work *work)
{
	const struct throttle *throttle = &j->gpu->throttle;
	const char *reason = no_window(j->snapshot);

	if (work->by_load)
		return NULL;
	if (!reason)
		reason = silence(j, throttle->samples_loaded);
	if (reason || !is_known(throttle->samples_loaded) || gpu_worked(j->policy, j->gpu))
		return reason;
	if (!u64_or(throttle->samples_loaded, 0))
		return "idle: throttling shows under load only";
	return arena_printf(j->arena, "too little load: busy in %llu of %llu samples",
			    (unsigned long long)u64_or(throttle->samples_loaded, 0),
			    (unsigned long long)u64_or(throttle->samples, 0));
}

bool throttle_seen(struct judgement *j, const struct gpu_work *work)
{
	const char *reason = throttle_unseen(j, work);

	if (reason) {
		skip_check(j, reason);
		return false;
	}
	if (work->by_load)
		derive_str(j, "load", "gpudiag's own", "load_samples: it did not work enough over the window");
	want(j, throttle, work->throttle, samples);
	need(j, throttle, work->throttle, samples_loaded);
	return all_known(j);
}

bool gpu_worked(const struct policy *policy, const struct gpu *gpu)
{
	double loaded = (double)u64_or(gpu->throttle.samples_loaded, 0);

	return loaded > 0 && loaded >= policy->throttle_samples;
}

bool throttle_counts(const struct judgement *j, const struct gpu_work *work, double percent, double counter_percent)
{
	double hits = round(percent * (double)u64_or(work->throttle->samples_loaded, 0) / 100.0);

	if (percent <= 0.0 || percent < j->policy->throttle_percent)
		return false;
	return hits >= LEAST_HITS || (counter_percent > 0.0 && counter_percent >= j->policy->throttle_percent);
}

bool throttle_throughout(struct judgement *j, struct val_f64 share)
{
	const struct throttle *throttle = &j->gpu->throttle;
	struct val_u64 loaded = throttle->samples_loaded;

	phrase(j, "load", !is_known(loaded) ? "" : u64_or(loaded, 0) ? ", at little load" : ", at idle");
	return is_known(share) && f64_or(share, 0.0) >= 100.0 &&
	       (double)want(j, throttle, throttle, samples) >= j->policy->throttle_samples;
}

bool was_slowed_for_heat(const struct gpu *gpu)
{
	const struct throttle *throttle = &gpu->throttle;

	return f64_or(throttle->thermal_percent, 0.0) > 0.0 || f64_or(throttle->hw_thermal_percent, 0.0) > 0.0 ||
	       f64_or(throttle->thermal_counter_percent, 0.0) > 0.0;
}

const char *throttle_reason(const struct judgement *j, const struct gpu_work *work)
{
	const struct throttle *throttle = work->throttle;
	const struct {
		struct val_f64 share;
		const char *words;
	} reasons[] = {
		{ throttle->hw_thermal_percent, "heat" },
		{ throttle->brake_percent, "a power brake" },
		{ throttle->slowdown_percent, "hardware slowdown (temperature or power)" },
		{ throttle->thermal_percent, "heat" },
		{ is_lowered(j->policy, j->gpu, "power_limit_mw") ? throttle->power_cap_percent : (struct val_f64){ 0 },
		  "a lowered power limit" },
		{ throttle->set_percent, "configured clocks" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (throttle_counts(j, work, f64_or(reasons[i].share, 0.0), 0.0))
			return reasons[i].words;
	return NULL;
}

/* "Arc A370M", "Radeon RX 7700S": three digits and an M, of a Radeon also an S, end a word before the next "/". */
static bool has_number_of_mobile(const char *name, bool is_radeon, const char **ret_end)
{
	bool has = false;

	for (size_t digits = 0; *name && *name != '/'; name++) {
		has |= digits >= 3 && (*name == 'M' || (is_radeon && *name == 'S')) &&
		       (!name[1] || strchr(" ]/,)", name[1]));
		digits = *name >= '0' && *name <= '9' ? digits + 1 : 0;
	}
	*ret_end = name;
	return has;
}

/*
 * "RTX 4060 Laptop GPU", "RTX 4060 Max-Q / Mobile", "Arc A370M". pci.ids has one name for all that share an id: "Radeon RX
 * 7700S/7600/7600M" is a laptop's sooner than a card, "Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M" is not.
 */
static bool is_name_of_mobile(const char *name)
{
	static const char *const words[] = { "Mobile", "Laptop", "Max-Q", "Notebook", "GeForce MX" };
	bool is_radeon = strstr(name, "Radeon");
	size_t nr = 0, nr_mobile = 0;
	const char *end;

	if (text_has_any(name, words, ARRAY_SIZE(words)))
		return true;
	/* "NVIDIA Corporation GM108M [GeForce 940MX]": the chip's is before the bracket. "[AMD/ATI]" is the vendor's. */
	if (!is_radeon && has_number_of_mobile(name, false, &end))
		return true;
	name = strrchr(name, '[') ? strrchr(name, '[') : name;
	for (; *name; nr++) {
		nr_mobile += has_number_of_mobile(name, is_radeon, &name);
		name += *name == '/';
	}
	return nr && 2 * nr_mobile >= nr;
}

bool gpu_is_mobile(const struct gpu *gpu)
{
	return is_name_of_mobile(str_or(gpu->pci.model, "")) || is_name_of_mobile(str_or(gpu->nvml.name, ""));
}

const char *figure_words(struct judgement *j, enum unit unit, double value)
{
	STRBUF_AUTO text = STRBUF_INIT;

	unit_format(&text, unit, value);
	return arena_strdup(j->arena, text.buf);
}

const char *margin_words(struct judgement *j, double margin)
{
	if (round(margin) == 0.0)
		return "just";
	return arena_printf(j->arena, "%s %s", figure_words(j, UNIT_CELSIUS, round(fabs(margin))),
			    margin > 0.0 ? "below" : "above");
}

void phrase_temperature(struct judgement *j, const struct gpu_work *work)
{
	double temperature = want(j, gpu_use, work->use, temperature_max_c);
	bool known = is_known(work->use->temperature_max_c);

	phrase(j, "at", known ? arena_printf(j->arena, ", at %s", figure_words(j, UNIT_CELSIUS, temperature)) : "");
	phrase(j, "at.many", "");
}

void phrase_address(struct judgement *j)
{
	const char *address = str_or(j->gpu->key, "");

	if (gpu_vendor(j->gpu) == VENDOR_NVIDIA)
		phrase(j, "nvidia_address", address);
	if (gpu_vendor(j->gpu) == VENDOR_AMD)
		phrase(j, "amd_address", address);
}

/* ---- a GPU at work, seen over the window or under our own load, in one form */

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

bool throttle_reported(const struct judgement *j, uint64_t reason)
{
	const char *digits = str_or(j->gpu->nvml.clock_reasons, "");
	uint64_t mask;
	bool fits = true;

	if (!is_imported(j->snapshot) || gpu_is_mobile(j->gpu) || strncmp(digits, "0x", 2) != 0)
		return false;
	digits += 2;
	return scan_u64(&digits, 16, &mask, &fits) && fits && (mask & reason) == reason;
}

bool throttle_in_dump(const struct judgement *j, uint64_t reason)
{
	enum { BUSY_PERCENT = 50 };

	/* nvidia-smi -q -d PERFORMANCE has no utilization: there its own word for idle decides. */
	return throttle_reported(j, reason) && !throttle_reported(j, DUMP_IDLE) &&
	       f64_or(j->gpu->use.busy_percent, BUSY_PERCENT) >= BUSY_PERCENT;
}
