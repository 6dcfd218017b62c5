/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_figures.h - the node over the judged span: its busiest disk, file server and port, its CPUs and memory. */
#pragma once

#include "eval/load/fold.h"

#define PAGE_BYTES 4096.0		/* the usual size, of a tick that does not say it */

struct disk_figures {
	const char *name;		/* NULL: no disk did anything */
	double reads_per_s, writes_per_s, bytes_per_s, read_bytes_per_s, written_bytes_per_s;
	double read_ms, write_ms;	/* of one */
	double read_bytes;		/* mean size of a read */
	double queue;			/* requests in progress, mean */
};
struct mount_figures {
	const char *name;		/* NULL: no file server was used */
	double operations_per_s, reads_per_s, read_bytes_per_s, written_bytes_per_s;
	double round_trip_ms;		/* of one operation */
	double read_bytes;		/* mean size of a read */
};
struct port_figures {
	const char *name;		/* NULL: none was used */
	bool is_rdma;
	double bytes_per_s;		/* in its busier direction */
	struct val_f64 limit, ratio;
	double waits_per_s;		/* of RDMA: data ready and no room at the other end */
};

struct node_figures {
	struct disk_figures disk;	/* that with most time spent on requests */
	struct mount_figures mount;	/* that with most time spent on answers */
	struct port_figures port;	/* the one nearest to its limit, else the busiest */
	bool disks_are_known, mounts_are_known, ports_are_known;
	struct val_f64 cpus, cpu_busy, steal, cpu_some, io_full, memory_full;	/* per cent but cpus */
	struct val_f64 swap_in, gpu_fault_percent;	/* bytes a second; CPU time of NVIDIA's fault threads */
};

double page_bytes_of(const struct fold *fold);
void node_figures_of(const struct fold *fold, const struct watch_span *span, struct node_figures *ret);
