// SPDX-License-Identifier: GPL-2.0-or-later
/* words_gpu.c - what shows on a GPU, and in its sleeping processes, in words. */
#include "base/compat.h"
#include "eval/load/words.h"

#include <math.h>

#include "eval/judge/vendor.h"

#define TEXT(unit, value) figure_text(arena, (unit), (value))

/* ", SM 12 %", where it is known. */
static void add_percent(struct strbuf *out, struct arena *arena, const char *name, struct val_f64 value)
{
	if (is_known(value))
		strbuf_addf(out, "%s%s %s", out->len ? ", " : "", name, TEXT(UNIT_PERCENT, value.v_));
}

static void add_power(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	if (is_known(set_mean(set, gpu.power_mw)))
		strbuf_addf(out, "%s%s", out->len ? ", " : "",
			    of_text(arena, UNIT_MW, set_mean(set, gpu.power_mw), set_mean(set, gpu.power_limit_mw)));
}

static void say_use(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	struct val_f64 busy = set_mean(set, gpu.busy);

	if (set->items[0]->gpu.instance)
		strbuf_addf(out, "in instance %s%s", set->items[0]->gpu.instance,
			    set->items[0]->gpu.folded->instances.nr > 1 ? ", the busiest" : "");
	else if (is_known(busy))
		strbuf_addf(out, "%s busy", TEXT(UNIT_PERCENT, busy.v_));
	add_percent(out, arena, "SM", set_mean(set, gpu.sm));
	add_percent(out, arena, "tensor", set_mean(set, gpu.tensor));
	add_percent(out, arena, "DRAM", set_mean(set, gpu.memory));
	if (!is_known(set_mean(set, gpu.memory)))
		add_percent(out, arena, "memory busy", set_mean(set, gpu.memory_busy));
	add_power(out, arena, set);
}

static void say_spinning(struct strbuf *out, struct arena *arena, enum bottleneck word, const struct scene_set *set,
			 uint64_t held_ns)
{
	const struct scene *peer = set->items[0]->peer;
	struct val_f64 busy = set_mean(set, gpu.busy);

	strbuf_addf(out, "%s busy at ", TEXT(UNIT_PERCENT, f64_or(busy, 0.0)));
	strbuf_addstr(out, of_text(arena, UNIT_MW, set_mean(set, gpu.power_mw), set_mean(set, gpu.power_limit_mw)));
	if (word == BOTTLENECK_SPINNING) {
		if (peer)
			strbuf_addf(out, ", kernels wait for a peer, maybe GPU %zu (%s busy)", peer->gpu.folded->index,
				    TEXT(UNIT_PERCENT, f64_or(peer->gpu.busy, 0.0)));
		else
			strbuf_addstr(out, ", kernels wait for requests or a peer");
		return;
	}
	if (held_ns >= UINT64_C(1000000000))
		strbuf_addf(out, " for %s", TEXT(UNIT_S, floor((double)held_ns / 1e9)));
	strbuf_addstr(out, ", a collective waits");
	if (!peer)
		return;
	strbuf_addf(out, "; GPU %zu differs (%s busy)", peer->gpu.folded->index,
		    TEXT(UNIT_PERCENT, f64_or(peer->gpu.busy, 0.0)));
	if (peer->job.main)
		strbuf_addf(out, ": look at %s there", process_text(arena, peer->job.main));
}

static void say_capped(struct strbuf *out, struct arena *arena, const char *key, const struct scene_set *set)
{
	struct val_f64 limit = set_mean(set, gpu.power_limit_mw);

	if (!strcmp(key, "heat"))
		strbuf_addf(out, "by heat %s of the time", TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.heat), 0.0)));
	else if (!strcmp(key, "brake"))
		strbuf_addf(out, "by a power brake signal %s of the time",
			    TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.brake), 0.0)));
	else
		strbuf_addf(out, "by a power limit of %s (default %s) %s of the time",
			    TEXT(UNIT_MW, f64_or(limit, 0.0)),
			    TEXT(UNIT_MW, (double)u64_or(vendor_u64(set->items[0]->gpu.gpu, "power_default_mw"), 0)),
			    TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.power_cap), 0.0)));
	if (is_known(set_mean(set, gpu.clock_mhz)))
		strbuf_addf(out, ", %s",
			    of_text(arena, UNIT_MHZ, set_mean(set, gpu.clock_mhz), set_mean(set, gpu.clock_max_mhz)));
	if (is_known(set_mean(set, gpu.temperature_c)))
		strbuf_addf(out, " at %s", TEXT(UNIT_CELSIUS, set_mean(set, gpu.temperature_c).v_));
}

static void say_vram(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct policy *policy = set->items[0]->policy;
	struct val_f64 evicted = set_mean(set, gpu.evicted), moves = set_mean(set, gpu.page_moves);
	struct val_f64 faults = set_mean(set, node.gpu_fault_percent);

	strbuf_addf(
		out, "VRAM is over-committed, %s in use",
		of_text(arena, UNIT_BYTES, set_mean(set, gpu.vram_used_bytes), set_mean(set, gpu.vram_total_bytes)));
	if (f64_or(evicted, 0.0) >= policy->watch_evicted_percent)
		strbuf_addf(out, ", queues evicted %s of the time", TEXT(UNIT_PERCENT, evicted.v_));
	if (f64_or(moves, 0.0) >= policy->watch_page_moves_per_s)
		strbuf_addf(out, ", %.0f pages/s moved in and out", moves.v_);
	if (f64_or(faults, 0.0) >= policy->watch_fault_percent)
		strbuf_addf(out, ", page faults take %s of a CPU", TEXT(UNIT_PERCENT, faults.v_));
}

static void say_host_memory(struct strbuf *out, struct arena *arena, const char *key, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;

	if (!strcmp(key, "limit"))
		strbuf_addf(out, "%.0f page faults/s read from disk", f64_or(set_mean(set, job.major_faults), 0.0));
	else
		strbuf_addf(out, "all tasks of the %s stalled on host memory %s of the time",
			    job->pressure_is_of_node ? "node" : "job",
			    TEXT(UNIT_PERCENT, f64_or(set_mean(set, job.memory_full_percent), 0.0)));
	if (is_known(job->memory_ratio))
		strbuf_addf(out, ", %s of its memory limit in use", TEXT(UNIT_RATIO, job->memory_ratio.v_));
	if (f64_or(job->refaults, 0.0) >= 1.0)
		strbuf_addf(out, ", %.0f pages/s read again", job->refaults.v_);
	if (f64_or(set->items[0]->node.swap_in, 0.0) > 0.0)
		strbuf_addf(out, ", swap-in %s", TEXT(UNIT_BYTES_PER_S, set->items[0]->node.swap_in.v_));
}

static void say_shared(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	const struct track *sharers[MAX_SHARERS];
	size_t nr = sharers_of(scene, sharers, MAX_SHARERS);

	for (size_t i = 0; i < nr; i++) {
		const struct fold_process *process = fold_process_of(scene->fold, strtoull(sharers[i]->key, NULL, 10));
		double percent = f64_or(client_percent(sharers[i], &scene->gpu.span), 0.0);

		strbuf_addf(out, "%s%s %s", i ? ", " : "",
			    process ? process_text(arena, process) : arena_printf(arena, "pid %s", sharers[i]->key),
			    TEXT(UNIT_PERCENT, percent));
	}
	add_percent(out, arena, "switching between processes", scene->gpu.switching);
}

static void say_pcie(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct gpu_figures *gpu = &set->items[0]->gpu;
	struct val_f64 sent = set_mean(set, gpu.sent), received = set_mean(set, gpu.received);
	bool sends = f64_or(sent, 0.0) > f64_or(received, 0.0);

	strbuf_addf(out, "%s %s",
		    of_text(arena, UNIT_BYTES_PER_S, sends ? sent : received, set_mean(set, gpu.pcie_limit)),
		    sends ? "sent" : "received");
	if (gpu->width > 0.0 && gpu->width < gpu->width_able)
		strbuf_addf(out, ", link at %s of %s", TEXT(UNIT_LANES, gpu->width), TEXT(UNIT_LANES, gpu->width_able));
	else if (gpu->width > 0.0)
		strbuf_addf(out, ", link at %s, %s", TEXT(UNIT_LANES, gpu->width), TEXT(UNIT_MTPS, gpu->speed_mtps));
	add_percent(out, arena, "SM", set_mean(set, gpu.sm));
}

static void say_link(struct strbuf *out, struct arena *arena, const char *key, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];

	if (!strcmp(key, "peer")) {
		strbuf_addf(out, "%s at %s",
			    scene->gpu.gpu->nr_links && str_is(scene->gpu.gpu->links[0].kind, "xgmi") ? "xGMI"
												      : "NVLink",
			    of_text(arena, UNIT_BYTES_PER_S, set_mean(set, gpu.peer), set_mean(set, gpu.peer_limit)));
	} else if (!strcmp(key, "network")) {
		strbuf_addstr(out, port_text(arena, &scene->node.port));
	} else if (!strcmp(key, "straggler")) {
		strbuf_addf(out, "kernels wait for one rank at a time, GPU %zu now, %zu of them in %s",
			    scene->straggler ? scene->straggler->gpu.folded->index : 0, scene->stragglers,
			    TEXT(UNIT_S, floor(span_seconds(&scene->fold->span))));
	} else {
		strbuf_addstr(out, "kernels wait in a collective, ");
		strbuf_addstr(out,
			      of_text(arena, UNIT_MW, set_mean(set, gpu.power_mw), set_mean(set, gpu.power_limit_mw)));
		if (scene->hardest)
			strbuf_addf(out, ", GPU %zu of the same job at %s", scene->hardest->gpu.folded->index,
				    TEXT(UNIT_MW, f64_or(scene->hardest->gpu.power_mw, 0.0)));
	}
}

/* ---- who sleeps */

static void say_sleep(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct job *job = &set->items[0]->job;
	struct val_f64 busy = set_mean(set, gpu.busy);

	if (!is_of_process(set->items[0]) && is_known(busy))
		strbuf_addf(out, "%s busy, ", TEXT(UNIT_PERCENT, busy.v_));
	strbuf_addstr(out, job->main ? process_text(arena, job->main) : "its processes");
	if (job->main && job->workers)
		strbuf_addf(out, " and %zu worker %s", job->workers, job->workers == 1 ? "process" : "processes");
	strbuf_addf(out, " at %s of a CPU", TEXT(UNIT_PERCENT, f64_or(job->all_percent, 0.0)));
	if (job->polite_percent >= 1.0)
		strbuf_addf(out, " beside %s given away (sched_yield)", TEXT(UNIT_PERCENT, job->polite_percent));
	for (size_t i = 0; i < job->nr_wchans && i < 2; i++)
		strbuf_addf(out, "%s%s", i ? ", " : ", asleep in ", job->wchans[i].name);
}

static void say_held(struct strbuf *out, struct arena *arena, const struct scene_set *set, uint64_t held_ns)
{
	const struct scene *scene = set->items[0];
	struct val_f64 used = set_mean(set, gpu.vram_used_bytes);
	const char *holder = "processes that are not visible here";

	if (is_known(used))
		strbuf_addf(out, "%s held ", TEXT(UNIT_BYTES, used.v_));
	if (held_ns >= UINT64_C(60000000000))
		strbuf_addf(out, "for %s ", TEXT(UNIT_S, floor((double)held_ns / 1e9)));
	if (scene->job.main)
		holder = process_text(arena, scene->job.main);
	else if (scene->job.unseen_pid)
		holder = arena_printf(arena, "pid %llu", (unsigned long long)scene->job.unseen_pid);
	strbuf_addf(out, "by %s", holder);
	if (scene->job.nr_holders > 1)
		strbuf_addf(out, " and %zu more", scene->job.nr_holders - 1);
	strbuf_addf(out, ", %s busy", TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.busy), 0.0)));
}

static void say_idle(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	if (set->items[0]->gpu.busy.state == VAL_ASLEEP) {
		strbuf_addstr(out, "suspended");
		return;
	}
	strbuf_addf(out, "%s busy, no processes%s", TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.busy), 0.0)),
		    sees_processes(set->items[0]) ? "" : " visible here");
}

/* ---- no single limit */

/* How near to fitting a word is that is worth naming. */
#define NEAR 0.5

static void say_mixed(struct strbuf *out, struct arena *arena, const struct scene_set *set)
{
	const struct scene *scene = set->items[0];
	enum bottleneck nearest[2] = { BOTTLENECK_NOT_JUDGED, BOTTLENECK_NOT_JUDGED };

	for (enum bottleneck i = BOTTLENECK_CAPPED; i < BOTTLENECK_WAITS_ELSEWHERE; i++) {
		bool is_of_host = i >= BOTTLENECK_CHECKPOINT && i <= BOTTLENECK_STARVED_THREAD;

		if (scene->rules[i].near < NEAR || scene->rules[i].missing || (is_of_host && !is_starved(scene)))
			continue;
		if (!nearest[0] || scene->rules[i].near > scene->rules[nearest[0]].near) {
			nearest[1] = nearest[0];
			nearest[0] = i;
		} else if (!nearest[1] || scene->rules[i].near > scene->rules[nearest[1]].near) {
			nearest[1] = i;
		}
	}
	if (is_of_process(scene))
		strbuf_addf(out, "%s of a CPU", TEXT(UNIT_PERCENT, f64_or(scene->job.all_percent, 0.0)));
	else
		say_use(out, arena, set);
	if (is_starved(scene) && scene->job.main && scene->job.threads_pegged > FEEDING_THREADS)
		strbuf_addf(out, ", %zu threads of %s at the limit of a CPU", scene->job.threads_pegged,
			    process_text(arena, scene->job.main));
	for (size_t i = 0; i < 2 && nearest[i]; i++)
		strbuf_addf(out, "%s%s", i ? " and " : ", nearest: ", bottleneck_defs[nearest[i]].word);
}

void say_gpu(struct strbuf *out, struct arena *arena, enum bottleneck word, const char *key,
	     const struct scene_set *set, uint64_t held_ns)
{
	switch (word) {
	case BOTTLENECK_FAULTED:
		strbuf_addstr(out, set->items[0]->fault ? set->items[0]->fault : "it answered again since");
		break;
	case BOTTLENECK_STUCK:
	case BOTTLENECK_SPINNING:
		say_spinning(out, arena, word, set, held_ns);
		break;
	case BOTTLENECK_CAPPED:
		say_capped(out, arena, key, set);
		break;
	case BOTTLENECK_THRASHING:
		if (!strcmp(key, "vram"))
			say_vram(out, arena, set);
		else
			say_host_memory(out, arena, key, set);
		break;
	case BOTTLENECK_SHARED:
		say_shared(out, arena, set);
		break;
	case BOTTLENECK_PCIE_BOUND:
		say_pcie(out, arena, set);
		break;
	case BOTTLENECK_LINK_BOUND:
		say_link(out, arena, key, set);
		break;
	case BOTTLENECK_WAITS_ELSEWHERE:
		say_sleep(out, arena, set);
		break;
	case BOTTLENECK_HELD_IDLE:
		say_held(out, arena, set, held_ns);
		break;
	case BOTTLENECK_IDLE:
		say_idle(out, arena, set);
		break;
	case BOTTLENECK_MIXED:
		say_mixed(out, arena, set);
		break;
	default:
		say_use(out, arena, set);
		break;
	}
}
