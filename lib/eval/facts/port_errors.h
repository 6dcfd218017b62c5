/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port_errors.h - errors of a network or RDMA port by which a cable shows: by how much its counters grew. Pure.
 *
 * Counters live as long as the driver and stop at their largest number: only growth is judged, and by the bits that a
 * link carries, as a healthy link of 400 Gbit/s may err a few times a minute. A counter that went down was reset, and
 * says nothing. Drops and congestion are none of these.
 */
#pragma once

#include "base/arena.h"
#include "eval/policy/policy.h"
#include "snapshot/snapshot.h"

struct port_errors {
	uint64_t symbols, checksums;			/* one for each bit that was wrong */
	uint64_t recoveries, receive, integrity;	/* none on a healthy link */
	uint64_t downs;					/* the link failed, whosoever did that */
};

/* Is its link up? What is not connected may hear anything. */
bool port_has_link(const struct network_interface *interface);
/* 0: not known. */
uint64_t port_rate_mbps(const struct network_interface *interface);

/* Those of a window: of the interface and of its RDMA port. */
struct port_errors port_errors_of_window(const struct network_interface *interface);
/* Those since an earlier reading of the same boot. */
struct port_errors port_errors_since(const struct network_interface *now, const struct network_interface *then);

bool has_port_errors(const struct port_errors *errors);
/* More than a healthy link has in that time; it must have been up all of it (no downs). */
bool has_many_port_errors(const struct policy *policy, const struct port_errors *errors, uint64_t rate_mbps,
			  double length_s);
/* "240 symbol errors, 3 receive errors"; the arena's. */
const char *port_errors_in_words(struct arena *arena, const struct port_errors *errors);
