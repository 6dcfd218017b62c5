// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/topology.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/units.h"
#include "eval/facts/link.h"
#include "eval/judge/subject.h"
#include "snapshot/under_test.h"

const char *topology_kind_name(enum topology_kind kind)
{
	static const char *const names[NR_TOPOLOGY_KINDS] = {
		[TOPOLOGY_GPU] = "gpu", [TOPOLOGY_NETWORK] = "network", [TOPOLOGY_NVME] = "nvme",
	};

	return names[kind];
}

/* ---- the devices */

static struct topology_device *add(struct arena *arena, struct topology *topology, enum topology_kind kind,
				   const char *name)
{
	topology->devices = arena_grow(arena, topology->devices, topology->nr, sizeof(*topology->devices));
	topology->devices[topology->nr] = (struct topology_device){ .kind = kind, .name = name };
	return &topology->devices[topology->nr++];
}

static void add_gpu(struct arena *arena, const struct snapshot *snapshot, struct topology *topology,
		    const struct gpu *gpu)
{
	struct topology_device *device = add(arena, topology, TOPOLOGY_GPU,
					     arena_printf(arena, "GPU%zu", gpu_number(snapshot, gpu)));

	device->address = str_or(gpu->key, "?");
	device->label = gpu_model(arena, gpu);
	device->gpu = gpu;
	device->pci = &gpu->pci;
	device->hops = gpu->hops;
	device->nr_hops = gpu->nr_hops;
	device->knows_bridges = is_known(gpu->bridges) && u64_or(gpu->bridges, 0) == gpu->nr_hops;
}

static void add_io(struct arena *arena, const struct snapshot *snapshot, struct topology *topology,
		   enum topology_kind kind, const char *prefix)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_io_devices; i++) {
		const struct io_device *io = &snapshot->io_devices[i];
		struct topology_device *device;

		if (!str_is(io->kind, topology_kind_name(kind)))
			continue;
		device = add(arena, topology, kind, arena_printf(arena, "%s%zu", prefix, nr++));
		device->address = str_or(io->key, "?");
		device->label = str_or(io->names, str_or(io->pci.model, str_or(io->pci.driver, "no driver")));
		device->pci = &io->pci;
		device->hops = io->hops;
		device->nr_hops = io->nr_hops;
		device->knows_bridges = is_known(io->bridges) && u64_or(io->bridges, 0) == io->nr_hops;
	}
}

/* Is that what the matrix of a vendor's tool calls the device? Its number there, its address, or the kernel's name. */
static bool is_called(const struct topology_device *device, const char *name)
{
	uint64_t number;
	const char *found;

	if (!strcmp(name, device->address))
		return true;
	if (device->gpu && !strncmp(name, "GPU", 3) && !parse_u64(name + 3, &number))
		return number == u64_or(device->gpu->nvml.index, u64_or(device->gpu->amdgpu.index, UINT64_MAX));
	found = device->kind == TOPOLOGY_NETWORK ? strstr(device->label, name) : NULL;
	return found && (found == device->label || found[-1] == ' ') &&
	       (!found[strlen(name)] || found[strlen(name)] == ',');
}

/* Is it among them, by any of the kernel's names: "ib0, mlx5_0"? */
static bool is_listed(const struct topology *topology, const char *name)
{
	for (size_t i = 0; i < topology->nr; i++)
		if (topology->devices[i].kind == TOPOLOGY_NETWORK && is_called(&topology->devices[i], name))
			return true;
	return false;
}

/* A dump of nvidia-smi topo -m knows network cards by name alone. */
static void add_told_networks(struct arena *arena, const struct snapshot *snapshot, struct topology *topology)
{
	static const struct pci_function not_known = { .link_width = { .state = VAL_UNSET } };
	size_t nr = 0;

	for (size_t i = 0; i < topology->nr; i++)
		nr += topology->devices[i].kind == TOPOLOGY_NETWORK;
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		for (size_t k = 0; k < snapshot->gpus[i].nr_paths; k++) {
			const char *name = str_or(snapshot->gpus[i].paths[k].key, "");
			struct topology_device *device;

			if (!strncmp(name, "GPU", 3) || strchr(name, ':') || is_listed(topology, name))
				continue;
			device = add(arena, topology, TOPOLOGY_NETWORK, arena_printf(arena, "NIC%zu", nr++));
			device->address = "?";
			device->label = name;
			device->pci = &not_known;
		}
	}
}

/* ---- what lies between two */

/* Active NVLinks to that GPU, or to a switch where the other has such as well. */
static size_t direct_links(const struct gpu *a, const struct gpu *b, const char *kind)
{
	size_t direct = 0, to_switch = 0;
	bool other_has_switch = false;

	for (size_t i = 0; i < b->nr_links; i++)
		other_has_switch = other_has_switch ||
				   (str_is(b->links[i].remote_kind, "switch") && str_is(b->links[i].kind, kind));
	for (size_t i = 0; i < a->nr_links; i++) {
		const struct gpu_link *link = &a->links[i];

		if (!str_is(link->kind, kind) || !str_is(link->state, "active"))
			continue;
		direct += str_is(link->remote, str_or(b->key, "?"));
		to_switch += str_is(link->remote_kind, "switch");
	}
	return direct ? direct : other_has_switch ? to_switch : 0;
}

/* The root complex is named by domain and bus of what hangs at it. */
static const char *root_address(const struct topology_device *device)
{
	return device->nr_hops ? str_or(device->hops[device->nr_hops - 1].address, "?") : device->address;
}

static bool same_root(const struct topology_device *a, const struct topology_device *b)
{
	struct pci_address x, y;

	return !parse_pci_address(root_address(a), &x) && !parse_pci_address(root_address(b), &y) &&
	       x.domain == y.domain && x.bus == y.bus;
}

/* Bridges passed on both sides up to the first that both have: of one switch an upstream and a downstream port each. */
static bool common_bridge(const struct topology_device *a, const struct topology_device *b, size_t *ret_passed)
{
	for (size_t i = 0; i < a->nr_hops; i++)
		for (size_t k = 0; k < b->nr_hops; k++)
			if (str_is(a->hops[i].address, str_or(b->hops[k].address, "?"))) {
				*ret_passed = i > k ? i : k;
				return true;
			}
	return false;
}

/*
 * By the matrix of its vendor's tool, which numbers GPUs of its own, in imported dumps: "NV18"; NULL: it is not told.
 */
static const char *path_told(const struct topology_device *from, const struct topology_device *to)
{
	if (from->gpu && to->gpu && !str_is(from->gpu->pci.vendor_id, str_or(to->gpu->pci.vendor_id, "?")))
		return NULL;
	for (size_t i = 0; from->gpu && i < from->gpu->nr_paths; i++)
		if (is_called(to, str_or(from->gpu->paths[i].key, "")))
			return str_or(from->gpu->paths[i].link, NULL);
	return NULL;
}

/* By bridges and NUMA nodes; "?": they are not known. */
static const char *path_by_bridges(const struct snapshot *snapshot, const struct topology_device *a,
				   const struct topology_device *b)
{
	size_t passed;

	if (!a->knows_bridges || !b->knows_bridges)
		return "?";
	if (common_bridge(a, b, &passed))
		return passed <= 1 ? "PIX" : "PXB";
	if (same_root(a, b))
		return "PHB";
	if (snapshot->nr_numa_nodes == 1)
		return "NODE";
	if (!is_known(a->pci->numa_node) || !is_known(b->pci->numa_node))
		return "?";
	return u64_or(a->pci->numa_node, 0) == u64_or(b->pci->numa_node, 0) ? "NODE" : "SYS";
}

const char *topology_path(struct arena *arena, const struct snapshot *snapshot, const struct topology_device *a,
			  const struct topology_device *b)
{
	const char *told;
	size_t nr;

	if (a == b)
		return "X";
	told = path_told(a, b);
	told = told ? told : path_told(b, a);
	if (told)
		return told;
	nr = a->gpu && b->gpu ? direct_links(a->gpu, b->gpu, "nvlink") : 0;
	if (nr)
		return arena_printf(arena, "NV%zu", nr);
	if (a->gpu && b->gpu && direct_links(a->gpu, b->gpu, "xgmi"))
		return "XGMI";
	return path_by_bridges(snapshot, a, b);
}

/* ---- links */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return !b || (a && a < b) ? a : b;
}

/* Of the link above one of them: the device itself, or an upstream port. upper: NULL at the root complex. */
static double link_rate(const struct pci_function *lower, const struct pci_function *upper)
{
	uint64_t speed =
		smaller(u64_or(lower->link_speed_able_mtps, 0), upper ? u64_or(upper->link_speed_able_mtps, 0) : 0);

	return link_bytes_per_s(speed, u64_or(lower->link_width, 0));
}

static bool is_upper_end(const struct hop *hop)
{
	return str_is(hop->pci.port_type, "root-port") || str_is(hop->pci.port_type, "downstream-port");
}

/*
 * Ends of links from the device up: itself, then each upstream port. Port types take root; without, ports come in
 * pairs.
 */
static bool is_lower_end(const struct topology_device *device, size_t hop)
{
	return is_known(device->hops[hop].pci.port_type) ? !is_upper_end(&device->hops[hop]) : hop % 2 == 1;
}

double topology_able(const struct topology_device *device)
{
	return link_bytes_per_s(u64_or(device->pci->link_speed_able_mtps, 0), u64_or(device->pci->link_width_able, 0));
}

double topology_weakest(const struct topology_device *device, const char **ret_address)
{
	double least = device->nr_hops ? link_rate(device->pci, &device->hops[0].pci) : link_rate(device->pci, NULL);

	*ret_address = device->address;
	for (size_t i = 0; i < device->nr_hops; i++) {
		double rate;

		if (!is_lower_end(device, i))
			continue;
		rate = link_rate(&device->hops[i].pci, i + 1 < device->nr_hops ? &device->hops[i + 1].pci : NULL);
		if (rate > 0.0 && (least <= 0.0 || rate < least)) {
			least = rate;
			*ret_address = str_or(device->hops[i].address, "?");
		}
	}
	return least;
}

/* ", x8 of x16 at 32 GT/s" of the link above; "" where there is none. */
static const char *link_words(struct arena *arena, const struct pci_function *lower, const struct pci_function *upper)
{
	uint64_t able = smaller(u64_or(lower->link_width_able, 0), upper ? u64_or(upper->link_width_able, 0) : 0);
	uint64_t speed =
		smaller(u64_or(lower->link_speed_able_mtps, 0), upper ? u64_or(upper->link_speed_able_mtps, 0) : 0);
	uint64_t width = u64_or(lower->link_width, 0);
	STRBUF_AUTO text = STRBUF_INIT;

	if (!width || !speed)
		return "";
	strbuf_addf(&text, ", x%llu", (unsigned long long)width);
	if (width < able)
		strbuf_addf(&text, " of x%llu", (unsigned long long)able);
	strbuf_addstr(&text, " at ");
	unit_format_u64(&text, UNIT_MTPS, speed);
	return arena_strdup(arena, text.buf);
}

/* ---- the tree */

static uint64_t numa_of(const struct topology_device *device)
{
	return u64_or(device->pci->numa_node, UINT64_MAX);
}

/* From the root down: 0 is the uppermost bridge, and the last the device itself. */
static const char *step_of(const struct topology_device *device, size_t step)
{
	return step < device->nr_hops ? str_or(device->hops[device->nr_hops - 1 - step].address, "?") : device->address;
}

static int compare_devices(const void *left, const void *right)
{
	const struct topology_device *const *a = left, *const *b = right;

	if (numa_of(*a) != numa_of(*b))
		return numa_of(*a) < numa_of(*b) ? -1 : 1;
	for (size_t i = 0; i <= (*a)->nr_hops && i <= (*b)->nr_hops; i++) {
		int order = key_compare(step_of(*a, i), step_of(*b, i));

		if (order)
			return order;
	}
	return ((*a)->nr_hops > (*b)->nr_hops) - ((*a)->nr_hops < (*b)->nr_hops);
}

static void add_row(struct arena *arena, struct topology *topology, struct topology_row row)
{
	topology->rows = arena_grow(arena, topology->rows, topology->nr_rows, sizeof(*topology->rows));
	topology->rows[topology->nr_rows++] = row;
}

static const char *node_words(struct arena *arena, const struct snapshot *snapshot, uint64_t number)
{
	const struct numa_node *node;

	if (number == UINT64_MAX)
		return "no NUMA node reported";
	node = list_find(snapshot, numa_nodes, numa_node, arena_printf(arena, "%llu", (unsigned long long)number));
	return arena_printf(arena, "NUMA node %llu%s%s", (unsigned long long)number,
			    node && is_known(node->cpus) ? ", CPUs " : "", node ? str_or(node->cpus, "") : "");
}

static const char *bridge_words(const struct topology_device *device, size_t hop)
{
	const struct hop *bridge = &device->hops[hop];

	if (hop + 1 == device->nr_hops)
		return str_is(bridge->pci.port_type, "root-port") || !is_known(bridge->pci.port_type) ? "root port"
												      : "bridge";
	return is_lower_end(device, hop) ? "switch" : "port";
}

static void add_bridge(struct arena *arena, struct topology *topology, const struct topology_device *device,
		       size_t step)
{
	size_t hop = device->nr_hops - 1 - step;
	const struct pci_function *upper = hop + 1 < device->nr_hops ? &device->hops[hop + 1].pci : NULL;
	const struct pci_function *pci = &device->hops[hop].pci;
	const char *weakest;
	double rate = topology_weakest(device, &weakest);

	add_row(arena, topology, (struct topology_row){
		.depth = step + 1,
		.text = arena_printf(arena, "%s %s%s", step_of(device, step), bridge_words(device, hop),
				     is_lower_end(device, hop) ? link_words(arena, pci, upper) : ""),
		.is_weak = rate > 0.0 && rate < topology_able(device) && !strcmp(weakest, step_of(device, step)),
	});
}

static void add_leaf(struct arena *arena, struct topology *topology, const struct topology_device *device)
{
	const struct pci_function *upper = device->nr_hops ? &device->hops[0].pci : NULL;
	const char *weakest;
	double rate = topology_weakest(device, &weakest);

	add_row(arena, topology, (struct topology_row){
		.depth = device->nr_hops + 1,
		.text = arena_printf(arena, "%s %s %s%s", device->address, device->name, device->label,
				     link_words(arena, device->pci, upper)),
		.is_device = true,
		.is_weak = rate > 0.0 && rate < topology_able(device) && !strcmp(weakest, device->address),
	});
}

/* How much of their ways from the root both share. */
static size_t shared_steps(const struct topology_device *a, const struct topology_device *b)
{
	size_t nr = 0;

	if (!a || numa_of(a) != numa_of(b))
		return 0;
	while (nr < a->nr_hops && nr < b->nr_hops && !strcmp(step_of(a, nr), step_of(b, nr)))
		nr++;
	return nr;
}

static void make_tree(struct arena *arena, const struct snapshot *snapshot, struct topology *topology)
{
	const struct topology_device **sorted = xcalloc(topology->nr + 1, sizeof(*sorted)), *last = NULL;

	for (size_t i = 0; i < topology->nr; i++)
		sorted[i] = &topology->devices[i];
	qsort(sorted, topology->nr, sizeof(const struct topology_device *), compare_devices);
	for (size_t i = 0; i < topology->nr; i++) {
		if (!last || numa_of(last) != numa_of(sorted[i]))
			add_row(arena, topology, (struct topology_row){
				.text = node_words(arena, snapshot, numa_of(sorted[i])),
			});
		for (size_t step = shared_steps(last, sorted[i]); step < sorted[i]->nr_hops; step++)
			add_bridge(arena, topology, sorted[i], step);
		add_leaf(arena, topology, sorted[i]);
		last = sorted[i];
	}
	free(sorted);
}

void topology_of(struct arena *arena, const struct snapshot *snapshot, struct topology *ret)
{
	*ret = (struct topology){ .nr = 0 };
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (gpu_is_under_test(snapshot, &snapshot->gpus[i]))
			add_gpu(arena, snapshot, ret, &snapshot->gpus[i]);
	add_io(arena, snapshot, ret, TOPOLOGY_NETWORK, "NIC");
	add_told_networks(arena, snapshot, ret);
	add_io(arena, snapshot, ret, TOPOLOGY_NVME, "NVMe");
	make_tree(arena, snapshot, ret);
}
