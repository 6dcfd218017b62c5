// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/rdma_port.h"

#include "snapshot/node.h"

bool rdma_port_is_active(const struct network_interface *interface)
{
	return str_is(interface->rdma_state, "active");
}

bool rdma_port_waits_for_manager(const struct network_interface *interface)
{
	const bool is_under_way = str_is(interface->rdma_state, "init") || str_is(interface->rdma_state, "armed");

	if (!str_is(interface->rdma_link_layer, "InfiniBand") || rdma_port_is_active(interface) ||
	    str_is(interface->rdma_state, "down"))
		return false;
	/*
	 * A port comes so far with its physical link only (InfiniBand's specification, 7.2.7); some outputs do not tell
	 * that.
	 */
	return is_known(interface->rdma_physical_state) ? str_is(interface->rdma_physical_state, "linkup")
							: is_under_way;
}

bool rdma_ports_are_alike(const struct network_interface *a, const struct network_interface *b)
{
	return a != b && is_known(a->rdma_type) && str_is(a->rdma_type, str_or(b->rdma_type, "")) &&
	       str_is(a->rdma_link_layer, str_or(b->rdma_link_layer, "?"));
}

/* Each fabric of InfiniBand has a subnet manager of its own. */
static bool have_one_manager(const struct network_interface *a, const struct network_interface *b)
{
	return u64_or(a->rdma_manager_lid, 0) == u64_or(b->rdma_manager_lid, 0);
}

/*
 * Is `other` in a fabric that it shares with further ports of its type, and the port in another one? Where each port
 * has a fabric of its own (rails), they are as fast as one another.
 */
static bool is_in_other_fabric(const struct snapshot *snapshot, const struct network_interface *interface,
			       const struct network_interface *other)
{
	if (!u64_or(interface->rdma_manager_lid, 0) || !u64_or(other->rdma_manager_lid, 0) ||
	    have_one_manager(interface, other))
		return false;
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *third = &snapshot->network_interfaces[i];

		if (rdma_ports_are_alike(other, third) && have_one_manager(other, third))
			return true;
	}
	return false;
}

uint64_t rdma_usual_rate(const struct snapshot *snapshot, const struct network_interface *interface)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *model = &snapshot->network_interfaces[i];
		uint64_t rate = u64_or(model->rdma_rate_mbps, 0);
		size_t nr = 1, same = 0;

		if (!rdma_ports_are_alike(interface, model) || !rdma_port_is_active(model) || !rate ||
		    is_in_other_fabric(snapshot, interface, model))
			continue;
		for (size_t k = 0; k < snapshot->nr_network_interfaces; k++) {
			const struct network_interface *other = &snapshot->network_interfaces[k];

			if (!rdma_ports_are_alike(interface, other) || !rdma_port_is_active(other) ||
			    is_in_other_fabric(snapshot, interface, other))
				continue;
			nr++;
			same += u64_or(other->rdma_rate_mbps, 0) == rate;
		}
		if (nr >= 3 && 2 * same > nr)
			return rate;
	}
	return 0;
}

uint64_t rdma_rate_of_others(const struct snapshot *snapshot, const struct network_interface *interface)
{
	uint64_t ret = 0;
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *other = &snapshot->network_interfaces[i];

		if (other == interface || !rdma_port_is_active(other) || port_is_listed_before(snapshot, i) ||
		    !str_is(other->rdma_link_layer, str_or(interface->rdma_link_layer, "?")))
			continue;
		if (is_known(interface->rdma_type) || is_known(other->rdma_type) ||
		    (nr && u64_or(other->rdma_rate_mbps, 0) != ret))
			return 0;
		ret = u64_or(other->rdma_rate_mbps, 0);
		nr++;
	}
	return nr >= 3 ? ret : 0;
}
