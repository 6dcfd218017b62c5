// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_sampler.c - one sample of an NVIDIA GPU, by its management library. Every call is named before it is
 * made, and names fill the pipe: over the window what counts at work alone is not asked of a GPU at rest, and a
 * figure that the library does not support is asked for once.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/text.h"

enum {
	NEWEST_GENERATION = 6,		/* of PCIe: a higher one is no answer */
	MOST_LANES = 32,
	SAMPLES_A_THROUGHPUT = 5,	/* that call itself watches for 20 ms */
};

/* The error of a figure that is not asked any more, or that of asking. */
#define ask(sampler, figure, call, ...)                                                                                \
	((sampler)->off[figure] ? (sampler)->off[figure] :                                                             \
				  keep_error((sampler), (figure), nvml_call((sampler)->session, call, __VA_ARGS__)))

static int keep_error(struct nvml_sampler *sampler, enum nvml_figure figure, int error)
{
	enum val_state state = nvml_missing_value(error).state;

	if (error && (state == VAL_UNSUPPORTED || state == VAL_DENIED || state == VAL_LOST))
		sampler->off[figure] = error;
	return error;
}

/* ---- one figure each */

static struct val_f64 percent(const struct nvml_sampler *sampler, int error, unsigned value)
{
	struct val_u64 checked = nvml_in_range(sampler->session, error, value, 0, 100);

	return is_known(checked) ? val_f64((double)u64_or(checked, 0)) : no_f64(checked.state, checked.why);
}

static void read_use(struct nvml_sampler *sampler, struct gpu_sample *ret)
{
	struct nvml_utilization use = { .gpu = 0 };
	int error = ask(sampler, NVML_USE, nvmlDeviceGetUtilizationRates, sampler->session->device, &use);

	ret->busy_percent = percent(sampler, error, use.gpu);
	ret->memory_busy_percent = percent(sampler, error, use.memory);
}

static void read_link(struct nvml_sampler *sampler, struct gpu_sample *ret)
{
	const struct nvml_session *session = sampler->session;
	unsigned number = 0;
	int error;

	if (sampler->has_card_switch) {
		ret->link_speed_mtps = ret->link_width = no_u64(VAL_UNSUPPORTED, NVML_CARD_SWITCH);
		return;
	}
	error = ask(sampler, NVML_GENERATION, nvmlDeviceGetCurrPcieLinkGeneration, session->device, &number);
	ret->link_speed_mtps = nvml_u32_in_range(session, error, &number, 1, NEWEST_GENERATION);
	if (is_known(ret->link_speed_mtps))
		ret->link_speed_mtps = val_u64(link_generation_mtps(number));
	error = ask(sampler, NVML_WIDTH, nvmlDeviceGetCurrPcieLinkWidth, session->device, &number);
	ret->link_width = nvml_u32_in_range(session, error, &number, 1, MOST_LANES);
}

static struct val_u64 clock_of(struct nvml_sampler *sampler, enum nvml_figure figure, int which)
{
	unsigned mhz = 0;
	int error = ask(sampler, figure, nvmlDeviceGetClockInfo, sampler->session->device, which, &mhz);

	return nvml_u32(sampler->session, error, &mhz);
}

static struct val_u64 power(struct nvml_sampler *sampler)
{
	unsigned mw = 0;
	int error = ask(sampler, NVML_POWER, nvmlDeviceGetPowerUsage, sampler->session->device, &mw);

	return nvml_u32(sampler->session, error, &mw);
}

static struct val_f64 temperature(struct nvml_sampler *sampler)
{
	int64_t celsius = 0;
	int error = sampler->off[NVML_TEMPERATURE];

	if (!error)
		error = keep_error(sampler, NVML_TEMPERATURE, nvml_call_temperature(sampler->session, &celsius));
	return nvml_celsius(sampler->session, error, celsius);
}

static struct val_u64 throughput(struct nvml_sampler *sampler, enum nvml_figure figure, int direction)
{
	unsigned kb_per_s = 0;
	int error = ask(sampler, figure, nvmlDeviceGetPcieThroughput, sampler->session->device, direction, &kb_per_s);
	struct val_u64 told = nvml_u32(sampler->session, error, &kb_per_s);

	return is_known(told) ? val_u64(1000 * u64_or(told, 0)) : told;
}

static void read_throttle(struct nvml_sampler *sampler, struct gpu_sample *ret)
{
	static const uint64_t bits_of[NR_THROTTLE_KINDS] = {
		[THROTTLE_POWER_CAP] = NVML_REASON_POWER_CAP, [THROTTLE_THERMAL] = NVML_REASON_THERMAL,
		[THROTTLE_HW_THERMAL] = NVML_REASON_HW_THERMAL, [THROTTLE_BRAKE] = NVML_REASON_HW_BRAKE,
		[THROTTLE_SLOWDOWN] = NVML_REASON_HW_SLOWDOWN,
		[THROTTLE_SET] = NVML_REASON_APPLICATIONS_CLOCKS | NVML_REASON_SYNC_BOOST | NVML_REASON_DISPLAY_CLOCK,
	};
	uint64_t bits = 0;
	int error = ask(sampler, NVML_REASONS, nvmlDeviceGetCurrentClocksEventReasons, sampler->session->device, &bits);

	if (error) {
		ret->no_throttle = nvml_missing_value(error);
		return;
	}
	sampler->seen_reasons |= bits;
	ret->throttle.weight = 1;
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		ret->throttle.share[kind] = bits & bits_of[kind] ? 1 : 0;
	ret->throttle.brakes = bits & NVML_REASON_HW_BRAKE;
	ret->throttle.is_too_hot = bits & NVML_REASON_HW_THERMAL;
}

/* ---- */

void nvml_sample(struct nvml_sampler *sampler, struct gpu_sample *ret)
{
	bool asks_all = sampler->is_under_load;

	*ret = (struct gpu_sample){ .no_throttle = { .state = VAL_UNSET } };
	if (!(sampler->left_out & 1U << NVML_USE))
		read_use(sampler, ret);
	read_throttle(sampler, ret);
	if (asks_all || sample_is_at_work(ret)) {
		ret->clock_mhz = clock_of(sampler, NVML_SM_CLOCK, NVML_CLOCK_SM);
		read_link(sampler, ret);
	}
	if (asks_all)
		ret->memory_clock_mhz = clock_of(sampler, NVML_MEMORY_CLOCK, NVML_CLOCK_MEMORY);
	if (!(sampler->left_out & 1U << NVML_POWER))
		ret->power_mw = power(sampler);
	ret->temperature_c = temperature(sampler);
	if (!asks_all && sampler->taken++ % SAMPLES_A_THROUGHPUT == 0) {
		ret->sent_bytes_per_s = throughput(sampler, NVML_SENT, NVML_PCIE_SENT);
		ret->received_bytes_per_s = throughput(sampler, NVML_RECEIVED, NVML_PCIE_RECEIVED);
	}
}
