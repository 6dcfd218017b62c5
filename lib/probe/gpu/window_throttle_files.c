// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window_throttle_files.c - files of amdgpu, i915 and xe that tell of a GPU's
 * clocks, power and heat, read again and again. None of them blocks, as
 * amdgpu's pcie_bw would, and none is read of a GPU that sleeps.
 */
#include "base/compat.h"
#include "probe/gpu/window_throttle.h"

#include <errno.h>

#include "base/text.h"
#include "format/intel_throttle.h"
#include "probe/device/hwmon.h"
#include "probe/intel/intel.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"
#include "sys/clock.h"

enum { FILE_BYTES = 4096, MAX_CLOCK_MHZ = 10000, MAX_SENSORS = 3, MAX_GTS = 8 };

/* Of one moment or counting, with what it was first and last. */
struct counter_file {
	struct cached_fd file;
	struct val_u64 start, before, last;
	uint64_t start_ns, before_ns, last_ns;
};

struct gt_watch {
	struct intel_gt_place place;
	struct cached_fd clock, reasons, status;	/* reasons: all in one file, of newer kernels */
};

struct throttle_watch {
	const struct root *root;
	const char *address;
	bool is_amdgpu;
	struct throttle_tally tally;
	struct tally clock, power;
	struct val_u64 power_now;		/* amdgpu: the last reading */
	struct val_f64 temperature_max_c;
	bool looked;
	struct throttle_now now;

	struct cached_fd temperature;
	struct cached_fd metrics, power_file, memory_clock;	/* amdgpu */
	struct amdgpu_metrics first, last;
	bool has_first;
	bool knows_hotspot;
	char hwmon[HWMON_BYTES];
	struct val_f64 hotspot_max_c;

	struct gt_watch gts[MAX_GTS];	/* i915, xe */
	size_t nr_gts;
	struct counter_file energy[2];	/* of the card, of its package */
	struct arena arena;		/* of one look */
};

/* ---- opening, which asks the driver nothing */

static struct cached_fd keep(const struct throttle_watch *watch, const char *folder, const char *file)
{
	return (struct cached_fd){
		.fd = root_open_file(watch->root, PCI_DEVICES "/%s/%s%s", watch->address, folder, file),
	};
}

/* Labels are texts of the driver's own: no sensor is asked. 0: none has it. */
static unsigned sensor_of_label(struct throttle_watch *watch, const char *label)
{
	STRBUF_AUTO text = STRBUF_INIT;

	for (unsigned number = 1; number <= MAX_SENSORS; number++) {
		if (root_read(watch->root, &text, PCI_DEVICES "/%s/%stemp%u_label", watch->address, watch->hwmon, number))
			continue;
		strbuf_rtrim(&text);
		if (!strcmp(text.buf, label))
			return number;
	}
	return 0;
}

static void open_amdgpu(struct throttle_watch *watch)
{
	unsigned sensor;
	char file[24];

	watch->is_amdgpu = true;
	watch->metrics = keep(watch, "", "gpu_metrics");
	if (hwmon_find(watch->root, watch->address, NULL, watch->hwmon) || !*watch->hwmon)
		return;
	sensor = sensor_of_label(watch, "edge");
	sensor = sensor ? sensor : sensor_of_label(watch, "junction");
	snprintf(file, sizeof(file), "temp%u_input", sensor);
	watch->temperature = keep(watch, watch->hwmon, file);
	watch->power_file = keep(watch, watch->hwmon, "power1_average");
	if (watch->power_file.fd < 0)
		watch->power_file = keep(watch, watch->hwmon, "power1_input");
	/* Linux 7.2 Documentation/gpu/amdgpu/thermal.rst: the memory clock in hertz. */
	watch->memory_clock = keep(watch, watch->hwmon, "freq2_input");
}

static void open_gt(struct throttle_watch *watch, const struct intel_gt_place *place)
{
	struct gt_watch *gt = &watch->gts[watch->nr_gts++];
	char folder[sizeof(place->reasons)];

	gt->place = *place;
	gt->reasons = gt->clock = (struct cached_fd)CACHED_FD_NONE;
	if (place->is_graphics)
		gt->clock = keep(watch, place->clocks, place->is_xe ? "act_freq" : "act_freq_mhz");
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(place->reasons, '/') + 1 - place->reasons), place->reasons);
	if (place->is_xe)
		gt->reasons = keep(watch, folder, "reasons");
	gt->status = place->is_xe ? keep(watch, folder, "status") : keep(watch, place->reasons, "status");
}

static void open_intel(struct throttle_watch *watch, const char *driver)
{
	static const char *const energies[] = { "energy1_input", "energy2_input" };
	struct intel_paths places;

	intel_find_places(watch->root, watch->address, &places);
	for (size_t i = 0; i < places.nr_gts && i < MAX_GTS; i++)
		open_gt(watch, &places.gts[i]);
	if (!*places.hwmon)
		return;
	watch->temperature = keep(watch, places.hwmon, strcmp(driver, "xe") ? "temp1_input" : "temp2_input");
	for (size_t i = 0; i < ARRAY_SIZE(energies); i++)
		watch->energy[i].file = keep(watch, places.hwmon, energies[i]);
}

struct throttle_watch *throttle_watch_open(struct arena *arena, const struct root *root, const char *address,
					   const char *driver)
{
	bool is_amdgpu = !strcmp(driver, "amdgpu");
	struct throttle_watch *watch;

	if (!is_amdgpu && strcmp(driver, "i915") && strcmp(driver, "xe"))
		return NULL;
	watch = arena_alloc(arena, sizeof(*watch));
	*watch = (struct throttle_watch){
		.root = root, .address = address, .tally = THROTTLE_TALLY_INIT, .temperature = CACHED_FD_NONE,
		.metrics = CACHED_FD_NONE, .power_file = CACHED_FD_NONE, .memory_clock = CACHED_FD_NONE,
		.energy = { { .file = CACHED_FD_NONE }, { .file = CACHED_FD_NONE } },
		.temperature_max_c = { .state = VAL_ABSENT, .why = "ENOENT" },
	};
	if (is_amdgpu)
		open_amdgpu(watch);
	else
		open_intel(watch, driver);
	return watch;
}

/* ---- looking */

static struct val_u64 read_number(const struct cached_fd *file)
{
	STRBUF_AUTO text = STRBUF_INIT;
	uint64_t number;
	int error = cached_fd_read(file, &text, FILE_BYTES);

	if (error)
		return no_u64(state_of_errno(error), name_of_errno(error));
	if (parse_u64(text.buf, &number))
		return no_u64(VAL_ERROR, "reads no number");
	return val_u64(number);
}

/* The highest; a reading that fails takes nothing from one that did not. */
static void look_at_temperature(struct throttle_watch *watch)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error = cached_fd_read(&watch->temperature, &text, FILE_BYTES);
	struct val_f64 now;

	if (error) {
		now = no_f64(state_of_errno(error), name_of_errno(error));
	} else {
		strbuf_rtrim(&text);
		now = intel_temperature(&watch->arena, val_str(text.buf));
		now.why = is_known(now) ? NULL : "reads no temperature";
	}
	watch->now.temperature_c = now;
	if (is_known(now) ? f64_or(now, 0) > f64_or(watch->temperature_max_c, -1000) :
			    !is_known(watch->temperature_max_c))
		watch->temperature_max_c = now;
}

static struct val_u64 believed_mhz(uint64_t mhz)
{
	if (!mhz)
		return no_u64(VAL_ABSENT, "its clock is off");
	return mhz <= MAX_CLOCK_MHZ ? val_u64(mhz) : no_u64(VAL_ERROR, "reads no clock");
}

static void add_clock(struct throttle_watch *watch, uint64_t mhz, bool works)
{
	watch->now.clock_mhz = believed_mhz(mhz);
	if (works && is_known(watch->now.clock_mhz))
		tally_add(&watch->clock, (double)mhz);
}

static void missed(struct throttle_watch *watch, enum val_state state, const char *why)
{
	watch->tally.missing = watch->now.missing = (struct val_head){ .state = state, .why = why };
}

static void add_look(struct throttle_watch *watch, const struct throttle_look *look, bool works)
{
	watch->now.look = *look;
	watch->now.missing = (struct val_head){ .state = VAL_UNSET };
	throttle_tally_add(&watch->tally, look, works);
}

static struct val_u64 in_mega(struct val_u64 value)
{
	return is_known(value) ? believed_mhz(u64_or(value, 0) / 1000000) : value;
}

/* Where it slows itself by its hotspot; it does not change. */
static void learn_hotspot(struct throttle_watch *watch)
{
	unsigned sensor = *watch->hwmon ? sensor_of_label(watch, "junction") : 0;
	STRBUF_AUTO text = STRBUF_INIT;

	watch->knows_hotspot = true;
	watch->hotspot_max_c = no_f64(VAL_ABSENT, "no such sensor");
	if (!sensor || root_read(watch->root, &text, PCI_DEVICES "/%s/%stemp%u_crit", watch->address, watch->hwmon, sensor))
		return;
	strbuf_rtrim(&text);
	watch->hotspot_max_c = intel_temperature(&watch->arena, val_str(text.buf));
}

static void look_at_amdgpu(struct throttle_watch *watch, bool works)
{
	STRBUF_AUTO bytes = STRBUF_INIT;
	struct amdgpu_metrics now;
	struct throttle_look look;
	struct val_head missing;
	const char *why;
	int error = cached_fd_read(&watch->metrics, &bytes, AMDGPU_METRICS_MAX_BYTES);

	watch->power_now = read_number(&watch->power_file);
	watch->now.power_mw = watch->power_now;
	watch->now.memory_clock_mhz = in_mega(read_number(&watch->memory_clock));
	if (is_known(watch->power_now)) {
		watch->now.power_mw = val_u64(u64_or(watch->power_now, 0) / 1000);
		tally_add(&watch->power, (double)u64_or(watch->power_now, 0) / 1000);
	}
	if (error) {
		missed(watch, state_of_errno(error), name_of_errno(error));
		return;
	}
	error = amdgpu_metrics_decode((const unsigned char *)bytes.buf, bytes.len, &now, &why);
	if (error) {
		missed(watch, VAL_ERROR, why);
		return;
	}
	if (!watch->knows_hotspot)
		learn_hotspot(watch);
	add_clock(watch, u64_or(now.current_gfxclk_mhz, u64_or(now.average_gfxclk_mhz, 0)), works);
	if (throttle_of_amdgpu(watch->has_first ? &watch->last : NULL, &now, watch->hotspot_max_c, &look, &missing))
		add_look(watch, &look, works);
	else
		missed(watch, missing.state, missing.why);
	watch->first = watch->has_first ? watch->first : now;
	watch->has_first = true;
	watch->last = now;
}

/* File by file, once their sum says that there is something. */
static int add_single_reasons(struct throttle_watch *watch, const struct gt_watch *gt, struct strbuf *reasons)
{
	static const char *const names[] = { "pl1", "pl2", "pl4", "thermal", "prochot", "ratl", "vr_thermalert", "vr_tdc" };
	STRBUF_AUTO text = STRBUF_INIT;
	struct val_u64 status = read_number(&gt->status);

	if (!is_known(status)) {
		missed(watch, status.state, status.why);
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) && u64_or(status, 0); i++) {
		uint64_t holds;

		if (!root_read(watch->root, &text, PCI_DEVICES "/%s/%s%s", watch->address, gt->place.reasons, names[i]) &&
		    !parse_u64(text.buf, &holds) && holds == 1)
			throttle_reasons_add(reasons, names[i]);
	}
	return 0;
}

static int add_reasons(struct throttle_watch *watch, const struct gt_watch *gt, struct strbuf *reasons)
{
	STRBUF_AUTO text = STRBUF_INIT;
	int error;

	if (gt->reasons.fd == -ENOENT)
		return add_single_reasons(watch, gt, reasons);
	error = cached_fd_read(&gt->reasons, &text, FILE_BYTES);
	if (error)
		missed(watch, state_of_errno(error), name_of_errno(error));
	else if (!intel_throttle_parse(text.buf, reasons))
		missed(watch, VAL_ERROR, "its reasons are no names");
	else
		return 0;
	return -1;
}

static void look_at_energy(struct counter_file *energy)
{
	struct val_u64 now = read_number(&energy->file);
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
static const struct counter_file *energy_told(const struct throttle_watch *watch)
{
	const struct counter_file *card = &watch->energy[0], *package = &watch->energy[1];

	return u64_or(card->last, 0) || !is_known(package->last) ? card : package;
}

static struct val_u64 power_since_before(const struct throttle_watch *watch)
{
	const struct counter_file *told = energy_told(watch);

	if (told->before.state == VAL_UNSET && is_known(told->last))
		return no_u64(VAL_ABSENT, "only one sample of a counter");
	return power_of_energy(is_known(told->last) ? told->before : told->last, told->last,
			       told->last_ns - told->before_ns);
}

static void look_at_intel(struct throttle_watch *watch, bool works)
{
	STRBUF_AUTO reasons = STRBUF_INIT;
	struct throttle_look look;
	uint64_t highest_mhz = 0;
	size_t told = 0;

	for (size_t i = 0; i < ARRAY_SIZE(watch->energy); i++)
		look_at_energy(&watch->energy[i]);
	for (size_t i = 0; i < watch->nr_gts; i++) {
		uint64_t mhz = u64_or(read_number(&watch->gts[i].clock), 0);

		highest_mhz = mhz > highest_mhz ? mhz : highest_mhz;
		told += !add_reasons(watch, &watch->gts[i], &reasons);
	}
	add_clock(watch, highest_mhz, works);
	watch->now.power_mw = power_since_before(watch);
	watch->now.memory_clock_mhz = no_u64(VAL_UNSUPPORTED, "not reported by its driver");
	if (!watch->nr_gts)
		missed(watch, VAL_ABSENT, "its driver has no folder for its parts");
	if (!told)
		return;
	throttle_of_intel(reasons.buf, &look);
	add_look(watch, &look, works);
}

void throttle_watch_look(struct throttle_watch *watch, bool works)
{
	if (!watch)
		return;
	watch->looked = true;
	watch->now = (struct throttle_now){ .missing = { .state = VAL_ABSENT, .why = "not reported by its driver" } };
	look_at_temperature(watch);
	if (watch->is_amdgpu)
		look_at_amdgpu(watch, works);
	else
		look_at_intel(watch, works);
	if (watch->now.clock_mhz.state == VAL_UNSET)
		watch->now.clock_mhz = no_u64(watch->now.missing.state, watch->now.missing.why);
}

const struct throttle_now *throttle_watch_now(const struct throttle_watch *watch)
{
	return &watch->now;
}

/* ---- the end */

static struct val_u64 energy_power(const struct throttle_watch *watch)
{
	const struct counter_file *told = energy_told(watch);

	return power_of_energy(told->start, told->last, told->last_ns - told->start_ns);
}

static struct val_u64 mean_of(const struct tally *tally, struct val_u64 otherwise)
{
	return tally->nr ? val_u64((uint64_t)(tally->sum / (double)tally->nr + 0.5)) : otherwise;
}

static void fill_use(const struct throttle_watch *watch, struct gpu_use *ret)
{
	struct val_u64 power = watch->is_amdgpu ? watch->power_now : energy_power(watch);
	struct val_u64 clock = no_u64(VAL_ABSENT, "not busy in the window");

	if (!is_known(ret->samples_busy))
		clock = no_u64(ret->samples_busy.state, ret->samples_busy.why);
	ret->power_mw = mean_of(&watch->power, power);
	ret->clock_busy_mhz = mean_of(&watch->clock, clock);
	ret->temperature_max_c = watch->temperature_max_c;
}

void throttle_watch_end(struct throttle_watch *watch, struct val_head unseen, struct arena *arena, struct gpu *ret)
{
	if (!watch)
		return;
	if (unseen.state == VAL_UNSET && !watch->looked)
		unseen = (struct val_head){ .state = VAL_ABSENT, .why = "not in use" };
	if (unseen.state != VAL_UNSET) {
		throttle_fill_none(unseen.state, unseen.why, &ret->throttle);
		ret->use.power_mw = ret->use.clock_busy_mhz = no_u64(unseen.state, unseen.why);
		ret->use.temperature_max_c = no_f64(unseen.state, unseen.why);
		return;
	}
	throttle_fill(&watch->tally, ret->use.samples_busy, arena, &ret->throttle);
	if (watch->has_first)
		throttle_fill_counters(&watch->first, &watch->last, &ret->throttle);
	fill_use(watch, &ret->use);
}

void throttle_watch_close(struct throttle_watch *watch)
{
	if (!watch)
		return;
	cached_fd_close(&watch->temperature);
	cached_fd_close(&watch->metrics);
	cached_fd_close(&watch->power_file);
	cached_fd_close(&watch->memory_clock);
	for (size_t i = 0; i < ARRAY_SIZE(watch->energy); i++)
		cached_fd_close(&watch->energy[i].file);
	for (size_t i = 0; i < watch->nr_gts; i++) {
		cached_fd_close(&watch->gts[i].clock);
		cached_fd_close(&watch->gts[i].reasons);
		cached_fd_close(&watch->gts[i].status);
	}
	strbuf_release(&watch->tally.reasons);
	arena_release(&watch->arena);
}
