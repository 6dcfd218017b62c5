// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/compat.h"
#include "eval/facts/gpu_trace.h"

#include "snapshot/under_test.h"

static bool drives_a_display(const struct snapshot *snapshot, const char *module)
{
	for (size_t i = 0; i < snapshot->nr_gpus; i++)
		if (str_is(snapshot->gpus[i].pci.driver, module))
			return true;
	return false;
}

/*
 * The kernel's own drivers may be built in, whatever hardware is there: those have no use count. NVIDIA's is a module,
 * which does not stay loaded where it finds no GPU.
 */
static bool is_gpu_driver(const struct module *module)
{
	static const char *const names[] = { "nouveau", "nova_core", "amdgpu", "radeon", "i915", "xe", "habanalabs" };
	const char *name = str_or(module->key, "");

	if (!strcmp(name, "nvidia"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return is_known(module->users);
	return false;
}

static const char *trace_of_module(struct arena *arena, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_modules; i++) {
		const struct module *module = &snapshot->modules[i];
		const char *name = str_or(module->key, "");

		if (is_gpu_driver(module) && !drives_a_display(snapshot, name))
			return arena_printf(arena, "module %s is loaded", name);
	}
	return NULL;
}

static const char *trace_of_package(struct arena *arena, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_software; i++)
		if (str_is(snapshot->software[i].name, "nvidia-driver"))
			return arena_printf(arena, "package %s is installed", str_or(snapshot->software[i].key, "?"));
	for (size_t i = 0; i < snapshot->nr_user_libraries; i++)
		if (is_known(snapshot->user_libraries[i].version))
			return arena_printf(arena, "%s is installed", str_or(snapshot->user_libraries[i].key, "?"));
	return snapshot->nr_module_builds ?
	       arena_printf(arena, "DKMS has the driver %s", str_or(snapshot->module_builds[0].key, "?")) : NULL;
}

/* Render nodes are no trace: a hypervisor's display has them, too. */
static const char *trace_of_node(struct arena *arena, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_device_nodes; i++) {
		const struct device_node *node = &snapshot->device_nodes[i];
		const char *path = str_or(node->key, "");

		if (node_is_there(node) && (!strncmp(path, "/dev/nvidia", strlen("/dev/nvidia")) ||
					    (!strcmp(path, "/dev/kfd") && !drives_a_display(snapshot, "amdgpu"))))
			return arena_printf(arena, "%s exists", path);
	}
	return NULL;
}

/* A card of whatever kind that is plugged in and dead may be the GPU. */
static const char *trace_of_slot(struct arena *arena, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nr_slots; i++) {
		const struct slot *slot = &snapshot->slots[i];

		if (bool_or(slot->occupied, false) && !bool_or(slot->answers, true))
			return arena_printf(arena, "the card in slot %s does not respond", str_or(slot->key, "?"));
	}
	for (size_t i = 0; i < snapshot->nr_ports; i++) {
		const struct port *port = &snapshot->ports[i];

		if (bool_or(port->present, false) && !u64_or(port->functions, 1))
			return arena_printf(arena, "the card below port %s does not respond", str_or(port->key, "?"));
	}
	return NULL;
}

bool is_newest_of_gone_gpu(const struct node_log *log, size_t at)
{
	const struct log_incident *incident = &log->incidents[at];

	if (incident->place != INCIDENT_OF_GONE_GPU || incident->worst->currency == KLOG_BEFORE_BOOT)
		return false;
	for (size_t i = 0; i < at; i++)
		if (!strcmp(log->incidents[i].incident->device, incident->incident->device))
			return false;
	return true;
}

static const char *trace_of_log(struct arena *arena, const struct node_log *log)
{
	for (size_t i = 0; i < log->nr; i++)
		if (is_newest_of_gone_gpu(log, i))
			return arena_printf(arena, "the kernel log of this boot has one at %s",
					    log->incidents[i].incident->device);
	return NULL;
}

const char *gpu_request_of_container(const struct snapshot *snapshot)
{
	static const char name[] = "NVIDIA_VISIBLE_DEVICES=";

	for (size_t i = 0; i < snapshot->host.environment.nr && is_in_container(snapshot); i++) {
		const char *text = snapshot->host.environment.v[i], *value = text + strlen(name);

		if (!strncmp(text, name, strlen(name)))
			return *value && strcmp(value, "void") && strcmp(value, "none") ? text : NULL;
	}
	return NULL;
}

const char *gpu_trace(struct arena *arena, const struct snapshot *snapshot, const struct node_log *log)
{
	const char *trace = trace_of_log(arena, log);

	trace = trace ? trace : trace_of_module(arena, snapshot);
	trace = trace ? trace : trace_of_slot(arena, snapshot);
	trace = trace ? trace : trace_of_node(arena, snapshot);
	trace = trace ? trace : trace_of_package(arena, snapshot);
	if (!trace && gpu_request_of_container(snapshot))
		trace = arena_printf(arena, "this container has %s", gpu_request_of_container(snapshot));
	return trace;
}
