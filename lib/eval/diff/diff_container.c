// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff_container.c - what of a host one of its containers was not given, and the option that gives it.
 *
 * Only of one machine in one boot: otherwise a GPU that is not there may be gone from the host too. Whichever of the
 * two stands first, the host's side is what there is to give. What one of them does not tell is listed as not
 * compared, and is no loss.
 *
 * Options: docker-run(1), podman-run(1), the NVIDIA Container Toolkit's and AMD's documentation for containers.
 */
#include "base/compat.h"
#include "base/text.h"
#include "eval/diff/diff_internal.h"
#include "eval/judge/subject.h"
#include "eval/judge/vendor.h"
#include "snapshot/gpus.h"
#include "snapshot/under_test.h"

/* What is left to a container by a little less is the same: the kernel keeps some of it. */
#define SAME_SHARE 0.98

#define NO_LIMIT UINT64_MAX
#define NO_LIMIT_TEXT "no limit"
#define RDMA_RESOURCE "resources.limits: the resource of the RDMA device plugin"

struct way_in {
	struct differ *d;
	struct arena *arena;
	const struct snapshot *host, *inside;
	int host_side, inside_side;
	const char **why_not_given;	/* by GPU of the host; NULL: the container has it */
	bool has_nvidia;		/* it has a GPU of NVIDIA's driver */
	struct container_diff *told;
};

static void add_loss(struct way_in *way, const struct container_loss *loss)
{
	struct container_diff *told = way->told;

	told->losses = arena_grow(way->arena, told->losses, told->nr, sizeof(*told->losses));
	told->losses[told->nr++] = *loss;
}

/* True: both sides tell it. */
static bool can_compare(struct way_in *way, bool is_told, const char *part)
{
	if (is_told)
		way->told->nr_compared++;
	else
		strs_add(way->arena, &way->told->not_compared, part);
	return is_told;
}

static bool runtime_is(const struct way_in *way, const char *runtime)
{
	return !strcmp(way->told->runtime, runtime);
}

/* ---- GPUs */

static const char *all_gpus_option(const struct way_in *way, enum vendor vendor)
{
	if (vendor == VENDOR_AMD)
		return "--device /dev/kfd --device /dev/dri";
	if (vendor == VENDOR_INTEL)
		return "--device /dev/dri";
	if (vendor == VENDOR_NVIDIA)
		return runtime_is(way, "podman") ? "--device nvidia.com/gpu=all" : "--gpus all";
	return NULL;
}

/* What the vendors' device plugins call their GPUs. */
static const char *gpu_resource(const struct gpu *gpu)
{
	switch (gpu_vendor(gpu)) {
	case VENDOR_NVIDIA:
		return "nvidia.com/gpu";
	case VENDOR_AMD:
		return "amd.com/gpu";
	case VENDOR_INTEL:
		return str_is(gpu->pci.driver, "xe") ? "gpu.intel.com/xe" : "gpu.intel.com/i915";
	default:
		return NULL;
	}
}

static const char *gpu_limit(struct way_in *way, const struct gpu *gpu)
{
	const char *resource = gpu_resource(gpu);

	return resource ? arena_printf(way->arena, "resources.limits %s: %zu", resource,
				       gpus_bound_to(way->host, str_or(gpu->pci.driver, ""))) : NULL;
}

/* inside: what the container lists of it; NULL: nothing. */
static const char *why_not_given(const struct way_in *way, const struct gpu *inside)
{
	const struct device_node *node = inside ? gpu_compute_node(way->inside, inside) : NULL;
	const struct strs *not_ours = way->d->not_ours[way->inside_side];

	if (!inside)
		return "not listed";
	if (not_ours && strs_has(not_ours, str_or(inside->key, "")))
		return "not given";
	if (gpu_role(way->inside, inside) != GPU_ROLE_NOT_OURS)
		return NULL;
	return node && node_is_there(node) ? "device cgroup refuses its node" : "no device node";
}

static void find_given(struct way_in *way)
{
	way->why_not_given = arena_alloc(way->arena, way->host->nr_gpus * sizeof(*way->why_not_given));
	for (size_t i = 0; i < way->d->nr_pairs; i++) {
		const struct gpu_pair *pair = &way->d->pairs[i];
		const struct gpu *gpu = way->host_side ? pair->after : pair->before;
		const struct gpu *inside = pair->is_other_card ? NULL : way->host_side ? pair->before : pair->after;
		const char **why = gpu ? &way->why_not_given[gpu - way->host->gpus] : NULL;

		if (!why)
			continue;
		*why = why_not_given(way, inside);
		way->has_nvidia |= !*why && gpu_vendor(gpu) == VENDOR_NVIDIA && gpu_is_under_test(way->host, gpu);
	}
}

static bool is_given(const struct way_in *way, const struct gpu *gpu)
{
	return !way->why_not_given[gpu - way->host->gpus];
}

static void compare_gpus(struct way_in *way)
{
	const bool tells_nodes = is_known(way->inside->listed.device_nodes) || way->d->not_ours[way->inside_side];

	if (!can_compare(way, is_known(way->host->bus.gpus) && is_known(way->inside->bus.gpus) && tells_nodes, "GPUs"))
		return;
	for (size_t i = 0; i < way->host->nr_gpus; i++) {
		const struct gpu *gpu = &way->host->gpus[i];
		const char *why = way->why_not_given[i], *key = str_or(gpu->key, "?");
		size_t index = way->d->sides[way->host_side].index[i];

		/* One that is passed through is a virtual machine's. */
		if (gpu_role(way->host, gpu) != GPU_ROLE_GPU || !why)
			continue;
		add_loss(way, &(struct container_loss){
			.what = "gpu", .thing = arena_printf(way->arena, "GPU %zu (%s)", index, key), .host = "present",
			.inside = why, .option = all_gpus_option(way, gpu_vendor(gpu)),
			.kubernetes = gpu_limit(way, gpu),
			.gpu = key, .gpu_index = index, .uuid = str_or(gpu_uuid(way->host, gpu), NULL),
		});
	}
}

/* ---- device nodes */

static bool is_below(const char *path, const char *prefix)
{
	return !strncmp(path, prefix, strlen(prefix));
}

/* NULL: it may be used. */
static const char *why_no_node(const struct way_in *way, const struct device_node *node)
{
	const struct device_node *inside = list_find(way->inside, device_nodes, device_node, str_or(node->key, ""));

	if (!inside || !node_is_there(inside))
		return "none";
	if (is_known(inside->refused_by) && !is_known(node->refused_by))
		return str_or(inside->refused_by, "refused");
	return NULL;
}

static void set_node_option(struct way_in *way, const struct device_node *node, struct container_loss *loss)
{
	const char *path = str_or(node->key, "?");
	const struct gpu *gpu = gpu_at(way->host, str_or(node->gpu, NULL));
	const bool is_nvidia = is_below(path, "/dev/nvidia") || (gpu && gpu_vendor(gpu) == VENDOR_NVIDIA);

	if (!strcmp(loss->inside, "permissions") && is_known(node->group_id)) {
		loss->option =
			arena_printf(way->arena, "--group-add %llu", (unsigned long long)u64_or(node->group_id, 0));
		loss->kubernetes = arena_printf(way->arena, "securityContext.supplementalGroups: [%llu]",
						(unsigned long long)u64_or(node->group_id, 0));
	} else if (is_nvidia && !way->has_nvidia) {
		loss->option = all_gpus_option(way, VENDOR_NVIDIA);
		loss->kubernetes = "resources.limits nvidia.com/gpu";
	} else if (is_nvidia && is_below(path, "/dev/dri/")) {
		/* NVIDIA's toolkit gives these with graphics or display alone. */
		loss->option = "-e NVIDIA_DRIVER_CAPABILITIES=all";
		loss->kubernetes = "env NVIDIA_DRIVER_CAPABILITIES: all";
	} else {
		loss->option = arena_printf(way->arena, "--device %s", path);
		loss->kubernetes = gpu && gpu_resource(gpu) ? gpu_limit(way, gpu) :
				   !strcmp(path, "/dev/kfd") ? "resources.limits amd.com/gpu" : NULL;
	}
}

static void compare_nodes(struct way_in *way)
{
	if (!can_compare(way, is_known(way->host->listed.device_nodes) && is_known(way->inside->listed.device_nodes),
			 "device nodes"))
		return;
	for (size_t i = 0; i < way->host->nr_device_nodes; i++) {
		const struct device_node *node = &way->host->device_nodes[i];
		const struct gpu *gpu = gpu_at(way->host, str_or(node->gpu, NULL));
		struct container_loss loss = { .what = "device-node",
					       .thing = str_or(node->key, "?"),
					       .host = "present" };

		/* Nodes of a GPU that was not given are told by it; a management controller's display is nobody's. */
		if (!node_is_there(node) || (gpu && (gpu_role(way->host, gpu) != GPU_ROLE_GPU || !is_given(way, gpu))))
			continue;
		loss.inside = why_no_node(way, node);
		if (!loss.inside)
			continue;
		set_node_option(way, node, &loss);
		add_loss(way, &loss);
	}
}

/* ---- libraries */

/* Of the file that is loaded first, else of any of them. NULL: there is none of that name. */
static const struct user_library *find_library(const struct snapshot *snapshot, const char *name)
{
	const struct user_library *any = NULL;

	for (size_t i = 0; i < snapshot->nr_user_libraries; i++) {
		const struct user_library *library = &snapshot->user_libraries[i];

		if (!str_is(library->name, name))
			continue;
		if (bool_or(library->is_loaded_first, false))
			return library;
		any = any && is_known(any->version) ? any : library;
	}
	return any;
}

static void add_missing_library(struct way_in *way, const char *name, const char *version)
{
	const bool has_gpus = way->has_nvidia;

	add_loss(way, &(struct container_loss){
		.what = "library", .thing = name, .host = version, .inside = "none",
		.option = has_gpus ? "-e NVIDIA_DRIVER_CAPABILITIES=compute,utility" : all_gpus_option(way, VENDOR_NVIDIA),
		.kubernetes = has_gpus ? "env NVIDIA_DRIVER_CAPABILITIES: compute,utility" :
					 "resources.limits nvidia.com/gpu",
	});
}

static void compare_library(struct way_in *way, const struct user_library *library)
{
	const char *name = str_or(library->name, "?"), *version = str_or(library->version, NULL);
	const struct user_library *inside = find_library(way->inside, name);
	const char *version_inside = inside ? str_or(inside->version, NULL) : NULL;
	bool is_older;

	if (!inside)
		add_missing_library(way, name, version ? version : "present");
	if (!version || !version_inside || !version_compare(version, version_inside))
		return;
	/* The toolkit mounts the files that are there when the container starts. */
	is_older = version_compare(version_inside, version) < 0;
	add_loss(way, &(struct container_loss){
		.what = "library", .thing = name, .host = version, .inside = version_inside,
		.option = is_older ? "recreate the container" : "an image without libraries of the driver",
		.kubernetes = is_older ? "delete the pod, its owner starts a new one" : NULL,
	});
}

static void compare_libraries(struct way_in *way)
{
	if (!nvidia_drives_any(way->host) ||
	    !can_compare(way,
			 is_known(way->host->listed.user_libraries) && is_known(way->inside->listed.user_libraries),
			 "libraries of the driver"))
		return;
	for (size_t i = 0; i < way->host->nr_user_libraries; i++) {
		const struct user_library *library = &way->host->user_libraries[i];

		if (find_library(way->host, str_or(library->name, "?")) == library)
			compare_library(way, library);
	}
}

/* ---- limits */

static const char *bytes_text(struct way_in *way, uint64_t bytes)
{
	STRBUF_AUTO text = STRBUF_INIT;

	if (bytes == NO_LIMIT)
		return NO_LIMIT_TEXT;
	unit_format_u64(&text, UNIT_BYTES, bytes);
	return arena_strdup(way->arena, text.buf);
}

static bool is_less(uint64_t inside, uint64_t host)
{
	return (double)inside < SAME_SHARE * (double)host;
}

/* A value that is absent because nothing limits it, and not because nobody could tell. */
static bool is_unlimited(enum val_state state, const char *why)
{
	return state == VAL_ABSENT && why && !strcmp(why, NO_LIMIT_TEXT);
}

/* As docker takes it: "1007g". */
static const char *size_option(struct way_in *way, const char *option, uint64_t bytes)
{
	const unsigned gib_shift = 30, mib_shift = 20;
	const bool is_large = bytes >> gib_shift >= 16;

	return arena_printf(way->arena, "%s=%llu%c", option,
			    (unsigned long long)(bytes >> (is_large ? gib_shift : mib_shift)), is_large ? 'g' : 'm');
}

/* False: not told. 0: no shared memory is mounted. */
static bool shm_size(const struct snapshot *snapshot, uint64_t *ret)
{
	const struct val_u64 size = snapshot->host.shm_size_bytes;
	const char *why = size.state == VAL_ABSENT && size.why ? size.why : "";

	*ret = is_unlimited(size.state, size.why) ? NO_LIMIT : u64_or(size, 0);
	return is_known(size) || *ret == NO_LIMIT || !strcmp(why, "not mounted") ||
	       !strcmp(why, "no tmpfs is mounted there");
}

static void compare_shm(struct way_in *way)
{
	uint64_t host, inside;
	const bool host_tells = shm_size(way->host, &host), inside_tells = shm_size(way->inside, &inside);

	if (!can_compare(way, host_tells && inside_tells, "size of /dev/shm") || !is_less(inside, host))
		return;
	add_loss(way, &(struct container_loss){
		.what = "shm-size", .thing = "size of /dev/shm", .host = bytes_text(way, host),
		.inside = inside ? bytes_text(way, inside) : "not mounted",
		.option = host == NO_LIMIT ? "--ipc=host" : size_option(way, "--shm-size", host),
		.kubernetes = "a volume emptyDir with medium: Memory, mounted at /dev/shm",
	});
}

static bool memlock_limit(const struct snapshot *snapshot, uint64_t *ret)
{
	const struct val_u64 limit = snapshot->host.memlock_limit_bytes;

	*ret = u64_or(limit, NO_LIMIT);
	return is_known(limit) || limit.state == VAL_ABSENT;
}

static void compare_memlock(struct way_in *way)
{
	uint64_t host, inside;
	const bool host_tells = memlock_limit(way->host, &host), inside_tells = memlock_limit(way->inside, &inside);

	if (!can_compare(way, host_tells && inside_tells, "memlock limit") || inside >= host)
		return;
	add_loss(way, &(struct container_loss){
		.what = "memlock", .thing = "memlock limit", .host = bytes_text(way, host),
		.inside = bytes_text(way, inside), .option = "--ulimit memlock=-1",
		.kubernetes = "none in a pod: LimitMEMLOCK=infinity of the container runtime's service, or IPC_LOCK in "
			      "securityContext.capabilities.add",
	});
}

/* What this run may use: on a recording what its control group has. */
static struct val_str allowed_cpus(const struct snapshot *snapshot)
{
	return is_known(snapshot->cpu.allowed) ? snapshot->cpu.allowed : snapshot->cgroup.cpus;
}

static void compare_cpus(struct way_in *way)
{
	const struct val_str host = allowed_cpus(way->host), inside = allowed_cpus(way->inside);
	const char *list = str_or(host, ""), *list_inside = str_or(inside, "");
	uint64_t nr = 0, nr_inside = 0;
	const bool is_told = is_known(host) && is_known(inside) && !cpulist_count(list, &nr) &&
			     !cpulist_count(list_inside, &nr_inside);

	if (!can_compare(way, is_told, "CPUs") || nr_inside >= nr)
		return;
	add_loss(way, &(struct container_loss){
		.what = "cpus", .thing = "CPUs",
		.host = arena_printf(way->arena, "%llu (%s)", (unsigned long long)nr, list),
		.inside = arena_printf(way->arena, "%llu (%s)", (unsigned long long)nr_inside, list_inside),
		.option = arena_printf(way->arena, "--cpuset-cpus=%s", list),
		.kubernetes = "resources.requests and limits cpu, where kubelet's cpuManagerPolicy is static",
	});
}

/* False: not told. */
static bool cpu_limit(const struct snapshot *snapshot, double *ret)
{
	const struct val_f64 limit = snapshot->cgroup.cpu_limit;

	*ret = f64_or(limit, (double)NO_LIMIT);
	return is_known(limit) || is_unlimited(limit.state, limit.why);
}

static void compare_cpu_limit(struct way_in *way)
{
	double host, inside;
	const bool host_tells = cpu_limit(way->host, &host), inside_tells = cpu_limit(way->inside, &inside);

	if (!can_compare(way, host_tells && inside_tells, "CPU limit") || inside >= host)
		return;
	add_loss(way, &(struct container_loss){
		.what = "cpu-limit", .thing = "CPU limit",
		.host = host < (double)NO_LIMIT ? arena_printf(way->arena, "%.4g CPUs", host) : NO_LIMIT_TEXT,
		.inside = arena_printf(way->arena, "%.4g CPUs", inside),
		.option = "a higher --cpus, or none", .kubernetes = "resources.limits cpu",
	});
}

/* The least of what the machine has and what the control group allows. */
static bool memory_limit(const struct snapshot *snapshot, uint64_t *ret)
{
	const struct val_u64 limit = snapshot->cgroup.memory_limit_bytes, total = snapshot->memory.total_bytes;

	*ret = u64_or(limit, NO_LIMIT);
	if (u64_or(total, NO_LIMIT) < *ret)
		*ret = u64_or(total, NO_LIMIT);
	return is_known(total) && (is_known(limit) || is_unlimited(limit.state, limit.why));
}

static void compare_memory(struct way_in *way)
{
	uint64_t host, inside;
	const bool host_tells = memory_limit(way->host, &host), inside_tells = memory_limit(way->inside, &inside);

	if (!can_compare(way, host_tells && inside_tells, "memory limit") || !is_less(inside, host))
		return;
	add_loss(way, &(struct container_loss){
		.what = "memory", .thing = "memory", .host = bytes_text(way, host), .inside = bytes_text(way, inside),
		.option = arena_printf(way->arena, "%s, or none", size_option(way, "--memory", host)),
		.kubernetes = "resources.limits memory",
	});
}

/* ---- RDMA */

static bool has_rdma_device(const struct snapshot *snapshot, const char *device)
{
	for (size_t i = 0; i < snapshot->nr_network_interfaces; i++)
		if (str_is(snapshot->network_interfaces[i].rdma_device, device))
			return true;
	return false;
}

static void compare_rdma_devices(struct way_in *way)
{
	const char *last = "";

	if (!can_compare(way, is_known(way->host->listed.network_interfaces) &&
			      is_known(way->inside->listed.network_interfaces), "RDMA devices"))
		return;
	for (size_t i = 0; i < way->host->nr_network_interfaces; i++) {
		const char *device = str_or(way->host->network_interfaces[i].rdma_device, NULL);

		/* Two interfaces of one function have one device, and stand together. */
		if (!device || !strcmp(device, last) || has_rdma_device(way->inside, device))
			continue;
		last = device;
		add_loss(way, &(struct container_loss){
			.what = "rdma-device", .thing = device, .host = "present", .inside = "none",
			.option = "--network host", .kubernetes = "hostNetwork: true, or " RDMA_RESOURCE,
		});
	}
}

static void compare_rdma_nodes(struct way_in *way)
{
	const struct host *host = &way->host->host, *inside = &way->inside->host;

	if (!can_compare(way, is_known(host->rdma_node_count) && is_known(inside->rdma_node_count),
			 "RDMA device nodes"))
		return;
	for (size_t i = 0; i < host->rdma_nodes.nr; i++) {
		const char *path = host->rdma_nodes.v[i];

		if (strs_has(&inside->rdma_nodes, path))
			continue;
		add_loss(way, &(struct container_loss){
			.what = "rdma-node", .thing = path, .host = "present", .inside = "none",
			.option = "--device /dev/infiniband", .kubernetes = RDMA_RESOURCE,
		});
	}
}

/* ---- */

static bool is_host(const struct snapshot *snapshot)
{
	return str_is(snapshot->host.container, "none");
}

void diff_container(struct differ *d)
{
	const bool inside_is_after = is_in_container(d->after);
	struct container_diff *told = &d->diff->container;
	struct way_in way = {
		.d = d, .arena = d->arena, .host = inside_is_after ? d->before : d->after,
		.inside = inside_is_after ? d->after : d->before, .host_side = !inside_is_after,
		.inside_side = inside_is_after, .told = told,
	};

	if (!is_host(way.host) || !is_in_container(way.inside) || !d->diff->machine_known || !d->diff->same_machine)
		return;
	if (!d->is_one_boot) {
		diff_say(d,
			 "host and container are not known to be of one boot: what the container was not given is not "
			 "reported");
		return;
	}
	*told = (struct container_diff){
		.is_pair = true, .inside_is_after = inside_is_after, .runtime = str_or(way.inside->host.container, "?"),
	};
	find_given(&way);
	compare_gpus(&way);
	compare_nodes(&way);
	compare_libraries(&way);
	compare_shm(&way);
	compare_memlock(&way);
	compare_cpus(&way);
	compare_cpu_limit(&way);
	compare_memory(&way);
	compare_rdma_devices(&way);
	compare_rdma_nodes(&way);
}
