// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "checks/playbook.h"
#include "eval/facts/device_node_expected.h"
#include "snapshot/node.h"
#include "snapshot/under_test.h"

/* Nodes without which a driver's GPUs cannot compute, beside their own. */
static bool serves(const struct gpu *gpu, const struct device_node *node)
{
	if (str_is(gpu->pci.driver, "nvidia"))
		return str_is(node->key, "/dev/nvidiactl") || str_is(node->key, "/dev/nvidia-uvm");
	return str_is(gpu->pci.driver, "amdgpu") && str_is(node->key, "/dev/kfd");
}

/* Nodes of NVIDIA's driver are made by the first program that asks: on a node just booted there are none. */
static void judge_missing(struct judgement *j, const struct device_node *node)
{
	derive_str(j, "node", str_or(node->key, "?"), "/proc/driver/nvidia/gpus, /sys/class/drm");
	need(j, pci_function, &j->gpu->pci, driver);
	if (str_is(j->gpu->pci.driver, "nvidia") && is_known(j->gpu->nvidia.minor))
		want(j, nvidia_files, &j->gpu->nvidia, minor);
	finding_add(j, device_node_is_expected(j->snapshot, j->gpu) ? GPU_ACCESS_NODE_MISSING : GPU_ACCESS_NO_NODE);
}

static void judge_closed(struct judgement *j, const struct device_node *node)
{
	const char *group;
	bool is_roots = !u64_or(node->group_id, 1);

	want(j, host, &j->snapshot->host, user_id);
	about(j, str_or(node->key, "?"));
	want(j, device_node, node, mode);
	group = want(j, device_node, node, group);
	about(j, NULL);
	if (is_roots)
		derive_str(j, "who", "root", "stat");
	else
		derive_str(j, "who", *group ? arena_printf(j->arena, "root and group %s", group) : "root and its group",
			   "stat, /etc/group");
	/* Nobody is advised to join root's group. */
	if (*group && !is_roots)
		derive_str(j, "join", group, "/etc/group");
	finding_add(j, GPU_ACCESS_CLOSED);
}

/*
 * The driver makes its nodes by a program that loads the module too (nvidia-modprobe -u), unless it is configured not
 * to.
 */
static const char *why_missing(const struct snapshot *snapshot, const struct device_node *node)
{
	if (!strncmp(str_or(node->key, ""), "/dev/nvidia", strlen("/dev/nvidia")) &&
	    module_has_parameter(nvidia_module(snapshot), "ModifyDeviceFiles=0"))
		return "missing, and ModifyDeviceFiles=0 prevents programs from creating it";
	if (str_is(node->key, "/dev/nvidia-uvm") && is_known(snapshot->listed.modules) &&
	    !list_find(snapshot, modules, module, "nvidia_uvm"))
		return "missing, and its module nvidia_uvm is not loaded";
	return "missing";
}

static void judge_shared(struct judgement *j, const struct device_node *node)
{
	question(j);
	derive_str(j, "node", str_or(node->key, "?"), "/dev");
	about(j, str_or(node->key, "?"));
	if (!node_is_there(node)) {
		derive_str(j, "why", why_missing(j->snapshot, node), "stat, /sys/module, /proc/driver/nvidia/params");
		finding_add_of(j, GPU_ACCESS_NO_COMPUTE, str_or(node->key, "?"));
	} else if (!need(j, device_node, node, may_open)) {
		derive_str(j, "why", "not accessible to this user", "access");
		finding_add_of(j, GPU_ACCESS_NO_COMPUTE, str_or(node->key, "?"));
	}
	about(j, NULL);
}

/* Of a recording only that a node is there is known: it has another user. */
static void judge_access(struct judgement *j, const struct device_node *node)
{
	bool may_open;

	question(j);
	about(j, str_or(node->key, "?"));
	may_open = need(j, device_node, node, may_open);
	about(j, NULL);
	if (all_known(j) && !may_open) {
		judge_closed(j, node);
		return;
	}
	for (size_t i = 0; i < j->snapshot->nr_device_nodes; i++)
		if (serves(j->gpu, &j->snapshot->device_nodes[i]))
			judge_shared(j, &j->snapshot->device_nodes[i]);
}

static void eval(struct judgement *j)
{
	const struct snapshot *snapshot = j->snapshot;
	const struct device_node *node = gpu_compute_node(snapshot, j->gpu);

	if (gpu_role(snapshot, j->gpu) == GPU_ROLE_PASSED_THROUGH) {
		skip_check(j, "assigned to a virtual machine or another driver (gpu-bound)");
	} else if (j->gpu->pci.driver.state == VAL_ABSENT) {
		skip_check(j, "no driver bound (gpu-bound)");
	} else if (bool_or(j->gpu->nvidia.excluded, false)) {
		skip_check(j, "excluded by the driver (gpu-enumerated)");
	} else if (snapshot->listed.device_nodes.state == VAL_UNSUPPORTED) {
		skip_check(j, "no device nodes in the recording");
	} else if (!need(j, listed, &snapshot->listed, device_nodes) || !node) {
		skip_check(j, "its device node is unknown");
	} else if (!node_is_there(node)) {
		judge_missing(j, node);
	} else if (!snapshot_is_live(snapshot)) {
		skip_check(j, "a recorded tree has no device permissions");
	} else {
		judge_access(j, node);
	}
}

const struct check check_gpu_access = {
	.name = "gpu-access",
	.title = "Device node access",
	.doc = "Does each GPU have its device node, and may this user open it and the driver's shared nodes? A user "
	       "outside the group is a note, as is a node not yet created since boot; a GPU without a node while "
	       "others have one is a warning. No node is opened.",
	.per = SUBJECT_GPU,
	.says = "device nodes accessible",
	.may_emit = IDS(GPU_ACCESS_NODE_MISSING, GPU_ACCESS_NO_NODE, GPU_ACCESS_CLOSED, GPU_ACCESS_NO_COMPUTE),
	.eval = eval,
};
