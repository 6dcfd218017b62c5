// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_watch.c - a GPU over the window, as NVML tells.
 *
 * What is of the moment is asked every 100 ms, what counts at both ends. A
 * figure that the GPU does not give is asked once. Every call is named before
 * it is made: a long window has fewer samples, so that the names fit into what
 * a worker may say.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "base/strbuf.h"
#include "base/text.h"
#include "probe/window_rates.h"
#include "sys/clock.h"

enum {
	SAMPLE_MS = 100,
	MOST_SAMPLES = 6000,
	SAMPLES_A_THROUGHPUT = 5,	/* that call itself watches for 20 ms */
	COST_SHARE = 50,		/* a sample may take a 50th of the time between two */
	WORKS_PERCENT = 50,		/* a sample in which clocks, link and reasons count */
};
#define MS_NS UINT64_C(1000000)
#define NOT_AT_WORK "not busy in the window"

/* A figure under way: its mean and its highest, or the last error. */
struct tally {
	size_t nr;
	double sum, max;
	int error;
	bool is_off;			/* it is not told, now or ever */
};

/* Time held back, by what; in the order of their fields. */
enum policy { BY_POWER, BY_HEAT, BY_SYNC_BOOST, BY_BOARD, BY_LOW_USE, BY_RELIABILITY, BY_APPLICATION, BY_BASE, NR_POLICIES };

struct counters { struct val_u64 held_ns[NR_POLICIES], replays; };

struct nvml_window {
	struct nvml_session *session;
	size_t samples, works;
	struct tally busy, memory, clock, power, temperature, sent, received, generation, width, reasons;
	size_t held[16];		/* samples at work with that bit of the reasons */
	size_t told[16];		/* all samples with it */
	uint64_t seen_reasons;
	size_t run, longest_run;	/* of slowdown, at work */
};

static void add(struct tally *tally, int error, double value, double least, double most)
{
	if (error) {
		enum val_state state = nvml_missing_value(error).state;

		tally->error = error;
		tally->is_off = state == VAL_UNSUPPORTED || state == VAL_DENIED || state == VAL_LOST;
		return;
	}
	if (value < least || value > most)
		return;
	tally->sum += value;
	tally->max = value > tally->max || !tally->nr ? value : tally->max;
	tally->nr++;
}

/* ---- sampling */

static bool sample_use(struct nvml_window *w)
{
	struct nvml_utilization use = { .gpu = 0 };
	int error;

	if (w->busy.is_off)
		return false;
	error = nvml_call(w->session, nvmlDeviceGetUtilizationRates, w->session->device, &use);
	add(&w->busy, error, use.gpu, 0, 100);
	add(&w->memory, error, use.memory, 0, 100);
	return !error && use.gpu >= WORKS_PERCENT && use.gpu <= 100;
}

static void sample_reasons(struct nvml_window *w, bool works)
{
	uint64_t reasons = 0;
	int error;

	if (w->reasons.is_off)
		return;
	error = nvml_call(w->session, nvmlDeviceGetCurrentClocksEventReasons, w->session->device, &reasons);
	add(&w->reasons, error, 0, 0, 0);
	if (error)
		return;
	w->seen_reasons |= reasons;
	for (unsigned bit = 0; bit < ARRAY_SIZE(w->told); bit++) {
		w->told[bit] += reasons >> bit & 1;
		w->held[bit] += works && reasons >> bit & 1;
	}
	w->run = works && reasons & NVML_REASON_HW_SLOWDOWN ? w->run + 1 : 0;
	w->longest_run = w->run > w->longest_run ? w->run : w->longest_run;
}

static void sample_link(struct nvml_window *w)
{
	unsigned number = 0;
	int error;

	if (!w->generation.is_off) {
		error = nvml_call(w->session, nvmlDeviceGetCurrPcieLinkGeneration, w->session->device, &number);
		add(&w->generation, error, number, 1, 6);
	}
	if (!w->width.is_off) {
		error = nvml_call(w->session, nvmlDeviceGetCurrPcieLinkWidth, w->session->device, &number);
		add(&w->width, error, number, 1, 32);
	}
}

static void sample_throughput(struct nvml_window *w, struct tally *tally, int direction)
{
	unsigned kb_per_s = 0;
	int error;

	if (tally->is_off)
		return;
	error = nvml_call(w->session, nvmlDeviceGetPcieThroughput, w->session->device, direction, &kb_per_s);
	add(tally, error, (double)kb_per_s * 1e3, 0, (double)(UINT32_MAX - 1) * 1e3);
}

static void sample(struct nvml_window *w)
{
	bool works = sample_use(w);
	unsigned number = 0;
	int64_t celsius = 0;
	int error;

	w->works += works;
	sample_reasons(w, works);
	if (!w->clock.is_off && works) {
		error = nvml_call(w->session, nvmlDeviceGetClockInfo, w->session->device, NVML_CLOCK_SM, &number);
		add(&w->clock, error, number, 0, UINT32_MAX - 1);
	}
	if (!w->power.is_off) {
		error = nvml_call(w->session, nvmlDeviceGetPowerUsage, w->session->device, &number);
		add(&w->power, error, number, 0, UINT32_MAX - 1);
	}
	if (!w->temperature.is_off) {
		error = nvml_call_temperature(w->session, &celsius);
		if (error || celsius != -1)	/* all ones */
			add(&w->temperature, error, (double)celsius, -50, 200);
	}
	if (works)
		sample_link(w);
	if (w->samples++ % SAMPLES_A_THROUGHPUT == 0) {
		sample_throughput(w, &w->sent, NVML_PCIE_SENT);
		sample_throughput(w, &w->received, NVML_PCIE_RECEIVED);
	}
}

static void watch_until(struct nvml_window *w, unsigned window_ms, uint64_t end_ns)
{
	uint64_t every_ns = (window_ms / MOST_SAMPLES > SAMPLE_MS ? window_ms / MOST_SAMPLES : SAMPLE_MS) * MS_NS;
	uint64_t due_ns = clock_now_ns();

	while (!w->session->is_lost) {
		uint64_t now_ns = clock_now_ns(), until_ns = due_ns < end_ns ? due_ns : end_ns, cost_ns;

		if (until_ns > now_ns)
			sink_sleep_ns(w->session->sink, until_ns - now_ns);
		if (until_ns == end_ns)
			return;
		cost_ns = clock_cpu_ns();
		sample(w);
		cost_ns = (clock_cpu_ns() - cost_ns) * COST_SHARE;
		due_ns += every_ns;
		if (due_ns < clock_now_ns() || cost_ns > every_ns)
			due_ns = clock_now_ns() + (cost_ns > every_ns ? cost_ns : 0);
	}
}

/* ---- both ends */

static void read_counters(struct nvml_session *session, struct counters *ret)
{
	struct nvml_field fields[NR_POLICIES];
	unsigned replays = 0;
	int error;

	_Static_assert(NVML_FIELD_POLICY_BASE - NVML_FIELD_POLICY_POWER == BY_BASE - BY_POWER, "in one order");
	memset(fields, 0, sizeof(fields));
	for (unsigned i = 0; i < NR_POLICIES; i++)
		fields[i].id = NVML_FIELD_POLICY_POWER + i;
	nvml_call_fields(session, fields, NR_POLICIES);
	for (unsigned i = 0; i < NR_POLICIES; i++)
		ret->held_ns[i] = nvml_field_u64(session, &fields[i]);
	error = nvml_call(session, nvmlDeviceGetPcieReplayCounter, session->device, &replays);
	ret->replays = nvml_u64(session, error, replays);
}

static struct val_u64 seconds_of(struct val_u64 ns)
{
	return is_known(ns) ? val_u64(u64_or(ns, 0) / UINT64_C(1000000000)) : ns;
}

static void fill_totals(const struct counters *counters, struct throttle *ret)
{
	const struct val_u64 *held_ns = counters->held_ns;

	ret->thermal_total_s = seconds_of(held_ns[BY_HEAT]);
	ret->power_cap_total_s = seconds_of(held_ns[BY_POWER]);
	ret->board_limit_total_s = seconds_of(held_ns[BY_BOARD]);
	ret->reliability_total_s = seconds_of(held_ns[BY_RELIABILITY]);
	ret->sync_boost_total_s = seconds_of(held_ns[BY_SYNC_BOOST]);
	ret->application_clocks_total_s = seconds_of(held_ns[BY_APPLICATION]);
	ret->base_clocks_total_s = seconds_of(held_ns[BY_BASE]);
	ret->low_use_total_s = seconds_of(held_ns[BY_LOW_USE]);
}

static struct val_f64 held_percent(const struct counters *start, const struct counters *end, enum policy policy,
				   uint64_t elapsed_ns)
{
	return share_of(growth_of(start->held_ns[policy], end->held_ns[policy]), 1, elapsed_ns);
}

static void fill_growth(const struct counters *start, const struct counters *end, uint64_t elapsed_ns,
			struct gpu *ret)
{
	ret->throttle.power_cap_counter_percent = held_percent(start, end, BY_POWER, elapsed_ns);
	ret->throttle.thermal_counter_percent = held_percent(start, end, BY_HEAT, elapsed_ns);
	ret->throttle.board_limit_counter_percent = held_percent(start, end, BY_BOARD, elapsed_ns);
	ret->nvml.pcie_new_replays = growth_of_32_bits(start->replays, end->replays);
}

/* ---- what came of the samples */

static struct val_head why_none(const struct tally *tally, const char *otherwise)
{
	return tally->error ? nvml_missing_value(tally->error) : (struct val_head){ .state = VAL_ABSENT, .why = otherwise };
}

static struct val_f64 mean_of(const struct tally *tally, const char *otherwise)
{
	struct val_head no = why_none(tally, otherwise);

	return tally->nr ? val_f64(tally->sum / (double)tally->nr) : no_f64(no.state, no.why);
}

static struct val_f64 highest_of(const struct tally *tally, const char *otherwise)
{
	struct val_head no = why_none(tally, otherwise);

	return tally->nr ? val_f64(tally->max) : no_f64(no.state, no.why);
}

static struct val_u64 whole(struct val_f64 value)
{
	return is_known(value) ? val_u64((uint64_t)(f64_or(value, 0.0) + 0.5)) : no_u64(value.state, value.why);
}

/* Where its use is not told, nobody knows whether it worked. */
static const char *why_no_work(const struct nvml_window *w, enum val_state *ret)
{
	struct val_head no = why_none(&w->busy, "no sample");

	*ret = w->busy.nr ? VAL_ABSENT : no.state;
	return w->busy.nr ? NOT_AT_WORK : no.why;
}

static struct val_u64 at_work(const struct nvml_window *w, const struct tally *tally, struct val_f64 value)
{
	enum val_state state;
	const char *why = why_no_work(w, &state);

	return tally->nr || tally->error ? whole(value) : no_u64(state, why);
}

static struct val_u64 busy_speed(const struct nvml_window *w)
{
	struct val_u64 generation = at_work(w, &w->generation, highest_of(&w->generation, "no sample"));

	return is_known(generation) ? val_u64(link_generation_mtps(u64_or(generation, 0))) : generation;
}

static void fill_use(const struct nvml_window *w, bool has_card_switch, struct gpu *ret)
{
	struct gpu_use *use = &ret->use;
	enum val_state state;
	const char *why = why_no_work(w, &state);

	use->busy_percent = mean_of(&w->busy, "no sample");
	use->busy_max_percent = highest_of(&w->busy, "no sample");
	use->memory_busy_percent = mean_of(&w->memory, "no sample");
	use->samples_busy = w->busy.nr ? val_u64(w->works) : no_u64(state, why);
	use->power_mw = whole(mean_of(&w->power, "no sample"));
	use->temperature_max_c = highest_of(&w->temperature, "no sample");
	use->clock_busy_mhz = at_work(w, &w->clock, mean_of(&w->clock, "no sample"));
	use->link_speed_busy_mtps = busy_speed(w);
	use->link_width_busy = at_work(w, &w->width, highest_of(&w->width, "no sample"));
	if (has_card_switch)
		use->link_speed_busy_mtps = use->link_width_busy =
			no_u64(VAL_UNSUPPORTED, "a switch on the card is between it and its slot");
	ret->nvml.pcie_sent_bytes_per_s = whole(highest_of(&w->sent, "no sample"));
	ret->nvml.pcie_received_bytes_per_s = whole(highest_of(&w->received, "no sample"));
}

/* The share of the samples at work in which any of these was told; the one seen most often where there are several. */
static struct val_f64 share_held(const struct nvml_window *w, uint64_t mask)
{
	struct val_head no = why_none(&w->reasons, "no sample");
	enum val_state state;
	const char *why = why_no_work(w, &state);
	size_t most = 0;

	if (!w->reasons.nr)
		return no_f64(no.state, no.why);
	if (!w->works)
		return no_f64(state, why);
	for (unsigned bit = 0; bit < ARRAY_SIZE(w->held); bit++)
		if (mask >> bit & 1 && w->held[bit] > most)
			most = w->held[bit];
	return val_f64(100.0 * (double)most / (double)w->works);
}

/* The share of all samples in which that one reason was told. */
static struct val_f64 share_told(const struct nvml_window *w, uint64_t mask)
{
	struct val_head no = why_none(&w->reasons, "no sample");

	for (unsigned bit = 0; bit < ARRAY_SIZE(w->told) && w->reasons.nr; bit++)
		if (mask == UINT64_C(1) << bit)
			return val_f64(100.0 * (double)w->told[bit] / (double)w->reasons.nr);
	return no_f64(no.state, no.why);
}

static void fill_throttle(const struct nvml_window *w, struct arena *arena, struct throttle *ret)
{
	struct val_head no = why_none(&w->reasons, "no sample");
	enum val_state state;
	const char *why = why_no_work(w, &state);

	ret->samples = val_u64(w->samples);
	ret->samples_loaded = w->busy.nr ? val_u64(w->works) : no_u64(state, why);
	ret->power_cap_percent = share_held(w, NVML_REASON_POWER_CAP);
	ret->current_percent = no_f64(VAL_UNSUPPORTED, "not separated by NVML");
	ret->thermal_percent = share_held(w, NVML_REASON_THERMAL);
	ret->hw_thermal_percent = share_held(w, NVML_REASON_HW_THERMAL);
	ret->brake_percent = share_held(w, NVML_REASON_HW_BRAKE);
	ret->hw_thermal_all_percent = share_told(w, NVML_REASON_HW_THERMAL);
	ret->brake_all_percent = share_told(w, NVML_REASON_HW_BRAKE);
	ret->slowdown_percent = share_held(w, NVML_REASON_HW_SLOWDOWN);
	ret->set_percent = share_held(w, NVML_REASON_APPLICATIONS_CLOCKS | NVML_REASON_SYNC_BOOST |
					 NVML_REASON_DISPLAY_CLOCK);
	ret->slowdown_run = w->reasons.nr ? val_u64(w->longest_run) : no_u64(no.state, no.why);
	ret->reasons = w->reasons.nr ? val_str(nvml_reason_names(arena, w->seen_reasons)) : no_str(no.state, no.why);
}

/* ---- without a window */

static void fill_no_window(struct nvml_session *session, const struct nvml_links *links)
{
	/* Of these the totals are known without one. */
	static const char *const paths[] = {
		"gpus.use.busy_percent", "gpus.use.busy_max_percent", "gpus.use.memory_busy_percent",
		"gpus.use.samples_busy", "gpus.use.link_speed_busy_mtps", "gpus.use.link_width_busy",
		"gpus.use.power_mw", "gpus.use.clock_busy_mhz", "gpus.use.temperature_max_c", "gpus.throttle",
		"gpus.nvml.pcie_new_replays", "gpus.nvml.pcie_sent_bytes_per_s", "gpus.nvml.pcie_received_bytes_per_s",
		"gpus.links.new_errors", NULL
	};
	const struct merge_scope scope = { .paths = paths, .key = session->address };
	struct snapshot *facts = &session->sink->facts;
	struct gpu *gpu = nvml_facts(session);

	for (unsigned link = 0; link < links->nr; link++)
		list_element(&facts->arena, gpu, links, gpu_link, arena_printf(&facts->arena, "%u", link));
	snapshot_fill_unset(facts, &scope, session->is_lost ? VAL_LOST : VAL_ABSENT,
			    session->is_lost ? nvml_error_name(NVML_ERROR_GPU_IS_LOST) : "no window");
}

/* ---- */

void nvml_watch(struct nvml_session *session, unsigned window_ms, bool has_card_switch, const struct nvml_links *links)
{
	struct nvml_window w = { .session = session };
	struct counters start, end;
	uint64_t start_ns, elapsed_ns;

	/* Of the facts since the last flush: what is kept here lives in their arena. */
	read_counters(session, &start);
	fill_totals(&start, &nvml_facts(session)->throttle);
	if (!window_ms || session->is_lost) {
		fill_no_window(session, links);
		return;
	}
	start_ns = clock_now_ns();
	watch_until(&w, window_ms, start_ns + window_ms * MS_NS);
	fill_use(&w, has_card_switch, nvml_facts(session));
	fill_throttle(&w, &session->sink->facts.arena, &nvml_facts(session)->throttle);
	read_counters(session, &end);
	elapsed_ns = clock_now_ns() - start_ns;
	fill_growth(&start, &end, elapsed_ns, nvml_facts(session));
	nvml_read_links_again(session, links);
}
