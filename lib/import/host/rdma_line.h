/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rdma_line.h - what single lines of the tools for RDMA say of a port. */
#pragma once

#include "import/dump/dump.h"

/* A port, told in one line. */
struct rdma_line {
	const char *device;	/* "mlx5_0" */
	uint64_t port;		/* from 1; 0: it names the device alone */
	const char *netdev;	/* "ib0"; NULL: not told, or none */
	/* as /sys has them, in small letters: "active", "linkup"; NULL: not told */
	const char *state, *physical_state;
	const char *type;	/* "MT4129" */
	const char *address;	/* PCI */
	const char *netdev_state;	/* "up", "down" */
	bool is_infiniband;
};

/*
 * "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0" of rdma link, and "mlx5_0 port 1 ==> ib0 (Up)"
 * of ibdev2netdev, also with -v. Texts are the arena's.
 */
bool rdma_line_read(struct arena *arena, const char *text, struct rdma_line *ret);

/*
 * Below which the lines of a device or port stand: "CA 'mlx5_0'" of ibstat, "Infiniband device 'mlx5_0' port 1 status:"
 * of ibstatus, "hca_id: mlx5_0" of ibv_devinfo.
 */
bool rdma_head_read(struct arena *arena, const char *text, struct rdma_line *ret);

/*
 * A file of /sys with its path before it, as grep prints: "/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE".
 * *ret_field: from its name on; only such as are read. false: it is none.
 */
bool rdma_file_read(struct arena *arena, const char *text, struct rdma_line *ret, const char **ret_field);

/* Words for a state: "4: ACTIVE", "Initializing", "PORT_INIT (2)"; "5: LinkUp", "LINK_UP (5)". NULL: none known. */
const char *rdma_state(const char *text);
const char *rdma_physical_state(const char *text);
