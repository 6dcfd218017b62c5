// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/link.h"

/* The bridge's part in a path of n bridges, when its type could not be read: 0 is the one next to the GPU. */
static const char *type_by_place(size_t place, size_t n)
{
	if (place == n - 1)
		return "root-port";
	return (n - 1 - place) % 2 ? "upstream-port" : "downstream-port";
}

static const char *port_type(const struct gpu *gpu, size_t place)
{
	const char *type = str_or(gpu->hops[place].pci.port_type, NULL);

	return type ? type : type_by_place(place, gpu->nr_hops);
}

static bool is_upper_end(const char *type)
{
	return !strcmp(type, "root-port") || !strcmp(type, "downstream-port");
}

/*
 * A switch on the card: AMD's bridges 1002:1478/1479 and 14a0/14a1, and those
 * of Intel's cards, which have an upstream port of Intel's own below a root port.
 */
static bool is_card_switch(const struct gpu *gpu)
{
	const struct pci_function *down, *up;

	if (gpu->nr_hops < 3)
		return false;
	down = &gpu->hops[0].pci;
	up = &gpu->hops[1].pci;
	if (strcmp(port_type(gpu, 0), "downstream-port") || strcmp(port_type(gpu, 1), "upstream-port"))
		return false;
	if (str_is(gpu->pci.vendor_id, "0x1002"))
		return str_is(down->vendor_id, "0x1002") && str_is(up->vendor_id, "0x1002");
	return str_is(gpu->pci.vendor_id, "0x8086") && str_is(down->vendor_id, "0x8086") &&
	       str_is(up->vendor_id, "0x8086");
}

static void add(struct link_path *path, const struct pci_function *upper, const struct pci_function *lower,
		const char *address)
{
	if (path->nr < MAX_LINKS)
		path->links[path->nr++] = (struct link){ .upper = upper, .lower = lower, .address = address };
}

void gpu_links(const struct gpu *gpu, struct link_path *ret)
{
	const struct pci_function *lower = &gpu->pci;
	const char *address = str_or(gpu->key, "?");
	size_t place = 0;

	*ret = (struct link_path){ .paired = false };
	if (!is_known(gpu->bridges) || u64_or(gpu->bridges, 0) != gpu->nr_hops)
		return;
	ret->paired = true;
	if (!gpu->nr_hops) {
		add(ret, NULL, lower, address);
		return;
	}
	if (is_card_switch(gpu)) {
		lower = &gpu->hops[1].pci;
		address = str_or(gpu->hops[1].address, "?");
		place = 2;
	}
	/* A downstream-facing port, then the upstream port above it, which is the lower end of the next link. */
	while (place < gpu->nr_hops) {
		if (!is_upper_end(port_type(gpu, place))) {
			*ret = (struct link_path){ .paired = false };
			return;
		}
		add(ret, &gpu->hops[place].pci, lower, address);
		if (place + 1 < gpu->nr_hops) {
			lower = &gpu->hops[place + 1].pci;
			address = str_or(gpu->hops[place + 1].address, "?");
		}
		place += 2;
	}
}

double link_bytes_per_s(uint64_t speed_mtps, uint64_t width)
{
	double bits = (double)speed_mtps * 1e6 * (double)width;

	if (speed_mtps <= 5000)
		bits *= 8.0 / 10.0;
	else if (speed_mtps <= 32000)
		bits *= 128.0 / 130.0;
	return bits / 8.0;
}
