/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rdma_port.h - a port of an RDMA device beside the others of its node. Pure. */
#pragma once

#include "snapshot/snapshot.h"

bool rdma_port_is_active(const struct network_interface *interface);

/*
 * Neither active nor down: over InfiniBand the subnet manager has not configured it. Virtual functions may be down with
 * a link.
 */
bool rdma_port_waits_for_manager(const struct network_interface *interface);

/* Are both ports of one type of card, over one kind of link? */
bool rdma_ports_are_alike(const struct network_interface *a, const struct network_interface *b);

/*
 * The rate in Mbit/s that more than half of three or more of its type have, itself among them; 0: there is none. Ports
 * of another fabric do not count: storage may have one of its own, with older switches.
 */
uint64_t rdma_usual_rate(const struct snapshot *snapshot, const struct network_interface *interface);

/*
 * Of ports whose types are not told: the rate that all others have over its kind of link, three or more; 0: there is
 * none. Two that are slower are as well a pair of another type, for storage.
 */
uint64_t rdma_rate_of_others(const struct snapshot *snapshot, const struct network_interface *interface);
