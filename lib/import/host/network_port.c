// SPDX-License-Identifier: GPL-2.0-or-later
/* network_port.c - a text may hold a fabric's tens of thousands of ports, each of which is searched for in the list. */
#include "base/compat.h"
#include "import/host/network_port.h"

struct network_interface *network_port(struct reading *reading, const char *key)
{
	if (reading->snapshot->nr_network_interfaces >= MOST_PORTS &&
	    !list_find(reading->snapshot, network_interfaces, network_interface, key))
		return NULL;
	return list_element(reading->arena, reading->snapshot, network_interfaces, network_interface, key);
}
