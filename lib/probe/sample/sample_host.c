// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample_host.c - source "sample-host": the node's CPUs, memory, stalls, disks, networks and network file systems, as
 * raw counters, from files of /proc and /sys alone.
 */
#include "base/compat.h"
#include "probe/sample/sample_host_internal.h"

#include <unistd.h>

#include "base/alloc.h"
#include "probe/read.h"
#include "probe/sample/sample_sources.h"
#include "probe/window_rates.h"
#include "snapshot/node.h"
#include "sys/worker.h"

#define VARIABLE "GPUDIAG_SAMPLE_HOST_"
#define US_NS UINT64_C(1000)

enum {
	KIB = 1024,
	STAT_BYTES = 256 * KIB,		/* the lines of 2,000 CPUs, which stand first */
	SMALL_BYTES = 64 * KIB,
};

enum host_file {
	HOST_STAT,
	HOST_CPU_PRESSURE,
	HOST_IO_PRESSURE,
	HOST_MEMORY_PRESSURE,
	HOST_MEMINFO,
	HOST_VMSTAT,
	NR_HOST_FILES
};

static const struct { const char *path; size_t max_bytes; } files[NR_HOST_FILES] = {
	[HOST_STAT] = { .path = "/proc/stat", .max_bytes = STAT_BYTES },
	[HOST_CPU_PRESSURE] = { .path = "/proc/pressure/cpu", .max_bytes = SMALL_BYTES },
	[HOST_IO_PRESSURE] = { .path = "/proc/pressure/io", .max_bytes = SMALL_BYTES },
	[HOST_MEMORY_PRESSURE] = { .path = "/proc/pressure/memory", .max_bytes = SMALL_BYTES },
	[HOST_MEMINFO] = { .path = "/proc/meminfo", .max_bytes = SMALL_BYTES },
	[HOST_VMSTAT] = { .path = "/proc/vmstat", .max_bytes = SMALL_BYTES },
};

struct host_watch {
	struct sample_env *env;
	struct kept_text texts[NR_HOST_FILES];
	struct host_disks disks;
	struct host_network network;
	struct host_rdma rdma;
	struct host_log log;
};

/* ---- CPUs, stalls, memory */

static struct val_u64 ticks_ns(uint64_t ticks)
{
	long per_s = sysconf(_SC_CLK_TCK);

	return val_u64(ticks * (UINT64_C(1000000000) / (uint64_t)(per_s > 0 ? per_s : 100)));
}

/* Lines "cpuN", which follow the one of all. */
static uint64_t count_cpus(const char *text)
{
	uint64_t nr = 0;

	for (const char *line = strstr(text, "\ncpu"); line; line = strstr(line + 1, "\ncpu"))
		nr++;
	return nr;
}

static void read_cpus(const struct kept_text *file, struct tick_host *ret)
{
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL };
	struct val_u64 missing = file->error ? no_u64(state_of_errno(file->error), name_of_errno(file->error)) :
					       no_u64(VAL_ERROR, "no line of all CPUs");
	const char *text = file->text.buf;
	struct cpu_ticks ticks;

	ret->cpus = ret->cpu_busy_ns = ret->cpu_idle_ns = ret->cpu_iowait_ns = ret->cpu_steal_ns = missing;
	if (file->error || strncmp(text, "cpu ", strlen("cpu ")) || !cpu_ticks_parse(text + strlen("cpu"), &ticks))
		return;
	ret->cpus = val_u64(count_cpus(text));
	ret->cpu_busy_ns = ticks_ns(ticks.kind[USER] + ticks.kind[NICE] + ticks.kind[SYSTEM] + ticks.kind[IRQ] +
				    ticks.kind[SOFTIRQ]);
	ret->cpu_idle_ns = ticks_ns(ticks.kind[IDLE]);
	ret->cpu_iowait_ns = ticks_ns(ticks.kind[IOWAIT]);
	ret->cpu_steal_ns = ticks_ns(ticks.kind[STEAL]);
}

static struct val_u64 stalled_ns(const struct kept_text *file, const char *line)
{
	struct val_u64 us;

	if (file->error)
		return no_u64(state_of_errno(file->error), name_of_errno(file->error));
	us = pressure_total(file->text.buf, line);
	return is_known(us) ? val_u64(u64_or(us, 0) * US_NS) : us;
}

/* Of this kernel, which is not that of a copied tree: 64 KiB on some of ARM and POWER. */
static struct val_u64 page_bytes(const struct root *root)
{
	long bytes = sysconf(_SC_PAGESIZE);

	if (!root_is_live(root))
		return no_u64(VAL_UNSUPPORTED, "not of a copied tree");
	return bytes > 0 ? val_u64((uint64_t)bytes) : no_u64(VAL_ERROR, "sysconf failed");
}

static void read_node(struct host_watch *watch, struct tick *ret)
{
	struct kept_text *texts = watch->texts;
	struct tick_host *host = &ret->host;

	for (size_t i = 0; i < NR_HOST_FILES; i++)
		kept_text_read(&texts[i], watch->env->root, files[i].path, files[i].max_bytes);
	read_cpus(&texts[HOST_STAT], host);
	host->cpu_some_ns = stalled_ns(&texts[HOST_CPU_PRESSURE], "some ");
	host->io_some_ns = stalled_ns(&texts[HOST_IO_PRESSURE], "some ");
	host->io_full_ns = stalled_ns(&texts[HOST_IO_PRESSURE], "full ");
	host->memory_some_ns = stalled_ns(&texts[HOST_MEMORY_PRESSURE], "some ");
	host->memory_full_ns = stalled_ns(&texts[HOST_MEMORY_PRESSURE], "full ");
	host->memory_available_bytes = kept_text_u64(&texts[HOST_MEMINFO], &ret->arena, "MemAvailable", KIB);
	host->page_bytes = page_bytes(watch->env->root);
	host->swap_in_pages = kept_text_u64(&texts[HOST_VMSTAT], &ret->arena, "pswpin", 1);
	host->swap_out_pages = kept_text_u64(&texts[HOST_VMSTAT], &ret->arena, "pswpout", 1);
	host->major_faults = kept_text_u64(&texts[HOST_VMSTAT], &ret->arena, "pgmajfault", 1);
}

/* ---- the source */

/* Interfaces by name; RDMA ports once, however many interfaces share one. */
static void environment(const struct snapshot *sealed, const struct strs *skip, struct arena *arena, struct strs *ret)
{
	STRBUF_AUTO interfaces = STRBUF_INIT;
	STRBUF_AUTO ports = STRBUF_INIT;

	(void)skip;
	for (size_t i = 0; i < sealed->nr_network_interfaces; i++) {
		const struct network_interface *interface = &sealed->network_interfaces[i];

		/* An RDMA device without an interface is listed by its own name. */
		if (i < HOST_MAX_INTERFACES && !str_is(interface->rdma_device, str_or(interface->key, "")))
			strbuf_addf(&interfaces, "%s%s", interfaces.len ? " " : "", str_or(interface->key, ""));
		if (is_known(interface->rdma_device) && !port_is_listed_before(sealed, i))
			strbuf_addf(&ports, "%s%s/%llu", ports.len ? " " : "", str_or(interface->rdma_device, ""),
				    (unsigned long long)u64_or(interface->rdma_port, 1));
	}
	strs_add(arena, ret, arena_printf(arena, VARIABLE "NETWORK=%s", interfaces.buf));
	strs_add(arena, ret, arena_printf(arena, VARIABLE "RDMA=%s", ports.buf));
}

static void *open_host(struct sample_env *env, char why[256])
{
	struct host_watch *watch = xcalloc(1, sizeof(*watch));

	if (root_exists(env->root, "/proc/stat")) {
		snprintf(why, 256, "no /proc/stat");
		free(watch);
		return NULL;
	}
	watch->env = env;
	for (size_t i = 0; i < NR_HOST_FILES; i++)
		watch->texts[i] = (struct kept_text)KEPT_TEXT_INIT;
	watch->disks = (struct host_disks)HOST_DISKS_INIT;
	watch->network = (struct host_network)HOST_NETWORK_INIT;
	host_network_begin(&watch->network, worker_told(VARIABLE "NETWORK"));
	host_rdma_begin(&watch->rdma, worker_told(VARIABLE "RDMA"));
	host_log_begin(&watch->log, host_log_open(env->root));
	return watch;
}

static void read_host(void *own, struct tick *ret)
{
	struct host_watch *watch = own;

	sample_step(watch->env, "read counters of the node", "");
	read_node(watch, ret);
	host_disks_read(&watch->disks, watch->env, ret);
	host_network_read(&watch->network, watch->env, ret);
	host_rdma_read(&watch->rdma, watch->env, ret);
	host_log_read(&watch->log, ret);
}

static void close_host(void *own)
{
	struct host_watch *watch = own;

	for (size_t i = 0; i < NR_HOST_FILES; i++)
		kept_text_release(&watch->texts[i]);
	host_disks_release(&watch->disks);
	host_network_release(&watch->network);
	host_rdma_release(&watch->rdma);
	host_log_release(&watch->log);
	free(watch);
}

const struct sample_source sample_host = {
	.name = "sample-host",
	.help = "the node's CPUs, stalls, memory, disks, networks, network file systems and kernel log",
	.touches = TOUCHES_FILES,
	.provides = (const char *const[]){
		"host.cpus", "host.cpu_busy_ns", "host.cpu_idle_ns", "host.cpu_iowait_ns", "host.cpu_steal_ns",
		"host.cpu_some_ns", "host.io_some_ns", "host.io_full_ns", "host.memory_some_ns", "host.memory_full_ns",
		"host.memory_available_bytes", "host.page_bytes", "host.swap_in_pages", "host.swap_out_pages",
		"host.major_faults", "host.segments_sent", "host.segments_resent", "host.disks_left_out",
		"host.mounts_left_out", "host.log_lines_left_out", "disks", "mounts", "networks", "rdma_ports",
		"log_lines",
		NULL,
	},
	.open_ms = 1000,
	.environment = environment,
	.open = open_host,
	.read = read_host,
	.close = close_host,
};
