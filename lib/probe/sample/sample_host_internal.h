/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample_host_internal.h - what source "sample-host" reads in each tick, part by part. Private to sample_host*.c. */
#pragma once

#include "probe/sample/sample.h"
#include "probe/sample/sample_kept_text.h"

/* ---- sample_host_disks.c */

enum { HOST_MAX_DISKS = 64 };

struct host_disks {
	struct kept_text file;
	struct disk_kind *kinds;	/* by name: what was asked once */
	size_t nr_kinds;
	size_t ticks;
};
#define HOST_DISKS_INIT { .file = KEPT_TEXT_INIT, .kinds = NULL, .nr_kinds = 0, .ticks = 0 }

void host_disks_read(struct host_disks *disks, struct sample_env *env, struct tick *ret);
void host_disks_release(struct host_disks *disks);

/* ---- sample_host_network.c: interfaces, TCP, network file systems */

enum { HOST_MAX_INTERFACES = 256, HOST_MAX_MOUNTS = 64 };

struct host_network {
	struct kept_text interfaces, tcp, mounts;
	char **names;			/* of the interfaces to read */
	size_t nr_names;
	unsigned mounts_pause;		/* ticks until mounts are looked at again: there were none */
};
#define HOST_NETWORK_INIT \
	{ .interfaces = KEPT_TEXT_INIT, .tcp = KEPT_TEXT_INIT, .mounts = KEPT_TEXT_INIT, .names = NULL, .nr_names = 0, \
	  .mounts_pause = 0 }

/* names: a blank between two. */
void host_network_begin(struct host_network *network, const char *names);
void host_network_read(struct host_network *network, struct sample_env *env, struct tick *ret);
void host_network_release(struct host_network *network);
/* A number of /proc/net/snmp: of that protocol's two lines the one with names says where it stands in the other. */
struct val_u64 snmp_value(const char *text, const char *protocol, const char *name);

/* ---- sample_host_rdma.c */

enum { HOST_MAX_RDMA_PORTS = 64 };

struct host_rdma {
	struct host_port *ports;
	size_t nr;
};

/* plan: a word per port, "mlx5_0/1". */
void host_rdma_begin(struct host_rdma *rdma, const char *plan);
void host_rdma_read(struct host_rdma *rdma, struct sample_env *env, struct tick *ret);
void host_rdma_release(struct host_rdma *rdma);

/* ---- sample_host_log.c */

struct host_log {
	int fd;				/* or -errno */
	struct klog_reader *reader;
	struct tick *into;
	uint64_t left_out;
	unsigned wanted;		/* lines that may go on with the last one */
};

/* A descriptor of the kernel's log from now on, or -errno: a recorded tree has none. */
int host_log_open(const struct root *root);
/* fd: of host_log_open(), which host_log_release() closes. */
void host_log_begin(struct host_log *log, int fd);
void host_log_read(struct host_log *log, struct tick *ret);
void host_log_release(struct host_log *log);
