// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/port_errors.h"

#include "base/strbuf.h"

#define DAY_S 86400.0
#define TBIT_PER_MBIT 1e-6

bool port_has_link(const struct network_interface *interface)
{
	return is_known(interface->rdma_state) ? str_is(interface->rdma_state, "active")
					       : str_is(interface->state, "up");
}

uint64_t port_rate_mbps(const struct network_interface *interface)
{
	return u64_or(interface->rdma_rate_mbps, u64_or(interface->speed_mbps, 0));
}

/* A link that fails and comes back changes twice. */
static uint64_t downs_of(uint64_t carrier_changes)
{
	return (carrier_changes + 1) / 2;
}

struct port_errors port_errors_of_window(const struct network_interface *interface)
{
	const struct network_use *use = &interface->use;
	const struct rdma_use *rdma = &interface->rdma_use;

	return (struct port_errors){
		.symbols = u64_or(rdma->symbol_errors, 0), .checksums = u64_or(use->receive_crc_errors, 0),
		.recoveries = u64_or(rdma->link_recoveries, 0), .receive = u64_or(rdma->receive_errors, 0),
		.integrity = u64_or(rdma->integrity_errors, 0),
		.downs = u64_or(rdma->link_downed, 0) + downs_of(u64_or(use->carrier_changes, 0)),
	};
}

static uint64_t grown(struct val_u64 now, struct val_u64 then)
{
	uint64_t from = u64_or(then, 0), to = u64_or(now, 0);

	return is_known(now) && is_known(then) && to > from ? to - from : 0;
}

struct port_errors port_errors_since(const struct network_interface *now, const struct network_interface *then)
{
	return (struct port_errors){
		.symbols = grown(now->symbol_errors, then->symbol_errors),
		.checksums = grown(now->receive_crc_errors, then->receive_crc_errors),
		.recoveries = grown(now->link_recoveries, then->link_recoveries),
		.receive = grown(now->rdma_receive_errors, then->rdma_receive_errors),
		.integrity = grown(now->integrity_errors, then->integrity_errors),
		.downs = grown(now->link_downed, then->link_downed) +
			 downs_of(grown(now->carrier_changes, then->carrier_changes)),
	};
}

bool has_port_errors(const struct port_errors *errors)
{
	return errors->symbols || errors->checksums || errors->recoveries || errors->receive || errors->integrity ||
	       errors->downs;
}

bool has_many_port_errors(const struct policy *policy, const struct port_errors *errors, uint64_t rate_mbps,
			  double length_s)
{
	double few = policy->network_port_errors * (length_s > DAY_S ? length_s / DAY_S : 1.0);
	double bits = (double)rate_mbps * TBIT_PER_MBIT * length_s * policy->network_errors_per_tbit;

	/* A link that goes down and comes up again errs while it does, and is judged as that. */
	if (errors->downs)
		return false;
	return (double)errors->symbols + (double)errors->checksums > (bits > few ? bits : few) ||
	       (double)errors->recoveries + (double)errors->receive + (double)errors->integrity > few;
}

static void add(struct strbuf *text, uint64_t nr, const char *one, const char *many)
{
	if (nr)
		strbuf_addf(text, "%s%llu %s", text->len ? ", " : "", (unsigned long long)nr, nr == 1 ? one : many);
}

const char *port_errors_in_words(struct arena *arena, const struct port_errors *errors)
{
	STRBUF_AUTO text = STRBUF_INIT;

	add(&text, errors->symbols, "symbol error", "symbol errors");
	add(&text, errors->checksums, "CRC error", "CRC errors");
	add(&text, errors->receive, "receive error", "receive errors");
	add(&text, errors->integrity, "link integrity error", "link integrity errors");
	add(&text, errors->recoveries, "link recovery", "link recoveries");
	add(&text, errors->downs, "link failure", "link failures");
	return arena_strdup(arena, text.buf);
}
