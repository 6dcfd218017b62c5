/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_internal.h - what probe "window" watches, part by part.
 *
 * Each part reads at the window's start and at its end; what its counters grew
 * by is its rates. Between the two only GPUs and the clocks of busy CPUs are
 * looked at. A part keeps its own times, as reading takes some.
 */
#pragma once

#include "probe/device/gpu_nodes.h"
#include "probe/probe.h"
#include "probe/window_rates.h"
#include "sys/cached_fd.h"

/* ---- window_node.c: CPUs, memory, stalls */

enum node_file { NODE_STAT, NODE_VMSTAT, NODE_PRESSURE_MEMORY, NODE_PRESSURE_IO, NODE_PRESSURE_CPU, NR_NODE_FILES };

/* The node's counters at one moment. */
struct node_reading {
	uint64_t at_ns;
	struct strbuf text[NR_NODE_FILES];
	int error[NR_NODE_FILES];
};

/* A CPU whose clock was read. */
struct cpu_clock {
	uint64_t cpu;
	struct val_u64 mhz;		/* highest so far */
};

struct node_watch {
	struct probe_env *env;
	struct node_reading start, end;
	struct strbuf last_stat;	/* /proc/stat at the last search for busy CPUs */
	uint64_t last_ns;
	struct arena arena;
	struct cpu_clock *clocks;
	size_t nr_clocks;
};

void node_watch_begin(struct node_watch *watch, struct probe_env *env);
/* Looks who is busy, and at the clocks of those. */
void node_watch_clocks(struct node_watch *watch);
void node_watch_end(struct node_watch *watch, struct sink *sink);

/* ---- window_devices.c: disks and network interfaces */

struct watched_interface;

struct device_watch {
	struct probe_env *env;
	struct arena arena;
	uint64_t start_ns;
	struct strbuf disks, network;	/* as they were */
	struct watched_interface *interfaces;
	size_t nr_interfaces;
};

/* plan: the names of the interfaces to watch, a blank between two. */
void device_watch_begin(struct device_watch *watch, struct probe_env *env, const char *plan);
void device_watch_end(struct device_watch *watch, struct sink *sink);

/* ---- window_rdma.c: errors and congestion of RDMA ports */

struct watched_port;

struct rdma_watch {
	struct probe_env *env;
	struct arena arena;
	struct watched_port *ports;
	size_t nr;
};

/* plan: a word per port, DEVICE/PORT/KEY, the last that of its interface in the snapshot. */
void rdma_watch_begin(struct rdma_watch *watch, struct probe_env *env, const char *plan);
void rdma_watch_end(struct rdma_watch *watch, struct sink *sink);

/* ---- window_gpu.c */

struct watched_gpu;

struct gpu_watch {
	struct probe_env *env;
	struct sink *sink;
	struct arena arena;
	struct gpu_nodes nodes;
	struct watched_gpu *gpus;
	size_t nr;
	size_t nr_clients;		/* of all GPUs: each keeps a file open */
	size_t steps;			/* reported so far: a long window must not fill the pipe */
	bool sees_all;			/* every client there is, is among those watched */
};

/*
 * plan: a word per GPU, ADDRESS/DRIVER/PLACE/BRIDGE…, its slot's link ending below at bridge PLACE, counted
 * from 1; 0: at the GPU itself; more than there are: not known. */
void gpu_watch_begin(struct gpu_watch *watch, struct probe_env *env, struct sink *sink, const char *plan,
		     bool sees_all);
/* A file of /proc/PID/fdinfo, of that node in /dev/dri. That of a GPU that sleeps is not read: xe would wake it. */
void gpu_watch_client(struct gpu_watch *watch, const char *node, const char *pid, const char *fd);
/* Somebody holds /dev/kfd: his compute queues are in no fdinfo. */
void gpu_watch_kfd(struct gpu_watch *watch);
/* Some processes that hold GPUs are not watched: there were too many. */
void gpu_watch_missed(struct gpu_watch *watch);
/* All clients are known: the first readings. */
void gpu_watch_start(struct gpu_watch *watch);
void gpu_watch_sample(struct gpu_watch *watch);
void gpu_watch_end(struct gpu_watch *watch);

/* ---- window_process.c: processes that hold GPUs */

struct watched_process;

struct process_watch {
	struct probe_env *env;
	struct arena arena;
	struct watched_process *processes;
	size_t nr;
};

/* plan: a word per process, PID, with "/dri" where it holds such nodes: those are made known to gpus. */
void process_watch_begin(struct process_watch *watch, struct probe_env *env, struct sink *sink, const char *plan,
			 struct gpu_watch *gpus);
void process_watch_end(struct process_watch *watch, struct sink *sink);
