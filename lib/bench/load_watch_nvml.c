// SPDX-License-Identifier: GPL-2.0-or-later
/* load_watch_nvml.c - an NVIDIA GPU under our load, by its management library. What it cannot tell it is asked once. */
#include "base/compat.h"
#include "bench/load_watch.h"

#include "base/alloc.h"
#include "base/text.h"
#include "probe/nvidia/nvml.h"
#include "snapshot/load_throttle.h"

enum { NEWEST_GENERATION = 6 };	/* of PCIe: a higher one is no answer */

/* What is asked of each sample. */
enum question { USE, GENERATION, WIDTH, CLOCK, MEMORY_CLOCK, POWER, TEMPERATURE, REASONS, NR_QUESTIONS };

struct nvml_source {
	struct nvml_library library;
	struct nvml_session asked;
	bool has_card_switch;
	int off[NR_QUESTIONS];		/* the error that says it is never told; 0: it may be */
};

/* The error of a question that is not asked any more, or that of asking. */
#define ask(source, question, call, ...)                                                                               \
	((source)->off[question] ? (source)->off[question] :                                                           \
				   keep_error((source), (question), nvml_call(&(source)->asked, call, __VA_ARGS__)))

static int keep_error(struct nvml_source *source, enum question question, int error)
{
	enum val_state state = nvml_missing_value(error).state;

	if (error && (state == VAL_UNSUPPORTED || state == VAL_DENIED))
		source->off[question] = error;
	return error;
}

/* ---- one figure each */

static struct val_f64 use(struct nvml_source *source)
{
	struct nvml_utilization told = { .gpu = 0 };
	int error = ask(source, USE, nvmlDeviceGetUtilizationRates, source->asked.device, &told);
	struct val_u64 percent = nvml_in_range(&source->asked, error, told.gpu, 0, 100);

	return is_known(percent) ? val_f64((double)u64_or(percent, 0)) : no_f64(percent.state, percent.why);
}

static void fill_link(struct nvml_source *source, struct load_sample *ret)
{
	unsigned number = 0;
	int error;

	if (source->has_card_switch) {
		ret->link_speed_mtps = ret->link_width =
			no_u64(VAL_UNSUPPORTED, "a switch on the card is between it and its slot");
		return;
	}
	error = ask(source, GENERATION, nvmlDeviceGetCurrPcieLinkGeneration, source->asked.device, &number);
	ret->link_speed_mtps = nvml_u32_in_range(&source->asked, error, &number, 1, NEWEST_GENERATION);
	if (is_known(ret->link_speed_mtps))
		ret->link_speed_mtps = val_u64(link_generation_mtps(number));
	error = ask(source, WIDTH, nvmlDeviceGetCurrPcieLinkWidth, source->asked.device, &number);
	ret->link_width = nvml_u32_in_range(&source->asked, error, &number, 1, 32);
}

static struct val_u64 clock_of(struct nvml_source *source, enum question question, int which)
{
	unsigned mhz = 0;
	int error = ask(source, question, nvmlDeviceGetClockInfo, source->asked.device, which, &mhz);

	return nvml_u32(&source->asked, error, &mhz);
}

static struct val_u64 power(struct nvml_source *source)
{
	unsigned mw = 0;
	int error = ask(source, POWER, nvmlDeviceGetPowerUsage, source->asked.device, &mw);

	return nvml_u32(&source->asked, error, &mw);
}

static struct val_f64 temperature(struct nvml_source *source)
{
	int64_t celsius = 0;
	int error = source->off[TEMPERATURE];

	if (!error)
		error = keep_error(source, TEMPERATURE, nvml_call_temperature(&source->asked, &celsius));
	return nvml_celsius(&source->asked, error, celsius);
}

static struct val_str reasons(struct nvml_source *source)
{
	static const struct { uint64_t bits; enum load_throttle kind; } kinds[] = {
		{ NVML_REASON_POWER_CAP, LOAD_POWER_CAP }, { NVML_REASON_THERMAL, LOAD_THERMAL },
		{ NVML_REASON_HW_THERMAL, LOAD_HW_THERMAL }, { NVML_REASON_HW_BRAKE, LOAD_BRAKE },
		{ NVML_REASON_HW_SLOWDOWN, LOAD_SLOWDOWN },
		{ NVML_REASON_APPLICATIONS_CLOCKS | NVML_REASON_SYNC_BOOST | NVML_REASON_DISPLAY_CLOCK, LOAD_SET },
	};
	uint64_t bits = 0;
	int error = ask(source, REASONS, nvmlDeviceGetCurrentClocksEventReasons, source->asked.device, &bits);
	char text[LOAD_THROTTLES_BYTES];
	unsigned told = 0;

	if (error)
		return no_str(nvml_missing_value(error).state, nvml_missing_value(error).why);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		told |= bits & kinds[i].bits ? 1u << kinds[i].kind : 0;
	load_throttles_write(told, text);
	return val_str(arena_strdup(&source->asked.sink->facts.arena, text));
}

/* ---- */

static bool sample(void *own, struct load_sample *ret, const char **why)
{
	struct nvml_source *source = own;

	ret->busy_percent = use(source);
	fill_link(source, ret);
	ret->clock_mhz = clock_of(source, CLOCK, NVML_CLOCK_SM);
	ret->memory_clock_mhz = clock_of(source, MEMORY_CLOCK, NVML_CLOCK_MEMORY);
	ret->power_mw = power(source);
	ret->temperature_c = temperature(source);
	ret->throttle_reasons = reasons(source);
	*why = source->asked.is_lost ? "NVML_ERROR_GPU_IS_LOST" : NULL;
	return !source->asked.is_lost;
}

static void close_source(void *own)
{
	free(own);
}

enum probe_outcome load_watch_nvml(struct probe_env *env, struct sink *sink, const struct load_watch_plan *plan,
				   struct load_source *ret, char why[LOAD_WATCH_WHY_BYTES])
{
	struct nvml_source *source = xcalloc(1, sizeof(*source));
	enum probe_outcome outcome;

	_Static_assert((int)LOAD_WATCH_WHY_BYTES == (int)NVML_WHY_BYTES, "why is handed on as it is");
	*ret = (struct load_source){ .own = source, .sample = sample, .close = close_source };
	source->has_card_switch = plan->has_card_switch;
	source->asked = (struct nvml_session){ .nvml = &source->library, .sink = sink, .address = plan->address };
	outcome = nvml_open(env, sink, &source->library, NULL, why);
	if (outcome == PROBE_OK && (nvml_get_handle(&source->asked, why) || nvml_is_another(&source->asked, why)))
		outcome = PROBE_PARTIAL;
	return outcome;
}
