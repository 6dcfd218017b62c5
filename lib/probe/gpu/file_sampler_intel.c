// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_sampler_intel.c - clocks, power and throttling of a GPU of i915 or xe, by the files of its parts and its energy.
 */
#include "base/compat.h"
#include "probe/gpu/file_sampler.h"

#include "base/text.h"
#include "format/intel_throttle.h"
#include "probe/intel/intel.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "probe/window_rates.h"
#include "sys/clock.h"

enum { FILE_BYTES = 4096, MAX_GTS = 8 };
#define MAX_MW 5000000.0		/* of one card */

/* A counter with what it was first and last. */
struct counter_file {
	struct cached_fd file;
	struct val_u64 start, before, last;
	uint64_t start_ns, before_ns, last_ns;
};

struct gt_files {
	struct intel_gt_place place;
	struct cached_fd clock, reasons, status;	/* reasons: all in one file, of newer kernels */
};

struct intel_sensors {
	struct gt_files gts[MAX_GTS];
	size_t nr_gts;
	struct counter_file energy[2];	/* of the card, of its package */
};

/* ---- pure */

void throttle_of_intel(const char *reasons, struct throttle_sample *ret)
{
	unsigned kinds = intel_throttle_kinds(reasons);

	*ret = (struct throttle_sample){ .weight = 1 };
	for (unsigned kind = 0; kind < NR_THROTTLE_KINDS; kind++)
		ret->share[kind] = kinds >> kind & 1 ? 1 : 0;
	ret->brakes = ret->share[THROTTLE_BRAKE] > 0;
	ret->is_too_hot = intel_throttle_is_too_hot(reasons);
	snprintf(ret->reasons, sizeof(ret->reasons), "%s", strcmp(reasons, "none") ? reasons : "");
}

struct val_u64 power_of_energy(struct val_u64 start_uj, struct val_u64 end_uj, uint64_t elapsed_ns)
{
	struct val_u64 grown = growth_of(start_uj, end_uj);
	double mw;

	if (!is_known(grown))
		return grown;
	if (!elapsed_ns)
		return no_u64(VAL_ABSENT, "no time passed");
	mw = (double)u64_or(grown, 0) * 1e6 / (double)elapsed_ns;
	return mw > MAX_MW ? no_u64(VAL_ERROR, "its energy counter leaps") : val_u64((uint64_t)(mw + 0.5));
}

/* ---- opening */

static void open_gt(struct file_sampler *sampler, const struct intel_gt_place *place)
{
	struct gt_files *gt = &sampler->intel->gts[sampler->intel->nr_gts++];
	char folder[sizeof(place->reasons)];

	gt->place = *place;
	gt->reasons = gt->clock = (struct cached_fd)CACHED_FD_NONE;
	if (place->is_graphics)
		gt->clock = pci_keep_file(sampler->root, sampler->address, place->clocks,
					  place->is_xe ? "act_freq" : "act_freq_mhz");
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(place->reasons, '/') + 1 - place->reasons),
		 place->reasons);
	if (place->is_xe)
		gt->reasons = pci_keep_file(sampler->root, sampler->address, folder, "reasons");
	gt->status = pci_keep_file(sampler->root, sampler->address, place->is_xe ? folder : place->reasons, "status");
}

void intel_sensors_open(struct file_sampler *sampler, struct arena *arena, bool is_xe)
{
	static const char *const energies[] = { "energy1_input", "energy2_input" };
	struct intel_paths places;

	sampler->intel = arena_alloc(arena, sizeof(*sampler->intel));
	*sampler->intel = (struct intel_sensors){
		.energy = { { .file = CACHED_FD_NONE }, { .file = CACHED_FD_NONE } },
	};
	intel_find_places(sampler->root, sampler->address, &places);
	for (size_t i = 0; i < places.nr_gts && i < MAX_GTS; i++)
		open_gt(sampler, &places.gts[i]);
	if (!*places.hwmon)
		return;
	sampler->temperature =
		pci_keep_file(sampler->root, sampler->address, places.hwmon, is_xe ? "temp2_input" : "temp1_input");
	for (size_t i = 0; i < ARRAY_SIZE(energies); i++)
		sampler->intel->energy[i].file =
			pci_keep_file(sampler->root, sampler->address, places.hwmon, energies[i]);
}

void intel_sensors_close(struct intel_sensors *sensors)
{
	for (size_t i = 0; i < ARRAY_SIZE(sensors->energy); i++)
		cached_fd_close(&sensors->energy[i].file);
	for (size_t i = 0; i < sensors->nr_gts; i++) {
		cached_fd_close(&sensors->gts[i].clock);
		cached_fd_close(&sensors->gts[i].reasons);
		cached_fd_close(&sensors->gts[i].status);
	}
}

/* ---- reasons */

/* File by file, once their sum says that there is something. */
static struct val_head add_single_reasons(const struct file_sampler *sampler, const struct gt_files *gt,
					  struct strbuf *reasons)
{
	static const char *const names[] = { "pl1", "pl2", "pl4", "thermal", "prochot", "ratl", "vr_thermalert",
					     "vr_tdc" };
	struct val_u64 status = kept_u64(&gt->status);
	STRBUF_AUTO text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names) && u64_or(status, 0); i++) {
		uint64_t holds;

		if (!root_read(sampler->root, &text, PCI_DEVICES "/%s/%s%s", sampler->address, gt->place.reasons,
			       names[i]) &&
		    !parse_u64(text.buf, &holds) && holds == 1)
			throttle_reasons_add(reasons, names[i]);
	}
	return (struct val_head){ .state = status.state, .why = status.why };
}

/* Adds the throttle reasons of that part; VAL_OK, or why there are none to read. */
static struct val_head add_reasons(const struct file_sampler *sampler, const struct gt_files *gt,
				   struct strbuf *reasons)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error;

	if (gt->reasons.fd == -ENOENT)
		return add_single_reasons(sampler, gt, reasons);
	error = cached_fd_read(&gt->reasons, &text, FILE_BYTES);
	if (error)
		return (struct val_head){ .state = state_of_errno(error), .why = name_of_errno(error) };
	if (!intel_throttle_parse(text.buf, reasons))
		return (struct val_head){ .state = VAL_ERROR, .why = "its reasons are no names" };
	return (struct val_head){ .state = VAL_OK };
}

/* ---- energy */

static void read_energy(struct counter_file *energy)
{
	struct val_u64 now = kept_u64(&energy->file);
	uint64_t now_ns = clock_now_ns();

	if (!is_known(energy->start)) {
		energy->start = now;
		energy->start_ns = now_ns;
	}
	energy->before = energy->last;
	energy->before_ns = energy->last_ns;
	if (is_known(now) || energy->last.state == VAL_UNSET) {
		energy->last = now;
		energy->last_ns = now_ns;
	}
}

/* Of the card, which some boards leave at 0, else of its package. */
static const struct counter_file *energy_told(const struct intel_sensors *sensors)
{
	const struct counter_file *card = &sensors->energy[0], *package = &sensors->energy[1];

	return u64_or(card->last, 0) || !is_known(package->last) ? card : package;
}

static struct val_u64 power_since_before(const struct intel_sensors *sensors)
{
	const struct counter_file *told = energy_told(sensors);

	if (told->before.state == VAL_UNSET && is_known(told->last))
		return no_u64(VAL_ABSENT, "only one sample of a counter");
	return power_of_energy(is_known(told->last) ? told->before : told->last, told->last,
			       told->last_ns - told->before_ns);
}

struct val_u64 intel_sensors_energy(const struct intel_sensors *sensors)
{
	return energy_told(sensors)->last;
}

struct val_u64 intel_sensors_power(const struct intel_sensors *sensors)
{
	const struct counter_file *told = energy_told(sensors);

	return power_of_energy(told->start, told->last, told->last_ns - told->start_ns);
}

/* ---- one sample */

void intel_sensors_read(struct file_sampler *sampler, struct gpu_sample *ret)
{
	struct intel_sensors *sensors = sampler->intel;
	STRBUF_AUTO reasons = STRBUF_INIT;
	uint64_t highest_mhz = 0;
	size_t told = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sensors->energy); i++)
		read_energy(&sensors->energy[i]);
	if (!sensors->nr_gts)
		ret->no_throttle =
			(struct val_head){ .state = VAL_ABSENT, .why = "its driver has no folder for its parts" };
	for (size_t i = 0; i < sensors->nr_gts; i++) {
		uint64_t mhz = u64_or(kept_u64(&sensors->gts[i].clock), 0);
		struct val_head missing = add_reasons(sampler, &sensors->gts[i], &reasons);

		highest_mhz = mhz > highest_mhz ? mhz : highest_mhz;
		told += missing.state == VAL_OK;
		ret->no_throttle = missing.state == VAL_OK ? ret->no_throttle : missing;
	}
	ret->clock_mhz = val_u64(highest_mhz);
	ret->power_mw = power_since_before(sensors);
	ret->memory_clock_mhz = no_u64(VAL_UNSUPPORTED, "not reported by its driver");
	if (told)
		throttle_of_intel(reasons.buf, &ret->throttle);
}
