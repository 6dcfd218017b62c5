// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvml_watch.c - a GPU over the window, by NVML: samples every 100 ms, fewer in a long window, so that the names
 * of the calls fit into what a worker may say; and what counts, at both ends.
 */
#include "base/compat.h"
#include "probe/nvidia/nvml.h"

#include "probe/pace.h"
#include "probe/window_rates.h"
#include "sys/clock.h"

enum {
	SAMPLE_MS = 100,
	MOST_SAMPLES = 6000,
	COST_SHARE = 50,		/* a sample may take a 50th of the time between two */
};
#define MS_NS UINT64_C(1000000)

/* Time held back, by what; in the order of their fields. */
enum policy { BY_POWER, BY_HEAT, BY_SYNC_BOOST, BY_BOARD, BY_LOW_USE, BY_RELIABILITY, BY_APPLICATION, BY_BASE,
	NR_POLICIES };

struct counters { struct val_u64 held_ns[NR_POLICIES], replays; };

/* The kinds of throttling that NVML reports: it has no bit for regulator current. */
#define KINDS ((1U << NR_THROTTLE_KINDS) - 1 - (1U << THROTTLE_CURRENT))

/* ---- sampling */

static void watch_until(struct nvml_sampler *sampler, unsigned window_ms, uint64_t end_ns, struct gpu_fold *fold)
{
	struct pace pace = {
		.every_ns = (window_ms / MOST_SAMPLES > SAMPLE_MS ? window_ms / MOST_SAMPLES : SAMPLE_MS) * MS_NS,
		.cost_share = COST_SHARE,
	};

	while (!sampler->session->is_lost) {
		uint64_t now_ns = clock_now_ns(), until_ns = pace.due_ns < end_ns ? pace.due_ns : end_ns;
		struct gpu_sample sample;

		if (until_ns > now_ns)
			sink_sleep_ns(sampler->session->sink, until_ns - now_ns);
		if (until_ns == end_ns)
			return;
		pace_begin(&pace);
		nvml_sample(sampler, &sample);
		fold_add(fold, &sample, sample_is_at_work(&sample));
		pace_end(&pace);
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

static void fill_samples(const struct nvml_sampler *sampler, const struct gpu_fold *fold, struct gpu *ret)
{
	const struct val_head no_sample = { .state = VAL_ABSENT, .why = "no sample" };
	struct throttle *throttle = &ret->throttle;

	fold_fill_use(fold, &ret->use);
	if (sampler->has_card_switch)
		ret->use.link_speed_busy_mtps = ret->use.link_width_busy = no_u64(VAL_UNSUPPORTED, NVML_CARD_SWITCH);
	ret->nvml.pcie_sent_bytes_per_s = val_whole(column_highest(&fold->sent, no_sample));
	ret->nvml.pcie_received_bytes_per_s = val_whole(column_highest(&fold->received, no_sample));
	throttle_fill(&fold->throttle, ret->use.samples_busy, KINDS, "not separated by NVML",
		      &sampler->session->sink->facts.arena, throttle);
	throttle->samples = val_u64(fold->nr);
	throttle->samples_loaded = ret->use.samples_busy;
	if (fold->throttle.told)
		throttle->reasons = val_str(nvml_reason_names(&sampler->session->sink->facts.arena,
							      sampler->seen_reasons));
}

/* ---- without a window */

static void fill_no_window(struct nvml_session *session, const struct nvml_links *links)
{
	/* Of these the totals are known without one. */
	static const char *const paths[] = {
		"gpus.use.busy_percent", "gpus.use.busy_max_percent", "gpus.use.busy_p5_percent",
		"gpus.use.busy_p95_percent", "gpus.use.memory_busy_percent", "gpus.use.samples_busy",
		"gpus.use.link_speed_busy_mtps", "gpus.use.link_width_busy",
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
	struct nvml_sampler sampler = { .session = session, .has_card_switch = has_card_switch };
	struct gpu_fold fold = GPU_FOLD_INIT;
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
	watch_until(&sampler, window_ms, start_ns + window_ms * MS_NS, &fold);
	fill_samples(&sampler, &fold, nvml_facts(session));
	fold_release(&fold);
	read_counters(session, &end);
	elapsed_ns = clock_now_ns() - start_ns;
	fill_growth(&start, &end, elapsed_ns, nvml_facts(session));
	nvml_read_links_again(session, links);
}
