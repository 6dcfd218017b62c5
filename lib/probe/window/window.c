// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window.c - probe "window": watches what changes for as long as requested
 * to, before anything of ours makes it change.
 *
 * What to watch is what earlier phases found; the worker is told by its
 * environment. Looking must not disturb what is looked at: a sample that cost
 * much puts the next one off, so that the CPU time of sampling stays below
 * 2 per cent of one CPU.
 */
#include "base/compat.h"

#include "base/text.h"
#include "probe/probe_table.h"
#include "probe/window/window_internal.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"
#include "sys/clock.h"
#include "sys/worker.h"

enum {
	MAX_PROCESSES = 512,
	MAX_RDMA_PORTS = 64,		/* a reading of one is a dozen questions to its firmware */
	SAMPLE_MS = 100,
	SAMPLES_A_CLOCK = 5,		/* the CPUs' clocks are looked at every 500 ms */
	COST_SHARE = 50,		/* a sample may take a 50th of the time between two */
};
#define MS_NS UINT64_C(1000000)

#define VARIABLE "GPUDIAG_WINDOW_"

/* ---- in the parent: what to watch */

static void add_gpu_word(struct strbuf *plan, const struct gpu *gpu)
{
	bool sees_bridges = is_known(gpu->bridges) && u64_or(gpu->bridges, 0) == gpu->nr_hops;
	size_t slot = gpu_has_card_switch(gpu) ? 2 : 0;

	strbuf_addf(plan, "%s%s/%s/%zu", plan->len ? " " : "", str_or(gpu->key, ""), str_or(gpu->pci.driver, ""),
		    sees_bridges ? slot : gpu->nr_hops + 1);
	for (size_t i = 0; i < gpu->nr_hops; i++)
		strbuf_addf(plan, "/%s", str_or(gpu->hops[i].address, ""));
}

static bool holds_dri(const struct snapshot *snapshot, uint64_t pid)
{
	for (size_t i = 0; i < snapshot->nr_holders; i++)
		if (u64_or(snapshot->holders[i].pid, 0) == pid &&
		    !strncmp(str_or(snapshot->holders[i].node, ""), "/dev/dri/", strlen("/dev/dri/")))
			return true;
	return false;
}

/* Processes were listed, and this was none of them. */
static bool has_ended(const struct snapshot *snapshot, uint64_t pid)
{
	char key[24];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)pid);
	return is_known(snapshot->processes.seen) && !list_find(snapshot, gpu_processes, gpu_process, key);
}

/* Holders are sorted by their keys, which begin with the process: each is met in one stretch. False: not all are in. */
static bool add_processes(struct strbuf *plan, const struct snapshot *snapshot)
{
	uint64_t asked = u64_or(snapshot->request.pid, 0), last = 0;
	bool all_in = true;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_holders; i++) {
		uint64_t pid = u64_or(snapshot->holders[i].pid, 0);

		if (!pid || pid == last || pid == asked)
			continue;
		if (nr == MAX_PROCESSES) {
			all_in = false;
			break;
		}
		strbuf_addf(plan, "%s%llu%s", plan->len ? " " : "", (unsigned long long)pid,
			    holds_dri(snapshot, pid) ? "/dri" : "");
		last = pid;
		nr++;
	}
	if (asked && !has_ended(snapshot, asked))
		strbuf_addf(plan, "%s%llu%s", plan->len ? " " : "", (unsigned long long)asked,
			    holds_dri(snapshot, asked) ? "/dri" : "");
	return all_in;
}

/* Interfaces by name; RDMA ports once, however many interfaces share one. */
static void add_network(struct strbuf *interfaces, struct strbuf *ports, const struct snapshot *snapshot)
{
	size_t nr_ports = 0;

	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &snapshot->network_interfaces[i];
		const char *key = str_or(interface->key, "");

		strbuf_addf(interfaces, "%s%s", interfaces->len ? " " : "", key);
		if (!is_known(interface->rdma_device) || nr_ports == MAX_RDMA_PORTS ||
		    port_is_listed_before(snapshot, i))
			continue;
		strbuf_addf(ports, "%s%s/%llu/%s", nr_ports++ ? " " : "", str_or(interface->rdma_device, ""),
			    (unsigned long long)u64_or(interface->rdma_port, 1), key);
	}
}

static bool kfd_is_held(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_holders; i++)
		if (str_is(snapshot->holders[i].node, "/dev/kfd"))
			return true;
	return false;
}

static bool sees_all_holders(const struct snapshot *snapshot)
{
	return bool_or(snapshot->host.sees_all_processes, false) && is_known(snapshot->processes.seen) &&
	       is_known(snapshot->processes.files_hidden) && !u64_or(snapshot->processes.files_hidden, 0);
}

static unsigned window_ms(const struct snapshot *snapshot)
{
	uint64_t ms = u64_or(snapshot->request.window_ms, 0);

	return ms < MAX_WATCH_MS ? (unsigned)ms : MAX_WATCH_MS;
}

static void environment(const struct snapshot *snapshot, const char *target, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO gpus = STRBUF_INIT;
	STRBUF_AUTO processes = STRBUF_INIT;
	STRBUF_AUTO interfaces = STRBUF_INIT;
	STRBUF_AUTO ports = STRBUF_INIT;
	bool all_in;

	(void)target;
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			add_gpu_word(&gpus, &snapshot->gpus[i]);
	all_in = add_processes(&processes, snapshot);
	add_network(&interfaces, &ports, snapshot);
	strs_add(arena, ret, arena_printf(arena, VARIABLE "MS=%u", window_ms(snapshot)));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "GPUS=%s", gpus.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "PROCESSES=%s", processes.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "NETWORK=%s", interfaces.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "RDMA=%s", ports.buf));
	strs_add(arena, ret, sees_all_holders(snapshot) ? VARIABLE "SEES_ALL=1" : VARIABLE "SEES_ALL=");
	strs_add(arena, ret, all_in ? VARIABLE "CUT=" : VARIABLE "CUT=1");
	strs_add(arena, ret, kfd_is_held(snapshot) ? VARIABLE "KFD=1" : VARIABLE "KFD=");
}

/* ---- in the worker */

struct watch {
	struct node_watch node;
	struct device_watch devices;
	struct rdma_watch rdma;
	struct gpu_watch gpus;
	struct process_watch processes;
};

static void begin(struct watch *watch, struct probe_env *env, struct sink *sink)
{
	sink_step(sink, "read counters of the GPUs");
	gpu_watch_begin(&watch->gpus, env, sink, worker_told(VARIABLE "GPUS"), *worker_told(VARIABLE "SEES_ALL"));
	if (*worker_told(VARIABLE "KFD"))
		gpu_watch_kfd(&watch->gpus);
	if (*worker_told(VARIABLE "CUT"))
		gpu_watch_missed(&watch->gpus);
	sink_step(sink, "read counters of the processes that hold GPUs");
	process_watch_begin(&watch->processes, env, sink, worker_told(VARIABLE "PROCESSES"), &watch->gpus);
	gpu_watch_start(&watch->gpus);
	sink_step(sink, "read counters of RDMA ports");
	rdma_watch_begin(&watch->rdma, env, worker_told(VARIABLE "RDMA"));
	sink_step(sink, "read counters of the node");
	device_watch_begin(&watch->devices, env, worker_told(VARIABLE "NETWORK"));
	node_watch_begin(&watch->node, env);
}

static void sample(struct watch *watch, uint64_t nr)
{
	gpu_watch_sample(&watch->gpus);
	if (nr % SAMPLES_A_CLOCK == 0)
		node_watch_clocks(&watch->node);
}

/* Until that moment, and not longer; how often it looked. */
static uint64_t watch_until(struct watch *watch, uint64_t end_ns)
{
	uint64_t due_ns = clock_now_ns() + SAMPLE_MS * MS_NS, nr = 0;

	for (;;) {
		uint64_t now_ns = clock_now_ns(), until_ns = due_ns < end_ns ? due_ns : end_ns, cost_ns;

		if (until_ns > now_ns)
			clock_sleep_ns(until_ns - now_ns);
		if (until_ns == end_ns)
			break;
		cost_ns = clock_cpu_ns();
		sample(watch, ++nr);
		cost_ns = (clock_cpu_ns() - cost_ns) * COST_SHARE;
		due_ns = clock_now_ns() + (cost_ns > SAMPLE_MS * MS_NS ? cost_ns : SAMPLE_MS * MS_NS);
	}
	gpu_watch_sample(&watch->gpus);
	return nr + 1;
}

static int run(struct probe_env *env, struct sink *sink)
{
	struct watch watch;
	uint64_t ms, start_ns, samples;

	if (parse_u64(worker_told(VARIABLE "MS"), &ms) || !ms || ms > MAX_WATCH_MS)
		return sink_end(sink, PROBE_UNAVAILABLE, "no window length set");
	begin(&watch, env, sink);
	sink_step(sink, "watch");
	start_ns = clock_now_ns();
	samples = watch_until(&watch, start_ns + ms * MS_NS);
	sink->facts.window.length_ms = val_u64((clock_now_ns() - start_ns) / MS_NS);
	sink->facts.window.samples = val_u64(samples);
	sink_step(sink, "read counters of the node again");
	node_watch_end(&watch.node, sink);
	device_watch_end(&watch.devices, sink);
	sink_step(sink, "read counters of RDMA ports again");
	rdma_watch_end(&watch.rdma, sink);
	sink_step(sink, "read the counters of GPUs and processes again");
	process_watch_end(&watch.processes, sink);
	gpu_watch_end(&watch.gpus);
	return sink_end(sink, PROBE_OK, NULL);
}

static const char *const provides[] = {
	"window", "cpu_uses", "disks.use", "network_interfaces.use", "network_interfaces.rdma_use", "gpus.use",
	"gpu_processes.use",
	"listed.cpu_uses", "gpus.throttle", NULL
};

const struct probe probe_window = {
	.name = "window",
	.help = "what changes over the observation window: CPUs, stalls, swap, disks, network, GPUs and their users",
	.phase = PHASE_WINDOW,
	.touches = TOUCHES_FILES,
	.live_only = true,
	.deadline_ms = 5000,
	.provides = provides,
	.environment = environment,
	.watches_ms = window_ms,
	.run = run,
};
