// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/near_network.h"

static const struct network_interface *rdma_interface(const struct snapshot *snapshot, const struct io_device *card)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &snapshot->network_interfaces[i];

		if (is_known(interface->rdma_device) && str_is(interface->address, str_or(card->key, "?")))
			return interface;
	}
	return NULL;
}

/* The first bridge that both are below, by its places on both ways; the last of each way is the root port. */
static bool shared_bridge(const struct gpu *gpu, const struct io_device *card, size_t *ret_gpu, size_t *ret_card)
{
	for (size_t i = 0; i + 1 < gpu->nr_hops; i++)
		for (size_t k = 0; k + 1 < card->nr_hops; k++)
			if (str_is(gpu->hops[i].address, str_or(card->hops[k].address, "?"))) {
				*ret_gpu = i;
				*ret_card = k;
				return true;
			}
	return false;
}

const struct io_device *near_network_card(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct io_device *nearest = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < snapshot->nr_io_devices; i++) {
		const struct io_device *card = &snapshot->io_devices[i];
		size_t above_gpu, above_card;

		if (!str_is(card->kind, "network") || is_known(card->pci.physical_function) ||
		    !shared_bridge(gpu, card, &above_gpu, &above_card) || above_gpu + above_card >= least ||
		    !rdma_interface(snapshot, card))
			continue;
		least = above_gpu + above_card;
		nearest = card;
	}
	return nearest;
}

bool near_network_card_is_given_away(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_io_devices; i++) {
		const struct io_device *card = &snapshot->io_devices[i];
		const char *driver = str_or(card->pci.driver, "");
		size_t above_gpu, above_card;

		if (str_is(card->kind, "network") && shared_bridge(gpu, card, &above_gpu, &above_card) &&
		    (strstr(driver, "vfio") || !strcmp(driver, "uio_pci_generic") || !strcmp(driver, "igb_uio")))
			return true;
	}
	return false;
}

const char *near_network_name(const struct snapshot *snapshot, const struct io_device *card)
{
	const struct network_interface *interface = rdma_interface(snapshot, card);

	return interface ? str_or(interface->rdma_device, "?") : str_or(card->key, "?");
}

static const struct hop *first_redirect(const struct hop *hops, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (str_is(hops[i].pci.port_type, "downstream-port") && bool_or(hops[i].pci.acs_redirects, false))
			return &hops[i];
	return NULL;
}

const struct hop *near_network_redirect(const struct gpu *gpu, const struct io_device *card)
{
	size_t above_gpu, above_card;
	const struct hop *port;

	if (!shared_bridge(gpu, card, &above_gpu, &above_card))
		return NULL;
	port = first_redirect(gpu->hops, above_gpu);
	return port ? port : first_redirect(card->hops, above_card);
}
