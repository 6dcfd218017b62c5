// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/link.h"

#include "snapshot/gpus.h"

static bool is_upper_end(const char *type)
{
	return !strcmp(type, "root-port") || !strcmp(type, "downstream-port");
}

static void add(struct link_path *path, const struct pci_function *upper, const struct pci_function *lower,
		const char *address)
{
	if (path->nr < MAX_LINKS)
		path->links[path->nr++] = (struct link){ .upper = upper, .lower = lower, .address = address };
}

/*
 * A dump of nvidia-smi tells of the link what the GPU sees of it, and of no bridge; a part of lspci's listing of those
 * bridges alone that were pasted. That the others are not there is no fault of the path.
 */
static bool told_by_dump(const struct gpu *gpu)
{
	return gpu->pci.link_width.from &&
	       (gpu->bridges.state == VAL_UNSET || (gpu->nr_hops && !is_known(gpu->hops[0].pci.link_width_able)));
}

/* The links of which both ends are told, from the GPU upwards; its own end, where no port above it is. */
static void links_of_dump(const struct gpu *gpu, struct link_path *ret)
{
	ret->paired = true;
	if (!gpu->nr_hops || !is_known(gpu->hops[0].pci.link_width_able) || !is_upper_end(gpu_port_type(gpu, 0)))
		add(ret, NULL, &gpu->pci, str_or(gpu->key, "?"));
	else
		add(ret, &gpu->hops[0].pci, &gpu->pci, str_or(gpu->key, "?"));
}

void gpu_links(const struct gpu *gpu, struct link_path *ret)
{
	const struct pci_function *lower = &gpu->pci;
	const char *address = str_or(gpu->key, "?");
	size_t place = 0;

	*ret = (struct link_path){ .paired = false };
	if (told_by_dump(gpu)) {
		links_of_dump(gpu, ret);
		return;
	}
	if (!is_known(gpu->bridges) || u64_or(gpu->bridges, 0) != gpu->nr_hops)
		return;
	ret->paired = true;
	if (!gpu->nr_hops) {
		add(ret, NULL, lower, address);
		return;
	}
	if (gpu_has_card_switch(gpu)) {
		lower = &gpu->hops[1].pci;
		address = str_or(gpu->hops[1].address, "?");
		place = 2;
	}
	/* A downstream-facing port, then the upstream port above it, which is the lower end of the next link. */
	while (place < gpu->nr_hops) {
		if (!is_upper_end(gpu_port_type(gpu, place))) {
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
