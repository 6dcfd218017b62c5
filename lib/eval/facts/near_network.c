// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/near_network.h"

#include "base/strbuf.h"
#include "snapshot/under_test.h"

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

/* Bridges on the way to the first that both are below; SIZE_MAX: there is none, or the card is no RDMA card. */
static size_t bridges_between(const struct snapshot *snapshot, const struct gpu *gpu, const struct io_device *card)
{
	size_t above_gpu, above_card;

	if (!str_is(card->kind, "network") || is_known(card->pci.physical_function) ||
	    !shared_bridge(gpu, card, &above_gpu, &above_card) || !rdma_interface(snapshot, card))
		return SIZE_MAX;
	return above_gpu + above_card;
}

const struct io_device *near_network_card(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct io_device *nearest = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < snapshot->nr_io_devices; i++) {
		const struct io_device *card = &snapshot->io_devices[i];
		size_t between = bridges_between(snapshot, gpu, card);

		if (between >= least)
			continue;
		least = between;
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

/* In "=mlx5_0:1,mlx5_10:1", the whole name. */
static bool list_has_port(const char *list, const char *port)
{
	const size_t len = strlen(port);

	for (const char *at = strstr(list, port); at; at = strstr(at + 1, port))
		if (strchr("=,", at[-1]) && strchr(",", at[len]))
			return true;
	return false;
}

/* A port of the card that NCCL may use: it leaves out those without a link by itself. */
static void add_ports(struct strbuf *list, const struct snapshot *snapshot, const struct io_device *card)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++) {
		const struct network_interface *interface = &snapshot->network_interfaces[i];
		STRBUF_AUTO port = STRBUF_INIT;

		if (!is_known(interface->rdma_device) || !str_is(interface->address, str_or(card->key, "?")) ||
		    !str_is(interface->rdma_state, "active"))
			continue;
		strbuf_addf(&port, "%s%s:%llu", list->len ? "," : "=", str_or(interface->rdma_device, "?"),
			    (unsigned long long)u64_or(interface->rdma_port, 1));
		/* Two GPUs may share a card, and two interfaces a port. */
		if (!list_has_port(list->buf, port.buf + 1))
			strbuf_addstr(list, port.buf);
	}
}

/* Of all cards that are as near to the GPU as the nearest. */
static void add_near_cards(struct strbuf *list, const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct io_device *nearest = near_network_card(snapshot, gpu);
	size_t least = nearest ? bridges_between(snapshot, gpu, nearest) : SIZE_MAX;

	for (size_t i = 0; i < snapshot->nr_io_devices && nearest; i++)
		if (bridges_between(snapshot, gpu, &snapshot->io_devices[i]) == least)
			add_ports(list, snapshot, &snapshot->io_devices[i]);
}

const char *near_network_nccl_ib_hca(struct arena *arena, const struct snapshot *snapshot)
{
	STRBUF_AUTO list = STRBUF_INIT;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			add_near_cards(&list, snapshot, &snapshot->gpus[i]);
	return list.len ? arena_strdup(arena, list.buf) : NULL;
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
