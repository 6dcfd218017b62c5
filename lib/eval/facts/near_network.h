/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * near_network.h - RDMA cards below the same PCIe switch as a GPU: between these, data goes through the switch alone
 * (GPUDirect RDMA), unless it is sent up to the processor. Pure.
 */
#pragma once

#include "base/arena.h"
#include "snapshot/snapshot.h"

/*
 * The nearest: the fewest bridges up to the first that both are below, which is part of a switch and no root port.
 * Virtual functions are none. NULL: there is no such card.
 */
const struct io_device *near_network_card(const struct snapshot *snapshot, const struct gpu *gpu);
/* Is there a network card below the GPU's switch that a virtual machine or a program has for itself? */
bool near_network_card_is_given_away(const struct snapshot *snapshot, const struct gpu *gpu);
/* "mlx5_0" */
const char *near_network_name(const struct snapshot *snapshot, const struct io_device *card);
/*
 * The ports with a link of the cards nearest to the GPUs under test, as NCCL_IB_HCA takes them (NCCL's manual,
 * "Environment Variables"): "=mlx5_0:1,mlx5_1:1". The sign in front asks for whole names, as mlx5_1 would be mlx5_10
 * too. NULL: no GPU shares a switch with one.
 */
const char *near_network_nccl_ib_hca(struct arena *arena, const struct snapshot *snapshot);
/*
 * The port on the way between them that sends what is for the other up to the processor (ACS); NULL: none is known to.
 */
const struct hop *near_network_redirect(const struct gpu *gpu, const struct io_device *card);
