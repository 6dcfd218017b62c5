// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "base/text.h"
#include "snapshot/gpus.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* What is asked of a GPU again and again, by its place in the snapshot's list. */
struct gpu_standing {
	enum gpu_role role;
	size_t index;
	size_t number;
	const struct device_node *compute_node;
};

/*
 * Vendors whose display functions belong to a management controller or a
 * hypervisor: ASPEED, Matrox (server parts), Cirrus (QEMU), HiSilicon,
 * VMware, VirtualBox, Bochs, QXL, virtio, Hyper-V. PCI vendor numbers as in pci.ids.
 */
static const char *const display_vendors[] = {
	"0x1a03", "0x102b", "0x1013", "0x19e5", "0x15ad", "0x80ee", "0x1234", "0x1b36", "0x1af4", "0x1414",
};

const char *gpu_role_name(enum gpu_role role)
{
	static const char *const names[] = {
		[GPU_ROLE_GPU] = "gpu",
		[GPU_ROLE_DISPLAY] = "display",
		[GPU_ROLE_INTEGRATED] = "integrated",
		[GPU_ROLE_VIRTUAL_FUNCTION] = "virtual-function",
		[GPU_ROLE_PASSED_THROUGH] = "passed-through",
		[GPU_ROLE_UNKNOWN] = "unknown",
		[GPU_ROLE_NOT_OURS] = "not-ours",
	};

	return names[role];
}

/* Intel's integrated graphics are always device 2 of the root bus (K7.2 drivers/gpu/drm/i915). */
static bool is_intel_integrated(const struct gpu *gpu)
{
	struct pci_address address;

	return str_is(gpu->pci.vendor_id, "0x8086") && !parse_pci_address(str_or(gpu->key, ""), &address) &&
	       address.domain == 0 && address.bus == 0 && address.device == 2;
}

/* vfio-pci, and what takes its place for one kind: nvgrace-gpu-vfio-pci, xe-vfio-pci (K7.2 drivers/vfio/pci). */
bool gpu_is_vfio(const struct gpu *gpu)
{
	static const char suffix[] = "vfio-pci";
	const char *driver = str_or(gpu->pci.driver, "");
	size_t len = strlen(driver);

	return len >= strlen(suffix) && !strcmp(driver + len - strlen(suffix), suffix);
}

/* K7.2 drivers/pci/pci-stub.c, pci-pf-stub.c, drivers/xen/xen-pciback, drivers/uio; igb_uio is DPDK's own. */
bool gpu_is_kept(const struct gpu *gpu)
{
	static const char *const keepers[] = {
		"pci-stub", "pci-pf-stub", "pciback", "xen-pciback", "uio_pci_generic", "igb_uio",
	};

	return text_is_any(str_or(gpu->pci.driver, ""), keepers, ARRAY_SIZE(keepers));
}

bool gpu_is_asleep(const struct gpu *gpu)
{
	return gpu->pci.config_all_ones.state == VAL_ASLEEP || str_is(gpu->pci.runtime_status, "suspended") ||
	       str_is(gpu->pci.power_state, "D3cold");
}

bool is_in_container(const struct snapshot *snapshot)
{
	return is_known(snapshot->host.container) && !str_is(snapshot->host.container, "none");
}

bool node_is_there(const struct device_node *node)
{
	return node->mode.state != VAL_ABSENT;
}

/* How good a node is for computing: 0 not at all. NVIDIA's driver computes through none of DRM's. */
static unsigned compute_rank(const struct gpu *gpu, const char *path)
{
	if (str_is(gpu->pci.driver, "nvidia"))
		return text_begins(path, "/dev/nvidia");
	return text_begins(path, "/dev/dri/renderD") ? 2 : text_begins(path, "/dev/dri/card");
}

static const struct device_node *find_compute_node(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct device_node *best = NULL;
	unsigned best_rank = 0;

	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];
		unsigned rank;

		if (!is_known(node->gpu) || !str_is(node->gpu, str_or(gpu->key, "")))
			continue;
		rank = compute_rank(gpu, str_or(node->key, ""));
		if (rank <= best_rank)
			continue;
		best = node;
		best_rank = rank;
	}
	return best;
}

/* NULL: nothing is kept for it. */
static const struct gpu_standing *standing_of(const struct snapshot *snapshot, const struct gpu *gpu)
{
	uintptr_t first = (uintptr_t)snapshot->gpus, at = (uintptr_t)gpu;

	if (snapshot->nr_standings != snapshot->nr_gpus || at < first ||
	    at >= (uintptr_t)(snapshot->gpus + snapshot->nr_gpus))
		return NULL;
	return &snapshot->standings[gpu - snapshot->gpus];
}

const struct device_node *gpu_compute_node(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct gpu_standing *standing = standing_of(snapshot, gpu);

	return standing ? standing->compute_node : find_compute_node(snapshot, gpu);
}

/* A node that is there and may be this GPU's: then its absence proves nothing. */
static bool has_stray_node(const struct snapshot *snapshot, const struct gpu *gpu)
{
	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];
		const char *path = str_or(node->key, "");

		if (is_known(node->gpu) || !node_is_there(node) || !compute_rank(gpu, path))
			continue;
		if (strcmp(path, "/dev/nvidiactl") && strcmp(path, "/dev/nvidia-uvm"))
			return true;
	}
	return false;
}

static bool is_not_ours(const struct snapshot *snapshot, const struct gpu *gpu, const struct device_node *node)
{
	if (!is_known(snapshot->listed.device_nodes))
		return false;
	if (node && node_is_there(node))
		return str_is(node->refused_by, "device cgroup");
	return is_in_container(snapshot) && !bool_or(snapshot->host.sees_all_devices, false) &&
	       !has_stray_node(snapshot, gpu);
}

static enum gpu_role find_role(const struct snapshot *snapshot, const struct gpu *gpu, const struct device_node *node)
{
	bool is_display = !strncmp(str_or(gpu->pci.class_code, "0x03"), "0x03", strlen("0x03"));

	if (is_known(gpu->pci.physical_function))
		return GPU_ROLE_VIRTUAL_FUNCTION;
	/* Its owner is unknown: it may be a management controller's. */
	if (is_display && !is_known(gpu->pci.vendor_id) && gpu->pci.vendor_id.state != VAL_UNSET)
		return GPU_ROLE_UNKNOWN;
	/* Some of them make accelerators too, which are none (class 0x12). */
	for (size_t i = 0; i < ARRAY_SIZE(display_vendors) && is_display; i++)
		if (str_is(gpu->pci.vendor_id, display_vendors[i]))
			return GPU_ROLE_DISPLAY;
	if (is_intel_integrated(gpu))
		return GPU_ROLE_INTEGRATED;
	if (is_not_ours(snapshot, gpu, node))
		return GPU_ROLE_NOT_OURS;
	if (gpu_is_vfio(gpu) || gpu_is_kept(gpu))
		return GPU_ROLE_PASSED_THROUGH;
	return GPU_ROLE_GPU;
}

enum gpu_role gpu_role(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct gpu_standing *standing = standing_of(snapshot, gpu);

	return standing ? standing->role : find_role(snapshot, gpu, find_compute_node(snapshot, gpu));
}

static bool role_is_tested(enum gpu_role role)
{
	return role == GPU_ROLE_GPU || role == GPU_ROLE_PASSED_THROUGH;
}

size_t gpus_of_role(const struct snapshot *snapshot, enum gpu_role role)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_role(snapshot, &snapshot->gpus[i]) == role;
	return nr;
}

bool gpu_is_under_test(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return role_is_tested(gpu_role(snapshot, gpu));
}

size_t gpus_under_test(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_is_under_test(snapshot, &snapshot->gpus[i]);
	return nr;
}

size_t gpu_index(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct gpu_standing *standing = standing_of(snapshot, gpu);
	bool under_test = gpu_is_under_test(snapshot, gpu);
	size_t index = under_test ? 0 : gpus_under_test(snapshot);

	if (standing)
		return standing->index;
	for (const struct gpu *before = snapshot->gpus; before < gpu; before++)
		index += gpu_is_under_test(snapshot, before) == under_test;
	return index;
}

size_t gpu_number(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct gpu_standing *standing = standing_of(snapshot, gpu);

	return standing ? standing->number : gpu_index(snapshot, gpu);
}

enum { MAX_TOLD_NUMBER = 65535 };

/* The number that a dump calls it by, or none: UINT64_MAX. */
static uint64_t told_number(const struct gpu *gpu)
{
	const char *key = str_or(gpu->key, "");
	uint64_t number;

	if (!strncmp(key, "gpu", 3) && !parse_u64(key + 3, &number) && number <= MAX_TOLD_NUMBER)
		return number;
	number = u64_or(gpu->nvml.index, u64_or(gpu->amdgpu.index, u64_or(gpu->intel.index, UINT64_MAX)));
	return number <= MAX_TOLD_NUMBER ? number : UINT64_MAX;
}

/* How often is it among those that are told? */
static size_t times_told(const uint64_t *told, size_t nr, uint64_t number)
{
	size_t times = 0;

	for (size_t i = 0; i < nr; i++)
		times += told[i] == number ? 1 : 0;
	return times;
}

/*
 * A reader has the number of the texts before him. Where they give one number to two GPUs, as the tools of two vendors
 * do, all are counted as on a node. Who has none takes the first that is free.
 */
static void number_as_told(struct snapshot *snapshot)
{
	size_t nr = snapshot->nr_gpus, *at_place = arena_alloc(&snapshot->arena, nr * sizeof(*at_place));
	uint64_t *told = arena_alloc(&snapshot->arena, nr * sizeof(*told)), free_number = 0;

	for (size_t i = 0; i < nr; i++) {
		told[i] = told_number(&snapshot->gpus[i]);
		at_place[snapshot->standings[i].index] = i;
	}
	for (size_t i = 0; i < nr; i++)
		if (told[i] != UINT64_MAX && times_told(told, nr, told[i]) > 1)
			return;
	for (size_t place = 0; place < nr; place++) {
		size_t i = at_place[place];

		while (told[i] == UINT64_MAX && times_told(told, nr, free_number))
			free_number++;
		snapshot->standings[i].number = told[i] == UINT64_MAX ? free_number++ : told[i];
	}
}

/* The same as find_compute_node() of each GPU, by one walk over the nodes. */
static void index_compute_nodes(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];
		const struct gpu *gpu = gpu_at(snapshot, str_or(node->gpu, NULL));
		const struct device_node **best;
		unsigned rank;

		if (!gpu)
			continue;
		best = &snapshot->standings[gpu - snapshot->gpus].compute_node;
		rank = compute_rank(gpu, str_or(node->key, ""));
		if (rank > (*best ? compute_rank(gpu, str_or((*best)->key, "")) : 0))
			*best = node;
	}
}

void snapshot_index_gpus(struct snapshot *snapshot)
{
	size_t nr_tested = 0, nr_others = 0;

	snapshot->standings = arena_alloc(&snapshot->arena, snapshot->nr_gpus * sizeof(*snapshot->standings));
	snapshot->nr_standings = 0;
	index_compute_nodes(snapshot);
	for (size_t i = 0; i < snapshot->nr_gpus; i++) {
		struct gpu_standing *standing = &snapshot->standings[i];

		standing->role = find_role(snapshot, &snapshot->gpus[i], standing->compute_node);
		nr_tested += role_is_tested(standing->role);
	}
	for (size_t i = 0, next = 0; i < snapshot->nr_gpus; i++) {
		struct gpu_standing *standing = &snapshot->standings[i];

		standing->index = role_is_tested(standing->role) ? next++ : nr_tested + nr_others++;
		standing->number = standing->index;
	}
	if (is_imported(snapshot))
		number_as_told(snapshot);
	snapshot->nr_standings = snapshot->nr_gpus;
}

bool ocl_device_is_under_test(const struct snapshot *snapshot, const struct ocl_device *device)
{
	const char *type = str_or(snapshot->request.opencl_type, "gpu");
	bool is_cpu = str_is(device->kind, "cpu");

	if (!strcmp(type, "all"))
		return true;
	if (!strcmp(type, "cpu"))
		return is_cpu;
	if (is_cpu)
		return !strcmp(type, "auto") && is_known(snapshot->bus.gpus) && !gpus_under_test(snapshot);
	return true;
}

bool snapshot_is_live(const struct snapshot *snapshot)
{
	return str_is(snapshot->run.source, "live");
}

bool snapshot_asks_opencl(const struct snapshot *snapshot)
{
	return find_probe_run(snapshot, "opencl", NULL) || snapshot_is_live(snapshot);
}

/* ---- selected by --gpu */

enum {
	LEAST_UUID = 4,		/* characters: fewer could be anything */
	MOST_DIGITS = 3,	/* of a number of a GPU: more are the beginning of a UUID */
};

static bool is_index(const char *selector, uint64_t *ret)
{
	return strlen(selector) <= MOST_DIGITS && strspn(selector, "0123456789") == strlen(selector) &&
	       !parse_u64(selector, ret);
}

static bool is_address_of(const char *selector, const char *address)
{
	struct pci_address wanted, is;
	char with_domain[32];

	if (parse_pci_address(address, &is))
		return false;
	if (!parse_pci_address(selector, &wanted))
		return !pci_address_compare(&wanted, &is);
	snprintf(with_domain, sizeof(with_domain), "0000:%s", selector);
	if (parse_pci_address(with_domain, &wanted))
		return false;
	wanted.domain = is.domain;
	return !pci_address_compare(&wanted, &is);
}

static bool begins_uuid(const char *selector, struct val_str uuid)
{
	return strlen(selector) >= LEAST_UUID && !strncasecmp(str_or(uuid, ""), selector, strlen(selector));
}

static bool is_uuid_of_gpu(const char *selector, const struct gpu *gpu)
{
	return begins_uuid(selector, gpu->nvml.uuid) || begins_uuid(selector, gpu->nvidia.uuid) ||
	       begins_uuid(selector, gpu->amdgpu.unique_id);
}

static bool names_device(const char *selector, const struct ocl_device *device)
{
	return str_is(device->key, selector) || begins_uuid(selector, device->uuid);
}

bool selector_is_of_gpu(const struct snapshot *snapshot, const char *selector, const struct gpu *gpu)
{
	uint64_t index;

	if (!gpu_is_under_test(snapshot, gpu))
		return false;
	if (is_index(selector, &index))
		return index == gpu_number(snapshot, gpu);
	if (is_address_of(selector, str_or(gpu->key, "")) || is_uuid_of_gpu(selector, gpu))
		return true;
	for (size_t i = 0; i < snapshot->nr_ocl_devices; i++)
		if (ocl_device_gpu(snapshot, &snapshot->ocl_devices[i]) == gpu &&
		    names_device(selector, &snapshot->ocl_devices[i]))
			return true;
	return false;
}

bool selector_is_of_device(const struct snapshot *snapshot, const char *selector, const struct ocl_device *device)
{
	const struct gpu *gpu = ocl_device_gpu(snapshot, device);
	uint64_t index;

	if (names_device(selector, device))
		return true;
	if (!gpu || !gpu_is_under_test(snapshot, gpu))
		return false;
	return is_index(selector, &index) ? index == gpu_number(snapshot, gpu) :
	       is_address_of(selector, str_or(gpu->key, "")) || is_uuid_of_gpu(selector, gpu);
}

bool gpu_is_selected(const struct snapshot *snapshot, const struct gpu *gpu)
{
	const struct strs *selectors = &snapshot->request.gpus;

	for (size_t i = 0; i < selectors->nr; i++)
		if (selector_is_of_gpu(snapshot, selectors->v[i], gpu))
			return true;
	return !selectors->nr;
}

bool ocl_device_is_selected(const struct snapshot *snapshot, const struct ocl_device *device)
{
	const struct strs *selectors = &snapshot->request.gpus;

	for (size_t i = 0; i < selectors->nr; i++)
		if (selector_is_of_device(snapshot, selectors->v[i], device))
			return true;
	return !selectors->nr;
}

bool gpu_is_judged(const struct snapshot *snapshot, const struct gpu *gpu)
{
	return gpu_is_under_test(snapshot, gpu) && gpu_is_selected(snapshot, gpu);
}

size_t gpus_selected(const struct snapshot *snapshot)
{
	size_t nr = 0;

	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		nr += gpu_is_judged(snapshot, &snapshot->gpus[i]);
	return nr;
}
