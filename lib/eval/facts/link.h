/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.h - the PCIe links between a GPU and the root complex.
 *
 * A link has an upper end (a root or downstream port) and a lower end (an
 * upstream port or the GPU). Its able width and speed are the smaller of what
 * both ends can do. Where bridges are paired is told by their port types; for
 * a run without root, which cannot read them, by counting: a root port, then
 * pairs of upstream and downstream ports.
 *
 * AMD cards since Navi1x and Vega20, and Intel Arc, carry a switch of their
 * own: the GPU's own link is inside the card and tells nothing of the slot, so
 * it is left out and the switch's upstream port stands for the card
 * (K7.2 drivers/gpu/drm/amd/amdgpu/amdgpu_device.c; Syllo/nvtop#344).
 */
#pragma once

#include "snapshot/snapshot.h"

enum { MAX_LINKS = 16 };

struct link {
	const struct pci_function *upper;	/* NULL where no bridge is visible (a virtual machine) */
	const struct pci_function *lower;
	const char *address;			/* of the lower end */
};

struct link_path {
	size_t nr;
	struct link links[MAX_LINKS];		/* nearest to the GPU first */
	bool paired; /* false: the bridges were not all seen, or make no sense as a path; nr is 0 then */
};

void gpu_links(const struct gpu *gpu, struct link_path *ret);

/*
 * Bytes per second, one direction, that a link of that speed and width can
 * carry before packet overhead: 8b/10b up to 5 GT/s, 128b/130b up to 32, none
 * above (PCIe Base Specification; K7.2 drivers/pci/pci.h PCIE_SPEED2MBS_ENC).
 */
double link_bytes_per_s(uint64_t speed_mtps, uint64_t width);
