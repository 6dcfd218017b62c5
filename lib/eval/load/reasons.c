// SPDX-License-Identifier: GPL-2.0-or-later
/* reasons.c - figures that show a word, and those by which other words are ruled out. */
#include "base/compat.h"
#include "eval/load/words.h"

#define TEXT(unit, value) figure_text(arena, (unit), (value))

static void add(struct load_reasons *list, const char *what, const char *text)
{
	if (list->nr < ARRAY_SIZE(list->items))
		list->items[list->nr++] = (struct load_reason){ .what = what, .text = text };
}

static void add_percent(struct load_reasons *list, struct arena *arena, const char *what, struct val_f64 value)
{
	if (is_known(value))
		add(list, what, TEXT(UNIT_PERCENT, value.v_));
}

static void add_of(struct load_reasons *list, struct arena *arena, const char *what, enum unit unit,
		   struct val_f64 value, struct val_f64 limit)
{
	if (is_known(value))
		add(list, what, of_text(arena, unit, value, limit));
}

/* ---- what is missing */

static const char *head_text(struct arena *arena, const char *what, struct val_head head)
{
	static const char *const words[NR_VAL_STATES] = {
		[VAL_UNSET] = "not collected", [VAL_OK] = "known", [VAL_ABSENT] = "not reported",
		[VAL_UNSUPPORTED] = "not supported", [VAL_DENIED] = "permission denied", [VAL_ASLEEP] = "GPU suspended",
		[VAL_LOST] = "the device does not respond", [VAL_TIMEOUT] = "no answer in time", [VAL_ERROR] = "failed",
		[VAL_SKIPPED] = "not read",
	};

	return head.why ? arena_printf(arena, "%s: %s (%s)", what, words[head.state], head.why) :
			  arena_printf(arena, "%s: %s", what, words[head.state]);
}

static bool is_said(const struct strbuf *text, const char *what)
{
	return strstr(text->buf, what);
}

const char *reason_not_judged(struct arena *arena, const struct scene *scene)
{
	STRBUF_AUTO text = STRBUF_INIT;
	size_t nr = 0;

	for (enum bottleneck i = BOTTLENECK_NOT_JUDGED + 1; i < NR_BOTTLENECKS && nr < 4; i++) {
		const struct rule *rule = &scene->rules[i];

		if (!rule_is_open(rule) || is_said(&text, rule->missing))
			continue;
		strbuf_addf(&text, "%s%s", nr++ ? ", " : "", head_text(arena, rule->missing, rule->missing_head));
	}
	return text.len ? arena_strdup(arena, text.buf) : NULL;
}

/* ---- shown */

static void show_gpu(struct arena *arena, const struct scene_set *set, struct load_reasons *ret)
{
	add_percent(ret, arena, "utilization", set_mean(set, gpu.busy));
	if (set->items[0]->gpu.swings)
		add(ret, "swing",
		    arena_printf(arena, "from %s to %s (p5 and p95)",
				 TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.busy_p5), 0.0)),
				 TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.busy_p95), 0.0))));
	add_percent(ret, arena, "SM activity", set_mean(set, gpu.sm));
	add_percent(ret, arena, "tensor activity", set_mean(set, gpu.tensor));
	add_percent(ret, arena, "DRAM activity", set_mean(set, gpu.memory));
	add_of(ret, arena, "power", UNIT_MW, set_mean(set, gpu.power_mw), set_mean(set, gpu.power_limit_mw));
	add_of(ret, arena, "clock", UNIT_MHZ, set_mean(set, gpu.clock_mhz), set_mean(set, gpu.clock_max_mhz));
}

static void show_host(struct arena *arena, enum bottleneck word, const struct scene_set *set, struct load_reasons *ret)
{
	const struct scene *scene = set->items[0];
	const struct job *job = &scene->job;

	if (word == BOTTLENECK_STARVED_STORAGE || word == BOTTLENECK_STARVED_SMALL_FILES) {
		add_percent(ret, arena, "I/O pressure", set_mean(set, job.io_full_percent));
		add_percent(ret, arena, "processes in I/O", set_mean(set, job.io_wait_percent));
		add(ret, "disk", disk_text(arena, &scene->node.disk));
		if (scene->node.mount.name)
			add(ret, "file server", mount_text(arena, &scene->node.mount));
	}
	if (word == BOTTLENECK_STARVED_THREAD)
		add(ret, "thread", thread_text(arena, job));
	if (word == BOTTLENECK_STARVED_QUOTA || word == BOTTLENECK_STARVED_CPU) {
		add_percent(ret, arena, "held back by a quota", set_mean(set, job.throttled_percent));
		add_percent(ret, arena, "run queue", set_mean(set, job.queued_percent));
	}
	if (word == BOTTLENECK_STARVED_CPU)
		add_percent(ret, arena, "CPU pressure", scene->node.cpu_some);
	if (word == BOTTLENECK_THRASHING)
		add_percent(ret, arena, "memory pressure", set_mean(set, job.memory_full_percent));
	for (size_t i = 0; word == BOTTLENECK_WAITS_ELSEWHERE && i < job->nr_wchans && i < 3; i++)
		add(ret, "asleep in", arena_printf(arena, "%s (%zu %s)", job->wchans[i].name, job->wchans[i].nr,
						   job->wchans[i].nr == 1 ? "thread" : "threads"));
	if (f64_or(scene->node.steal, 0.0) >= 5.0)
		add_percent(ret, arena, "CPU time taken by the hypervisor", scene->node.steal);
}

void reasons_shown(struct arena *arena, enum bottleneck word, const struct scene_set *set, struct load_reasons *ret)
{
	const char *missing = reason_not_judged(arena, set->items[0]);

	ret->nr = 0;
	if (!is_of_process(set->items[0]))
		show_gpu(arena, set, ret);
	show_host(arena, word, set, ret);
	if (missing && (word == BOTTLENECK_MIXED || word == BOTTLENECK_NOT_JUDGED))
		add(ret, "not known", missing);
}

/* ---- ruled out */

static bool is_out(const struct scene *scene, enum bottleneck word)
{
	return scene->rules[word].is_excluded;
}

static void rule_out_host(struct arena *arena, const struct scene_set *set, struct load_reasons *ret)
{
	const struct scene *scene = set->items[0];
	const struct job *job = &scene->job;
	struct set_jobs jobs;

	if (is_out(scene, BOTTLENECK_STARVED_STORAGE) && scene->node.disks_are_known)
		add(ret, "disk", disk_text(arena, &scene->node.disk));
	if (is_out(scene, BOTTLENECK_STARVED_STORAGE) && scene->node.mount.name)
		add(ret, "file server", mount_text(arena, &scene->node.mount));
	set_jobs_of(set, &jobs);
	if (is_out(scene, BOTTLENECK_STARVED_LOADER) && jobs.workers)
		add(ret, "loader", arena_printf(arena, "%zu worker %s, mean %s of a CPU", jobs.workers,
						jobs.workers == 1 ? "process" : "processes",
						TEXT(UNIT_PERCENT, jobs.pegged_percent)));
	if (is_out(scene, BOTTLENECK_STARVED_QUOTA) && is_known(job->throttled_percent))
		add(ret, "CPU quota", arena_printf(arena, "held back %s of the time",
						   TEXT(UNIT_PERCENT, job->throttled_percent.v_)));
	if (is_out(scene, BOTTLENECK_STARVED_THREAD) && job->thread)
		add(ret, "thread", thread_text(arena, job));
}

static void rule_out_gpu(struct arena *arena, enum bottleneck word, const struct scene_set *set,
			 struct load_reasons *ret)
{
	const struct scene *scene = set->items[0];
	struct val_f64 pcie = set_mean(set, gpu.pcie_ratio), peer = set_mean(set, gpu.peer_ratio);

	if (word != BOTTLENECK_PCIE_BOUND && is_known(pcie) && pcie.v_ < scene->policy->watch_pcie_ratio)
		add(ret, "link", arena_printf(arena, "PCIe %s of %s", TEXT(UNIT_RATIO, pcie.v_),
					      TEXT(UNIT_BYTES_PER_S, f64_or(set_mean(set, gpu.pcie_limit), 0.0))));
	if (word != BOTTLENECK_LINK_BOUND && is_known(peer) && peer.v_ < scene->policy->watch_link_ratio)
		add(ret, "peer link", arena_printf(arena, "%s of %s", TEXT(UNIT_RATIO, peer.v_),
						   TEXT(UNIT_BYTES_PER_S, f64_or(set_mean(set, gpu.peer_limit), 0.0))));
	if (word != BOTTLENECK_CAPPED && is_out(scene, BOTTLENECK_CAPPED) && is_known(scene->gpu.heat))
		add(ret, "heat", arena_printf(arena, "throttled %s of the time",
					      TEXT(UNIT_PERCENT, f64_or(set_mean(set, gpu.heat), 0.0))));
	if (word != BOTTLENECK_THRASHING && f64_or(scene->gpu.vram_ratio, 1.0) < scene->policy->vram_full_ratio)
		add(ret, "VRAM", of_text(arena, UNIT_BYTES, set_mean(set, gpu.vram_used_bytes),
					 set_mean(set, gpu.vram_total_bytes)));
}

void reasons_ruled_out(struct arena *arena, enum bottleneck word, const struct scene_set *set, struct load_reasons *ret)
{
	const struct scene *scene = set->items[0];

	ret->nr = 0;
	if (word == BOTTLENECK_NOT_JUDGED || word == BOTTLENECK_FAULTED || word == BOTTLENECK_IDLE)
		return;
	if (is_starved(scene) || word == BOTTLENECK_MIXED)
		rule_out_host(arena, set, ret);
	if (!is_of_process(scene))
		rule_out_gpu(arena, word, set, ret);
	if (word != BOTTLENECK_LINK_BOUND && scene->node.port.name &&
	    f64_or(scene->node.port.ratio, 1.0) < scene->policy->watch_network_ratio)
		add(ret, "network", port_text(arena, &scene->node.port));
}
