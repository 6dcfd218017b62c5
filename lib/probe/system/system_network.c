// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * system_network.c - network interfaces with hardware behind them, and RDMA devices.
 *
 * What a link in /sys/class leads to tells where a thing hangs: bridges, bonds
 * and containers' interfaces are below /sys/devices/virtual, 20,000 of them on a
 * busy node of Kubernetes. A port of an RDMA device is joined with the interfaces
 * of its PCI function that are this port's; one without any stands alone.
 */
#include "base/compat.h"
#include "probe/system/system_internal.h"

#include <errno.h>

#include "base/text.h"
#include "probe/pci/pci_function.h"
#include "probe/read.h"

#define NET "/sys/class/net"
#define RDMA "/sys/class/infiniband"

enum {
	MBPS_PER_GBPS = 1000,
	/* Cards may be divided into thousands of virtual functions: what is kept is bounded, and the rest counted. */
	MAX_INTERFACES = 256,
	MAX_PORTS = 8,
};

/* The component before at, its length in *ret_len. */
static const char *component_before(const char *place, const char *at, size_t *ret_len)
{
	const char *start = at;

	while (start > place && start[-1] != '/')
		start--;
	*ret_len = (size_t)(at - start);
	return start;
}

const char *pci_address_of_place(struct arena *arena, const char *place)
{
	const char *at = strrchr(place, '/');	/* before the thing's own name … */
	struct pci_address address;
	char *text;
	size_t len;

	if (!at || at == place)
		return NULL;
	at = component_before(place, at, &len);	/* … and its class */
	if (at == place)
		return NULL;
	at = component_before(place, at - 1, &len);
	/* A virtio device is all that is on its PCI function. What hangs at a USB controller is not on the bus. */
	if (!strncmp(at, "virtio", strlen("virtio")) && at > place)
		at = component_before(place, at - 1, &len);
	text = arena_strndup(arena, at, len);
	return parse_pci_address(text, &address) ? NULL : text;
}

/* Where an entry of a class hangs; NULL where there is no hardware behind it, or it is gone again. */
static const char *place_of(struct probe_env *env, struct arena *arena, const char *class, const char *name)
{
	STRBUF_AUTO place = STRBUF_INIT;

	if (root_readlink(env->root, &place, "%s/%s", class, name) || strstr(place.buf, "/devices/virtual/"))
		return NULL;
	return arena_strdup(arena, place.buf);
}

/* "pf0vf3", "c1pf0sf88": a switch's port for a virtual function, beside the interface of the card itself. */
static bool is_representor(struct probe_env *env, struct arena *arena, const char *name)
{
	const char *port = str_or(read_str(env, arena, NET "/%s/phys_port_name", name), "");

	return strstr(port, "pf") && (strstr(port, "vf") || strstr(port, "sf"));
}

static struct val_u64 sum(struct val_u64 a, struct val_u64 b)
{
	return is_known(a) && is_known(b) ? val_u64(u64_or(a, 0) + u64_or(b, 0)) : a;
}

/* The kernel refuses the speed of an interface that is down, and drivers say -1. */
static struct val_u64 read_speed(struct probe_env *env, struct arena *arena, const char *name)
{
	struct val_str text = read_str(env, arena, NET "/%s/speed", name);

	if (str_is(text, "-1") || str_is(text, "4294967295") ||
	    (text.state == VAL_ERROR && !strcmp(text.why, "EINVAL")))
		return no_u64(VAL_ABSENT, "none at present");
	return read_u64(env, arena, NET "/%s/speed", name);
}

static void set_address(struct probe_env *env, struct arena *arena, struct network_interface *interface,
			const char *address)
{
	interface->address = address ? val_str(address) : no_str(VAL_ABSENT, "on no PCI bus");
	interface->numa_node = address ? pci_numa_node(env, arena, address) : no_u64(VAL_ABSENT, "on no PCI bus");
}

static void read_interface(struct probe_env *env, struct snapshot *facts, const char *name, uint64_t *left_out)
{
	struct arena *arena = &facts->arena;
	const char *place = place_of(env, arena, NET, name);
	struct network_interface *interface;

	if (!place)
		return;
	if (facts->nr_network_interfaces == MAX_INTERFACES) {
		++*left_out;
		return;
	}
	interface = list_element(arena, facts, network_interfaces, network_interface, name);
	set_address(env, arena, interface, pci_address_of_place(arena, place));
	interface->rdma_device = no_str(VAL_ABSENT, "no RDMA device on its function");
	interface->state = read_str(env, arena, NET "/%s/operstate", name);
	interface->speed_mbps = read_speed(env, arena, name);
	if (root_is_live(env->root))
		interface->speed_able_mbps = network_speed_able(name);
	interface->receive_errors = read_u64(env, arena, NET "/%s/statistics/rx_errors", name);
	interface->receive_crc_errors = read_u64(env, arena, NET "/%s/statistics/rx_crc_errors", name);
	interface->receive_drops = sum(read_u64(env, arena, NET "/%s/statistics/rx_dropped", name),
				       read_u64(env, arena, NET "/%s/statistics/rx_missed_errors", name));
	interface->transmit_errors = read_u64(env, arena, NET "/%s/statistics/tx_errors", name);
	interface->carrier_changes = read_u64(env, arena, NET "/%s/carrier_changes", name);
}

/* A port of an RDMA device: its folder, and its number from 1. */
struct rdma_port {
	const char *device;
	uint64_t number;
	const char *folder;		/* "/sys/class/infiniband/mlx5_0/ports/1" */
};

/* "4: ACTIVE", "5: LinkUp": the word, in small letters. */
static struct val_str read_port_word(struct probe_env *env, struct arena *arena, const struct rdma_port *port,
				     const char *file)
{
	struct val_str text = read_str(env, arena, "%s/%s", port->folder, file);
	const char *colon = strchr(str_or(text, ""), ':');
	char *word;

	if (!is_known(text) || !colon)
		return text;
	word = arena_strdup(arena, colon + 1 + strspn(colon + 1, " "));
	for (char *c = word; *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	}
	return val_str(word);
}

/* "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)" */
static struct val_u64 read_port_rate(struct probe_env *env, struct arena *arena, const struct rdma_port *port)
{
	struct val_str text = read_str(env, arena, "%s/rate", port->folder);
	const char *rate = str_or(text, "");
	double gbps;

	if (!is_known(text))
		return no_u64(text.state, text.why);
	if (parse_f64(arena_strndup(arena, rate, strcspn(rate, " ")), &gbps) || gbps < 0 || gbps > 1e6)
		return no_u64(VAL_ERROR, arena_printf(arena, "reads \"%.40s\"", rate));
	return val_u64((uint64_t)(gbps * MBPS_PER_GBPS));
}

/* Types of addresses that are not set cannot be read: "Invalid argument". */
static struct val_u64 count_roce_v2(struct probe_env *env, struct arena *arena, const struct rdma_port *port)
{
	struct name_list names = { 0 };
	uint64_t nr = 0;
	int error = root_list(env->root, &names, "%s/gid_attrs/types", port->folder);

	for (size_t i = 0; i < names.nr; i++)
		nr += str_is(read_str(env, arena, "%s/gid_attrs/types/%s", port->folder, names.names[i]), "RoCE v2");
	name_list_release(&names);
	return error ? no_u64(state_of_errno(error), name_of_errno(error)) : val_u64(nr);
}

static void read_port(struct probe_env *env, struct arena *arena, const struct rdma_port *port,
		      struct network_interface *interface)
{
	const char *folder = port->folder;

	interface->rdma_device = val_str(arena_strdup(arena, port->device));
	interface->rdma_port = val_u64(port->number);
	interface->rdma_type = read_str(env, arena, RDMA "/%s/hca_type", port->device);
	interface->rdma_link_layer = read_str(env, arena, "%s/link_layer", folder);
	interface->rdma_state = read_port_word(env, arena, port, "state");
	interface->rdma_physical_state = read_port_word(env, arena, port, "phys_state");
	interface->rdma_rate_mbps = read_port_rate(env, arena, port);
	interface->rdma_manager_lid = read_u64(env, arena, "%s/sm_lid", folder);
	interface->roce_v2_gids = str_is(interface->rdma_link_layer, "Ethernet") ? count_roce_v2(env, arena, port) :
				  no_u64(VAL_ABSENT, "not over Ethernet");
	interface->link_recoveries = read_u64(env, arena, "%s/counters/link_error_recovery", folder);
	interface->symbol_errors = read_u64(env, arena, "%s/counters/symbol_error", folder);
	interface->link_downed = read_u64(env, arena, "%s/counters/link_downed", folder);
	interface->rdma_receive_errors = read_u64(env, arena, "%s/counters/port_rcv_errors", folder);
	interface->integrity_errors = read_u64(env, arena, "%s/counters/local_link_integrity_errors", folder);
}

/* The first port has the device's name, the others theirs as NCCL_IB_HCA takes it: "mlx4_0:2". */
static void read_lone_port(struct probe_env *env, struct snapshot *facts, const struct rdma_port *port,
			   const char *address)
{
	struct arena *arena = &facts->arena;
	const char *key = port->number == 1 ? port->device :
			  arena_printf(arena, "%s:%llu", port->device, (unsigned long long)port->number);
	struct network_interface *interface = list_element(arena, facts, network_interfaces, network_interface, key);

	set_address(env, arena, interface, address);
	read_port(env, arena, port, interface);
	interface->state = interface->rdma_state;
	interface->speed_mbps = interface->rdma_rate_mbps;
}

/* In switchdev mode each virtual function's representor is a port as well: only the first has a cable then. */
static bool has_representors(struct probe_env *env, struct arena *arena, const char *device)
{
	struct name_list names = { 0 };
	bool found = false;

	if (root_list(env->root, &names, RDMA "/%s/device/net", device))
		return false;
	for (size_t i = 0; i < names.nr && !found; i++)
		found = is_representor(env, arena, names.names[i]);
	name_list_release(&names);
	return found;
}

/* Numbers of ports that are some. A device whose ports cannot be listed has its first, which says why. */
static size_t list_ports(struct probe_env *env, struct arena *arena, const char *device, uint64_t ports[MAX_PORTS])
{
	struct name_list names = { 0 };
	size_t nr = 0;

	if (!root_list(env->root, &names, RDMA "/%s/ports", device))
		for (size_t i = 0; i < names.nr && nr < MAX_PORTS; i++)
			if (!parse_u64(names.names[i], &ports[nr]) && ports[nr] > 0 && ports[nr] < UINT8_MAX)
				nr++;
	name_list_release(&names);
	if (nr > 1 && !has_representors(env, arena, device))
		return nr;
	if (!nr)
		ports[0] = 1;
	return 1;
}

/* Interfaces of several ports on one function number them from 0. */
static bool is_of_port(struct probe_env *env, struct arena *arena, const struct network_interface *interface,
		       uint64_t port, size_t nr_ports)
{
	if (nr_ports == 1)
		return true;
	return u64_or(read_u64(env, arena, NET "/%s/dev_port", str_or(interface->key, "?")), 0) + 1 == port;
}

static bool is_virtual_function(struct probe_env *env, const char *name)
{
	STRBUF_AUTO target = STRBUF_INIT;

	return !root_readlink(env->root, &target, NET "/%s/device/physfn", name);
}

/* Cards first, then what they are divided into: that is what is left out where there is too much. */
static void read_interfaces(struct probe_env *env, struct snapshot *facts, const struct name_list *names,
			    uint64_t *left_out)
{
	struct arena *arena = &facts->arena;
	const char **divided = NULL;
	size_t nr_divided = 0;

	for (size_t i = 0; i < names->nr; i++) {
		const char *name = names->names[i];

		if (!place_of(env, arena, NET, name) || is_representor(env, arena, name))
			continue;
		if (!is_virtual_function(env, name)) {
			read_interface(env, facts, name, left_out);
			continue;
		}
		divided = arena_grow(arena, divided, nr_divided, sizeof(*divided));
		divided[nr_divided++] = name;
	}
	for (size_t i = 0; i < nr_divided; i++)
		read_interface(env, facts, divided[i], left_out);
}

/*
 * The drivers that are software: rxe names the interface below it in a file of its own (drivers/infiniband/sw/rxe,
 * parent_show), siw describes itself (sw/siw, SIW_NODE_DESC_COMMON). NULL: none of them.
 */
static const char *software_rdma(struct probe_env *env, struct arena *arena, const char *device)
{
	static const char siw[] = "Software iWARP";
	const char *parent = str_or(read_str(env, arena, RDMA "/%s/parent", device), NULL);

	if (parent)
		return arena_printf(arena, "soft-RoCE (rxe) over %s", parent);
	return !strncmp(str_or(read_str(env, arena, RDMA "/%s/node_desc", device), ""), siw, strlen(siw)) ?
	       "soft-iWARP (siw)" : NULL;
}

/* It stands for itself, wherever the kernel hangs it: what is judged of cards and cables is none of its. */
static void read_software_rdma(struct probe_env *env, struct snapshot *facts, const char *device, const char *kind)
{
	struct arena *arena = &facts->arena;
	struct network_interface *interface = list_element(arena, facts, network_interfaces, network_interface, device);
	const struct rdma_port port = { .folder = arena_printf(arena, RDMA "/%s/ports/1", device) };

	set_address(env, arena, interface, NULL);
	interface->rdma_device = no_str(VAL_ABSENT, "software, no device");
	interface->rdma_software = val_str(kind);
	interface->state = read_port_word(env, arena, &port, "state");
	interface->speed_mbps = no_u64(VAL_ABSENT, "that of the interface below it");
}

static void read_rdma(struct probe_env *env, struct snapshot *facts, const char *device, uint64_t *left_out)
{
	struct arena *arena = &facts->arena;
	const char *software = software_rdma(env, arena, device);
	const char *place = place_of(env, arena, RDMA, device);
	const char *address = place ? pci_address_of_place(arena, place) : NULL;
	uint64_t ports[MAX_PORTS];
	size_t nr = place && !software ? list_ports(env, arena, device, ports) : 0;

	if (software && facts->nr_network_interfaces < MAX_INTERFACES)
		read_software_rdma(env, facts, device, software);
	else if (software)
		++*left_out;
	for (size_t p = 0; p < nr; p++) {
		struct rdma_port port = {
			.device = device, .number = ports[p],
			.folder = arena_printf(arena, RDMA "/%s/ports/%llu", device, (unsigned long long)ports[p]),
		};
		bool is_joined = false;

		for (size_t i = 0; address && i < facts->nr_network_interfaces; i++) {
			struct network_interface *interface = &facts->network_interfaces[i];

			if (!str_is(interface->address, address) || is_known(interface->rdma_device) ||
			    !is_of_port(env, arena, interface, ports[p], nr))
				continue;
			read_port(env, arena, &port, interface);
			is_joined = true;
		}
		if (!is_joined && facts->nr_network_interfaces < MAX_INTERFACES)
			read_lone_port(env, facts, &port, address);
		else if (!is_joined)
			++*left_out;
	}
}

void system_network_read(struct probe_env *env, struct snapshot *facts)
{
	struct name_list names = { 0 };
	uint64_t left_out = 0;
	int error = root_list(env->root, &names, NET), rdma_error;

	read_interfaces(env, facts, &names, &left_out);
	name_list_release(&names);
	rdma_error = root_list(env->root, &names, RDMA);
	for (size_t i = 0; i < names.nr; i++)
		read_rdma(env, facts, names.names[i], &left_out);
	name_list_release(&names);
	/* No RDMA devices is the rule, also in a recording that has interfaces. */
	if (!error && rdma_error != -ENOENT)
		error = rdma_error;
	facts->listed.network_interfaces_left_out = val_u64(left_out);
	facts->listed.network_interfaces = listed_of(env, facts->nr_network_interfaces, error);
}
