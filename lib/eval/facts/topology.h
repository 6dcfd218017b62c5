/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.h - where GPUs, network cards and NVMe disks hang, and what lies
 * between two of them: the matrix and the tree of `gpudiag topology`. Pure.
 *
 * The words of the matrix are those of NVIDIA's matrix, which everybody reads,
 * for all vendors: PIX one PCIe switch at most, PXB several, PHB the same host
 * bridge, NODE another one of the same NUMA node, SYS another node; NV18 so
 * many NVLinks, XGMI a link of AMD's. Of imported dumps a vendor's own matrix
 * tells it, of AMD's GPUs also PCIE for any way by PCIe.
 */
#pragma once

#include "base/arena.h"
#include "snapshot/snapshot.h"

enum topology_kind { TOPOLOGY_GPU, TOPOLOGY_NETWORK, TOPOLOGY_NVME, NR_TOPOLOGY_KINDS };
const char *topology_kind_name(enum topology_kind kind);	/* "gpu" */

struct topology_device {
	enum topology_kind kind;
	const char *name;		/* "GPU0", "NIC0", "NVMe0": its column */
	const char *address;
	const char *label;		/* model, or what the kernel calls it */
	const struct gpu *gpu;		/* NULL: another device */
	const struct pci_function *pci;
	const struct hop *hops;		/* nearest first */
	size_t nr_hops;
	bool knows_bridges;		/* the hops are all there are */
};

/* A line of the tree, top down. */
struct topology_row {
	size_t depth;
	const char *text;		/* "0000:16:00.0 switch, x16 at 32 GT/s" */
	bool is_device;
	bool is_weak;			/* the link above it carries less than the device below it could */
};

struct topology {
	size_t nr;
	struct topology_device *devices;	/* GPUs by number, then network cards, then disks, by address */
	size_t nr_rows;
	struct topology_row *rows;
};

void topology_of(struct arena *arena, const struct snapshot *snapshot, struct topology *ret);

/* What lies between two of them: "X", "NV18", "PIX"; "?" where their places are not known. The arena's or static. */
const char *topology_path(struct arena *arena, const struct snapshot *snapshot, const struct topology_device *a,
			  const struct topology_device *b);

/*
 * The link of least bandwidth between the device and the processor, by its width now and the speed that both its ends
 * can do, since speeds fall at idle. *ret_address is its lower end. 0: not known.
 */
double topology_weakest(const struct topology_device *device, const char **ret_address);
/* What the device's own end can do; 0: not known. */
double topology_able(const struct topology_device *device);
