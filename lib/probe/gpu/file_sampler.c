// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "probe/gpu/file_sampler.h"

#include "base/text.h"
#include "probe/intel/intel.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

enum { FILE_BYTES = 4096, MOST_LANES = 32, MAX_CLOCK_MHZ = 10000 };

#define NOT_ITS "not reported by its driver"
/* What drivers of AMD and Intel tell in files of what holds clocks back. */
#define KINDS (1U << THROTTLE_POWER_CAP | 1U << THROTTLE_CURRENT | 1U << THROTTLE_THERMAL | 1U << THROTTLE_BRAKE)

/* ---- opening */

static void open_link(struct file_sampler *sampler, const char *slot)
{
	sampler->speed = sampler->width = (struct cached_fd)CACHED_FD_NONE;
	if (!slot) {
		sampler->no_link =
			(struct val_head){ .state = VAL_UNSUPPORTED, .why = "the bridges above it are incomplete" };
		return;
	}
	sampler->speed = pci_keep_file(sampler->root, slot, "", "current_link_speed");
	sampler->width = pci_keep_file(sampler->root, slot, "", "current_link_width");
}

void file_sampler_open(struct file_sampler *ret, struct arena *arena, const struct root *root, const char *address,
		       const char *driver, const char *slot, bool is_under_load)
{
	bool is_xe = !strcmp(driver, "xe"), is_intel = is_xe || !strcmp(driver, "i915"),
	     is_amdgpu = !strcmp(driver, "amdgpu");

	*ret = (struct file_sampler){
		.root = root, .address = address, .is_under_load = is_under_load,
		.temperature = CACHED_FD_NONE, .memory_busy = CACHED_FD_NONE,
	};
	ret->status = pci_keep_file(root, address, "", "power/runtime_status");
	ret->busy = pci_keep_file(root, address, "", "gpu_busy_percent");
	if (!is_under_load)
		ret->memory_busy = pci_keep_file(root, address, "", "mem_busy_percent");
	open_link(ret, slot);
	if (is_amdgpu)
		amdgpu_sensors_open(ret, arena);
	else if (is_intel)
		intel_sensors_open(ret, arena, is_xe);
	if (ret->busy.fd >= 0)
		ret->source = USE_BY_DRIVER;
	else if (!is_under_load && (is_amdgpu || is_intel))
		ret->source = USE_BY_CLIENTS;
}

bool file_sampler_has_sensors(const struct file_sampler *sampler)
{
	return sampler->amdgpu || sampler->intel;
}

void file_sampler_close(struct file_sampler *sampler)
{
	cached_fd_close(&sampler->status);
	cached_fd_close(&sampler->busy);
	cached_fd_close(&sampler->memory_busy);
	cached_fd_close(&sampler->speed);
	cached_fd_close(&sampler->width);
	cached_fd_close(&sampler->temperature);
	drm_clients_close(&sampler->clients);
	if (sampler->amdgpu)
		amdgpu_sensors_close(sampler->amdgpu);
	if (sampler->intel)
		intel_sensors_close(sampler->intel);
	arena_release(&sampler->arena);
}

/* ---- one figure each */

bool gpu_status_is_asleep(const struct cached_fd *status, struct val_head *ret)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = cached_fd_read(status, &text, FILE_BYTES);

	/* Old kernels have no such file, and put nothing to sleep. */
	if (status->fd == -ENOENT)
		return false;
	*ret = (struct val_head){ .state = state_of_errno(error), .why = "whether it sleeps is not known" };
	if (error)
		return true;
	strbuf_rtrim(&text);
	*ret = (struct val_head){ .state = VAL_ASLEEP, .why = "runtime_status suspended" };
	if (!strcmp(text.buf, "error"))
		*ret = (struct val_head){ .state = VAL_ERROR, .why = "runtime_status error" };
	return strcmp(text.buf, "active") && strcmp(text.buf, "unsupported");
}

bool file_sampler_is_asleep(const struct file_sampler *sampler, struct val_head *ret)
{
	return gpu_status_is_asleep(&sampler->status, ret);
}

static struct val_u64 believed_mhz(struct val_u64 clock)
{
	uint64_t mhz = u64_or(clock, 1);

	if (!mhz)
		return no_u64(VAL_ABSENT, "its clock is off");
	return mhz <= MAX_CLOCK_MHZ ? clock : no_u64(VAL_ERROR, "reads no clock");
}

static struct val_f64 percent_in(const struct cached_fd *file)
{
	struct val_u64 percent = kept_number(file, parse_u64, 0, 100, "reads no share");

	if (file->fd == -ENOENT)
		return no_f64(VAL_UNSUPPORTED, "not reported by its driver in a file");
	return is_known(percent) ? val_f64((double)u64_or(percent, 0)) : no_f64(percent.state, percent.why);
}

static struct val_f64 temperature(struct file_sampler *sampler)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = cached_fd_read(&sampler->temperature, &text, FILE_BYTES);
	struct val_f64 now;

	if (error)
		return no_f64(state_of_errno(error), name_of_errno(error));
	strbuf_rtrim(&text);
	now = intel_temperature(&sampler->arena, val_str(text.buf));
	now.why = is_known(now) ? NULL : "reads no temperature";
	return now;
}

/* 0, 63 and 255 are what a link that is down, or a device that does not answer, reads as. */
void file_sampler_read_link(const struct file_sampler *sampler, struct gpu_sample *ret)
{
	ret->link_speed_mtps = kept_number(&sampler->speed, parse_link_speed, 1, UINT64_MAX, "reads no link");
	ret->link_width = kept_number(&sampler->width, parse_u64, 1, MOST_LANES, "reads no link");
	if (sampler->no_link.state != VAL_UNSET)
		ret->link_speed_mtps = ret->link_width = no_u64(sampler->no_link.state, sampler->no_link.why);
}

/* ---- all of them */

void file_sampler_read(struct file_sampler *sampler, struct gpu_sample *ret)
{
	*ret = (struct gpu_sample){ .no_throttle = { .state = VAL_ABSENT, .why = NOT_ITS } };
	if (sampler->source == USE_BY_CLIENTS) {
		ret->busy_percent = drm_clients_use(&sampler->clients, sampler->address);
	} else {
		ret->busy_percent = percent_in(&sampler->busy);
		if (is_known(ret->busy_percent))
			ret->memory_busy_percent = percent_in(&sampler->memory_busy);
	}
	if (file_sampler_has_sensors(sampler))
		ret->temperature_c = temperature(sampler);
	if (sampler->amdgpu)
		amdgpu_sensors_read(sampler, ret);
	else if (sampler->intel)
		intel_sensors_read(sampler, ret);
	ret->clock_mhz = believed_mhz(ret->clock_mhz);
	ret->memory_clock_mhz = believed_mhz(ret->memory_clock_mhz);
	if (ret->clock_mhz.state == VAL_UNSET)
		ret->clock_mhz = no_u64(ret->no_throttle.state, ret->no_throttle.why);
	if (sampler->is_under_load || sample_is_at_work(ret))
		file_sampler_read_link(sampler, ret);
}

/* ---- after the window */

static void fill_other_sources(struct throttle *ret)
{
	ret->power_cap_counter_percent = ret->thermal_counter_percent = ret->board_limit_counter_percent =
		no_f64(VAL_UNSUPPORTED, NOT_ITS);
	ret->thermal_total_s = ret->power_cap_total_s = ret->board_limit_total_s = no_u64(VAL_UNSUPPORTED, NOT_ITS);
}

void file_sampler_fill_none(struct val_head why, struct gpu *ret)
{
	const struct throttle_fold none = { .missing = why };

	throttle_fill(&none, no_u64(why.state, why.why), KINDS, NOT_ITS, NULL, &ret->throttle);
	fill_other_sources(&ret->throttle);
	ret->use.power_mw = ret->use.clock_busy_mhz = no_u64(why.state, why.why);
	ret->use.temperature_max_c = no_f64(why.state, why.why);
}

void file_sampler_fill(const struct file_sampler *sampler, const struct gpu_fold *fold, struct arena *arena,
		       struct gpu *ret)
{
	throttle_fill(&fold->throttle, ret->use.samples_busy, KINDS, NOT_ITS, arena, &ret->throttle);
	fill_other_sources(&ret->throttle);
	if (sampler->amdgpu)
		amdgpu_sensors_fill(sampler->amdgpu, &ret->throttle);
	if (sampler->intel)
		ret->use.power_mw = intel_sensors_power(sampler->intel);
}
