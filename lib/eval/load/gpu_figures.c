// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/load/gpu_figures.h"

#include <math.h>

#include "base/stats.h"
#include "eval/facts/link.h"
#include "eval/judge/vendor.h"

#define GPU_MEAN(field) mean_of(&gpu->track, tick_gpu, field, &ret->span)

static const char is_impossible[] = "more than there can be";

static struct val_f64 percent(struct val_f64 value)
{
	return is_known(value) && (value.v_ < 0.0 || value.v_ > 100.5) ? no_f64(VAL_ERROR, is_impossible) : value;
}

static struct val_f64 ratio_of(struct val_f64 part, struct val_f64 whole, double most)
{
	if (!is_known(part))
		return part;
	if (!is_known(whole))
		return whole;
	if (whole.v_ <= 0.0)
		return no_f64(VAL_ABSENT, "its limit is 0");
	return part.v_ / whole.v_ > most ? no_f64(VAL_ERROR, is_impossible) : val_f64(part.v_ / whole.v_);
}

static struct val_f64 f64_of(struct val_u64 value)
{
	return is_known(value) ? val_f64((double)value.v_) : no_f64(value.state, value.why);
}

static struct val_f64 larger(struct val_f64 a, struct val_f64 b)
{
	if (!is_known(a))
		return b;
	return is_known(b) && b.v_ > a.v_ ? b : a;
}

/* ---- where the span of this GPU begins */

/* A step of the use, per cent, or of the power, as a share, by which another phase has begun. */
#define USE_STEP 40.0
#define USE_BAND 25.0
#define POWER_STEP 0.3
#define POWER_BAND 0.15
enum { LEAST_SLOTS = 3 };

struct signal {
	const struct figure *figure;
	double scale, band, step;
};

/* From how many slots back to how many more the figure is of one phase. */
struct stretch { size_t from, nr; };

static double distance(const struct signal *signal, const struct watch_span *span, size_t a, size_t b)
{
	struct val_f64 one = figure_in_slot(signal->figure, span_slot(span, a));
	struct val_f64 other = figure_in_slot(signal->figure, span_slot(span, b));

	/* A slot without the figure is no step. */
	return is_known(one) && is_known(other) ? fabs(one.v_ - other.v_) / signal->scale : 0.0;
}

/* Slots that are within the band of the one from which they begin. */
static size_t run_from(const struct signal *signal, const struct watch_span *span, size_t from)
{
	size_t i = from;

	while (i < span->nr && distance(signal, span, i, from) <= signal->band)
		i++;
	return i - from;
}

/*
 * A band with a step before it is a phase of its own. One or two slots behind a step are none yet: what was before them
 * is judged on, until there are enough to judge by. Without a step all is one.
 */
static struct stretch phase_of(const struct signal *signal, const struct watch_span *span)
{
	struct stretch all = { .nr = span->nr };

	for (size_t from = 0; from < LEAST_SLOTS && signal->scale > 0.0; from++) {
		size_t nr = run_from(signal, span, from);

		if (from && distance(signal, span, from - 1, from) <= signal->step)
			continue;
		if (nr >= LEAST_SLOTS &&
		    (from || from + nr == span->nr || distance(signal, span, nr, 0) > signal->step))
			return (struct stretch){ .from = from, .nr = nr };
	}
	return all;
}

/*
 * The judged span, or less of it where another phase has begun within: a checkpoint of five seconds would else be
 * half a training step to the end.
 */
static struct watch_span span_of(const struct fold *fold, const struct fold_gpu *gpu, double power_limit_mw)
{
	struct signal use = { figure_of(&gpu->track, tick_gpu, busy_percent), 1.0, USE_BAND, USE_STEP };
	struct signal power = { figure_of(&gpu->track, tick_gpu, power_mw), power_limit_mw, POWER_BAND, POWER_STEP };
	struct stretch by_use = phase_of(&use, &fold->span), by_power = phase_of(&power, &fold->span);
	size_t from = by_use.from > by_power.from ? by_use.from : by_power.from;
	size_t end = by_use.from + by_use.nr < by_power.from + by_power.nr ? by_use.from + by_use.nr :
									   by_power.from + by_power.nr;
	struct watch_span span = fold->span;

	/* Two steps at different places: the newer phase alone is too short. */
	if (end < from + LEAST_SLOTS)
		return span;
	span.slot = span_slot(&fold->span, from);
	span.nr = end - from;
	return span;
}

/* ---- use */

/* Over the means of the slots and, of each, the least and the most that the driver saw; of one alone, these two. */
static void fill_percentiles(struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;
	double values[3 * NR_SLOTS];
	struct stats stats;
	size_t nr = 0;

	for (size_t i = 0; i < ret->span.nr; i++) {
		size_t slot = span_slot(&ret->span, i);
		struct val_f64 mean = figure_in_slot(figure_of(&gpu->track, tick_gpu, busy_percent), slot);

		if (!is_known(mean) || gpu->low[slot] > gpu->high[slot])
			continue;
		values[nr++] = mean.v_;
		values[nr++] = (double)gpu->low[slot];
		values[nr++] = (double)gpu->high[slot];
	}
	ret->busy_p5 = ret->busy_p95 = no_f64(ret->busy.state, ret->busy.why);
	if (!nr || !is_known(ret->busy))
		return;
	stats_of(values, nr, &stats);
	ret->busy_p5 = val_f64(nr > 3 ? stats.p5 : stats.min);
	ret->busy_p95 = val_f64(nr > 3 ? stats.p95 : stats.max);
}

/* After some faults the library's activity reads 0 for a busy GPU (DCGM issue 303): then none of it is known. */
static void distrust_activity(struct gpu_figures *ret)
{
	static const char why[] = "reads 0 while the GPU is busy";

	if (f64_or(ret->busy, 0.0) < 90.0 || f64_or(ret->sm, 100.0) > 0.05)
		return;
	ret->sm = ret->tensor = ret->memory = ret->switching = no_f64(VAL_ERROR, why);
}

/* Utilization is refused of a GPU that is divided: what its busiest instance does tells whether any of them works. */
static void fill_instance(struct gpu_figures *ret)
{
	const struct track_list *instances = &ret->folded->instances;

	if (is_known(ret->busy))
		return;
	for (size_t i = 0; i < instances->nr; i++) {
		const struct track *instance = instances->items[i];
		struct val_f64 sm = percent(mean_of(instance, tick_instance, sm_active_percent, &ret->span));

		if (instance->unseen || !is_known(sm) || (ret->instance && sm.v_ <= ret->sm.v_))
			continue;
		ret->instance = instance->key;
		ret->busy = ret->sm = sm;
		ret->tensor = percent(mean_of(instance, tick_instance, tensor_active_percent, &ret->span));
		ret->memory = percent(mean_of(instance, tick_instance, memory_active_percent, &ret->span));
	}
}

struct val_f64 client_percent(const struct track *client, const struct watch_span *span)
{
	struct val_f64 busy = mean_of(client, tick_client, busy_percent, span);

	if (is_known(busy))
		return busy.v_ > 100.5 ? no_f64(VAL_ERROR, "more than there can be") : busy;
	return share_percent(mean_of(client, tick_client, busy_ns, span));
}

/* Where the driver tells the time of each process alone, or says that there is none. */
static struct val_f64 busy_of_clients(const struct gpu_figures *of)
{
	const struct track_list *clients = &of->folded->clients;
	struct val_f64 processes = figure_newest(figure_of(&of->folded->track, tick_gpu, processes));
	double sum = 0.0;
	bool any = is_known(processes) && processes.v_ <= 0.0;

	for (size_t i = 0; i < clients->nr; i++) {
		struct val_f64 busy = client_percent(clients->items[i], &of->span);

		if (!is_known(busy) && !clients->items[i]->unseen)
			return of->busy;
		any |= is_known(busy);
		sum += f64_or(busy, 0.0);
	}
	return any ? val_f64(sum < 100.0 ? sum : 100.0) : of->busy;
}

static void fill_use(const struct policy *policy, struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;
	double busy;

	ret->busy = percent(GPU_MEAN(busy_percent));
	ret->memory_busy = percent(GPU_MEAN(memory_busy_percent));
	ret->sm = percent(GPU_MEAN(sm_active_percent));
	ret->tensor = percent(GPU_MEAN(tensor_active_percent));
	ret->memory = percent(GPU_MEAN(memory_active_percent));
	ret->switching = percent(GPU_MEAN(context_switch_percent));
	distrust_activity(ret);
	fill_percentiles(ret);
	fill_instance(ret);
	if (ret->busy.state == VAL_UNSUPPORTED || ret->busy.state == VAL_UNSET || ret->busy.state == VAL_ABSENT)
		ret->busy = busy_of_clients(ret);
	busy = f64_or(ret->busy, 100.0);
	ret->swings = busy < policy->watch_busy_percent &&
		      f64_or(ret->busy_p5, 100.0) < policy->watch_swing_low_percent &&
		      f64_or(ret->busy_p95, 0.0) >= policy->watch_swing_high_percent;
	ret->is_low = busy < policy->watch_low_percent || ret->swings;
}

/* ---- power, heat, memory */

static struct val_f64 share_of_samples(const struct gpu_figures *of, enum throttle_kind kind)
{
	double sum = 0.0, seconds = 0.0;

	for (size_t i = 0; i < of->span.nr; i++) {
		size_t slot = span_slot(&of->span, i);

		sum += (double)of->folded->reason[slot][kind];
		seconds += (double)of->folded->reasons_told[slot];
	}
	return seconds > 0.0 ? val_f64(100.0 * sum / seconds)
			     : no_f64(VAL_UNSET, "no throttle reasons while it was busy");
}

static void fill_throttle(const struct policy *policy, struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;
	double limit = f64_or(ret->power_limit_mw, 0.0);
	double able = (double)u64_or(vendor_u64(ret->gpu, "power_default_mw"), 0);

	ret->heat = larger(share_percent(GPU_MEAN(thermal_ns)), share_percent(GPU_MEAN(hw_thermal_ns)));
	ret->brake = share_percent(GPU_MEAN(brake_ns));
	ret->power_cap = share_percent(GPU_MEAN(power_cap_ns));
	if (!is_known(ret->heat))
		ret->heat = larger(share_of_samples(ret, THROTTLE_THERMAL), share_of_samples(ret, THROTTLE_HW_THERMAL));
	if (!is_known(ret->brake))
		ret->brake = share_of_samples(ret, THROTTLE_BRAKE);
	if (!is_known(ret->power_cap))
		ret->power_cap = share_of_samples(ret, THROTTLE_POWER_CAP);
	ret->power_is_lowered = limit > 0.0 && limit < policy->throttle_limit_ratio * able &&
				!(policy->power_limit_mw > 0.0 && limit >= policy->power_limit_mw);
}

static void fill_power(struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;

	/* Energy has no gaps between its samples; millijoules a second are milliwatts. */
	ret->power_mw = GPU_MEAN(energy_mj);
	if (!is_known(ret->power_mw))
		ret->power_mw = GPU_MEAN(power_mw);
	ret->power_ratio = ret->instance ? no_f64(VAL_ABSENT, "the power of all instances together") :
					   ratio_of(ret->power_mw, ret->power_limit_mw, 3.0);
	ret->clock_mhz = GPU_MEAN(clock_mhz);
	ret->clock_max_mhz = f64_of(vendor_u64(ret->gpu, "clock_max_mhz"));
	ret->clock_ratio = ratio_of(ret->clock_mhz, ret->clock_max_mhz, 2.0);
	ret->temperature_c = GPU_MEAN(temperature_c);
	ret->vram_used_bytes = figure_newest(figure_of(&gpu->track, tick_gpu, vram_used_bytes));
	ret->vram_total_bytes = f64_of(vendor_u64(ret->gpu, "vram_total_bytes"));
	ret->vram_ratio = ratio_of(ret->vram_used_bytes, ret->vram_total_bytes, 1.5);
}

static void fill_paging(struct gpu_figures *ret)
{
	const struct track_list *clients = &ret->folded->clients;

	ret->evicted = ret->page_moves = no_f64(VAL_UNSET, NULL);
	for (size_t i = 0; i < clients->nr; i++) {
		struct val_f64 evicted = mean_of(clients->items[i], tick_client, evicted_ms, &ret->span);
		struct val_f64 in = mean_of(clients->items[i], tick_client, page_ins, &ret->span);
		struct val_f64 out = mean_of(clients->items[i], tick_client, page_outs, &ret->span);

		if (is_known(evicted))
			ret->evicted = larger(ret->evicted, val_f64(evicted.v_ / 10.0));
		if (is_known(in) || is_known(out))
			ret->page_moves = val_f64(f64_or(ret->page_moves, 0.0) + f64_or(in, 0.0) + f64_or(out, 0.0));
	}
}

/* ---- links */

/* Of the slot's link as it is now, and no more than the narrowest above it. */
static void fill_pcie(struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;
	struct link_path path;
	double limit;

	ret->width = f64_or(figure_newest(figure_of(&gpu->track, tick_gpu, link_width)),
			    (double)u64_or(ret->gpu->pci.link_width, 0));
	ret->speed_mtps = f64_or(figure_newest(figure_of(&gpu->track, tick_gpu, link_speed_mtps)),
				 (double)u64_or(ret->gpu->pci.link_speed_able_mtps, 0));
	gpu_links(ret->gpu, &path);
	ret->width_able = (double)u64_or(ret->gpu->pci.link_width_able, 0);
	limit = link_bytes_per_s((uint64_t)ret->speed_mtps, (uint64_t)ret->width);
	for (size_t i = 0; i < path.nr; i++) {
		const struct pci_function *lower = path.links[i].lower;
		double above = link_bytes_per_s(u64_or(lower->link_speed_able_mtps, 0), u64_or(lower->link_width, 0));

		if (above > 0.0 && above < limit)
			limit = above;
	}
	ret->pcie_limit = limit > 0.0 ? val_f64(limit) : no_f64(VAL_UNSET, "its link's width or speed is not known");
	ret->sent = GPU_MEAN(link_sent_bytes);
	ret->received = GPU_MEAN(link_received_bytes);
	if (!is_known(ret->sent))
		ret->sent = GPU_MEAN(link_sent_bytes_per_s);
	if (!is_known(ret->received))
		ret->received = GPU_MEAN(link_received_bytes_per_s);
	ret->pcie_ratio = ratio_of(larger(ret->sent, ret->received), ret->pcie_limit, 1.5);
}

static void fill_peer(struct gpu_figures *ret)
{
	const struct fold_gpu *gpu = ret->folded;
	double sum = 0.0;

	for (size_t i = 0; i < ret->gpu->nr_links; i++)
		if (!str_is(ret->gpu->links[i].state, "inactive"))
			sum += 1e9 * f64_or(ret->gpu->links[i].speed_gbps, 0.0);
	ret->peer_limit = sum > 0.0 ? val_f64(sum) : no_f64(VAL_ABSENT, "no links to other GPUs");
	ret->peer = larger(GPU_MEAN(peer_sent_bytes), GPU_MEAN(peer_received_bytes));
	ret->peer_ratio = ratio_of(ret->peer, ret->peer_limit, 1.5);
}

void gpu_figures_of(const struct fold *fold, const struct policy *policy, const struct fold_gpu *gpu,
		    struct gpu_figures *ret)
{
	*ret = (struct gpu_figures){ .folded = gpu, .gpu = gpu->gpu };
	ret->power_limit_mw = f64_of(vendor_u64(gpu->gpu, "power_limit_mw"));
	ret->span = span_of(fold, gpu, f64_or(ret->power_limit_mw, 0.0));
	fill_use(policy, ret);
	fill_power(ret);
	fill_throttle(policy, ret);
	fill_paging(ret);
	fill_pcie(ret);
	fill_peer(ret);
}
