// SPDX-License-Identifier: GPL-2.0-or-later
/* file_sampler_amdgpu.c - clocks, power and throttling of an AMD GPU, by its tables and sensors. */
#include "base/compat.h"
#include "probe/gpu/file_sampler.h"

#include "format/amdgpu_throttle.h"
#include "probe/device/hwmon.h"
#include "probe/intel/intel.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "probe/window_rates.h"

enum { MAX_SENSORS = 3 };
#define MOST_OF_IT 0.5			/* of the time between two samples */

struct amdgpu_sensors {
	struct cached_fd metrics, power, memory_clock;
	struct amdgpu_metrics first, last;
	bool has_first, is_fresh;	/* fresh: last is of the last sample */
	bool knows_hotspot;
	char hwmon[HWMON_BYTES];
	struct val_f64 hotspot_max_c;
};

/* ---- what held its clocks back, by its tables */

static const struct { uint64_t bits; enum throttle_kind kind; } amdgpu_kinds[] = {
	{ .bits = AMDGPU_THROTTLE_POWER, .kind = THROTTLE_POWER_CAP },
	{ .bits = AMDGPU_THROTTLE_CURRENT, .kind = THROTTLE_CURRENT },
	{ .bits = AMDGPU_THROTTLE_THERMAL, .kind = THROTTLE_THERMAL },
	{ .bits = AMDGPU_THROTTLE_PROCHOT, .kind = THROTTLE_BRAKE },
};

static void look_at_bits(const struct amdgpu_metrics *now, struct val_f64 hotspot_max_c, struct throttle_sample *ret)
{
	uint64_t status = amdgpu_throttle_believed(u64_or(now->indep_throttle_status, 0), now->hotspot_c,
						   hotspot_max_c);
	STRBUF_AUTO names = STRBUF_INIT;

	*ret = (struct throttle_sample){ .weight = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(amdgpu_kinds); i++)
		if (status & amdgpu_kinds[i].bits)
			ret->share[amdgpu_kinds[i].kind] = 1;
	ret->brakes = status & AMDGPU_THROTTLE_PROCHOT;
	/* Of the hotspot's bit what is left is believed. */
	ret->is_too_hot = status & (AMDGPU_THROTTLE_VRHOT | AMDGPU_THROTTLE_HOTSPOT);
	if (status)
		amdgpu_throttle_names(&names, status);
	snprintf(ret->reasons, sizeof(ret->reasons), "%s", names.buf);
}

/* Counters of 32 bits: time, in steps of accumulation_counter, in which something held the clocks back. */
static const struct residency {
	const char *name;		/* as in the driver's table, gpu_metrics_v1_6 */
	size_t offset;
	enum throttle_kind kind;
	bool is_vr;			/* a voltage regulator's own signal */
} residencies[] = {
	{ .name = "prochot", .offset = offsetof(struct amdgpu_metrics, prochot_residency), .kind = THROTTLE_BRAKE },
	{ .name = "ppt", .offset = offsetof(struct amdgpu_metrics, ppt_residency), .kind = THROTTLE_POWER_CAP },
	{ .name = "socket_thm", .offset = offsetof(struct amdgpu_metrics, socket_thm_residency),
	  .kind = THROTTLE_THERMAL },
	{ .name = "vr_thm", .offset = offsetof(struct amdgpu_metrics, vr_thm_residency), .kind = THROTTLE_THERMAL,
	  .is_vr = true },
	{ .name = "hbm_thm", .offset = offsetof(struct amdgpu_metrics, hbm_thm_residency), .kind = THROTTLE_THERMAL },
};

static struct val_u64 residency_growth(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
				       const struct residency *residency)
{
	struct val_u64 start, end;

	memcpy(&start, (const char *)before + residency->offset, sizeof(start));
	memcpy(&end, (const char *)now + residency->offset, sizeof(end));
	return growth_of_32_bits(start, end);
}

/* Several kinds of heat may hold at one time: the longest is the least that was lost. */
static void look_at_residencies(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now, double counted,
				struct throttle_sample *ret)
{
	/* Table 3.0 counts in a unit of its own, without a total: only that it grew is known. */
	*ret = (struct throttle_sample){ .weight = counted > 0 ? counted : 1 };
	for (size_t i = 0; i < ARRAY_SIZE(residencies); i++) {
		uint64_t grown = u64_or(residency_growth(before, now, &residencies[i]), 0);
		double share = grown ? 1 : 0, *of_kind = &ret->share[residencies[i].kind];
		size_t len = strlen(ret->reasons);

		if (grown && counted > 0 && (double)grown < counted)
			share = (double)grown / counted;
		*of_kind = share > *of_kind ? share : *of_kind;
		/* Where there is no counter a growth may have been a moment. */
		ret->brakes |= residencies[i].kind == THROTTLE_BRAKE && counted > 0 && share >= MOST_OF_IT;
		ret->is_too_hot |= residencies[i].is_vr && counted > 0 && share >= MOST_OF_IT;
		if (grown)
			snprintf(ret->reasons + len, sizeof(ret->reasons) - len, "%s%s", len ? ", " : "",
				 residencies[i].name);
	}
}

static bool counts_residencies(const struct amdgpu_metrics *metrics)
{
	return is_known(metrics->ppt_residency) || is_known(metrics->prochot_residency) ||
	       is_known(metrics->socket_thm_residency);
}

bool throttle_of_amdgpu(const struct amdgpu_metrics *before, const struct amdgpu_metrics *now,
			struct val_f64 hotspot_max_c, struct throttle_sample *ret, struct val_head *ret_missing)
{
	struct val_u64 counted;

	if (is_known(now->indep_throttle_status)) {
		look_at_bits(now, hotspot_max_c, ret);
		return true;
	}
	*ret_missing = (struct val_head){ .state = VAL_UNSUPPORTED,
					  .why = "gpu_metrics has only chip-specific bits" };
	if (!counts_residencies(now))
		return false;
	*ret_missing = (struct val_head){ .state = VAL_ABSENT, .why = "only one sample of a counter" };
	if (!before || !counts_residencies(before))
		return false;
	counted = growth_of_32_bits(before->accumulation_counter, now->accumulation_counter);
	/* Asked again sooner than the firmware counts. */
	if (is_known(counted) && !u64_or(counted, 0))
		return false;
	if (!is_known(counted) && is_known(now->accumulation_counter)) {
		*ret_missing = (struct val_head){ .state = counted.state, .why = counted.why };
		return false;
	}
	look_at_residencies(before, now, (double)u64_or(counted, 0), ret);
	return true;
}

void throttle_fill_counters(const struct amdgpu_metrics *start, const struct amdgpu_metrics *end, struct throttle *ret)
{
	struct val_u64 counted = growth_of_32_bits(start->accumulation_counter, end->accumulation_counter);
	struct throttle_sample look;

	if (!counts_residencies(start) || !counts_residencies(end) || !u64_or(counted, 0))
		return;
	look_at_residencies(start, end, (double)u64_or(counted, 0), &look);
	ret->power_cap_counter_percent = val_f64(100.0 * look.share[THROTTLE_POWER_CAP]);
	ret->thermal_counter_percent = val_f64(100.0 * look.share[THROTTLE_THERMAL]);
}

/* ---- its files */

/* Labels are texts of the driver's own: no sensor is asked. 0: none has it. */
static unsigned sensor_of_label(const struct file_sampler *sampler, const char *hwmon, const char *label)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (unsigned number = 1; number <= MAX_SENSORS; number++) {
		if (root_read(sampler->root, &text, PCI_DEVICES "/%s/%stemp%u_label", sampler->address, hwmon, number))
			continue;
		strbuf_rtrim(&text);
		if (!strcmp(text.buf, label))
			return number;
	}
	return 0;
}

void amdgpu_sensors_open(struct file_sampler *sampler, struct arena *arena)
{
	struct amdgpu_sensors *sensors = sampler->amdgpu = arena_alloc(arena, sizeof(*sensors));
	unsigned sensor;
	char file[24];

	*sensors = (struct amdgpu_sensors){ .power = CACHED_FD_NONE, .memory_clock = CACHED_FD_NONE };
	sensors->metrics = pci_keep_file(sampler->root, sampler->address, "", "gpu_metrics");
	if (hwmon_find(sampler->root, sampler->address, NULL, sensors->hwmon) || !*sensors->hwmon)
		return;
	sensor = sensor_of_label(sampler, sensors->hwmon, "edge");
	sensor = sensor ? sensor : sensor_of_label(sampler, sensors->hwmon, "junction");
	snprintf(file, sizeof(file), "temp%u_input", sensor);
	sampler->temperature = pci_keep_file(sampler->root, sampler->address, sensors->hwmon, file);
	sensors->power = pci_keep_file(sampler->root, sampler->address, sensors->hwmon, "power1_average");
	if (sensors->power.fd < 0)
		sensors->power = pci_keep_file(sampler->root, sampler->address, sensors->hwmon, "power1_input");
	/* Linux 7.2 Documentation/gpu/amdgpu/thermal.rst: the memory clock in hertz. */
	sensors->memory_clock = pci_keep_file(sampler->root, sampler->address, sensors->hwmon, "freq2_input");
}

/* Where it slows itself by its hotspot; it does not change. */
static void learn_hotspot(struct file_sampler *sampler)
{
	struct amdgpu_sensors *sensors = sampler->amdgpu;
	unsigned sensor = *sensors->hwmon ? sensor_of_label(sampler, sensors->hwmon, "junction") : 0;
	STRBUF_AUTO text = STRBUF_INIT;

	sensors->knows_hotspot = true;
	sensors->hotspot_max_c = no_f64(VAL_ABSENT, "no such sensor");
	if (!sensor ||
	    root_read(sampler->root, &text, PCI_DEVICES "/%s/%stemp%u_crit", sampler->address, sensors->hwmon, sensor))
		return;
	strbuf_rtrim(&text);
	sensors->hotspot_max_c = intel_temperature(&sampler->arena, val_str(text.buf));
}

/* From microwatts and hertz. */
static struct val_u64 in_units_of(uint64_t unit, struct val_u64 value)
{
	return is_known(value) ? val_u64(u64_or(value, 0) / unit) : value;
}

static void read_table(struct file_sampler *sampler, const struct amdgpu_metrics *now, struct gpu_sample *ret)
{
	struct amdgpu_sensors *sensors = sampler->amdgpu;

	if (!sensors->knows_hotspot)
		learn_hotspot(sampler);
	ret->clock_mhz = val_u64(u64_or(now->current_gfxclk_mhz, u64_or(now->average_gfxclk_mhz, 0)));
	ret->no_throttle = (struct val_head){ .state = VAL_UNSET };
	throttle_of_amdgpu(sensors->has_first ? &sensors->last : NULL, now, sensors->hotspot_max_c, &ret->throttle,
			   &ret->no_throttle);
	sensors->first = sensors->has_first ? sensors->first : *now;
	sensors->has_first = true;
	sensors->last = *now;
	sensors->is_fresh = true;
}

void amdgpu_sensors_read(struct file_sampler *sampler, struct gpu_sample *ret)
{
	struct amdgpu_sensors *sensors = sampler->amdgpu;
	STRBUF_AUTO bytes = STRBUF_INIT;
	struct amdgpu_metrics now;
	const char *why;
	int error = cached_fd_read(&sensors->metrics, &bytes, AMDGPU_METRICS_MAX_BYTES);

	sensors->is_fresh = false;
	ret->power_mw = in_units_of(1000, kept_u64(&sensors->power));
	ret->memory_clock_mhz = in_units_of(1000000, kept_u64(&sensors->memory_clock));
	if (error)
		ret->no_throttle = (struct val_head){ .state = state_of_errno(error), .why = name_of_errno(error) };
	else if (amdgpu_metrics_decode((const unsigned char *)bytes.buf, bytes.len, &now, &why))
		ret->no_throttle = (struct val_head){ .state = VAL_ERROR, .why = why };
	else
		read_table(sampler, &now, ret);
}

const struct amdgpu_metrics *amdgpu_sensors_table(const struct amdgpu_sensors *sensors)
{
	return sensors->is_fresh ? &sensors->last : NULL;
}

void amdgpu_sensors_fill(const struct amdgpu_sensors *sensors, struct throttle *ret)
{
	if (sensors->has_first)
		throttle_fill_counters(&sensors->first, &sensors->last, ret);
}

void amdgpu_sensors_close(struct amdgpu_sensors *sensors)
{
	cached_fd_close(&sensors->metrics);
	cached_fd_close(&sensors->power);
	cached_fd_close(&sensors->memory_clock);
}
