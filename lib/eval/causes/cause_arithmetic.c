// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/causes/cause_arithmetic.h"

#include <math.h>

#include "eval/facts/conditions.h"
#include "eval/facts/twin_stats.h"
#include "eval/facts/link.h"
#include "eval/judge/finding_evidence.h"
#include "eval/judge/vendor.h"

/* Two findings tell of one figure: medians of the same samples. */
#define SAME_FIGURE 0.001

static bool is_same_gpu(const struct finding *a, const struct finding *b)
{
	return a->subject.gpu && a->subject.gpu == b->subject.gpu;
}

/* Is the figure what the cause leaves of it? */
static enum cause_fit compare(double figure, double leaves, enum unit unit, struct cause_leaves *ret)
{
	*ret = (struct cause_leaves){ .figure = leaves, .unit = unit };
	if (figure <= 0.0 || leaves <= 0.0)
		return FIT_NO;
	return figure >= CAUSE_EXPLAINED_SHARE * leaves ? FIT_NUMBERS : FIT_SHORT;
}

enum cause_fit fits_always(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			   struct cause_leaves *ret)
{
	(void)judged;
	(void)effect;
	(void)cause;
	(void)ret;
	return FIT_UNTOLD;
}

/* What a group's limit killed, or what died before the window, says nothing of the node's memory now. */
enum cause_fit fits_kill(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			 struct cause_leaves *ret)
{
	bool is_other = (id_begins(effect, "oom-kills.") && effect->id != OOM_KILLS_NOW) ||
			id_begins(effect, "klog-errors.oom-kill-");

	return is_other ? FIT_NO : fits_always(judged, effect, cause, ret);
}

/* ---- copies */

static bool is_d2h(const struct finding *effect)
{
	return id_begins(effect, "transfer-d2h.");
}

static double copied(const struct finding *effect)
{
	return finding_number(effect, is_d2h(effect) ? "d2h" : "h2d");
}

/* Of what this link could carry, the share that it does with the lanes, or at the speed, in a finding. */
static double link_share(const struct finding *finding)
{
	double now = finding_number(finding, "link_width"), able = finding_number(finding, "link_width_able");

	if (id_begins(finding, "pcie-speed.")) {
		now = link_bytes_per_s((uint64_t)finding_number(finding, "link_speed"), 1);
		able = link_bytes_per_s((uint64_t)finding_number(finding, "link_speed_able"), 1);
	}
	return now > 0.0 && able > now ? now / able : 1.0;
}

/* A link may have lost lanes and speed, and hops above may have too: the narrowest of each counts, and both. */
static double share_left(const struct judged *judged, const struct finding *effect)
{
	double width = 1.0, speed = 1.0;

	for (size_t i = 0; i < judged->nr; i++) {
		const struct finding *finding = judged->findings[i];
		double share = is_same_gpu(finding, effect) ? link_share(finding) : 1.0;

		if (id_begins(finding, "pcie-width.") && share < width)
			width = share;
		if (id_begins(finding, "pcie-speed.") && share < speed)
			speed = share;
	}
	return width * speed;
}

enum cause_fit fits_link(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			 struct cause_leaves *ret)
{
	double twins = finding_number(effect, is_d2h(effect) ? "twin_d2h" : "twin_h2d");
	double whole = twins > 0.0 ? twins : CAUSE_USUAL_SHARE * finding_number(effect, "link_able_bandwidth");

	if (link_share(cause) >= 1.0)
		return FIT_NO;
	return compare(copied(effect), share_left(judged, effect) * whole, UNIT_GBPS, ret);
}

/* ---- what the baseline has better */

static bool is_copy(const char *test)
{
	return !strncmp(test, "h2d", 3) || !strncmp(test, "d2h", 3);
}

/* Of the tests that drifted, named with spaces between, all are copies, or none is. */
static bool all_are(const char *tests, bool copies)
{
	for (const char *test = tests; *test; test += strspn(test, " ")) {
		if (is_copy(test) != copies)
			return false;
		test += strcspn(test, " ");
	}
	return *tests;
}

/* A transfer's finding is about one figure, and another one may be what drifted. */
enum cause_fit fits_drifted_copy(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				 struct cause_leaves *ret)
{
	double figure = finding_number(effect, "figure");

	(void)judged;
	(void)ret;
	if (!all_are(finding_text(effect, "tests"), true))
		return FIT_NO;
	if (id_begins(cause, "transfer-"))
		return strncmp(finding_text(effect, "test"), cause->def->name + strlen("transfer-"), 3) ||
		       fabs(copied(cause) - figure) > SAME_FIGURE * figure ? FIT_NO : FIT_UNTOLD;
	return FIT_UNTOLD;
}

/* A link that was as narrow when the baseline was saved made those copies too. */
enum cause_fit fits_drifted_link(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				 struct cause_leaves *ret)
{
	const char *name = id_begins(cause, "pcie-speed.") ? "link_speed" : "link_width";
	const char *recorded_name = id_begins(cause, "pcie-speed.") ? "recorded_link_speed" : "recorded_link_width";
	double now = finding_number(cause, name), recorded = finding_number(cause, recorded_name);
	const struct evidence *figure = finding_evidence(effect, "figure");

	(void)judged;
	if (!figure || !all_are(finding_text(effect, "tests"), true) || now <= 0.0 || recorded <= now)
		return FIT_NO;
	return compare(finding_number(effect, "figure"), now / recorded * f64_or(figure->expected.f64, 0.0),
		       figure->field->unit, ret);
}

/* ---- the host */

/* Where the CPUs judged are this run's own, it copied from them; those of a job say nothing of our copies. */
enum cause_fit fits_own_cpus(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			     struct cause_leaves *ret)
{
	const char *far = is_d2h(effect) ? "d2h_far" : "h2d_far";

	(void)cause;
	if (!bool_or(judged->snapshot->request.pid_is_self, false))
		return FIT_NO;
	for (size_t i = 0; copied(effect) > 0.0 && i < judged->nr; i++)
		if (is_same_gpu(judged->findings[i], effect) && finding_number(judged->findings[i], far) > 0.0)
			return compare(copied(effect), finding_number(judged->findings[i], far), UNIT_GBPS, ret);
	return FIT_UNTOLD;
}

/* The whole node waits, its GPUs alike: no reason for one to be slower than the others. */
enum cause_fit fits_stall(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			  struct cause_leaves *ret)
{
	double stalled = finding_number(cause, "memory_full_avg10") / 100.0;
	double whole = CAUSE_USUAL_SHARE * finding_number(effect, "link_bandwidth");

	(void)judged;
	if (strstr(effect->def->name, "below-"))
		return FIT_NO;
	return stalled > 0.0 && stalled < 1.0 ? compare(copied(effect), (1.0 - stalled) * whole, UNIT_GBPS, ret)
					      : FIT_UNTOLD;
}

/* ---- rates */

static bool clocks_of(const struct judged *judged, const struct gpu *gpu, bool memory, double *ret)
{
	struct conditions load;
	struct val_u64 clock;

	if (!conditions_at_work(judged->snapshot, gpu, &load))
		return false;
	clock = memory ? load.memory_clock_mhz : load.clock_mhz;
	*ret = (double)u64_or(clock, 0);
	return *ret > 0.0;
}

/* The clock at work beside the highest of its twins; 0.0 where it is not known of both. */
static double clock_share(const struct judged *judged, const struct gpu *gpu, bool memory)
{
	double own, other, highest = 0.0;

	if (!gpu || !clocks_of(judged, gpu, memory, &own))
		return 0.0;
	for (size_t i = 0; i < judged->snapshot->nr_gpus; i++) {
		const struct gpu *twin = &judged->snapshot->gpus[i];

		if (twin != gpu && gpus_are_twins(gpu, twin) && clocks_of(judged, twin, memory, &other) &&
		    other > highest)
			highest = other;
	}
	return highest > 0.0 ? own / highest : 0.0;
}

/* By a share of what its twins do. 0.0: it is not known. */
static enum cause_fit compare_rates(const struct finding *effect, double share, struct cause_leaves *ret)
{
	const struct evidence *rate = finding_evidence(effect, "best_rate");

	if (share <= 0.0 || !rate || finding_number(effect, "twin_rate") <= 0.0)
		return FIT_UNTOLD;
	if (share >= CAUSE_SAME_CLOCKS)
		return FIT_NO;
	return compare(finding_number(effect, "best_rate"), share * finding_number(effect, "twin_rate"),
		       rate->field->unit, ret);
}

/*
 * Arithmetic follows the clock of the units; memory that of the memory, or of the units where they are too slow for it.
 */
static double pace_share(const struct judged *judged, const struct finding *effect)
{
	double share = clock_share(judged, effect->subject.gpu, false), memory;

	if (!id_begins(effect, "memory-bandwidth.") && strncmp(finding_text(effect, "test"), "memory-", 7) != 0)
		return share;
	memory = clock_share(judged, effect->subject.gpu, true);
	return memory > 0.0 && (share <= 0.0 || memory < share) ? memory : share;
}

/* What slows all GPUs under test slows none below the others. */
static bool all_have(const struct judged *judged, const struct finding *cause)
{
	size_t nr = 0, others = 0;

	for (size_t i = 0; i < judged->snapshot->nr_gpus; i++)
		others += cause->subject.gpu && gpus_are_twins(cause->subject.gpu, &judged->snapshot->gpus[i]);
	for (size_t i = 0; i < judged->nr; i++)
		nr += judged->findings[i]->id == cause->id && judged->findings[i]->subject.gpu != cause->subject.gpu;
	return others && nr >= others;
}

enum cause_fit fits_clocks(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			   struct cause_leaves *ret)
{
	double share = pace_share(judged, effect);

	if (share <= 0.0 && finding_number(effect, "twin_rate") > 0.0 && all_have(judged, cause))
		return FIT_NO;
	return compare_rates(effect, share, ret);
}

/* Where all of them are slowed, a GPU's twins are no measure of what it had. */
enum cause_fit fits_drifted_pace(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				 struct cause_leaves *ret)
{
	const struct evidence *figure = finding_evidence(effect, "figure");
	double share = pace_share(judged, effect);

	if (!figure || !all_are(finding_text(effect, "tests"), false))
		return FIT_NO;
	if (share <= 0.0 || all_have(judged, cause))
		return FIT_UNTOLD;
	if (share >= CAUSE_SAME_CLOCKS)
		return FIT_NO;
	return compare(finding_number(effect, "figure"), share * f64_or(figure->expected.f64, 0.0), figure->field->unit,
		       ret);
}

/* Clocks fall no faster than the power: a chip with half the power keeps more than half of its speed. */
enum cause_fit fits_power_limit(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				struct cause_leaves *ret)
{
	double share = pace_share(judged, effect), limit = finding_number(cause, "power_limit_mw");
	double twins = finding_number(cause, "twin_limit");

	if (twins <= 0.0)
		twins = finding_number(cause, "power_default_mw");
	return compare_rates(effect, share <= 0.0 && twins > 0.0 ? limit / twins : share, ret);
}

enum cause_fit fits_clock_limit(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				struct cause_leaves *ret)
{
	double share = pace_share(judged, effect), limit = finding_number(cause, "clock_boost_max_mhz");
	double most = finding_number(cause, "clock_max_mhz");

	return compare_rates(effect, share <= 0.0 && limit > 0.0 && most > 0.0 ? limit / most : share, ret);
}

/* ---- drivers and holders */

enum cause_fit fits_driver(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			   struct cause_leaves *ret)
{
	const char *effects = finding_text(effect, "driver"), *causes = finding_text(cause, "driver");

	(void)judged;
	(void)ret;
	if (!*effects && effect->subject.gpu)
		effects = str_or(effect->subject.gpu->pci.driver, "");
	if (!*causes && cause->subject.gpu)
		causes = str_or(cause->subject.gpu->pci.driver, "");
	return *effects && *causes && strcmp(effects, causes) != 0 ? FIT_NO : FIT_UNTOLD;
}

enum cause_fit fits_nvidia(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			   struct cause_leaves *ret)
{
	const struct gpu *gpu = effect->subject.gpu ? effect->subject.gpu : cause->subject.gpu;

	(void)judged;
	(void)ret;
	return gpu && gpu_vendor(gpu) != VENDOR_NVIDIA ? FIT_NO : FIT_UNTOLD;
}

static bool is_of_driver(const struct gpu *gpu, const char *driver)
{
	static const struct {
		const char *driver, *vendor_id;
	} makers[] = {
		{ "nvidia", "0x10de" }, { "amdgpu", "0x1002" }, { "i915", "0x8086" }, { "xe", "0x8086" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (!strcmp(makers[i].driver, driver))
			return str_is(gpu->pci.vendor_id, makers[i].vendor_id);
	return true;
}

enum cause_fit fits_maintenance(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				struct cause_leaves *ret)
{
	static const char of_nvidia[] = "driver-match. cuda-version. daemons. probe-health.nvml- "
					"gpu-enumerated.library- gpu-enumerated.start-gpu-fault";
	static const char hangs[] = "probe-health.nvml-hangs probe-health.gpu-hangs";
	const char *driver = finding_text(cause, "driver");

	(void)judged;
	(void)ret;
	/* The module that is loaded takes no part in a build. */
	if (cause->id == DRIVER_MATCH_BUILD_UNDER_WAY && id_listed(effect, hangs))
		return FIT_NO;
	if (effect->subject.gpu)
		return is_of_driver(effect->subject.gpu, driver) ? FIT_UNTOLD : FIT_NO;
	return id_listed(effect, of_nvidia) && strcmp(driver, "nvidia") != 0 ? FIT_NO : FIT_UNTOLD;
}

enum cause_fit fits_mig_change(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			       struct cause_leaves *ret)
{
	bool is_of_twins = effect->id == TWINS_DIFFER_ODD_ONE;

	(void)judged;
	(void)cause;
	(void)ret;
	return is_of_twins && strncmp(finding_text(effect, "field"), "mig_", strlen("mig_")) != 0 ? FIT_NO : FIT_UNTOLD;
}

enum cause_fit fits_held_gpu(const struct judged *judged, const struct finding *effect, const struct finding *cause,
			     struct cause_leaves *ret)
{
	const char *key = effect->subject.gpu ? str_or(effect->subject.gpu->key, "") : "";

	(void)judged;
	(void)ret;
	return *key && strstr(finding_text(cause, "held_gpu"), key) ? FIT_UNTOLD : FIT_NO;
}

enum cause_fit fits_dead_memory(const struct judged *judged, const struct finding *effect, const struct finding *cause,
				struct cause_leaves *ret)
{
	double used = finding_number(effect, "vram_used_bytes"), total = finding_number(effect, "vram_total_bytes");

	if (fits_held_gpu(judged, effect, cause, ret) == FIT_NO)
		return FIT_NO;
	return total > 0.0 && used - finding_number(cause, "dead_bytes") < CAUSE_NO_ROOM * total ? FIT_NUMBERS : FIT_NO;
}

/* ---- the same in words, with the shares that it calculates with */

#define AS_TEXT(share) #share
#define TEXT_OF(share) AS_TEXT(share)
#define AT_LEAST " is at least " TEXT_OF(CAUSE_EXPLAINED_SHARE) " x "
#define LESS "; a lower value has a second cause"
#define UNTOLD "; if that is unknown, it may be"
#define PACE \
	"its rate" AT_LEAST "(its clock at work / the highest of its twins) x the twins' rate, and its clock is below " \
	TEXT_OF(CAUSE_SAME_CLOCKS) " of theirs" LESS

const char *cause_fit_words(cause_fits_fn *fits)
{
	static const struct {
		cause_fits_fn *fits;
		const char *words;
	} rows[] = {
		{ fits_kill, "the OOM kill is the node's: neither a control group's limit nor before the window" },
		{ fits_link, "its rate" AT_LEAST "(lanes / lanes it could have) x (speed / speed it could have) x the twins' rate, "
			     "or without twins " TEXT_OF(CAUSE_USUAL_SHARE) " of what the link could carry" LESS },
		{ fits_drifted_link, "all tests that drifted are copies, and the figure" AT_LEAST
				     "(lanes or speed / those recorded) x the recorded figure" LESS },
		{ fits_drifted_copy, "all tests that drifted are copies; of a transfer, if it is the same timing" },
		{ fits_drifted_pace, "no test that drifted is a copy, and the figure" AT_LEAST
				     "(its clock at work / the highest of its twins) x the recorded figure, with its clock below "
				     TEXT_OF(CAUSE_SAME_CLOCKS) " of theirs" LESS UNTOLD },
		{ fits_own_cpus, "the CPUs are this run's own (--pid self), and its rate" AT_LEAST
				 "the rate from memory of the other socket" LESS UNTOLD },
		{ fits_stall, "the twins are no faster, and its rate" AT_LEAST
			      "(1 - share of the time in which all tasks wait for memory) x " TEXT_OF(CAUSE_USUAL_SHARE)
			      " of what the link carries" LESS UNTOLD },
		{ fits_clocks, PACE UNTOLD ", unless all twins are throttled alike" },
		{ fits_power_limit, PACE "; without clocks its power limit / the twins', or its default, counts for them" UNTOLD },
		{ fits_clock_limit, PACE "; without clocks the one that is set / the highest it may have counts for them" UNTOLD },
		{ fits_driver, "both are of one driver, as far as is known" },
		{ fits_nvidia, "it is of NVIDIA's driver" },
		{ fits_maintenance, "it is of that driver or of a GPU of its vendor, and no hang during a build" },
		{ fits_mig_change, "of settings that differ from those of twins, it is one of MIG" },
		{ fits_held_gpu, "the VRAM without a process is this GPU's" },
		{ fits_dead_memory, "the VRAM without a process is this GPU's, and without it less than " TEXT_OF(CAUSE_NO_ROOM)
				    " of the whole would be in use" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].fits == fits)
			return rows[i].words;
	return NULL;
}
